/*
 * --range: one pass over a profile's ranges finds the named ones, before
 * the merge. A text can hold '@' and '/': the whole argument is tried
 * first, and only if no range has that text are a number and a domain split
 * off its end.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "run.h"
#include "select_range.h"

struct want {
	const char *arg;
	size_t len;         /* of the text without domain and number */
	const char *domain; /* NULL: any */
	size_t domain_len;
	int64_t nth; /* -1: all */
	bool found;
};

struct span {
	const struct profile *p;
	int64_t pid, lo, hi;
};

static struct want *wants;
static size_t nwants;
static struct span *spans;
static size_t nspans, cap_spans;

static void
split(struct want *w)
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
range_add(const char *arg)
{
	struct want *w;

	if (*arg == '\0')
		die("--range: the name is empty");
	wants = xrealloc(wants, nwants + 1, sizeof(*wants));
	w = &wants[nwants++];
	memset(w, 0, sizeof(*w));
	w->arg = arg;
	w->nth = -1;
	split(w);
}

static bool
has_text(struct profile *p, const struct event *ev, const char *s, size_t n)
{
	static struct buf tmp;

	if (ev->text != NULL)
		return ev->text_len == n && memcmp(ev->text, s, n) == 0;
	if (ev->name == EV_UNSET)
		return false;
	buf_clear(&tmp);
	return p->dialect->string(p->ctx, ev->name, &tmp) && tmp.len == n &&
	       (n == 0 || memcmp(tmp.s, s, n) == 0);
}

static bool
domain_is(const struct want *w, const char *domain)
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
	struct span *s;

	if (nspans == cap_spans) {
		cap_spans = cap_spans ? cap_spans * 2 : 16;
		spans = xrealloc(spans, cap_spans, sizeof(*spans));
	}
	s = &spans[nspans++];
	s->p = p;
	s->pid = ev->pid;
	s->lo = ev->start;
	s->hi = ev->end == EV_UNSET ? INT64_MAX : ev->end;
}

/* All ranges with the text; the nth of them, from 0, if one is asked for. */
static bool
find(struct profile *p, struct cursor *c, struct want *w, bool whole)
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
	struct want *w;
	int i;

	for (w = wants; w < wants + nwants; w++)
		for (i = 0; i < p->ncur; i++)
			if (p->cur[i].src->kind == EV_RANGE &&
			    (find(p, &p->cur[i], w, true) ||
				find(p, &p->cur[i], w, false)))
				w->found = true;
}

static int
by_place(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	if (a->p->no != b->p->no)
		return a->p->no < b->p->no ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return 0;
}

/* Sorts the spans, and makes one of those that overlap. */
static void
tidy(void)
{
	size_t i, n = 0;

	qsort(spans, nspans, sizeof(*spans), by_place);
	for (i = 0; i < nspans; i++) {
		if (n > 0 && spans[n - 1].p == spans[i].p &&
		    spans[n - 1].pid == spans[i].pid &&
		    spans[i].lo <= spans[n - 1].hi) {
			if (spans[i].hi > spans[n - 1].hi)
				spans[n - 1].hi = spans[i].hi;
		} else
			spans[n++] = spans[i];
	}
	nspans = n;
}

void
range_check(void)
{
	struct want *w;

	for (w = wants; w < wants + nwants; w++)
		if (!w->found)
			die("--range: no range '%s' in the profile", w->arg);
	if (nspans > 0)
		tidy();
}

bool
range_wanted(void)
{
	return nwants > 0;
}

/* The first span of the process that ends after lo. */
static const struct span *
first_after(const struct profile *p, int64_t pid, int64_t lo)
{
	struct span key = { p, pid, lo, 0 };
	size_t a = 0, b = nspans, mid;

	while (a < b) {
		mid = a + (b - a) / 2;
		if (by_place(&spans[mid], &key) < 0 &&
		    (spans[mid].p != p || spans[mid].pid != pid ||
			spans[mid].hi <= lo))
			a = mid + 1;
		else
			b = mid;
	}
	return a < nspans ? &spans[a] : NULL;
}

bool
range_inside(const struct profile *p, int64_t pid, int64_t lo, int64_t hi)
{
	const struct span *s;

	if (nwants == 0)
		return true;
	if (pid != EV_UNSET) {
		s = first_after(p, pid, lo);
		return s != NULL && s->p == p && s->pid == pid && hi >= s->lo;
	}
	for (s = spans; s < spans + nspans; s++)
		if (s->p == p && lo < s->hi && hi >= s->lo)
			return true;
	return false;
}
