/* See capture.h. */
#include "capture.h"

#include <stdlib.h>

#include "err.h"
#include "nodes.h"
#include "out.h"

struct proc { /* of one with graphs */
	int64_t pid;
	struct nodes nodes;
	struct made {
		bool is;
		int64_t tid, at;
	} * made; /* by the node's number */
	size_t cap;
};

static struct proc *procs; /* few: a list does */
static size_t n_proc;
static struct rec_col *c_start, *c_pid, *c_tid, *c_node, *c_orig;

static struct proc *
proc_of(int64_t pid, bool make)
{
	size_t i;

	for (i = 0; i < n_proc; i++)
		if (procs[i].pid == pid)
			return &procs[i];
	if (!make)
		return NULL;
	procs = xrealloc(procs, n_proc + 1, sizeof(*procs));
	procs[n_proc] = (struct proc){ .pid = pid };
	return &procs[n_proc++];
}

static void
on_node(struct stage *st, struct rec *r)
{
	int64_t pid = 0, node, orig;
	struct made m = { true, 0, 0 };
	struct proc *p;
	size_t n, no;

	stage_pass(st, r);
	(void)rec_i64(r, c_pid, &pid);
	if (!rec_i64(r, c_node, &node))
		return;
	p = proc_of(pid, true);
	n = p->nodes.n;
	no = nodes_put(&p->nodes, node);
	if (no >= p->cap) {
		p->cap = p->cap > 0 ? p->cap * 2 : 64;
		p->made = xrealloc(p->made, p->cap, sizeof(*p->made));
	}
	if (no == n)
		p->made[no].is = false;
	if (rec_i64(r, c_orig, &orig))
		nodes_link(&p->nodes, no, orig);
	else if (!p->made[no].is && rec_i64(r, c_tid, &m.tid) &&
		 rec_i64(r, c_start, &m.at))
		p->made[no] = m;
}

void
capture_bind(struct stage *st)
{
	struct rec_type *t = stage_on(st, "node", on_node, NULL, NULL);

	REC_COLS(t, REC_NEED, { &c_start, "start_ns" }, { &c_tid, "tid" },
	    { &c_node, "node" }, { &c_orig, "orig" });
	c_pid = rec_col(t, "pid", REC_OPT);
}

void
capture_put(bool has, int64_t pid, int64_t node)
{
	const struct proc *p = has ? proc_of(pid, false) : NULL;
	int64_t root;
	size_t no;

	if (p == NULL || !nodes_root(&p->nodes, node, &no, &root) ||
	    !p->made[no].is) {
		out_unset();
		return;
	}
	buf_puts(&out_buf, "\t[");
	buf_i64(&out_buf, root);
	buf_puts(&out_buf, ", ");
	buf_i64(&out_buf, p->made[no].tid);
	buf_puts(&out_buf, ", ");
	buf_i64(&out_buf, p->made[no].at);
	buf_putc(&out_buf, ']');
}

void
capture_forget(void)
{
	size_t i;

	for (i = 0; i < n_proc; i++) {
		nodes_free(&procs[i].nodes);
		free(procs[i].made);
	}
	free(procs);
	procs = NULL;
	n_proc = 0;
}
