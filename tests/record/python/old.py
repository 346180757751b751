"""A script of 2020."""
import sys
import torch
import torch.nn.functional as F

if sys.argv[1] == 'pyprof':
    import pyprof
    pyprof.init()
else:
    import nvidia_dlprof_pytorch_nvtx
    nvidia_dlprof_pytorch_nvtx.init(enable_function_stack=True)


def train():
    x = F.linear(torch.Tensor(2, 3), torch.Tensor(4, 3), bias=None)
    return torch.matmul(x, torch.Tensor(3, 5)).relu()


train()
torch.nn.LSTM()(torch.Tensor(2, 3))
