/* A text file or pipe, line by line. */
#pragma once

#include <stdint.h>

#include "buf.h"

struct lines {
	const char *name; /* for messages */
	int fd;
	struct buf text; /* the bytes read; those from pos on have not been
			  * returned yet */
	size_t pos;
	uint64_t no; /* number of the line returned last, from 1 */
	bool eof;
};

/* path NULL or "-" is standard input. Fatal if the path cannot be opened, or is
 * a folder. */
void lines_open(struct lines *l, const char *path);

/* The same for an open file, called name; the reader closes it. */
void lines_fd(struct lines *l, const char *name, int fd);

/* The next line without its end (LF or CR LF); a view that is valid until the
 * next call. False at the end of the input. */
bool lines_next(struct lines *l, const char **s, size_t *n);

void lines_close(struct lines *l);

/* Sets b to the contents of a file; false with errno if it cannot be opened. */
bool lines_all(struct buf *b, const char *path);
