/*
 * The rules that DLProf did not have. Thresholds of 5 % for data loading, 10 %
 * for communication and 90 % for memory are those of the TensorBoard profiler
 * plugin; the others are our own choice.
 */
#include <string.h>

#include "advise.h"
#include "array.h"
#include "num.h"

/* Calls cost no more than the time that the GPU waits. */
static void
gain_of_calls(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	int64_t idle = facts_busy_ns(f, FACTS_IDLE);

	if (f->has_busy)
		verdict_gain(v, ns < idle ? ns : idle);
}

/* idle time after or in waits, in percent, that makes them count */
#define SYNC_PCT 1

/* A rule that needs idle time by reason. */
static bool
no_gaps(const struct facts *f, struct advise_verdict *v)
{
	bool idles = !f->has_busy || facts_busy_ns(f, FACTS_IDLE) != 0;

	return verdict_lacks_times(
	    f, v, !f->has_gaps && idles, "gap records: dlp-gaps");
}

/* A part of DLProf's detector of underutilized GPUs, which ignores idle time as
 * soon as a GPU is unused; here both are judged. */
void
judge_unused_gpus(const struct facts *f, struct advise_verdict *v)
{
	struct buf *unused;
	uint64_t n = 0;
	size_t i;

	if (verdict_no_work(f, v))
		return;
	if (f->maker.torch || f->maker.rocprof) {
		verdict_unjudged(v,
		    maker_text(&f->maker, NULL,
			"other processes: a trace of torch.profiler holds one",
			"other processes: a file of rocprofv3 holds one"));
		return;
	}
	unused = verdict_let(v, "unused");
	for (i = 0; i < f->n_dev; i++)
		if (!f->dev[i].used) {
			buf_puts(unused, n++ > 0 ? ", " : "");
			buf_i64(unused, f->dev[i].dev);
		}
	if (f->n_dev - n == 1 && f->comm.all.n > 0)
		n = 0; /* one rank of several: the others are theirs */
	verdict_number(v, n);
}

/* What the program calls, by the op of the call that waited; mk: PyTorch's
 * names. */
static void
let_call(const struct facts *f, struct advise_verdict *v)
{
	static const struct {
		const char *op, *say;
	} known[] = {
		{ " of item", "the .item() (or float(), print()) of a tensor" },
		{ " of _local_scalar_dense", "the .item() of a tensor" },
		{ " of is_nonzero", "the test of a tensor (if x:)" },
		{ " of nonzero", "the nonzero() or the boolean mask" },
		{ " of index", "the index by a boolean mask" },
		{ " of masked_select", "the masked_select()" },
		{ " of unique", "the unique()" },
		{ " of to", "the copy: .to(device, non_blocking=True) from"
			    " pinned memory, or .cpu()" },
		{ " of copy_", "the copy: copy_(non_blocking=True) from pinned"
			       " memory, or .cpu()" },
		{ "cudaDeviceSynchronize", "torch.cuda.synchronize()" },
		{ "hipDeviceSynchronize", "torch.cuda.synchronize()" },
	};
	size_t n, i, k;
	const char *s = tops_first(&f->sync, &n), *at;

	for (i = 0; i < ARRAY_LEN(known) && s != NULL; i++) {
		at = strstr(s, known[i].op);
		k = strlen(known[i].op);
		if (at != NULL && (at[k] == '\0' || at[k] == ' ')) {
			buf_puts(verdict_let(v, "call"), known[i].say);
			return;
		}
	}
}

/* Waiting costs nothing while the GPU has work, so calls count only if the GPU
 * idles until the call has returned, or afterwards. */
