from . import optimizer
from .optimizer import Optimizer as SGD  # noqa: F401

del optimizer  # as torch does
