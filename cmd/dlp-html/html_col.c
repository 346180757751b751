/* A column: values to JSON, and that through zlib. */
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
 */
#define WINDOW (13 + 16)
#define MEMORY 6

static void
squeeze(struct html_col *c, int flush)
{
	z_stream *z = c->deflate;
	int rc;

	if (z == NULL) {
		z = c->deflate = xcalloc(1, sizeof(*z));
		if (deflateInit2(
			z, 6, Z_DEFLATED, WINDOW, MEMORY, Z_FILTERED) != Z_OK)
			die("out of memory");
	}
	z->next_in = (unsigned char *)c->json.s;
	z->avail_in = (uInt)c->json.len;
	do {
		buf_reserve(&c->z, 4096);
		z->next_out = (unsigned char *)c->z.s + c->z.len;
		z->avail_out = 4096;
		rc = deflate(z, flush);
		c->z.len += 4096 - z->avail_out;
	} while (z->avail_out == 0 || (flush == Z_FINISH && rc == Z_OK));
	buf_clear(&c->json);
}

static void
put_comma(struct html_col *c)
{
	if (c->large && c->json.len >= PENDING)
		squeeze(c, Z_NO_FLUSH);
	if (c->begun)
		buf_putc(&c->json, ',');
	else
		buf_puts(&c->json,
		    c->kind == HTML_TEXTS && !c->whole ? "{\"v\":[" : "[");
	c->begun = true;
}

/* "7": the value before, seven times more. */
static void
put_run(struct html_col *c)
{
	if (c->run > 1) {
		put_comma(c);
		buf_putc(&c->json, '"');
		buf_u64(&c->json, c->run);
		buf_putc(&c->json, '"');
	} else if (c->run == 1) {
		put_comma(c);
		buf_put(&c->json, c->was.s, c->was.len);
	}
	c->run = 0;
}

/* A value as JSON, in c->now. Many columns have the same one in most rows. */
static void
put_value(struct html_col *c)
{
	struct buf was = c->was;

	if (!c->whole && c->begun && c->now.len == was.len &&
	    memcmp(c->now.s, was.s, was.len) == 0) {
		c->run++;
	} else {
		put_run(c);
		put_comma(c);
		buf_put(&c->json, c->now.s, c->now.len);
		c->was = c->now;
		c->now = was;
	}
	buf_clear(&c->now);
}

static void
put_i64(struct html_col *c, int64_t v)
{
	buf_i64(&c->now, v);
	put_value(c);
}

static void
put_raw(struct html_col *c, const char *s, size_t n)
{
	buf_put(&c->now, s, n);
	put_value(c);
}

void
html_col_add_null(struct html_col *c)
{
	put_raw(c, "null", 4);
	if (c->kind == HTML_PLAIN)
		c->last = INT64_MIN; /* no number of another column is it */
}

void
html_col_add_i64(struct html_col *c, int64_t v)
{
	int64_t from = c->kind == HTML_STEPS && !c->whole ? c->last : 0;

	c->set = true;
	if (c->kind == HTML_BASED && !c->whole && v == c->base->last)
		put_raw(c, "true", 4);
	else
		put_i64(c, (int64_t)((uint64_t)v - (uint64_t)from));
	c->last = v;
}

void
html_col_add_raw(struct html_col *c, const char *s, size_t n)
{
	put_raw(c, s, n);
	c->set = true;
}

void
html_col_add_text(struct html_col *c, const char *s, size_t n)
{
	const char *was;
	size_t len;

	c->set = true;
	if (c->whole) {
		put_comma(c);
		json_quote_field(&c->json, s, n, TEXT_JSON);
		return;
	}
	if (c->texts.n > 0) {
		was = smap_str(&c->texts, (uint32_t)c->last, &len);
		if (len != n || memcmp(was, s, n) != 0)
			c->last = smap_put(&c->texts, s, n, NULL);
	} else {
		c->last = smap_put(&c->texts, s, n, NULL);
	}
	put_i64(c, c->last);
}

