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
#ifndef DLP_PYLIT_H
#define DLP_PYLIT_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
