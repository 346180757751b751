"""PyProf's markers for PyTorch 2, so that programs written for PyProf or DLProf
run unedited:

    import pyprof
    pyprof.init()

Each call of a function of torch, torch.Tensor or torch.nn.functional pushes two
NVTX ranges with PyProf's dictionaries: where it is called, and its arguments.
enable_function_stack adds DLProf's funcStack. This is not PyProf: it has the
name and the format, and none of the code.
"""
import functools
import math
import os
import sys

__version__ = '3.11.0'

_FUNCTIONAL = '''
conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear
bilinear relu relu_ gelu silu leaky_relu elu tanh sigmoid hardtanh softplus
softmax log_softmax max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d
adaptive_avg_pool2d adaptive_max_pool2d batch_norm layer_norm group_norm
instance_norm rms_norm dropout embedding embedding_bag cross_entropy nll_loss
mse_loss l1_loss binary_cross_entropy interpolate upsample pad normalize
scaled_dot_product_attention prelu one_hot unfold fold glu hardswish mish'''.split()

_TORCH = '''
abs add addbmm addcdiv addcmul addmm addmv addr allclose any argmax argsort
baddbmm bmm bitwise_and cat chunk clamp clone conv1d conv2d conv3d
conv_transpose2d cos cross cumsum cumprod diag div dot dropout einsum
embedding eq erf exp flatten flip floor gather ge gru lstm rnn_tanh gelu gt
hardshrink index_select layer_norm batch_norm group_norm le lerp log
log_softmax logsumexp lt masked_fill masked_select matmul max max_pool2d mean
min mm mul mv ne neg norm ones permute pow prelu prod randn rand randperm
reciprocal relu relu_ reshape rms_norm roll rsqrt scatter scatter_add sigmoid
sign sin softmax sort split sqrt square squeeze stack std sub sum t tanh
tensordot topk transpose tril triu unsqueeze var where zeros zeros_like
ones_like empty full lstm_cell gru_cell rnn_tanh_cell _int_mm'''.split()

_TENSOR = '''
abs add add_ addcmul addcmul_ addmm addmm_ all any argmax baddbmm bmm clamp
clamp_ clone contiguous copy_ cumsum cos div div_ dot eq exp expand fill_
flatten float gather ge gt half bfloat16 double index_select item le log
log_softmax lt masked_fill masked_fill_ matmul max mean min mm mul mul_ mv
narrow ne neg norm permute pow reciprocal relu reshape repeat round rsqrt
scatter_add scatter_add_ select sigmoid sin softmax sort split sqrt squeeze
std sub sub_ sum t tanh to topk transpose tril triu type type_as unsqueeze var
view zero_ uniform_ normal_ __add__ __radd__ __iadd__ __sub__ __mul__ __rmul__
__truediv__ __matmul__ __pow__ __neg__ __getitem__ __eq__ __gt__ __lt__'''.split()

_CELLS = ('RNN', 'LSTM', 'GRU', 'RNNCell', 'LSTMCell', 'GRUCell')
_HIDDEN = {'__call__', 'wrapper_func', 'always_benchmark_wrapper'}


def _short(path):
    for cut in ('site-packages/', 'dist-packages/'):
        k = path.rfind(cut)
        if k >= 0:
            return path[k + len(cut):]
    return os.path.basename(path)


class _State:
    on = False
    stack = False  # enable_function_stack
    busy = False  # in our own code, which calls torch, too
    seen = {}  # funcStack to the lines that called it


_state = _State()


def _frames():
    frame = sys._getframe(3)
    frames = []
    while frame is not None:
        name = frame.f_code.co_filename
        if not (name == __file__ or name.startswith('<') or
                'threading.py' in name or 'dlp_markers.py' in name):
            frames.append(frame)
        frame = frame.f_back
    frames.reverse()
    return frames


def _frame_name(frame):
    name = frame.f_code.co_name
    if name in _HIDDEN or (name.startswith('<') and name != '<module>'):
        return None
    this = frame.f_locals.get('self')
    return name if this is None else type(this).__name__ + '::' + name


