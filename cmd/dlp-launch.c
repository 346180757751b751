/*
 * dlp-launch: how long work waited in the queue of its device after it was
 * launched, and how long that queue was. Records come in the order of their
 * calls, so that a heap of the starts of work that waits is the queue.
 */
#include <stdlib.h>

#include "array.h"
#include "buf.h"
#include "out.h"
#include "stage.h"
#include "timeheap.h"
#include "workrec.h"

static const char usage[] = "usage: dlp-launch [-u] [file]\n"
			    "Adds to work of a dlp stream how long it waited "
			    "after its launch, and how\n"
			    "much other work waited then.\n"
			    "  -u, --unbuffered  write each record at once\n"
			    "  -h, --help        print this and exit\n"
			    "  -V, --version     print the version and exit\n";

#define QUEUE (1 << 20) /* work in a longer queue is not counted */

struct launch_type {
	struct workrec_cols cols;
	struct out_ext *ext;
};

struct launch_waits {
	struct launch_type type[4];
	struct smap devs; /* file and device; their number in queue */
	struct timeheap *queue;
	size_t cap;
	struct buf key;
};

static void
launch_legend(struct stage *st, struct rec *r)
{
	struct launch_type *t = rec_arg(r);

	(void)st;
	out_ext_legend(t->ext, r);
}

/* The queue of the device that a record names. */
static struct timeheap *
queue_of(struct launch_waits *l, const struct workrec *w)
{
	uint32_t id;
	bool is_new;

	buf_clear(&l->key);
	buf_i64(&l->key, w->dev);
	buf_putc(&l->key, '\t');
	buf_put(&l->key, w->src.s != NULL ? w->src.s : "", w->src.n);
	id = smap_put(&l->devs, l->key.s, l->key.len, &is_new);
	if (is_new) {
		ARRAY_GROW(l->queue, id, l->cap);
		l->queue[id] = (struct timeheap){ 0 };
	}
	return &l->queue[id];
}

static void
launch_work(struct stage *st, struct rec *r)
{
	struct launch_waits *l = st->ctx;
	struct launch_type *t = rec_arg(r);
	struct timeheap *q;
	struct workrec w;
	int64_t queued = 0, waited = 0;
	bool has_wait;

	workrec_read(&w, &t->cols, r);
	if (w.has_start && w.has_api && w.has_dev) {
		q = queue_of(l, &w);
		while (q->n > 0 && q->v[0].at <= w.api)
			timeheap_pop(q);
		queued = (int64_t)q->n;
		if (q->n < QUEUE)
			timeheap_push(q, (struct timed){ .at = w.start });
	}
	has_wait = w.has_start && w.has_api_dur &&
		   !__builtin_sub_overflow(w.start, w.api_end, &waited);
	out_ext_begin(t->ext, r);
	out_opt(has_wait, waited);
	out_opt(
	    w.has_start && w.has_api && w.has_dev && queued < QUEUE, queued);
	out_ext_end(t->ext, r);
}

static void
forget_launch(struct stage *st)
{
	struct launch_waits *l = st->ctx;
	size_t i;

	for (i = 0; i < l->devs.n; i++)
		timeheap_free(&l->queue[i]);
	smap_clear(&l->devs);
}

int
main(int argc, char **argv)
{
	static const char *const tags[] = { "kern", "copy", "set", "graph" };
	static const char *const added[] = { "queue_ns", "n_queued" };
	struct launch_waits l = { 0 };
	struct stage st;
	size_t i;
	int rc;

	stage_start(&st, "dlp-launch", usage, NULL, argc, argv);
	st.ctx = &l;
	st.section = forget_launch;
	for (i = 0; i < ARRAY_LEN(tags); i++) {
		l.type[i].ext = out_ext(added, ARRAY_LEN(added));
		workrec_bind(&l.type[i].cols,
		    stage_on(
			&st, tags[i], launch_work, launch_legend, &l.type[i]),
		    WORKREC_START, WORKREC_CALL | WORKREC_DEV | WORKREC_SRC);
	}
	rc = stage_run(&st);
	forget_launch(&st);
	smap_free(&l.devs);
	free(l.queue);
	buf_free(&l.key);
	return out_finish(rc);
}
