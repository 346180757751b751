/* Pieces of C++ names, as views into them. */
#ifndef DLP_PARSE_KERNNAME_SPAN_H
#define DLP_PARSE_KERNNAME_SPAN_H

#include <stdbool.h>
#include <stddef.h>

struct span {
	const char *s;
	size_t n;
};

struct span span_of(const char *text);
bool span_is(struct span a, const char *text);
bool span_starts(struct span a, const char *text);

/* The part of a behind the first place where word stands as a whole
 * identifier; n is 0 if there is none. */
struct span span_after(struct span a, const char *word);
bool span_has(struct span a, const char *text); /* anywhere */

/* a::b::Name<args>::more -> Name */
struct span span_base(struct span path);

/* The i-th template argument, from 0, of a name that may go on behind its
 * first '<'; n is 0 if there is none. Blanks around it are cut off. */
struct span span_arg(struct span name, int i);

/* The digits of 128, 128ul, (int)128, C<128>, C<(int)128>; -1: none. */
long span_number(struct span a);

#endif
