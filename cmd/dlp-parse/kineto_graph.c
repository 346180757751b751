/*
 * CUDA graphs in torch.profiler's traces. A trace says which launch of a graph
 * ran a kernel, but not which op captured it. If the graph was captured in the
 * same trace, or in one that --capture names, the calls that were captured are
 * there, inside of their ops, without GPU work of their own. The work of a
 * launch ran in the order in which it was captured, so the nth belongs to the
 * nth call, if there are as many of each kind and only one capture has so many.
 * A program that captures its step in pieces, as layers of the same kinds,
 * launches them in the same order. Calls that name their kernels (ROCm) may be
 * one more or less than the work.
 *
 * Then each such call makes a node, as if the trace named the graph's nodes,
 * and its work has the number of the node: what follows is as with Nsight
 * Systems.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "kineto.h"
#include "num.h"
#include "schema.h"
#include "serving.h"

/* In a graph without branches a kernel can begin before the one before it has
 * ended, but not by much (programmatic launches). */
#define OVERLAP_NS 5000

enum call_kind { OTHER, BEGIN, END, GRAPH, KERNEL, COPY, SET };

struct captured_call {
	int64_t ts, pid, tid, corr;
	int64_t kernel; /* the text of its name; EV_UNSET: not known */
	char kind;      /* k, c or s; ? where ROCm makes sets kernels */
	bool used;      /* a launch of the graph has its work */
	bool ran;       /* it has work of its own: it was not captured */
};

struct capture {
	size_t first, n; /* of the calls */
	int64_t pid, start, end;
	int64_t size;  /* that the program named; -1: none */
	uint32_t key;  /* its kinds, + 1; 0: it has no calls */
	uint32_t next; /* with the same kinds, + 1; 0: none */
};

struct graph_launch {
	int64_t pid, at;
	int64_t size; /* of what the step computes; -1: unknown */
	int64_t step; /* its range in sized; -1: none */
	uint32_t key; /* its kinds, + 1; 0: those of no capture */
	size_t cap;   /* its capture, by the order, + 1; 0: not known */
	bool hip;
};

struct sized { /* a range that names a size */
	int64_t start, end, size;
	bool capture;
};

struct replayed {
	int64_t ts, dur;
	int kind;
	int64_t row, kernel;
	size_t call; /* that captured it */
};

struct graphs {
	struct kineto *k;
	struct captured_call *call;
	size_t ncall, cap_call;
	struct capture *cap;
	size_t ncap, cap_cap;
	struct graph_launch *launch;
	size_t nlaunch, cap_launch;
	struct sized *sized;
	size_t nsized, cap_sized;
	struct map by_corr;  /* graph launch + 1 */
	struct map captured; /* correlation id -> call + 1 */
	struct smap kinds;   /* of a capture -> its number + 1 */
	struct replayed *work;
	size_t nwork, cap_work;
	sqlite3_stmt *set[3];
	struct buf key;
	bool capturing, mixed;       /* mixed: two captures at once */
	uint64_t joined, by_capture; /* by_capture: with one before the trace */
};

static const char *const work_tables[] = { "kineto_kern", "kineto_copy",
	"kineto_set" };
static const char kinds[] = "kcs";

static enum call_kind
kind_of(struct mview v)
{
	if (!mv_starts(v, "cu") && !mv_starts(v, "hip"))
		return OTHER;
	if (mv_find(v, "StreamBeginCapture") != NULL)
		return BEGIN;
	if (mv_find(v, "StreamEndCapture") != NULL)
		return END;
	if (mv_find(v, "GraphLaunch") != NULL)
		return GRAPH;
	if (mv_find(v, "Graph") != NULL || mv_find(v, "HostFunc") != NULL)
		return OTHER;
	if (mv_find(v, "Launch") != NULL)
		return KERNEL;
	if (mv_find(v, "Memcpy") != NULL)
		return COPY;
	return mv_find(v, "Memset") != NULL ? SET : OTHER;
}

