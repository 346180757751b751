"""A tiny GPT on one short text at a time: all launches. Variants: graph (a captured step), fused."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import Clock, dev, variant


class Block(nn.Module):
    def __init__(self, d=256, h=8):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.h, -1).transpose(1, 2) for z in self.qkv(self.ln1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(256, 256), nn.Embedding(128, 256)
        self.blocks = nn.Sequential(*[Block() for _ in range(8)])
        self.head = nn.Linear(256, 256)

    def forward(self, ids):
        return self.head(self.blocks(self.tok(ids) + self.pos.weight))


net = GPT().to(dev)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, fused="fused" in variant or None, capturable="graph" in variant)
ids = torch.randint(0, 256, (4, 129), device=dev)


def train():
    opt.zero_grad(set_to_none=True)
    loss = F.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
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
