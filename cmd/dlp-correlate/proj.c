/*
 * --ranges: what each range looks like on the GPU: from the first start to
 * the last end of the work that was launched inside it, children included.
 */
#include "proj.h"

#include <stdlib.h>

#include "err.h"
#include "ivl.h"
#include "out.h"
#include "src_type.h"
#include "thread.h"

struct proj { /* of a range */
	uint64_t order;
	int64_t id, start, end, parent;
	bool has_parent, has_dur;
	int64_t level, n_child, gpu_lo, gpu_hi;
	uint64_t n_gpu;
	struct ivl gpu;
	struct buf rest; /* pid .. text, as fields */
	struct text src;
	struct proj *next_free;
};

static const char *const proj_names[] = { "range_id", "start_ns", "dur_ns",
	"pid", "tid", "domain", "mode", "text", "gpu_start_ns", "gpu_end_ns",
	"gpu_ns", "n_gpu", "level", "n_child", "parent_id", "src" };
static const char *const rk_names[] = { "range_id", "kern_id" };
static struct src_type proj_type = { .tag = "proj",
	.names = proj_names,
	.n = (int)(sizeof(proj_names) / sizeof(proj_names[0])) };
static struct out_type *rk_type;

static struct proj *
proj_alloc(struct projs *s)
{
	struct proj *pr = s->free;

	if (pr != NULL) {
		s->free = pr->next_free;
		buf_clear(&pr->rest);
		ivl_clear(&pr->gpu);
		return pr;
	}
	return xcalloc(1, sizeof(*pr));
}

void
proj_begin(struct projs *s, const struct range *r, const struct buf *rest)
{
	struct proj *pr = proj_alloc(s);
	struct thread *th = r->th;

	pr->order = ++s->closing->order;
	pr->id = r->id;
	pr->src = th->p->src;
	pr->start = r->start;
	pr->end = r->end;
	pr->has_dur = r->has_end;
	pr->level = (int64_t)th->n - 1;
	pr->n_child = 0;
	pr->gpu_lo = INT64_MAX;
	pr->gpu_hi = INT64_MIN;
	pr->n_gpu = 0;
	pr->has_parent = th->n > 1;
	pr->parent = th->n > 1 ? th->v[th->n - 2].id : 0;
	buf_put(&pr->rest, rest->s, rest->len);
	th->v[th->n - 1].proj = pr;
	closing_add(s->closing, CLOSE_PROJ, pr->end, pr->order, pr);
}

static void
rangekern(int64_t range, int64_t kern)
{
	if (rk_type == NULL)
		rk_type = out_type("rangekern", rk_names, 2);
	out_rec(rk_type);
	out_i64(range);
	out_i64(kern);
	out_end();
}

void
proj_work(const struct work *w)
{
	struct thread *th = w->th;
	size_t i;

	if (w->type == W_SYNC || w->type == W_CALL)
		return;
	for (i = 0; i < th->n; i++) {
		struct proj *pr = th->v[i].proj;

		if (pr == NULL)
			continue;
		if (pr->n_gpu++ == 0 && i > 0 && th->v[i - 1].proj != NULL)
			th->v[i - 1].proj->n_child++;
		if (w->has_gpu) {
			if (w->start < pr->gpu_lo)
				pr->gpu_lo = w->start;
			if (w->end > pr->gpu_hi)
				pr->gpu_hi = w->end;
			ivl_add(&pr->gpu, w->start, w->end);
		}
		if (w->type == W_KERN)
			rangekern(pr->id, w->id);
	}
}

void
proj_write(struct projs *s, struct proj *pr)
{
	bool gpu = pr->gpu_lo <= pr->gpu_hi;

	src_type_rec(&proj_type, pr->src);
	out_i64(pr->id);
	out_i64(pr->start);
	out_opt(pr->has_dur, pr->end - pr->start);
	out_fields(pr->rest.s, pr->rest.len);
	out_opt(gpu, pr->gpu_lo);
	out_opt(gpu, pr->gpu_hi);
	out_i64(ivl_len(&pr->gpu));
	out_i64((int64_t)pr->n_gpu);
	out_i64(pr->level);
	out_i64(pr->n_child);
	out_opt(pr->has_parent, pr->parent);
	src_type_end(pr->src);
	pr->next_free = s->free;
	s->free = pr;
}

void
projs_free(struct projs *s)
{
	struct proj *pr;

	while ((pr = s->free) != NULL) {
		s->free = pr->next_free;
		ivl_free(&pr->gpu);
		buf_free(&pr->rest);
		free(pr);
	}
}
