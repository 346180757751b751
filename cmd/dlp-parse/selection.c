/*
 * Decides what the options select; see selection.h.
 *
 * --range: one pass over a profile's ranges, before the merge, finds the named
 * ones. A text can contain '@' and '/', so the whole argument is tried first.
 * Only if no range has that text, a number and a domain are split off its end.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "cols.h"
#include "drop.h"
#include "num.h"
#include "profile.h"
#include "selection.h"

struct range_want {
	const char *arg;
	size_t len;          /* of the text without domain and number */
	struct mview domain; /* NULL: any */
	int64_t nth;         /* -1: all */
	bool found;
};

struct range_span {
	const struct profile *p;
	int64_t pid, lo, hi;
};

void
asked_range(void *to, const char *arg)
{
	struct selection *sel = to;
	struct range_want *w;
	size_t n = strlen(arg), i = n;
	const char *at;

	if (*arg == '\0')
		die("--range: the name is empty");
	sel->wants = xrealloc(sel->wants, sel->nwants + 1, sizeof(*w));
	w = &sel->wants[sel->nwants++];
	sel->any = true;
	*w = (struct range_want){ .arg = arg, .nth = -1 };
	while (i > 0 && arg[i - 1] >= '0' && arg[i - 1] <= '9')
		i--;
	if (i > 1 && i < n && arg[i - 1] == '/' &&
	    num_i64(arg + i, n - i, &w->nth))
		n = i - 1;
	w->len = n;
	for (at = arg + n; at > arg && at[-1] != '@'; at--)
		;
	if (at > arg + 1) {
		w->len = (size_t)(at - arg) - 1;
		w->domain = mv(at, arg + n);
	}
}

/* Whether the range is one that the argument names: by all of its text, or by
 * the text without domain and number. */
static bool
is_named(struct profile *p, const struct event *ev, const struct range_want *w,
    bool whole)
{
	struct buf *b = &p->run->sel.text;
	size_t len = whole ? strlen(w->arg) : w->len;
	struct mview text = { ev->text, ev->text_len };
	const char *domain = ev->range.domain;

	if (ev->kind != EV_RANGE || (ev->text == NULL && ev->name == EV_UNSET))
		return false;
	if (ev->text == NULL) {
		buf_clear(b);
		if (!p->dialect->string(p->ctx, ev->name, b))
			return false;
		text = (struct mview){ b->s, b->len };
	}
	if (text.n != len || (len > 0 && memcmp(text.s, w->arg, len) != 0))
		return false;
	return whole || w->domain.s == NULL ||
	       mv_eq(w->domain, *domain != '\0' ? domain : "default");
}

/* All ranges with the text, or only the nth of them, from 0. */
static bool
find_range(
    struct profile *p, struct cursor *c, struct range_want *w, bool whole)
{
	struct selection *sel = &p->run->sel;
	int64_t n = 0;
	bool found = false;

	c->row = 0;
	c->end = false;
	cursor_open(c);
	for (cursor_next(c); c->live; cursor_next(c)) {
		if (!is_named(p, &c->ev, w, whole))
			continue;
		if (whole || w->nth < 0 || n == w->nth) {
			ARRAY_GROW(sel->spans, sel->nspans, sel->cap_spans);
			sel->spans[sel->nspans++] = (struct range_span){ p,
				c->ev.pid, c->ev.start,
				c->ev.end == EV_UNSET ? INT64_MAX : c->ev.end };
			found = true;
		}
		n++;
	}
	cursor_close(c);
	c->row = 0;
	c->end = false;
	return found;
}

void
range_find(struct profile *p)
{
	struct selection *sel = &p->run->sel;
	uint64_t bad = p->sources.bad_rows;
	struct range_want *w;
	int i;

	for (w = sel->wants; w < sel->wants + sel->nwants; w++)
		for (i = 0; i < p->ncur; i++)
			if (p->cur[i].src->kind == EV_RANGE &&
			    (find_range(p, &p->cur[i], w, true) ||
				find_range(p, &p->cur[i], w, false)))
				w->found = true;
	p->sources.bad_rows = bad; /* the merge reads these rows again */
}

static int
by_place(const void *va, const void *vb)
{
	const struct range_span *a = va, *b = vb;

	return CMP3(a, b, p->no, pid, lo);
}

void
range_check(struct selection *sel)
{
	struct range_span *v = sel->spans;
	size_t i, n = 0;

	for (i = 0; i < sel->nwants; i++)
		if (!sel->wants[i].found)
			die("--range: no range '%s' in the profile",
			    sel->wants[i].arg);
	if (sel->nspans == 0)
		return;
	/* sorts the spans and joins those that overlap */
	qsort(v, sel->nspans, sizeof(*v), by_place);
	for (i = 0; i < sel->nspans; i++) {
		if (n == 0 || v[n - 1].p != v[i].p ||
		    v[n - 1].pid != v[i].pid || v[i].lo > v[n - 1].hi)
			v[n++] = v[i];
		else if (v[i].hi > v[n - 1].hi)
			v[n - 1].hi = v[i].hi;
	}
	sel->nspans = n;
}

