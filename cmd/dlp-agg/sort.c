/* The order of --sort. */
#include <stdlib.h>

#include "agg.h"
#include "cli.h"
#include "err.h"
#include "num.h"

/* What qsort's comparison looks at. */
static const struct sort_val *vals;
static const struct sort_key *keys;
static int nkeys;

void
sort_parse(struct agg *a, char *arg)
{
	char **v;
	int i, n;

	v = cli_list(arg, &n);
	a->key =
	    xrealloc(a->key, (size_t)a->nkeys + (size_t)n, sizeof(*a->key));
	for (i = 0; i < n; i++) {
		bool sign = v[i][0] == '-' || v[i][0] == '+';

		if (v[i][sign] == '\0')
			die("--sort: empty column name");
		a->key[a->nkeys++] = (struct sort_key){
			.name = v[i] + sign,
			.down = v[i][0] == '-',
			.group = -1,
			.stat = -1,
			.col = -1,
		};
	}
	free(v);
}

struct sort_val
sort_value(const char *s, size_t n)
{
	struct sort_val v = { .s = s, .n = n, .kind = SORT_TEXT };
	int64_t i;

	if (s == NULL) {
		v.kind = SORT_UNSET;
	} else if (num_i64(s, n, &i)) {
		v.kind = SORT_NUM;
		v.d = (double)i;
	} else if (num_f64(s, n, &v.d)) {
		v.kind = SORT_NUM;
	}
	return v;
}

static int
cmp_text(const struct sort_val *x, const struct sort_val *y)
{
	size_t k = x->n < y->n ? x->n : y->n;
	int c = k > 0 ? memcmp(x->s, y->s, k) : 0;

	return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

/* Unset is last in either direction. */
static int
cmp_val(const struct sort_val *x, const struct sort_val *y, bool down)
{
	int c;

	if (x->kind == SORT_UNSET || y->kind == SORT_UNSET)
		return (x->kind == SORT_UNSET) - (y->kind == SORT_UNSET);
	if (x->kind != y->kind)
		c = x->kind == SORT_NUM ? -1 : 1;
	else if (x->kind == SORT_NUM)
		c = (x->d > y->d) - (x->d < y->d);
	else
		c = cmp_text(x, y);
	return down ? -c : c;
}

static int
cmp_item(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int k, c;

	for (k = 0; k < nkeys; k++) {
		c = cmp_val(&vals[x * (size_t)nkeys + (size_t)k],
		    &vals[y * (size_t)nkeys + (size_t)k], keys[k].down);
		if (c != 0)
			return c;
	}
	return (x > y) - (x < y); /* the order of arrival */
}

void
sort_items(const struct agg *a, const struct sort_val *v, size_t n, size_t *idx)
{
	size_t i;

	for (i = 0; i < n; i++)
		idx[i] = i;
	vals = v;
	keys = a->key;
	nkeys = a->nkeys;
	if (nkeys > 0 && n > 1)
		qsort(idx, n, sizeof(*idx), cmp_item);
}
