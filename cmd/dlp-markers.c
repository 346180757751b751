/*
 * dlp-markers: adds to each kernel the texts of the ranges around the call
 * that launched it, as PyProf looks for them: on its thread, begun before the
 * call and ended after it.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "esc.h"
#include "map.h"
#include "nodes.h"
#include "num.h"
#include "openrange.h"
#include "stage.h"
#include "text_out.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-markers [-ahuV] [file]\n"
    "Adds to each kernel the texts of the ranges around its launch.\n"
    "  -a, --all         add the times of these ranges, and the ranges that\n"
    "                    are not around a launch\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this text\n"
    "  -V, --version     print the version\n";

#define LOOSE_TEXT_MAX (16 << 20) /* bytes between two kernels */

struct marker_range { /* open on a thread */
	struct openrange span;
	struct buf text; /* escaped */
};

/*
 * A range that began since the last kernel. Those of them that are not around
 * the next kernel's launch are written with that kernel (-a): a forward op
 * without a kernel can still be the one whose backward has some.
 */
struct loose_range {
	const struct openranges *thread;
	int64_t pid, tid, start, end;
	size_t at, n; /* the text, in markers.loose_text */
};

struct node_capture { /* where a node of a graph was made */
	bool known;
	int64_t tid, at; /* ns */
};

struct graph_proc { /* a process with graphs */
	int64_t pid;
	struct nodes nodes;
	struct node_capture *made; /* by the node's number */
	size_t cap;
};

struct launch_markers {
	bool all; /* -a */
	struct workrec_cols range, kern, node;
	struct rec_col *text, *kern_node, *node_id, *node_orig;
	struct out_ext *ext;
	struct smap threads; /* process, thread and file; val: a struct
				openranges * */
	struct loose_range *loose;
	size_t n_loose, loose_cap;
	struct buf loose_text;
	struct graph_proc *proc; /* few: a list does */
	size_t n_proc;
	uint64_t without_call, never_closed, too_many;
	struct buf key, json;
};

/* The ranges open on the record's thread; NULL if it has none. */
static struct openranges *
open_on(struct launch_markers *m, const struct workrec *w)
{
	struct openranges *o;
	int64_t pid = w->has_pid ? w->pid : 0;
	bool fresh;
	uint32_t i;

	if (!w->has_tid)
		return NULL;
	buf_clear(&m->key);
	buf_put(&m->key, (const char *)&pid, sizeof(pid));
	buf_put(&m->key, (const char *)&w->tid, sizeof(w->tid));
	if (w->src.s != NULL)
		buf_put(&m->key, w->src.s, w->src.n);
	i = smap_put(&m->threads, m->key.s, m->key.len, &fresh);
	if (fresh) {
		o = xcalloc(1, sizeof(*o));
		openranges_init(o, sizeof(struct marker_range));
		m->threads.val[i] = (uint64_t)(uintptr_t)o;
	}
	return (struct openranges *)(uintptr_t)m->threads.val[i];
}

static void
free_open(struct openranges *o)
{
	struct marker_range *x;
	size_t i;

	for (i = 0; i < o->cap; i++) {
		x = openranges_at(o, i);
		buf_free(&x->text);
	}
	openranges_free(o);
	free(o);
}

static void
add_loose(struct launch_markers *m, struct loose_range x, struct mview text)
{
	if (m->loose_text.len + text.n > LOOSE_TEXT_MAX) {
		m->too_many++;
		return;
	}
	x.at = m->loose_text.len;
	esc_undo(&m->loose_text, text.s, text.n);
	x.n = m->loose_text.len - x.at;
	ARRAY_GROW(m->loose, m->n_loose, m->loose_cap);
	m->loose[m->n_loose++] = x;
}

static void
read_marker_range(struct stage *st, struct rec *r)
{
	struct launch_markers *m = st->ctx;
	struct mview text = rec_view(r, m->text);
	struct marker_range *x;
	struct openranges *o;
	struct workrec w;
	int64_t dur, end;

	stage_pass(st, r);
	workrec_read(&w, &m->range, r);
	o = open_on(m, &w);
	if (o == NULL || text.s == NULL || !w.has_start)
		return;
	if (!rec_dur(r, m->range.dur, &dur)) {
		m->never_closed++;
		return;
	}
	end = num_add(w.start, dur);
	openranges_sweep(o, w.start, NULL, NULL);
	x = openranges_push(o, w.start, end);
	buf_clear(&x->text);
	buf_put(&x->text, text.s, text.n);
	if (m->all)
		add_loose(m,
		    (struct loose_range){ .thread = o,
			.pid = w.has_pid ? w.pid : 0,
			.tid = w.tid,
			.start = w.start,
			.end = end },
		    text);
}

