/*
 * DLProf's twelve detectors. With --dlprof the judges dlprof_... decide as
 * DLProf 1.8 did, whose text scripts read: they count all visible GPUs, and do
 * not know gaps or copies.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "err.h"
#include "num.h"
#include "steps.h"

/* Only dlp-correlate -D tells the mode; otherwise the ranges of ops do. */
static bool
is_tensorflow(const struct facts *f)
{
	return strncmp(f->mode, "tensorflow", 10) == 0 ||
	       (f->mode[0] == '\0' && (f->frameworks & FW_TENSORFLOW) != 0);
}

static bool
is_pytorch(const struct facts *f)
{
	return strcmp(f->mode, "pytorch") == 0 ||
	       (f->mode[0] == '\0' && f->ops.pytorch > 0);
}

/* The user guide has some detectors only for PyTorch and TensorFlow. */
static bool
is_engine(const struct facts *f)
{
	return strcmp(f->mode, "tensorrt") == 0;
}

static bool
amp_is_unknown(const struct facts *f, struct advise_verdict *v)
{
	return verdict_lacks(v, f->ops.eligible > 0 && f->ops.typed == 0,
	    "types of the ops: argument markers, or kernels whose names show it"
	    " them");
}

/* Fires if there are ops of other types than half precision and none of half
 * precision. Ops that TF32 has put onto Tensor Cores do not count. */
void
judge_amp(const struct facts *f, struct advise_verdict *v)
{
	if (amp_is_unknown(f, v))
		return;
	verdict_number(v, f->ops.no_tc);
	if (f->ops.half > 0)
		v->judged = V_NO;
	verdict_gain(v, f->eligible_ns);
}

void
dlprof_amp(const struct facts *f, struct advise_verdict *v)
{
	if (is_engine(f) || amp_is_unknown(f, v))
		return;
	verdict_number(v, f->ops.eligible - f->ops.half);
	if (f->ops.half > 0)
		v->judged = V_NO;
}

#define NO_MODEL                                                               \
	"the model's configuration: markers of nvidia_dlprof_pytorch_nvtx"

void
judge_cudnn_benchmark(const struct facts *f, struct advise_verdict *v)
{
	if (!is_pytorch(f) || f->ops.conv == 0)
		return;
	v->judged = f->model[M_BENCHMARK_OFF] == 1 ? V_YES : V_NO;
	verdict_lacks(v, f->model[M_BENCHMARK_OFF] < 0, NO_MODEL);
}

void
judge_slow_api(const struct facts *f, struct advise_verdict *v)
{
	static const struct {
		int setting;
		const char *name;
	} slow[] = { { M_ANOMALY, "detect_anomaly" },
		{ M_GRADCHECK, "gradcheck" },
		{ M_GRADGRADCHECK, "gradgradcheck" },
		{ M_RECORD, "record_function" },
		{ M_PROFILE, "autograd_profile" },
		{ M_ANOMALY_SET, "autograd_set_detect_anomaly" } };
	struct buf *on = verdict_let(v, "functions");
	size_t i;
	bool told = false;

	if (!is_pytorch(f))
		return;
	for (i = 0; i < ARRAY_LEN(slow); i++) {
		told |= f->model[slow[i].setting] >= 0;
		if (f->model[slow[i].setting] == 1) {
			buf_puts(on, on->len > 0 ? ", " : "");
			buf_puts(on, slow[i].name);
		}
	}
	if (on->len > 0)
		v->judged = V_YES;
	else if (!told)
		verdict_unjudged(v, NO_MODEL);
}

/* torch.profiler names ops itself. */
static bool
is_unmarked(const struct facts *f)
{
	return !f->maker.torch && f->ops.pytorch == 0 &&
	       f->model[M_EMIT_NVTX] != 1;
}

void
dlprof_no_emit_nvtx(const struct facts *f, struct advise_verdict *v)
{
	v->judged = is_pytorch(f) && is_unmarked(f) ? V_YES : V_NO;
}

