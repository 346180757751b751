/* Trace markers: the call trace, and DLProf's name of an op. */
#include "marker.h"
#include "pylit.h"
#include "pylit_json.h"

#define TEXT_MAX 1000000

/* "(2)" at s? Its length, or 0. */
static size_t
counter(const char *s, const char *e)
{
	const char *p = s + 1;

	while (p < e && *p >= '0' && *p <= '9')
		p++;
	return p > s + 1 && p < e && *p == ')' ? (size_t)(p + 1 - s) : 0;
}

/* /<module>/A::f(2) becomes /module/A::f[2]. */
static void
put_func(struct buf *out, const char *s, size_t n)
{
	const char *e = s + n;

	while (s < e) {
		size_t k = *s == '(' ? counter(s, e) : 0;

		if (k > 0) {
			buf_putc(out, '[');
			buf_put(out, s + 1, k - 2);
			buf_putc(out, ']');
			s += k;
			continue;
		}
		if (*s != '<' && *s != '>')
			buf_putc(out, *s);
		s++;
	}
}

static void
func_stack(struct pylit *l, struct buf *func)
{
	static struct buf tmp;
	struct pl_atom a;

	if (!pl_atom(l, &a) || func == NULL)
		return;
	buf_clear(&tmp);
	pl_text(&a, &tmp);
	put_func(func, tmp.s, tmp.len);
}

static void
trace_list(struct pylit *l, struct buf *stack)
{
	struct pl_atom a;
	bool first = true;

	if (!pl_enter(l, '\0'))
		return;
	while (pl_item(l)) {
		if (!pl_atom(l, &a))
			return;
		if (stack == NULL)
			continue;
		if (!first)
			buf_putc(stack, ',');
		first = false;
		pl_text(&a, stack);
	}
}

static bool
read_trace(struct pylit *l, struct buf *stack, struct buf *func)
{
	struct mview key;

	if (!pl_enter(l, '{'))
		return false;
	while (pl_key(l, &key)) {
		if (mv_eq(key, "traceMarker"))
			trace_list(l, stack);
		else if (mv_eq(key, "funcStack"))
			func_stack(l, func);
		else
			pl_skip(l);
	}
	return !l->bad && pl_peek(l) == '\0';
}

bool
marker_trace(const struct marker *m, struct buf *stack, struct buf *func)
{
	size_t ns = stack != NULL ? stack->len : 0;
	size_t nf = func != NULL ? func->len : 0;
	struct pylit l;

	pl_init(&l, m->text.s, m->text.n);
	if (m->kind == MK_TRACE && m->text.n <= TEXT_MAX &&
	    read_trace(&l, stack, func))
		return true;
	if (stack != NULL)
		stack->len = ns;
	if (func != NULL)
		func->len = nf;
	return false;
}