void
judge_sync_calls(const struct facts *f, struct advise_verdict *v)
{
	int64_t in = f->gap_ns[G_SYNC], after = f->gap_ns[G_AFTER_SYNC];
	int64_t idle = num_add(in, after);

	if (verdict_no_steps(f, v) || no_gaps(f, v))
		return;
	verdict_above(v, facts_per_iter(f, f->sync.all.n));
	if (facts_share_pct(f, idle) < SYNC_PCT)
		v->judged = V_NO;
	verdict_gain(v, idle);
	if (after >= in)
		verdict_let(v, "within");
	if (after > in)
		verdict_let(v, "after");
	tops_put(&f->sync, &v->evidence, 3);
	say_time(verdict_let(v, "idle"),
	    idle / (int64_t)(f->n_iter > 0 ? f->n_iter : 1));
	let_call(f, v);
}

void
judge_idle_after_sync(const struct facts *f, struct advise_verdict *v)
{
	if (no_gaps(f, v))
		return;
	verdict_share(f, f->gap_ns[G_AFTER_SYNC], v);
	tops_put(&f->gap_in[G_AFTER_SYNC], &v->evidence, 3);
	let_call(f, v);
}

/* What the ranges of a run of an op cost: dlp-record counts them. Otherwise
 * the least that was measured: emit_nvtx writes four or five ranges for a run,
 * and formats the sizes of their inputs; 1,477 ranges for 389 runs made a step
 * of 8.6 ms take 11.6 ms (PyTorch 2.11, no profiler). */
static int64_t
run_cost(const struct facts *f)
{
	if (f->marker_ns > 0 && f->n_marked_all > 0)
		return f->marker_ns / (int64_t)f->n_marked_all;
	return 7000;
}

/* What the recording costs in the steps by the replay, otherwise what the
 * ranges of ops cost at least. The GPU waits for it. */
static int64_t
marker_cost(const struct facts *f)
{
	int64_t step = facts_step_ns(f, true), bare = facts_step_ns(f, false);
	int64_t ns = num_mul((int64_t)f->n_marked, run_cost(f));

	if (step > 0 && f->n_marked > 0)
		ns = (int64_t)((double)facts_wall_ns(f) *
			       (double)(step > bare ? step - bare : 0) /
			       (double)step);
	return ns < f->gap_ns[G_LAUNCH] ? ns : f->gap_ns[G_LAUNCH];
}

/* The launches per step, and what the recording alone costs, in percent. A
 * trace of torch.profiler does not tell that. On an H200 steps took 1.4 times
 * (LeNet, without any option) to 1.8 times (ResNet-50, record_shapes) as long
 * as under Nsight Systems with emit_nvtx. */
static void
let_launches(
    const struct facts *f, int64_t wall, double cost, struct advise_verdict *v)
{
	double n = facts_per_iter(f, f->n_launch);

	if (f->n_launch > 0) {
		buf_printf(verdict_let(v, "launches"), "%.0f", n);
		say_time(verdict_let(v, "every"), wall / (int64_t)f->n_launch);
		say_time(verdict_let(v, "kernel"),
		    (int64_t)((double)f->kern_ns / (double)f->n_kern));
		if (n < 1.5)
			verdict_let(v, "one");
		if (f->n_launch < f->n_kern)
			buf_printf(verdict_let(v, "kernels"), "%.0f",
			    facts_per_iter(f, f->n_kern));
	}
	if (facts_passes(f) > 1.5)
		buf_printf(verdict_let(v, "n_passes"), "%.0f", facts_passes(f));
	if (f->options[0] != '\0')
		buf_puts(verdict_let(v, "options"), f->options);
	if (cost >= advise_rule("marker_cost")->limit)
		buf_printf(verdict_let(v, "marked"), "%.0f", cost);
}

