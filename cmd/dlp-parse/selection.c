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
#include "num.h"
#include "profile.h"
#include "selection.h"

struct range_want {
	const char *arg;
	size_t len;         /* of the text without domain and number */
	const char *domain; /* NULL: any */
	size_t domain_len;
	int64_t nth; /* -1: all */
	bool found;
};

struct range_span {
	const struct profile *p;
	int64_t pid, lo, hi;
};

static void
split_arg(struct range_want *w)
{
	const char *s = w->arg, *at;
	size_t n = strlen(s), i = n;

	while (i > 0 && s[i - 1] >= '0' && s[i - 1] <= '9')
		i--;
	if (i > 1 && i < n && s[i - 1] == '/' && num_i64(s + i, n - i, &w->nth))
		n = i - 1;
	w->len = n;
	for (at = s + n; at > s && at[-1] != '@'; at--)
		;
	if (at > s + 1) {
		w->len = (size_t)(at - s) - 1;
		w->domain = at;
		w->domain_len = n - (size_t)(at - s);
	}
}

void
asked_range(void *to, const char *arg)
{
	struct selection *sel = to;
	struct range_want *w;

	if (*arg == '\0')
		die("--range: the name is empty");
	sel->wants = xrealloc(sel->wants, sel->nwants + 1, sizeof(*w));
	w = &sel->wants[sel->nwants++];
	sel->any = true;
	memset(w, 0, sizeof(*w));
	w->arg = arg;
	w->nth = -1;
	split_arg(w);
}

static bool
has_text(struct profile *p, const struct event *ev, const char *s, size_t n)
{
	struct buf *b = &p->run->sel.text;

	if (ev->text != NULL)
		return ev->text_len == n && memcmp(ev->text, s, n) == 0;
	if (ev->name == EV_UNSET)
		return false;
	buf_clear(b);
	return p->dialect->string(p->ctx, ev->name, b) && b->len == n &&
	       (n == 0 || memcmp(b->s, s, n) == 0);
}

static bool
domain_is(const struct range_want *w, const char *domain)
{
	if (w->domain == NULL)
		return true;
	if (*domain == '\0')
		domain = "default";
	return strlen(domain) == w->domain_len &&
	       memcmp(domain, w->domain, w->domain_len) == 0;
}

static void
add_span(struct profile *p, const struct event *ev)
{
	struct selection *sel = &p->run->sel;
	struct range_span *s;

	ARRAY_GROW(sel->spans, sel->nspans, sel->cap_spans);
	s = &sel->spans[sel->nspans++];
	s->p = p;
	s->pid = ev->pid;
	s->lo = ev->start;
	s->hi = ev->end == EV_UNSET ? INT64_MAX : ev->end;
}

/* All ranges with the text, or only the nth of them, from 0. */
static bool
find_range(
    struct profile *p, struct cursor *c, struct range_want *w, bool whole)
{
	size_t len = whole ? strlen(w->arg) : w->len;
	int64_t n = 0;
	bool found = false;

