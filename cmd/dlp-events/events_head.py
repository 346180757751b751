import contextlib
import sys

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)


def tensor(size, dtype, stride=None, below=2, grad=False, channels_last=False):
    """A tensor of this size; one of integers has numbers below an argument."""
    if stride is None:
        order = torch.channels_last if channels_last else torch.contiguous_format
        stride = torch.empty(size, device="meta", memory_format=order).stride()
    n = 0 if 0 in size else 1 + sum((a - 1) * b for a, b in zip(size, stride))
    if dtype.is_floating_point or dtype.is_complex:
        flat = torch.randn(n, device=DEVICE).to(dtype)
    else:
        flat = torch.randint(0, max(below, 1), (n,), device=DEVICE).to(dtype)
    return flat.as_strided(size, stride).requires_grad_(grad)


def aten(name, *args):
    """Call an op with all arguments by position, as profiles have them."""
    packet = getattr(torch.ops.aten, name)
    error = TypeError(f"aten::{name} does not take {len(args)} arguments here")
    for overload in packet.overloads():
        function = getattr(packet, overload)
        takes = function._schema.arguments
        # a profile of an older PyTorch can have fewer arguments
        if len(takes) < len(args) or any(not p.has_default_value() for p in takes[len(args):]):
            continue
        # a profile has nothing where the default of a text or a type was taken
        given = [(p, DEVICE if p.name == "device" and not a else
                  p.default_value if a is None and p.has_default_value()
                  and p.type.kind() != "OptionalType" else a) for p, a in zip(takes, args)]
        try:
            return function(*[a for p, a in given if not p.kwarg_only],
                            **{p.name: a for p, a in given if p.kwarg_only})
        except (RuntimeError, TypeError) as e:
            if "Expected a value of type" not in str(e):
                raise
            error = e
    raise error


def fit(size, window, out, transposed):
    """Stride and padding that give a result its size: as networks have them, the padding
    keeps the size if the stride is 1, or there is none."""
    if transposed:
        size, out = out, size
    for pad in [(window - 1) // 2, *range(window)]:
        for step in range(1, 33):
            if size + 2 * pad >= window and (size + 2 * pad - window) // step + 1 == out:
                return step, pad
    raise ValueError(f"no stride makes {out} of {size} with a window of {window}")


def stride(x, weight, out, transposed=False):
    return [fit(*a, transposed)[0] for a in zip(x.shape[2:], weight.shape[2:], out)]


def padding(x, weight, out, transposed=False):
    return [fit(*a, transposed)[1] for a in zip(x.shape[2:], weight.shape[2:], out)]


def window(x, out, part):
    """Kernel size, stride or padding of pooling; where the result is not known, 2x2."""
    steps = [a // b for a, b in zip(x.shape[-2:], out or [n // 2 or 1 for n in x.shape[-2:]])]
    return [steps, steps, [0, 0]][part]


def pooled(out):
    return out or [1, 1]


def grown(x, out):
    return out or [2 * n for n in x.shape[2:]]


def joined(first, *others):
    """The dimension in which tensors of a list differ; 0 if none does."""
    return next((d for t in others for d, n in enumerate(t.shape) if n != first.shape[d]), 0)


def tf32(on):
    """Whether products of float32 may use TF32, as recorded."""
    torch.backends.cuda.matmul.allow_tf32 = on
    torch.backends.cudnn.allow_tf32 = on


def profiled(name, function, on):
    if not on or DEVICE == "cpu":
        return function()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    torch.cuda.nvtx.range_push(name)
    result = function()
    torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()
    return result


def cast_to(dtype):
    if dtype is None or DEVICE == "cpu" and dtype == torch.float16:
        return contextlib.nullcontext()
    return torch.autocast(DEVICE, dtype)


def run(number, name, tensors, op, inplace=False, autocast=None):
    """Run an op three times to warm up, and once between start and stop of the profiler."""
    name = f"case {number}: {name}"
    leaves = [t for t in tensors if t.requires_grad]
    for i in range(4):
        inputs = [t.clone() for t in tensors] if inplace else tensors
        with cast_to(autocast):
            out = profiled(name + " forward", lambda: op(*inputs), i == 3)
        if not leaves:
            continue
        out = [o for o in (out if isinstance(out, (list, tuple)) else [out])
               if torch.is_tensor(o) and o.requires_grad]
        grads = [torch.randn_like(o) for o in out]
        profiled(name + " backward",
                 lambda: torch.autograd.grad(out, leaves, grads, allow_unused=True), i == 3)
    print(name)
