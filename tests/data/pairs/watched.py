"""A wide network whose loop reads a dozen numbers back in each step, to show them. Variants: noitem (they are
computed, and stay on the GPU)."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

model = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(2048, 2048), nn.GELU())], nn.Linear(2048, 10)).to(dev)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(1024, 2048, device=dev), torch.randint(0, 10, (1024,), device=dev)
read = torch.Tensor.detach if "noitem" in variant else torch.Tensor.item
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16):
        h, seen = x, []
        for layer in model:
            h = layer(h)
            if isinstance(layer, nn.GELU):
                seen.append(read(h.mean()))
        loss = nn.functional.cross_entropy(h, y)
    opt.zero_grad()
    loss.backward()
    seen += [read(layer.weight.grad.norm()) for layer in model if isinstance(layer, nn.Linear)]
    opt.step()
