/*
 * The launches of a thread as a sequence, and how two sequences are laid side
 * by side. A template holds launches whose ops are known. carry_align() finds
 * for each launch of another sequence its counterpart in the template.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "map.h"

enum carry_how {
	CARRY_NONE,
	CARRY_LOOSE, /* grid or block differ, or only the run of its op is sure:
		      * sizes are unknown */
	CARRY_NEAR,  /* these are equal, but not those of a launch nearby */
	CARRY_EXACT,
};

struct carry_launch {
	uint32_t name, geo; /* numbers of texts: type and short name; grid and
			     * block, or bytes */
	uint32_t ops;       /* number of its op's columns + 1; 0: no op */
	uint32_t plain;     /* number of the op whatever its sizes are */
	uint32_t run;       /* of the op; 0: unknown */
	uint32_t prim;      /* number of the product in it + 1; 0: none */
	uint32_t prim_run;
	uint32_t mate; /* place in the template + 1; 0: none */
	enum carry_how how;
};

struct carry_seq { /* zeroed: empty. May be in a file (spill.h) */
	struct carry_launch *v;
	size_t n, cap;
};

void seq_put(struct carry_seq *s, const struct carry_launch *x);

struct carry_template { /* zeroed: empty */
	struct carry_seq seq;
	struct map head; /* of some names in a row -> the last such place + 1 */
	uint32_t *next;  /* the place before it + 1 */
	uint64_t left_out; /* launches beyond what is kept */
};

/* Adds launches that follow each other on a thread. */
void template_add(
    struct carry_template *t, const struct carry_launch *v, size_t n);
void template_ready(struct carry_template *t); /* after the last one */
void template_free(struct carry_template *t);

/* Sets mate and how of v[from..to). What lies before and after it on the thread
 * only helps to find the place. */
void carry_align(const struct carry_template *t, struct carry_launch *v,
    size_t from, size_t to);
