"""A ConvNeXt-like network: depthwise convolutions between wide linear layers, fp32. Variants: tf32, amp."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import Clock, dev, variant


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mix = nn.Conv2d(d, d, 7, padding=3, groups=d)
        self.norm = nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        y = self.norm(self.mix(x).permute(0, 2, 3, 1))
        return x + self.down(F.gelu(self.up(y))).permute(0, 3, 1, 2)


parts, width = [nn.Conv2d(3, 96, 4, 4)], 96
for depth in (2, 2, 6, 2):
    parts += [Block(width) for _ in range(depth)]
    if width < 768:
        parts.append(nn.Conv2d(width, 2 * width, 2, 2))
        width *= 2
model = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(768, 100)).to(dev)
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
x, y = torch.randn(48, 3, 224, 224, device=dev), torch.randint(0, 100, (48,), device=dev)
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16, enabled="amp" in variant):
        loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
