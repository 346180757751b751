/*
 * dlp-mfu: model and hardware FLOPs utilization of iterations. dlp-agg sums up
 * the kernels by what the model depends on; these sums come as work records,
 * and with the iter records they become one mfu record for each iteration.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "map.h"
#include "stage.h"

/* The sums over the work of an iteration of a file. Only kernels that can have
 * FLOPs count, and graphs that were recorded as a whole. FLOPs and times are
 * doubles, because shares of them follow; FLOPs are exact below 2^53. */
struct mfu_sums {
	int64_t n_dev;  /* devices that worked */
	double dur_ns;  /* all time */
	double flop_ns; /* the time of kernels whose FLOPs are known */
	double flop, exec_flop, model_flop;
	double peak_ns, model_ns; /* what exec_flop and model_flop take at the
				     peaks of their types */
	/* the parts of exec_flop and model_flop whose time these have */
	double peak_flop, model_peak_flop;
};

struct mfu_iter { /* an iter record; its text is number `who` in mfu.iters */
	uint32_t who, key;
	bool has_step, has_cpu, has_gpu;
	int64_t step_ns, cpu_ns, gpu_ns;
};

struct mfu {
	const char *warn_as;
	struct rec_type *iter, *work;
	int flop, exec_flop, peak_ns, flop_ns; /* ids of columns of work */
	/* of the section */
	struct smap iters;     /* "\tsrc\titer", fields as they stand */
	struct smap iter_devs; /* "\tsrc\titer\tdev" */
	struct smap keys;
	struct mfu_sums *sums; /* by number in iters */
	size_t sums_cap;
	struct mfu_iter *row;
	size_t n_row, row_cap;
	/* of the input */
	bool any_row, any_flop;
	struct buf text; /* scratch */
	struct out_type *with_src, *without;
};

/* The number of the record's iteration, and its name in m->text. Iterations are
 * numbered in each file. */
static uint32_t
iter_of(struct mfu *m, const struct rec *r)
{
	bool is_new;
	uint32_t i;

	buf_clear(&m->text);
	rec_add_raw(&m->text, r, COL_src);
	rec_add_raw(&m->text, r, COL_iter);
	i = smap_put(&m->iters, m->text.s, m->text.len, &is_new);
	if (is_new) {
		ARRAY_GROW(m->sums, i, m->sums_cap);
		m->sums[i] = (struct mfu_sums){ 0 };
	}
	return i;
}

static void
read_iter(struct stage *st, struct rec *r)
{
	struct mfu *m = st->ctx;
	struct mfu_iter *row;
	struct mview key = rec_get_raw(r, COL_key);

	ARRAY_GROW(m->row, m->n_row, m->row_cap);
	row = &m->row[m->n_row++];
	row->who = iter_of(m, r);
	row->key = smap_put(&m->keys, key.s, key.n, NULL);
	row->has_step = rec_num(r, COL_step_ns, &row->step_ns);
	row->has_cpu = rec_num(r, COL_dur_ns, &row->cpu_ns);
	row->has_gpu = rec_num(r, COL_gpu_ns, &row->gpu_ns);
	stage_pass(st, r);
}

static void
read_work(struct stage *st, struct rec *r)
{
	struct mfu *m = st->ctx;
	struct mview family = rec_get(r, COL_family), dir = rec_get(r, COL_dir);
	bool is_kern = mv_eq(rec_get(r, COL_tag), "kern"), is_new;
	struct mfu_sums *s;
	uint32_t i;
	double ns, part = 1, flop = 0, exec_flop = 0;

	/* kernels that are products, or can be: their family is unknown */
	if (rec_get(r, COL_iter).s == NULL ||
	    (is_kern && family.s != NULL &&
		!kind_is_product(family.s, family.n)))
		return;
	i = iter_of(m, r);
	s = &m->sums[i];
	rec_add_raw(&m->text, r, COL_dev);
	smap_put(&m->iter_devs, m->text.s, m->text.len, &is_new);
	s->n_dev += is_new;
	if (rec_real(r, COL_sum_dur_ns, &ns))
		s->dur_ns += ns;
	if (!is_kern)
		return;
	/* The part of the FLOPs that the model needs. Forward work in the
	 * backward pass repeats what was thrown away to save memory
	 * (checkpoints). The backward pass of a fused attention has five
	 * products, one of which computes the scores again. */
	if (mv_eq(dir, "fprop") && mv_eq(rec_get(r, COL_phase), "backward"))
		part = 0;
	else if (mv_eq(family, "attention") && mv_eq(dir, "bprop"))
		part = .8;
	if (rec_real(r, m->flop_ns, &ns))
		s->flop_ns += ns;
	if (rec_real(r, m->exec_flop, &exec_flop)) {
		rec_real(r, m->flop, &flop);
		s->flop += flop;
		s->exec_flop += exec_flop;
		s->model_flop += part * exec_flop;
	}
	if (!rec_real(r, m->peak_ns, &ns))
		return;
	s->peak_ns += ns;
	s->model_ns += part * ns;
	if (ns > 0) { /* otherwise there was no arithmetic, whatever the type */
		s->peak_flop += exec_flop;
		s->model_peak_flop += part * exec_flop;
	}
}

