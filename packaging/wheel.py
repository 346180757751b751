"""Writes the wheel of a tree that "make static" made: commands become scripts,
all else lies under the same prefix, which is where the commands look for it.

usage: wheel.py TREE VERSION ARCH OUTDIR
"""
import base64
import hashlib
import os
import sys
import zipfile

tree, version, arch, outdir = sys.argv[1:]
tag = 'py3-none-manylinux_2_17_' + arch
info = 'dlp-%s.dist-info/' % version
data = 'dlp-%s.data/' % version
here = os.path.dirname(os.path.abspath(__file__))
out = os.path.join(outdir, 'dlp-%s-%s.whl' % (version, tag))
record = []

METADATA = '''\
Metadata-Version: 2.1
Name: dlp
Version: %s
Summary: Find out why GPU training is slow, from the profile you already have
License: MIT
License-File: LICENSE
Keywords: profiling,gpu,cuda,pytorch,nsight,torch.profiler
Classifier: Environment :: Console
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.6
Description-Content-Type: text/markdown

'''

# A wheel holds no links: pip would write a copy of the executable for each.
LINK = '''#!/bin/sh
here=${0%%/*}
[ -f "$here/dlp-filters" ] && [ ! -h "$0" ] || {
	here=$(readlink -f -- "$0")
	here=${here%%/*}
}
exec "$here/dlp-filters" %s "$@"
'''


def add(z, name, content, executable=False):
    entry = zipfile.ZipInfo(name)  # of 1980: the same bytes each time
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    z.writestr(entry, content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    record.append('%s,sha256=%s,%d' % (
        name, digest.rstrip(b'=').decode(), len(content)))


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def files(top):
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield path, os.path.relpath(path, top)


def add_tree(z):
    for path, name in files(tree):
        top, _, rest = name.partition('/')
        if top == 'bin' and os.path.islink(path):
            add(z, data + 'scripts/' + rest, (LINK % rest).encode(), True)
        elif top == 'bin':
            add(z, data + 'scripts/' + rest, read(path), True)
        elif rest:
            add(z, data + 'data/' + name, read(path), os.access(path, os.X_OK))


def add_modules(z):
    for path, name in files(os.path.join(here, 'python')):
        if name.endswith('.py'):
            add(z, name, read(path).replace(b"'VERSION'", repr(version).encode()))
    # of these packages the programs that they mark are the users
    for path, name in files(os.path.join(tree, 'lib/dlp/python')):
        if '/' in name and name.endswith('.py'):
            add(z, name, read(path))


with zipfile.ZipFile(out, 'w') as z:
    add_modules(z)
    add_tree(z)
    add(z, info + 'METADATA', (METADATA % version).encode() + read(
        os.path.join(tree, 'README.md')))
    add(z, info + 'WHEEL', (
        'Wheel-Version: 1.0\nGenerator: dlp\nRoot-Is-Purelib: false\n'
        'Tag: %s\n' % tag).encode())
    add(z, info + 'LICENSE', read(os.path.join(tree, 'LICENSE')))
    record.append(info + 'RECORD,,')
    add(z, info + 'RECORD', ('\n'.join(record) + '\n').encode())
print(out)
