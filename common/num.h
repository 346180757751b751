/* Numbers in text, checked. */
#ifndef DLP_NUM_H
#define DLP_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole of s[0..n) as a decimal integer; false if it is none or does not
 * fit. */
bool num_i64(const char *s, size_t n, int64_t *v);
bool num_u64(const char *s, size_t n, uint64_t *v);

/* The whole of s[0..n) as a finite decimal number, in the C locale. */
bool num_f64(const char *s, size_t n, double *v);

/* The same with a unit behind it, which a blank may stand before: of times ns,
 * us, ms or s; of sizes B, KB, MB, GB, KiB, MiB or GiB. The value is in ns or
 * bytes; without a unit it is that already. */
enum num_unit { NUM_PLAIN, NUM_TIME, NUM_SIZE };
bool num_with_unit(const char *s, size_t n, enum num_unit kind, double *v);

/* The units' names, for messages: "ns, us, ms, s"; NULL for NUM_PLAIN. */
const char *num_units(enum num_unit kind);

/* a + b, held at the ends of the range instead of overflowing. */
static inline int64_t
num_add(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_add_overflow(a, b, &r))
		return r;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t
num_sub(int64_t a, int64_t b)
{
	int64_t r;

	if (!__builtin_sub_overflow(a, b, &r))
		return r;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

#endif
