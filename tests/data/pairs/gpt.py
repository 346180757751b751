"""A small GPT whose attention is written out, fp32. Variants: tf32, amp, sdpa, pad (vocabulary a
multiple of 64), fused (AdamW), batch (twice as large), compile, ckpt (blocks are computed again)."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from common import Clock, dev, variant
from torch.utils.checkpoint import checkpoint

vocab = 50304 if "pad" in variant else 50257
width, heads, length, layers = 768, 12, 512, 6
batch = 16 if "batch" in variant else 8


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, heads, c // heads).transpose(1, 2) for z in self.qkv(self.ln1(x)).split(width, 2))
        if "sdpa" in variant:
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            w = (q @ k.transpose(-2, -1)) / math.sqrt(c // heads)
            a = w.masked_fill(mask, float("-inf")).softmax(-1) @ v
        x = x + self.out(a.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).triu(1))

    def forward(self, idx):
        x = self.tok(idx) + self.pos.weight
        for block in self.blocks:
            x = checkpoint(block, x, self.mask, use_reentrant=False) if "ckpt" in variant else block(x, self.mask)
        return self.head(self.ln(x))


model = GPT().to(dev)
opt = torch.optim.AdamW(model.parameters(), lr=1e-4, fused="fused" in variant or None)
net = torch.compile(model) if "compile" in variant else model
data = torch.randint(0, 50257, (batch, length + 1), device=dev)
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16, enabled="amp" in variant):
        logits = net(data[:, :-1])
        loss = F.cross_entropy(logits.view(-1, vocab), data[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
