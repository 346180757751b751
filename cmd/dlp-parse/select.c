/* What is written; see select.h. */
#include <string.h>

#include "asked.h"
#include "buf.h"
#include "err.h"
#include "select.h"
#include "select_range.h"

static const char *const kind_type[EV_KINDS] = { "inst", "range", "mark", "lib",
	"os", "node", "call", "kern", "copy", "set", "sync", "graph", "mem",
	"over", "diag", "inst" };

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

bool
select_type(const char *type)
{
	return asked.types.n == 0 || in_text(&asked.types, type);
}

bool
select_kind(enum ev_kind kind)
{
	static signed char known[EV_KINDS];

	if (known[kind] == 0)
		known[kind] = select_type(kind_type[kind]) ? 1 : -1;
	return known[kind] > 0;
}

const char *
select_name(enum ev_kind kind)
{
	return kind_type[kind];
}

bool
select_source(const struct source *s)
{
	int k;

	/* they say when the runs began that work belongs to */
	if (s->kind == EV_RUN || s->kind == EV_RUN_END)
		return true;
	if (s->kind != EV_CALL && !EV_IS_GPU(s->kind))
		return select_kind(s->kind) ||
		       (s->kind == EV_RANGE && select_kind(EV_MARK));
	for (k = EV_CALL; k <= EV_GRAPH; k++)
		if (select_kind((enum ev_kind)k))
			return true;
	return false;
}

bool
select_scan(const struct source *s)
{
	if (select_source(s))
		return true;
	if (s->kind == EV_RANGE) /* NVTX names threads, too */
		return range_wanted() || select_type("thread");
	return (s->kind == EV_CALL || EV_IS_GPU(s->kind)) &&
	       (select_type("proc") || select_type("thread"));
}

bool
select_asked(enum ev_kind kind)
{
	return asked.types.n > 0 && select_kind(kind);
}

/* The time that decides is that of the launch. A range counts if any of it
 * lies inside, so that what is inside keeps the ranges around it. */
static bool
in_time(
    const struct profile *p, const struct event *ev, const struct event *call)
{
	int64_t lo = call != NULL ? call->start : ev->start, hi = lo, pid;

	if (ev->kind == EV_RANGE)
		hi = ev->end == EV_UNSET ? INT64_MAX : ev->end;
	if (hi < asked.from || lo >= asked.until ||
	    (hi == asked.from && lo < hi))
		return false;
	pid = ev->pid == EV_UNSET && call != NULL ? call->pid : ev->pid;
	return range_inside(p, pid, lo, hi);
}

static bool
on_device(const struct event *ev)
{
	bool ok = true;
	int64_t dev;

	if (EV_IS_GPU(ev->kind)) {
		ok = asked.streams.n == 0 ||
		     in_num(&asked.streams, ev->gpu.stream);
		dev = ev->gpu.dev;
	} else if (ev->kind == EV_MEM)
		dev = ev->mem.dev;
	else
		return true;
	return select_device(dev) && ok;
}

static bool
in_domain(const struct event *ev)
{
	const char *d;

	if (ev->kind != EV_RANGE && ev->kind != EV_MARK)
		return true;
	d = ev->range.domain;
	return in_text(&asked.domains, *d != '\0' ? d : "default");
}

bool
select_device(int64_t dev)
{
	return asked.devices.n == 0 || in_num(&asked.devices, dev);
}

bool
select_pid(int64_t pid)
{
	return asked.pids.n == 0 || in_num(&asked.pids, pid);
}

bool
select_event(
    const struct profile *p, const struct event *ev, const struct event *call)
{
	int64_t pid = ev->pid;
	bool ok;

	if (!select_kind(ev->kind))
		return false;
	if (!asked.any)
		return true;
	if (pid == EV_UNSET && call != NULL)
		pid = call->pid;
	/* each list is asked, so that it knows what it has seen */
	ok = select_pid(pid);
	if (asked.domains.n > 0 && !in_domain(ev))
		ok = false;
	return on_device(ev) && ok && in_time(p, ev, call);
}

/* Whether records of the types that have streams, or domains, are read. */
static bool
judged(const struct asked_list *l)
{
	int k;

	if (l == &asked.domains)
		return select_kind(EV_RANGE) || select_kind(EV_MARK);
	for (k = EV_KERN; l == &asked.streams && k <= EV_GRAPH; k++)
		if (select_kind((enum ev_kind)k))
			return true;
	return l != &asked.streams;
}

void
select_say_unseen(void)
{
	static const struct {
		const struct asked_list *list;
		const char *name;
	} lists[] = { { &asked.devices, "device" }, { &asked.pids, "pid" },
		{ &asked.streams, "stream" }, { &asked.domains, "domain" } };
	struct buf b = { 0 };
	size_t k;
	int i;

	for (k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (i = 0; i < lists[k].list->n; i++) {
			if (lists[k].list->seen[i] || !judged(lists[k].list))
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
