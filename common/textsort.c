/*
 * Sorts texts; see textsort.h. Eight bytes at a time, because names such as
 * "aten::copy_, op_id = 5" agree in their first bytes, and a plain sort spends
 * its time on comparing them again and again. Many texts are sorted by those
 * bytes one by one, a few by a quicksort in three parts.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "textsort.h"

#define FEW 12
#define MANY 1024

int
text_cmp(const char *a, size_t an, const char *b, size_t bn)
{
	size_t n = an < bn ? an : bn;
	int c = n > 0 ? memcmp(a, b, n) : 0;

	if (c != 0)
		return c;
	return an < bn ? -1 : an > bn;
}

uint64_t
text_chunk(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	uint64_t v = 0;
	size_t i;

	if (n >= 8)
		return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
		       (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
		       (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
		       (uint64_t)p[6] << 8 | (uint64_t)p[7];
	for (i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (56 - 8 * i);
	return v;
}

/* The chunk at depth d. */
static uint64_t
chunk(const struct text_ref *t, size_t d)
{
	return t->n > d ? text_chunk(t->s + d, t->n - d) : 0;
}

/* Their chunks are those at d; in most cases they decide. */
static int
cmp_at(const struct text_ref *a, const struct text_ref *b, size_t d)
{
	int c;

	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	c = text_cmp(a->s + d, a->n - d, b->s + d, b->n - d);
	return c != 0 ? c : (a->id > b->id) - (a->id < b->id);
}

static void
insertion(struct text_ref *v, size_t n, size_t d)
{
	struct text_ref t;
	size_t i, j;

	for (i = 1; i < n; i++) {
		t = v[i];
		for (j = i; j > 0 && cmp_at(&v[j - 1], &t, d) > 0; j--)
			v[j] = v[j - 1];
		v[j] = t;
	}
}

static void
swap(struct text_ref *a, struct text_ref *b)
{
	struct text_ref t = *a;

	*a = *b;
	*b = t;
}

static uint64_t
median(uint64_t a, uint64_t b, uint64_t c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/* Compares texts that differ only in length. */
static int
cmp_ended(const void *va, const void *vb)
{
	const struct text_ref *a = va, *b = vb;

	return CMP2(a, b, n, id);
}

/* Moves texts that end within the chunk that all share to the front, the
 * shorter first; NUL bytes are told apart from the end. */
static size_t
ended(struct text_ref *v, size_t n, size_t d)
{
	size_t i, k = 0, m;

	for (i = 0; i < n; i++)
		if (v[i].n <= d)
			swap(&v[k++], &v[i]);
	if (k > FEW) {
		qsort(v, k, sizeof(*v), cmp_ended);
		return k;
	}
	for (i = 1; i < k; i++)
		for (m = i; m > 0 && cmp_ended(&v[m - 1], &v[m]) > 0; m--)
			swap(&v[m - 1], &v[m]);
	return k;
}

static void sort_at(
    struct text_ref *v, struct text_ref *tmp, size_t n, size_t d);

/* Sorts by the chunk only; equal ones are sorted by the next. */
static void
parts(struct text_ref *v, struct text_ref *tmp, size_t n, size_t d)
{
	size_t lo, i, hi;
	uint64_t p;

	while (n > FEW) {
		p = median(v[0].chunk, v[n / 2].chunk, v[n - 1].chunk);
		lo = i = 0;
		hi = n;
		while (i < hi)
			if (v[i].chunk < p)
				swap(&v[lo++], &v[i++]);
			else if (v[i].chunk > p)
				swap(&v[--hi], &v[i]);
			else
				i++;
		sort_at(v + lo, tmp, hi - lo, d + 8);
		if (lo < n - hi) {
			parts(v, tmp, lo, d);
			v += hi;
			n -= hi;
		} else {
			parts(v + hi, tmp, n - hi, d);
			n = lo;
		}
	}
	insertion(v, n, d);
}

/* Sorts by one byte of the chunks; equal ones stay in order. */
static void
by_byte(struct text_ref *to, const struct text_ref *v, size_t n, int shift)
{
	size_t at[256] = { 0 }, i, k, sum = 0;

	for (i = 0; i < n; i++)
		at[v[i].chunk >> shift & 255]++;
	for (i = 0; i < 256; i++) {
		k = at[i];
		at[i] = sum;
		sum += k;
	}
	for (i = 0; i < n; i++)
		to[at[v[i].chunk >> shift & 255]++] = v[i];
}

/* Sorts by the chunk only, from its last byte to its first, as far as they
 * differ; equal ones are sorted by the next chunk. */
static void
bytes(struct text_ref *v, struct text_ref *tmp, size_t n, size_t d,
    uint64_t differ)
{
	struct text_ref *from = v, *to = tmp, *t;
	size_t i, k;
	int shift;

	for (shift = 0; shift < 64; shift += 8) {
		if ((differ >> shift & 255) == 0)
			continue;
		by_byte(to, from, n, shift);
		t = from;
		from = to;
		to = t;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && v[k].chunk == v[i].chunk; k++)
			;
		sort_at(v + i, tmp, k - i, d + 8);
	}
}

/* All texts agree in their first d bytes. */
static void
sort_at(struct text_ref *v, struct text_ref *tmp, size_t n, size_t d)
{
	uint64_t differ = 0;
	size_t i, k;

	for (; n > 1 && differ == 0; d += 8) {
		k = ended(v, n, d);
		v += k;
		n -= k;
		for (i = 0; i < n; i++) {
			v[i].chunk = chunk(&v[i], d);
			differ |= v[i].chunk ^ v[0].chunk;
		}
	}
	if (n > MANY)
		bytes(v, tmp, n, d - 8, differ);
	else if (n > 1)
		parts(v, tmp, n, d - 8);
}

void
textsort(struct text_ref *v, struct text_ref *tmp, size_t n)
{
	sort_at(v, tmp, n, 0);
}
