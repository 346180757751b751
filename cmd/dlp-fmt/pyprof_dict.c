/*
 * PyProf's .dict: a Python dict per kernel, with its keys in its order. The
 * rows must come in the order of the kernel table, since PyProf's sub ids
 * follow from it.
 *
 * In profiles that PyProf could not read, keys of ours follow: 'dlp',
 * 'dlpNode' and 'dlpRanges', flat lists of what PyProf's keys have no place
 * for (dlp-markers -a). dlp-parse reads them.
 */
#include "err.h"
#include "esc.h"
#include "fmt.h"
#include "pylit.h"
#include "pylit_json.h"
#include "pyprof_mark.h"
#include "utf8.h"

#define DICT_COLS "name,dur_ns,tid,dev,stream,grid,block,markers"
#define OWN_COLS                                                               \
	"marker_ns,idx,short,loose_markers,pid,start_ns,api_start_ns,"         \
	"api_dur_ns,node_from"

/* The columns, in that order. */
enum {
	C_NAME,
	C_DUR,
	C_TID,
	C_DEV,
	C_STREAM,
	C_GRID,
	C_BLOCK,
	C_MARKERS,
	C_TIMES,
	C_IDX,
	C_SHORT,
	C_LOOSE,
	C_PID,
	C_START,
	C_API,
	C_API_DUR,
	C_NODE
};

struct dict_sink {
	struct pymark mark;
	bool with_own; /* the profile is one that PyProf could not read */
	struct buf name, text;
	struct buf range, loose;
};

/* Values as Python's repr() writes them. */

/* Control characters: Python has short escapes for three of them. */
static void
put_control(struct buf *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	buf_putc(out, '\\');
	if (c == '\n' || c == '\r' || c == '\t') {
		buf_putc(out, c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		return;
	}
	buf_putc(out, 'x');
	buf_putc(out, hex[c >> 4]);
	buf_putc(out, hex[c & 15]);
}

/* One character beyond ASCII; how many bytes it took. What Python does not
 * print, and bytes that are no UTF-8, get an escape. */
static int
put_wide(struct buf *out, const char *s, size_t n)
{
	long cp;
	int len = utf8_next(s, n, &cp);

	if (cp < 0) {
		put_control(out, (unsigned char)*s);
		return 1;
	}
	if (cp < 0xa1 || cp == 0xad)
		put_control(out, (unsigned char)cp);
	else if (utf8_hidden(cp))
		buf_printf(out, cp < 0x10000 ? "\\u%04lx" : "\\U%08lx",
		    (unsigned long)cp);
	else
		buf_put(out, s, (size_t)len);
	return len;
}

/* Double quotes where that saves escapes, as Python has it. */
static char
quote_for(const char *s, size_t n)
{
	return n > 0 && memchr(s, '\'', n) != NULL && memchr(s, '"', n) == NULL
		   ? '"'
		   : '\'';
}

static void
pyrepr_str(struct buf *out, const char *s, size_t n)
{
	char q = quote_for(s, n);
	const char *e = s + n;
	int len;

	buf_putc(out, q);
	for (; s < e; s += len) {
		unsigned char c = (unsigned char)*s;

		len = 1;
		if (*s == q || *s == '\\') {
			buf_putc(out, '\\');
			buf_putc(out, *s);
		} else if (c < 0x20 || c == 0x7f) {
			put_control(out, c);
		} else if (c < 0x80) {
			buf_putc(out, *s);
		} else {
			len = put_wide(out, s, (size_t)(e - s));
		}
	}
	buf_putc(out, q);
}

static void
pyrepr_list(struct buf *out, const struct pylist *l)
{
	size_t i;

	buf_putc(out, '[');
	for (i = 0; i < l->n; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		pyrepr_str(out, l->v[i].s, l->v[i].len);
	}
	buf_putc(out, ']');
}

static void
pyrepr_ints(struct buf *out, const int64_t *v, size_t n)
{
	size_t i;

	buf_putc(out, '[');
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		buf_i64(out, v[i]);
	}
	buf_putc(out, ']');
}

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
put_num(const char *key, const struct writer_cell *v)
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
put_dim(const char *key, const struct writer_cell *v)
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
put_marks(const struct pymark *mark)
{
	put_list("layer", &mark->layer);
	put_list("trace", &mark->trace);
	put_list("reprMarkers", &mark->repr);
	put_list("marker", &mark->marker);
	put_list("seqMarker", &mark->seq_marker);
	put_key("seqId");
	pyrepr_ints(&out_buf, mark->seq.v, mark->seq.n);
	put_key("subSeqId");
	buf_i64(&out_buf, mark->sub);
	put_key("altSeqId");
	pyrepr_ints(&out_buf, mark->alt.v, mark->alt.n);
	put_key("dir");
	buf_puts(&out_buf, mark->bwd ? "'bprop'" : "'fprop'");
	put_list("mod", &mark->mod);
	put_list("op", &mark->op);
}

static const char *
undo(struct buf *b, const struct writer_cell *v)
{
	buf_clear(b);
	if (v->s != NULL)
		esc_undo(b, v->s, v->n);
	return v->s != NULL ? buf_str(b) : NULL;
}

