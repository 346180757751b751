/*
 * The kind of a column's values. The registry decides if it knows the column,
 * otherwise the name; the values never do, so that a reader of JSON finds the
 * same type in every row.
 */
#include <string.h>

#include "array.h"
#include "cols.h"
#include "mview.h"

/* The names of statistics, whose values are numbers, or of the field's kind. */
static const struct {
	const char *prefix;
	bool like_field;
} stats[] = {
	{ "sum_", false },
	{ "mean_", false },
	{ "min_", false },
	{ "max_", false },
	{ "std_", false },
	{ "n_", false },
	{ "first_", true },
	{ "last_", true },
};

static const char *const suffixes[] = {
	"_ns",
	"_bytes",
	"_flop",
	"_pct",
	"_hz",
	"_id",
};

static bool
has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n > k && strcmp(s + n - k, suffix) == 0;
}

static const struct col_def *
find_any(const char *name)
{
	const struct col_def *c;

	for (c = col_defs; c->type != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* p50_dur_ns, p99.9_dur_ns */
static bool
is_percentile(const char *name)
{
	size_t n;

	if (name[0] != 'p')
		return false;
	n = strspn(name + 1, "0123456789.");
	return n > 0 && name[1 + n] == '_';
}

static enum col_kind
by_name(const char *name)
{
	size_t i, n;

	for (i = 0; i < sizeof(stats) / sizeof(stats[0]); i++) {
		n = strlen(stats[i].prefix);
		if (strncmp(name, stats[i].prefix, n) != 0)
			continue;
		return stats[i].like_field ? kind_of("agg", name + n) : COL_NUM;
	}
	if (is_percentile(name))
		return COL_NUM;
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (has_suffix(name, suffixes[i]))
			return COL_NUM;
	return COL_TEXT;
}

/* Ids are numbers; the text of NAME_id is requested as NAME. */
static enum col_kind
as_shown(enum col_kind k)
{
	return k == COL_STR ? COL_INT : k;
}

enum col_kind
kind_of(const char *type, const char *name)
{
	const struct col_def *d = col_find(type, name);

	if (strncmp(name, "op.", 3) == 0)
		d = col_find("op", name + 3);
	if (d == NULL)
		d = col_find(type, col_alias(name));
	if (d == NULL)
		d = find_any(name);
	if (d == NULL)
		d = find_any(col_alias(name));
	return d != NULL ? as_shown(d->kind) : by_name(name);
}

bool
kind_is_number(enum col_kind k)
{
	return k == COL_INT || k == COL_NUM;
}

enum num_unit
kind_unit(const char *name)
{
	if (has_suffix(name, "_ns"))
		return NUM_TIME;
	return strcmp(name, "bytes") == 0 || has_suffix(name, "_bytes")
		   ? NUM_SIZE
		   : NUM_PLAIN;
}

bool
kind_is_length(const char *name)
{
	return strcmp(name, "dur_ns") == 0 || has_suffix(name, "_dur_ns");
}

bool
kind_is_product(const char *family, size_t n)
{
	static const char *const products[] = { "gemm", "gemv", "gemm_int",
		"gemm_fused", "conv", "conv_fused", "attention", "rnn" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(products); i++)
		if (text_is(family, n, products[i]))
			return true;
	return false;
}
