/*
 * --ranges: each range as the GPU saw it, from the first start to the last end
 * of the work that was launched inside it, children included.
 */
#include "corr.h"

#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "num.h"

/* Work counts in each range around it, so that these are not too many: of a
 * thread, only the outermost ones are projected. */
#define AROUND_MAX 256

struct projection { /* of a range */
	uint64_t order;
	int64_t id, start, end, parent;
	bool has_parent, has_dur;
	int64_t level, n_child, gpu_lo, gpu_hi;
	uint64_t n_gpu;
	struct ivl gpu;
	struct buf rest; /* pid .. text, as fields */
	struct mview src;
	struct projection *next_free;
};

static const char *const proj_cols[] = { "range_id", "start_ns", "dur_ns",
	"pid", "tid", "domain", "mode", "text", "gpu_start_ns", "gpu_end_ns",
	"gpu_ns", "n_gpu", "level", "n_child", "parent_id", "src" };

void
projs_init(struct projs *s, struct closing *closing)
{
	static const char *const rangekern[] = { "range_id", "kern_id" };

	s->closing = closing;
	s->rangekern = out_type("rangekern", rangekern, ARRAY_LEN(rangekern));
}

bool
proj_begin(
    struct projs *projs, const struct corr_range *range, const struct rec *r)
{
	static const int rest[] = { COL_pid, COL_tid, COL_domain, COL_mode,
		COL_text };
	struct projection *pr = projs->free;
	struct corr_thread *th = range->th;
	struct corr_open *top = thread_top(th);
	struct mview v;
	size_t i;

	if (th->open.n > AROUND_MAX)
		return false;
	if (pr != NULL) {
		projs->free = pr->next_free;
		buf_clear(&pr->rest);
		ivl_clear(&pr->gpu);
	} else {
		pr = xcalloc(1, sizeof(*pr));
	}
	pr->order = ++projs->closing->order;
	pr->id = range->id;
	pr->src = th->p->src;
	pr->start = range->start;
	pr->end = range->end;
	pr->has_dur = range->has_end;
	pr->level = (int64_t)th->open.n - 1;
	pr->n_child = 0;
	pr->gpu_lo = INT64_MAX;
	pr->gpu_hi = INT64_MIN;
	pr->n_gpu = 0;
	pr->has_parent = th->open.n > 1;
	pr->parent = pr->has_parent ? (top - 1)->id : 0;
	for (i = 0; i < ARRAY_LEN(rest); i++) {
		v = rec_get_raw(r, rest[i]);
		buf_putc(&pr->rest, '\t');
		buf_put(&pr->rest, v.s, v.n);
	}
	top->proj = pr;
	closing_add(projs->closing, CLOSE_PROJ, pr->end, pr->order, pr);
	return true;
}

void
proj_work(const struct projs *projs, const struct corr_work *work)
{
	struct corr_thread *th = work->th;
	size_t i;

	if (work->type == W_SYNC || work->type == W_CALL)
		return;
	for (i = 0; i < th->open.n && i < AROUND_MAX; i++) {
		const struct corr_open *open = thread_at(th, i);
		struct projection *pr = open->proj;

		if (pr == NULL)
			continue;
		if (pr->n_gpu++ == 0 && i > 0 && (open - 1)->proj != NULL)
			(open - 1)->proj->n_child++;
		if (work->has_gpu) {
			if (work->start < pr->gpu_lo)
				pr->gpu_lo = work->start;
			if (work->end > pr->gpu_hi)
				pr->gpu_hi = work->end;
			ivl_add(&pr->gpu, work->start, work->end);
		}
		if (work->type == W_KERN) {
			out_rec(projs->rangekern);
			out_i64(pr->id);
			out_i64(work->id);
			out_end();
		}
	}
}

void
proj_write(struct projs *projs, struct projection *pr)
{
	bool gpu = pr->gpu_lo <= pr->gpu_hi;

	out_rec_src(&projs->type, "proj", proj_cols, ARRAY_LEN(proj_cols),
	    pr->src.s != NULL);
	out_i64(pr->id);
	out_i64(pr->start);
	out_opt(pr->has_dur, num_sub(pr->end, pr->start));
	out_fields(pr->rest.s, pr->rest.len);
	out_opt(gpu, pr->gpu_lo);
	out_opt(gpu, pr->gpu_hi);
	out_i64(ivl_len(&pr->gpu));
	out_i64((int64_t)pr->n_gpu);
	out_i64(pr->level);
	out_i64(pr->n_child);
	out_opt(pr->has_parent, pr->parent);
	if (pr->src.s != NULL)
		out_raw(pr->src.s, pr->src.n);
	out_end();
	pr->next_free = projs->free;
	projs->free = pr;
}

void
projs_free(struct projs *s)
{
	struct projection *pr;

	while ((pr = s->free) != NULL) {
		s->free = pr->next_free;
		ivl_free(&pr->gpu);
		buf_free(&pr->rest);
		free(pr);
	}
}
