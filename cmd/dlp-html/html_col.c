/* A column: values to blocks of bytes, or to JSON, and these through zlib. */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "err.h"
#include "html.h"
#include "num.h"
#include "out.h"
#include "text_out.h"

#define PENDING (16 * 1024) /* what one call of zlib gets */

/* A window of 8 kB and little state: a page has more than a hundred columns,
 * and many of them are open until the end. What repeats does so within a step,
 * and a small window is faster. 16: with the head of gzip, which has no time
 * here, so that the same input gives the same bytes. Z_FILTERED suits numbers.
 * The viewer, one text, is packed as small as can be. */
#define WINDOW (13 + 16)
#define MEMORY 6

/* What stands in place of a value. */
enum { IS_VALUE, IS_NULL, IS_BASE };

/* Values of a block, see THE DATA in dlp-html(1): bytes of the same place lie
 * side by side, because most columns differ in the lowest ones only, and
 * because the browser then reads them without looking at each. */
#define BLOCK 4096
#define HEAD 10 /* bytes before those of the values */
#define ODD 16  /* in the first byte: not all are values */

struct html_block {
	int64_t v[BLOCK];
	unsigned char is[BLOCK];
	int n;
};

/* A long column is deflated in less time, to 1 % more of a page. */
#define LONG (1 << 18)
#define LEVEL 6
#define LEVEL_LONG 2

static void
hurry(struct html_col *c)
{
	z_stream *z = c->deflate;

	buf_reserve(&c->z, 2 * PENDING);
	z->next_out = (unsigned char *)c->z.s + c->z.len;
	z->avail_out = 2 * PENDING;
	z->avail_in = 0;
	/* it deflates what is pending first */
	(void)deflateParams(z, LEVEL_LONG, Z_FILTERED);
	c->z.len += 2 * PENDING - z->avail_out;
	c->hurried = true;
}

static void
squeeze(struct html_col *c, int flush)
{
	z_stream *z = c->deflate;
	int rc;

	if (z == NULL) {
		z = c->deflate = xcalloc(1, sizeof(*z));
		if (deflateInit2(z, c->code ? 9 : LEVEL, Z_DEFLATED,
			c->code ? 15 + 16 : WINDOW, c->code ? 9 : MEMORY,
			c->code ? Z_DEFAULT_STRATEGY : Z_FILTERED) != Z_OK)
			die("out of memory");
	}
	if (z->total_in > LONG && !c->hurried)
		hurry(c);
	z->next_in = (unsigned char *)c->bytes.s;
	z->avail_in = (uInt)c->bytes.len;
	do {
		buf_reserve(&c->z, 4096);
		z->next_out = (unsigned char *)c->z.s + c->z.len;
		z->avail_out = 4096;
		rc = deflate(z, flush);
		c->z.len += 4096 - z->avail_out;
	} while (z->avail_out == 0 || (flush == Z_FINISH && rc == Z_OK));
	buf_clear(&c->bytes);
}

/* The number of bytes of the largest of the values, less the smallest. */
static int
width_of(const struct html_block *b, int64_t *least, bool *odd)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	uint64_t room;
	int i, w = 0;

	*odd = false;
	for (i = 0; i < b->n; i++) {
		if (b->is[i] != IS_VALUE) {
			*odd = true;
			continue;
		}
		lo = b->v[i] < lo ? b->v[i] : lo;
		hi = b->v[i] > hi ? b->v[i] : hi;
	}
	*least = lo <= hi ? lo : 0;
	for (room = lo <= hi ? (uint64_t)hi - (uint64_t)lo : 0; room > 0;
	     room >>= 8)
		w++;
	return w;
}

