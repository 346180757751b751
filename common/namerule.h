/*
 * Ordered rules about names, from a text of lines:
 *
 *	# comment
 *	WORD... PATTERN		some words, then the pattern: the line's rest
 *		PATTERN		a line that begins with a blank goes on with it
 *	NAME = PATTERN		a name for a piece of pattern; $NAME stands
 *				for it in the rules after it
 *
 * The first rule whose pattern (pat.h) matches the lower-case name
 * decides. What the words mean is the caller's affair.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "pat.h"

#define NAMERULE_WORDS 16 /* the most words */

struct namerule {
	char *word[NAMERULE_WORDS];
	char *pat;
	struct pat_code code; /* of pat */
	unsigned line;        /* its line in the text, for messages */
	bool done;            /* private */
};

struct namerules {
	const char *file; /* for messages; not owned */
	struct namerule *v;
	size_t n, cap;
	int nwords;
	/* rules whose word JUDGE_SINCE is this do not count; NULL: all do */
	const char *without;
	struct namerule_def {
		char *name, *pat;
	} * def;
	size_t ndef;
};

/* Reads the rules of a text; names are the names of the words, for messages.
 * Bad lines are fatal: "FILE:LINE: what". file is kept, not copied. */
void namerules_parse(struct namerules *r, const char *file, const char *text,
    const char *const *names, int nwords);

/* The same for a file. Fatal if it cannot be read. */
void namerules_load(struct namerules *r, const char *path,
    const char *const *names, int nwords);

/* The rule that decides about a lower-case name of n bytes; NULL if there is
 * none. */
const struct namerule *namerules_find(
    const struct namerules *r, const char *name, size_t n);

void namerules_free(struct namerules *r);

/* Appends s[0..n) in lower case (ASCII). */
struct buf;
void name_lower(struct buf *b, const char *s, size_t n);

/*
 * Verdicts about names by a file of ordered rules, whose words are
 *
 *	ID VERDICT TYPE SINCE PATTERN
 *
 * VERDICT is yes, no or unknown; TYPE and SINCE can be -.
 */

enum ynu { YNU_UNKNOWN, YNU_NO, YNU_YES };

enum { JUDGE_ID, JUDGE_VERDICT, JUDGE_TYPE, JUDGE_SINCE, JUDGE_WORDS };

/* Reads the rules of the file, or those of the shipped file of that name if
 * path is NULL. Bad rules are fatal. path is kept, not copied. */
void judge_open(struct namerules *r, const char *path, const char *shipped);

/* YNU_UNKNOWN if u is NULL, because no rule decided. */
enum ynu judge_verdict(const struct namerule *u);

/* "yes", "no" or "unknown". */
const char *ynu_name(enum ynu v);
