/*
 * A small machine for pickles of Python that hold plain data: dicts, lists,
 * tuples, texts, numbers. It runs no code: opcodes that could are refused by
 * their names. It is fed piece by piece. Objects do not stay: whoever uses it
 * is told when something goes into a dict or a list, and says in a number what
 * is left of it. The memo has such numbers only, so that memory is small
 * beside the file, and loops of objects are no loops here.
 */
#pragma once

#include "buf.h"
#include "map.h"

enum pk_kind {
	PK_OTHER, /* None, a fraction, an object that did not stay */
	PK_NUM,
	PK_TEXT, /* num: a number in text */
	PK_LIST, /* num: a place in left */
	PK_DICT, /* the same */
	PK_TUPLE /* num: its first two numbers, PK_PAIR */
};

#define PK_PAIR(a, b) ((int64_t)(a) << 14 | (int64_t)(b))
#define PK_PAIR_MAX 0x3fff /* larger ones become this */

struct pk_val {
	enum pk_kind kind;
	int64_t num;
};

struct pickle {           /* zeroed, except these: */
	const char *name; /* for messages */
	/* A value of a dict, values of a list; at is the list's place in the
	 * stack. Whatever they do not remember in left is forgotten. */
	void (*set)(void *ctx, int64_t dict, uint32_t key, struct pk_val v);
	void (*append)(void *ctx, int64_t list, const struct pk_val *v,
	    size_t n, size_t at);
	void *ctx;

	/* what is left of lists and dicts; 0 at first */
	uint32_t *left;
	struct smap text;

	/* private */
	struct pickle_op {
		size_t arg; /* bytes of the number after it */
		char what;
		char name[24];
	} op[256];
	struct buf in;
	uint64_t at, skip, n_put;
	struct pk_val *stack;
	size_t n, cap, n_left, left_cap;
	size_t mark[64]; /* their places in the stack */
	int n_mark;
	uint32_t *memo;
	size_t n_memo, memo_cap;
	bool done;
};

/* The first bytes of a pickle: protocol 2 to 5. */
bool pickle_is(const unsigned char *s, size_t n);

/* Takes the next bytes. What is no such pickle is fatal, with one line. */
void pickle_feed(void *pickle, const unsigned char *s, size_t n);

/* There are no more. */
void pickle_end(struct pickle *p);

/* Which one the list at that place of the stack is among those of the list
 * around it, while its own values arrive. */
int64_t pickle_index(const struct pickle *p, size_t at);