/* True if [lo, hi] touches a named range of the process, or no range is named.
 * Without a process, any of the profile's ranges will do. */
static bool
range_inside(const struct profile *p, int64_t pid, int64_t lo, int64_t hi)
{
	const struct selection *sel = &p->run->sel;
	const struct range_span *v = sel->spans;
	struct range_span key = { p, pid, lo, 0 };
	size_t a = 0, b = sel->nspans, mid;

	if (sel->nwants == 0)
		return true;
	if (pid == EV_UNSET) {
		for (; a < sel->nspans; a++)
			if (v[a].p == p && lo < v[a].hi && hi >= v[a].lo)
				return true;
		return false;
	}
	while (a < b) { /* the first span of the process that ends after lo */
		mid = a + (b - a) / 2;
		if (by_place(&v[mid], &key) < 0 &&
		    (v[mid].p != p || v[mid].pid != pid || v[mid].hi <= lo))
			a = mid + 1;
		else
			b = mid;
	}
	return a < sel->nspans && v[a].p == p && v[a].pid == pid &&
	       hi >= v[a].lo;
}

/* opt: the option, whose items are numbers; NULL: they are words. */
static void
asked_items(struct selection *sel, struct asked_list *l, const char *opt,
    const char *arg)
{
	int i;

	l->v = cli_list(arg, &l->n);
	l->seen = xcalloc((size_t)l->n + 1, sizeof(*l->seen));
	l->num = xcalloc((size_t)l->n + 1, sizeof(*l->num));
	for (i = 0; i < l->n && opt != NULL; i++)
		if (!num_i64(l->v[i], strlen(l->v[i]), &l->num[i]))
			die("--%s: bad number '%s'", opt, l->v[i]);
	sel->any = true;
}

void
asked_device(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(sel, &sel->devices, "device", arg);
}

void
asked_pid(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(sel, &sel->pids, "pid", arg);
}

void
asked_stream(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(sel, &sel->streams, "stream", arg);
}

void
asked_domain(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(sel, &sel->domains, NULL, arg);
}

void
asked_type(void *to, const char *arg)
{
	/* that only databases with ops have */
	static const char *const of_ops[] = { "finding", "inst", "op" };
	struct selection *sel = to;
	struct asked_list *l = *arg == '^' ? &sel->unasked : &sel->types;
	const struct type_def *t;
	bool any = sel->any;
	int i;

	asked_items(sel, l, NULL, arg + (*arg == '^'));
	sel->any = any;
	for (i = 0; i < l->n; i++) {
		t = type_find(l->v[i]);
		if (t == NULL ||
		    (strcmp(t->by, "dlp-parse") != 0 &&
			!mv_listed(mv(l->v[i], l->v[i] + strlen(l->v[i])),
			    of_ops, ARRAY_LEN(of_ops))))
			die("--type: no such record type '%s'", l->v[i]);
	}
}

/* A number with an optional unit. */
static void
set_time(struct selection *sel, int64_t *t, const char *opt, const char *arg)
{
	size_t n = strlen(arg);
	double v;

	if (!num_i64(arg, n, t)) {
		if (!num_with_unit(arg, n, NUM_TIME, &v) || v < -9e18 ||
		    v > 9e18)
			die("--%s: bad time '%s' (a number of ns, or with s,"
			    " ms, us)",
			    opt, arg);
		*t = (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
	}
	if (sel->from >= sel->until)
		die("--end is not after --start, so there is nothing between"
		    " them");
	sel->any = true;
}

void
asked_start(void *to, const char *arg)
{
	struct selection *sel = to;

	set_time(sel, &sel->from, "start", arg);
}

void
asked_end(void *to, const char *arg)
{
	struct selection *sel = to;

	set_time(sel, &sel->until, "end", arg);
}

static const char *const kind_type[EV_KINDS] = { "inst", "range", "mark", "lib",
	"os", "node", "call", "kern", "copy", "set", "sync", "graph", "event",
	"mem", "over", "sample", "series", "diag", "inst" };

static bool
in_num(const struct asked_list *l, int64_t v)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (l->num[i] == v)
			return l->seen[i] = true;
	return false;
}

static bool
in_text(const struct asked_list *l, const char *s)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (strcmp(l->v[i], s) == 0)
			return l->seen[i] = true;
	return false;
}

void
select_init(struct selection *sel)
{
	memset(sel, 0, sizeof(*sel));
	sel->from = INT64_MIN;
	sel->until = INT64_MAX;
}

bool
select_type(struct selection *sel, const char *type)
{
	return (sel->types.n == 0 || in_text(&sel->types, type)) &&
	       !in_text(&sel->unasked, type) && !drop_is_unread(type);
}

