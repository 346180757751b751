"""A U-shaped network for images of 256 x 256, fp32. Variants: tf32, amp."""
import torch
import torch.nn as nn
from common import Clock, dev, variant


def pair(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(),
                         nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([pair(3, 32), pair(32, 64), pair(64, 128), pair(128, 256)])
        self.up = nn.ModuleList([pair(384, 128), pair(192, 64), pair(96, 32)])
        self.out = nn.Conv2d(32, 4, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else nn.functional.max_pool2d(x, 2))
            kept.append(x)
        for block, old in zip(self.up, reversed(kept[:-1])):
            x = block(torch.cat([nn.functional.interpolate(x, scale_factor=2), old], 1))
        return self.out(x)


model = UNet().to(dev)
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
x, y = torch.randn(8, 3, 256, 256, device=dev), torch.randint(0, 4, (8, 256, 256), device=dev)
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16, enabled="amp" in variant):
        loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
