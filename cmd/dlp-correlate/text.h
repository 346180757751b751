/* A text of the stream, escaped as it is there: ready to be written. */
#ifndef DLP_TEXT_H
#define DLP_TEXT_H

#include <stddef.h>

struct text { /* bytes owned by somebody else, or NULL */
	const char *s;
	size_t n;
};

#endif
