"""Two ranks, and one of them gets longer sequences. Variant: even (both get the shorter ones)."""
import torch
import torch.distributed as dist
import torch.nn as nn
from common import Clock, variant
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, batch_first=True, norm_first=True)
ddp = DistributedDataParallel(nn.TransformerEncoder(layer, 8, enable_nested_tensor=False).cuda(), device_ids=[rank])
opt = torch.optim.AdamW(ddp.parameters(), lr=1e-4, fused=True)
length = 256 if rank == 0 or "even" in variant else 384
x = torch.randn(128, length, 768, device="cuda")
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16):
        loss = ddp(x).float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
dist.destroy_process_group()
