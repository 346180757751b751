"""A language model writes one token after another with a cache that grows by cat. Variants: static (a
cache of fixed size and a captured graph), nocudnn (attention without cuDNN's plans)."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import Clock, dev, variant

torch.backends.cuda.enable_cudnn_sdp("nocudnn" not in variant)
width, heads, layers, most = 1024, 16, 12, 512


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        shape = (4, heads, most, width // heads)
        self.k = torch.zeros(shape, device=dev, dtype=torch.bfloat16) if "static" in variant else None
        self.v = torch.zeros_like(self.k) if "static" in variant else None

    def forward(self, x, at, mask):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, heads, c // heads).transpose(1, 2) for z in self.qkv(self.ln1(x)).split(width, 2))
        if "static" in variant:
            self.k.index_copy_(2, at, k)
            self.v.index_copy_(2, at, v)
        else:
            self.k = k if self.k is None else torch.cat([self.k, k], 2)
            self.v = v if self.v is None else torch.cat([self.v, v], 2)
        a = F.scaled_dot_product_attention(q, self.k, self.v, attn_mask=mask)
        x = x + self.out(a.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(32000, width)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.head = nn.Linear(width, 32000, bias=False)

    def forward(self, ids, at=None, mask=None):
        x = self.tok(ids)
        for block in self.blocks:
            x = block(x, at, mask)
        return self.head(x)


with torch.inference_mode():
    model = Model().to(dev, torch.bfloat16).eval()
    ids = torch.zeros(4, 1, dtype=torch.long, device=dev)
    at = torch.zeros(1, dtype=torch.long, device=dev)
    places = torch.arange(most, device=dev)

    def one():
        mask = (places <= at)[None, None, None] if "static" in variant else None
        logits = model(ids, at, mask)
        ids.copy_(logits[:, -1].argmax(-1, keepdim=True))
        at.add_(1)

    step = one
    if "static" in variant:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                one()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            one()
        step = graph.replay
    clock = Clock()
    while clock.step():
        step()
