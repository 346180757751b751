"""The first name of PyProf's package: import pyprof2; pyprof2.init()."""
from pyprof import init, nvtx, wrap  # noqa: F401
