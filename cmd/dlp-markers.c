/*
 * dlp-markers: adds to each kernel the texts of the ranges around the call
 * that launched it, as PyProf looks for them: on its thread, begun before the
 * call and ended after it.
 */
#include <inttypes.h>
#include <stdlib.h>

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

#define LOOSE_TEXT_MAX (16 << 20) /* bytes between two kernels */
#define AROUND_MAX 256 /* ranges around a launch, the innermost ones */

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
	struct out_ext *ext;
	struct smap threads; /* process, thread and file; val: a struct
				openranges * */
	struct loose_range *loose;
	size_t n_loose, loose_cap;
	struct buf loose_text;
	struct graph_proc *proc; /* few: a list does */
	size_t n_proc;
	uint64_t without_call, never_closed, too_many, too_deep;
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
read_marker_range(struct stage *st, struct rec *r)
{
	struct launch_markers *m = st->ctx;
	struct mview text = rec_get(r, COL_text);
	struct loose_range *loose;
	struct marker_range *x;
	struct openranges *o;
	struct workrec w;
	int64_t dur, end;

	stage_pass(st, r);
	work_read(&w, r);
	o = open_on(m, &w);
	if (o == NULL || text.s == NULL || !w.has_start)
		return;
	if (!rec_length(r, COL_dur_ns, &dur)) {
		m->never_closed++;
		return;
	}
	end = num_add(w.start, dur);
	openranges_sweep(o, w.start, NULL, NULL);
	x = openranges_push(o, w.start, end);
	buf_clear(&x->text);
	buf_put(&x->text, text.s, text.n);
	if (!m->all)
		return;
	if (m->loose_text.len + text.n > LOOSE_TEXT_MAX) {
		m->too_many++;
		return;
	}
	ARRAY_GROW(m->loose, m->n_loose, m->loose_cap);
	loose = &m->loose[m->n_loose++];
	*loose = (struct loose_range){ o, w.has_pid ? w.pid : 0, w.tid, w.start,
		end, m->loose_text.len, 0 };
	esc_undo(&m->loose_text, text.s, text.n);
	loose->n = m->loose_text.len - loose->at;
}

static bool
is_around(const struct marker_range *x, const struct workrec *w)
{
	return x->span.start < w->api && x->span.end > w->api_end;
}

/* A JSON list of the texts or the times of each range around the call. */
static void
put_around(struct launch_markers *m, const struct openranges *o,
    const struct workrec *w, bool times)
{
	const struct marker_range *x;
	struct buf *json = &m->json;
	size_t i, n = 0;

	for (i = o->n; i > 0 && n < AROUND_MAX; i--)
		n += is_around(openranges_at(o, i - 1), w);
	m->too_deep += i > 0 && !times;
	buf_clear(json);
	for (; i < o->n; i++) {
		x = openranges_at(o, i);
		if (!is_around(x, w))
			continue;
		buf_putc(json, json->len > 0 ? ',' : '[');
		if (times) {
			buf_i64(json, x->span.start);
			buf_c_i64(json, ',', x->span.end);
		} else {
			json_quote_field(
			    json, x->text.s, x->text.len, TEXT_JSON_BYTES);
		}
	}
	buf_puts(json, json->len > 0 ? "]" : "[]");
	out_text(json->s, json->len);
}

/* A flat JSON list of pid, tid, start, end and text of each range that began
 * since the last kernel and is not around the call; they are forgotten. */
