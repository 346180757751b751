/* Input shapes of a TensorFlow marker; see dl_tf.h. */
#include "dl_tf.h"

#include "mk_json.h"

static void
put_shape(const struct json *j, int shape, struct buf *out)
{
	int i, end = json_next(j, shape);
	struct mview v;

	buf_putc(out, '<');
	for (i = shape + 1; i < end; i = json_next(j, i)) {
		v = json_text(j, i);
		if (i > shape + 1)
			buf_put(out, ", ", 2);
		buf_put(out, v.s, v.n);
	}
	buf_putc(out, '>');
}

static void
put_arg(const struct json *j, int arg, struct buf *out)
{
	int name = json_get(j, arg, "name"), shape = json_get(j, arg, "shape");
	struct mview v;

	if (shape < 0 || j->tok[shape].type != JSMN_ARRAY)
		return;
	if (out->len > 0)
		buf_put(out, ", ", 2);
	if (name >= 0 && (v = json_text(j, name)).n > 0) {
		buf_put(out, v.s, v.n);
		buf_put(out, ": ", 2);
	}
	put_shape(j, shape, out);
}

void
dl_tf_shapes(struct mview text, struct buf *out)
{
	struct json j;
	int args, i, end;

	if (text.n == 0 || text.s[0] != '{' || !json_parse(&j, text))
		return;
	args = json_get(&j, 0, "args");
	if (args < 0 || j.tok[args].type != JSMN_ARRAY)
		return;
	end = json_next(&j, args);
	for (i = args + 1; i < end; i = json_next(&j, i))
		if (j.tok[i].type == JSMN_OBJECT)
			put_arg(&j, i, out);
}
