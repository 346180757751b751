/*
 * dlp-expose: how much of the memory copies no kernel hides.
 *
 * A device's time is put in order behind the launches. Copies of a kind, from
 * one memory to another, are a group; where they overlap, the time counts for
 * one of them, so that the sum over a group is the length of its union.
 */
#include <stdlib.h>

#include "array.h"
#include "cli.h"
#include "map.h"
#include "num.h"
#include "stage.h"
#include "timeline.h"

/* The columns that the record of a copy has from the copy itself, after its
 * own. The last is only there where the file has a name. */
#define COPY_COLS(col)                                                         \
	col(dev), col(stream), col(kind), col(src_mem), col(dst_mem),          \
	    col(bytes), col(iter), col(phase), col(layer), col(op), col(api),  \
	    col(pid), col(tid), col(src)

enum { KERNEL, COPY }; /* kinds of work in the timeline; graphs are kernels */

struct transfer {     /* a kernel, or a copy until its record is written */
	bool is_copy; /* of a kernel nothing else is known */
	uint32_t group;
	int64_t union_ns, exposed_ns;
	struct buf head, rest;        /* fields before and after these two */
	struct transfer *next, *prev; /* in its group; free ones */
};

struct expose_dev {
	struct timeline time;
	struct transfer **first; /* by group: the copies that go on */
	size_t n_group;
	bool named; /* the file has a name: column src */
};

struct expose {
	struct expose_dev *dev;
	size_t n_dev;
	struct smap devs, groups; /* "src\tdev"; "kind\tsrc_mem\tdst_mem" */
	struct transfer *spare;
	struct buf key;
	int64_t now; /* ns; what comes later is launched later */
	struct launches launches;
	struct out_src_type xfer;
};

/* Second in its group: the first one goes on to count. */
static void
begin_copy(struct expose_dev *d, struct transfer *j)
{
	struct transfer *f;

	ARRAY_REACH(d->first, d->n_group, j->group);
	f = d->first[j->group];
	if (f == NULL) {
		d->first[j->group] = j;
		return;
	}
	j->prev = f;
	j->next = f->next;
	if (f->next != NULL)
		f->next->prev = j;
	f->next = j;
}

static void
end_copy(struct expose *x, struct expose_dev *d, struct transfer *j)
{
#define NAME(col) #col
	static const char *const names[] = { "id", "start_ns", "dur_ns", "gb_s",
		"union_ns", "exposed_ns", COPY_COLS(NAME) };

	if (j->prev != NULL)
		j->prev->next = j->next;
	else
		d->first[j->group] = j->next;
	if (j->next != NULL)
		j->next->prev = j->prev;
	out_rec_src(&x->xfer, "xfer", names, ARRAY_LEN(names), d->named);
	buf_put(&out_buf, j->head.s, j->head.len);
	out_i64(j->union_ns);
	out_i64(j->exposed_ns);
	buf_put(&out_buf, j->rest.s, j->rest.len);
	out_end();
}

/* The device's time goes on to t. A piece of it counts for the first copy of
 * each group. */
static void
advance_device(struct expose *x, struct expose_dev *d, int64_t t)
{
	struct timeline_piece p;
	struct transfer *j;
	int64_t ns;
	size_t i;

	while (timeline_next(&d->time, t, &p)) {
		ns = num_sub(p.hi, p.lo);
		for (i = 0; i < d->n_group; i++) {
			j = d->first[i];
			if (j == NULL)
				continue;
			j->union_ns += ns;
			if ((p.mask & 1u << KERNEL) == 0)
				j->exposed_ns += ns;
		}
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

static void
fill_copy(
    struct expose *x, const struct rec *r, struct transfer *j, int64_t dur)
{
#define ID(col) COL_##col
	static const int kept[] = { COPY_COLS(ID) };
	size_t i, n = ARRAY_LEN(kept) - (rec_get(r, COL_src).s == NULL);
	int64_t bytes;

	buf_clear(&x->key);
	rec_add_raw(&x->key, r, COL_kind);
	rec_add_raw(&x->key, r, COL_src_mem);
	rec_add_raw(&x->key, r, COL_dst_mem);
	j->group = smap_put(&x->groups, x->key.s, x->key.len, NULL);
	rec_add_raw(&j->head, r, COL_id);
	rec_add_raw(&j->head, r, COL_start_ns);
	rec_add_raw(&j->head, r, COL_dur_ns);
	buf_putc(&j->head, '\t');
	if (dur > 0 && rec_num(r, COL_bytes, &bytes))
		buf_f64(&j->head, (double)bytes / (double)dur, 3);
	else
		buf_putc(&j->head, '-');
	for (i = 0; i < n; i++)
		rec_add_raw(&j->rest, r, kept[i]);
}

static void
read_transfer(struct stage *st, struct rec *r)
{
	struct expose *x = st->ctx;
	struct expose_dev *d;
	struct transfer *j = x->spare;
	int64_t start, dur, now;
	bool has_dur, fresh;
	uint32_t i;

	stage_pass(st, r);
	if (!rec_num(r, COL_start_ns, &start))
		return;
	has_dur = rec_length(r, COL_dur_ns, &dur);
	now = rec_num_or(r, COL_api_start_ns, start);
	x->now = now > x->now ? now : x->now;
	if (!has_dur)
		return;
	buf_clear(&x->key);
	rec_add_raw(&x->key, r, COL_src);
	rec_add_raw(&x->key, r, COL_dev);
	i = smap_put(&x->devs, x->key.s, x->key.len, &fresh);
	if (fresh) {
		ARRAY_REACH(x->dev, x->n_dev, i);
		timeline_init(&x->dev[i].time);
		x->dev[i].time.uncut = true;
	}
	x->dev[i].named = rec_get(r, COL_src).s != NULL;
	d = &x->dev[i];
	if (j != NULL) {
		x->spare = j->next;
		buf_clear(&j->head);
		buf_clear(&j->rest);
		j->next = j->prev = NULL;
		j->union_ns = j->exposed_ns = 0;
	} else {
		j = xcalloc(1, sizeof(*j));
	}
	j->is_copy = rec_arg(r) != NULL;
	if (j->is_copy)
		fill_copy(x, r, j, dur);
	advance_device(x, d, launches_put(&x->launches, x->now));
	timeline_add(&d->time, start, num_add(start, dur),
	    j->is_copy ? COPY : KERNEL, j);
}

static void
forget_devices(struct stage *st)
{
	struct expose *x = st->ctx;
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
	launches_free(&x->launches);
	while ((j = x->spare) != NULL) {
		x->spare = j->next;
		buf_free(&j->head);
		buf_free(&j->rest);
		free(j);
	}
	*x = (struct expose){ .now = INT64_MIN, .xfer = x->xfer };
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

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "expose_started_early", NULL };
	struct expose x = { 0 };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-expose", NULL, argc, argv);
	st.ctx = &x;
	st.section = forget_devices;
	st.end = finish_devices;
	stage_on(&st, "kern graph", read_transfer, .need = "start_ns dur_ns",
	    .opt = "api_start_ns src dev");
	stage_on(&st, "copy", read_transfer, .need = "start_ns dur_ns",
	    .opt = "api_start_ns src dev id stream kind src_mem dst_mem bytes"
		   " iter phase layer op api pid tid",
	    .arg = &x); /* any: it is a copy */
	stage_anew(&st, notes);
	rc = stage_run(&st);
	forget_devices(&st);
	return out_finish(rc);
}
