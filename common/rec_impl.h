/* The reader's internals, for rec.c, rec_section.c and rec_field.c only. */
#ifndef DLP_REC_IMPL_H
#define DLP_REC_IMPL_H

#include "rec.h"

#define REC_TAG_SLOTS 64

struct rec_reader {
	const char *name;
	int fd;
	char *buf;
	size_t pos, len, cap; /* pos: first byte after the current line */
	bool eof;
	uint64_t lineno;
	uint64_t n_rec;      /* of the section so far */
	uint64_t lost, more; /* than ##end says */
	bool in_section, complete, fragment, quiet;
	struct rec_type **types;
	int ntypes;
	struct rec_type *slot[REC_TAG_SLOTS];
	struct rec_fields fields;
	int field_cap;
};

/* rec_section.c; violations are fatal. */

/* Fatal if the input begins like another kind of file. */
void rec_check_magic(const struct rec_reader *rd, const char *s, size_t n);

/* The first line of an input, which may make it a fragment. */
void rec_first_line(struct rec_reader *rd, const struct rec *r);

/* A ##word line: a section begins or ends, or r->kind is REC_META. */
void rec_meta_line(struct rec_reader *rd, struct rec *r);

/* At the first record after a legend: fatal if a needed column is missing. */
void rec_check_legend(struct rec_type *t, const struct rec *r);

#endif
