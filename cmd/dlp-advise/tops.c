/* Counts by name; see tops.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "tops.h"

void
tops_add(
    struct tops *t, const char *name, size_t len, int64_t ns, int64_t bytes)
{
	uint32_t i;

	t->all.n++;
	t->all.ns = num_add(t->all.ns, ns);
	t->all.bytes = num_add(t->all.bytes, bytes);
	i = t->names.n < TOPS_MAX ? smap_put(&t->names, name, len, NULL)
				  : smap_find(&t->names, name, len);
	if (i == SMAP_NONE)
		return;
	if (i >= t->cap) {
		size_t cap = t->cap > 0 ? 2 * t->cap : 16;

		t->v = xrealloc(t->v, cap, sizeof(*t->v));
		memset(t->v + t->cap, 0, (cap - t->cap) * sizeof(*t->v));
		t->cap = cap;
	}
	t->v[i].n++;
	t->v[i].ns = num_add(t->v[i].ns, ns);
	t->v[i].bytes = num_add(t->v[i].bytes, bytes);
}

static bool
above(const struct top *a, const struct top *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->n > b->n;
}

/* The largest that is below `last` in order, or SMAP_NONE. */
static uint32_t
next_top(const struct tops *t, uint32_t last)
{
	uint32_t i, best = SMAP_NONE;

	for (i = 0; i < t->names.n; i++) {
		if (last != SMAP_NONE &&
		    (above(&t->v[i], &t->v[last]) ||
			(!above(&t->v[last], &t->v[i]) && i <= last)))
			continue;
		if (best == SMAP_NONE || above(&t->v[i], &t->v[best]))
			best = i;
	}
	return best;
}

/* Three digits are enough to judge by. */
static void
put_scaled(struct buf *b, double v, double step, const char *const *unit)
{
	while (v >= step && unit[1] != NULL) {
		v /= step;
		unit++;
	}
	buf_printf(b, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, *unit);
}

void
put_time(struct buf *b, int64_t ns)
{
	static const char *const unit[] = { "us", "ms", "s", NULL };

	put_scaled(b, (double)ns / 1e3, 1e3, unit);
}

void
put_size(struct buf *b, int64_t bytes)
{
	static const char *const unit[] = { "KB", "MB", "GB", "TB", NULL };

	put_scaled(b, (double)bytes / 1e3, 1e3, unit);
}

/* At most 80 bytes of a name, whole characters and escapes of them. */
static size_t
shown(const char *s, size_t n)
{
	if (n <= 80)
		return n;
	for (n = 80; n > 70 && ((s[n] & 0xc0) == 0x80 || s[n - 1] == '\\' ||
				   s[n - 2] == '\\' || s[n - 3] == '\\');)
		n--;
	return n;
}

void
tops_put(const struct tops *t, struct buf *b, int k)
{
	uint32_t i = SMAP_NONE;
	const char *s;
	size_t n;

	while (k-- > 0 && (i = next_top(t, i)) != SMAP_NONE) {
		s = smap_str(&t->names, i, &n);
		if (b->len > 0)
			buf_puts(b, "; ");
		buf_put(b, s, shown(s, n));
		buf_puts(b, ": ");
		buf_u64(b, t->v[i].n);
		if (t->v[i].ns > 0) {
			buf_puts(b, ", ");
			put_time(b, t->v[i].ns);
		}
		if (t->v[i].bytes > 0) {
			buf_puts(b, ", ");
			put_size(b, t->v[i].bytes);
		}
	}
}

void
tops_free(struct tops *t)
{
	smap_free(&t->names);
	free(t->v);
	memset(t, 0, sizeof(*t));
}