static bool
has_call(const struct kineto *k, enum call_kind kind)
{
	size_t i;

	for (i = 0; i < k->texts.n; i++)
		if (kind_of(kineto_text(k, (int64_t)i)) == kind)
			return true;
	return false;
}

/* Sizes: capture_32_FULL, execute_32_context_..., step[DECODE bs=32]. */

static int64_t
number_after(struct mview v, const char *word)
{
	const char *p = mv_find(v, word), *e = v.s + v.n;
	int64_t n;
	size_t digits = 0;

	if (p == NULL)
		return -1;
	p += strlen(word);
	while (p + digits < e && p[digits] >= '0' && p[digits] <= '9')
		digits++;
	return digits > 0 && num_i64(p, digits, &n) ? n : -1;
}

static void
read_sizes(struct graphs *g)
{
	struct kineto *k = g->k;
	sqlite3_stmt *st =
	    db_prepare(k->db, "SELECT ts, dur, row FROM kineto_op ORDER BY ts");
	struct serving text;
	struct sized s;
	struct mview v;
	sqlite3_value *row;

	while (db_next(&st)) {
		row = sqlite3_column_value(st, 2);
		v = kineto_text(k, kineto_member(row, OP_DOMAIN));
		if (!mv_eq(v, "user_annotation"))
			continue;
		v = kineto_text(k, kineto_member(row, OP_NAME));
		s.capture = mv_starts(v, "capture_");
		s.size = number_after(v, s.capture ? "capture_" : "execute_");
		if (s.size < 0 && !s.capture && serving_read(v, &text))
			s.size = serving_tokens(&text);
		s.start = db_i64(st, 0);
		s.end = num_add(s.start, db_i64(st, 1));
		if (s.size < 0)
			continue;
		ARRAY_GROW(g->sized, g->nsized, g->cap_sized);
		g->sized[g->nsized++] = s;
	}
}

/* The innermost range around the moment that names a size; -1: none. */
static int64_t
sized_at(const struct graphs *g, int64_t at, bool capture)
{
	size_t n = array_until(g->sized, g->nsized, sizeof(*g->sized),
		   offsetof(struct sized, start), at),
	       i;

	for (i = n; i > 0 && n - i < 8; i--)
		if (g->sized[i - 1].capture == capture &&
		    g->sized[i - 1].end > at)
			return (int64_t)i - 1;
	return -1;
}

static int64_t
size_of(const struct graphs *g, int64_t sized)
{
	return sized >= 0 ? g->sized[sized].size : -1;
}

/* Calls, in the order of time. */

static void
begin_capture(struct graphs *g, int64_t pid, int64_t ts)
{
	struct capture *c;

	g->mixed = g->capturing;
	if (g->capturing)
		return;
	ARRAY_GROW(g->cap, g->ncap, g->cap_cap);
	c = &g->cap[g->ncap++];
	memset(c, 0, sizeof(*c));
	c->first = g->ncall;
	c->pid = pid;
	c->start = ts;
	c->size = size_of(g, sized_at(g, ts, true));
	g->capturing = true;
}

static void
end_capture(struct graphs *g, int64_t ts)
{
	if (!g->capturing)
		return;
	g->capturing = false;
	g->cap[g->ncap - 1].n = g->ncall - g->cap[g->ncap - 1].first;
	g->cap[g->ncap - 1].end = ts;
	if (g->mixed) { /* whose call is which is not known */
		g->ncall = g->cap[g->ncap - 1].first;
		g->ncap--;
	}
	g->mixed = false;
}

