#!/usr/bin/env python3
"""pyprof2/parse/parse.py: the command pyprof-parse."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '../..'))
from pyprof.parse import main  # noqa: E402

if __name__ == '__main__':
    main()