static void
put_comma(struct buf *json)
{
	if (json->len > 1)
		buf_putc(json, ',');
}

static void
put_marker_text(struct launch_markers *m, const struct marker_range *x)
{
	put_comma(&m->json);
	json_quote_field(&m->json, x->text.s, x->text.len, TEXT_JSON_BYTES);
}

static void
put_marker_times(struct launch_markers *m, const struct marker_range *x)
{
	put_comma(&m->json);
	buf_i64(&m->json, x->span.start);
	buf_putc(&m->json, ',');
	buf_i64(&m->json, x->span.end);
}

/* A JSON list with what put writes of each range around the call. */
static void
put_around(struct launch_markers *m, const struct openranges *o,
    const struct workrec *w,
    void (*put)(struct launch_markers *m, const struct marker_range *x))
{
	const struct marker_range *x;
	size_t i;

	buf_clear(&m->json);
	buf_putc(&m->json, '[');
	for (i = 0; i < o->n; i++) {
		x = openranges_at(o, i);
		if (x->span.start < w->api && x->span.end > w->api_end)
			put(m, x);
	}
	buf_putc(&m->json, ']');
	out_text(m->json.s, m->json.len);
}

static void
put_loose(struct launch_markers *m, const struct loose_range *x)
{
	const int64_t nums[] = { x->pid, x->tid, x->start, x->end };
	size_t i;

	put_comma(&m->json);
	for (i = 0; i < ARRAY_LEN(nums); i++) {
		buf_i64(&m->json, nums[i]);
		buf_putc(&m->json, ',');
	}
	json_quote(&m->json, x->n > 0 ? m->loose_text.s + x->at : "", x->n,
	    TEXT_JSON_BYTES);
}

/* A flat JSON list of pid, tid, start, end and text of each range that began
 * since the last kernel and is not around the call; they are forgotten. */
static void
put_all_loose(struct launch_markers *m, const struct openranges *o,
    const struct workrec *w)
{
	const struct loose_range *x;
	size_t i;

	buf_clear(&m->json);
	buf_putc(&m->json, '[');
	for (i = 0; i < m->n_loose; i++) {
		x = &m->loose[i];
		if (x->thread != o || x->start >= w->api ||
		    x->end <= w->api_end)
			put_loose(m, x);
	}
	buf_putc(&m->json, ']');
	out_text(m->json.s, m->json.len);
	m->n_loose = 0;
	buf_clear(&m->loose_text);
}

static struct graph_proc *
graph_proc_of(const struct launch_markers *m, int64_t pid)
{
	size_t i;

	for (i = 0; i < m->n_proc; i++)
		if (m->proc[i].pid == pid)
			return &m->proc[i];
	return NULL;
}

static struct graph_proc *
new_graph_proc(struct launch_markers *m, int64_t pid)
{
	m->proc = xrealloc(m->proc, m->n_proc + 1, sizeof(*m->proc));
	m->proc[m->n_proc] = (struct graph_proc){ .pid = pid };
	return &m->proc[m->n_proc++];
}

/* A node that was made from no other was captured: the first time counts. */
static void
read_node(struct stage *st, struct rec *r)
{
	struct launch_markers *m = st->ctx;
	struct graph_proc *p;
	struct workrec w;
	int64_t node, orig;
	size_t n, no;

	stage_pass(st, r);
	workrec_read(&w, &m->node, r);
	w.pid = w.has_pid ? w.pid : 0;
	if (!rec_i64(r, m->node_id, &node))
		return;
	p = graph_proc_of(m, w.pid);
	if (p == NULL)
		p = new_graph_proc(m, w.pid);
	n = p->nodes.n;
	no = nodes_put(&p->nodes, node);
	if (no == n) {
		ARRAY_GROW(p->made, n, p->cap);
		p->made[no].known = false;
	}
	if (rec_i64(r, m->node_orig, &orig))
		nodes_link(&p->nodes, no, orig);
	else if (!p->made[no].known && w.has_tid && w.has_start)
		p->made[no] = (struct node_capture){ true, w.tid, w.start };
}