static void
read_calls(struct graphs *g)
{
	sqlite3_stmt *st = db_prepare(
	    g->k->db, "SELECT ts, corr, pid, row FROM kineto_call ORDER BY ts");
	int64_t ts, corr, pid, step;
	enum call_kind kind;
	struct mview name;
	sqlite3_value *row;
	bool hip;

	while (db_next(&st)) {
		row = sqlite3_column_value(st, 3);
		name = kineto_text(g->k, kineto_member(row, CALL_NAME));
		kind = kind_of(name);
		ts = db_i64(st, 0);
		corr = db_i64(st, 1);
		pid = db_i64(st, 2);
		hip = mv_starts(name, "hip");
		if (kind == BEGIN) {
			begin_capture(g, pid, ts);
		} else if (kind == END) {
			end_capture(g, ts);
		} else if (kind == GRAPH && corr != EV_UNSET) {
			ARRAY_GROW(g->launch, g->nlaunch, g->cap_launch);
			step = sized_at(g, ts, false);
			g->launch[g->nlaunch++] = (struct graph_launch){ pid,
				ts, size_of(g, step), step, 0, 0, hip };
			*map_put(&g->by_corr, (uint64_t)corr, NULL) =
			    g->nlaunch;
		} else if (kind >= KERNEL && g->capturing &&
			   g->cap[g->ncap - 1].pid == pid) {
			ARRAY_GROW(g->call, g->ncall, g->cap_call);
			g->call[g->ncall++] = (struct captured_call){ .ts = ts,
				.pid = pid,
				.tid = kineto_member(row, CALL_TID),
				.corr = corr,
				.kernel = kineto_member(row, CALL_KERNEL),
				.kind = hip ? '?' : kinds[kind - KERNEL] };
			if (corr != EV_UNSET)
				*map_put(&g->captured, (uint64_t)corr, NULL) =
				    g->ncall;
		}
	}
	end_capture(g, INT64_MAX);
}

/* Keeps the work of graph launches, and finds calls with work of their own. */
static void
read_replayed(struct graphs *g)
{
	struct kineto *k = g->k;
	sqlite3_stmt *st, *put;
	int64_t corr;
	uint64_t *no;
	int i;

	kineto_sql(k,
	    "CREATE TABLE kineto_replay (corr, ts, dur, kind, work, kernel)");
	put = db_prepare(
	    k->db, "INSERT INTO kineto_replay VALUES (?, ?, ?, ?, ?, ?)");
	for (i = 0; i < 3; i++) {
		st = db_prepare(k->db,
		    "SELECT rowid, ts, dur, corr, row FROM %s", work_tables[i]);
		while (db_next(&st)) {
			corr = db_i64(st, 3);
			no = map_get(&g->captured, (uint64_t)corr);
			if (no != NULL)
				g->call[*no - 1].ran = true;
			if (map_get(&g->by_corr, (uint64_t)corr) == NULL)
				continue;
			sqlite3_bind_int64(put, 1, corr);
			sqlite3_bind_int64(put, 2, db_i64(st, 1));
			sqlite3_bind_int64(put, 3, db_i64(st, 2));
			sqlite3_bind_int64(put, 4, i);
			sqlite3_bind_int64(put, 5, db_i64(st, 0));
			sqlite3_bind_int64(put, 6,
			    i > 0 ? EV_UNSET
				  : kineto_member(sqlite3_column_value(st, 4),
					KERN_NAME));
			kineto_run(k, put);
		}
	}
	sqlite3_finalize(put);
}

/* Captures by their kinds of calls. */

static void
find_captures(struct graphs *g)
{
	struct capture *c;
	size_t i, to;
	uint32_t no;

	for (c = g->cap; c < g->cap + g->ncap; c++) {
		buf_clear(&g->key);
		to = c->first;
		for (i = c->first; i < c->first + c->n; i++) {
			if (g->call[i].ran)
				continue;
			buf_putc(&g->key, g->call[i].kind);
			g->call[to++] = g->call[i];
		}
		c->n = to - c->first;
		if (c->n == 0)
			continue;
		no = smap_put(&g->kinds, g->key.s, g->key.len, NULL);
		c->key = no + 1;
		c->next = (uint32_t)g->kinds.val[no];
		g->kinds.val[no] = (uint64_t)(c - g->cap) + 1;
	}
}

