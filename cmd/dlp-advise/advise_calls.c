/*
 * Facts of API calls: the calls that wait, that load code or allocate memory,
 * and the time that the CPU spends in each class of them.
 */
#include "advise_read.h"
#include "apicall.h"
#include "num.h"

enum { SYNC_OP = 1, SYNC_LAYER };

/* The start and duration of a call: the record's own times, or those of the
 * call that launched its work. */
struct call_time {
	const struct rec_col *start, *dur;
};

/* The part of a call since the first GPU work, because the time before is
 * start-up, and not time in which the GPU idles (dlp-busy). */
static int64_t
since_work(const struct facts *f, const struct rec *r,
    const struct call_time *at, int64_t dur)
{
	int64_t start, left;

	if (!f->any_work)
		return 0;
	if (!rec_i64(r, at->start, &start) || start >= f->first_work)
		return dur;
	left = num_sub(num_add(start, dur), f->first_work);
	return left > 0 ? left : 0;
}

/* a first launch takes longer; others take some us */
#define FIRST_NS 1000000
/* a first allocation takes longer; others take some ms */
#define FIRST_ALLOC_NS 100000000

/* The activity of the CPU in a call that lasted dur, in iterations or between
 * them; -1 if it does not matter. */
static int
cpu_class(enum advise_call of, enum apicall_kind kind, int64_t dur)
{
	static const int class[] = { [APICALL_WAITS] = C_SYNC,
		[APICALL_ALLOCATES] = C_ALLOC,
		[APICALL_LOADS] = C_MODULE };

	if (of == CALL_KERNEL)
		return dur > FIRST_NS ? C_FIRST : C_LAUNCH;
	if (kind == APICALL_ALLOCATES && dur > FIRST_ALLOC_NS)
		return C_FIRST;
	if (of == CALL_COPY)
		return C_COPY;
	if (kind != APICALL_OTHER)
		return class[kind];
	return of == CALL_SYNC ? C_SYNC : -1;
}

/* Calls that load code are loading, as the profiler's own records of it are:
 * not every profile has these. */
static void
add_load(struct facts *f, const struct rec *r, const struct call_time *at,
    int64_t dur)
{
	int64_t start;

	if (rec_i64(r, at->start, &start) &&
	    f->over_time[OVER_LOAD].n < ADVISE_PIECES)
		ivl_add(&f->over_time[OVER_LOAD], start, num_add(start, dur));
}

/* A call that waits for the GPU, by its name and, as far as it is known, the op
 * and the range in which the program made it. */
static void
add_wait(struct facts *f, const struct advise_type *t, const struct rec *r,
    const char *s, size_t n, enum advise_call of, int64_t dur)
{
	struct buf name = { 0 };
	size_t len;
	const char *v;

	buf_put(&name, s, n);
	if (of != CALL_KERNEL) {
		v = rec_raw(r, t->col[SYNC_OP], &len);
		if (v != NULL)
			buf_printf(&name, " of %.*s", (int)len, v);
		v = rec_raw(r, t->col[SYNC_LAYER], &len);
		if (v != NULL)
			buf_printf(&name, " in %.*s", (int)len, v);
	}
	tops_add(&f->sync, name.s, name.len, dur, 0);
	buf_free(&name);
}

void
advise_count_call(struct facts *f, const struct advise_type *t,
    const struct rec *r, enum advise_call of)
{
	struct call_time at = { t->at.api_start, t->at.api_dur };
	int64_t dur = 0, left;
	size_t n, k;
	enum apicall_kind kind;
	int class;
	const char *s = rec_raw(r, t->col[COL_API], &n);

	if (s == NULL)
		return;
	if (of == CALL_OTHER)
		at = (struct call_time){ t->at.start, t->at.dur };
	k = apicall_base(s, n);
	rec_dur(r, at.dur, &dur);
	kind = apicall_kind(s, k);
	class = cpu_class(of, kind, dur);
	if (class >= 0 && (!f->has_cuts || f->counts)) {
		left = since_work(f, r, &at, dur);
		f->cpu_ns[class] = num_add(f->cpu_ns[class], left);
	}
	if (kind == APICALL_LOADS)
		add_load(f, r, &at, dur);
	if (kind == APICALL_WAITS && advise_in_iter(f, t, r))
		add_wait(f, t, r, s, k, of, dur);
	else if (kind == APICALL_ALLOCATES && advise_in_iter(f, t, r))
		tops_add(&f->alloc, s, k, dur, 0);
}

void
add_sync(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	advise_count_call(f, t, r, CALL_SYNC);
}

void
add_call(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	advise_count_call(f, t, r, CALL_OTHER);
}
