/* The order of --sort. */
#include "agg_spec.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "num.h"

struct sort_item {
	const struct agg_sort *by;
	const struct sort_val *v;
	size_t no;
};

void
sort_parse(struct agg_sort *o, const char *arg)
{
	char **v;
	int i, n;

	v = cli_list(arg, &n);
	o->key = xrealloc(o->key, (size_t)o->n + (size_t)n, sizeof(*o->key));
	for (i = 0; i < n; i++) {
		bool sign = v[i][0] == '-' || v[i][0] == '+';

		if (v[i][sign] == '\0')
			die("--sort: empty column name");
		o->key[o->n++] = (struct sort_key){
			.name = v[i] + sign,
			.down = v[i][0] == '-',
			.group = -1,
			.stat = -1,
			.col = -1,
		};
	}
	/* the names follow v in memory */
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
	int c = k > 0 && x->s != y->s ? memcmp(x->s, y->s, k) : 0;

	return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

/* Unset comes last in both directions. */
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

int
sort_cmp(const struct agg_sort *o, const struct sort_val *x,
    const struct sort_val *y)
{
	int k, c = 0;

	for (k = 0; k < o->n && c == 0; k++)
		c = cmp_val(&x[k], &y[k], o->key[k].down);
	return c;
}

/* Packs a value: a byte for its kind, then a number's 8 bytes, or the 4 bytes
 * of a text's length and the text. This is short because it goes to disk with
 * each line. */
void
sort_pack(struct buf *b, const struct sort_val *v, int n)
{
	uint32_t len;
	int k;

	for (k = 0; k < n; k++) {
		buf_putc(b, (char)v[k].kind);
		if (v[k].kind == SORT_NUM)
			buf_put(b, (const char *)&v[k].d, sizeof(v[k].d));
		if (v[k].kind != SORT_TEXT)
			continue;
		if (v[k].n > UINT32_MAX)
			die("--sort: a value of 4 GB");
		len = (uint32_t)v[k].n;
		buf_put(b, (const char *)&len, sizeof(len));
		buf_put(b, v[k].s, v[k].n);
	}
}

/* Reads the value at s; returns the place after it. */
static const char *
unpack(const char *s, struct sort_val *v)
{
	uint32_t len;

	v->kind = (unsigned char)*s++;
	if (v->kind == SORT_NUM) {
		memcpy(&v->d, s, sizeof(v->d));
		s += sizeof(v->d);
	} else if (v->kind == SORT_TEXT) {
		memcpy(&len, s, sizeof(len));
		v->n = len;
		v->s = s + sizeof(len);
		s = v->s + len;
	}
	return s;
}

int
sort_cmp_packed(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	const struct agg_sort *o = ctx;
	struct sort_val x = { .s = NULL }, y = { .s = NULL };
	int k, c = 0;

	(void)an, (void)bn;
	for (k = 0; k < o->n && c == 0; k++) {
		a = unpack(a, &x);
		b = unpack(b, &y);
		c = cmp_val(&x, &y, o->key[k].down);
	}
	return c;
}

/* Equal items stay in the order of their arrival. */
static int
cmp_item(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;
	int c = sort_cmp(x->by, x->v, y->v);

	return c != 0 ? c : (x->no > y->no) - (x->no < y->no);
}

void
sort_items(
    const struct agg_sort *o, const struct sort_val *v, size_t n, size_t *idx)
{
	struct sort_item *item = xcalloc(n + 1, sizeof(*item));
	size_t i;

	for (i = 0; i < n; i++)
		item[i] = (struct sort_item){ o, v + i * (size_t)o->n, i };
	if (o->n > 0 && n > 1)
		qsort(item, n, sizeof(*item), cmp_item);
	for (i = 0; i < n; i++)
		idx[i] = item[i].no;
	free(item);
}
