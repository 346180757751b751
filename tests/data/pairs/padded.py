"""Sentences padded to the longest that is allowed. Variants: trim (to the longest of the batch)."""
import torch
import torch.nn as nn
from common import Clock, dev, variant

layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, dropout=0.0)
model = nn.Sequential(nn.Embedding(30522, 768), nn.TransformerEncoder(layer, 4, enable_nested_tensor=False),
                      nn.Linear(768, 30522)).to(dev)
opt = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
gen = torch.Generator().manual_seed(1)
clock = Clock()
while clock.step():
    sizes = torch.randint(16, 100, (16,), generator=gen)
    width = int(sizes.max()) if "trim" in variant else 256
    ids = torch.zeros(16, width, dtype=torch.long)
    for row, size in enumerate(sizes.tolist()):
        ids[row, :size] = torch.randint(1, 30522, (size,), generator=gen)
    ids = ids.to(dev)
    with torch.autocast("cuda", torch.bfloat16):
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten(), ignore_index=0)
    opt.zero_grad()
    loss.backward()
    opt.step()