void
judge_launch_bound(const struct facts *f, struct advise_verdict *v)
{
	int64_t wall = 0, own;
	size_t i;

	if (verdict_lacks_times(f, v, !f->has_busy, "busy records: dlp-busy"))
		return;
	if (verdict_lacks_times(f, v,
		!f->has_gaps && facts_busy_pct(f, FACTS_IDLE) > v->limit,
		"gap records: dlp-gaps"))
		return;
	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].n_kern > 0)
			wall = num_add(wall, facts_dev_wall(&f->dev[i]));
	if (wall == 0 || f->n_kern == 0)
		return;
	own = f->maker.torch ? 0 : marker_cost(f);
	verdict_share(f, f->gap_ns[G_LAUNCH], v);
	verdict_gain(v, f->gap_ns[G_LAUNCH] - own);
	if (f->kern_ns >= wall)
		v->judged = V_NO;
	let_launches(f, wall, facts_share_pct(f, own), v);
	tops_put(&f->gap_in[G_LAUNCH], &v->evidence, 3);
}

/* The time in which nothing but communication runs. */
static int64_t
bare_ns(const struct facts *f, int64_t *all)
{
	int64_t bare = 0, of_dev;
	size_t i;

	*all = 0;
	for (i = 0; i < f->n_dev; i++) {
		bare = num_add(bare, facts_dev_bare(&f->dev[i], &of_dev));
		*all = num_add(*all, of_dev);
	}
	return bare;
}

/* Fully sharded programs gather and scatter for more than one layer. */
static bool
shards(const struct facts *f)
{
	static const char *const names[] = { "all_gather", "reduce_scatter" };
	size_t i;
	uint32_t at;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		at = smap_find(&f->coll.names, names[i], strlen(names[i]));
		if (at == SMAP_NONE || facts_per_iter(f, f->coll.v[at].n) < 2)
			return false;
	}
	return true;
}

/* Of a step, its kernels but communication. */
static int64_t
compute_ns(const struct facts *f)
{
	int64_t comm;

	(void)bare_ns(f, &comm);
	return f->n_iter > 0 ? (f->kern_ns - comm) / (int64_t)f->n_iter : 0;
}

/* Of a step, what the program does on the CPU while the GPU idles. */
static int64_t
host_ns(const struct facts *f)
{
	return f->n_iter > 0 ? f->gap_ns[G_HOST] / (int64_t)f->n_iter : 0;
}

#define MORE_WORK 10 /* percent */

/* The rank that the others waited for, if there is one; it can be this one. */
static void
let_late_rank(const struct facts *f, struct advise_verdict *v)
{
	const struct facts *l = f->late_rank;
	int64_t here = compute_ns(f), there;

	if (l == NULL)
		return;
	there = compute_ns(l);
	if (host_ns(l) - host_ns(f) > here / 100 * MORE_WORK &&
	    host_ns(l) - host_ns(f) > there - here) {
		say_time(verdict_let(v, "late_host"), host_ns(l));
		if (host_ns(f) > 0)
			say_time(verdict_let(v, "here_host"), host_ns(f));
		else
			buf_puts(verdict_let(v, "here_host"), "none");
	} else if (there > here + here / 100 * MORE_WORK) {
		say_time(verdict_let(v, "late_takes"), there);
		say_time(verdict_let(v, "here_takes"), here);
	}
	buf_put(verdict_let(v, "late_rank"), l->rank.s, l->rank.len);
	if (l == f)
		verdict_let(v, "this_late");
	buf_i64(verdict_let(v, "late_pid"), l->pid);
	buf_i64(verdict_let(v, "late_gpu"), l->gpu);
	if (l->first.len > 0)
		buf_put(verdict_let(v, "late_why"), l->first.s, l->first.len);
}

void
judge_exposed_comm(const struct facts *f, struct advise_verdict *v)
{
	int64_t all, bare = bare_ns(f, &all);
	size_t n = 0;
	const char *most = tops_first(&f->coll, &n);

	if (f->comm.all.n == 0)
		return;
	verdict_share(f, bare, v);
	tops_put(&f->coll, &v->evidence, 3);
	say_time(verdict_let(v, "bare"), bare);
	say_time(verdict_let(v, "all"), all);
	let_late_rank(f, v);
	if (f->ranked && f->rank_wait > 0)
		say_time(verdict_let(v, "wait"), f->rank_wait);
	if (f->ranked && f->rank_wait > all / 2)
		verdict_let(v, "waits");
	/* as DistributedDataParallel does: gradients are summed */
	if (most != NULL && text_is(most, n, "all_reduce") && !shards(f))
		verdict_let(v, "reduces");
}

