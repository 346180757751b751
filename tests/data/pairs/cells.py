"""A recurrent cell that Python calls for each of 48 time steps. Variants: graph (a captured step),
fused (the optimizer)."""
import torch
import torch.nn as nn
from common import Clock, dev, variant


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read, self.cell, self.out = nn.Linear(32, 384), nn.GRUCell(384, 384), nn.Linear(384, 4)

    def forward(self, x):
        h = x.new_zeros(x.shape[1], 384)
        for v in x:
            h = self.cell(torch.relu(self.read(v)), h)
        return self.out(h)


net = Net().to(dev)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, fused="fused" in variant or None, capturable="graph" in variant)
x, y = torch.randn(48, 128, 32, device=dev), torch.randn(128, 4, device=dev)


def train():
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()


step = train
if "graph" in variant:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            train()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        train()
    step = graph.replay
clock = Clock()
while clock.step():
    step()
