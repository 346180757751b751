from . import functional, modules  # noqa: F401
from .modules.module import Module, ModuleList  # noqa: F401


class _Cell(Module):
    def extra_repr(self):
        return '3, 4'

    def forward(self, x):
        return x


class RNN(_Cell): pass
class LSTM(_Cell): pass
class GRU(_Cell): pass
class RNNCell(_Cell): pass
class LSTMCell(_Cell): pass
class GRUCell(_Cell): pass
