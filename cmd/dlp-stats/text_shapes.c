/*
 * Texts without their numbers; see text_shapes.h. Each digit of a number is
 * written as 1 to 10 in four bits. The digits are followed by an end mark,
 * which is lower or greater depending on the text that follows, so that the
 * bits sort like the texts. Texts of different shapes are ordered by the
 * numbers before the first part that differs, or by that part. The parts that
 * can follow form a tree, and a part's rank is its place among the branches.
 */
#include <stdlib.h>

#include "err.h"
#include "text_shapes.h"
#include "textsort.h"
#include "varint.h"

#define MAX_SHAPES 16384
#define LOW 0
#define HIGH 15
#define WIDE 16 /* bytes that are copied together even if a part is shorter */

struct nibbles_out {
	char *p;
	bool half; /* *p has its upper four bits */
};

struct nibbles_in {
	const char *p;
	bool half; /* those of *p were taken */
};

static inline void
nibble_put(struct nibbles_out *o, unsigned v)
{
	if (o->half)
		*o->p++ |= (char)v;
	else
		*o->p = (char)(v << 4);
	o->half = !o->half;
}

static inline unsigned
nibble_get(struct nibbles_in *in)
{
	unsigned c = (unsigned char)*in->p;

	in->half = !in->half;
	if (in->half)
		return c >> 4;
	in->p++;
	return c & 15;
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void
shapes_free(struct text_shapes *x)
{
	smap_free(&x->texts);
	free(x->shape);
	free(x->part);
	buf_free(&x->bodies);
	buf_free(&x->text);
	buf_free(&x->digits);
	memset(x, 0, sizeof(*x));
}

static void
add_part(struct text_shapes *x, const char *s, size_t len)
{
	if (x->nparts == x->parts_cap) {
		x->parts_cap = x->parts_cap != 0 ? x->parts_cap * 2 : 256;
		x->part = xrealloc(x->part, x->parts_cap, sizeof(*x->part));
	}
	x->part[x->nparts++] =
	    (struct text_shape_part){ (uint32_t)x->bodies.len, (uint32_t)len,
		    0 };
	buf_reserve(&x->bodies, len + WIDE);
	buf_put(&x->bodies, s, len);
}

static void
new_shape(struct text_shapes *x, uint32_t id, const char *s, size_t n)
{
	struct text_shape *h;
	size_t i, from = 0;

	if (id == x->cap) {
		x->cap = x->cap != 0 ? x->cap * 2 : 64;
		x->shape = xrealloc(x->shape, x->cap, sizeof(*x->shape));
	}
	h = &x->shape[id];
	h->at = (uint32_t)x->nparts;
	for (i = 0; i < n; i++)
		if (s[i] == '0') {
			add_part(x, s + from, i - from);
			from = i + 1;
		}
	add_part(x, s + from, n - from);
	h->n = (uint32_t)x->nparts - h->at;
	h->len = (uint32_t)n;
	x->bytes += 2 * n + 64 + h->n * sizeof(*x->part);
	x->full = x->bytes > x->bound || id + 1 >= MAX_SHAPES;
}

/* The shape to text, the numbers to digits. */
static void
take_apart(struct text_shapes *x, const char *s, size_t n)
{
	struct nibbles_out o;
	const char *e = s + n;
	char *t;

	buf_clear(&x->text);
	buf_clear(&x->digits);
	buf_reserve(&x->text, n + 1);
	buf_reserve(&x->digits, n + 1);
	t = x->text.s;
	o = (struct nibbles_out){ x->digits.s, false };
	while (s < e) {
		if (!is_digit(*s)) {
			*t++ = *s++;
			continue;
		}
		*t++ = '0';
		for (; s < e && is_digit(*s); s++)
			nibble_put(&o, (unsigned)(*s - '0') + 1);
		nibble_put(&o, s < e && (unsigned char)*s > '9' ? HIGH : LOW);
	}
	x->text.len = (size_t)(t - x->text.s);
	x->digits.len = (size_t)(o.p - x->digits.s) + o.half;
}

void
shapes_pack(struct text_shapes *x, struct buf *b, const char *s, size_t n)
{
	bool is_new;
	uint32_t id;

	take_apart(x, s, n);
	id = smap_put(&x->texts, x->text.s, x->text.len, &is_new);
	if (is_new)
		new_shape(x, id, x->text.s, x->text.len);
	varint_add(b, id);
	buf_put(b, x->digits.s, x->digits.len);
}

static char *
unpack_number(char *p, struct nibbles_in *in)
{
	unsigned v;

	while ((v = nibble_get(in)) != LOW && v != HIGH)
		*p++ = (char)('0' + v - 1);
	return p;
}

static char *
copy_part(char *p, const struct text_shapes *x, const struct text_shape_part *k)
{
	const char *s = x->bodies.s + k->at;

	if (k->len <= WIDE)
		memcpy(p, s, WIDE);
	else
		memcpy(p, s, k->len);
	return p + k->len;
}

void
shapes_unpack(
    const struct text_shapes *x, struct buf *b, const char *s, size_t n)
{
	struct nibbles_in in = { 0 };
	const struct text_shape *h;
	uint64_t id;
	uint32_t i;
	char *p;

	in.p = varint_get(s, &id);
	h = &x->shape[id];
	buf_reserve(b, h->len + 2 * n + WIDE);
	p = b->s + b->len;
	for (i = 0; i < h->n; i++) {
		if (i > 0)
			p = unpack_number(p, &in);
		p = copy_part(p, x, &x->part[h->at + i]);
	}
	b->len = (size_t)(p - b->s);
}

/* The number of parts that two shapes share, each with the number after it. */
static uint32_t
common_parts(const struct text_shapes *x, const struct text_ref *a,
    const struct text_ref *b)
{
	const struct text_shape *h = &x->shape[a->id], *k = &x->shape[b->id];
	size_t at = 0, len;
	uint32_t i;

	for (i = 0; i + 1 < h->n && i + 1 < k->n; i++) {
		len = x->part[h->at + i].len;
		if (len != x->part[k->at + i].len ||
		    memcmp(a->s + at, b->s + at, len) != 0)
			break;
		at += len + 1;
	}
	return i;
}

/* Shapes in order: a part has the rank of the one before it, or the next. */
static void
rank_up(struct text_shapes *x, const struct text_ref *v, const uint32_t *same,
    size_t n)
{
	const struct text_shape *h, *last = NULL;
	uint32_t k;
	size_t i;

	for (i = 0; i < n; i++, last = h) {
		h = &x->shape[v[i].id];
		for (k = 0; k < h->n; k++) {
			uint32_t *rank = &x->part[h->at + k].rank;

			*rank = 1;
			if (i > 0 && k <= same[i])
				*rank =
				    x->part[last->at + k].rank + (k == same[i]);
		}
	}
}

/* And from the end: a part that is its only branch needs none. */
static void
rank_down(struct text_shapes *x, const struct text_ref *v, const uint32_t *same,
    size_t n)
{
	struct text_shape *h, *next = NULL;
	struct text_shape_part *p;
	bool *only, *was = NULL;
	uint32_t k;
	size_t i;

	for (i = n; i-- > 0; next = h) {
		h = &x->shape[v[i].id];
		only = xcalloc(h->n, sizeof(*only));
		for (k = 0; k < h->n; k++) {
			p = &x->part[h->at + k];
			only[k] = p->rank == 1;
			if (next != NULL && k <= same[i + 1])
				only[k] = was[k];
		}
		free(was);
		was = only;
		h->ranks = 0;
		for (k = 0; k < h->n; k++)
			if (only[k])
				x->part[h->at + k].rank = 0;
			else
				h->ranks = k + 1;
	}
	free(was);
}

void
shapes_rank(struct text_shapes *x)
{
	size_t n = x->texts.n, i;
	struct text_ref *v;
	uint32_t *same;

	if (x->ranked == n)
		return;
	v = xcalloc(n, 2 * sizeof(*v));
	same = xcalloc(n, sizeof(*same));
	for (i = 0; i < n; i++) {
		size_t len;

		v[i].s = smap_str(&x->texts, (uint32_t)i, &len);
		v[i].n = (uint32_t)len;
		v[i].id = (uint32_t)i;
	}
	textsort(v, v + n, n);
	for (i = 1; i < n; i++)
		same[i] = common_parts(x, &v[i - 1], &v[i]);
	rank_up(x, v, same, n);
	rank_down(x, v, same, n);
	x->ranked = n;
	free(same);
	free(v);
}

/* Two bytes, so that what follows lies in its byte as it did. */
static void
put_rank(struct nibbles_out *o, unsigned rank)
{
	int i;

	if (rank == 0)
		return;
	for (i = 12; i >= 0; i -= 4)
		nibble_put(o, rank >> i & 15);
}

static void
put_rest(struct nibbles_out *o, const struct nibbles_in *in, const char *e)
{
	const char *s = in->p;

	if (o->half && s < e) {
		*o->p++ |= *s++ & 15;
		o->half = false;
	}
	memcpy(o->p, s, (size_t)(e - s));
	o->p += e - s;
}

void
shapes_order(
    const struct text_shapes *x, struct buf *b, const char *s, size_t n)
{
	struct nibbles_in in = { 0 };
	struct nibbles_out o = { 0 };
	const struct text_shape *h;
	uint64_t id;
	uint32_t i;
	unsigned v;

	in.p = varint_get(s, &id);
	h = &x->shape[id];
	buf_reserve(b, n + 2 * (size_t)h->n + 1);
	o.p = b->s + b->len;
	for (i = 0; i < h->ranks; i++) {
		put_rank(&o, x->part[h->at + i].rank);
		if (i + 1 == h->n)
			break;
		do {
			v = nibble_get(&in);
			nibble_put(&o, v);
		} while (v != LOW && v != HIGH);
	}
	put_rest(&o, &in, s + n);
	b->len = (size_t)(o.p - b->s) + o.half;
}
