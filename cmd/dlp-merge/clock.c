/* Clocks of streams; see clock.h. */
#include "clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "align.h"
#include "err.h"
#include "namerule.h"
#include "num.h"
#include "shipped.h"

enum { COMM_TYPE, COMM_ENDS, COMM_WORDS };

struct ends {
	struct align_ev *v;
	size_t n, cap;
};

static struct namerules rules;

/* Whether such kernels end on all ranks together. */
static bool
together(struct smap *seen, const char *name, size_t n, uint32_t *id)
{
	static const char *const words[] = { "TYPE", "ENDS" };
	const struct namerule *u;
	struct buf low = { 0 };
	bool is_new;

	if (rules.n == 0)
		namerules_parse(&rules, "comm.rules",
		    shipped_text("comm.rules"), words, COMM_WORDS);
	*id = smap_put(seen, name, n, &is_new);
	if (is_new) {
		name_lower(&low, name, n);
		u = namerules_find(&rules, buf_str(&low), low.len);
		seen->val[*id] =
		    u != NULL && strcmp(u->word[COMM_ENDS], "all") == 0;
		buf_free(&low);
	}
	return seen->val[*id] != 0;
}

static void
put(struct ends *e, uint64_t key, int64_t t)
{
	if (e->n == e->cap) {
		e->cap = e->cap > 0 ? e->cap * 2 : 256;
		e->v = xrealloc(e->v, e->cap, sizeof(*e->v));
	}
	e->v[e->n++] = (struct align_ev){ key, t };
}

static int
by_time(const void *va, const void *vb)
{
	const struct align_ev *a = va, *b = vb;

	return (a->t > b->t) - (a->t < b->t);
}

/* Of a file; nothing of a pipe, which can be read only once. */
static void
read_ends(struct ends *e, const char *path)
{
	struct rec_reader *rd;
	struct rec_type *kern;
	struct rec_col *start, *dur, *name;
	struct smap seen = { 0 };
	struct buf tmp = { 0 };
	struct stat st;
	struct rec r;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	rd = rec_open(path);
	rec_quiet(rd);
	kern = rec_type(rd, "kern");
	REC_COLS(kern, REC_OPT, { &start, "start_ns" }, { &dur, "dur_ns" },
	    { &name, "short" });
	while (rec_next(rd, &r)) {
		int64_t t, d;
		const char *s;
		uint32_t id;
		size_t n;

		if (r.type != kern || r.kind != REC_DATA)
			continue;
		s = rec_str(&r, name, &tmp, &n);
		if (s != NULL && together(&seen, s, n, &id) &&
		    rec_i64(&r, start, &t) && rec_i64(&r, dur, &d))
			put(e, hash_bytes(s, n), num_add(t, d));
	}
	rec_close(rd);
	smap_free(&seen);
	buf_free(&tmp);
	if (e->n > 0)
		qsort(e->v, e->n, sizeof(*e->v), by_time);
}

static bool
align(struct input *in, const struct input *first, const struct ends *ref,
    const char *path)
{
	bool utc = in->has_t0 && first->has_t0;
	int64_t hint = utc ? num_sub(in->t0, first->t0) : 0;
	struct ends e = { 0 };
	struct align a = { 0 };

	if (ref->n > 0)
		read_ends(&e, path);
	if (align_find(ref->v, ref->n, e.v, e.n, utc ? &hint : NULL, &a)) {
		in->clock_by = "collectives";
		in->n_coll = (int64_t)a.n;
		in->spread = a.spread;
		in->shift = a.shift;
	} else if (utc) {
		in->clock_by = "utc";
		in->shift = hint;
	}
	free(e.v);
	return in->clock_by != NULL;
}

uint64_t
clock_align(struct input *v, int n, char *const *paths, bool collectives)
{
	struct ends ref = { 0 };
	uint64_t lost = 0;
	int i;

	v[0].clock_by = "reference";
	if (collectives && n > 1)
		read_ends(&ref, paths[0]);
	for (i = 1; i < n; i++)
		lost += !align(&v[i], &v[0], &ref, paths[i]);
	free(ref.v);
	return lost;
}
