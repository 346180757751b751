/*
 * dlp-expose: how much of the memory copies no kernel hides.
 *
 * A device's time is put in order behind the launches: what is launched from
 * now on should begin later, but where clocks differ it can begin earlier, so
 * time goes on as far as now was some launches ago. Copies of a kind, from
 * one memory to another, are a group; where they overlap, the time counts for
 * one of them, so that the sum over a group is the length of its union.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "map.h"
#include "num.h"
#include "stage.h"
#include "timeline.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-expose [-u] [file]\n"
    "Adds xfer records to a dlp stream: how much of the time of each memory\n"
    "copy is not hidden by kernels.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

/* The columns that the record of a copy has from the copy itself, after its
 * own. The last is only there where the file has a name. */
#define COPY_COLS                                                              \
	"dev", "stream", "kind", "src_mem", "dst_mem", "bytes", "iter",        \
	    "phase", "layer", "op", "api", "pid", "tid", "src"
static const char *const copy_cols[] = { COPY_COLS };

#define BEHIND 4096 /* launches */

enum { KERNEL, COPY }; /* kinds of work in the timeline; graphs are kernels */

struct transfer {     /* a kernel, or a copy until its record is written */
	bool is_copy; /* of a kernel nothing else is known */
	uint32_t group;
	int64_t dur, union_ns, exposed_ns;
	struct buf head, rest;        /* fields before and after these two */
	struct transfer *next, *prev; /* in its group; free ones */
};

struct expose_dev {
	struct timeline time;
	struct transfer **first; /* by group: the copies that go on */
	size_t n_group;
	bool named; /* the file has a name: column src */
};

struct expose_type {
	bool is_copy;
	struct workrec_cols cols;
	struct rec_col *dev; /* as text */
	/* of copies */
	struct rec_col *id, *kind, *src_mem, *dst_mem, *bytes;
	struct rec_col *kept[ARRAY_LEN(copy_cols)];
};

struct expose {
	struct expose_type kern, graph, copy;
	struct expose_dev *dev;
	size_t n_dev;
	struct smap devs, groups; /* "src\tdev"; "kind\tsrc_mem\tdst_mem" */
	struct transfer *spare;
	struct buf key;
	int64_t now;       /* ns; what comes later is launched later */
	int64_t *past_now; /* the same at each of the last launches, a ring */
	size_t n_launch;
	struct out_src_type xfer;
};

static void
add_field(struct buf *b, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	buf_putc(b, '\t');
	if (s != NULL)
		buf_put(b, s, n);
	else
		buf_putc(b, '-');
}

static struct expose_dev *
device_of(struct expose *x, const struct rec *r, const struct expose_type *k,
    const struct workrec *w)
{
	struct expose_dev *d;
	bool fresh;
	uint32_t i;

	buf_clear(&x->key);
	add_field(&x->key, r, k->cols.src);
	add_field(&x->key, r, k->dev);
	i = smap_put(&x->devs, x->key.s, x->key.len, &fresh);
	if (fresh) {
		x->dev = xrealloc(x->dev, ++x->n_dev, sizeof(*x->dev));
		memset(&x->dev[i], 0, sizeof(*x->dev));
		timeline_init(&x->dev[i].time);
		x->dev[i].time.uncut = true;
	}
	d = &x->dev[i];
	d->named = w->src.s != NULL;
	return d;
}

static struct transfer *
new_transfer(struct expose *x)
{
	struct transfer *j = x->spare;

	if (j == NULL)
		return xcalloc(1, sizeof(*j));
	x->spare = j->next;
	buf_clear(&j->head);
	buf_clear(&j->rest);
	j->next = j->prev = NULL;
	j->union_ns = j->exposed_ns = 0;
	return j;
}

/* A piece of time counts for the first copy of each group. */
static void
pass_time(struct expose_dev *d, const struct timeline_piece *p)
{
	int64_t ns = num_sub(p->hi, p->lo);
	struct transfer *j;
	size_t i;

	for (i = 0; i < d->n_group; i++) {
		j = d->first[i];
		if (j == NULL)
			continue;
		j->union_ns += ns;
		if ((p->mask & 1u << KERNEL) == 0)
			j->exposed_ns += ns;
	}
}

static struct transfer **
first_of_group(struct expose_dev *d, uint32_t no)
{
	if (no >= d->n_group) {
		d->first =
		    xrealloc(d->first, no + 1, sizeof(struct transfer *));
		while (d->n_group <= no)
			d->first[d->n_group++] = NULL;
	}
	return &d->first[no];
}

/* Second in its group: the first one goes on to count. */
static void
begin_copy(struct expose_dev *d, struct transfer *j)
{
	struct transfer **first = first_of_group(d, j->group), *f = *first;

	if (f == NULL) {
		*first = j;
		return;
	}
	j->prev = f;
	j->next = f->next;
	if (f->next != NULL)
		f->next->prev = j;
	f->next = j;
}

static void
put_copy(struct expose *x, const struct transfer *j, bool has_src)
{
	static const char *const names[] = { "id", "start_ns", "dur_ns", "gb_s",
		"union_ns", "exposed_ns", COPY_COLS };

	out_rec_src(&x->xfer, "xfer", names, ARRAY_LEN(names), has_src);
	buf_put(&out_buf, j->head.s, j->head.len);
	out_i64(j->union_ns);
	out_i64(j->exposed_ns);
	buf_put(&out_buf, j->rest.s, j->rest.len);
	out_end();
}

