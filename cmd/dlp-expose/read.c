/* From records to copies and kernels, and back; see read.h. */
#include "read.h"

#include "expose.h"
#include "num.h"

enum type { T_KERN, T_GRAPH, T_COPY, T_N };

static const char *const tags[T_N] = { "kern", "graph", "copy" };

static const char *const kept[] = { JOB_KEPT };
#define N_KEPT ((int)(sizeof(kept) / sizeof(kept[0])))

static struct {
	struct expose *x;
	struct bind {
		struct rec_type *type;
		struct rec_col *start, *dur, *api_start, *dev, *src, *id;
		struct rec_col *kept[N_KEPT];
	} v[T_N];
	struct rec_col *kind, *src_mem, *dst_mem, *bytes;
} rd;

static void
add_field(struct buf *b, const struct rec *r, const struct rec_col *c)
{
	size_t n = 1;
	const char *s = rec_raw(r, c, &n);

	buf_putc(b, '\t');
	if (s != NULL)
		buf_put(b, s, n);
	else
		buf_putc(b, '-');
}

/* What tells devices, and kinds of copies, apart. */
static const char *
key(const struct rec *r, const struct rec_col *const *c, int n, size_t *len)
{
	static struct buf b;
	int i;

	buf_clear(&b);
	for (i = 0; i < n; i++)
		add_field(&b, r, c[i]);
	*len = b.len;
	return b.s;
}

static void
fill_copy(const struct bind *k, const struct rec *r, struct job *j)
{
	const struct rec_col *const c[] = { rd.kind, rd.src_mem, rd.dst_mem };
	int64_t bytes;
	size_t n;
	const char *s = key(r, c, 3, &n);
	int i;

	j->group = smap_put(&rd.x->groups, s, n, NULL);
	add_field(&j->head, r, k->id);
	add_field(&j->head, r, k->start);
	add_field(&j->head, r, k->dur);
	buf_putc(&j->head, '\t');
	if (j->dur > 0 && rec_i64(r, rd.bytes, &bytes))
		buf_f64(&j->head, (double)bytes / (double)j->dur, 3);
	else
		buf_putc(&j->head, '-');
	for (i = 0; i < N_KEPT - (rec_raw(r, k->src, &n) == NULL); i++)
		add_field(&j->rest, r, k->kept[i]);
}

static void
on_rec(struct stage *st, struct rec *r)
{
	const struct bind *k = &rd.v[0];
	const struct rec_col *c[2];
	struct job *j;
	struct dev *d;
	const char *s;
	int64_t start, dur, api;
	size_t n;

	stage_pass(st, r);
	while (k->type != r->type)
		k++;
	if (!rec_i64(r, k->start, &start))
		return;
	expose_now(rd.x, rec_i64(r, k->api_start, &api) ? api : start);
	if (!rec_i64(r, k->dur, &dur) || dur < 0)
		return;
	c[0] = k->src;
	c[1] = k->dev;
	s = key(r, c, 2, &n);
	d = expose_dev(rd.x, s, n);
	d->named = rec_raw(r, k->src, &n) != NULL;
	j = expose_job(rd.x);
	j->start = start;
	j->dur = dur;
	j->kern = k != &rd.v[T_COPY];
	if (!j->kern)
		fill_copy(k, r, j);
	expose_add(rd.x, d, j);
}

static void
bind_type(struct stage *st, enum type t)
{
	struct rec_type *x = stage_on(st, tags[t], on_rec, NULL, NULL);
	struct bind *k = &rd.v[t];
	int i;

	k->type = x;
	REC_COLS(x, REC_NEED, { &k->start, "start_ns" }, { &k->dur, "dur_ns" });
	REC_COLS(x, REC_OPT, { &k->api_start, "api_start_ns" },
	    { &k->dev, "dev" }, { &k->src, "src" }, { &k->id, "id" });
	for (i = 0; i < N_KEPT; i++)
		k->kept[i] = rec_col(x, kept[i], REC_OPT);
}

static void
on_section(struct stage *st)
{
	(void)st;
	expose_clear(rd.x);
}

static void
on_end(struct stage *st)
{
	(void)st;
	expose_end(rd.x);
}

void
read_open(struct expose *x, struct stage *st)
{
	enum type t;

	rd.x = x;
	for (t = 0; t < T_N; t++)
		bind_type(st, t);
	REC_COLS(rd.v[T_COPY].type, REC_OPT, { &rd.kind, "kind" },
	    { &rd.src_mem, "src_mem" }, { &rd.dst_mem, "dst_mem" },
	    { &rd.bytes, "bytes" });
	st->section = on_section;
	st->end = on_end;
}