/* Column node_from: "[NODE, THREAD, TIME]" of the capture of the kernel's
 * node. */
static void
put_capture(const struct launch_markers *m, const struct rec *r, int64_t pid)
{
	const struct graph_proc *p = NULL;
	int64_t node, root;
	size_t no;

	if (rec_i64(r, m->kern_node, &node))
		p = graph_proc_of(m, pid);
	if (p == NULL || !nodes_root(&p->nodes, node, &no, &root) ||
	    !p->made[no].known) {
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

static void
read_launch(struct stage *st, struct rec *r)
{
	struct launch_markers *m = st->ctx;
	struct openranges *o;
	struct workrec w;

	workrec_read(&w, &m->kern, r);
	o = open_on(m, &w);
	out_ext_begin(m->ext, r);
	if (m->all)
		put_capture(m, r, w.has_pid ? w.pid : 0);
	if (o == NULL || !w.has_api) {
		m->without_call++;
		out_unsets(m->all ? 3 : 1);
	} else {
		openranges_sweep(o, w.api, NULL, NULL);
		put_around(m, o, &w, put_marker_text);
		if (m->all) {
			put_around(m, o, &w, put_marker_times);
			put_all_loose(m, o, &w);
		}
	}
	out_ext_end(m->ext, r);
}

static void
read_kern_legend(struct stage *st, struct rec *r)
{
	const struct launch_markers *m = st->ctx;

	out_ext_legend(m->ext, r);
}

static void
forget_markers(struct launch_markers *m)
{
	size_t i;

	for (i = 0; i < m->threads.n; i++)
		free_open((struct openranges *)(uintptr_t)m->threads.val[i]);
	smap_free(&m->threads);
	for (i = 0; i < m->n_proc; i++) {
		nodes_free(&m->proc[i].nodes);
		free(m->proc[i].made);
	}
	free(m->proc);
	m->proc = NULL;
	m->n_proc = m->n_loose = 0;
	buf_clear(&m->loose_text);
	m->without_call = m->never_closed = m->too_many = 0;
}

static void
begin_markers(struct stage *st)
{
	forget_markers(st->ctx);
}

static void
put_marker_notes(struct stage *st)
{
	const struct launch_markers *m = st->ctx;

	stage_note("markers_without_call", m->without_call);
	stage_note("markers_never_closed", m->never_closed);
	stage_note("markers_too_many", m->too_many);
}

static void
listen_markers(struct stage *st, struct launch_markers *m)
{
	static const char *const names[] = { "node_from", "markers",
		"marker_ns", "loose_markers" };
	struct rec_type *t =
	    stage_on(st, "range", read_marker_range, NULL, NULL);

	workrec_bind(&m->range, t, WORKREC_SPAN | WORKREC_THREAD, WORKREC_SRC);
	m->text = rec_col(t, "text", REC_NEED);
	t = stage_on(st, "kern", read_launch, read_kern_legend, NULL);
	workrec_bind(&m->kern, t, WORKREC_CALL | WORKREC_THREAD, WORKREC_SRC);
	m->kern_node = rec_col(t, "node", REC_OPT);
	m->ext = m->all ? out_ext(names, 4) : out_ext(names + 1, 1);
	if (!m->all)
		return;
	t = stage_on(st, "node", read_node, NULL, NULL);
	workrec_bind(&m->node, t, WORKREC_START | WORKREC_TID, WORKREC_PID);
	REC_COLS(
	    t, REC_NEED, { &m->node_id, "node" }, { &m->node_orig, "orig" });
}

int
main(int argc, char **argv)
{
	struct launch_markers m = { 0 };
	const struct cli_opt opts[] = { { 'a', "all", .flag = &m.all }, { 0 } };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-markers", usage, opts, argc, argv);
	st.ctx = &m;
	st.section = begin_markers;
	st.end = put_marker_notes;
	listen_markers(&st, &m);
	rc = stage_run(&st);
	forget_markers(&m);
	free(m.loose);
	buf_free(&m.loose_text);
	buf_free(&m.key);
	buf_free(&m.json);
	return out_finish(rc);
}
