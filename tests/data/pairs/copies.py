"""A network that is fed from pageable memory, a large batch at a time. Variants: pinned."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

model = nn.Sequential(nn.Conv3d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv3d(16, 32, 3, 2, 1), nn.ReLU(),
                      nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(32, 2)).to(dev)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
batches = [torch.randn(16, 1, 96, 96, 96) for _ in range(4)]
if "pinned" in variant:
    batches = [b.pin_memory() for b in batches]
y = torch.randint(0, 2, (16,), device=dev)
clock = Clock()
i = 0
while clock.step():
    x = batches[i % 4].to(dev, non_blocking=True)
    i += 1
    with torch.autocast("cuda", torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