static void
end_copy(struct expose *x, struct expose_dev *d, struct transfer *j)
{
	if (j->prev != NULL)
		j->prev->next = j->next;
	else
		d->first[j->group] = j->next;
	if (j->next != NULL)
		j->next->prev = j->prev;
	put_copy(x, j, d->named);
}

/* The device's time goes on to t. */
static void
advance_device(struct expose *x, struct expose_dev *d, int64_t t)
{
	struct timeline_piece p;
	struct transfer *j;

	while (timeline_next(&d->time, t, &p)) {
		pass_time(d, &p);
		j = p.what;
		if (p.then == TIMELINE_BEGINS && j->is_copy) {
			begin_copy(d, j);
		} else if (p.then == TIMELINE_ENDS) {
			if (j->is_copy)
				end_copy(x, d, j);
			j->next = x->spare;
			x->spare = j;
		}
	}
}

/* How far time has come: now is the newest launch. */
static int64_t
time_behind(struct expose *x)
{
	int64_t *now, t;

	if (x->past_now == NULL)
		x->past_now = xmalloc(BEHIND * sizeof(*x->past_now));
	now = &x->past_now[x->n_launch++ % BEHIND];
	t = x->n_launch > BEHIND ? *now : INT64_MIN;
	*now = x->now;
	return t;
}

static void
fill_copy(struct expose *x, const struct rec *r, const struct expose_type *k,
    struct transfer *j)
{
	int64_t bytes;
	size_t i, n = ARRAY_LEN(k->kept);

	buf_clear(&x->key);
	add_field(&x->key, r, k->kind);
	add_field(&x->key, r, k->src_mem);
	add_field(&x->key, r, k->dst_mem);
	j->group = smap_put(&x->groups, x->key.s, x->key.len, NULL);
	add_field(&j->head, r, k->id);
	add_field(&j->head, r, k->cols.start);
	add_field(&j->head, r, k->cols.dur);
	buf_putc(&j->head, '\t');
	if (j->dur > 0 && rec_i64(r, k->bytes, &bytes))
		buf_f64(&j->head, (double)bytes / (double)j->dur, 3);
	else
		buf_putc(&j->head, '-');
	n -= rec_view(r, k->cols.src).s == NULL;
	for (i = 0; i < n; i++)
		add_field(&j->rest, r, k->kept[i]);
}

static void
read_transfer(struct stage *st, struct rec *r)
{
	struct expose *x = st->ctx;
	const struct expose_type *k = rec_arg(r);
	struct expose_dev *d;
	struct transfer *j;
	struct workrec w;
	int64_t now;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	if (!w.has_start)
		return;
	now = w.has_api ? w.api : w.start;
	if (now > x->now)
		x->now = now;
	if (!w.has_dur)
		return;
	d = device_of(x, r, k, &w);
	j = new_transfer(x);
	j->is_copy = k->is_copy;
	j->dur = num_sub(w.end, w.start);
	if (j->is_copy)
		fill_copy(x, r, k, j);
	advance_device(x, d, time_behind(x));
	timeline_add(&d->time, w.start, w.end, j->is_copy ? COPY : KERNEL, j);
}

static void
free_expose(struct expose *x)
{
	struct transfer *j;
	size_t i;

	for (i = 0; i < x->n_dev; i++) {
		timeline_free(&x->dev[i].time);
		free(x->dev[i].first);
	}
	free(x->dev);
	smap_free(&x->devs);
	smap_free(&x->groups);
	buf_free(&x->key);
	free(x->past_now);
	x->past_now = NULL;
	x->n_launch = 0;
	while ((j = x->spare) != NULL) {
		x->spare = j->next;
		buf_free(&j->head);
		buf_free(&j->rest);
		free(j);
	}
	x->dev = NULL;
	x->n_dev = 0;
}

static void
forget_devices(struct stage *st)
{
	struct expose *x = st->ctx;

	free_expose(x);
	x->now = INT64_MIN;
}

static void
finish_devices(struct stage *st)
{
	struct expose *x = st->ctx;
	uint64_t early = 0;
	size_t i;

	for (i = 0; i < x->n_dev; i++) {
		early += x->dev[i].time.early;
		advance_device(x, &x->dev[i], INT64_MAX);
	}
	stage_note("expose_started_early", early);
}

static void
listen_transfers(struct stage *st, const char *tag, struct expose_type *k)
{
	struct rec_type *t = stage_on(st, tag, read_transfer, NULL, k);
	size_t i;

	workrec_bind(
	    &k->cols, t, WORKREC_SPAN, WORKREC_API_START | WORKREC_SRC);
	k->dev = rec_col(t, "dev", REC_OPT);
	if (!k->is_copy)
		return;
	REC_COLS(t, REC_OPT, { &k->id, "id" }, { &k->kind, "kind" },
	    { &k->src_mem, "src_mem" }, { &k->dst_mem, "dst_mem" },
	    { &k->bytes, "bytes" });
	for (i = 0; i < ARRAY_LEN(copy_cols); i++)
		k->kept[i] = rec_col(t, copy_cols[i], REC_OPT);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "expose_started_early", NULL };
	struct expose x = { .copy.is_copy = true };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-expose", usage, NULL, argc, argv);
	st.ctx = &x;
	st.section = forget_devices;
	st.end = finish_devices;
	listen_transfers(&st, "kern", &x.kern);
	listen_transfers(&st, "graph", &x.graph);
	listen_transfers(&st, "copy", &x.copy);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	free_expose(&x);
	return out_finish(rc);
}
