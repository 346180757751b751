/*
 * TensorRT's ranges (domain TensorRT): ExecutionContext::enqueue around one
 * range for each layer of the engine, whose text is the layer's name. The
 * layer is the op.
 *
 *	/model/layer1/Conv_12 + /model/layer1/Relu
 *
 * With ProfilingVerbosity NONE the text is the layer's number. Source: the
 * developer guide of TensorRT and the texts in tests/data/markers.tab.
 */
#include "array.h"
#include "mk.h"

static const char *const calls[] = {
	"ExecutionContext::", "Engine::", "Builder::", "Runtime::"
};

/* The last part of the (first of the fused) names, without its number:
 * Conv of /model/layer1/Conv_12 + /model/layer1/Relu. */
static struct mview
layer_type(struct mview v)
{
	const char *s = v.s, *e = v.s + v.n, *p = mv_find(v, " + ");

	if (p != NULL && p > s)
		e = p;
	for (p = e; p > s && p[-1] != '/';)
		p--;
	if (p < e)
		s = p;
	for (p = e; p > s && mk_is_digit(p[-1]);)
		p--;
	if (p == s)
		return (struct mview){ "layer", 5 };
	if (p < e && p > s + 1 && (p[-1] == '_' || p[-1] == '.'))
		e = p - 1;
	return mv(s, e);
}

bool
mk_tensorrt(struct marker *marker)
{
	size_t i;

	if (marker->text.n == 0)
		return mk_group(marker, BY_TENSORRT);
	for (i = 0; i < ARRAY_LEN(calls); i++)
		if (mv_starts(marker->text, calls[i]))
			return mk_group(marker, BY_TENSORRT);
	marker->kind = MK_OP;
	marker->by = BY_TENSORRT;
	marker->path = marker->text;
	marker->op = layer_type(marker->text);
	return true;
}
