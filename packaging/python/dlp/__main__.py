"""python -m dlp FILE: the command dlp."""
import os
import sys

from . import command

os.execv(command(), [command()] + sys.argv[1:])
