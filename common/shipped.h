/*
 * Data files of the commands (*.rules, *.tab, *.sql), compiled in, so that the
 * program needs no file at run time, and its defaults are exactly the shipped
 * files.
 */
#pragma once

#include "map.h"
#include "mview.h"

struct shipped {
	const char *name; /* "tc.rules" */
	const char *text;
};

extern const struct shipped shipped_files[]; /* ends with name NULL */
extern const struct shipped usage_files[];   /* the same: cmd/NAME.usage */

/* The text of a file; fatal if there is no file of that name. */
const char *shipped_text(const char *name);

/* The words of a file whose lines are a class and words of that class, or a
 * comment (#). It is read at the first question. */
struct shipped_words {
	const char *file;
	const char *const *classes; /* NULL after the last; of others no word is
				     * read */
	struct smap map;            /* zeroed */
};

/* The classes of a word: a bit each, the first class the lowest. */
unsigned shipped_class(struct shipped_words *w, struct mview word);

/* The value of a word in a table of vocab.tab, which ends with a NUL; its s
 * is NULL if the table does not have the word. */
struct mview vocab_find(const char *table, const char *s, size_t n);

/* The value of the longest word that s begins with, of *n bytes. whole:
 * only words after which s ends, or has a _. */
struct mview vocab_longest(
    const char *table, struct mview s, bool whole, size_t *n);
