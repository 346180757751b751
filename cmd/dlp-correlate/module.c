/*
 * Modules out of a call stack: the frames CLASS::forward, outermost first.
 * Frames that were entered more than once carry a counter, which tells the
 * second Conv2d of a network from the first. It stands at different frames:
 * at the call of the module (Conv2d::_call_impl[2]/Conv2d::forward), at its
 * forward, or only at the function that does a module's work and has its name
 * (MaxPool2d::forward/max_pool2d[2]). A counter of any other function says
 * how often that one was called, and nothing of the module.
 */
#include "module.h"

#include <stdbool.h>
#include <string.h>

#define SAME_MIN 4 /* letters that make a part of a name the same name */

struct piece {
	const char *s;
	size_t n;
};

struct frame { /* CLASS::NAME[COUNT], each but NAME may be missing */
	struct piece cls, name, count;
};

/* Cuts the next frame off the stack. */
static bool
next_frame(const char **p, const char *e, struct frame *f)
{
	const char *s, *end, *q;

	while (*p < e && **p == '/')
		++*p;
	if ((s = *p) == e)
		return false;
	end = memchr(s, '/', (size_t)(e - s));
	*p = end = end != NULL ? end : e;
	memset(f, 0, sizeof(*f));
	if (end[-1] == ']') {
		for (q = end - 1; q > s && *q != '[';)
			q--;
		if (*q == '[') {
			f->count = (struct piece){ q, (size_t)(end - q) };
			end = q;
		}
	}
	for (q = end; q > s && q[-1] != ':';)
		q--;
	f->name = (struct piece){ q, (size_t)(end - q) };
	if (q - s > 2 && q[-2] == ':')
		f->cls = (struct piece){ s, (size_t)(q - s) - 2 };
	return true;
}

static bool
same(struct piece a, struct piece b)
{
	return a.n > 0 && a.n == b.n && b.s != NULL &&
	       memcmp(a.s, b.s, a.n) == 0;
}

static bool
is_forward(const struct frame *f)
{
	return f->cls.n > 0 && f->name.n == 7 &&
	       memcmp(f->name.s, "forward", 7) == 0;
}

/* The next letter of a name, small, over underscores; 0 at the end. */
static char
letter(const struct piece *p, size_t *i)
{
	char c;

	while (*i < p->n && p->s[*i] == '_')
		++*i;
	if (*i == p->n)
		return '\0';
	c = p->s[(*i)++];
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* max_pool2d and MaxPool2d; batch_norm and BatchNorm2d. */
static bool
is_named_after(struct piece fn, struct piece cls)
{
	size_t i = 0, k = 0, n = 0;
	char a, b;

	for (;; n++) {
		a = letter(&fn, &i);
		b = letter(&cls, &k);
		if (a != b || a == '\0')
			break;
	}
	return a == b ? n > 0 : n >= SAME_MIN && (a == '\0' || b == '\0');
}

struct walk {
	struct piece cls, count; /* of the frames lately, and their counter */
	struct piece mod;        /* the last module */
	bool bare;               /* which has no counter yet */
	bool forward;            /* the last frame was its forward */
};

static void
put(struct buf *out, struct piece p)
{
	buf_put(out, p.s, p.n);
}

static void
enter(struct buf *out, struct walk *w, const struct frame *f)
{
	if (w->forward && same(f->cls, w->mod))
		return; /* the forward of a base class */
	if (out->len > 0)
		buf_putc(out, '/');
	put(out, f->cls);
	put(out, w->count);
	w->mod = f->cls;
	w->bare = w->count.n == 0;
	w->count.n = 0;
	w->forward = true;
}

static void
step(struct buf *out, struct walk *w, const struct frame *f)
{
	if (!same(f->cls, w->cls))
		w->count.n = 0;
	w->cls = f->cls;
	if (f->count.n > 0)
		w->count = f->count;
	if (is_forward(f)) {
		enter(out, w, f);
		return;
	}
	w->forward = false;
	if (w->bare && f->count.n > 0 && is_named_after(f->name, w->mod)) {
		put(out, f->count);
		w->bare = false;
	}
}

void
module_path(struct buf *out, const char *func, size_t n)
{
	struct walk w = { 0 };
	const char *p = func;
	struct frame f;

	if (n == 0)
		return;
	while (next_frame(&p, func + n, &f))
		step(out, &w, &f);
}
