"""python -m pyprof2.parse: the command pyprof-parse."""
from pyprof.parse import main

main()