/* The names of kernels tell PyTorch, too. */
void
judge_no_emit_nvtx(const struct facts *f, struct advise_verdict *v)
{
	if (f->n_kern > 0 && f->kind[K_GRAPH].n == f->n_kern)
		verdict_unjudged(v, "kernels outside of CUDA graphs");
	else if (is_pytorch(f) || (f->frameworks & FW_PYTORCH) != 0)
		v->judged = is_unmarked(f) ? V_YES : V_NO;
}

void
judge_bad_shape(const struct facts *f, struct advise_verdict *v)
{
	if (!is_tensorflow(f))
		return;
	if (verdict_lacks(v, !f->has_tc, "Tensor Core use: dlp-flops"))
		return;
	verdict_number(v, f->ops.half_no_tc);
}

void
judge_no_fusion(const struct facts *f, struct advise_verdict *v)
{
	if (is_tensorflow(f) && strcmp(f->mode, "tensorflow2") != 0 &&
	    f->ops.xla == 0 && f->ops.all > 0)
		v->judged = V_YES;
}

/* Gaps are short up to this mean length, ns: a GPU that has nothing else to
 * wait for begins a launched kernel within microseconds. */
#define SHORT_GAP 100000

#define REASON_PCT 1 /* less is no reason */

/* The largest cause of idle time or copies; false if there is none, or dlp-gaps
 * has not run. */
static bool
let_gap(const struct facts *f, struct advise_verdict *v)
{
	int c = facts_gap_most(f);
	double pct = c >= 0 ? facts_share_pct(f, f->gap_ns[c]) : 0;
	const struct top *all;

	if (!f->has_gaps || pct < REASON_PCT ||
	    pct <= facts_busy_pct(f, 1U << B_MEM))
		return false;
	if (f->updates.n > f->n_iter) {
		buf_printf(verdict_let(v, "updates"), "%.0f",
		    facts_per_iter(f, f->updates.n));
		say_time(verdict_let(v, "updates_time"),
		    f->updates.ns / (int64_t)(f->n_iter > 0 ? f->n_iter : 1));
	}
	all = &f->gap_in[c].all;
	verdict_gain(v, f->gap_ns[c]);
	tops_put(&f->gap_in[c], &v->evidence, 2);
	buf_printf(verdict_let(v, "pct"), "%.1f", pct);
	buf_puts(verdict_let(v, "gap"), gap_words[c]);
	verdict_let(v, gap_words[c]);
	if (2 * f->plans.all.ns > f->gap_ns[c])
		verdict_let(v, "plans");
	if (all->n > 0 && all->ns / (int64_t)all->n > SHORT_GAP)
		verdict_let(v, "long");
	return true;
}

/* The activity of the CPU meanwhile: the largest kind of API calls, if it is
 * the main part of that time. */
static void
let_cpu_part(const struct facts *f, struct advise_verdict *v)
{
	static const char *const word[N_CPU] = { "in_launch", "in_first",
		"in_module", "in_alloc", "in_sync", "in_copy" };
	int i, best = 0;

	for (i = 1; i < N_CPU; i++)
		if (f->cpu_ns[i] > f->cpu_ns[best])
			best = i;
	verdict_let(v, 2 * facts_share_pct(f, f->cpu_ns[best]) <
			       facts_busy_pct(f, 1U << B_CPU)
			   ? "in_program"
			   : word[best]);
}

/* The largest of n parts of the time in which no kernel runs; that is the
 * ceiling of the finding. */
static void
let_idle_part(const struct facts *f, size_t n, struct advise_verdict *v)
{
	static const int class[] = { B_CPU, B_LOAD, B_IO, B_OTHER, B_MEM };
	double pct, most = -1;
	size_t i;
	int best = B_CPU;

	for (i = 0; i < n; i++) {
		pct = facts_busy_pct(f, 1U << class[i]);
		if (pct > most) {
			most = pct;
			best = class[i];
		}
	}
	buf_printf(verdict_let(v, "pct"), "%.1f", most);
	verdict_let(v, busy_words[best]);
	if (f->any_copy || !f->any_set)
		verdict_let(v, "copies");
	verdict_gain(v, facts_busy_ns(f, 1U << best));
	if (best == B_CPU)
		let_cpu_part(f, v);
}

