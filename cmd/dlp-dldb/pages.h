/*
 * The pages of an SQLite file that nobody has open: new ones behind its end.
 * See "Database File Format" in SQLite's documentation. Failures are fatal.
 */
#ifndef DLP_DLDB_PAGES_H
#define DLP_DLDB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pages {
	const char *path; /* for messages */
	int fd;
	unsigned size; /* bytes of a page */
	uint32_t n;    /* pages in the file, those that wait in out too */
	unsigned char *out;
	size_t n_out;
};

void pages_open(struct pages *p, const char *file, const char *path);
/* A page behind the last one; its number, from 1. */
uint32_t pages_add(struct pages *p, const unsigned char *page);
/* In place of one that is there. */
void pages_set(struct pages *p, uint32_t no, const unsigned char *page);
/* Whether that page is the root of a tree without rows. */
bool pages_is_empty_tree(struct pages *p, uint32_t no);
/* SQLite can open the file again. */
void pages_close(struct pages *p);

/* n bytes, the highest first. */
static inline void
put_be(unsigned char *s, uint64_t v, int n)
{
	while (n-- > 0) {
		s[n] = (unsigned char)v;
		v >>= 8;
	}
}

static inline uint64_t
get_be(const unsigned char *s, int n)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < n; i++)
		v = v << 8 | s[i];
	return v;
}

#endif
