from . import profiler  # noqa: F401
from ..cuda.nvtx import range_pop, range_push  # as C++ does

after = []  # what a test wants to happen in backward


def backward(tensor):
    range_push('AddmmBackward0, seq = 1')
    for f in after:
        f()
    range_pop()


def grad(tensor):
    return tensor
