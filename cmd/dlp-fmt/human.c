/*
 * Numbers for people: the values of a column in one unit, chosen for the
 * largest value, with about four digits; the header has the unit. A value of
 * which fewer than two digits would be left has a unit of its own beside it.
 */
#include <math.h>
#include <string.h>

#include "fmt.h"
#include "num.h"

#define MAX_STEPS 6

struct step {
	const char *word;
	double one; /* in the unit of the records */
};

static const struct {
	const char *unit; /* the end of a column's name */
	struct step step[MAX_STEPS];
} ladders[] = {
	{ "ns", { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } } },
	{ "bytes", { { "bytes", 1 }, { "KB", 1e3 }, { "MB", 1e6 },
		       { "GB", 1e9 }, { "TB", 1e12 } } },
	{ "bytes_s", { { "bytes_s", 1 }, { "KB_s", 1e3 }, { "MB_s", 1e6 },
			 { "GB_s", 1e9 }, { "TB_s", 1e12 } } },
	{ "flop",
	    { { "flop", 1 }, { "KFLOP", 1e3 }, { "MFLOP", 1e6 },
		{ "GFLOP", 1e9 }, { "TFLOP", 1e12 }, { "PFLOP", 1e15 } } },
	{ "mj", { { "mJ", 1 }, { "J", 1e3 }, { "kJ", 1e6 }, { "MJ", 1e9 } } },
	{ "hz",
	    { { "hz", 1 }, { "KHz", 1e3 }, { "MHz", 1e6 }, { "GHz", 1e9 } } },
};

#define NLADDERS (sizeof(ladders) / sizeof(ladders[0]))

/* True if the name is the unit, or ends in _unit. */
static bool
ends_in(const char *name, const char *unit)
{
	size_t n = strlen(name), k = strlen(unit);

	return n >= k && strcmp(name + n - k, unit) == 0 &&
	       (n == k || name[n - k - 1] == '_');
}

/* The index of the name's ladder, or NLADDERS. */
static size_t
ladder_of(const char *name)
{
	size_t i;

	for (i = 0; i < NLADDERS && !ends_in(name, ladders[i].unit); i++)
		;
	return i;
}

bool
human_unit(struct human *h, const char *name, double largest)
{
	const struct step *s;
	size_t i = ladder_of(name);

	if (i == NLADDERS)
		return false;
	h->from = ladders[i].unit;
	s = ladders[i].step;
	/* a value that would be rounded up to 1000 is 1 of the next unit */
	while (s + 1 < ladders[i].step + MAX_STEPS && s[1].word != NULL &&
	       largest >= s[1].one * 0.99995)
		s++;
	h->to = s->word;
	h->one = s->one;
	largest /= s->one;
	h->decimals = largest < 9.9995 ? 3 : largest < 99.995 ? 2 : 1;
	return s->one > 1;
}

bool
human_column(struct human *h, const struct fmt *f, int i, const double *largest)
{
	const char *name = f->col[i].from->canon;
	size_t ladder = ladder_of(name);
	double most = largest[i];
	int k;

	if (!f->shared)
		return human_unit(h, name, most);
	for (k = 0; k < f->ncol && ladder < NLADDERS; k++)
		if (largest[k] > most &&
		    ladder_of(f->col[k].from->canon) == ladder)
			most = largest[k];
	if (!human_unit(h, name, most / 10))
		return false;
	h->decimals = most / h->one < 999.9995 ? 3 : 2;
	return true;
}

void
human_head(const struct human *h, struct buf *b, const char *head)
{
	size_t n = strlen(head);
	bool ends = ends_in(head, h->from);

	if (ends)
		n -= strlen(h->from);
	if (h->own) /* each value has one */
		n -= ends && n > 0;
	if (h->own && n == 0)
		n = strlen(head);
	buf_put(b, head, n);
	if (h->own)
		return;
	if (!ends)
		buf_putc(b, '_');
	buf_puts(b, h->to);
}

bool
human_own_unit(struct human *h, const char *name)
{
	h->own = human_unit(h, name, 0) || h->from != NULL;
	return h->own;
}

/* A value has its own unit if it is too small for that of its column (500 ns,
 * not 0.0005), or the column has none. */
void
human_put(const struct human *h, struct buf *b, const char *s, size_t n)
{
	struct human own = { 0 };
	double v, least = h->one;
	int i;

	if (!num_f64(s, n, &v)) {
		buf_put(b, s, n);
		return;
	}
	for (i = 0; i < h->decimals; i++)
		least /= 10;
	if (!h->own && (v == 0 || fabs(v) >= 9.5 * least)) {
		buf_printf(b, "%.*f", h->decimals, v / h->one);
		return;
	}
	(void)human_unit(&own, h->from, fabs(v));
	if (own.one <= 1 && v == floor(v))
		own.decimals = 0;
	buf_printf(b, "%.*f %s", own.decimals > 2 && !h->own ? 2 : own.decimals,
	    v / own.one, own.to);
}