def _trace(op):
    frames = _frames()
    lines = ['%s:%d' % (_short(f.f_code.co_filename), f.f_lineno)
             for f in frames]
    marker = {'traceMarker': lines}
    if _state.stack:
        names = []
        for frame in frames:
            name = _frame_name(frame)
            if name is not None and name != (names or [None])[-1]:
                names.append(name)
        where = '/' + '/'.join(names + [op])
        calls = _state.seen.setdefault(where, [])
        if tuple(lines) not in calls:
            calls.append(tuple(lines))
        k = calls.index(tuple(lines)) + 1
        marker['funcStack'] = where + ('(%d)' % k if k > 1 else '')
    return str(marker)


def _plain(v):
    return v is None or isinstance(v, (bool, int, float, str))


def _value(v):
    if isinstance(v, float) and (math.isinf(v) or math.isnan(v)):
        return str(v)
    return v


def _add(out, name, v, torch):
    if isinstance(v, torch.Tensor):
        if v.dim() == 0 and v.device.type == 'cpu':
            v = v.item()
        else:
            out.append({'name': name, 'type': 'tensor',
                        'shape': tuple(v.size()),
                        'dtype': str(v.dtype).split('.')[-1]})
            return
    if _plain(v):
        out.append({'name': name, 'type': type(v).__name__,
                    'value': _value(v)})
    elif isinstance(v, (list, tuple)):
        if any(isinstance(x, torch.Tensor) for x in v):
            for x in v:
                _add(out, name, x, torch)
        elif all(_plain(x) for x in v):
            kind = tuple if isinstance(v, tuple) else list
            out.append({'name': name, 'type': kind.__name__,
                        'value': kind(v)})


def _arguments(mod, op, args, kwargs, torch):
    out = []
    for v in args:
        _add(out, '', v, torch)
    for name, v in kwargs.items():
        _add(out, name, v, torch)
    return str({'mod': mod, 'op': op, 'args': out})


def _ranges(texts, call, nvtx):
    for text in texts:
        nvtx.range_push(text)
    try:
        return call()
    finally:
        for text in texts:
            nvtx.range_pop()


def _wrap(owner, name, mod, torch, compiling):
    old = getattr(owner, name, None)
    if old is None or not callable(old):
        return
    nvtx = torch.cuda.nvtx

    @functools.wraps(old, updated=())
    def wrapper_func(*args, **kwargs):
        if _state.busy or compiling():
            return old(*args, **kwargs)
        _state.busy = True
        try:
            texts = [_trace(name),
                     _arguments(mod, name, args, kwargs, torch)]
        finally:
            _state.busy = False
        return _ranges(texts, lambda: old(*args, **kwargs), nvtx)

    setattr(owner, name, wrapper_func)


def _wrap_cell(cls, torch, compiling):
    old = cls.forward
    nvtx = torch.cuda.nvtx

    @functools.wraps(old)
    def wrapper_func(self, *args, **kwargs):
        if _state.busy or compiling():
            return old(self, *args, **kwargs)
        _state.busy = True
        try:
            name = type(self).__name__
            texts = [_trace('forward'),
                     str({'mod': name, 'strRepr': self.extra_repr()}),
                     _arguments(name, 'forward', args, kwargs, torch)]
        finally:
            _state.busy = False
        return _ranges(texts, lambda: old(self, *args, **kwargs), nvtx)

    cls.forward = wrapper_func


def init(enable_function_stack=False, *args, **kwargs):
    """Marks the calls from now on."""
    import torch
    import torch.nn.functional as functional
    _state.stack = enable_function_stack
    if _state.on:
        return
    _state.on = True
    compiling = getattr(getattr(torch, 'compiler', None), 'is_compiling',
                        lambda: False)
    for name in _FUNCTIONAL:
        _wrap(functional, name, 'torch.nn.functional', torch, compiling)
    for name in _TORCH:
        _wrap(torch, name, 'torch', torch, compiling)
    for name in _TENSOR:
        _wrap(torch.Tensor, name, 'Tensor', torch, compiling)
    for name in _CELLS:
        _wrap_cell(getattr(torch.nn, name), torch, compiling)


class nvtx:
    """The module pyprof.nvtx of apex: pyprof.nvtx.init()."""
    init = staticmethod(init)


def wrap(owner, name):
    """A function of the program's own: pyprof.wrap(module, 'function')."""
    import torch
    _wrap(owner, name, getattr(owner, '__name__', str(owner)), torch,
          lambda: False)
