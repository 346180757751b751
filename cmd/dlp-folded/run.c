/* See run.h. */
#include <stdlib.h>

#include "run.h"
#include "cols.h"
#include "err.h"
#include "frame.h"
#include "join.h"
#include "mview.h"
#include "num.h"

static struct type {
	struct rec_type *type;
	struct join_col **frame, *value; /* value NULL: each counts 1 */
	struct rec_col *iter;
} * types;

static const struct folded *opt;
static struct join join;
static struct smap stacks; /* val: the sum */
static uint64_t no_value;

/* What work is called; kernels have a name of their own. */
static const struct work {
	const char *tag, *before, *column;
} works[] = {
	{ "kern", "", "short" },
	{ "copy", "Memcpy ", "kind" },
	{ "set", "Memset", NULL },
	{ "graph", "Graph ", "graph" },
	{ "sync", "Wait ", "kind" },
	{ "call", "", "api" },
	{ "inst", "", "op" },
	{ NULL, NULL, NULL },
};

static const struct work *
work_of(const struct rec_type *t)
{
	const struct work *w;

	for (w = works; w->tag != NULL; w++)
		if (strcmp(w->tag, rec_type_tag(t)) == 0)
			return w;
	return NULL;
}

static struct type *
find(const struct rec_type *t)
{
	int i;

	for (i = 0; types[i].type != t;)
		i++;
	return &types[i];
}

static bool
is_path(const char *column)
{
	return strcmp(column, "layer") == 0 ||
	       strcmp(column, "op.layer") == 0 ||
	       strcmp(column, "op.name") == 0;
}

static void
put_frame(struct buf *stack, const struct rec *r, struct type *t, int i)
{
	static struct buf name;
	const struct work *w = NULL;
	const char *s = NULL;
	size_t n = 0;

	if (t->frame[i] != NULL)
		s = join_raw(&join, r, t->frame[i], &n);
	if (strcmp(opt->frames[i], "work") == 0)
		w = work_of(t->type);
	buf_clear(&name);
	if (w != NULL)
		buf_puts(&name, w->before);
	if (s != NULL)
		buf_put(&name, s, n);
	if (name.len > 0)
		frame_put(stack, name.s, name.len, is_path(opt->frames[i]));
}

/* False if it is not known. */
static bool
value_of(const struct rec *r, struct type *t, int64_t *v)
{
	const char *s;
	size_t n;

	*v = 1;
	if (t->value == NULL)
		return true;
	s = join_raw(&join, r, t->value, &n);
	if (s == NULL)
		return false;
	if (!num_i64(s, n, v))
		rec_die(r, "%s: no integer: '%.*s'", opt->value, (int)n, s);
	return true;
}

static void
on_data(struct stage *st, struct rec *r)
{
	static struct buf stack;
	struct type *t = find(r->type);
	uint32_t id;
	int64_t v;
	size_t n;
	int i;

	(void)st;
	if (opt->iter_only && rec_raw(r, t->iter, &n) == NULL)
		return;
	if (!value_of(r, t, &v) || v < 0) {
		no_value++;
		return;
	}
	buf_clear(&stack);
	for (i = 0; i < opt->nframes; i++)
		put_frame(&stack, r, t, i);
	if (stack.len == 0)
		buf_puts(&stack, "(unknown)");
	frame_finish(&stack);
	id = smap_put(&stacks, stack.s, stack.len, NULL);
	stacks.val[id] = (uint64_t)num_add((int64_t)stacks.val[id], v);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct type *t = find(r->type);
	int i;

	(void)st;
	for (i = 0; i < opt->nframes; i++)
		if (t->frame[i] != NULL)
			join_legend(t->frame[i]);
	if (t->value != NULL)
		join_legend(t->value);
}

static void
on_op(struct stage *st, struct rec *r)
{
	(void)st;
	join_op(&join, r);
}

static void
on_str(struct stage *st, struct rec *r)
{
	(void)st;
	join_str(&join, r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	join_section(&join);
}

static struct join_col *
frame_col(struct type *t, const char *name)
{
	const struct work *w = work_of(t->type);

	if (strcmp(name, "work") != 0)
		return join_col(&join, t->type, name);
	if (w == NULL)
		die("-f: records of type %s have no work",
		    rec_type_tag(t->type));
	return w->column == NULL ? NULL : join_col(&join, t->type, w->column);
}

static void
listen(struct stage *st)
{
	struct type *t;
	int i, k;

	types = xcalloc((size_t)opt->ntypes + 1, sizeof(*types));
	for (i = 0; i < opt->ntypes; i++) {
		t = &types[i];
		if (type_find(opt->types[i]) == NULL)
			type_die("-T", opt->types[i]);
		t->type = stage_on(st, opt->types[i], on_data, on_legend, NULL);
		t->frame = xcalloc((size_t)opt->nframes, sizeof(*t->frame));
		for (k = 0; k < opt->nframes; k++)
			t->frame[k] = frame_col(t, opt->frames[k]);
		if (strcmp(opt->value, "count") != 0)
			t->value = join_col(&join, t->type, opt->value);
		if (opt->iter_only)
			t->iter = rec_col(t->type, "iter", REC_NEED);
	}
	stage_on(st, "op", on_op, NULL, NULL);
	stage_on(st, "str", on_str, NULL, NULL);
}

static void
print(void)
{
	const char *s;
	uint32_t i;
	size_t n;

	for (i = 0; i < stacks.n; i++) {
		if (stacks.val[i] == 0)
			continue; /* no width */
		s = smap_str(&stacks, i, &n);
		buf_put(&out_buf, s, n);
		buf_putc(&out_buf, ' ');
		buf_u64(&out_buf, stacks.val[i]);
		buf_putc(&out_buf, '\n');
		out_check();
	}
}

int
folded_run(struct stage *st, const struct folded *f)
{
	int rc;

	opt = f;
	join_init(&join, st->rd);
	listen(st);
	st->section = on_section;
	rc = stage_run(st);
	print();
	if (no_value > 0)
		warn("records without %s that are left out: %llu", f->value,
		    (unsigned long long)no_value);
	if (stacks.n == 0 && rc == EXIT_OK)
		warn("no records of these types in the input");
	join_warn(&join);
	smap_free(&stacks);
	join_free(&join);
	return rc;
}
