/*
 * Facts of GPU work: kernels, copies, sets, graphs; and of API calls: those
 * that wait, that load code or allocate memory, and the time that the CPU
 * spends in each class of them.
 */
#include <stdio.h>

#include "advise.h"
#include "apicall.h"
#include "array.h"
#include "num.h"
#include "shipped.h"

/* Takes GPU work, in an iteration or not: its device is used, and start-up ends
 * when the first of it begins. */
static void
begin_work(struct facts *f, const struct rec *r)
{
	int64_t start, no;

	if (rec_num(r, COL_dev, &no))
		facts_dev(f, no)->used = true;
	if (!rec_num(r, COL_start_ns, &start))
		return;
	if (!f->any_work || start < f->first_work)
		f->first_work = start;
	f->any_work = true;
}

enum advise_call { CALL_KERNEL, CALL_COPY, CALL_SYNC, CALL_OTHER };

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

/* A call that waits for the GPU, by its name and, as far as it is known, the op
 * and the range in which the program made it. */
static void
add_wait(struct facts *f, const struct rec *r, struct mview api,
    enum advise_call of, int64_t dur)
{
	struct mview op = rec_get(r, COL_op), layer = rec_get(r, COL_layer);
	struct buf name = { 0 };

	buf_put(&name, api.s, api.n);
	if (of != CALL_KERNEL && op.s != NULL)
		buf_printf(&name, " of %.*s", (int)op.n, op.s);
	if (of != CALL_KERNEL && layer.s != NULL)
		buf_printf(&name, " in %.*s", (int)layer.n, layer.s);
	tops_add(&f->sync, name.s, name.len, dur, 0);
	buf_free(&name);
}

/* An API call that makes the CPU wait for the GPU, alone or with the work that
 * it launched. Only its part since the first GPU work is the CPU's, because the
 * time before is start-up, and not time in which the GPU idles (dlp-busy). */
static void
count_call(struct facts *f, const struct rec *r, enum advise_call of)
{
	struct mview api = rec_get(r, COL_api);
	int64_t start, dur = 0, left;
	enum apicall_kind kind;
	int class;
	bool has_start;

	if (api.s == NULL)
		return;
	api.n = apicall_base(api.s, api.n);
	kind = apicall_kind(api.s, api.n);
	has_start = rec_num(
	    r, of == CALL_OTHER ? COL_start_ns : COL_api_start_ns, &start);
	rec_length(r, of == CALL_OTHER ? COL_dur_ns : COL_api_dur_ns, &dur);
	class = cpu_class(of, kind, dur);
	if (class >= 0 && f->any_work && (!f->has_cuts || f->counts)) {
		left = dur;
		if (has_start && start < f->first_work)
			left = num_sub(num_add(start, dur), f->first_work);
		if (left > 0)
			f->cpu_ns[class] = num_add(f->cpu_ns[class], left);
	}
	/* as the profiler's own records of loading, which not every profile
	 * has */
	if (kind == APICALL_LOADS && has_start &&
	    f->over_time[OVER_LOAD].n < ADVISE_PIECES)
		ivl_add(&f->over_time[OVER_LOAD], start, num_add(start, dur));
	if (of == CALL_OTHER && mv_starts(api, "cuGraphExec") &&
	    advise_in_iter(f, r)) {
		f->updates.n++;
		f->updates.ns = num_add(f->updates.ns, dur);
	}
	if (kind == APICALL_WAITS && advise_in_iter(f, r))
		add_wait(f, r, api, of, dur);
	else if (kind == APICALL_ALLOCATES && advise_in_iter(f, r))
		tops_add(&f->alloc, api.s, api.n, dur, 0);
}

void
add_sync(struct facts *f, const struct rec *r)
{
	count_call(f, r, CALL_SYNC);
}

void
add_call(struct facts *f, const struct rec *r)
{
	count_call(f, r, CALL_OTHER);
}

/* Communication and other kernels are kept apart, because communication costs
 * time only while no other kernel runs. */
static void
add_time(struct facts *f, struct device *d, struct mview name, bool comm,
    int64_t start, int64_t dur)
{
	if (comm) {
		tops_add(&f->comm, name.s, name.n, dur, 0);
		if (d->comm.n < ADVISE_PIECES)
			ivl_add(&d->comm, start, num_add(start, dur));
	} else if (d->work.n < ADVISE_PIECES) {
		ivl_add(&d->work, start, num_add(start, dur));
	} else if (d->comm.n == 0) {
		ivl_drop(&d->work, ADVISE_PIECES / 2, &start);
	}
}

/* The blocks of a kernel by its grid, otherwise the tiles of its product; -1 if
 * neither is known. */
static double
blocks_of(const struct rec *r)
{
	struct mview grid = rec_get(r, COL_grid);
	const char *g = grid.s, *end = g + grid.n, *comma;
	double blocks = 1;
	int64_t v;

	if (g == NULL)
		return (double)rec_num_or(r, COL_tiles, -1);
	for (; g < end; g = comma + 1) {
		comma = memchr(g, ',', (size_t)(end - g));
		if (comma == NULL)
			comma = end;
		if (!num_i64(g, (size_t)(comma - g), &v))
			return -1;
		blocks *= (double)v;
	}
	return blocks;
}