/* A profile that PyProf could read has its keys only. */
static void
dict_meta(struct fmt *f, const struct rec *r)
{
	static const char nsys[] = "##info\tdialect\tnsys";
	struct dict_sink *d = f->state;

	d->with_own |= r->len >= sizeof(nsys) - 1 &&
		       memcmp(r->line, nsys, sizeof(nsys) - 1) == 0;
}

static void
put_item(const struct writer_cell *v)
{
	buf_put(
	    &out_buf, v->s != NULL ? v->s : "None", v->s != NULL ? v->n : 4);
	buf_puts(&out_buf, ", ");
}

/* START, END, 'TEXT' of each range. */
static void
put_ranges(struct dict_sink *d, const char *texts, size_t n,
    const struct writer_cell *times)
{
	struct buf *text = &d->range;
	struct pylit l, t;
	struct pl_atom a, start, end;

	pl_init(&l, texts, n);
	pl_init(&t, times->s, times->n);
	if (!pl_enter(&l, '[') || !pl_enter(&t, '['))
		return;
	while (pl_item(&l) && pl_atom(&l, &a) && pl_item(&t) &&
	       pl_atom(&t, &start) && pl_item(&t) && pl_atom(&t, &end)) {
		buf_clear(text);
		pl_text(&a, text);
		buf_puts(&out_buf, ", ");
		buf_put(&out_buf, start.raw.s, start.raw.n);
		buf_puts(&out_buf, ", ");
		buf_put(&out_buf, end.raw.s, end.raw.n);
		buf_puts(&out_buf, ", ");
		pyrepr_str(&out_buf, text->s, text->len);
	}
}

/* PID, TID, START, END, 'TEXT' of each range that is around no launch. */
static void
put_loose(struct dict_sink *d, const struct writer_cell *v)
{
	struct buf *json = &d->loose, *text = &d->range;
	struct pylit l;
	struct pl_atom a;
	bool first = true;

	put_key("dlpRanges");
	buf_putc(&out_buf, '[');
	buf_clear(json);
	esc_undo(json, v->s, v->n);
	pl_init(&l, json->s, json->len);
	if (pl_enter(&l, '['))
		for (; pl_item(&l) && pl_atom(&l, &a); first = false) {
			buf_puts(&out_buf, first ? "" : ", ");
			if (a.kind != PL_STR) {
				buf_put(&out_buf, a.raw.s, a.raw.n);
				continue;
			}
			buf_clear(text);
			pl_text(&a, text);
			pyrepr_str(&out_buf, text->s, text->len);
		}
	buf_putc(&out_buf, ']');
}

/* Numbers, the short name, and the ranges around the launch. */
static void
put_own(struct fmt *f, const struct writer_cell *v, const char *texts, size_t n)
{
	static const int nums[] = { C_IDX, C_PID, C_START, C_API, C_API_DUR };
	size_t i;

	put_key("dlp");
	buf_putc(&out_buf, '[');
	for (i = 0; i < sizeof(nums) / sizeof(nums[0]); i++)
		put_item(&v[nums[i]]);
	buf_clear(&f->tmp);
	if (v[C_SHORT].s != NULL)
		esc_undo(&f->tmp, v[C_SHORT].s, v[C_SHORT].n);
	pyrepr_str(&out_buf, f->tmp.s, f->tmp.len);
	if (texts != NULL && v[C_TIMES].s != NULL)
		put_ranges(f->state, texts, n, &v[C_TIMES]);
	buf_putc(&out_buf, ']');
	if (v[C_NODE].s != NULL) { /* NODE, TID, TIME */
		put_key("dlpNode");
		buf_put(&out_buf, v[C_NODE].s, v[C_NODE].n);
	}
	if (v[C_LOOSE].s != NULL && v[C_LOOSE].n > 2)
		put_loose(f->state, &v[C_LOOSE]);
}

static void
dict_row(struct fmt *f, const struct writer_cell *v)
{
	struct dict_sink *d = f->state;
	const char *json = undo(&d->text, &v[C_MARKERS]);

	pymark_kernel(&d->mark, json, d->text.len);
	(void)undo(&d->name, &v[C_NAME]);
	short_name(&f->tmp, buf_str(&d->name), d->name.len);
	buf_puts(&out_buf, "{'kShortName': ");
	pyrepr_str(&out_buf, f->tmp.s, f->tmp.len);
	put_num("kDuration", &v[C_DUR]);
	put_marks(&d->mark);
	put_num("tid", &v[C_TID]);
	put_num("device", &v[C_DEV]);
	put_num("stream", &v[C_STREAM]);
	put_dim("grid", &v[C_GRID]);
	put_dim("block", &v[C_BLOCK]);
	put_key("kLongName");
	pyrepr_str(&out_buf, d->name.s, d->name.len);
	if (d->with_own && f->ncol > C_TIMES)
		put_own(f, v, json, d->text.len);
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
	const struct dict_sink *d = f->state;

	if (d->mark.damaged > 0)
		warn("argument markers that are no Python dicts: %llu",
		    (unsigned long long)d->mark.damaged);
}

const struct sink sink_dict = {
	.option = "--dict",
	.state = sizeof(struct dict_sink),
	.cols = DICT_COLS,
	.more = OWN_COLS,
	.meta = dict_meta,
	.begin = dict_begin,
	.row = dict_row,
	.end = dict_end,
};
