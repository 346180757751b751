/* Ranks of other runs; see apart.h. */
#include "apart.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "out.h"

static struct kept {
	struct buf src, utc, none; /* the record, with that clock */
} * kept;
static size_t n_kept, cap;
static struct buf first;

void
apart_first(const char *src, size_t n)
{
	buf_clear(&first);
	buf_put(&first, src, src != NULL ? n : 0);
}

void
apart_keep(const struct rec *r, const char *src, size_t n,
    const struct rec_col *clock, const struct rec_col *shift)
{
	struct kept *k;
	const char *s;
	size_t len;
	int i;

	if (n_kept == cap) {
		cap = cap > 0 ? 2 * cap : 8;
		kept = xrealloc(kept, cap, sizeof(*kept));
		memset(kept + n_kept, 0, (cap - n_kept) * sizeof(*kept));
	}
	k = &kept[n_kept++];
	buf_clear(&k->src);
	buf_clear(&k->utc);
	buf_clear(&k->none);
	buf_put(&k->src, src, src != NULL ? n : 0);
	buf_put(&k->utc, r->line, r->len);
	buf_puts(&k->none, "rank");
	for (i = 0; i < rec_ncols(r->type); i++) {
		s = rec_field(r, i, &len);
		buf_putc(&k->none, '\t');
		if (i == clock->pos || i == shift->pos)
			buf_putc(&k->none, '-');
		else
			buf_put(&k->none, s, len);
	}
}

/* When the kernels of a file ran; false: it has none. */
static bool
span_of(const struct parts *ps, const struct buf *src, struct span *t)
{
	uint32_t id = smap_find(&ps->srcs, src->s, src->len);
	const struct share *h;
	bool any = false;

	for (h = ps->share; h < ps->share + ps->nshare; h++) {
		if (id == SMAP_NONE || ps->v[h->part].src != id)
			continue;
		t->lo = !any || h->first < t->lo ? h->first : t->lo;
		t->hi = !any || h->end > t->hi ? h->end : t->hi;
		any = true;
	}
	return any;
}

static void
say(const struct kept *k, int64_t ns)
{
	static const struct {
		double ns;
		const char *word;
	} units[] = { { 86400e9, "days" }, { 3600e9, "hours" },
		{ 60e9, "minutes" }, { 1e9, "s" }, { 0, "ms" } };
	const char *src = buf_str((struct buf *)&k->src);
	size_t i = 0;

	while ((double)ns < 2 * units[i].ns)
		i++;
	warn("%s: of another run than %s? No collective in common, and by UTC"
	     " %.1f %s between their GPU work: not aligned, no skew",
	    src, buf_str(&first),
	    (double)ns / (units[i].ns > 0 ? units[i].ns : 1e6), units[i].word);
}

static void
mark(struct parts *ps, const struct buf *src)
{
	uint32_t id = smap_find(&ps->srcs, src->s, src->len);
	size_t i;

	for (i = 0; i < ps->n; i++)
		if (ps->v[i].src == id && !ps->v[i].apart) {
			ps->v[i].apart = true;
			ps->n_apart++;
		}
}

void
apart_end(struct parts *ps)
{
	struct span ref = { 0 }, t = { 0 };
	bool has_ref = span_of(ps, &first, &ref), is;
	size_t i;

	for (i = 0; i < n_kept; i++) {
		is = has_ref && span_of(ps, &kept[i].src, &t) &&
		     (t.lo >= ref.hi || ref.lo >= t.hi);
		if (is) {
			mark(ps, &kept[i].src);
			say(&kept[i], t.lo >= ref.hi ? num_sub(t.lo, ref.hi)
						     : num_sub(ref.lo, t.hi));
		}
		out_line(is ? kept[i].none.s : kept[i].utc.s,
		    is ? kept[i].none.len : kept[i].utc.len);
	}
	n_kept = 0;
}
