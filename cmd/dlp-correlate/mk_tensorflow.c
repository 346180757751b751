/*
 * TensorFlow's ranges, of NVIDIA's builds (TF_ENABLE_NVTX_RANGES, domain
 * tensorflow-core): the op and its node,
 *
 *	MatMul: dense/MatMul
 *
 * or with details (TF_ENABLE_NVTX_RANGES_DETAILED)
 *
 *	{"op":"MatMul","name":"dense/MatMul","args":[{"name":"x",
 *	 "shape":[64,512]},...],"attrs":{"T":"float32",...}}
 *
 * Strings in the details are not always escaped. Such a text is no JSON: op
 * and name are looked for as plain text then, and the rest is lost. Source:
 * tensorflow/core/profiler/nvtx_utils.h and the texts in
 * tests/data/markers.tab.
 */
#include "mk.h"

/* "key":"VALUE", unchanged. */
static struct mview
look_for(struct mview text, const char *key)
{
	const char *e = text.s + text.n, *p = mv_find(text, key), *q;
	size_t n = strlen(key);

	if (p == NULL)
		return mv(NULL, NULL);
	q = memchr(p + n, '"', (size_t)(e - p) - n);
	return q != NULL ? mv(p + n, q) : mv(NULL, NULL);
}

static bool
set_op(struct marker *m, struct mview op, struct mview path)
{
	m->kind = MK_OP;
	m->by = BY_TENSORFLOW;
	m->op = op;
	m->path = path;
	m->name = path.n > 0 ? path : op;
	return true;
}

static bool
detailed(struct marker *marker)
{
	struct mview op, path;
	const struct json_doc *j = mk_json(marker->in, marker->text);
	int o, p;

	if (j != NULL) {
		o = json_get(j, 0, "op");
		p = json_get(j, 0, "name");
		if (o < 0)
			return false;
		marker->args = marker->text;
		return set_op(marker, json_raw(j, o),
		    p >= 0 ? json_raw(j, p) : mv(NULL, NULL));
	}
	marker->flags |= MK_DAMAGED;
	op = look_for(marker->text, "\"op\":\"");
	path = look_for(marker->text, "\"name\":\"");
	if (op.n > 0)
		return set_op(marker, op, path);
	marker->kind = MK_BROKEN;
	marker->by = BY_TENSORFLOW;
	return true;
}

bool
mk_tf_op(struct marker *marker)
{
	const char *p, *e = marker->text.s + marker->text.n;

	if (mv_starts(marker->text, "{\"op\":"))
		return detailed(marker);
	if (marker->text.n > 0 && marker->text.s[0] == '{')
		return false;
	p = mv_find(marker->text, ": ");
	if (p == NULL || p == marker->text.s ||
	    memchr(marker->text.s, ' ', (size_t)(p - marker->text.s)) != NULL)
		return mk_group(marker, BY_TENSORFLOW);
	return set_op(marker, mv(marker->text.s, p), mv(p + 2, e));
}

bool
mk_tf_args(struct markers *ms, struct mview text, struct buf *shapes,
    struct buf *dtype, int *n_tensor)
{
	const struct json_doc *j = mk_json(ms, text);
	int args, attrs, t, i, s, end;

	if (j == NULL)
		return false;
	args = json_get(j, 0, "args");
	if (args >= 0 && json_type(j, args) == JSON_ARRAY) {
		buf_putc(shapes, '[');
		end = json_next(j, args);
		for (i = args + 1; i < end; i = json_next(j, i)) {
			s = json_get(j, i, "shape");
			if (s < 0)
				continue;
			if ((*n_tensor)++ > 0)
				buf_putc(shapes, ',');
			buf_put(shapes, json_raw(j, s).s, json_raw(j, s).n);
		}
		buf_putc(shapes, ']');
	}
	attrs = json_get(j, 0, "attrs");
	t = attrs >= 0 ? json_get(j, attrs, "T") : -1;
	if (t < 0 && attrs >= 0)
		t = json_get(j, attrs, "dtype");
	if (t >= 0)
		buf_put(dtype, json_raw(j, t).s, json_raw(j, t).n);
	return true;
}

/* NAME: <SIZE, SIZE> */
static void
put_tf_arg(const struct json_doc *j, int arg, struct buf *out)
{
	int name = json_get(j, arg, "name"), shape = json_get(j, arg, "shape");
	int i, end;
	struct mview v;

	if (shape < 0 || json_type(j, shape) != JSON_ARRAY)
		return;
	if (out->len > 0)
		buf_put(out, ", ", 2);
	if (name >= 0 && (v = json_raw(j, name)).n > 0) {
		buf_put(out, v.s, v.n);
		buf_put(out, ": ", 2);
	}
	buf_putc(out, '<');
	end = json_next(j, shape);
	for (i = shape + 1; i < end; i = json_next(j, i)) {
		v = json_raw(j, i);
		buf_puts(out, i > shape + 1 ? ", " : "");
		buf_put(out, v.s, v.n);
	}
	buf_putc(out, '>');
}

void
marker_tf_inputs(const struct marker *marker, struct buf *out)
{
	const struct json_doc *j;
	int args, i, end;

	if (marker->text.n == 0 || marker->text.s[0] != '{' ||
	    (j = mk_json(marker->in, marker->text)) == NULL)
		return;
	args = json_get(j, 0, "args");
	if (args < 0 || json_type(j, args) != JSON_ARRAY)
		return;
	end = json_next(j, args);
	for (i = args + 1; i < end; i = json_next(j, i))
		if (json_type(j, i) == JSON_OBJECT)
			put_tf_arg(j, i, out);
}
