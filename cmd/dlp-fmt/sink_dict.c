/*
 * PyProf's .dict: a Python dict per kernel, with its keys in its order. The
 * columns are those of DICT_COLS, in that order; the rows must come in the
 * order of the kernel table, since PyProf's sub ids follow from it.
 */
#include "err.h"
#include "esc.h"
#include "fmt.h"
#include "pymark.h"
#include "sink_dict.h"

enum { C_NAME, C_DUR, C_TID, C_DEV, C_STREAM, C_GRID, C_BLOCK, C_MARKERS };

static struct pymark mark;

static void
cut(struct buf *b, const char *word)
{
	size_t n = strlen(word), i = 0;

	while (b->len >= n && i <= b->len - n) {
		if (memcmp(b->s + i, word, n) != 0) {
			i++;
			continue;
		}
		memmove(b->s + i, b->s + i + n, b->len - i - n);
		b->len -= n;
	}
}

/* PyProf's short name: up to <, without some words, up to (. It did not know
 * Nsight's word for a namespace without a name, and was left with nothing. */
static void
short_name(struct buf *b, const char *s, size_t n)
{
	static const char *const drop[] = { "void ",
		"at::", "cuda::", "native::", "(anonymous namespace)::" };
	const char *e;
	size_t i;

	buf_clear(b);
	buf_put(b, s, n);
	cut(b, "<unnamed>::");
	e = b->len > 0 ? memchr(b->s, '<', b->len) : NULL;
	if (e != NULL)
		b->len = (size_t)(e - b->s);
	for (i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		cut(b, drop[i]);
	e = b->len > 0 ? memchr(b->s, '(', b->len) : NULL;
	if (e != NULL)
		b->len = (size_t)(e - b->s);
}

static void
put_key(const char *key)
{
	buf_puts(&out_buf, ", '");
	buf_puts(&out_buf, key);
	buf_puts(&out_buf, "': ");
}

static void
put_num(const char *key, const struct cell *v)
{
	put_key(key);
	if (v->s == NULL)
		buf_puts(&out_buf, "None");
	else
		buf_put(&out_buf, v->s, v->n);
}

static void
put_list(const char *key, const struct pylist *l)
{
	put_key(key);
	pyrepr_list(&out_buf, l);
}

/* 1,2,3 is (1, 2, 3). */
static void
put_dim(const char *key, const struct cell *v)
{
	size_t i;

	put_key(key);
	buf_putc(&out_buf, '(');
	for (i = 0; v->s != NULL && i < v->n; i++) {
		buf_putc(&out_buf, v->s[i]);
		if (v->s[i] == ',')
			buf_putc(&out_buf, ' ');
	}
	buf_putc(&out_buf, ')');
}

static void
put_marks(void)
{
	put_list("layer", &mark.layer);
	put_list("trace", &mark.trace);
	put_list("reprMarkers", &mark.repr);
	put_list("marker", &mark.marker);
	put_list("seqMarker", &mark.seq_marker);
	put_key("seqId");
	pyrepr_ints(&out_buf, mark.seq.v, mark.seq.n);
	put_key("subSeqId");
	buf_i64(&out_buf, mark.sub);
	put_key("altSeqId");
	pyrepr_ints(&out_buf, mark.alt.v, mark.alt.n);
	put_key("dir");
	buf_puts(&out_buf, mark.bwd ? "'bprop'" : "'fprop'");
	put_list("mod", &mark.mod);
	put_list("op", &mark.op);
}

static const char *
undo(struct buf *b, const struct cell *v)
{
	buf_clear(b);
	if (v->s != NULL)
		esc_undo(b, v->s, v->n);
	return v->s != NULL ? buf_str(b) : NULL;
}

static void
dict_row(struct fmt *f, const struct cell *v)
{
	static struct buf name, text;
	const char *json = undo(&text, &v[C_MARKERS]);

	pymark_kernel(&mark, json, text.len);
	(void)undo(&name, &v[C_NAME]);
	short_name(&f->tmp, buf_str(&name), name.len);
	buf_puts(&out_buf, "{'kShortName': ");
	pyrepr_str(&out_buf, f->tmp.s, f->tmp.len);
	put_num("kDuration", &v[C_DUR]);
	put_marks();
	put_num("tid", &v[C_TID]);
	put_num("device", &v[C_DEV]);
	put_num("stream", &v[C_STREAM]);
	put_dim("grid", &v[C_GRID]);
	put_dim("block", &v[C_BLOCK]);
	put_key("kLongName");
	pyrepr_str(&out_buf, name.s, name.len);
	buf_puts(&out_buf, "}\n");
}

static void
dict_begin(struct fmt *f)
{
	(void)f;
}

static void
dict_end(struct fmt *f)
{
	(void)f;
	if (mark.damaged > 0)
		warn("argument markers that are no Python dicts: %llu",
		    (unsigned long long)mark.damaged);
}

const struct sink sink_dict = { "dict", dict_begin, dict_row, dict_end };
