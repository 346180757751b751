"""A tabular model of 200 small layers, each of which the optimizer updates alone. Variants: foreach,
fused."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

heads = nn.ModuleList(nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 8)) for _ in range(50)).to(dev)
last = nn.Linear(400, 1).to(dev)
params = [*heads.parameters(), *last.parameters()]
opt = torch.optim.AdamW(params, lr=1e-3, foreach="foreach" in variant, fused="fused" in variant or None)
x, y = torch.randn(2048, 64, device=dev), torch.randn(2048, 1, device=dev)
clock = Clock()
while clock.step():
    loss = nn.functional.mse_loss(last(torch.cat([h(x) for h in heads], 1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
