/*
 * Caches the texts of string ids, escaped: a profile has few distinct names and
 * millions of uses. When the texts have grown too large, they are forgotten and
 * read again when needed. A text that a record may hold is never freed before
 * that record is written.
 */
#ifndef DLP_PARSE_NAMECACHE_H
#define DLP_PARSE_NAMECACHE_H

#include "buf.h"
#include "map.h"

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
