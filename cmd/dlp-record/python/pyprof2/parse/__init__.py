"""python -m pyprof2.parse, and the script parse.py of this folder."""