/* The kinds of the work that is kept, as captures have them. */
static void
key_launch(struct graphs *g, struct graph_launch *l)
{
	uint32_t no;
	size_t n;

	buf_clear(&g->key);
	for (n = 0; n < g->nwork; n++)
		buf_putc(&g->key, l->hip ? '?' : kinds[g->work[n].kind]);
	no = smap_find(&g->kinds, g->key.s, g->key.len);
	l->key = no != SMAP_NONE ? no + 1 : 0;
}

static bool
may_launch(const struct capture *c, const struct graph_launch *l)
{
	return c->n > 0 && c->pid == l->pid && c->end <= l->at &&
	       (l->size < 0 || c->size < 0 || c->size >= l->size);
}

/* The pieces of a step: captures of one size from first on, n of them. Launches
 * in one step have the same kinds in the same order; if there are others in it,
 * the kinds of the first piece tell where it begins. If there are none, one
 * piece may have other kinds: the names of its kernels decide. */
static bool
in_order(const struct graphs *g, size_t at, size_t first, size_t n)
{
	const struct graph_launch *l = g->launch + at;
	const struct capture *c = g->cap + first;
	bool unique = true, alone;
	size_t i, odd = 0;

	if (at + n > g->nlaunch)
		return false;
	for (i = 0; i < n; i++) {
		odd += l[i].key != c[i].key;
		if (odd > l->hip || l[i].step != l->step || l[i].cap != 0 ||
		    !may_launch(&c[i], &l[i]))
			return false;
		unique &= i == 0 || c[i].key != c->key;
	}
	alone = l->step >= 0 && (at == 0 || l[-1].step != l->step) &&
		(at + n == g->nlaunch || l[n].step != l->step);
	return (unique && odd == 0) || alone;
}

/* Gives launches their captures by the order of both. */
static void
find_pieces(struct graphs *g)
{
	size_t at, first, n, i, best, nbest;

	for (at = 0; at<g->nlaunch; at += nbest> 0 ? nbest : 1) {
		best = nbest = 0;
		for (first = 0; first < g->ncap && g->launch[at].key != 0;
		     first += n) {
			for (n = 1;
			     first + n < g->ncap &&
			     g->cap[first + n].size == g->cap[first].size;)
				n++;
			if (n > 1 && in_order(g, at, first, n) &&
			    (nbest == 0 ||
				g->cap[first].size < g->cap[best].size)) {
				best = first;
				nbest = n;
			}
		}
		for (i = 0; i < nbest; i++)
			g->launch[at + i].cap = best + i + 1;
	}
}

/* The capture of the launch; NULL: none, or several are possible. A server
 * captures a graph for each of some sizes, and launches the smallest one that
 * is large enough. */
static struct capture *
capture_of(struct graphs *g, const struct graph_launch *l, bool *several)
{
	struct capture *c, *best = NULL;
	uint32_t i;

	*several = false;
	if (l->cap > 0)
		return &g->cap[l->cap - 1];
	for (i = l->key > 0 ? (uint32_t)g->kinds.val[l->key - 1] : 0; i != 0;
	     i = c->next) {
		c = &g->cap[i - 1];
		if (!may_launch(c, l))
			continue;
		if (best == NULL ||
		    (l->size >= 0 && c->size >= 0 && c->size < best->size)) {
			best = c;
			*several = false;
		} else if (l->size < 0 || c->size < 0 || c->size == best->size)
			*several = true;
	}
	return *several ? NULL : best;
}

/* Whether the call can have captured the work. A mangled name is not compared
 * with one that is not. */
