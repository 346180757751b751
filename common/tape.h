/*
 * Bytes that are written in a row and read in the same order, as often as
 * wanted: a few of them in memory, more in a nameless file in TMPDIR. The other
 * stores differ: common/xsort sorts what it holds, and the tables of
 * common/spill are mapped into memory, which counts against -S. A full disk is
 * fatal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct tape {
	struct buf b;
	int fd;        /* the file; -1: none yet */
	uint64_t size; /* bytes in the file */
	uint64_t left; /* bytes in it that were not read yet */
	size_t pos;    /* the bytes of b that were read */
	bool reading;
};

#define TAPE_NEW ((struct tape){ .fd = -1 })

/* Appends n bytes. */
void tape_put(struct tape *t, const char *s, size_t n);

/* Writing is over: reading begins at the start. It can be called again. */
void tape_rewind(struct tape *t);

/* At least `want` of the bytes that were not read yet, or all of them; *n is
 * how many. They stay where they are until the next call. */
char *tape_at(struct tape *t, size_t want, size_t *n);

/* The next n bytes, which tape_at() has shown, are read. */
void tape_skip(struct tape *t, size_t n);

/* The tape is new again. */
void tape_free(struct tape *t);
