/* Units as ncu names them. */
#ifndef NCU_UNIT_H
#define NCU_UNIT_H

#include "buf.h"

struct unit {
	const char *name;   /* Mbyte */
	const char *suffix; /* of our columns: _bytes; "" for none */
	double scale;       /* to ours */
};

const struct unit *unit_find(const char *name); /* NULL: not known */

/* Appends a column's name: dram__bytes_read.sum in byte is
 * dram_bytes_read_sum_bytes, or what is made of it without saying bytes twice.
 */
void unit_column(struct buf *out, const char *metric, const char *unit);

/* Appends a value, thousands separators taken out, in our unit; false if it is
 * no number: nothing is appended. */
bool unit_value(struct buf *out, const char *value, const char *unit);

/* A number with thousands separators. */
bool unit_number(const char *value, double *v);

#endif