static void
put_all_loose(struct launch_markers *m, const struct openranges *o,
    const struct workrec *w)
{
	const struct loose_range *x;
	struct buf *json = &m->json;

	buf_clear(json);
	for (x = m->loose; x < m->loose + m->n_loose; x++) {
		if (x->thread == o && x->start < w->api && x->end > w->api_end)
			continue;
		buf_c_i64(json, json->len > 0 ? ',' : '[', x->pid);
		buf_c_i64(json, ',', x->tid);
		buf_c_i64(json, ',', x->start);
		buf_c_i64(json, ',', x->end);
		buf_putc(json, ',');
		json_quote(json, x->n > 0 ? m->loose_text.s + x->at : "", x->n,
		    TEXT_JSON_BYTES);
	}
	buf_puts(json, json->len > 0 ? "]" : "[]");
	out_text(json->s, json->len);
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
	work_read(&w, r);
	w.pid = w.has_pid ? w.pid : 0;
	if (!rec_num(r, COL_node, &node))
		return;
	p = graph_proc_of(m, w.pid);
	if (p == NULL) {
		m->proc = xrealloc(m->proc, m->n_proc + 1, sizeof(*m->proc));
		p = &m->proc[m->n_proc++];
		*p = (struct graph_proc){ .pid = w.pid };
	}
	n = p->nodes.n;
	no = nodes_put(&p->nodes, node);
	if (no == n) {
		ARRAY_GROW(p->made, n, p->cap);
		p->made[no].known = false;
	}
	if (rec_num(r, COL_orig, &orig))
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

	if (rec_num(r, COL_node, &node))
		p = graph_proc_of(m, pid);
	if (p == NULL || !nodes_root(&p->nodes, node, &no, &root) ||
	    !p->made[no].known) {
		out_unset();
		return;
	}
	buf_printf(&out_buf, "\t[%" PRId64 ", %" PRId64 ", %" PRId64 "]", root,
	    p->made[no].tid, p->made[no].at);
}

static void
read_launch(struct stage *st, struct rec *r)
{
	struct launch_markers *m = st->ctx;
	struct openranges *o;
	struct workrec w;

	work_read(&w, r);
	o = open_on(m, &w);
	out_ext_begin(m->ext, r);
	if (m->all)
		put_capture(m, r, w.has_pid ? w.pid : 0);
	if (o == NULL || !w.has_api) {
		m->without_call++;
		out_unsets(m->all ? 3 : 1);
	} else {
		openranges_sweep(o, w.api, NULL, NULL);
		put_around(m, o, &w, false);
		if (m->all) {
			put_around(m, o, &w, true);
			put_all_loose(m, o, &w);
		}
	}
	out_ext_end(m->ext, r);
}

static void
forget_markers(struct launch_markers *m)
{
	struct openranges *o;
	size_t i, k;

	for (i = 0; i < m->threads.n; i++) {
		o = (struct openranges *)(uintptr_t)m->threads.val[i];
		for (k = 0; k < o->cap; k++)
			buf_free(&((struct marker_range *)openranges_at(o, k))
				      ->text);
		openranges_free(o);
		free(o);
	}
	smap_free(&m->threads);
	for (i = 0; i < m->n_proc; i++) {
		nodes_free(&m->proc[i].nodes);
		free(m->proc[i].made);
	}
	free(m->proc);
	m->proc = NULL;
	m->n_proc = m->n_loose = 0;
	buf_clear(&m->loose_text);
	m->without_call = m->never_closed = m->too_many = m->too_deep = 0;
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
	stage_note("markers_too_deep", m->too_deep);
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "node_from", "markers",
		"marker_ns", "loose_markers" };
	static struct launch_markers m;
	const struct cli_opt opts[] = { { 'a', "all", .flag = &m.all }, { 0 } };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-markers", opts, argc, argv);
	m.ext = m.all ? out_ext(names, 4) : out_ext(names + 1, 1);
	st.ctx = &m;
	st.section = begin_markers;
	st.end = put_marker_notes;
	stage_on(&st, "range", read_marker_range,
	    .need = "start_ns dur_ns pid tid text", .opt = "src");
	stage_on(&st, "kern", read_launch,
	    .need = "api_start_ns api_dur_ns pid tid", .opt = "src node",
	    .ext = m.ext);
	if (m.all)
		stage_on(&st, "node", read_node,
		    .need = "start_ns tid node orig", .opt = "pid");
	rc = stage_run(&st);
	forget_markers(&m);
	return out_finish(rc);
}
