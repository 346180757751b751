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

static const char usage[] =
    "usage: dlp-mfu [-u] [--warn-as NAME] [FILE]\n"
    "Adds to iterations and sums of their work the FLOPs utilization.\n"
    "      --warn-as NAME  if no iteration has known FLOPs, say so on "
    "standard\n"
    "                      error, as the command NAME\n"
    "  -u, --unbuffered    write each record at once\n"
    "  -h, --help          print this and exit\n"
    "  -V, --version       print the version and exit\n";

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
	struct {
		struct rec_col *src, *iter, *key, *step, *cpu, *gpu;
	} iter;
	struct {
		struct rec_col *src, *iter, *tag, *dev, *family, *dir, *phase,
		    *flop, *exec_flop, *peak, *dur, *flop_ns;
	} work;
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

static void
add_field(struct buf *b, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	buf_putc(b, '\t');
	buf_put(b, s != NULL ? s : "-", s != NULL ? n : 1);
}

/* The number of the record's iteration, and its name in m->text. Iterations are
 * numbered in each file. */
static uint32_t
iter_of(struct mfu *m, const struct rec *r, const struct rec_col *src,
    const struct rec_col *iter)
{
	bool is_new;
	uint32_t i;

	buf_clear(&m->text);
	add_field(&m->text, r, src);
	add_field(&m->text, r, iter);
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
	struct mview key = rec_view(r, m->iter.key);

	ARRAY_GROW(m->row, m->n_row, m->row_cap);
	row = &m->row[m->n_row++];
	row->who = iter_of(m, r, m->iter.src, m->iter.iter);
	row->key = smap_put(&m->keys, key.s != NULL ? key.s : "-",
	    key.s != NULL ? key.n : 1, NULL);
	row->has_step = rec_i64(r, m->iter.step, &row->step_ns);
	row->has_cpu = rec_i64(r, m->iter.cpu, &row->cpu_ns);
	row->has_gpu = rec_i64(r, m->iter.gpu, &row->gpu_ns);
	stage_pass(st, r);
}

/*
 * The part of the FLOPs that the model needs. Forward work in the backward pass
 * repeats what was thrown away to save memory (checkpoints). The backward pass
 * of a fused attention has five products, one of which computes the scores
 * again.
 */
static double
needed_part(const struct mfu *m, const struct rec *r)
{
	if (rec_is(r, m->work.dir, "fprop") &&
	    rec_is(r, m->work.phase, "backward"))
		return 0;
	if (rec_is(r, m->work.family, "attention") &&
	    rec_is(r, m->work.dir, "bprop"))
		return .8;
	return 1;
}

static void
add_kernels(const struct mfu *m, struct mfu_sums *s, const struct rec *r)
{
	double part = needed_part(m, r), flop = 0, exec_flop = 0, ns = 0;

	if (rec_f64(r, m->work.flop_ns, &ns))
		s->flop_ns += ns;
	if (rec_f64(r, m->work.exec_flop, &exec_flop)) {
		rec_f64(r, m->work.flop, &flop);
		s->flop += flop;
		s->exec_flop += exec_flop;
		s->model_flop += part * exec_flop;
	}
	if (!rec_f64(r, m->work.peak, &ns))
		return;
	s->peak_ns += ns;
	s->model_ns += part * ns;
	if (ns > 0) { /* otherwise there was no arithmetic, whatever the type */
		s->peak_flop += exec_flop;
		s->model_peak_flop += part * exec_flop;
	}
}

/* Whether the kernels are products, or can be: their family is unknown. */
static bool
can_be_product(const struct mfu *m, const struct rec *r)
{
	size_t n;
	const char *family = rec_raw(r, m->work.family, &n);

	return family == NULL || kind_is_product(family, n);
}