/*
 * The records
 */

/* ns as a percentage of all; unset if there is nothing to compare. */
static void
put_pct(double ns, double all)
{
	if (ns > 0 && all != 0)
		buf_printf(&out_buf, "\t%.2f", 100 * ns / all);
	else
		out_unset();
}

/* FLOPs per ns, which is 10^9 per second, as 10^12 per second. */
static void
put_tflops(double flop, double ns, int decimals)
{
	if (flop > 0 && ns != 0)
		buf_printf(&out_buf, "\t%.*f", decimals, flop / ns / 1000);
	else
		out_unset();
}

/* 0 means that only helpers of products have known FLOPs. */
static void
put_flop(double flop)
{
	if (flop > 0)
		buf_printf(&out_buf, "\t%.0f", flop);
	else
		out_unset();
}

/* The time of all FLOPs at the peaks: those of a type without a peak, or of an
 * unknown type, take as long as the others do on the mean, so that tflops is
 * hfu_pct of peak_tflops. */
static double
at_peak(double ns, double known, double flop)
{
	return known > 0 ? ns * (flop / known) : ns;
}

static void
put_row(const struct mfu *m, const struct mfu_iter *row, bool has_src)
{
	const struct mfu_sums *s = &m->sums[row->who];
	double step = row->has_step ? (double)row->step_ns : 0;
	double gpu = row->has_gpu ? (double)row->gpu_ns : 0;
	/* an iteration has its length on each of its devices */
	double all = step * (double)(s->n_dev > 0 ? s->n_dev : 1);
	double model = at_peak(s->model_ns, s->model_peak_flop, s->model_flop);
	size_t n;
	const char *who = smap_str(&m->iters, row->who, &n);
	const char *iter = has_src ? who : memchr(who + 1, '\t', n - 1);

	out_rec(has_src ? m->with_src : m->without);
	out_fields(iter, (size_t)(who + n - iter));
	out_word(smap_str(&m->keys, row->key, NULL));
	put_pct(model, all);
	put_pct(at_peak(s->peak_ns, s->peak_flop, s->exec_flop), all);
	out_opt(row->has_step, row->step_ns);
	out_opt(row->has_cpu, row->cpu_ns);
	put_flop(s->model_flop);
	put_flop(s->flop);
	put_tflops(s->exec_flop, step, 2);
	put_tflops(s->peak_flop, s->peak_ns, 1);
	out_opt(row->has_gpu, row->gpu_ns);
	put_pct(model, s->n_dev <= 1 ? gpu : 0);
	out_i64(s->n_dev);
	put_flop(s->exec_flop);
	put_pct(s->flop_ns, s->dur_ns);
	out_end();
}

static void
write_rows(struct stage *st)
{
	struct mfu *m = st->ctx;
	bool has_src = rec_has(m->iter, COL_src) || rec_has(m->work, COL_src);
	size_t i;

	out_legend(has_src ? m->with_src : m->without);
	for (i = 0; i < m->n_row; i++) {
		put_row(m, &m->row[i], has_src);
		m->any_row = true;
		m->any_flop |= m->sums[m->row[i].who].exec_flop > 0;
	}
}

static void
forget_iters(struct stage *st)
{
	struct mfu *m = st->ctx;

	smap_clear(&m->iters);
	smap_clear(&m->iter_devs);
	smap_clear(&m->keys);
	m->n_row = 0;
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "src", "iter", "key", "mfu_pct",
		"hfu_pct", "step_ns", "cpu_ns", "model_flop", "flop", "tflops",
		"peak_tflops", "gpu_ns", "mfu_busy_pct", "n_dev", "exec_flop",
		"known_pct" };
	static struct mfu m;
	const struct cli_opt opts[] = {
		{ 0, "warn-as", .arg = &m.warn_as },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-mfu", opts, argc, argv);
	st.ctx = &m;
	m.flop = col_id("sum_flop");
	m.exec_flop = col_id("sum_exec_flop");
	m.peak_ns = col_id("sum_peak_ns");
	m.flop_ns = col_id("sum_flop_ns");
	st.section = forget_iters;
	st.end = write_rows;
	m.iter = stage_on(&st, "iter", read_iter, .need = "iter",
	    .opt = "src key step_ns dur_ns gpu_ns");
	m.work =
	    stage_on(&st, "work", read_work, .legend = stage_drop, .opt = "src",
		.need = "iter tag dev family dir phase sum_flop sum_exec_flop"
			" sum_peak_ns sum_dur_ns sum_flop_ns");
	m.with_src = out_type("mfu", names, ARRAY_LEN(names));
	m.without = out_type("mfu", names + 1, ARRAY_LEN(names) - 1);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	if (m.warn_as != NULL && m.any_row && !m.any_flop) {
		err_prog(m.warn_as);
		warn("FLOPs of products are not known in any step; dlp coverage"
		     " shows why");
		err_prog("dlp-mfu");
	}
	return out_finish(rc);
}