/* Without a device: the fewest multiprocessors of the GPUs for which Tensile
 * built a product, Cijk_..._ISA942_...; 0 if that is not known. */
static int64_t
least_units(const struct rec *r)
{
	static const char mark[] = "_ISA";
	const char *s = mv_find(rec_get(r, COL_short), mark);
	struct mview v = { NULL, 0 };
	int64_t n = 0;

	if (s != NULL)
		v = vocab_find("isa-units", s + 4, strcspn(s + 4, "_\t\n"));
	return v.s != NULL && num_i64(v.s, v.n, &n) ? n : 0;
}

/* Fewer blocks than the device has multiprocessors: the others idle while the
 * kernel runs, so that is the part of its time that could be gained. */
static void
add_blocks(struct facts *f, const struct rec *r, const struct device *d,
    struct mview op, int64_t dur)
{
	double blocks = blocks_of(r);
	int64_t n_sm = d->n_sm > 0 ? d->n_sm : least_units(r);

	if (blocks < 0 || n_sm <= 0)
		return;
	f->n_sized++;
	if (blocks >= (double)n_sm)
		return;
	f->n_few++;
	dur = (int64_t)((double)dur * (1 - blocks / (double)n_sm) + 0.5);
	f->few_ns = num_add(f->few_ns, dur);
	tops_add(&f->few, op.s, op.n, dur, 0);
}

/* The size that keeps a product off fast kernels: that of the product inside
 * the op, if it is known. */
static void
add_odd(struct facts *f, const struct rec *r, int64_t dur)
{
	const uint64_t *v = NULL;
	char word[24];
	int64_t id;
	int n;

	if (rec_num(r, COL_prim_id, &id))
		v = map_get(&f->known->prim, (uint64_t)id);
	if ((v == NULL || *v == 0) && rec_num(r, COL_op_id, &id))
		v = map_get(&f->known->odd, (uint64_t)id);
	if (v == NULL || *v == 0)
		return;
	n = snprintf(word, sizeof(word), "%llu", (unsigned long long)*v);
	tops_add(&f->odd_size, word, (size_t)n, dur, 0);
}

#define MAX_ALIKE 4096 /* most kinds of collectives */

/* Collectives of one kind and size take the same time, unless they wait. */
static void
add_collective(
    struct facts *f, const struct rec *r, struct mview op, int64_t dur)
{
	struct mview name = rec_get(r, COL_short);
	struct mview bytes = rec_get(r, COL_bytes);
	struct buf b = { 0 };
	struct facts_alike *a;
	bool is_new;
	uint32_t i;

	tops_add(&f->coll, op.s, op.n, dur, 0);
	if (bytes.s == NULL || f->alike.n >= MAX_ALIKE)
		return;
	buf_printf(&b, "%.*s %.*s %.*s", (int)op.n, op.s, (int)name.n,
	    name.s != NULL ? name.s : "", (int)bytes.n, bytes.s);
	i = smap_put(&f->alike, b.s, b.len, &is_new);
	buf_free(&b);
	ARRAY_GROW(f->alike_v, i, f->cap_alike);
	a = &f->alike_v[i];
	if (is_new)
		*a = (struct facts_alike){ 0, 0, dur };
	a->n++;
	a->ns = num_add(a->ns, dur);
	if (dur < a->least)
		a->least = dur;
	f->n_alike += !is_new;
}

const char *const slow_sizes[N_SLOW] = { "skinny", "depthwise", "few_tokens",
	"head_size" };

static void
add_tc(struct facts *f, const struct rec *r, struct mview op, int64_t dur)
{
	struct mview tc = rec_get(r, COL_tc), why = rec_get(r, COL_tc_why);
	bool eligible = mv_eq(rec_get(r, COL_tc_eligible), "yes");
	bool uses = mv_eq(tc, "yes"), unaligned = mv_eq(why, "unaligned");
	int i;

	f->has_tc |= tc.s != NULL;
	f->has_tc_why |= rec_has(r->type, COL_tc_why);
	advise_ops_kernel(f, r, uses, eligible);
	for (i = 0; i < N_SLOW; i++)
		if (mv_eq(why, slow_sizes[i]))
			tops_add(&f->slow_size[i], op.s, op.n, dur, 0);
	if (unaligned)
		add_odd(f, r, dur);
	if (uses && (unaligned || mv_eq(why, "old_kernel")))
		tops_add(&f->unaligned, op.s, op.n, dur, 0);
	if (!eligible || !mv_eq(tc, "no"))
		return;
	f->eligible_ns = num_add(f->eligible_ns, dur);
	if (why.s == NULL)
		return;
	tops_add(&f->why, why.s, why.n, dur, 0);
	if (mv_eq(why, "fp32"))
		tops_add(&f->fp32, op.s, op.n, dur, 0);
	if (unaligned) {
		tops_add(&f->unaligned, op.s, op.n, dur, 0);
		f->unaligned_ns = num_add(f->unaligned_ns, dur);
	}
}

