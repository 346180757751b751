"""A deep and narrow network: launches take longer than their kernels. Variants: graph (a captured
step), batch (eight times as large), item (loss.item() in each step), fused, compile."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

net = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU())],
                    nn.Linear(256, 10)).to(dev)
opt = torch.optim.Adam(net.parameters(), lr=1e-3, fused="fused" in variant or None, capturable="graph" in variant)
n = 512 if "batch" in variant else 64
x, y = torch.randn(n, 256, device=dev), torch.randint(0, 10, (n,), device=dev)
model = torch.compile(net, mode="reduce-overhead") if "compile" in variant else net


def train():
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    return loss


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
    loss = step()
    if "item" in variant:
        loss.item()
