/*
 * TensorRT (domain TensorRT): ExecutionContext::enqueue around one range per
 * layer of the engine, named as the layer: the layer is the op. With
 * verbosity NONE the name is the layer's number.
 */
#include "mk_parsers.h"

static const char *const calls[] = {
	"ExecutionContext::", "Engine::", "Builder::", "Runtime::"
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
group(struct marker *m)
{
	m->kind = MK_USER;
	m->by = BY_TENSORRT;
	m->flags |= MK_GROUP;
	return true;
}

bool
mk_myelin(struct marker *m)
{
	return group(m);
}

/* The last part of the (first of the fused) names, without its number:
 * Conv of /model/layer1/Conv_12 + /model/layer1/Relu. */
static struct mview
type_of(struct mview v)
{
	const char *s = v.s, *e = v.s + v.n, *p = mv_find(v, " + ");

	if (p != NULL && p > s)
		e = p;
	for (p = e; p > s && p[-1] != '/';)
		p--;
	if (p < e)
		s = p;
	for (p = e; p > s && is_digit(p[-1]);)
		p--;
	if (p == s)
		return (struct mview){ "layer", 5 };
	if (p < e && p > s + 1 && (p[-1] == '_' || p[-1] == '.'))
		e = p - 1;
	return mv(s, e);
}

bool
mk_tensorrt(struct marker *m)
{
	size_t i;

	if (m->text.n == 0)
		return group(m);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (mv_starts(m->text, calls[i]))
			return group(m);
	m->kind = MK_OP;
	m->by = BY_TENSORRT;
	m->path = m->text;
	m->op = type_of(m->text);
	return true;
}
