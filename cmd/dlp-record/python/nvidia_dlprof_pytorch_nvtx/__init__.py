"""DLProf's markers for PyTorch 2, so that programs written for DLProf run
unedited:

    import nvidia_dlprof_pytorch_nvtx
    nvidia_dlprof_pytorch_nvtx.init(enable_function_stack=True)

The formats are PyProf's with DLProf's funcStack; see ../pyprof. This is not
NVIDIA's package: it has its name, and none of the code.
"""
from pyprof import init as _init
from pyprof import wrap  # noqa: F401 (a part of the interface)

__version__ = '1.8.0'


def init(enable_function_stack=False, *args, **kwargs):
    _init(enable_function_stack=enable_function_stack)
