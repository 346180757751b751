/* The record of a phase; see put.h. */
#include "put.h"

#include <string.h>

#include "idle.h"
#include "out.h"

static void
put_word(const char *s)
{
	out_raw(s, s != NULL ? strlen(s) : 0);
}

static void
put_gpu(const struct phases *p, const struct phase *ph)
{
	int64_t gpu = flat_len(&ph->gpu), lo = 0, hi = 0;
	size_t i;

	for (i = 0; i < ph->n_ext; i++) {
		const struct extent *e = &ph->ext[i];

		lo = i == 0 || e->lo < lo ? e->lo : lo;
		hi = i == 0 || e->hi > hi ? e->hi : hi;
	}
	out_i64(gpu);
	out_i64(ph->gpu_ns);
	out_opt(idle_known(p, ph), ph->idle_ns);
	out_i64((int64_t)ph->n_kern);
	out_i64((int64_t)ph->n_gpu);
	out_i64(ph->thread_ns);
	out_i64(ph->op_ns);
	out_opt(ph->n_ext > 0, lo);
	out_opt(ph->n_ext > 0, hi);
}

void
put_phase(const struct phases *p, const struct phase *ph)
{
	static const char *const names[] = { "iter", "phase", "cpu_ns",
		"api_ns", "gpu_ns", "gpu_sum_ns", "idle_ns", "n_kern", "n_gpu",
		"thread_ns", "op_ns", "gpu_start_ns", "gpu_end_ns", "src" };
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[ph->src != NULL];

	if (*t == NULL)
		*t = out_type("phase", names, ph->src != NULL ? 14 : 13);
	out_rec(*t);
	put_word(ph->iter);
	put_word(ph->word);
	out_i64(flat_len(&ph->cpu));
	out_i64(ph->api_ns);
	put_gpu(p, ph);
	if (ph->src != NULL)
		put_word(ph->src);
	out_end();
}
