"""A model of many parameters with an optimizer that updates each tensor alone. Variants: foreach,
fused."""
import torch
import torchvision
from common import Clock, dev, variant

model = torchvision.models.efficientnet_b0().to(dev)
how = {"foreach": "foreach" in variant, "fused": "fused" in variant or None}
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, **how)
x, y = torch.randn(64, 3, 224, 224, device=dev), torch.randint(0, 1000, (64,), device=dev)
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
