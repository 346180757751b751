/* The reader's insides, for rec.c and rec_field.c only. */
#ifndef DLP_REC_IMPL_H
#define DLP_REC_IMPL_H

#include "rec.h"

#define REC_TAG_SLOTS 64

struct rec_reader {
	const char *name;
	int fd;
	char *buf;
	size_t pos, len, cap; /* pos: first byte behind the current line */
	bool eof;
	uint64_t lineno;
	uint64_t n_rec;      /* of the section, so far */
	uint64_t lost, more; /* than ##end says */
	bool in_section, complete, fragment, quiet;
	struct rec_type **types;
	int ntypes;
	struct rec_type *slot[REC_TAG_SLOTS];
	/* the fields of the current record: field[i] is the first byte of
	 * field i, field[i + 1] - 1 its end */
	const char **field;
	int field_cap;
	int nsplit; /* -1: not split yet */
};

#endif