static void
end_block(struct html_col *c)
{
	struct html_block *b = c->block;
	unsigned char *to;
	int64_t least;
	bool odd;
	int i, k, w;

	if (b == NULL || b->n == 0)
		return;
	w = width_of(b, &least, &odd);
	buf_reserve(&c->bytes, HEAD + (size_t)(w + 1) * BLOCK);
	to = (unsigned char *)c->bytes.s + c->bytes.len;
	*to++ = (unsigned char)(w | (odd ? ODD : 0));
	*to++ = 0;
	for (k = 0; k < 8; k++)
		*to++ = (unsigned char)((uint64_t)least >> 8 * k);
	if (odd) {
		memcpy(to, b->is, (size_t)b->n);
		to += b->n;
	}
	for (i = 0; i < b->n; i++)
		b->v[i] = b->is[i] != IS_VALUE
			      ? 0
			      : (int64_t)((uint64_t)b->v[i] - (uint64_t)least);
	for (k = 0; k < w; k++, to += b->n)
		for (i = 0; i < b->n; i++)
			to[i] = (unsigned char)((uint64_t)b->v[i] >> 8 * k);
	c->bytes.len = (size_t)((char *)to - c->bytes.s);
	b->n = 0;
	squeeze(c, Z_NO_FLUSH);
}

static void
put_value(struct html_col *c, int64_t v, int is)
{
	struct html_block *b = c->block;

	if (b == NULL)
		b = c->block = xcalloc(1, sizeof(*b));
	b->v[b->n] = v;
	b->is[b->n++] = (unsigned char)is;
	if (b->n == BLOCK)
		end_block(c);
}

/* Before a value of JSON. */
static void
put_comma(struct html_col *c)
{
	if (c->large && c->bytes.len >= PENDING)
		squeeze(c, Z_NO_FLUSH);
	buf_putc(&c->bytes, c->begun ? ',' : '[');
	c->begun = true;
}

static bool
has_texts(const struct html_col *c)
{
	return c->kind == HTML_TEXTS || c->kind == HTML_NUMBERS;
}

void
html_col_add_null(struct html_col *c)
{
	c->null = true;
	if (c->whole) {
		put_comma(c);
		buf_puts(&c->bytes, "null");
		return;
	}
	if (has_texts(c))
		put_value(c, -1, IS_VALUE);
	else
		put_value(c, 0, IS_NULL);
	if (c->kind == HTML_PLAIN)
		c->last = INT64_MIN; /* no number of another column is it */
}

void
html_col_add_i64(struct html_col *c, int64_t v)
{
	c->set = true;
	if (c->whole) {
		put_comma(c);
		buf_i64(&c->bytes, v);
		return;
	}
	if (v < c->least)
		c->least = v;
	if (v > c->most)
		c->most = v;
	if (c->kind == HTML_BASED && v == c->base->last)
		put_value(c, 0, IS_BASE);
	else if (c->kind == HTML_STEPS)
		put_value(
		    c, (int64_t)((uint64_t)v - (uint64_t)c->last), IS_VALUE);
	else
		put_value(c, v, IS_VALUE);
	c->last = v;
}

static void
add_number_of_text(struct html_col *c, const char *s, size_t n)
{
	const char *was;
	size_t len;

	if (c->texts.n > 0) {
		was = smap_str(&c->texts, (uint32_t)c->last, &len);
		if (len != n || memcmp(was, s, n) != 0)
			c->last = smap_put(&c->texts, s, n, NULL);
	} else {
		c->last = smap_put(&c->texts, s, n, NULL);
	}
	put_value(c, c->last, IS_VALUE);
}

void
html_col_add_raw(struct html_col *c, const char *s, size_t n)
{
	c->set = true;
	if (c->whole) {
		put_comma(c);
		buf_put(&c->bytes, s, n);
	} else {
		add_number_of_text(c, s, n);
	}
}

void
html_col_add_text(struct html_col *c, const char *s, size_t n)
{
	c->set = true;
	if (c->whole) {
		put_comma(c);
		json_quote_field(&c->bytes, s, n, TEXT_JSON);
	} else {
		add_number_of_text(c, s, n);
	}
}

static void
free_deflate(struct html_col *c)
{
	if (c->deflate != NULL)
		deflateEnd(c->deflate);
	free(c->deflate);
	c->deflate = NULL;
}

