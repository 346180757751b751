/* What a thread can be doing while a GPU idles, and what is said of it. */
#ifndef GAPS_DID_H
#define GAPS_DID_H

#include <stdbool.h>
#include <stddef.h>

enum did { /* in the order in which they explain a gap */
	D_DATA,
	D_COMM,
	D_OVER,
	D_ALLOC,
	D_LOAD,
	D_SYNC,
	D_OS,
	D_API,
	D_OP,
	D_N /* nothing recorded */
};

/* How it is called, and the class of a gap that it explains. */
const char *did_word(enum did d);
const char *did_class(enum did d);

/* By the name of an API call; of a range or op: D_N if it is no loader's and
 * no communication's. */
enum did did_api(const char *s, size_t n);
enum did did_range(const char *s, size_t n);

/* By the name of an over record; D_N if nobody knows. */
enum did did_over(const char *s, size_t n);

#endif
