"""python -m pyprof2.prof: the command pyprof-prof."""
from pyprof.prof import main

main()
