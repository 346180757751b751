"""Python loads this module at its start if this folder is in PYTHONPATH. With
DLP_MARKERS set, torch is marked when it is imported: see dlp_markers.py. The
sitecustomize that this one hides is loaded, too."""
import importlib.machinery
import importlib.util
import os
import sys


def _next():
    here = os.path.dirname(os.path.abspath(__file__))
    path = [p for p in sys.path if os.path.abspath(p or '.') != here]
    spec = importlib.machinery.PathFinder.find_spec('sitecustomize', path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules['sitecustomize'] = module
    spec.loader.exec_module(module)


if os.environ.get('DLP_MARKERS'):
    try:
        import dlp_markers
        dlp_markers.install()
    except Exception as e:
        print('dlp_markers: %r' % e, file=sys.stderr)
_next()
