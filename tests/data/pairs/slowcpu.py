"""Two ranks, and one of them prepares its batch for longer. Variant: even (neither does)."""
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from common import Clock, variant
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True, norm_first=True)
ddp = DistributedDataParallel(nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda(), device_ids=[rank])
opt = torch.optim.AdamW(ddp.parameters(), lr=1e-4, fused=True)
clock = Clock()
while clock.step():
    if rank == 1 and "even" not in variant:
        t = time.perf_counter()
        while time.perf_counter() - t < 0.015:
            pass
    x = torch.randn(32, 256, 512, device="cuda")
    with torch.autocast("cuda", torch.bfloat16):
        loss = ddp(x).float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    loss.item()
dist.destroy_process_group()