bool
select_kind(struct selection *sel, enum ev_kind kind)
{
	signed char *known = &sel->kind_known[kind];

	if (*known == 0)
		*known = select_type(sel, kind_type[kind]) ? 1 : -1;
	return *known > 0;
}

const char *
select_name(enum ev_kind kind)
{
	return kind_type[kind];
}

bool
select_source(struct selection *sel, const struct ev_source *s)
{
	int k;

	/* needed, because runs say when the run of a work record began */
	if (s->kind == EV_RUN || s->kind == EV_RUN_END)
		return true;
	if (s->kind == EV_CALL && sel->no_calls)
		return false;
	if (s->kind != EV_CALL && !EV_IS_GPU(s->kind))
		return select_kind(sel, s->kind) ||
		       (s->kind == EV_RANGE && select_kind(sel, EV_MARK));
	for (k = EV_CALL; k <= EV_GRAPH; k++)
		if (select_kind(sel, (enum ev_kind)k))
			return true;
	return false;
}

bool
select_scan(struct selection *sel, const struct ev_source *s)
{
	if (select_source(sel, s))
		return true;
	if (s->kind == EV_RANGE) /* NVTX also names threads */
		return sel->nwants > 0 || select_type(sel, "thread");
	return ((s->kind == EV_CALL && !sel->no_calls) || EV_IS_GPU(s->kind)) &&
	       (select_type(sel, "proc") || select_type(sel, "thread"));
}

bool
select_asked(struct selection *sel, enum ev_kind kind)
{
	return sel->types.n > 0 && select_kind(sel, kind);
}

bool
select_device(struct selection *sel, int64_t dev)
{
	return sel->devices.n == 0 || in_num(&sel->devices, dev);
}

bool
select_pid(struct selection *sel, int64_t pid)
{
	return sel->pids.n == 0 || in_num(&sel->pids, pid);
}

bool
select_event(
    const struct profile *p, const struct event *ev, const struct event *call)
{
	struct selection *sel = &p->run->sel;
	int64_t pid = ev->pid, lo, hi;
	const char *domain;
	bool ok;

	if (!select_kind(sel, ev->kind))
		return false;
	if (!sel->any)
		return true;
	if (pid == EV_UNSET && call != NULL)
		pid = call->pid;
	/* ask every list, because each remembers what it has matched */
	ok = select_pid(sel, pid);
	if (sel->domains.n > 0 &&
	    (ev->kind == EV_RANGE || ev->kind == EV_MARK)) {
		domain = ev->range.domain;
		ok &= in_text(
		    &sel->domains, *domain != '\0' ? domain : "default");
	}
	if (EV_IS_GPU(ev->kind) && sel->streams.n > 0)
		ok &= in_num(&sel->streams, ev->gpu.stream);
	if (EV_IS_GPU(ev->kind))
		ok &= select_device(sel, ev->gpu.dev);
	else if (ev->kind == EV_EVENT)
		ok &= select_device(sel, ev->event.dev);
	else if (ev->kind == EV_MEM)
		ok &= select_device(sel, ev->mem.dev);
	if (!ok)
		return false;
	/* The time of the launch decides. A range is selected if any part of it
	 * lies inside, so that selected work keeps the ranges around it. */
	lo = hi = call != NULL ? call->start : ev->start;
	if (ev->kind == EV_RANGE)
		hi = ev->end == EV_UNSET ? INT64_MAX : ev->end;
	if (hi < sel->from || lo >= sel->until || (hi == sel->from && lo < hi))
		return false;
	return range_inside(p, pid, lo, hi);
}

/* True if records of a type that has streams, or domains, are read. */
static bool
judged(struct selection *sel, const struct asked_list *l)
{
	int k;

	if (l == &sel->domains)
		return select_kind(sel, EV_RANGE) || select_kind(sel, EV_MARK);
	for (k = EV_KERN; l == &sel->streams && k <= EV_GRAPH; k++)
		if (select_kind(sel, (enum ev_kind)k))
			return true;
	return l != &sel->streams;
}

void
select_say_unseen(struct selection *sel)
{
	const struct {
		struct asked_list *list;
		const char *name;
	} lists[] = { { &sel->devices, "device" }, { &sel->pids, "pid" },
		{ &sel->streams, "stream" }, { &sel->domains, "domain" } };
	struct buf b = { 0 };
	size_t k;
	int i;

	for (k = 0; k < ARRAY_LEN(lists); k++)
		for (i = 0; i < lists[k].list->n; i++) {
			if (lists[k].list->seen[i] ||
			    !judged(sel, lists[k].list))
				continue;
			buf_puts(&b, b.len > 0 ? ", --" : "--");
			buf_puts(&b, lists[k].name);
			buf_putc(&b, ' ');
			buf_puts(&b, lists[k].list->v[i]);
		}
	if (b.len > 0)
		warn("nothing in the profile matches %.900s", buf_str(&b));
	buf_free(&b);
}
