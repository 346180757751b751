from . import optimizer  # noqa: F401
from .optimizer import Optimizer as SGD  # noqa: F401
