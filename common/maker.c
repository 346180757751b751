#include "maker.h"

#include <string.h>

#include "num.h"

void
maker_info(struct maker *m, struct mview name, struct mview value)
{
	if (mv_eq(name, "dialect"))
		*m = (struct maker){ .torch = mv_eq(value, "kineto"),
			.rocprof = mv_eq(value, "rocpd"),
			.amd = mv_eq(value, "rocpd") };
	else if (mv_eq(name, "activities"))
		m->ops = mv_starts(value, "CPU");
	else if (mv_eq(name, "product"))
		m->ours = mv_starts(value, "dlp-record");
	else if (mv_eq(name, "vendor"))
		m->amd = mv_eq(value, "amd");
	else if (mv_eq(name, "n_cpu") && !num_i64(value.s, value.n, &m->n_cpu))
		m->n_cpu = 0;
}

void
maker_read(struct maker *m, struct rec *r)
{
	size_t wlen, n;
	const char *rest, *tab, *word = rec_meta(r, &wlen, &rest, &n);

	if (text_is(word, wlen, "info") && rest != NULL &&
	    (tab = memchr(rest, '\t', n)) != NULL)
		maker_info(m, mv(rest, tab), mv(tab + 1, rest + n));
}

const char *
maker_text(const struct maker *m, const char *nsys, const char *torch,
    const char *rocprof)
{
	return m->torch ? torch : m->rocprof ? rocprof : nsys;
}
