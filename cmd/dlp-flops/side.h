/*
 * Files that a compiler wrote about its kernels: XLA's HLO text (hlo.c) and
 * Inductor's output code (inductor.c). Both become facts by the kernels' names.
 */
#pragma once

#include "buf.h"
#include "kern_work.h"
#include "map.h"

#define SIDE_ARGS 64

struct side_arg {     /* an argument of a kernel */
	int size;     /* bytes of an element; 0: a number */
	int n_access; /* loads and stores of it in the code */
};

struct side_fact {  /* texts are escaped and NUL-terminated; NULL: unknown */
	char *prim; /* the ops and the sizes of their operands */
	char *line; /* FILE:LINE of the program */
	const char *dir;                /* fprop, bprop */
	int64_t flop, bytes;            /* -1: unknown */
	enum dtype dt;                  /* of a product */
	enum family family;             /* FAM_NONE: the kernel's own rules */
	struct side_arg arg[SIDE_ARGS]; /* of Inductor's kernels */
	int n_arg;                      /* 0: unknown */
	int64_t numel;                  /* elements that the kernel works on */
	bool each; /* false: the first kernel of a run has all the work */
};

struct side {
	struct smap names; /* of kernels, all but letters and digits as _ */
	struct side_fact *v;
	size_t n, cap;
	struct buf key;
};

/* The fact of a name, a new one if there is none; valid until the next. */
struct side_fact *side_put(struct side *s, const char *name, size_t n);

/* NULL if there is none. */
const struct side_fact *side_find(struct side *s, const char *name, size_t n);

/* Calls take with the text of the file, or of each file in the folder and its
 * folders whose name ends so; fatal if there is none or one cannot be read. */
void side_files(struct side *s, const char *path, const char *ending,
    void (*take)(struct side *s, const char *path, struct buf *text));

/* The next line of a text, without its end, which *rest then is after; false at
 * its end. */
bool side_line(struct mview *rest, struct mview *line);

/* The first byte in p..e that is one of stop, or that is no blank; or e. */
const char *side_until(const char *p, const char *e, const char *stop);
const char *side_blanks(const char *p, const char *e);

/* Options of the command: to is a struct side. */
void side_hlo(void *to, const char *path);
void side_inductor(void *to, const char *path);
