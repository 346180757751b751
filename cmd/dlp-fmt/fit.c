/*
 * How a table gets into its width. Numbers have what they need; the widest
 * text gives way first, but stays readable; where that is not enough, the
 * last columns have no room.
 */
#include "fit.h"

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
