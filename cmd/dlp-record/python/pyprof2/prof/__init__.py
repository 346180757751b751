"""python -m pyprof2.prof, and the script prof.py of this folder."""
