/* The words of -a, and the names of columns that they make; see stat.h. */
#include "stat.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

static const struct {
	const char *word, *std;
	enum stat stat;
	bool field; /* one result per field */
} words[] = {
	{ "count", "count", ST_COUNT, false },
	{ "n", "count", ST_COUNT, false },
	{ "nset", "nset", ST_NSET, true },
	{ "sum", "sum", ST_SUM, true },
	{ "mean", "mean", ST_MEAN, true },
	{ "avg", "mean", ST_MEAN, true },
	{ "min", "min", ST_MIN, true },
	{ "max", "max", ST_MAX, true },
	{ "std", "std", ST_STD, true },
	{ "stddev", "std", ST_STD, true },
	{ "median", "p50", ST_PERCENTILE, true },
	{ "union", "union", ST_UNION, false },
	{ "pct", "pct", ST_PCT, true },
	{ "share", "pct", ST_PCT, true },
	{ "first", "first", ST_FIRST, true },
	{ "last", "last", ST_LAST, true },
};
#define NWORDS (sizeof(words) / sizeof(words[0]))

static const char *const units[] = { "_ns", "_bytes", "_flop", "_hz" };

const char *
stat_word(const char *alias)
{
	size_t i;

	for (i = 0; i < NWORDS; i++)
		if (strcmp(words[i].word, alias) == 0)
			return words[i].std;
	return alias;
}

/* dur_ns -> dur_pct: the unit stays at the end. */
static void
put_stem(struct buf *b, const char *field)
{
	size_t n = strlen(field), k, i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		k = strlen(units[i]);
		if (n > k && strcmp(field + n - k, units[i]) == 0) {
			n -= k;
			break;
		}
	}
	buf_put(b, field, n);
}

char *
stat_name(const struct stat_col *s, const char *field)
{
	struct buf b = { 0 };

	if (s->stat == ST_COUNT)
		return xstrdup("n");
	if (s->stat == ST_UNION)
		return xstrdup("union_ns");
	if (s->stat == ST_PCT) {
		put_stem(&b, field);
		buf_puts(&b, "_pct");
	} else {
		buf_puts(&b, s->stat == ST_NSET ? "n" : s->word);
		buf_putc(&b, '_');
		buf_puts(&b, field);
	}
	buf_str(&b);
	return b.s;
}

/* "p99.9" */
static bool
is_percentile(const char *word, double *p)
{
	return word[0] == 'p' && word[1] != '+' &&
	       num_f64(word + 1, strlen(word + 1), p) && *p >= 0 && *p <= 100;
}

struct stat_col
stat_parse(const char *word, bool *per_field)
{
	struct stat_col s = { .word = stat_word(word), .field = -1, .p = 50 };
	size_t i;

	*per_field = true;
	if (is_percentile(s.word, &s.p)) {
		s.stat = ST_PERCENTILE;
		return s;
	}
	for (i = 0; i < NWORDS; i++)
		if (strcmp(words[i].word, word) == 0) {
			s.stat = words[i].stat;
			*per_field = words[i].field;
			return s;
		}
	die("-a: '%s' is none of count, nset, sum, mean, min, max,"
	    " median, pN, std, union, pct, first, last",
	    word);
}

bool
stat_is_pct(const char *name, const char *field)
{
	struct stat_col s = { .stat = ST_PCT };
	char *own = stat_name(&s, field);
	bool same = strcmp(own, name) == 0;

	free(own);
	return same;
}

void
stat_free(const struct stat_col *s)
{
	if (s->stat == ST_PERCENTILE)
		free((char *)s->word);
}

bool
stat_result(const char *name, struct stat_col *s, const char **field)
{
	const char *bar = strchr(name, '_');
	char *word;
	size_t i;

	*s = (struct stat_col){ .field = -1 };
	*field = NULL;
	if (strcmp(name, "n") == 0 || strcmp(name, "union_ns") == 0) {
		s->stat = name[0] == 'n' ? ST_COUNT : ST_UNION;
		s->word = name[0] == 'n' ? "count" : "union";
		return true;
	}
	if (bar == NULL)
		return false;
	word = xmemdup(name, (size_t)(bar - name));
	*field = bar + 1;
	if (is_percentile(word, &s->p)) {
		s->stat = ST_PERCENTILE;
		s->word = word;
		return true;
	}
	for (i = 0; i < NWORDS; i++)
		if (words[i].field && words[i].stat != ST_PCT &&
		    words[i].stat != ST_NSET &&
		    strcmp(words[i].word, word) == 0) {
			s->stat = words[i].stat;
			s->word = words[i].std;
			break;
		}
	if (strcmp(word, "n") == 0) {
		s->stat = ST_NSET;
		s->word = "nset";
	}
	free(word);
	return s->word != NULL;
}
