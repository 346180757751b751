from . import profiler  # noqa: F401
from ..cuda import nvtx

after = []  # what a test wants to happen in backward


def backward(tensor):
    nvtx.range_push('AddmmBackward0, seq = 1')
    for f in after:
        f()
    nvtx.range_pop()


def grad(tensor):
    return tensor