static bool
is_alike(const struct graphs *g, const struct captured_call *c,
    const struct replayed *w)
{
	if (c->kind != '?' && c->kind != kinds[w->kind])
		return false;
	if (c->kernel == EV_UNSET || w->kernel == EV_UNSET ||
	    c->kernel == w->kernel)
		return true;
	return mv_starts(kineto_text(g->k, c->kernel), "_Z") !=
	       mv_starts(kineto_text(g->k, w->kernel), "_Z");
}

/* Finds the call of each work; false if one is another kernel, or if one is
 * missing and names do not tell which; *at is its number then. */
static bool
align_calls(struct graphs *g, const struct capture *c, size_t *at)
{
	const struct captured_call *call = g->call + c->first;
	size_t i = 0, k = 0;
	bool skip = c->n != g->nwork, named = true;

	if (c->n > g->nwork + 1 || g->nwork > c->n + 1)
		return false;
	for (; skip && k < c->n; k++)
		named &= call[k].kernel != EV_UNSET || call[k].kind != '?';
	for (k = 0; i < g->nwork; i++) {
		g->work[i].call = SIZE_MAX;
		if (k < c->n && is_alike(g, &call[k], &g->work[i])) {
			g->work[i].call = c->first + k++;
		} else if (skip && c->n > g->nwork && k + 1 < c->n &&
			   is_alike(g, &call[k + 1], &g->work[i])) {
			g->work[i].call = c->first + k + 1;
			k += 2;
			skip = false;
		} else if (skip && c->n < g->nwork) {
			skip = false;
		} else {
			*at = i;
			return false;
		}
	}
	*at = i;
	return named && call->kind == '?' ? k + skip >= c->n : k == c->n;
}

/* Says where the launch differs from the capture that is most like it, of the
 * first launch that no capture has. */
static void
say_difference(struct graphs *g, const struct capture *c, size_t at)
{
	struct buf *b = &g->k->graph.differs;
	struct mview is = { "nothing", 7 }, was = is;
	const struct captured_call *call = g->call + c->first;

	if (b->len > 0)
		return;
	if (at < g->nwork && g->work[at].kernel != EV_UNSET)
		is = kineto_text(g->k, g->work[at].kernel);
	if (at < c->n && call[at].kernel != EV_UNSET)
		was = kineto_text(g->k, call[at].kernel);
	buf_printf(b,
	    "a graph that was captured with %zu calls runs %zu kernels, copies"
	    " and sets: number %zu is %.*s, and was captured as %.*s",
	    c->n, g->nwork, at + 1, (int)(is.n < 200 ? is.n : 200), is.s,
	    (int)(was.n < 200 ? was.n : 200), was.s);
}

/* A capture with one call more or less than the launch has work, by the names
 * of its kernels. */
static struct capture *
nearly(struct graphs *g, const struct graph_launch *l)
{
	struct capture *c, *best = NULL, *like = NULL;
	size_t at, most = 0;

	for (c = g->cap; c < g->cap + g->ncap && l->hip; c++) {
		if (!may_launch(c, l) || c->n > g->nwork + 1 ||
		    g->nwork > c->n + 1)
			continue;
		if (align_calls(g, c, &at)) {
			if (best == NULL || c->size < best->size)
				best = c;
		} else if (like == NULL || at > most) {
			like = c;
			most = at;
		}
	}
	if (best == NULL && like != NULL)
		say_difference(g, like, most);
	return best;
}

/* In a graph with branches the order is not that of the capture. */
static bool
has_branches(const struct graphs *g)
{
	const struct replayed *w = g->work + 1;

	for (; w < g->work + g->nwork; w++)
		if (w[-1].dur != EV_UNSET &&
		    num_sub(num_add(w[-1].ts, w[-1].dur), w->ts) > OVERLAP_NS)
			return true;
	return false;
}

