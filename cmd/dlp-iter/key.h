/*
 * The key of an iteration: texts with their numbers dropped, and the table of
 * the frameworks' own step ranges.
 */
#ifndef ITER_KEY_H
#define ITER_KEY_H

#include "buf.h"

enum { STEP_RANGE = 1, STEP_CUT = 2 };

/* Appends text with its numbers dropped: "iteration 0" is "iteration". */
void key_norm(struct buf *b, const char *s, size_t n);

struct key {
	const char *arg; /* -k; NULL: none */
	bool exact, cut;
	bool dlprof; /* ops by name or DLProf's id only, before ranges */
	struct buf norm, tmp, text;
};

void key_init(struct key *k, const char *arg, bool exact, bool cut);

/* Whether a range's text is the key: 0, STEP_RANGE or STEP_CUT. */
int key_range(struct key *k, const char *s, size_t n);

/* The length of a range's text without what emit_nvtx puts behind it. */
size_t key_trim(const char *s, size_t n);

/* Which row of the table of frameworks' own step ranges a text is, or -1. */
int key_own(struct key *k, const char *s, size_t n);
int key_own_count(void);
bool key_own_cuts(int row);
const char *key_own_text(int row);

/* Percent of the profile's time that a step range must cover to be taken
 * without being asked for. */
#define OWN_PCT 80

/* Numbered step ranges that are taken if they hold most of the GPU work. */
#define OWN_STEPS 3

#endif
