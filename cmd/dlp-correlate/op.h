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
	OF_N
};

struct op {               /* one block of memory holds it and its texts */
	uint32_t id, fwd; /* fwd: the forward op of a backward, or OP_NONE */
	bool bwd, none;   /* none: of unassociated work */
	bool marker;      /* told by an argument marker */
	struct text f[OF_N];
};

#endif