void
html_col_end(struct html_col *c)
{
	const char *s;
	uint32_t i;
	size_t n;

	end_block(c);
	if (has_texts(c) && !c->whole) {
		for (i = 0; i < c->texts.n; i++) {
			buf_putc(&c->bytes, i > 0 ? ',' : '[');
			s = smap_str(&c->texts, i, &n);
			if (c->kind == HTML_TEXTS)
				json_quote_field(&c->bytes, s, n, TEXT_JSON);
			else
				buf_put(&c->bytes, s, n);
			if (c->bytes.len >= PENDING)
				squeeze(c, Z_NO_FLUSH);
		}
		buf_putc(&c->bytes, ']');
	} else if (c->whole) {
		buf_putc(&c->bytes, ']');
	}
	if (c->large)
		squeeze(c, Z_FINISH);
	free_deflate(c);
	free(c->block);
	c->block = NULL;
}

/* The smallest array of JavaScript that has room for the values: of whole
 * numbers of so many bytes, or of floating-point numbers, of which four bytes
 * hold 24 bits exactly. Of more than four kinds the browser's code is slow. */
char
html_col_room(const struct html_col *c)
{
	int64_t least = c->least, most = c->most;

	if (c->kind == HTML_NUMBERS)
		return '8';
	if (c->kind == HTML_TEXTS) { /* -1 is unknown */
		least = -1;
		most = (int64_t)c->texts.n;
	} else if (c->null) {
		return least >= -(1 << 24) && most <= 1 << 24 ? 'f' : '8';
	}
	return least >= INT8_MIN && most <= INT8_MAX     ? '1'
	       : least >= INT32_MIN && most <= INT32_MAX ? '4'
							 : '8';
}

/* More of what is deflated, to b; false after the last of it. */
static bool
inflate_some(z_stream *z, struct buf *b)
{
	int rc;

	buf_reserve(b, PENDING);
	z->next_out = (unsigned char *)b->s + b->len;
	z->avail_out = PENDING;
	rc = inflate(z, Z_NO_FLUSH);
	b->len += PENDING - z->avail_out;
	return rc == Z_OK;
}

static void
inflate_begin(z_stream *z, const struct buf *from)
{
	if (inflateInit2(z, WINDOW) != Z_OK)
		die("out of memory");
	z->next_in = (unsigned char *)from->s;
	z->avail_in = (uInt)from->len;
}

void
html_col_print(const struct html_col *c)
{
	z_stream z = { 0 };

	inflate_begin(&z, &c->z);
	while (inflate_some(&z, &out_buf))
		out_check();
	inflateEnd(&z);
}

/* Goes through the values of a column. */
struct html_walk {
	const struct html_col *col;
	z_stream z;
	bool packed;     /* more of text is in z */
	struct buf own;  /* the memory of z */
	struct buf text; /* blocks, or JSON */
	size_t at;       /* in text: the next block, or value of JSON */
	uint64_t left;   /* values after the block */
	struct html_block block;
	int k;         /* in the block */
	int is;        /* of the value */
	int64_t v;     /* and itself, IS_VALUE */
	uint64_t sum;  /* HTML_STEPS: of the values so far */
	const char *s; /* JSON: its text */
	size_t n;
};

/* n bytes from at on, or what is left. */
static const unsigned char *
walk_bytes(struct html_walk *w, size_t n)
{
	if (w->packed && w->text.len - w->at < n) {
		if (w->at > 0)
			memmove(
			    w->text.s, w->text.s + w->at, w->text.len - w->at);
		w->text.len -= w->at;
		w->at = 0;
		while (w->packed && w->text.len < n)
			w->packed = inflate_some(&w->z, &w->text);
	}
	return (const unsigned char *)w->text.s + w->at;
}

/* take: the column gets other values, so w keeps the old ones. */
static struct html_walk *
walk_begin(struct html_col *c, uint64_t n, bool take)
{
	struct html_walk *w = xcalloc(1, sizeof(*w));

	end_block(c);
	if (c->deflate != NULL)
		squeeze(c, Z_SYNC_FLUSH);
	w->col = c;
	w->left = n;
	w->packed = c->z.len > 0;
	if (!w->packed)
		buf_put(&w->text, c->bytes.s, c->bytes.len);
	else
		inflate_begin(&w->z, &c->z);
	if (take) {
		w->own = c->z;
		c->z = (struct buf){ 0 };
	}
	if (c->whole) {
		walk_bytes(w, SIZE_MAX);
		w->at = w->text.len > 0;
	}
	return w;
}

