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
#include "utf8.h"

/*
 * PyProf's data of a kernel: the texts of the ranges around its launch sorted
 * into lists, its sequence ids, direction, module and op. The rules are
 * PyProf's own; they read one kernel after the other in the order of the kernel
 * table.
 */

struct pylist { /* texts; the buffers beyond n are kept for reuse */
	struct buf *v;
	size_t n, cap;
};

struct pyseq { /* sequence ids, ascending */
	int64_t *v;
	size_t n, cap;
};

struct pymark { /* zeroed before the first kernel */
	struct pylist layer, trace, repr, marker, seq_marker, other, mod, op;
	struct pyseq seq, alt;
	int64_t sub;
	bool bwd;
	/* facts of the kernels before */
	struct pylist prev_op;
	int64_t prev_seq, prev_sub;
	bool begun;
	uint64_t damaged; /* argument markers that could not be read */
	struct buf text, last_trace; /* scratch for the current kernel */
};

/* Appends an empty text. */
static struct buf *
pylist_add(struct pylist *l)
{
	if (l->n == l->cap) {
		size_t old = l->cap;

		l->cap = old == 0 ? 8 : old * 2;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
		memset(l->v + old, 0, (l->cap - old) * sizeof(*l->v));
	}
	buf_clear(&l->v[l->n]);
	return &l->v[l->n++];
}

static bool
has_word(const struct buf *b, const char *word)
{
	return b->s != NULL &&
	       mv_find((struct mview){ b->s, b->len }, word) != NULL;
}

static void
copy(struct pylist *l, const char *s, size_t n)
{
	buf_put(pylist_add(l), s, n);
}

/* "layer:NAME:..." is NAME. */
static void
add_layer(struct pymark *k, const struct buf *m)
{
	const char *s = memchr(m->s, ':', m->len), *e;

	s++;
	e = memchr(s, ':', (size_t)(m->s + m->len - s));
	copy(&k->layer, s, (size_t)((e != NULL ? e : m->s + m->len) - s));
}

/* Newer texts than PyProf could read have more after the sequence id. They are
 * cut to the form that it knew. */
static void
add_seq(struct pymark *k, const struct buf *m)
{
	static const char lit[] = ", seq = ";
	const char *e = m->s + m->len;
	const char *s = mv_find((struct mview){ m->s, m->len }, lit);

	s += sizeof(lit) - 1;
	s += s < e && *s == '-';
	while (s < e && *s >= '0' && *s <= '9')
		s++;
	copy(&k->seq_marker, m->s, (size_t)(s - m->s));
}

static void
sort_out(struct pymark *k, const struct buf *m, struct buf *last_trace)
{
	if (m->len == 0 || has_word(m, "CheckpointFunctionBackward"))
		return;
	if (has_word(m, "mod") && has_word(m, "op") && has_word(m, "args") &&
	    has_word(m, "type")) {
		copy(&k->marker, m->s, m->len);
	} else if (has_word(m, "layer:")) {
		add_layer(k, m);
	} else if (has_word(m, "traceMarker")) {
		buf_clear(last_trace);
		buf_put(last_trace, m->s, m->len);
	} else if (has_word(m, "strRepr")) {
		copy(&k->repr, m->s, m->len);
	} else if (has_word(m, ", seq = ")) {
		add_seq(k, m);
	} else {
		copy(&k->other, m->s, m->len);
	}
}

static bool
is_library(const struct buf *file)
{
	static const char *const paths[] = { "/torch/nn/modules/",
		"/torch/nn/functional.py", "/torch/tensor.py",
		"/torch/autograd/__init__.py", "/torch/_jit_internal.py",
		"/pyprof/nvtx/nvmarker.py", "/apex/optimizers/",
		"/torch/_utils.py", "/torch/optim/" };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (has_word(file, paths[i]))
			return true;
	return false;
}

/* The files and lines of the innermost trace, which includes those of all
 * others. */
static void
read_trace(struct pymark *k, const struct buf *m)
{
	struct pylit l;
	struct mview key;
	struct pl_atom a;

	pl_init(&l, m->s, m->len);
	if (m->len == 0 || !pl_enter(&l, '{'))
		return;
	while (pl_key(&l, &key)) {
		if (!mv_eq(key, "traceMarker")) {
			pl_skip(&l);
			continue;
		}
		if (!pl_enter(&l, '\0'))
			return;
		while (pl_item(&l)) {
			struct buf *b = pylist_add(&k->trace);

			if (!pl_atom(&l, &a)) {
				k->trace.n--;
				return;
			}
			pl_text(&a, b);
			k->trace.n -= is_library(b);
		}
	}
}

/* The module and op of an argument marker. */
static void
read_marker(struct pymark *k, const struct buf *m)
{
	size_t nmod = k->mod.n, nop = k->op.n;
	struct pylit l;
	struct mview key;
	struct pl_atom a;

	pl_init(&l, m->s, m->len);
	if (pl_enter(&l, '{'))
		while (pl_key(&l, &key)) {
			bool mod = mv_eq(key, "mod"), op = mv_eq(key, "op");

			if (!mod && !op)
				pl_skip(&l);
			else if (pl_atom(&l, &a))
				pl_text(&a, pylist_add(mod ? &k->mod : &k->op));
		}
	if (!l.bad && k->mod.n == nmod + 1 && k->op.n == nop + 1)
		return;
	k->mod.n = nmod;
	k->op.n = nop;
	k->damaged++;
}

