"""Gradient accumulation that reads the loss back after each micro-batch, and clips by a norm that it
reads back too. Variants: noitem (the same is computed, and stays on the GPU)."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0)
model = nn.Sequential(nn.TransformerEncoder(layer, 6), nn.Linear(512, 100)).to(dev)
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
x, y = torch.randn(8, 128, 512, device=dev), torch.randint(0, 100, (8, 128), device=dev)
clock = Clock()
total = torch.zeros((), device=dev)


def read(x, other=None):
    """The number; with the variant the tensor, or the other one."""
    if "noitem" not in variant:
        return x.item()
    return x.detach() if other is None else other


while clock.step():
    opt.zero_grad()
    for _ in range(4):
        with torch.autocast("cuda", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()) / 4
        loss.backward()
        total += read(loss)
        bad = [p for p in model.parameters() if not read(torch.isfinite(p.grad).all(), True)]
    opt.step()