/* Fully sharded: parameters are gathered before each layer. */
void
judge_fsdp_prefetch(const struct facts *f, struct advise_verdict *v)
{
	int64_t all, bare = bare_ns(f, &all);

	if (!shards(f) || (f->frameworks & FW_PYTORCH) == 0)
		return;
	verdict_share(f, bare, v);
	tops_put(&f->coll, &v->evidence, 3);
}

/* The same collective takes longer if it waits for another rank. */
void
judge_rank_wait(const struct facts *f, struct advise_verdict *v)
{
	int64_t all = 0, bare = 0, wait = 0;
	const struct facts_alike *a = f->alike_v;
	size_t i;

	if (f->comm.all.n == 0)
		return;
	tops_put(&f->coll, &v->evidence, 3);
	if (verdict_lacks(v, !f->ranked && f->n_alike == 0,
		"sizes of the collectives: ranges of"
		" torch.distributed, with shapes"))
		return;
	for (i = 0; i < f->alike.n; i++)
		wait = num_add(wait, a[i].ns - (int64_t)a[i].n * a[i].least);
	if (f->ranked) { /* known, because all ranks are there */
		wait = f->rank_wait;
		bare = bare_ns(f, &all);
	}
	verdict_share(f, wait, v);
	if (f->ranked && wait > bare)
		verdict_gain(v, bare); /* what is hidden costs nothing */
	if (f->ranked && wait > all / 2)
		verdict_let(v, "waits");
	let_late_rank(f, v);
	say_time(verdict_let(v, "all"), all);
	say_time(verdict_let(v, "wait"), wait);
}

/* Judges a part of the GPU's work. */
static void
work_above(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	int64_t all = facts_work_ns(f);

	verdict_above(v, all > 0 ? 100.0 * (double)ns / (double)all : 0);
}

void
judge_pageable_copies(const struct facts *f, struct advise_verdict *v)
{
	const struct tops *t =
	    facts_has_steps(f) ? &f->pageable : &f->pageable_later;
	const struct top *copies = &t->all;

	if (facts_work_ns(f) <= 0)
		return;
	work_above(f, copies->ns, v);
	verdict_gain(v, copies->ns);
	tops_put(t, &v->evidence, 3);
	say_size(verdict_let(v, "size"), copies->bytes);
	if (f->pageable_src)
		verdict_let(v, "source");
}

void
judge_alloc_calls(const struct facts *f, struct advise_verdict *v)
{
	if (verdict_no_steps(f, v))
		return;
	verdict_above(v, facts_per_iter(f, f->alloc.all.n));
	gain_of_calls(f, f->alloc.all.ns, v);
	tops_put(&f->alloc, &v->evidence, 3);
}

void
judge_few_blocks(const struct facts *f, struct advise_verdict *v)
{
	size_t n;
	const char *s = tops_first(&f->few, &n);
	bool ops = f->no_op_ns <= f->kern_ns / 2;
	struct buf *where;

	if (f->n_sized == 0) {
		if (f->n_kern > 0)
			verdict_unjudged(v, "multiprocessors of the device");
		return;
	}
	verdict_kernels(f, f->few_ns, v);
	/* The op with the most of it; if most has no op, the kernel. Blanks
	 * separate the pairs of a filter. */
	where = s != NULL ? verdict_let(v, ops ? "op" : "kernel") : NULL;
	for (; s != NULL && *s != '\0'; s++)
		if ((unsigned char)*s <= ' ' || *s == '%' || *s == 0x7f)
			buf_printf(where, "%%%02X", (unsigned char)*s);
		else
			buf_putc(where, *s);
	tops_put(&f->few, &v->evidence, 3);
	buf_u64(verdict_let(v, "few"), f->n_few);
	buf_u64(verdict_let(v, "sized"), f->n_sized);
}

