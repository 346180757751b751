/* A growable byte string, and fast functions that append the parts of records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	char *s;    /* NULL until the first byte; no final NUL: see buf_str */
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated */
};

/* Makes room for more bytes. */
void buf_grow(struct buf *b, size_t more) __attribute__((cold));
void buf_free(struct buf *b);

static inline void
buf_reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len < more)
		buf_grow(b, more);
}

static inline void
buf_clear(struct buf *b)
{
	b->len = 0;
}

static inline void
buf_putc(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->s[b->len++] = c;
}

static inline void
buf_put(struct buf *b, const char *s, size_t n)
{
	buf_reserve(b, n);
	if (n > 0)
		memcpy(b->s + b->len, s, n);
	b->len += n;
}

static inline void
buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void buf_i64(struct buf *b, int64_t v); /* decimal, without locale */
void buf_u64(struct buf *b, uint64_t v);
void buf_c_i64(struct buf *b, char c, int64_t v); /* c and the number */
void buf_f64(struct buf *b, double v, int decimals);
void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The contents with a NUL after them; valid until the next change. */
const char *buf_str(struct buf *b);
