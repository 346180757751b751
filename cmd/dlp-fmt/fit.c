/* How a table gets into its width; see fit.h. */
#include <stdlib.h>

#include "array.h"
#include "fit.h"
#include "map.h"
#include "text_out.h"

#define READABLE 8 /* text is cut to no less */
#define LEAST 3    /* but to this if there is but one more column */

static int
min_width(const struct fit_col *c, int least)
{
	int w = least == READABLE && c->head > least ? c->head : least;

	return c->num || c->copy || c->want < w ? c->width : w;
}

/* The widest text that can give way, -1 if none can. */
static int
widest(const struct fit_col *c, int n, int least)
{
	int i, best = -1;

	for (i = 0; i < n; i++)
		if (!c[i].num && !c[i].copy &&
		    c[i].width > min_width(&c[i], least) &&
		    (best < 0 || c[i].width > c[best].width))
			best = i;
	return best;
}

static bool
shrink(struct fit_col *c, int n, int room, bool split)
{
	int i, total = FIT_GAP * (n - 1);

	for (i = 0; i < n; i++) {
		c[i].width = split ? c[i].tight : c[i].want;
		total += c[i].width;
	}
	while (total > room) {
		i = widest(c, n, n > 2 ? READABLE : LEAST);
		if (i < 0)
			return false;
		c[i].width--;
		total--;
	}
	return true;
}

int
fit(struct fit_col *c, int n, int room, bool *split)
{
	int i, total = FIT_GAP * (n - 1);
	bool copy = false;

	*split = false;
	for (i = 0; i < n; i++) {
		total += c[i].want;
		copy |= c[i].copy;
	}
	if (total > room)
		for (i = 0; i < n; i++)
			*split = *split || c[i].tight < c[i].want;
	while (!shrink(c, n, room, *split) && n > 1 && !copy)
		n--;
	for (i = 0, total = FIT_GAP * (n - 1); i < n; i++)
		total += c[i].width;
	for (i = 0; i < n && copy && total > room; i++)
		c[i].width = *split ? c[i].tight : c[i].want;
	if (n == 1 && c->width > room && !copy)
		c->width = room;
	return n;
}

void
fit_row(const struct fit_col *c, int n, const int *need, int *width)
{
	int i, k, lack = 0;

	for (i = 0; i < n; i++) {
		width[i] = c[i].width;
		if (c[i].num && need[i] > width[i])
			lack += need[i] - width[i];
	}
	if (lack == 0)
		return;
	for (i = 0, k = -1; i < n; i++)
		if (!c[i].num && !c[i].copy && (k < 0 || width[i] > width[k]))
			k = i;
	if (k < 0 || width[k] - lack < LEAST)
		return;
	width[k] -= lack;
	for (i = 0; i < n; i++)
		if (c[i].num && need[i] > width[i])
			width[i] = need[i];
}

#define AS_SUITS (-1)

struct cut_col {
	int width;
	int head; /* for all */
	/* text -> columns of its head + 2; 0: as all */
	struct smap texts;
	int *text_width; /* by number in texts */
};

/* The end of a path tells more than its beginning; with shapes it is the other
 * way round. */
static int
suits(const char *s, size_t n, int room)
{
	if (n > 0 && s[0] == '[')
		return room - room / 4;
	return memchr(s, '/', n) != NULL ? room / 3 : (room + 1) / 2;
}

void
cut_put(struct buf *b, const char *s, size_t n, int width, int head)
{
	int room = width - (int)sizeof(CUT_MARK) + 1, used, used2;
	size_t from, to;

	if (room < 1) {
		buf_put(b, CUT_MARK, (size_t)(width > 0 ? width : 0));
		return;
	}
	if (head < 0)
		head = suits(s, n, room);
	if (head > room)
		head = room;
	from = text_head(s, n, head, &used);
	to = text_tail(s, n, room - used, &used2);
	buf_put(b, s, from);
	buf_puts(b, CUT_MARK);
	buf_put(b, s + n - to, to);
	for (; used + used2 < room; used++)
		buf_putc(b, ' ');
}

struct cut_col *
cut_new(int width)
{
	struct cut_col *c = xcalloc(1, sizeof(*c));

	c->width = width;
	c->head = AS_SUITS;
	return c;
}

void
cut_free(struct cut_col *c)
{
	if (c == NULL)
		return;
	smap_free(&c->texts);
	free(c->text_width);
	free(c);
}

void
cut_add(struct cut_col *c, const char *s, size_t n, int text_width)
{
	bool is_new;
	uint32_t id = smap_put(&c->texts, s, n, &is_new);

	if (!is_new)
		return;
	c->text_width =
	    xrealloc(c->text_width, (size_t)id + 1, sizeof(*c->text_width));
	c->text_width[id] = text_width;
}

/* How text id looks with that head: its number in shown. */
static uint32_t
look(const struct cut_col *c, struct smap *shown, uint32_t id, int head,
    bool *is_new)
{
	struct buf b = { 0 };
	const char *s;
	uint32_t k;
	size_t n;

	s = smap_str(&c->texts, id, &n);
	if (c->text_width[id] <= c->width)
		buf_put(&b, s, n);
	else
		cut_put(&b, s, n, c->width, head);
	k = smap_put(shown, b.s, b.len, is_new);
	buf_free(&b);
	return k;
}

/* How many texts look like another one with that head. */
static size_t
clashes(const struct cut_col *c, int head)
{
	struct smap shown = { 0 };
	size_t n = 0;
	uint32_t id;
	bool is_new;

	for (id = 0; id < c->texts.n; id++) {
		look(c, &shown, id, head, &is_new);
		n += !is_new;
	}
	smap_free(&shown);
	return n;
}

/* Gives texts that still look like one before a place of their own. */
static void
move_single(struct cut_col *c)
{
	struct smap shown = { 0 };
	uint32_t id;
	bool is_new;
	int head, k;

	for (id = 0; id < c->texts.n; id++) {
		look(c, &shown, id, c->head, &is_new);
		for (k = 0; !is_new && k < c->width; k++) {
			head = (c->width + (k % 2 ? -k : k)) / 2;
			look(c, &shown, id, head, &is_new);
			if (is_new)
				c->texts.val[id] = (uint64_t)head + 2;
		}
	}
	smap_free(&shown);
}

void
cut_choose(struct cut_col *c)
{
	static const int eighths[] = { 4, 3, 5, 2, 6, 1, 7 };
	size_t least = clashes(c, AS_SUITS), n, i;
	int head;

	for (i = 0; least > 0 && i < ARRAY_LEN(eighths); i++) {
		head = (c->width - 2) * eighths[i] / 8;
		n = clashes(c, head);
		if (n < least) {
			least = n;
			c->head = head;
		}
	}
	if (least > 0)
		move_single(c);
}

void
cut_text(const struct cut_col *c, struct buf *b, const char *s, size_t n)
{
	uint32_t id = smap_find(&c->texts, s, n);
	int head = c->head;

	if (id != SMAP_NONE && c->texts.val[id] > 0)
		head = (int)c->texts.val[id] - 2;
	cut_put(b, s, n, c->width, head);
}
