"""Short films, copied as bytes from pageable memory and widened on the GPU. Variants: pinned."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

model = nn.Sequential(nn.Conv3d(3, 32, 3, (1, 2, 2), 1), nn.BatchNorm3d(32), nn.ReLU(), nn.Conv3d(32, 64, 3, 2, 1),
                      nn.BatchNorm3d(64), nn.ReLU(), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(64, 10)).to(dev)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
films = [torch.randint(0, 256, (16, 3, 16, 224, 224), dtype=torch.uint8) for _ in range(3)]
if "pinned" in variant:
    films = [f.pin_memory() for f in films]
y = torch.randint(0, 10, (16,), device=dev)
clock = Clock()
i = 0
while clock.step():
    x = films[i % 3].to(dev, non_blocking=True)
    i += 1
    with torch.autocast("cuda", torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x.float().div(255)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
