/*
 * Patterns over lower-case names, the language of the rule files. Terms are
 * separated by blanks, and all must hold. A term is a list of alternatives
 * separated by |, one of which must occur in the name. A term that begins with
 * ! must not occur; one that begins with @ must occur in the function's own
 * name, not in its template and call arguments. In an alternative, # matches
 * one or more digits, and ^ at its beginning matches the beginning of the name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the pattern matches one lower-case name of n bytes. */
bool pat_match(const char *pat, const char *name, size_t n);

/*
 * A name that many patterns are tried on, as when a table of rules is searched.
 * The pairs of neighbouring bytes that occur in it are noted once; an
 * alternative with another pair is passed over without a search.
 */
struct pat_name {
	const char *s; /* lower case; not owned */
	size_t n;
	uint64_t pairs[64]; /* bit b % 64 of word a % 64: a, then b */
};

void pat_name_set(struct pat_name *p, const char *name, size_t n);

/* A pattern taken apart, for one that is tried on many names. */
struct pat_code {
	struct pat_alt *v; /* alternatives, term by term */
	size_t n, cap;
};

/* pat must live as long as code, which the caller frees with pat_free(). */
void pat_compile(struct pat_code *code, const char *pat);
void pat_free(struct pat_code *code);
bool pat_find_code(const struct pat_code *code, const struct pat_name *p);
