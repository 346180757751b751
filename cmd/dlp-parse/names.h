/*
 * The texts of string ids, escaped and kept: a profile has few distinct
 * names and millions of uses. Bounded: what has grown too large is
 * forgotten and read again.
 */
#ifndef DLP_PARSE_NAMES_H
#define DLP_PARSE_NAMES_H

#include "buf.h"
#include "map.h"

struct profile;

struct name {
	char *text; /* escaped; NULL if the file has no such string */
	uint32_t len;
	uint32_t str_id; /* kernels: the str record, 0 if there is none */
};

struct names {
	struct map text, kernel; /* id -> number of name + 1 */
	struct name *v;
	size_t n, cap, bytes;
	struct buf tmp, full;
	uint64_t unknown; /* ids that the file's strings lack */
};

/* The name of a string id; valid until the next names_ call. */
const struct name *names_text(struct profile *p, int64_t id);

/* A kernel's short name; its full one has been written as a str record when
 * this returns. */
const struct name *names_kernel(
    struct profile *p, int64_t id, int64_t short_id);

void names_free(struct names *n);

#endif
