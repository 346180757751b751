"""DistributedDataParallel whose gradients take longer to send than a layer takes to compute, one
bucket for all. Variants: buckets (of 25 MB), half (bf16_compress_hook), alone (no communication)."""
import contextlib

import torch
import torch.distributed as dist
import torch.nn as nn
from common import Clock, variant
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
model = nn.Sequential(*[nn.Sequential(nn.Linear(4096, 4096), nn.GELU()) for _ in range(12)]).cuda()
ddp = DistributedDataParallel(model, device_ids=[rank], bucket_cap_mb=25 if "buckets" in variant else 4000)
if "half" in variant:
    ddp.register_comm_hook(None, default_hooks.bf16_compress_hook)
opt = torch.optim.SGD(ddp.parameters(), lr=1e-4, fused=True)
x = torch.randn(1024, 4096, device="cuda")
clock = Clock()
while clock.step():
    with ddp.no_sync() if "alone" in variant else contextlib.nullcontext():
        with torch.autocast("cuda", torch.bfloat16):
            loss = ddp(x).float().pow(2).mean()
        loss.backward()
    opt.step()
    opt.zero_grad()
dist.destroy_process_group()
