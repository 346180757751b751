/*
 * PyProf's .dict: a Python dict per kernel, with its keys in its order. The
 * rows must come in the order of the kernel table, because PyProf's sub ids
 * follow from it.
 *
 * In profiles that PyProf could not read, keys of ours follow: 'dlp', 'dlpNode'
 * and 'dlpRanges', flat lists of values for which PyProf has no keys
 * (dlp-markers -a). dlp-parse reads them.
 */
#include <stdlib.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "esc.h"
#include "fmt.h"
#include "num.h"
#include "pylit.h"
#include "pyrule.h"
#include "utf8.h"

struct pylist { /* texts */
	struct mview *v;
	size_t n, cap;
};

/* PyProf's data of a kernel: the texts of the ranges around its launch sorted
 * into lists, and what its rules make of them. */
struct pymark { /* zeroed before the first kernel, except walk */
	struct pylist layer, trace, repr, marker, seq_marker, other, mod, op;
	struct buf mem; /* the texts of these lists; large enough before the
			 * first of them is added */
	struct pyrule_around around;
	struct pyrule_walk walk;
	int64_t sub;
	struct buf ops, prev_ops; /* the list of ops; of the kernel before */
	uint64_t damaged;         /* argument markers that could not be read */
};

static void
pylist_add(struct pylist *l, struct mview v)
{
	ARRAY_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = v;
}

/* The text of an atom, which k keeps. */
static struct mview
keep_atom(struct pymark *k, const struct pl_atom *a)
{
	size_t at = k->mem.len;

	pl_text(a, &k->mem);
	return (struct mview){ k->mem.s + at, k->mem.len - at };
}

/* Puts a text into its list; a trace into *trace, of which the innermost counts
 * because it includes the others. */
static void
sort_out(struct pymark *k, struct mview m, struct mview *trace)
{
	const char *s, *e, *id;

	if (m.n == 0 || mv_has(m, "CheckpointFunctionBackward"))
		return;
	if (mv_has(m, "mod") && mv_has(m, "op") && mv_has(m, "args") &&
	    mv_has(m, "type")) {
		pylist_add(&k->marker, m);
	} else if (mv_has(m, "layer:")) { /* "layer:NAME:..." is NAME */
		s = (const char *)memchr(m.s, ':', m.n) + 1;
		e = memchr(s, ':', (size_t)(m.s + m.n - s));
		pylist_add(&k->layer, mv(s, e != NULL ? e : m.s + m.n));
	} else if (mv_has(m, "traceMarker")) {
		*trace = m;
	} else if (mv_has(m, "strRepr")) {
		pylist_add(&k->repr, m);
	} else if ((s = mv_find(m, ", seq = ")) != NULL) {
		/* newer texts than PyProf could read have more after the id,
		 * and are cut to the form that it knew */
		id = s + sizeof(", seq = ") - 1;
		for (e = id + (id < m.s + m.n && *id == '-');
		     e < m.s + m.n && *e >= '0' && *e <= '9'; e++)
			;
		pyrule_add(&k->around,
		    (struct pyrule_name){ mv(m.s, s), mv(id, e), 0 });
	} else {
		pylist_add(&k->other, m);
	}
}

/* The files and lines of a trace. */
static void
read_trace(struct pymark *k, struct mview m)
{
	struct pylit l;
	struct mview key, file;
	struct pl_atom a;

	pl_init(&l, m.s, m.n);
	if (m.n == 0 || !pl_enter(&l, '{'))
		return;
	while (pl_key(&l, &key)) {
		if (!mv_eq(key, "traceMarker")) {
			pl_skip(&l);
			continue;
		}
		if (!pl_enter(&l, '\0'))
			return;
		while (pl_item(&l)) {
			if (!pl_atom(&l, &a))
				return;
			file = keep_atom(k, &a);
			if (!pyrule_is_library(file))
				pylist_add(&k->trace, file);
		}
	}
}

/* The module and op of an argument marker. */
static void
read_marker(struct pymark *k, struct mview m)
{
	size_t nmod = k->mod.n, nop = k->op.n;
	struct pylit l;
	struct mview key;
	struct pl_atom a;

	pl_init(&l, m.s, m.n);
	if (pl_enter(&l, '{'))
		while (pl_key(&l, &key)) {
			if (!mv_eq(key, "mod") && !mv_eq(key, "op"))
				pl_skip(&l);
			else if (pl_atom(&l, &a))
				pylist_add(key.n == 3 ? &k->mod : &k->op,
				    keep_atom(k, &a));
		}
	if (!l.bad && k->mod.n == nmod + 1 && k->op.n == nop + 1)
		return;
	k->mod.n = nmod;
	k->op.n = nop;
	k->damaged++;
}

