"""The reports of dlp as lists of dicts:

    import dlp
    dlp.table('top', 'run.sqlite', '-g', 'layer')
    dlp.findings('run.sqlite')
    dlp.table('diff', ['before.sqlite', 'after.sqlite'])

A report that fails raises RuntimeError with its message. pandas.DataFrame()
takes the lists.
"""
import json
import os
import shutil
import subprocess
import sysconfig

__version__ = 'VERSION'  # wheel.py has it

FORMATS = ('--csv', '--tsv', '--json', '--jsonl', '--md', '--xtab', '--null', '--guard',
           '-h', '--help')


def command():
    """The path of the dlp command of this installation."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (sysconfig.get_path('scripts'),
                   os.path.join(os.path.dirname(here), 'bin'),
                   sysconfig.get_path('scripts', 'posix_user')):
        path = os.path.join(folder, 'dlp')
        if os.path.exists(path):
            return path
    return shutil.which('dlp') or 'dlp'


def table(report, file, *options):
    """The rows of "dlp REPORT FILE", of a path or a list of paths; options are
    those that choose them."""
    files = [file] if isinstance(file, (str, os.PathLike)) else file
    for option in options:
        if option.partition('=')[0] in FORMATS or option[:2] == '-w':
            raise ValueError('%s: the rows become a list, so no option of format' % option)
    rows = report in ('overview', 'advise')  # whose --json is one object
    done = subprocess.run(
        [command(), report, '--jsonl' if rows else '--json', *options, '--',
         *map(os.fspath, files)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding='utf-8', errors='replace')
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or 'dlp %s: exit status %d' % (
            report, done.returncode))
    if rows:
        return [json.loads(line) for line in done.stdout.splitlines()]
    return json.loads(done.stdout)


def findings(file, *options):
    """What "dlp advise FILE" prints: what slows the run down, with its gain."""
    return table('advise', file, *options)