static void
judge_busy(const struct facts *f, struct advise_verdict *v)
{
	double pct =
	    facts_busy_pct(f, 1U << B_TC | 1U << B_KERN | 1U << B_GRAPH);

	verdict_above(v, pct);
	v->judged = pct < v->limit ? V_YES : V_NO;
	verdict_lacks_times(f, v, !f->has_busy, "busy records: dlp-busy");
}

void
judge_underutilized(const struct facts *f, struct advise_verdict *v)
{
	if (verdict_no_work(f, v))
		return;
	judge_busy(f, v);
	if (f->queue_full.all.n > 0) {
		tops_put(&f->queue_full, &v->evidence, 1);
		buf_puts(&v->evidence, " of launches that waited for the GPU");
	}
	if (!let_gap(f, v))
		let_idle_part(f, 5, v);
}

/* Unused GPUs; if there are none, GPUs that idle. */
void
dlprof_underutilized(const struct facts *f, struct advise_verdict *v)
{
	struct buf *unused = NULL;
	const struct device *d;

	if (verdict_no_devices(f, v))
		return;
	judge_busy(f, v);
	for (d = f->dev; d < f->dev + f->n_dev; d++) {
		if (d->n_kern > 0 || facts_dev_kernels(d) > 0)
			continue;
		if (unused == NULL)
			unused = verdict_let(v, "unused");
		buf_puts(unused, unused->len > 0 ? ", " : "");
		buf_i64(unused, d->dev);
	}
	if (unused != NULL)
		v->judged = V_YES;
	else
		let_idle_part(f, 4, v);
}

/* spin: kernels that communicate count as work, as in DLProf. */
static void
judge_balance(const struct facts *f, bool spin, struct advise_verdict *v)
{
	double pct, lo = 101, hi = -1;
	const struct device *d;
	size_t n = 0;
	int64_t work, comm;

	if (verdict_lacks_times(f, v, !f->has_busy, "busy records: dlp-busy"))
		return;
	for (d = f->dev; d < f->dev + f->n_dev; d++) {
		if (facts_dev_wall(d) <= 0 || d->n_kern == 0)
			continue;
		work = facts_dev_kernels(d);
		if (!spin)
			work = num_sub(work, facts_dev_bare(d, &comm));
		pct = 100.0 * (double)work / (double)facts_dev_wall(d);
		lo = pct < lo ? pct : lo;
		hi = pct > hi ? pct : hi;
		buf_printf(&v->evidence, "%sdevice %lld: %.1f %%",
		    n++ > 0 ? "; " : "", (long long)d->dev, pct);
	}
	if (n < 2)
		return;
	verdict_above(v, hi - lo);
	buf_printf(verdict_let(v, "low"), "%.1f", lo);
	buf_printf(verdict_let(v, "high"), "%.1f", hi);
}

/* A kernel that communicates spins until the other GPUs come: a GPU that waits
 * would look busy. */
void
judge_imbalanced(const struct facts *f, struct advise_verdict *v)
{
	judge_balance(f, false, v);
}

void
dlprof_imbalanced(const struct facts *f, struct advise_verdict *v)
{
	judge_balance(f, true, v);
}

/* The idle time of that reason, as every view and report has it. */
void
judge_dataloader(const struct facts *f, struct advise_verdict *v)
{
	if (!is_pytorch(f))
		return;
	if (verdict_lacks_times(f, v, !f->has_busy, "busy records: dlp-busy"))
		return;
	verdict_share(f,
	    f->has_gaps ? f->gap_ns[G_DATA] : facts_busy_ns(f, 1U << B_LOAD),
	    v);
	tops_put(&f->gap_in[G_DATA], &v->evidence, 3);
}

/* The idle time inside the ranges of the loader. If there are no ops of DALI it
 * recommends DALI, whatever the time. */
void
dlprof_dataloader(const struct facts *f, struct advise_verdict *v)
{
	if (!is_pytorch(f))
		return;
	if (verdict_lacks_times(f, v, !f->has_busy && f->ops.dali > 0,
		"busy records: dlp-busy"))
		return;
	if (verdict_above(v, facts_busy_pct(f, 1U << B_LOAD))) {
		verdict_gain(v, facts_busy_ns(f, 1U << B_LOAD));
	} else if (f->ops.dali == 0) {
		v->judged = V_YES;
		verdict_let(v, "no_dali");
	}
}

