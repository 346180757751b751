/*
 * Caches the texts of string ids, escaped: a profile has few distinct names and
 * millions of uses. When the texts have grown too large, they are forgotten and
 * read again when needed. A text that a record may hold is never freed before
 * that record is written.
 */
#ifndef DLP_PARSE_NAMECACHE_H
#define DLP_PARSE_NAMECACHE_H

#include <stddef.h>

#include "buf.h"
#include "map.h"
#include "mview.h"

/* The short, readable name of a kernel: the `short` column. */

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

struct profile;

struct name {
	const char *text; /* escaped; NULL if the file has no such string */
	uint32_t len;
	uint32_t str_id; /* kernels: the str record, 0 if there is none */
};

struct name_cache {              /* zeroed */
	struct map text, kernel; /* id -> number of name + 1 */
	struct name *v;
	size_t n, cap, bytes;
	char **old; /* forgotten texts that the current record may still hold */
	size_t n_old, cap_old;
	struct buf tmp, full;
	uint64_t unknown; /* uses of ids that have no string in the file */
};

/* The name of a string id; its text is valid until names_written(). */
struct name names_text(struct profile *p, int64_t id);

/* A kernel's short name, valid equally long; the record of the full name is
 * written before this returns. mangled_id: EV_UNSET, or another id that
 * separates kernels of the same name. */
struct name names_kernel(
    struct profile *p, int64_t id, int64_t short_id, int64_t mangled_id);

/* Called when a record is complete: no text is held any more. */
void names_written(struct name_cache *n);

void names_free(struct name_cache *n);

#endif
