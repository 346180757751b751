/*
 * The texts of string ids, escaped and kept: a profile has few distinct names
 * and millions of uses. Bounded: when they have grown too large, all are
 * forgotten and read again.
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
	struct buf tmp, full;
	uint64_t unknown; /* ids that the file's strings lack */
};

/* The name of a string id; its text is valid until the next names_ call. */
struct name names_text(struct profile *p, int64_t id);

/* A kernel's short name, valid as long; the record of the full one is written
 * before this returns. mangled_id: EV_UNSET, or a further id that tells kernels
 * of one name apart. */
struct name names_kernel(
    struct profile *p, int64_t id, int64_t short_id, int64_t mangled_id);

void names_free(struct name_cache *n);

#endif