static void
read_work(struct stage *st, struct rec *r)
{
	struct mfu *m = st->ctx;
	bool is_kern = rec_is(r, m->work.tag, "kern"), is_new;
	struct mfu_sums *s;
	uint32_t i;
	double ns;

	if (rec_raw(r, m->work.iter, &(size_t){ 0 }) == NULL ||
	    (is_kern && !can_be_product(m, r)))
		return;
	/* this may move m->sums */
	i = iter_of(m, r, m->work.src, m->work.iter);
	s = &m->sums[i];
	add_field(&m->text, r, m->work.dev);
	smap_put(&m->iter_devs, m->text.s, m->text.len, &is_new);
	s->n_dev += is_new;
	if (rec_f64(r, m->work.dur, &ns))
		s->dur_ns += ns;
	if (is_kern)
		add_kernels(m, s, r);
}

static void
drop_work_legend(struct stage *st, struct rec *r)
{
	(void)st;
	(void)r;
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

/* The fields that say which iteration it is. */
static void
put_iter(const struct mfu *m, const struct mfu_iter *row, bool has_src)
{
	size_t n;
	const char *s = smap_str(&m->iters, row->who, &n);
	const char *iter = memchr(s + 1, '\t', n - 1);

	out_rec(has_src ? m->with_src : m->without);
	if (has_src)
		out_fields(s, n);
	else
		out_fields(iter, (size_t)(s + n - iter));
	s = smap_str(&m->keys, row->key, &n);
	out_raw(s, n);
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

	put_iter(m, row, has_src);
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
	bool has_src = m->iter.src->pos >= 0 || m->work.src->pos >= 0;
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

static void
free_mfu(struct mfu *m)
{
	smap_free(&m->iters);
	smap_free(&m->iter_devs);
	smap_free(&m->keys);
	free(m->sums);
	free(m->row);
	buf_free(&m->text);
}

static void
warn_unknown(const struct mfu *m)
{
	const char *prog = err_prog_name();

	if (m->warn_as == NULL || !m->any_row || m->any_flop)
		return;
	err_prog(m->warn_as);
	warn("FLOPs of products are not known in any step; dlp coverage shows"
	     " why");
	err_prog(prog);
}

static void
listen_mfu(struct mfu *m, struct stage *st)
{
	struct rec_type *t = stage_on(st, "iter", read_iter, NULL, NULL);

	m->iter.iter = rec_col(t, "iter", REC_NEED);
	REC_COLS(t, REC_OPT, { &m->iter.src, "src" }, { &m->iter.key, "key" },
	    { &m->iter.step, "step_ns" }, { &m->iter.cpu, "dur_ns" },
	    { &m->iter.gpu, "gpu_ns" });
	t = stage_on(st, "work", read_work, drop_work_legend, NULL);
	REC_COLS(t, REC_NEED, { &m->work.iter, "iter" },
	    { &m->work.tag, "tag" }, { &m->work.dev, "dev" },
	    { &m->work.family, "family" }, { &m->work.dir, "dir" },
	    { &m->work.phase, "phase" }, { &m->work.flop, "sum_flop" },
	    { &m->work.exec_flop, "sum_exec_flop" },
	    { &m->work.peak, "sum_peak_ns" }, { &m->work.dur, "sum_dur_ns" },
	    { &m->work.flop_ns, "sum_flop_ns" });
	m->work.src = rec_col(t, "src", REC_OPT);
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "src", "iter", "key", "mfu_pct",
		"hfu_pct", "step_ns", "cpu_ns", "model_flop", "flop", "tflops",
		"peak_tflops", "gpu_ns", "mfu_busy_pct", "n_dev", "exec_flop",
		"known_pct" };
	struct mfu m = { 0 };
	const struct cli_opt opts[] = {
		{ 0, "warn-as", .arg = &m.warn_as },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-mfu", usage, opts, argc, argv);
	st.ctx = &m;
	st.section = forget_iters;
	st.end = write_rows;
	listen_mfu(&m, &st);
	m.with_src = out_type("mfu", names, ARRAY_LEN(names));
	m.without = out_type("mfu", names + 1, ARRAY_LEN(names) - 1);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	warn_unknown(&m);
	free_mfu(&m);
	return out_finish(rc);
}
