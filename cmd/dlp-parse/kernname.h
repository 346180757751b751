/* The short, readable name of a kernel: the `short` column. */
#pragma once

#include "buf.h"
#include "mview.h"

/*
 * Appends the short name of the kernel whose demangled name is full, and
 * returns the number of bytes appended. given is the short name that the
 * profiler wrote, or NULL. It is kept unless it says nothing (`Kernel2`); if it
 * is NULL, full is shortened as PyProf does. The result depends on the names
 * only, so callers can keep it per name.
 */
size_t kernname_short(const char *full, const char *given, struct buf *out);

/* The function's own name, as Nsight Systems gives it: nchwToNhwcKernel of
 * "void cudnn::ops::nchwToNhwcKernel<float>(float *)". Empty if the name is not
 * a function of C++, or is nothing but brackets. */
struct mview kernname_function(struct mview v);
