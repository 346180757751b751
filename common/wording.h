/*
 * Texts as data: a shipped file (*.tab) has blocks of lines, each with
 * conditions and with places for values. The program says which values there
 * are; the file words them.
 *
 *	# a comment
 *	text NAME                  begins a block, as does: rule NAME ...
 *	PART [WORD !WORD] TEXT     a line of a part of the block
 *	or [WORD=VALUE] TEXT       is used where the lines above it, up to that
 *	                           of its PART, are not
 *
 * A line is used if all of its words hold: a value of that name is there, has
 * the text after =, or is not there with !. {WORD} in a text stands for that
 * value or, if there is none, for the part "say" of the block of that name. A
 * line that begins with a blank continues the one above it. Lines of one part
 * are joined by a blank, unless the second begins with one of , ; : or a full
 * stop.
 */
#pragma once

#include "buf.h"

struct wording {
	char *file;
	struct wording_line {
		char *part, *when, *text;
	} * line;
	size_t n, cap;
};

struct values {
	const struct values *also; /* more of them; NULL: none */
	struct value {
		const char *name;
		struct buf text;
	} * v;
	size_t n, cap;
};

/* Reads a shipped file. */
void wording_read(struct wording *w, const char *file);
void wording_free(struct wording *w);

/* Appends a part of a block. */
void wording_put(const struct wording *w, const char *block, const char *part,
    const struct values *v, struct buf *b);

/* A new value, empty, for the caller to write: valid until the next one. name
 * is kept. */
struct buf *values_let(struct values *v, const char *name);

/* The same, if it is so: a word that only has to be there. */
void values_if(struct values *v, const char *name, bool is);
void values_free(struct values *v);
