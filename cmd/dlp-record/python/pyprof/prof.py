"""python -m pyprof.prof: the command pyprof-prof."""
import os
import sys


def main():
    command = 'pyprof-prof'
    for folder in (os.path.dirname(sys.executable),
                   os.path.join(os.path.dirname(__file__), '../../../../bin')):
        path = os.path.join(folder, command)
        if os.path.exists(path):
            command = path
            break
    try:
        os.execvp(command, [command] + sys.argv[1:])
    except OSError as e:
        sys.exit('pyprof.prof: %s: %s; put the folder of the dlp commands '
                 'into PATH' % (command, e.strerror))


if __name__ == '__main__':
    main()