/* Joins the work of a launch, which is in the order of time. */
static void
join_launch(struct graphs *g, struct graph_launch *l)
{
	const struct replayed *w = g->work;
	struct capture *c;
	bool several;
	sqlite3_stmt *st;
	size_t i, at;

	c = capture_of(g, l, &several);
	if (c != NULL && !align_calls(g, c, &at)) {
		say_difference(g, c, at);
		c = NULL;
	} else if (c == NULL && !several && (c = nearly(g, l)) != NULL) {
		align_calls(g, c, &at);
	}
	if (c == NULL || has_branches(g)) {
		if (several)
			g->k->graph.several++;
		else
			g->k->graph.unknown++;
		return;
	}
	for (i = 0; i < g->nwork; i++) {
		if (w[i].call == SIZE_MAX)
			continue;
		st = g->set[w[i].kind];
		sqlite3_bind_int64(st, 1, (int64_t)w[i].call + 1);
		sqlite3_bind_int64(st, 2, w[i].row);
		kineto_run(g->k, st);
		g->call[w[i].call].used = true;
	}
	g->joined++;
	g->by_capture += c->end < g->k->begin;
}

/* Calls fn for each launch, with its work in the order of time. */
static void
each_launch(
    struct graphs *g, void (*fn)(struct graphs *g, struct graph_launch *l))
{
	sqlite3_stmt *st = db_prepare(g->k->db,
	    "SELECT corr, ts, dur, kind, work, kernel FROM kineto_replay"
	    " ORDER BY corr, ts, work");
	struct graph_launch *last = NULL, *l;
	bool more;

	do {
		more = db_step(st);
		l = more ? &g->launch[*map_get(&g->by_corr,
					  (uint64_t)db_i64(st, 0)) -
				      1]
			 : NULL;
		if (last != NULL && l != last) {
			fn(g, last);
			g->nwork = 0;
		}
		last = l;
		if (!more)
			break;
		ARRAY_GROW(g->work, g->nwork, g->cap_work);
		g->work[g->nwork++] = (struct replayed){ db_i64(st, 1),
			db_i64(st, 2), (int)db_i64(st, 3), db_i64(st, 4),
			db_i64(st, 5), SIZE_MAX };
	} while (more);
	sqlite3_finalize(st);
}

static void
join_launches(struct graphs *g)
{
	int i;

	for (i = 0; i < 3; i++)
		g->set[i] = db_prepare(g->k->db,
		    "UPDATE %s SET node = ? WHERE rowid = ?", work_tables[i]);
	each_launch(g, key_launch);
	find_pieces(g);
	each_launch(g, join_launch);
	for (i = 0; i < 3; i++)
		sqlite3_finalize(g->set[i]);
}

static void
put_nodes(struct graphs *g)
{
	sqlite3_stmt *st = kineto_inserter(g->k, T_NODE);
	const struct captured_call *c = g->call, *e = c + g->ncall;

	for (; c < e; c++)
		if (c->used)
			kineto_insert(g->k, st, (int64_t[]){ c->ts, EV_UNSET },
			    2, (int64_t[]){ c->pid, c->tid, c - g->call + 1 },
			    3);
	sqlite3_finalize(st);
}

uint64_t
kineto_join_graphs(struct kineto *k)
{
	struct graphs g = { .k = k };

	if (!has_call(k, BEGIN) || !has_call(k, GRAPH))
		return 0;
	kineto_sql(k, "BEGIN");
	read_sizes(&g);
	read_calls(&g);
	if (g.ncap > 0 && g.nlaunch > 0) {
		read_replayed(&g);
		find_captures(&g);
		join_launches(&g);
		put_nodes(&g);
	}
	kineto_sql(k, "COMMIT");
	k->graph.any = g.joined > 0;
	free(g.call);
	free(g.cap);
	free(g.launch);
	free(g.sized);
	free(g.work);
	map_free(&g.by_corr);
	map_free(&g.captured);
	smap_free(&g.kinds);
	buf_free(&g.key);
	return g.by_capture;
}

/* A trace that --capture names: the process whose graphs are launched, and
 * where its rows go. */

