/* C++ names as the libraries of before 2019 made them readable. */
#ifndef DLP_DEMANGLE_OLD_H
#define DLP_DEMANGLE_OLD_H

#include <stdbool.h>

#include "buf.h"

/* As demangle(), with the mistake that libstdc++ and binutils made up to GCC
 * 8: they counted every lambda among the parts of a name that can be referred
 * to later, so that references behind one say something else. */
bool demangle_old(const char *name, struct buf *out);

#endif