void
html_col_end(struct html_col *c)
{
	const char *s;
	uint32_t i;
	size_t n;

	put_run(c);
	if (c->kind == HTML_TEXTS && !c->whole) {
		buf_puts(&c->json, "],\"d\":[");
		for (i = 0; i < c->texts.n; i++) {
			if (i > 0)
				buf_putc(&c->json, ',');
			s = smap_str(&c->texts, i, &n);
			json_quote_field(&c->json, s, n, TEXT_JSON);
			if (c->large && c->json.len >= PENDING)
				squeeze(c, Z_NO_FLUSH);
		}
		buf_puts(&c->json, "]}");
	} else {
		buf_putc(&c->json, ']');
	}
	if (c->large)
		squeeze(c, Z_FINISH);
}

/* What is deflated so far, to b. */
static void
inflate_to(const struct html_col *c, struct buf *b)
{
	z_stream z = { 0 };
	int rc = Z_OK;

	if (inflateInit2(&z, WINDOW) != Z_OK)
		die("out of memory");
	z.next_in = (unsigned char *)c->z.s;
	z.avail_in = (uInt)c->z.len;
	while (rc == Z_OK) {
		buf_reserve(b, PENDING);
		z.next_out = (unsigned char *)b->s + b->len;
		z.avail_out = PENDING;
		rc = inflate(&z, Z_NO_FLUSH);
		b->len += PENDING - z.avail_out;
		if (b == &out_buf)
			out_check();
	}
	inflateEnd(&z);
}

void
html_col_print(const struct html_col *c)
{
	inflate_to(c, &out_buf);
}

/* Goes through the values of a column that has not ended. */
struct col_walk {
	struct buf text;
	size_t at;      /* in text: the next value */
	uint64_t again; /* how often v comes again */
	const char *v;
	size_t n;
};

static void
walk_begin(struct col_walk *w, struct html_col *c)
{
	put_run(c);
	if (c->deflate != NULL) {
		squeeze(c, Z_SYNC_FLUSH);
		inflate_to(c, &w->text);
	} else {
		buf_put(&w->text, c->json.s, c->json.len);
	}
	w->at = c->kind == HTML_TEXTS && !c->whole ? 6 : 1; /* {"v":[ */
}

static bool
walk_next(struct col_walk *w, const struct html_col *c)
{
	const char *s = w->text.s;
	size_t i = w->at, n = w->text.len;

	if (w->again > 0) {
		w->again--;
		return true;
	}
	if (i >= n)
		return false;
	if (s[i] == '"') {
		for (i++; s[i] != '"'; i++)
			i += s[i] == '\\';
		i++;
	} else {
		while (i < n && s[i] != ',')
			i++;
	}
	if (s[w->at] == '"' && !c->whole) {
		(void)num_u64(s + w->at + 1, i - w->at - 2, &w->again);
		w->again--;
	} else {
		w->v = s + w->at;
		w->n = i - w->at;
	}
	w->at = i + 1;
	return true;
}

void
html_col_mark(struct html_col *c, int64_t from, int64_t to, bool *keep)
{
	struct col_walk w = { 0 };
	int64_t v;
	size_t i;

	walk_begin(&w, c);
	for (i = 0; walk_next(&w, c); i++)
		keep[i] = num_i64(w.v, w.n, &v) && v >= from && v <= to;
	buf_free(&w.text);
}

void
html_col_keep(struct html_col *c, const bool *keep)
{
	bool steps = c->kind == HTML_STEPS && !c->whole, null;
	struct col_walk w = { 0 };
	int64_t sum = 0, v;
	size_t i;

	walk_begin(&w, c);
	if (c->deflate != NULL)
		deflateReset(c->deflate);
	buf_clear(&c->z);
	buf_clear(&c->json);
	buf_clear(&c->was);
	c->begun = c->set = false;
	if (c->kind == HTML_STEPS)
		c->last = 0;
	for (i = 0; walk_next(&w, c); i++) {
		null = w.n == 4 && memcmp(w.v, "null", 4) == 0;
		if (steps && num_i64(w.v, w.n, &v))
			sum = (int64_t)((uint64_t)sum + (uint64_t)v);
		if (!keep[i])
			continue;
		if (steps && !null)
			html_col_add_i64(c, sum);
		else
			put_raw(c, w.v, w.n);
		c->set |= !null;
	}
	buf_free(&w.text);
}

void
html_col_free(struct html_col *c)
{
	if (c->deflate != NULL)
		deflateEnd(c->deflate);
	free(c->deflate);
	smap_free(&c->texts);
	buf_free(&c->json);
	buf_free(&c->was);
	buf_free(&c->now);
	buf_free(&c->z);
}