/* From DLProf's sample, or from memory events. */
static void
judge_free_memory(const struct facts *f, struct advise_verdict *v)
{
	int64_t used = f->mem_used, total = f->mem_total, times;
	size_t i;

	for (i = 0; i < f->n_dev && f->n_mem > 0; i++)
		if (f->dev[i].mem_peak > used) {
			used = f->dev[i].mem_peak;
			total = f->dev[i].mem_total;
		}
	if (used <= 0 || total <= 0) {
		verdict_no_memory(f, v);
		return;
	}
	times = total / used;
	buf_i64(&v->value, times);
	v->judged = (double)times >= v->limit ? V_YES : V_NO;
	buf_i64(verdict_let(v, "pct"),
	    (int64_t)(100.0 * (double)used / (double)total));
	say_size(verdict_let(v, "used"), used);
	say_size(verdict_let(v, "total"), total);
}

/* Without steps there is no training, and no batch. Memory events tell of what
 * was allocated while they were recorded, and parameters are allocated before;
 * DLProf's sample is of all. */
void
judge_batch_size(const struct facts *f, struct advise_verdict *v)
{
	bool known = false;
	size_t i;

	judge_free_memory(f, v);
	if (v->judged != V_UNJUDGED)
		verdict_no_steps(f, v);
	for (i = 0; i < f->n_dev; i++)
		known |= f->dev[i].mem_all;
	if (f->n_mem > 0 && !known)
		verdict_let(v, "recorded");
}

void
dlprof_batch_size(const struct facts *f, struct advise_verdict *v)
{
	if (!is_engine(f))
		judge_free_memory(f, v);
}

void
judge_no_iterations(const struct facts *f, struct advise_verdict *v)
{
	if (verdict_lacks(v, f->key_found < 0, "iterations: dlp-iter --dlprof"))
		return;
	v->judged = f->key_found == 0 ? V_YES : V_NO;
	buf_put(verdict_let(v, "key"), f->key.s, f->key.len);
}

/* The iterations that count, if they are not all: the others are warm-up or
 * outliers. False: all do, as different as they are. */
static bool
let_steady_range(const struct facts *f, struct advise_verdict *v)
{
	struct steady_step *step = xcalloc(f->n_iter, sizeof(*step));
	int64_t from, to;
	size_t i, n_warm;

	for (i = 0; i < f->n_iter; i++)
		step[i].ns = f->iter[i].ns;
	steady_range(step, f->n_iter, &from, &to, &n_warm);
	free(step);
	if (from < 0 || to - from + 1 == (int64_t)f->n_iter)
		return false;
	buf_i64(verdict_let(v, "from"), f->iter[from].no);
	buf_i64(verdict_let(v, "to"), f->iter[to].no);
	return true;
}

/* True if all iterations count. */
static bool
judge_range(const struct facts *f, struct advise_verdict *v)
{
	double mean = 0, sq = 0, d;
	size_t i;

	for (i = 0; i < f->n_iter; i++)
		mean += (double)f->iter[i].ns / (double)f->n_iter;
	for (i = 0; i < f->n_iter; i++) {
		d = (double)f->iter[i].ns - mean;
		sq += d * d;
	}
	if (mean <= 0)
		return false;
	verdict_above(v, 100 * sqrt(sq / (double)(f->n_iter - 1)) / mean);
	buf_i64(verdict_let(v, "first"), f->iter[0].no);
	buf_i64(verdict_let(v, "last"), f->iter[f->n_iter - 1].no);
	return !let_steady_range(f, v);
}

/* A fact about the steps, not a change that gains something. Steps that differ
 * again and again are the program. */
void
judge_bad_range(const struct facts *f, struct advise_verdict *v)
{
	if (f->n_iter >= 2 && judge_range(f, v) && v->judged == V_YES)
		v->judged = V_NO;
}

void
dlprof_bad_range(const struct facts *f, struct advise_verdict *v)
{
	if (f->n_iter >= 3)
		judge_range(f, v);
}
