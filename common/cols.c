/*
 * What is asked of the registry of record types and columns, whose tables are
 * made of columns.tab; see cols.h. The kind of a column's values is decided by
 * the registry if it knows the column, otherwise by the name; the values never
 * decide, so that a reader of JSON finds the same type in every row.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cols.h"
#include "err.h"
#include "map.h"
#include "mview.h"
#include "words.h"

const struct type_def *
type_find(const char *type)
{
	const struct type_def *t;

	for (t = type_defs; t->type != NULL; t++)
		if (strcmp(t->type, type) == 0)
			return t;
	return NULL;
}

const struct col_def *
col_find(const char *type, const char *name)
{
	const struct type_def *t = type_find(type);
	const struct col_def *c;

	if (t == NULL)
		return NULL;
	for (c = t->cols; c < t->cols + t->n_col; c++)
		if (c->name[0] == name[0] && strcmp(c->name, name) == 0)
			return c;
	for (c = cols_all; c->type != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

const char *
col_alias(const char *alias)
{
	const struct col_alias *a;

	for (a = col_aliases; a->alias != NULL; a++)
		if (strcmp(a->alias, alias) == 0)
			return a->name;
	return alias;
}

/* Names that the registry does not have; they live as long as the program. */
static struct smap more;

static int
by_text(const void *name, const void *at)
{
	return strcmp(name, *(const char *const *)at);
}

int
col_known(const char *name)
{
	const char *const *at =
	    bsearch(name, col_names, N_COLS, sizeof(*col_names), by_text);
	uint32_t no;

	if (at != NULL)
		return (int)(at - col_names);
	no = more.n > 0 ? smap_find(&more, name, strlen(name)) : SMAP_NONE;
	return no != SMAP_NONE ? N_COLS + (int)no : -1;
}

int
col_id(const char *name)
{
	int id = col_known(name);

	if (id >= 0)
		return id;
	return N_COLS + (int)smap_put(&more, name, strlen(name), NULL);
}

const char *
col_name(int id)
{
	size_t n;

	return id < N_COLS ? col_names[id]
			   : smap_str(&more, (uint32_t)(id - N_COLS), &n);
}

void
type_die(const char *opt, const char *tag)
{
	const struct type_def *t, *best = NULL;
	size_t least = strlen(tag) > 3 ? 3 : 2, d;
	struct buf b = { 0 };

	for (t = type_defs; t->type != NULL; t++) {
		buf_puts(&b, t == type_defs ? "" : ", ");
		buf_puts(&b, t->type);
		if (strlen(t->type) > NEAR_LONGEST)
			continue;
		d = near_distance(tag, t->type);
		if (d < least) {
			best = t;
			least = d;
		}
	}
	if (best != NULL)
		die("%s: no record type '%s' is known or in the input; '%s'"
		    " is",
		    opt, tag, best->type);
	die("%s: no record type '%s' is known or in the input; known are %s",
	    opt, tag, buf_str(&b));
}

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
	/* p50_dur_ns, p99.9_dur_ns */
	n = name[0] == 'p' ? strspn(name + 1, "0123456789.") : 0;
	if (n > 0 && name[1 + n] == '_')
		return COL_NUM;
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (has_suffix(name, suffixes[i]))
			return COL_NUM;
	return COL_TEXT;
}

enum col_kind
kind_of(const char *type, const char *name)
{
	const struct col_def *d = col_find(type, name);

	if (strncmp(name, "op.", 3) == 0 ||
	    (d == NULL && strncmp(name, "op_", 3) == 0 && !find_any(name)))
		d = col_find("op", name + 3);
	if (d == NULL)
		d = col_find(type, col_alias(name));
	if (d == NULL)
		d = find_any(name);
	if (d == NULL)
		d = find_any(col_alias(name));
	if (d == NULL)
		return by_name(name);
	/* ids are numbers; the text of NAME_id is requested as NAME */
	return d->kind == COL_STR ? COL_INT : d->kind;
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
		"gemm_fused", "conv", "conv_fused", "attention", "moe", "rnn" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(products); i++)
		if (text_is(family, n, products[i]))
			return true;
	return false;
}