static void
walk_end(struct html_walk *w)
{
	if (w == NULL)
		return;
	inflateEnd(&w->z);
	buf_free(&w->own);
	buf_free(&w->text);
	free(w);
}

/* JSON, for --data. */
static void
walk_json(struct html_walk *w)
{
	const char *s = w->text.s + w->at, *end = w->text.s + w->text.len;

	w->s = s;
	if (*s == '"') {
		for (s++; *s != '"'; s++)
			s += *s == '\\';
		s++;
	}
	while (s < end && *s != ',')
		s++;
	w->n = (size_t)(s - w->s);
	w->at += w->n + 1;
	w->is = num_i64(w->s, w->n, &w->v) ? IS_VALUE : IS_NULL;
}

static void
walk_block(struct html_walk *w)
{
	struct html_block *b = &w->block;
	const unsigned char *s;
	uint64_t least = 0;
	int i, k, wide;

	b->n = w->left < BLOCK ? (int)w->left : BLOCK;
	s = walk_bytes(w, HEAD + (size_t)b->n * 9);
	wide = s[0] & (ODD - 1);
	for (k = 0; k < 8; k++)
		least |= (uint64_t)s[2 + k] << 8 * k;
	memset(b->is, IS_VALUE, sizeof(b->is));
	if (s[0] & ODD)
		memcpy(b->is, s + HEAD, (size_t)b->n);
	w->at += HEAD + (size_t)b->n * (wide + (s[0] & ODD ? 1 : 0));
	s += HEAD + (s[0] & ODD ? b->n : 0);
	for (i = 0; i < b->n; i++) {
		uint64_t v = 0;

		for (k = 0; k < wide; k++)
			v |= (uint64_t)s[k * b->n + i] << 8 * k;
		b->v[i] = (int64_t)(v + least);
	}
	w->left -= (uint64_t)b->n;
	w->k = 0;
}

static bool
walk_next(struct html_walk *w)
{
	if (w->col->whole) {
		if (w->left == 0)
			return false;
		w->left--;
		walk_json(w);
		return true;
	}
	if (w->k >= w->block.n) {
		if (w->left == 0)
			return false;
		walk_block(w);
	}
	w->is = w->block.is[w->k];
	w->v = w->block.v[w->k++];
	if (w->is == IS_VALUE)
		w->sum += (uint64_t)w->v;
	return true;
}

void
html_col_mark(
    struct html_col *c, size_t n, int64_t from, int64_t to, bool *keep)
{
	struct html_walk *w = walk_begin(c, n, false);
	size_t i;

	for (i = 0; walk_next(w); i++)
		keep[i] = w->is == IS_VALUE && w->v >= from && w->v <= to;
	walk_end(w);
}

static void
keep_value(struct html_col *c, const struct html_walk *w)
{
	if (c->whole) {
		put_comma(c);
		buf_put(&c->bytes, w->s, w->n);
		c->set |= w->n != 4 || memcmp(w->s, "null", 4) != 0;
	} else if (c->kind == HTML_STEPS && w->is == IS_VALUE) {
		html_col_add_i64(c, (int64_t)w->sum);
	} else {
		put_value(c, w->v, w->is);
		c->set |= has_texts(c) ? w->v >= 0 : w->is != IS_NULL;
	}
}

void
html_col_keep(struct html_col *c, size_t n, const bool *keep)
{
	struct html_walk *w = walk_begin(c, n, true);
	size_t i;

	if (c->deflate != NULL)
		deflateReset(c->deflate);
	buf_clear(&c->bytes);
	c->begun = c->set = false;
	if (c->kind == HTML_STEPS)
		c->last = 0;
	for (i = 0; walk_next(w); i++)
		if (keep[i])
			keep_value(c, w);
	walk_end(w);
}

void
html_col_free(struct html_col *c)
{
	free_deflate(c);
	smap_free(&c->texts);
	buf_free(&c->bytes);
	free(c->block);
	buf_free(&c->z);
}
