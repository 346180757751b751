"""A torch that computes nothing: the hooks and names that dlp_markers uses, as
torch 2 has them, and NVTX. For the tests of dlp-record --markers."""
import os

_grad = [True]
compiling = [False]


class distributed:
    is_available = is_initialized = staticmethod(
        lambda: 'WORLD_SIZE' in os.environ)
    get_world_size = staticmethod(lambda: int(os.environ['WORLD_SIZE']))


def is_grad_enabled():
    return _grad[0]


class no_grad:
    def __enter__(self):
        self.old, _grad[0] = _grad[0], False

    def __exit__(self, *a):
        _grad[0] = self.old


class device:
    type = 'cuda'


class Tensor:
    device = device()

    def __init__(self, *shape):
        self.shape = shape
        self.dtype = 'torch.float32'

    def dim(self):
        return len(self.shape)

    def size(self):
        return self.shape

    def backward(self):
        autograd.backward(self)

    def relu(self):
        cuda.nvtx._lib.range_push(b'aten::relu')
        cuda.nvtx._lib.range_pop()
        return self


def matmul(a, b):
    return Tensor(a.shape[0], b.shape[1])


class compiler:
    @staticmethod
    def is_compiling():
        return compiling[0]


from . import autograd, cuda, nn, optim, profiler, utils  # noqa: E402,F401
