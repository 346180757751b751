/* Makes C++ names, as compilers mangle them, readable. */
#pragma once

#include <stdbool.h>

#include "buf.h"

/* Appends the demangled form of name to out, and returns true. Three kinds of
 * names are appended unchanged, and false is returned: a name that is not
 * mangled, one that is longer than a compiler makes, and one whose readable
 * form would be huge (a few hundred bytes can stand for terabytes). */
bool demangle(const char *name, struct buf *out);

/* As demangle(), with the mistake that libstdc++ and binutils made up to GCC 8:
 * they counted every lambda among the parts of a name that can be referred to
 * later, so later references have another meaning. */
bool demangle_old(const char *name, struct buf *out);