static void
add_use(struct facts *f, const struct rec *r, bool graph, int64_t dur)
{
	const struct advise_ops *o = f->known;
	const uint64_t *shape = NULL;
	int64_t id;
	struct use_kernel k = {
		.name = rec_get(r, COL_short),
		.op = rec_get(r, COL_op),
		.layer = rec_get(r, COL_layer),
		.phase = rec_get(r, COL_phase),
		.family = rec_get(r, COL_family),
		.dtype = rec_get(r, COL_dtype),
		.graph = graph,
		.dur = dur,
	};

	if (rec_num(r, COL_op_id, &id)) {
		shape = map_get(&o->scores, (uint64_t)id);
		k.halves = advise_ops_halves(o, id);
	}
	k.scores = shape != NULL && o->shape4.val[*shape] != 0;
	k.fused = rec_num(r, COL_name_id, &id) &&
		  map_get(&o->fused_name, (uint64_t)id) != NULL;
	f->has_family |= rec_has(r->type, COL_family);
	f->scaler |= mv_starts(k.op, "_amp_");
	use_add(f, &k);
}

void
add_kernel(struct facts *f, const struct rec *r)
{
	int64_t start = 0, dur = 0, no = 0, id, end;
	struct mview name = rec_get(r, COL_short), op = rec_get(r, COL_op);
	struct device *d;
	bool comm, graph;

	begin_work(f, r);
	count_call(f, r, CALL_KERNEL);
	if (!advise_in_iter(f, r) || !rec_num(r, COL_start_ns, &start) ||
	    !rec_length(r, COL_dur_ns, &dur))
		return;
	rec_num(r, COL_dev, &no);
	rec_num(r, COL_pid, &f->pid);
	f->gpu = no;
	d = facts_dev(f, no);
	d->n_kern++;
	f->n_kern++;
	f->kern_ns = num_add(f->kern_ns, dur);
	comm = mv_starts(name, "nccl") || mv_starts(name, "rccl") ||
	       mv_starts(name, "nvshmem") || mv_eq(rec_get(r, COL_dir), "comm");
	if (!comm && !rec_num(r, COL_inst_id, &id)) {
		f->no_op_ns = num_add(f->no_op_ns, dur);
		if (!rec_num(r, COL_api_start_ns, &id))
			f->no_call_ns = num_add(f->no_call_ns, dur);
	}
	end = num_add(start, dur);
	if (!f->any_kern || start < f->first_kern)
		f->first_kern = start;
	if (!f->any_kern || end > f->end_kern)
		f->end_kern = end;
	f->any_kern = true;
	if (op.s == NULL)
		op = name.s != NULL ? name : (struct mview){ "kernel", 6 };
	/* a node, or its call says so */
	graph = rec_num(r, COL_node, &id) ||
		mv_has(rec_get(r, COL_api), "GraphLaunch");
	if (name.s != NULL)
		add_time(f, d, name, comm, start, dur);
	/* a graph launch launches all of its kernels */
	if (!graph) {
		f->n_launch++;
	} else if (rec_num(r, COL_api_start_ns, &id) &&
		   id != f->last_graph_call) {
		f->last_graph_call = id;
		f->n_launch++;
	}
	add_tc(f, r, op, dur);
	if (comm) {
		add_collective(f, r, op, dur);
	} else {
		add_blocks(f, r, d, op, dur);
		add_use(f, r, graph, dur);
		use_add_step(f, r, graph, dur);
	}
}

void
add_copy(struct facts *f, const struct rec *r)
{
	int64_t dur = 0, bytes = 0;
	struct mview kind = rec_get(r, COL_kind);
	bool src = mv_eq(rec_get(r, COL_src_mem), "pageable");
	bool dst = mv_eq(rec_get(r, COL_dst_mem), "pageable");

	begin_work(f, r);
	count_call(f, r, CALL_COPY);
	f->any_copy = true;
	if (!advise_in_iter(f, r) || kind.s == NULL)
		return;
	rec_length(r, COL_dur_ns, &dur);
	rec_num(r, COL_bytes, &bytes);
	f->copy_ns = num_add(f->copy_ns, dur);
	f->pageable_src |= src;
	if (src || dst)
		tops_add(&f->pageable, kind.s, kind.n, dur, bytes);
	if ((src || dst) && f->any_kern)
		tops_add(&f->pageable_later, kind.s, kind.n, dur, bytes);
}

void
add_set(struct facts *f, const struct rec *r)
{
	int64_t dur;

	begin_work(f, r);
	count_call(f, r, CALL_COPY);
	f->any_set = true;
	if (advise_in_iter(f, r) && rec_length(r, COL_dur_ns, &dur))
		f->copy_ns = num_add(f->copy_ns, dur);
}

void
add_graph(struct facts *f, const struct rec *r)
{
	int64_t dur = 0;

	begin_work(f, r);
	if (!advise_in_iter(f, r))
		return;
	f->n_graph++;
	if (rec_length(r, COL_dur_ns, &dur))
		f->graph_ns = num_add(f->graph_ns, dur);
}