/* The kind of the call whose row is in column i. */
static enum call_kind
call_kind(const struct kineto *k, sqlite3_stmt *st, int i)
{
	return kind_of(kineto_text(
	    k, kineto_member(sqlite3_column_value(st, i), CALL_NAME)));
}

int64_t
kineto_launcher(struct kineto *k)
{
	sqlite3_stmt *st;
	int64_t pid = EV_UNSET;

	if (!has_call(k, GRAPH))
		return EV_UNSET;
	st = db_prepare(k->db, "SELECT pid, row FROM kineto_call");
	while (pid == EV_UNSET && db_step(st))
		if (call_kind(k, st, 1) == GRAPH)
			pid = db_i64(st, 0);
	sqlite3_finalize(st);
	return pid;
}

struct capture_span {
	int64_t start, end;
};

struct windows {
	struct capture_span *v;
	size_t n, cap;
};

static void
read_windows(struct kineto *k, int64_t call, struct windows *w)
{
	sqlite3_stmt *st = db_prepare(k->db,
	    "SELECT ts, row FROM kineto_call WHERE rowid >= %lld ORDER BY ts",
	    (long long)call);
	enum call_kind kind;

	while (db_next(&st)) {
		kind = call_kind(k, st, 1);
		if (kind == BEGIN) {
			ARRAY_GROW(w->v, w->n, w->cap);
			w->v[w->n++] =
			    (struct capture_span){ db_i64(st, 0), INT64_MAX };
		} else if (kind == END && w->n > 0 &&
			   w->v[w->n - 1].end == INT64_MAX) {
			w->v[w->n - 1].end = db_i64(st, 0);
		}
	}
}

/* Drops rows outside of the captures, and moves the others. */
static void
move_rows(struct kineto *k, const struct windows *w, const char *table,
    int64_t from, int64_t by)
{
	sqlite3_stmt *st = db_prepare(k->db,
	    "SELECT rowid, ts, ifnull(dur, 0) FROM %s WHERE rowid >= %lld",
	    table, (long long)from);
	sqlite3_stmt *drop =
	    db_prepare(k->db, "DELETE FROM %s WHERE rowid = ?", table);
	sqlite3_stmt *move =
	    db_prepare(k->db, "UPDATE %s SET ts = ?2 WHERE rowid = ?1", table);
	sqlite3_stmt *to;
	int64_t ts;
	size_t i;

	while (db_next(&st)) {
		ts = db_i64(st, 1);
		i = array_until(w->v, w->n, sizeof(*w->v),
		    offsetof(struct capture_span, end), num_sub(ts, 1));
		to = i < w->n && w->v[i].start <= num_add(ts, db_i64(st, 2))
			 ? move
			 : drop;
		ts = num_add(ts, by);
		sqlite3_bind_int64(to, 1, db_i64(st, 0));
		if (to == move)
			sqlite3_bind_int64(to, 2, ts);
		kineto_run(k, to);
		if (to == move && ts < k->first)
			k->first = ts;
	}
	sqlite3_finalize(drop);
	sqlite3_finalize(move);
}

void
kineto_move_before(struct kineto *k, int64_t op, int64_t call)
{
	struct windows w = { 0 };
	int64_t end, by = 0;

	read_windows(k, call, &w);
	end = db_number(k->db,
	    "SELECT max(e) FROM (SELECT max(ts + ifnull(dur, 0)) AS e FROM"
	    " kineto_op WHERE rowid >= %lld UNION ALL SELECT max(ts +"
	    " ifnull(dur, 0)) FROM kineto_call WHERE rowid >= %lld)",
	    (long long)op, (long long)call);
	if (end != EV_UNSET)
		by = num_sub(num_sub(k->begin, 1000), end);
	kineto_sql(k, "BEGIN");
	k->first = k->begin;
	move_rows(k, &w, "kineto_op", op, by);
	move_rows(k, &w, "kineto_call", call, by);
	kineto_sql(k, "COMMIT");
	free(w.v);
}
