/* What a device does, in the order in which it counts. */
#ifndef BUSY_CLASS_H
#define BUSY_CLASS_H

#include <stdbool.h>
#include <stddef.h>

enum class {
	C_TC,
	C_KERN,
	C_GRAPH,
	C_MEM,
	C_DATA,
	C_IO,
	C_CPU,
	C_OTHER, /* nothing of these */
	C_N
};

const char *class_word(enum class c);

/* Whether a range's text, or an op's type, is of a data loader. */
bool class_is_data(const char *s, size_t n);

/* Whether a function of the operating system reads or writes; dlprof: as
 * DLProf counts it. */
bool class_is_io(const char *s, size_t n, bool dlprof);

#endif
