/*
 * Ranks: their numbers, and their clocks. UTC of the session's start is the
 * first word, wrong by as much as the hosts' clocks are; collectives that end
 * together on all ranks are the last.
 */
#include <stdlib.h>
#include <string.h>

#include "align.h"
#include "emit.h"
#include "emit_field.h"
#include "err.h"
#include "namerule.h"
#include "natural.h"
#include "num.h"
#include "out.h"
#include "ranks.h"
#include "ranks_coll.h"
#include "ranks_find.h"
#include "run.h"
#include "schema.h"
#include "stage.h"

static uint64_t by_utc, unaligned;

static int
by_name(const void *va, const void *vb)
{
	char *const *a = va, *const *b = vb;

	return natural_cmp(*a, *b);
}

void
ranks_sort(char **paths, int n)
{
	if (n > 1)
		qsort(paths, (size_t)n, sizeof(*paths), by_name);
}

/* Whether all that were found differ. */
static bool
found_unique(const struct profile *v, int n)
{
	int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			if (v[i].rank_by != RANK_ORDER &&
			    v[k].rank_by != RANK_ORDER &&
			    v[i].rank == v[k].rank)
				return false;
	return true;
}

static bool
taken(const struct profile *v, int n, int64_t rank)
{
	int i;

	for (i = 0; i < n; i++)
		if (v[i].rank == rank)
			return true;
	return false;
}

static int
by_rank(const void *va, const void *vb)
{
	const struct profile *a = va, *b = vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void
forget_found(struct profile *v, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		v[i].rank = EV_UNSET;
		v[i].rank_by = RANK_ORDER;
	}
}

/* The ranks that profiles tell. Those on a host and those of the whole run
 * are no numbers of one kind, and two cannot be the same. */
static void
find_ranks(struct profile *v, int n)
{
	bool local, any_local = false, any_other = false;
	int i;

	for (i = 0; i < n; i++) {
		profile_current(&v[i]);
		if (!ranks_find(v[i].db, &v[i].rank, &local)) {
			v[i].rank = EV_UNSET;
			any_other = true;
			continue;
		}
		v[i].rank_by = RANK_FOUND;
		any_local |= local;
		any_other |= !local;
	}
	if (any_local && any_other) {
		forget_found(v, n);
	} else if (!found_unique(v, n)) {
		if (!any_local)
			warn("profiles tell the same rank: numbered by the"
			     " order of their names");
		forget_found(v, n);
	}
}

void
ranks_number(struct profile *v, int n)
{
	int64_t next = 0;
	int i;

	forget_found(v, n);
	find_ranks(v, n);
	for (i = 0; i < n; i++) {
		if (v[i].rank != EV_UNSET)
			continue;
		while (taken(v, n, next))
			next++;
		v[i].rank = next;
	}
	qsort(v, (size_t)n, sizeof(*v), by_rank);
	for (i = 0; i < n; i++)
		v[i].no = i;
}

/* UTC of the profile's origin, EV_UNSET if it does not tell. */
static int64_t
origin(struct profile *p)
{
	sqlite3_stmt *st;
	int64_t t = EV_UNSET;

	if (!db_has_column(
		p->db, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs"))
		return EV_UNSET;
	st = db_prepare(p->db,
	    "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME LIMIT 1");
	if (db_step(st))
		t = db_i64(st, 0);
	sqlite3_finalize(st);
	return t;
}

/* Moves all of the profile's times. */
static void
move(struct profile *p, int64_t shift)
{
	int i;

	p->shift = shift;
	for (i = 0; i < p->ncur; i++)
		p->cur[i].shift = shift;
}

static void
align(struct profile *p, const struct colls *ref, int64_t t0)
{
	int64_t t = origin(p), hint = 0;
	bool has_hint = t != EV_UNSET && t0 != EV_UNSET;
	struct colls c = { 0 };
	struct align a;

	if (has_hint)
		hint = num_sub(t, t0);
	colls_read(&c, p);
	if (align_find(ref->v, ref->n, c.v, c.n, has_hint ? &hint : NULL, &a)) {
		p->clock_by = "collectives";
		p->n_coll = (int64_t)a.n;
		p->spread = a.spread;
		move(p, a.shift);
	} else if (has_hint) {
		p->clock_by = "utc";
		by_utc++;
		move(p, hint);
	} else {
		unaligned++;
	}
	free(c.v);
}

void
ranks_align(struct profile *v, int n)
{
	struct colls ref = { 0 };
	int64_t t0;
	int i;

	for (i = 0; i < n; i++) {
		v[i].clock_by = NULL;
		v[i].n_coll = v[i].spread = EV_UNSET;
	}
	profile_current(&v[0]);
	t0 = origin(&v[0]);
	v[0].clock_by = "reference";
	colls_read(&ref, &v[0]);
	for (i = 1; i < n; i++) {
		profile_current(&v[i]);
		align(&v[i], &ref, t0);
	}
	free(ref.v);
	if (by_utc > 0)
		warn("%llu of %d ranks have no collectives in common with the"
		     " first: clocks are not aligned but by the hosts' UTC",
		    (unsigned long long)by_utc, n);
	if (unaligned > 0)
		warn("%llu of %d ranks share no collective and no UTC time with"
		     " the first: their clocks are not aligned",
		    (unsigned long long)unaligned, n);
}

void
ranks_put(struct profile *v, int n)
{
	struct out_type *t = out_type_reg("rank", "dlp-parse");
	int i;

	for (i = 0; i < n; i++) {
		out_rec(t);
		out_i64(v[i].rank);
		out_raw(v[i].src.s, v[i].src.len);
		emit_word(v[i].rank_by == RANK_FOUND ? "profile" : "name");
		emit_word(v[i].clock_by);
		out_i64(v[i].shift);
		emit_num(v[i].n_coll);
		emit_num(v[i].spread);
		out_end();
	}
}

void
ranks_notes(void)
{
	stage_note("ranks_by_utc", by_utc);
	stage_note("ranks_unaligned", unaligned);
}