static void
cut_all(struct buf *b, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	while ((p = mv_find((struct mview){ b->s, b->len }, word)) != NULL) {
		size_t at = (size_t)(p - b->s);

		memmove(b->s + at, b->s + at + n, b->len - at - n);
		b->len -= n;
	}
}

/* MmBackward is Mm, embedding_dense_backward is embedding_dense. */
static void
bare_name(struct buf *b)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		cut_all(b, drop[i]);
	p = mv_find((struct mview){ b->s, b->len }, "Backward");
	if (p != NULL)
		b->len = (size_t)(p - b->s);
}

static bool
is_backward(const struct buf *m)
{
	return has_word(m, "backward, seq = ") ||
	       has_word(m, "Backward, seq = ");
}

/* Ops by the names of sequence markers; only those of the backward pass. */
static void
ops_by_name(struct pymark *k, bool backward)
{
	size_t i;

	for (i = 0; i < k->seq_marker.n; i++) {
		const struct buf *m = &k->seq_marker.v[i];
		const char *e = memchr(m->s, ',', m->len);
		struct buf *b;

		if (backward && !is_backward(m))
			continue;
		b = pylist_add(&k->op);
		buf_put(b, m->s, (size_t)(e - m->s));
		if (backward && b->len > 0)
			bare_name(b);
		copy(&k->mod, "na", 2);
	}
}

static void
name_op(struct pymark *k)
{
	size_t i;

	for (i = 0; i < k->marker.n; i++)
		read_marker(k, &k->marker.v[i]);
	if (k->op.n == 0)
		ops_by_name(k, true);
	if (k->op.n == 0)
		ops_by_name(k, false);
	if (k->op.n > 0)
		return;
	if (k->other.n > 0)
		copy(&k->op, k->other.v[0].s, k->other.v[0].len);
	copy(&k->mod, "na", 2);
}

/* Sequence ids, by PyProf's rules. */
enum { SEQ_LEN = sizeof(", seq = ") - 1 };

static size_t
name_len(const struct buf *m)
{
	size_t i = m->len;

	while (i > 0 && m->s[i - 1] != ' ')
		i--;
	return i - SEQ_LEN;
}

/* Character i of "SEQNAME, seq", for the marker "NAME, seq = SEQ"; n is the
 * length of the name; -1 after the last one. */
static int
letter(const struct buf *m, size_t n, size_t i)
{
	static const char end[] = ", seq";
	size_t seq = m->len - n - SEQ_LEN;

	if (i < seq)
		return (unsigned char)m->s[n + SEQ_LEN + i];
	i -= seq;
	if (i < n)
		return (unsigned char)m->s[i];
	i -= n;
	return i < sizeof(end) - 1 ? (unsigned char)end[i] : -1;
}

/* Sorts by that text, as PyProf does. */
static int
compare(const void *va, const void *vb)
{
	const struct buf *a = va, *b = vb;
	size_t na = name_len(a), nb = name_len(b), i;
	int x, y;

	for (i = 0;; i++) {
		x = letter(a, na, i);
		y = letter(b, nb, i);
		if (x != y || x < 0)
			return x - y;
	}
}

static bool
same_line(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

static bool
within(const struct buf *a, size_t na, const struct buf *b, size_t nb)
{
	size_t i;

	for (i = 0; i + na <= nb; i++)
		if (memcmp(b->s + i, a->s, na) == 0)
			return true;
	return false;
}

/* True if both have the same sequence id, and one's name is part of the
 * other's. */
static bool
alike(const struct buf *a, const struct buf *b)
{
	size_t na = name_len(a), nb = name_len(b);

	if (a->len - na != b->len - nb ||
	    memcmp(a->s + na, b->s + nb, a->len - na) != 0)
		return false;
	return within(a, na, b, nb) || within(b, nb, a, na);
}

/* Removes each text that is() like the one before it, even if that one was
 * removed too. The buffers are swapped, so that none is lost. */
static void
drop(struct pylist *l, bool (*is)(const struct buf *, const struct buf *))
{
	struct buf prev = { 0 }, tmp;
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		bool gone = i > 0 && is(&l->v[i], &prev);

		buf_clear(&prev);
		buf_put(&prev, l->v[i].s, l->v[i].len);
		if (gone)
			continue;
		tmp = l->v[n];
		l->v[n++] = l->v[i];
		l->v[i] = tmp;
	}
	l->n = n;
	buf_free(&prev);
}

static void
add_id(struct pyseq *q, int64_t id)
{
	size_t i, j;

	for (i = 0; i < q->n && q->v[i] < id; i++)
		;
	if (i < q->n && q->v[i] == id)
		return;
	if (q->n == q->cap) {
		q->cap = q->cap == 0 ? 8 : q->cap * 2;
		q->v = xrealloc(q->v, q->cap, sizeof(*q->v));
	}
	for (j = q->n++; j > i; j--)
		q->v[j] = q->v[j - 1];
	q->v[i] = id;
}

