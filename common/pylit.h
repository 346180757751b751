/*
 * Python literals as repr() writes them: dicts, lists, tuples,
 * strings, numbers and names. A pull parser over the text: no recursion, no
 * memory of its own, brackets at most PL_DEPTH deep, nothing executed.
 *
 *	pl_init(&l, s, n);
 *	if (pl_enter(&l, '{'))
 *		while (pl_key(&l, &key))
 *			pl_atom(&l, &a);
 *	if (l.bad) ...
 *
 * At the first damage `bad` is set, and every call returns false from then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "mview.h"

#define PL_DEPTH 64

struct pylit {
	const char *p, *e;
	unsigned depth;
	char close[PL_DEPTH]; /* the bracket that ends each level */
	bool first[PL_DEPTH]; /* no item seen yet */
	bool bad;
};

enum pl_kind { PL_STR, PL_NUM, PL_WORD };

struct pl_atom { /* a value that is not a container */
	enum pl_kind kind;
	struct mview raw; /* PL_STR: between the quotes, escapes unchanged */
	bool esc;         /* PL_STR: has escapes */
};

void pl_init(struct pylit *l, const char *s, size_t n);

/* The first byte of the next value: a bracket, a quote, ...; 0 at the end. */
char pl_peek(struct pylit *l);

/* Steps into a container. open: '{', '[', '(', or 0 for a list or tuple. */
bool pl_enter(struct pylit *l, char open);

/* Goes to the next item of the list entered last; false after the last one,
 * where it leaves the list. */
bool pl_item(struct pylit *l);

/* The same for a dict; *key is the raw text of the key, and the value comes
 * next. */
bool pl_key(struct pylit *l, struct mview *key);

bool pl_atom(struct pylit *l, struct pl_atom *a); /* skips a value */

/* Python literals to JSON and to plain text. */
/* Skips one value, containers included. */
bool pl_skip(struct pylit *l);

/* Appends one value as JSON: tuples as lists, True, False and None in JSON's
 * words, and values that JSON does not have as strings. out NULL: skips it. */
bool pl_json(struct pylit *l, struct buf *out);

/* Appends the text of a PL_STR, its escapes resolved (to UTF-8). */
void pl_text(const struct pl_atom *a, struct buf *out);

/* A line that is a Python dict: its values by key. */
struct pyrow { /* zeroed; views into the line */
	struct pyrow_item {
		struct mview key, value; /* as written */
	} * v;
	size_t n, cap;
};

/* Reads a line; false if it is not a complete dict. */
bool pyrow_read(struct pyrow *r, const char *s, size_t n);

/* The value, unchanged; s is NULL if there is no such key. */
struct mview pyrow_get(const struct pyrow *r, const char *key);

/* False if there is none, or it has another type. */
bool pyrow_i64(const struct pyrow *r, const char *key, int64_t *v);
bool pyrow_str(const struct pyrow *r, const char *key, struct buf *out);

/* Walks over a list or tuple of texts or numbers:
 *	pyrow_list(&l, value);
 *	while (pyrow_item(&l, &a)) ... pl_text(&a, &buf)
 * An item that is neither ends the walk, and l.bad is set. */
void pyrow_list(struct pylit *l, struct mview value);
bool pyrow_item(struct pylit *l, struct pl_atom *a);
