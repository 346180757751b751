/* An op: what runs of the same thing have in common. */
#ifndef DLP_OP_H
#define DLP_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

#define OP_NONE 0u /* ops are numbered from 1 */

enum op_field { /* texts of an op, by the columns of its record */
	OF_NAME,
	OF_MOD,
	OF_OP,
	OF_LAYER,
	OF_BY,
	OF_TEXT,
	OF_DTYPE,
	OF_SHAPES,
	OF_ARGS,
	OF_BWD_SHAPES,
	OF_STACK,
	OF_TRACE,
	OF_REPR,
	OF_DL_ID, /* of --dlprof */
	OF_DL_IN,
	OF_DL_OUT,
	OF_N
};

struct op {                /* one block of memory holds it and its texts */
	uint32_t id;       /* its place in the table, used again for another
			      if it is dropped */
	uint32_t no;       /* its number in the stream */
	uint32_t fwd_no;   /* of the forward op of a backward, or OP_NONE */
	bool bwd, none;    /* none: of unassociated work */
	bool marker;       /* told by an argument marker */
	bool once;         /* of a single run: dropped with it */
	const char *dl_tc; /* yes, no, NULL */
	struct text f[OF_N];
};

#endif
