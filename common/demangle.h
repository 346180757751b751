/* C++ names as compilers mangle them, made readable. */
#ifndef DLP_DEMANGLE_H
#define DLP_DEMANGLE_H

#include <stdbool.h>

#include "buf.h"

/* Appends the demangled form of name to out, and returns true. A name that
 * is not mangled, or longer than a compiler makes, or whose readable form
 * would be huge (a few hundred bytes can stand for terabytes), is appended
 * as it is, and false is returned. */
bool demangle(const char *name, struct buf *out);

/* As demangle(), with the mistake that libstdc++ and binutils made up to GCC
 * 8: they counted every lambda among the parts of a name that can be referred
 * to later, so that references behind one say something else. */
bool demangle_old(const char *name, struct buf *out);

#endif
