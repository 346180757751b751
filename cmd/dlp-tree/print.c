/* The tree as records; see print.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "out.h"
#include "print.h"

static const struct tree *printing; /* for qsort */

static int
by_path(const void *a, const void *b)
{
	return strcmp(smap_str(&printing->paths, *(const uint32_t *)a, NULL),
	    smap_str(&printing->paths, *(const uint32_t *)b, NULL));
}

static void
put_path(const struct tree *t, uint32_t i)
{
	size_t n;
	const char *s = smap_str(&t->paths, i, &n);

	out_raw(s, n);
}

static void
put_stats(const struct node *n)
{
	int m;

	for (m = 0; m < NMETRICS; m++) {
		const struct stat *s = &n->stat[m];

		out_i64(s->sum);
		buf_putc(&out_buf, '\t');
		buf_f64(&out_buf, (double)s->sum / (double)n->n_iter, 1);
		out_i64(s->min);
		out_i64(s->max);
	}
}

static void
put_node(const struct tree *t, struct out_type *group, uint32_t i)
{
	const struct node *n = &t->v[i];

	if (n->n_iter == 0) /* ops that did not run */
		return;
	out_rec(group);
	put_path(t, i);
	out_i64(n->level);
	if (i > 0)
		put_path(t, n->parent);
	else
		out_unset();
	out_i64((int64_t)n->n_call);
	out_i64((int64_t)n->n_op);
	out_i64((int64_t)n->n_eligible);
	out_i64((int64_t)n->n_tc);
	out_i64((int64_t)n->n_iter);
	put_stats(n);
	out_end();
}

void
print_tree(const struct tree *t)
{
	static struct out_type *group;
	uint32_t *idx = xcalloc(t->paths.n + 1, sizeof(*idx));
	uint32_t i;

	if (group == NULL)
		group = out_type_reg("group", "dlp-tree");
	for (i = 0; i < t->paths.n; i++)
		idx[i] = i;
	printing = t;
	qsort(idx, t->paths.n, sizeof(*idx), by_path);
	for (i = 0; i < t->paths.n; i++)
		put_node(t, group, idx[i]);
	free(idx);
}