static void
sort_seq(struct pymark *k)
{
	struct pylist *l = &k->seq_marker;
	size_t i;

	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), compare);
	drop(l, same_line);
	drop(l, alike);
	for (i = 0; i < l->n; i++) {
		size_t at = name_len(&l->v[i]) + SEQ_LEN;
		int64_t id;

		if (num_i64(l->v[i].s + at, l->v[i].len - at, &id))
			add_id(&k->seq, id);
	}
}

static void
take_out(struct pyseq *q, size_t i)
{
	q->n--;
	memmove(q->v + i, q->v + i + 1, (q->n - i) * sizeof(*q->v));
}

static bool
same_op(const struct pylist *a, const struct pylist *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (!same_line(&a->v[i], &b->v[i]))
			return false;
	return true;
}

/* A cell of an RNN without cuDNN spans several sequence ids. */
static bool
is_cell(const struct pymark *k)
{
	static const char *const cells[] = { "LSTMCell", "GRUCell", "RNNCell" };
	struct buf *op = k->op.v, *mod = k->mod.v;
	size_t i;

	if (k->op.n == 0 || k->mod.n == 0 || op->len != 7 ||
	    memcmp(op->s, "forward", 7) != 0)
		return false;
	for (i = 0; i < 3; i++)
		if (mod->len == strlen(cells[i]) &&
		    memcmp(mod->s, cells[i], mod->len) == 0)
			return true;
	return false;
}

/* The kernel's own sequence id: in backward its lowest, in forward the lowest
 * that is new since the kernel before. */
static int64_t
current(const struct pymark *k)
{
	size_t i;

	if (k->bwd)
		return k->seq.v[0];
	for (i = 0; i < k->seq.n; i++)
		if (k->seq.v[i] > k->prev_seq)
			return k->seq.v[i];
	return k->prev_seq;
}

static void
remember(struct pymark *k, int64_t seq)
{
	size_t i;

	k->prev_seq = seq;
	k->prev_sub = k->sub;
	k->prev_op.n = 0;
	for (i = 0; i < k->op.n; i++)
		buf_put(pylist_add(&k->prev_op), k->op.v[i].s, k->op.v[i].len);
}

/* PyProf removes ids from its list while it walks over it: it skips the id
 * after each removed one, which therefore stays. */
static void
number_kernel(struct pymark *k)
{
	int64_t curr;
	size_t i;
	bool again;

	if (k->seq.n > 1 && k->seq.v[0] <= 0)
		for (i = 0; i < k->seq.n; i++)
			if (k->seq.v[i] == 0)
				take_out(&k->seq, i);
	if (k->seq.n == 0)
		return;
	curr = current(k);
	again = same_op(&k->op, &k->prev_op);
	if (again && (curr == k->prev_seq || is_cell(k)))
		k->sub = k->prev_sub + 1;
	remember(k, curr);
	for (i = 0; i < k->seq.n; i++)
		if (k->seq.v[i] != curr) {
			add_id(&k->alt, k->seq.v[i]);
			take_out(&k->seq, i);
		}
}

static void
clear(struct pymark *k)
{
	k->layer.n = k->trace.n = k->repr.n = k->marker.n = 0;
	k->seq_marker.n = k->other.n = k->mod.n = k->op.n = 0;
	k->seq.n = k->alt.n = 0;
	k->sub = 0;
	k->bwd = false;
	if (k->begun)
		return;
	k->begun = true;
	k->prev_seq = k->prev_sub = -1;
	copy(&k->prev_op, "", 0);
}

/* Takes the next kernel; json is the list of texts, outermost first (NULL if
 * there is none). */
static void
pymark_kernel(struct pymark *k, const char *json, size_t n)
{
	struct buf *text = &k->text, *last_trace = &k->last_trace;
	struct pylit l;
	struct pl_atom a;
	size_t i;

	clear(k);
	buf_clear(last_trace);
	pl_init(&l, json, json != NULL ? n : 0);
	if (json != NULL && pl_enter(&l, '['))
		while (pl_item(&l) && pl_atom(&l, &a)) {
			buf_clear(text);
			pl_text(&a, text);
			sort_out(k, text, last_trace);
		}
	read_trace(k, last_trace);
	sort_seq(k);
	for (i = 0; i < k->seq_marker.n; i++)
		k->bwd |= is_backward(&k->seq_marker.v[i]) ||
			  has_word(&k->seq_marker.v[i], "Backward0, seq = ");
	name_op(k);
	number_kernel(k);
}

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
	bool with_own; /* PyProf could not read the profile */
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

/* Appends a character beyond ASCII and returns its number of bytes. Characters
 * that Python does not print, and bytes that are not UTF-8, become escapes. */
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

/* Double quotes if that saves escapes, as in Python. */
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

/* For a profile that PyProf could read, only its own keys are written. */
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

/* PID, TID, START, END, 'TEXT' of each range without a launch. */
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
	.row = dict_row,
	.end = dict_end,
};
