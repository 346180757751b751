/*
 * dlp-launch: how long work waited in the queue of its device after it was
 * launched, and how long that queue was. Records come in the order of their
 * calls, so that a heap of the starts of work that waits is the queue.
 */
#include <stdlib.h>

#include "array.h"
#include "out.h"
#include "stage.h"
#include "timeheap.h"
#include "workrec.h"

#define QUEUE (1 << 20) /* work in a longer queue is not counted */

struct launch_waits {
	struct smap srcs, devs; /* files; file and device */
	struct timeheap *queue; /* by number in devs */
	size_t cap;
};

static void
launch_work(struct stage *st, struct rec *r)
{
	struct launch_waits *l = st->ctx;
	struct out_ext *ext = rec_arg(r);
	struct timeheap *q;
	struct workrec w;
	int64_t queued = 0, waited = 0;
	bool has_wait, in_queue, is_new;
	uint32_t id;

	work_read(&w, r);
	in_queue = w.has_start && w.has_api && w.has_dev;
	if (in_queue) {
		id = smap_put_pair(
		    &l->devs, smap_put_view(&l->srcs, w.src), w.dev, &is_new);
		if (is_new) {
			ARRAY_GROW(l->queue, id, l->cap);
			l->queue[id] = (struct timeheap){ 0 };
		}
		q = &l->queue[id];
		while (q->n > 0 && q->v[0].at <= w.api)
			timeheap_pop(q);
		queued = (int64_t)q->n;
		if (q->n < QUEUE)
			timeheap_push(q, (struct timed){ .at = w.start });
	}
	has_wait = w.has_start && w.has_api_dur &&
		   !__builtin_sub_overflow(w.start, w.api_end, &waited);
	out_ext_begin(ext, r);
	out_opt(has_wait, waited);
	out_opt(in_queue && queued < QUEUE, queued);
	out_ext_end(ext, r);
}

static void
forget_launch(struct stage *st)
{
	struct launch_waits *l = st->ctx;
	size_t i;

	for (i = 0; i < l->devs.n; i++)
		timeheap_free(&l->queue[i]);
	smap_clear(&l->devs);
	smap_clear(&l->srcs);
}

int
main(int argc, char **argv)
{
	static const char *const tags[] = { "kern", "copy", "set", "graph" };
	static const char *const added[] = { "queue_ns", "n_queued" };
	static struct launch_waits l;
	struct stage st;
	size_t i;
	int rc;

	stage_start(&st, "dlp-launch", NULL, argc, argv);
	st.ctx = &l;
	st.section = forget_launch;
	for (i = 0; i < ARRAY_LEN(tags); i++)
		stage_on(&st, tags[i], launch_work, .need = "start_ns",
		    .opt = "api_start_ns api_dur_ns dev src",
		    .ext = out_ext(added, ARRAY_LEN(added)));
	rc = stage_run(&st);
	forget_launch(&st);
	return out_finish(rc);
}
