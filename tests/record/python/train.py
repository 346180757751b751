"""A training script without markers; its argument says what is special."""
import sys
import torch
from torch import nn
from torch.autograd import profiler


class Block(nn.Module):
    def __init__(self):
        self.fc = nn.Module()
        self.fc.forward = lambda x: x

    def forward(self, x):
        return self.fc(x)


class Net(nn.Module):
    def __init__(self):
        self.stem = Block()
        self.h = nn.ModuleList([Block(), Block()])

    def forward(self, x):
        x = self.stem(x)
        for block in self.h:  # never called itself
            x = block(x)
        return x


class OptimizedModule(nn.Module):
    def __init__(self, module):
        self._orig_mod = module

    def forward(self, x):
        torch.compiling[0] = True
        x = self._orig_mod(x)
        torch.compiling[0] = False
        return x


class DistributedDataParallel(nn.Module):
    def __init__(self, module):
        self.module = module

    def forward(self, x):
        return self.module(x)


what = sys.argv[1] if len(sys.argv) > 1 else 'train'
net = Net()
model = {'ddp': DistributedDataParallel, 'compile': OptimizedModule}.get(
    what, lambda m: m)(net)
opt = torch.optim.SGD()
n = int(sys.argv[2]) if len(sys.argv) > 2 else 2
data = torch.utils.data.dataloader.DataLoader([torch.Tensor(2, 3)] * n)
if what == 'checkpoint':
    torch.autograd.after.append(lambda: net.h(torch.Tensor(2, 3))
                                if False else list(net.h)[1](torch.Tensor(2, 3)))
if what == 'infer':
    with torch.no_grad():
        for x in data:
            model(x)
elif what == 'closure':
    for x in data:
        opt.step(lambda: model(x).backward())
elif what == 'raise':
    net.stem.fc.forward = lambda x: 1 / 0
    for x in data:
        try:
            model(x)
        except ZeroDivisionError:
            pass
        opt.step()
elif what == 'own':
    for x in data:
        with profiler.emit_nvtx():
            model(x).backward()
        p = torch.profiler.profile()
        p.start()
        model(x)
        p.stop()
        opt.step()
elif what == 'loss':
    for x in data:
        with profiler.record_function('mine'):
            model(x)
        torch.cuda.nvtx.range_push('mine too')
        y = model(x)
        torch.cuda.nvtx.range_pop()
        y = model(x)
        y.relu()
        y.backward()
        opt.step()
elif what == 'log':
    for x in data:
        model(x).backward()
        opt.step()
        torch.cuda.nvtx.range_push('log')
        torch.cuda.nvtx.range_pop()
elif what == 'setup':
    net.cuda()
elif what == 'ops':  # the steps that have them
    with_ops = []
    for i, x in enumerate(data):
        model(x).backward()
        with_ops += [i] if profiler.active else []
        opt.step()
    print(*with_ops)
elif what == 'infer_ops':
    with torch.no_grad():
        with_ops = []
        net.stem.fc.forward = lambda x: with_ops.append(
            len(profiler.active)) or x
        for i in range(n):
            model(torch.Tensor(2, 3))
        print(*[i for i, ops in enumerate(with_ops) if ops])
elif what == 'until':  # there is a file; ranks 0 and 1 are a step apart at most
    import os
    import time
    rank, step = int(os.environ.get('RANK', -1)), 0
    if rank >= 0:
        open('steps.%d' % (1 - rank), 'a').close()
    while not os.path.exists(sys.argv[3]):
        model(torch.Tensor(2, 3)).backward()
        opt.step()
        step += 1
        time.sleep(0.002 + 0.002 * rank * (step % 2))
        if rank >= 0:
            with open('steps.%d' % rank, 'a') as f:
                f.write('.')
        while (rank >= 0 and os.path.getsize('steps.%d' % (1 - rank)) < step and
               not os.path.exists(sys.argv[3])):
            time.sleep(0.001)
else:
    for x in data:
        loss = model(x)
        loss.backward()
        opt.step()
print('loss', what, __name__, len(sys.argv), len(profiler.active),
      'dlp_markers' in sys.modules)