/* Module and op: by the argument markers; else by the names of the ranges with
 * sequence ids, of the backward pass or of any; else by another range. */
static void
name_op(struct pymark *k)
{
	static const struct mview na = { "na", 2 };
	const char *comma;
	struct mview name;
	struct buf bare;
	size_t i;

	for (i = 0; i < k->marker.n; i++)
		read_marker(k, k->marker.v[i]);
	if (k->op.n > 0)
		return;
	for (i = 0; i < k->around.n; i++) {
		name = k->around.name[i].name;
		comma = memchr(name.s, ',', name.n);
		if (k->around.named_bwd && !pyrule_is_bwd(name))
			continue;
		if (comma != NULL) /* PyProf takes what is before it */
			name.n = (size_t)(comma - name.s);
		if (k->around.named_bwd) {
			bare = (struct buf){ k->mem.s + k->mem.len, 0, name.n };
			buf_put(&bare, name.s, name.n);
			pyrule_bare(&bare);
			k->mem.len += bare.len;
			name = (struct mview){ bare.s, bare.len };
		}
		pylist_add(&k->op, name);
		pylist_add(&k->mod, na);
	}
	if (k->op.n > 0)
		return;
	if (k->other.n > 0)
		pylist_add(&k->op, k->other.v[0]);
	pylist_add(&k->mod, na);
}

/* Takes the next kernel; json is the list of texts, outermost first (NULL if
 * there is none). */
static void
pymark_kernel(struct pymark *k, const char *json, size_t n)
{
	struct mview trace = { NULL, 0 };
	struct pylit l;
	struct pl_atom a;
	struct buf ops;
	size_t i;

	k->layer.n = k->trace.n = k->repr.n = k->marker.n = 0;
	k->seq_marker.n = k->other.n = k->mod.n = k->op.n = 0;
	buf_clear(&k->mem);
	pyrule_begin(&k->around);
	if (json == NULL)
		n = 0;
	/* the texts; their parts; names of ops */
	buf_reserve(&k->mem, 3 * n + 1);
	pl_init(&l, json, n);
	if (n > 0 && pl_enter(&l, '['))
		while (pl_item(&l) && pl_atom(&l, &a))
			sort_out(k, keep_atom(k, &a), &trace);
	read_trace(k, trace);
	pyrule_judge(&k->around);
	for (i = 0; i < k->around.n; i++)
		pylist_add(&k->seq_marker,
		    mv(k->around.name[i].name.s,
			k->around.name[i].seq.s + k->around.name[i].seq.n));
	name_op(k);
	buf_clear(&k->ops);
	for (i = 0; i < k->op.n; i++) {
		buf_put(&k->ops, (const char *)&k->op.v[i].n, sizeof(size_t));
		buf_put(&k->ops, k->op.v[i].s, k->op.v[i].n);
	}
	if (k->around.seq.n == 0) {
		k->sub = 0;
		return;
	}
	k->sub = pyrule_number(&k->walk, &k->around,
	    k->ops.len == k->prev_ops.len &&
		memcmp(k->ops.s, k->prev_ops.s, k->ops.len) == 0,
	    k->op.n > 0 && k->mod.n > 0 &&
		pyrule_is_cell(k->mod.v[0], k->op.v[0]));
	ops = k->prev_ops;
	k->prev_ops = k->ops;
	k->ops = ops;
}

#define DICT_COLS "name,dur_ns,tid,dev,stream,grid,block,markers"
#define OWN_COLS                                                               \
	"marker_ns,idx,short,loose_markers,pid,start_ns,api_start_ns,"         \
	"api_dur_ns,node_from"

/* The columns, in that order; and our own. */
enum { C_NAME, C_DUR, C_TID, C_DEV, C_STREAM, C_GRID, C_BLOCK, C_MARKERS };
enum { C_TIMES = C_MARKERS + 1, C_IDX, C_SHORT, C_LOOSE, C_PID };
enum { C_START = C_PID + 1, C_API, C_API_DUR, C_NODE };

struct dict_sink {
	struct pymark mark;
	bool with_own; /* PyProf could not read the profile */
	struct buf name, text;
	struct buf range, loose;
};

