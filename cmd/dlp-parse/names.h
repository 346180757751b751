/*
 * The texts of string ids, escaped and kept: a profile has few distinct
 * names and millions of uses. Bounded: what has grown too large is
 * forgotten and read again.
 */
#ifndef DLP_PARSE_NAMES_H
#define DLP_PARSE_NAMES_H

#include "buf.h"
#include "dialect.h"
#include "map.h"

struct name {
	char *text; /* escaped; NULL if the file has no such string */
	uint32_t len;
	uint32_t str_id; /* kernels: the str record, 0 if there is none */
};

struct names {
	const struct dialect *dialect;
	void *ctx;               /* the dialect's */
	struct map text, kernel; /* id -> number of name + 1 */
	struct name *v;
	size_t n, cap, bytes;
	struct buf tmp, full;
	uint64_t unknown; /* ids that the file's strings lack */
};

/* The name of a string id; valid until the next names_ call. */
const struct name *names_text(struct names *n, int64_t id);

/* Keeps a full name, and the others (NULL: unset); its number, from 1. */
typedef uint32_t str_fn(
    const char *s, size_t n, const char *base, const char *mangled);

/* A kernel's short name; its full one has been given to put when this
 * returns. mangled_id: EV_UNSET, or it tells kernels of one name apart. */
const struct name *names_kernel(struct names *n, int64_t id, int64_t short_id,
    int64_t mangled_id, str_fn *put);

void names_free(struct names *n);

#endif