void
judge_loader_workers(const struct facts *f, struct advise_verdict *v)
{
	if (facts_busy_pct(f, 1U << B_LOAD) <= v->limit)
		return;
	if (verdict_lacks(v, f->model[M_WORKERS] < 0,
		"num_workers: the configuration that"
		" nvidia_dlprof_pytorch_nvtx marks"))
		return;
	verdict_gain(v, facts_busy_ns(f, 1U << B_LOAD));
	verdict_above(v, facts_busy_pct(f, 1U << B_LOAD));
	v->judged = f->model[M_WORKERS] == 0 ? V_YES : V_NO;
}

void
judge_memory_full(const struct facts *f, struct advise_verdict *v)
{
	const struct device *d, *worst = NULL;
	double used, most = 0;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		d = &f->dev[i];
		if (d->mem_peak <= 0 || d->mem_total <= 0)
			continue;
		used = (double)d->mem_peak / (double)d->mem_total;
		if (worst == NULL || used > most) {
			worst = d;
			most = used;
		}
	}
	if (worst == NULL) {
		verdict_no_memory(f, v);
		return;
	}
	verdict_above(
	    v, 100.0 * (double)worst->mem_peak / (double)worst->mem_total);
	buf_i64(verdict_let(v, "device"), worst->dev);
}

void
judge_graph_level(const struct facts *f, struct advise_verdict *v)
{
	if (f->n_graph == 0)
		return;
	work_above(f, f->graph_ns, v);
	buf_u64(verdict_let(v, "runs"), f->n_graph);
}

void
judge_no_op(const struct facts *f, struct advise_verdict *v)
{
	if (f->n_kern > 0)
		verdict_above(v, facts_kern_pct(f, f->no_op_ns));
}

/* Judges a part of the time that was recorded, which calls take. */
static void
span_above(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	if (f->span_ns <= 0)
		return;
	verdict_above(v, 100.0 * (double)ns / (double)f->span_ns);
	gain_of_calls(f, ns, v);
}

void
judge_profiler_cost(const struct facts *f, struct advise_verdict *v)
{
	span_above(f, f->over_ns, v);
}

/* Records of CUPTI and calls that load code, each moment once. */
void
judge_lazy_loading(const struct facts *f, struct advise_verdict *v)
{
	span_above(f, f->load_ns, v);
	tops_put(&f->gap_in[G_MODULE], &v->evidence, 3);
}

/* Steps that are not judged, because they are so long. */
void
judge_slow_steps(const struct facts *f, struct advise_verdict *v)
{
	const struct facts_slow *s = &f->slow;
	double pct;

	if (s->n_step == 0)
		verdict_unjudged(v, "the lengths of steps: dlp-iter --stable");
	if (s->n_step < 10 || s->of_ns <= 0) /* too few to be typical */
		return;
	pct = 100.0 * (double)s->ns / (double)s->of_ns;
	verdict_above(v, pct);
	verdict_gain(v, (int64_t)(pct / 100 * (double)facts_wall_ns(f)));
	buf_i64(verdict_let(v, "slow"), s->n);
	if (s->n == 1)
		verdict_let(v, "one");
	buf_i64(verdict_let(v, "steps"), s->n_step);
	buf_i64(verdict_let(v, "longest"), s->most);
}

/* The GPU waits in the steps for what the program does once. */
void
judge_one_off(const struct facts *f, struct advise_verdict *v)
{
	bool module = f->gap_ns[G_MODULE] >= f->gap_ns[G_STARTUP];
	int64_t ns = num_add(f->gap_ns[G_MODULE], f->gap_ns[G_STARTUP]);

	if (verdict_no_steps(f, v) || no_gaps(f, v))
		return;
	verdict_share(f, ns, v);
	tops_put(&f->gap_in[module ? G_MODULE : G_STARTUP], &v->evidence, 3);
	if (module)
		verdict_let(v, "module");
}