/* As Python's repr() writes it: characters that Python does not print, and
 * bytes that are not UTF-8, become escapes. */
static void
pyrepr_str(struct buf *out, const char *s, size_t n)
{
	/* double quotes if that saves escapes, as in Python */
	bool twice =
	    n > 0 && memchr(s, '\'', n) != NULL && memchr(s, '"', n) == NULL;
	char q = twice ? '"' : '\'';
	const char *e = s + n, *b;
	bool broken;
	long cp;
	int len;

	buf_putc(out, q);
	for (; s < e; s += len) {
		for (b = s;
		     s < e && *s >= ' ' && *s < 0x7f && *s != q && *s != '\\';)
			s++;
		buf_put(out, b, (size_t)(s - b));
		if (s == e)
			break;
		cp = (unsigned char)*s;
		len = 1;
		broken = false;
		if (cp >= 0x80) {
			len = utf8_next(s, (size_t)(e - s), &cp);
			broken = cp < 0;
		}
		if (broken) {
			cp = (unsigned char)*s;
			len = 1;
		}
		if (cp == q || cp == '\\') {
			buf_putc(out, '\\');
			buf_putc(out, *s);
		} else if (cp == '\n' || cp == '\r' || cp == '\t') {
			buf_puts(out, cp == '\n'   ? "\\n"
				      : cp == '\r' ? "\\r"
						   : "\\t");
		} else if (broken || cp < 0x20 || (cp >= 0x7f && cp < 0xa1) ||
			   cp == 0xad) {
			buf_printf(out, "\\x%02lx", (unsigned long)cp);
		} else if (cp >= 0x80 && utf8_hidden(cp)) {
			buf_printf(out, cp < 0x10000 ? "\\u%04lx" : "\\U%08lx",
			    (unsigned long)cp);
		} else {
			buf_put(out, s, (size_t)len);
		}
	}
	buf_putc(out, q);
}

/* PyProf's short name: up to <, without some words, up to (. It did not know
 * Nsight's word for a namespace without a name, and its name was then empty. */
