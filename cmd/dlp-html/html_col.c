/* A column: values to JSON, and that through zlib. */
#include <stdlib.h>

#include <zlib.h>

#include "err.h"
#include "html.h"
#include "text_out.h"

#define PENDING (16 * 1024) /* what one call of zlib gets */

/* A window of 16 kB and little state: a page has more than a hundred columns,
 * and all of them are open until the end. 16: with the head of gzip, which has
 * no time here, so that the same input gives the same bytes. */
#define WINDOW (14 + 16)
#define MEMORY 6

static void
squeeze(struct html_col *c, int flush)
{
	z_stream *z = c->deflate;
	int rc;

	if (z == NULL) {
		z = c->deflate = xcalloc(1, sizeof(*z));
		if (deflateInit2(z, 6, Z_DEFLATED, WINDOW, MEMORY,
			Z_DEFAULT_STRATEGY) != Z_OK)
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

/* Before each value. */
static void
next_value(struct html_col *c)
{
	if (c->large && c->json.len >= PENDING)
		squeeze(c, Z_NO_FLUSH);
	if (c->json.len > 0 || c->z.len > 0 || c->deflate != NULL)
		buf_putc(&c->json, ',');
	else
		buf_puts(&c->json,
		    c->kind == HTML_TEXTS && !c->whole ? "{\"v\":[" : "[");
}

void
html_col_add_null(struct html_col *c)
{
	next_value(c);
	buf_puts(&c->json, "null");
}

void
html_col_add_i64(struct html_col *c, int64_t v)
{
	next_value(c);
	c->set = true;
	if (c->kind == HTML_STEPS && !c->whole)
		buf_i64(&c->json, (int64_t)((uint64_t)v - (uint64_t)c->last));
	else
		buf_i64(&c->json, v);
	c->last = v;
}

void
html_col_add_raw(struct html_col *c, const char *s, size_t n)
{
	next_value(c);
	c->set = true;
	buf_put(&c->json, s, n);
}

void
html_col_add_text(struct html_col *c, const char *s, size_t n)
{
	next_value(c);
	c->set = true;
	if (c->whole)
		json_quote_field(&c->json, s, n, TEXT_JSON);
	else
		buf_u64(&c->json, smap_put(&c->texts, s, n, NULL));
}

void
html_col_end(struct html_col *c)
{
	const char *s;
	uint32_t i;
	size_t n;

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

void
html_col_print(const struct html_col *c)
{
	z_stream z = { 0 };
	int rc = Z_OK;

	if (inflateInit2(&z, WINDOW) != Z_OK)
		die("out of memory");
	z.next_in = (unsigned char *)c->z.s;
	z.avail_in = (uInt)c->z.len;
	while (rc == Z_OK) {
		buf_reserve(&out_buf, PENDING);
		z.next_out = (unsigned char *)out_buf.s + out_buf.len;
		z.avail_out = PENDING;
		rc = inflate(&z, Z_NO_FLUSH);
		out_buf.len += PENDING - z.avail_out;
		out_check();
	}
	inflateEnd(&z);
}

void
html_col_free(struct html_col *c)
{
	if (c->deflate != NULL)
		deflateEnd(c->deflate);
	free(c->deflate);
	smap_free(&c->texts);
	buf_free(&c->json);
	buf_free(&c->z);
}