	c->row = 0;
	c->end = false;
	cursor_open(c);
	for (cursor_next(c); c->live; cursor_next(c)) {
		if (c->ev.kind != EV_RANGE ||
		    !has_text(p, &c->ev, w->arg, len) ||
		    (!whole && !domain_is(w, c->ev.range.domain)))
			continue;
		if (whole || w->nth < 0 || n == w->nth) {
			add_span(p, &c->ev);
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

	if (a->p->no != b->p->no)
		return a->p->no < b->p->no ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return 0;
}

/* Sorts the spans and joins those that overlap. */
static void
tidy(struct selection *sel)
{
	struct range_span *spans = sel->spans;
	size_t i, n = 0;

	qsort(spans, sel->nspans, sizeof(*spans), by_place);
	for (i = 0; i < sel->nspans; i++) {
		if (n > 0 && spans[n - 1].p == spans[i].p &&
		    spans[n - 1].pid == spans[i].pid &&
		    spans[i].lo <= spans[n - 1].hi) {
			if (spans[i].hi > spans[n - 1].hi)
				spans[n - 1].hi = spans[i].hi;
		} else
			spans[n++] = spans[i];
	}
	sel->nspans = n;
}

void
range_check(struct selection *sel)
{
	struct range_want *w;

	for (w = sel->wants; w < sel->wants + sel->nwants; w++)
		if (!w->found)
			die("--range: no range '%s' in the profile", w->arg);
	if (sel->nspans > 0)
		tidy(sel);
}

bool
range_wanted(const struct selection *sel)
{
	return sel->nwants > 0;
}

/* The first span of the process that ends after lo. */
static const struct range_span *
first_after(const struct profile *p, int64_t pid, int64_t lo)
{
	const struct selection *sel = &p->run->sel;
	const struct range_span *spans = sel->spans;
	struct range_span key = { p, pid, lo, 0 };
	size_t a = 0, b = sel->nspans, mid;

	while (a < b) {
		mid = a + (b - a) / 2;
		if (by_place(&spans[mid], &key) < 0 &&
		    (spans[mid].p != p || spans[mid].pid != pid ||
			spans[mid].hi <= lo))
			a = mid + 1;
		else
			b = mid;
	}
	return a < sel->nspans ? &spans[a] : NULL;
}

/* True if [lo, hi] touches a named range of the process, or no range is named.
 * Without a process, any of the profile's ranges will do. */
static bool
range_inside(const struct profile *p, int64_t pid, int64_t lo, int64_t hi)
{
	const struct selection *sel = &p->run->sel;
	const struct range_span *s;

	if (sel->nwants == 0)
		return true;
	if (pid != EV_UNSET) {
		s = first_after(p, pid, lo);
		return s != NULL && s->p == p && s->pid == pid && hi >= s->lo;
	}
	for (s = sel->spans; s < sel->spans + sel->nspans; s++)
		if (s->p == p && lo < s->hi && hi >= s->lo)
			return true;
	return false;
}

static void
asked_items(struct asked_list *l, const char *arg)
{
	l->v = cli_list(arg, &l->n);
	l->seen = xcalloc((size_t)l->n + 1, sizeof(*l->seen));
}

static void
asked_numbers(struct asked_list *l, const char *opt)
{
	int i;

	l->num = xcalloc((size_t)l->n, sizeof(*l->num));
	for (i = 0; i < l->n; i++)
		if (!num_i64(l->v[i], strlen(l->v[i]), &l->num[i]))
			die("--%s: bad number '%s'", opt, l->v[i]);
}

/* Types that only databases with ops have. */
static bool
of_ops(const char *type)
{
	return strcmp(type, "op") == 0 || strcmp(type, "inst") == 0 ||
	       strcmp(type, "finding") == 0;
}

static void
check_types(const struct asked_list *l)
{
	const struct type_def *t;
	int i;

	for (i = 0; i < l->n; i++) {
		t = type_find(l->v[i]);
		if (t == NULL ||
		    (strcmp(t->by, "dlp-parse") != 0 && !of_ops(l->v[i])))
			die("--type: no such record type '%s'", l->v[i]);
	}
}

void
asked_device(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(&sel->devices, arg);
	asked_numbers(&sel->devices, "device");
	sel->any = true;
}

void
asked_pid(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(&sel->pids, arg);
	asked_numbers(&sel->pids, "pid");
	sel->any = true;
}

void
asked_stream(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(&sel->streams, arg);
	asked_numbers(&sel->streams, "stream");
	sel->any = true;
}

void
asked_domain(void *to, const char *arg)
{
	struct selection *sel = to;

	asked_items(&sel->domains, arg);
	sel->any = true;
}

void
asked_type(void *to, const char *arg)
{
	struct selection *sel = to;

	struct asked_list *l = *arg == '^' ? &sel->unasked : &sel->types;

	asked_items(l, arg + (*arg == '^'));
	check_types(l);
}

/* A number with an optional unit. */
static bool
time_arg(const char *s, int64_t *ns)
{
	size_t n = strlen(s);
	double v;

	if (num_i64(s, n, ns))
		return true;
	if (!num_with_unit(s, n, NUM_TIME, &v) || v < -9e18 || v > 9e18)
		return false;
	*ns = (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
	return true;
}

static void
set_time(struct selection *sel, int64_t *t, const char *opt, const char *arg)
{
	if (!time_arg(arg, t))
		die("--%s: bad time '%s' (a number of ns, or with s, ms, us)",
		    opt, arg);
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

static void
free_list(struct asked_list *l)
{
	free(l->v);
	free(l->num);
	free(l->seen);
}

void
select_free(struct selection *sel)
{
	free_list(&sel->devices);
	free_list(&sel->pids);
	free_list(&sel->streams);
	free_list(&sel->domains);
	free_list(&sel->types);
	free_list(&sel->unasked);
	free(sel->wants);
	free(sel->spans);
	buf_free(&sel->text);
}

bool
select_type(struct selection *sel, const char *type)
{
	return (sel->types.n == 0 || in_text(&sel->types, type)) &&
	       !in_text(&sel->unasked, type);
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
		return range_wanted(sel) || select_type(sel, "thread");
	return ((s->kind == EV_CALL && !sel->no_calls) || EV_IS_GPU(s->kind)) &&
	       (select_type(sel, "proc") || select_type(sel, "thread"));
}

bool
select_asked(struct selection *sel, enum ev_kind kind)
{
	return sel->types.n > 0 && select_kind(sel, kind);
}

/* The time of the launch decides. A range is selected if any part of it lies
 * inside, so that selected work keeps the ranges around it. */
static bool
in_time(
    const struct profile *p, const struct event *ev, const struct event *call)
{
	const struct selection *sel = &p->run->sel;
	int64_t lo = call != NULL ? call->start : ev->start, hi = lo, pid;

	if (ev->kind == EV_RANGE)
		hi = ev->end == EV_UNSET ? INT64_MAX : ev->end;
	if (hi < sel->from || lo >= sel->until || (hi == sel->from && lo < hi))
		return false;
	pid = ev->pid == EV_UNSET && call != NULL ? call->pid : ev->pid;
	return range_inside(p, pid, lo, hi);
}

static bool
on_device(struct selection *sel, const struct event *ev)
{
	bool ok = true;
	int64_t dev;

	if (EV_IS_GPU(ev->kind)) {
		ok = sel->streams.n == 0 ||
		     in_num(&sel->streams, ev->gpu.stream);
		dev = ev->gpu.dev;
	} else if (ev->kind == EV_EVENT)
		dev = ev->event.dev;
	else if (ev->kind == EV_MEM)
		dev = ev->mem.dev;
	else
		return true;
	return select_device(sel, dev) && ok;
}

static bool
in_domain(struct selection *sel, const struct event *ev)
{
	const char *d;

	if (ev->kind != EV_RANGE && ev->kind != EV_MARK)
		return true;
	d = ev->range.domain;
	return in_text(&sel->domains, *d != '\0' ? d : "default");
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
	int64_t pid = ev->pid;
	bool ok;

	if (!select_kind(sel, ev->kind))
		return false;
	if (!sel->any)
		return true;
	if (pid == EV_UNSET && call != NULL)
		pid = call->pid;
	/* ask every list, because each remembers what it has matched */
	ok = select_pid(sel, pid);
	if (sel->domains.n > 0 && !in_domain(sel, ev))
		ok = false;
	return on_device(sel, ev) && ok && in_time(p, ev, call);
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