static void
short_name(struct buf *b, const char *s, size_t n)
{
	static const char *const drop[] = { "void ",
		"at::", "cuda::", "native::", "(anonymous namespace)::" };
	const char *e;
	size_t i;

	buf_clear(b);
	buf_put(b, s, n);
	pyrule_cut(b, "<unnamed>::");
	e = b->len > 0 ? memchr(b->s, '<', b->len) : NULL;
	if (e != NULL)
		b->len = (size_t)(e - b->s);
	for (i = 0; i < ARRAY_LEN(drop); i++)
		pyrule_cut(b, drop[i]);
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
put_value(const struct writer_cell *v)
{
	if (v->s == NULL)
		buf_puts(&out_buf, "None");
	else
		buf_put(&out_buf, v->s, v->n);
}

static void
put_num(const char *key, const struct writer_cell *v)
{
	put_key(key);
	put_value(v);
}

static void
put_list(const char *key, const struct pylist *l)
{
	size_t i;

	put_key(key);
	buf_putc(&out_buf, '[');
	for (i = 0; i < l->n; i++) {
		if (i > 0)
			buf_puts(&out_buf, ", ");
		pyrepr_str(&out_buf, l->v[i].s, l->v[i].n);
	}
	buf_putc(&out_buf, ']');
}

static void
put_ids(const char *key, const struct pyrule_ids *ids)
{
	size_t i;

	put_key(key);
	buf_putc(&out_buf, '[');
	for (i = 0; i < ids->n; i++) {
		if (i > 0)
			buf_puts(&out_buf, ", ");
		buf_i64(&out_buf, ids->v[i]);
	}
	buf_putc(&out_buf, ']');
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

static const char *
undo(struct buf *b, const struct writer_cell *v)
{
	buf_clear(b);
	if (v->s != NULL)
		esc_undo(b, v->s, v->n);
	return v->s != NULL ? buf_str(b) : NULL;
}

/* For a profile that PyProf could read, only its own keys are written. */
static void
dict_meta(struct fmt *f, const struct rec *r)
{
	struct dict_sink *d = f->state;

	d->with_own |= text_starts(r->line, r->len, "##info\tdialect\tnsys");
}

static void
put_text(struct dict_sink *d, const struct pl_atom *a)
{
	buf_clear(&d->range);
	pl_text(a, &d->range);
	pyrepr_str(&out_buf, d->range.s, d->range.len);
}

/* Numbers, the short name, and START, END, 'TEXT' of each range around the
 * launch; PID, TID, START, END, 'TEXT' of each without one. */
static void
put_own(struct fmt *f, const struct writer_cell *v, const char *texts, size_t n)
{
	static const int nums[] = { C_IDX, C_PID, C_START, C_API, C_API_DUR };
	struct dict_sink *d = f->state;
	struct pylit l, t;
	struct pl_atom a, start, end;
	const char *sep = "";
	size_t i;

	put_key("dlp");
	buf_putc(&out_buf, '[');
	for (i = 0; i < ARRAY_LEN(nums); i++) {
		put_value(&v[nums[i]]);
		buf_puts(&out_buf, ", ");
	}
	(void)undo(&f->tmp, &v[C_SHORT]);
	pyrepr_str(&out_buf, f->tmp.s, f->tmp.len);
	if (texts != NULL && v[C_TIMES].s != NULL) {
		pl_init(&l, texts, n);
		pl_init(&t, v[C_TIMES].s, v[C_TIMES].n);
		if (pl_enter(&l, '[') && pl_enter(&t, '['))
			while (pl_item(&l) && pl_atom(&l, &a) && pl_item(&t) &&
			       pl_atom(&t, &start) && pl_item(&t) &&
			       pl_atom(&t, &end)) {
				buf_puts(&out_buf, ", ");
				buf_put(&out_buf, start.raw.s, start.raw.n);
				buf_puts(&out_buf, ", ");
				buf_put(&out_buf, end.raw.s, end.raw.n);
				buf_puts(&out_buf, ", ");
				put_text(d, &a);
			}
	}
	buf_putc(&out_buf, ']');
	if (v[C_NODE].s != NULL) { /* NODE, TID, TIME */
		put_key("dlpNode");
		buf_put(&out_buf, v[C_NODE].s, v[C_NODE].n);
	}
	if (v[C_LOOSE].s == NULL || v[C_LOOSE].n <= 2)
		return;
	put_key("dlpRanges");
	buf_putc(&out_buf, '[');
	(void)undo(&d->loose, &v[C_LOOSE]);
	pl_init(&l, d->loose.s, d->loose.len);
	if (pl_enter(&l, '['))
		for (; pl_item(&l) && pl_atom(&l, &a); sep = ", ") {
			buf_puts(&out_buf, sep);
			if (a.kind == PL_STR)
				put_text(d, &a);
			else
				buf_put(&out_buf, a.raw.s, a.raw.n);
		}
	buf_putc(&out_buf, ']');
}

static void
dict_row(struct fmt *f, const struct writer_cell *v)
{
	struct dict_sink *d = f->state;
	const struct pymark *mark = &d->mark;
	const char *json = undo(&d->text, &v[C_MARKERS]);

	if (f->nrows == 0)
		d->mark.walk = (struct pyrule_walk){ -1, -1 };
	pymark_kernel(&d->mark, json, d->text.len);
	(void)undo(&d->name, &v[C_NAME]);
	short_name(&f->tmp, buf_str(&d->name), d->name.len);
	buf_puts(&out_buf, "{'kShortName': ");
	pyrepr_str(&out_buf, f->tmp.s, f->tmp.len);
	put_num("kDuration", &v[C_DUR]);
	put_list("layer", &mark->layer);
	put_list("trace", &mark->trace);
	put_list("reprMarkers", &mark->repr);
	put_list("marker", &mark->marker);
	put_list("seqMarker", &mark->seq_marker);
	put_ids("seqId", &mark->around.seq);
	put_key("subSeqId");
	buf_i64(&out_buf, mark->sub);
	put_ids("altSeqId", &mark->around.alt);
	put_key("dir");
	buf_puts(&out_buf, mark->around.bwd ? "'bprop'" : "'fprop'");
	put_list("mod", &mark->mod);
	put_list("op", &mark->op);
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
dict_end(struct fmt *f)
{
	const struct dict_sink *d = f->state;

	if (d->mark.damaged > 0)
		warn("argument markers that are not Python dicts: %llu",
		    (unsigned long long)d->mark.damaged);
}

const struct sink sink_dict = {
	.option = "--dict",
	.state = sizeof(struct dict_sink),
	.cols = DICT_COLS,
	.more = OWN_COLS,
	.meta = dict_meta,
	.row = dict_row,
	.end = dict_end,
};
