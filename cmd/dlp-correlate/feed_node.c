/* Graph nodes of the stream to the engine. */
#include "corr.h"
#include "feed.h"
#include "feed_read.h"
#include "graph.h"

static struct { /* of graph nodes */
	struct rec_col *start, *pid, *tid, *node, *orig, *src;
} nd;

static void
on_node(struct stage *st, struct rec *r)
{
	struct corr *c = feed_corr(st);
	int64_t t, tid, node, orig;
	struct thread *th = NULL;
	struct proc *p;
	bool has_orig;

	stage_pass(st, r);
	p = feed_proc(c, r, nd.pid, nd.src);
	if (rec_i64(r, nd.start, &t))
		feed_time(c, t);
	if (rec_i64(r, nd.tid, &tid)) {
		th = thread_of(&c->threads, p, tid);
		thread_sweep(&c->threads, th);
	}
	has_orig = rec_i64(r, nd.orig, &orig);
	if (rec_i64(r, nd.node, &node))
		graph_node(c, th, p, node, has_orig, has_orig ? orig : 0);
}

void
feed_bind_node(struct stage *st)
{
	struct rec_type *t = stage_on(st, "node", on_node, NULL, NULL);

	REC_COLS(t, REC_NEED, { &nd.start, "start_ns" }, { &nd.tid, "tid" },
	    { &nd.node, "node" }, { &nd.orig, "orig" });
	REC_COLS(t, REC_OPT, { &nd.pid, "pid" }, { &nd.src, "src" });
}