void
judge_marker_cost(const struct facts *f, struct advise_verdict *v)
{
	int64_t ns = marker_cost(f);

	if (verdict_lacks(
		v, f->maker.torch, "what torch.profiler's records cost"))
		return;
	if (verdict_no_steps(f, v) || f->n_marked == 0 || no_gaps(f, v))
		return;
	verdict_share(f, ns, v);
	v->first = 2 * facts_step_ns(f, false) < facts_step_ns(f, true);
	if (v->first)
		verdict_let(v, "most");
	buf_printf(
	    verdict_let(v, "runs"), "%.0f", facts_per_iter(f, f->n_marked));
	if (facts_step_ns(f, true) == 0)
		say_time(verdict_let(v, "cost"), run_cost(f));
}

/* Messages, and rows of the file that dlp-parse could not read. */
void
judge_lost_events(const struct facts *f, struct advise_verdict *v)
{
	uint32_t i = smap_find(f->notes, "bad_rows", strlen("bad_rows"));
	uint64_t unread = i == SMAP_NONE ? 0 : f->notes->val[i];

	verdict_number(v, f->lost.all.n + unread);
	tops_put(&f->lost, &v->evidence, 2);
	if (f->lost.all.n == 0 && unread > 0)
		buf_u64(verdict_let(v, "rows"), unread);
}

/* Judges the part of the kernels' time that has one reason. */
static void
tc_part(const struct facts *f, const struct tops *t, struct advise_verdict *v)
{
	if (verdict_lacks(v, !f->has_tc_why, "Tensor Core use: dlp-flops"))
		return;
	verdict_kernels(f, t->all.ns, v);
	tops_put(t, &v->evidence, 3);
}

/* The next size that suits: tiles of products are multiples of 64. */
static void
let_size(const struct facts *f, struct advise_verdict *v)
{
	size_t n;
	const char *s = tops_first(&f->odd_size, &n);
	int64_t size, step;

	if (s == NULL || !num_i64(s, n, &size) || size > INT64_MAX - 64)
		return;
	step = size >= 1024 ? 64 : 8;
	buf_i64(verdict_let(v, "size"), size);
	buf_i64(verdict_let(v, "up"), (size + step - 1) / step * step);
	buf_i64(verdict_let(v, "step"), step);
}

void
judge_tc_fp32(const struct facts *f, struct advise_verdict *v)
{
	tc_part(f, &f->fp32, v);
}

void
judge_tc_unaligned(const struct facts *f, struct advise_verdict *v)
{
	tc_part(f, &f->unaligned, v);
	if (f->unaligned.all.ns == f->unaligned_ns)
		verdict_let(v, "all_unused");
	let_size(f, v);
}

/* Products whose sizes make them slow. What other sizes would gain is not
 * known.
 */
void
judge_slow_size(const struct facts *f, struct advise_verdict *v)
{
	const struct tops *t = f->slow_size;

	while (strcmp(slow_sizes[t - f->slow_size], v->id) != 0)
		t++;
	if (verdict_lacks(v, !f->has_tc_why, "Tensor Core use: dlp-flops"))
		return;
	verdict_above(v, facts_share_pct(f, t->all.ns));
	tops_put(t, &v->evidence, 3);
}

void
judge_tc_unused(const struct facts *f, struct advise_verdict *v)
{
	size_t n = 0;
	const char *most = tops_first(&f->why, &n);

	if (verdict_lacks(v, !f->has_tc, "Tensor Core use: dlp-flops"))
		return;
	verdict_kernels(f, f->eligible_ns, v);
	tops_put(&f->why, &v->evidence, 4);
	let_size(f, v);
	if (f->fp32.all.ns > f->eligible_ns / 2)
		verdict_let(v, "fp32");
	if (f->unaligned_ns > f->eligible_ns / 2)
		verdict_let(v, "unaligned");
	if (most != NULL && text_is(most, n, "vector"))
		verdict_let(v, "vector");
}
