/*
 * Turns records into facts: the table of record types, the files of a section
 * (by column src), and the functions that add a record to its file's facts,
 * except those of advise_ops.c and advise_work.c.
 */
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "err.h"
#include "num.h"

static void
add_device(struct facts *f, const struct rec *r)
{
	struct device *d;
	int64_t no;
	double cc;

	if (!rec_num(r, COL_dev, &no))
		return;
	d = facts_dev(f, no);
	rec_num(r, COL_n_sm, &d->n_sm);
	rec_num(r, COL_mem_bytes, &d->mem_total);
	if (rec_real(r, COL_cc, &cc))
		d->cc10 = (int64_t)(cc * 10 + 0.5);
}

static void
add_iteration(struct facts *f, const struct rec *r)
{
	int64_t no, dur, step;
	struct mview key = rec_get(r, COL_key);

	f->has_key |= key.s != NULL;
	if (f->step_key.len == 0 && key.s != NULL) {
		while (key.n > 0 && strchr("0123456789 ", key.s[key.n - 1]))
			key.n--;
		buf_put(&f->step_key, key.s, key.n);
	}
	if (!advise_iter(f, r, COL_iter, &no) ||
	    !rec_length(r, COL_dur_ns, &dur))
		return;
	if (!rec_num(r, COL_step_ns, &step))
		step = dur;
	ARRAY_GROW(f->iter, f->n_iter, f->cap_iter);
	f->iter[f->n_iter++] =
	    (struct facts_iter){ no, f->all_devices ? dur : step };
}

static void
add_busy(struct facts *f, const struct rec *r)
{
	int64_t no, dur, in, all, *sum;
	struct mview class = rec_get(r, COL_class);
	struct facts_comm *comm;
	struct device *d;
	bool counts;
	int i;

	if (f->no_times || !rec_num(r, COL_dev, &no) ||
	    !rec_length(r, COL_dur_ns, &dur))
		return;
	f->has_busy = true;
	counts = advise_iter(f, r, COL_iter, &in) ||
		 advise_iter(f, r, COL_after, &in);
	f->in_steps |= counts;
	/* Communication is kernels, too, and has the step's share of its time.
	 * Its kernels may run in the time of the step before, which a sum of
	 * its kernels would count to it. */
	if (mv_eq(class, "comm")) {
		class = (struct mview){ "kern", strlen("kern") };
		if (rec_length(r, COL_union_ns, &all)) {
			d = facts_dev(f, no);
			comm = counts ? &d->in_steps : &d->elsewhere;
			d->has_comm = true;
			comm->bare = num_add(comm->bare, dur);
			comm->all = num_add(comm->all, all);
		}
	}
	for (i = 0; i < N_BUSY; i++) {
		if (!mv_eq(class, busy_words[i]))
			continue;
		d = facts_dev(f, no);
		sum = counts ? d->busy : d->no_iter;
		d->used |= i <= B_MEM && dur > 0;
		sum[i] = num_add(sum[i], dur);
	}
}

static void
add_cut(struct facts *f, const struct rec *r)
{
	int64_t v;

	f->has_cuts = true;
	if (advise_iter(f, r, COL_iter, &v))
		f->counts = true;
	else if (rec_num(r, COL_iter, &v) || rec_num(r, COL_dropped, &v))
		f->counts = false;
}

static void
leave_out(struct facts *f, struct mview list)
{
	const char *s = list.s, *comma, *end = s + list.n;
	int64_t no;

	map_clear(&f->marked);
	for (; s != NULL && s < end; s = comma + 1) {
		comma = memchr(s, ',', (size_t)(end - s));
		comma = comma != NULL ? comma : end;
		if (num_i64(s, (size_t)(comma - s), &no))
			*map_put(&f->marked, (uint64_t)no + 1, NULL) = 1;
	}
}

/* --even: if no step is even, all are judged. */
static void
add_stable(struct facts *f, const struct rec *r)
{
	if (f->even) {
		f->even_known = rec_num(r, COL_from, &f->even_from) &&
				rec_num(r, COL_to, &f->even_to);
		leave_out(f, rec_get(r, COL_marked));
	}
	f->slow = (struct facts_slow){ .most = -1 };
	rec_num(r, COL_n, &f->slow.n_step);
	rec_num(r, COL_n_slow, &f->slow.n);
	rec_num(r, COL_slow_ns, &f->slow.ns);
	rec_num(r, COL_slow_of_ns, &f->slow.of_ns);
	rec_num(r, COL_slowest, &f->slow.most);
}

/* Where the program was: its longest activity in the gap, the op and the range
 * of the work that ends it, and the line of code, but not of launches, which
 * come from all lines of a step. */
static void
add_gap_in(struct facts *f, struct tops *to, const struct rec *r, int64_t dur)
{
	struct buf *b = &f->gap_in_text;
	struct mview what = rec_get(r, COL_what);
	struct mview op = rec_get(r, COL_op);
	struct mview layer = rec_get(r, COL_layer);
	struct mview code = rec_get(r, COL_code);

	buf_clear(b);
	buf_put(b, what.s, what.n);
	if (op.s != NULL && (what.n != op.n || what.s == NULL ||
				memcmp(what.s, op.s, op.n) != 0)) {
		buf_puts(b, b->len > 0 ? ", before op " : "before op ");
		buf_put(b, op.s, op.n);
	}
	if (layer.s != NULL) {
		buf_puts(b, b->len > 0 ? " in " : "in ");
		buf_put(b, layer.s, layer.n);
	}
	if (code.s != NULL && to != &f->gap_in[G_LAUNCH]) {
		buf_puts(b, b->len > 0 ? " at " : "at ");
		buf_put(b, code.s, code.n);
	}
	if (b->len > 0)
		tops_add(to, b->s, b->len, dur, 0);
}

#define PLAN_NS 1000000
/* Only time in steps counts, as in dlp gaps, which cuts gaps at the starts and
 * ends of steps. */
static void
add_gap(struct facts *f, const struct rec *r)
{
	struct mview class = rec_get(r, COL_class);
	int64_t dur, no;
	int i;

	if (f->no_times)
		return;
	f->has_gaps = true;
	if (!advise_in_iter(f, r) || !rec_length(r, COL_dur_ns, &dur))
		return;
	for (i = 0; i < N_GAP; i++)
		if (mv_eq(class, gap_words[i])) {
			f->gap_ns[i] = num_add(f->gap_ns[i], dur);
			if (advise_iter(f, r, COL_iter, &no))
				*map_put(&f->gap_step[i], (uint64_t)no, NULL) +=
				    (uint64_t)dur;
			add_gap_in(f, &f->gap_in[i], r, dur);
		}
	/* cuDNN's plan of attention for a new size takes milliseconds of CPU */
	if (dur >= PLAN_NS && mv_has(rec_get(r, COL_after), "cudnn") &&
	    mv_has(rec_get(r, COL_after), "sdpa") &&
	    (mv_eq(class, gap_words[G_LAUNCH]) || mv_eq(class, "host-only")))
		add_gap_in(f, &f->plans, r, dur);
	if (!mv_eq(class, gap_words[G_LAUNCH]))
		return;
	if (mv_eq(rec_get(r, COL_phase), "optimizer"))
		f->opt_idle_ns = num_add(f->opt_idle_ns, dur);
	if (mv_has(rec_get(r, COL_op), "softmax"))
		f->softmax_idle_ns = num_add(f->softmax_idle_ns, dur);
}

/* The memory in use, by its address: a process has its own addresses. */
static void
add_memory(struct facts *f, const struct rec *r)
{
	int64_t no = 0, bytes = 0, addr = 0, all;
	struct mview op = rec_get(r, COL_op), kind = rec_get(r, COL_kind);
	struct device *d;
	struct map *live;
	uint64_t *v;
	uint32_t i;
	bool is_new;

	if (op.s == NULL || (kind.s != NULL && !mv_eq(kind, "device")) ||
	    !rec_num(r, COL_addr, &addr))
		return;
	rec_num(r, COL_dev, &no);
	rec_num(r, COL_bytes, &bytes);
	d = facts_dev(f, no);
	f->n_mem++;
	if (rec_num(r, COL_allocated_bytes, &all)) {
		d->mem_peak =
		    d->mem_all && d->mem_peak > all ? d->mem_peak : all;
		d->mem_all = true;
		if (rec_num(r, COL_pool_bytes, &all) && all > d->mem_pool)
			d->mem_pool = all;
	}
	i = smap_put_pair(&f->live_at, rec_num_or(r, COL_pid, -1), no, &is_new);
	if (is_new) {
		f->live = xrealloc(f->live, f->live_at.n, sizeof(*f->live));
		memset(&f->live[i], 0, sizeof(*f->live));
	}
	live = &f->live[i];
	if (mv_eq(op, "alloc")) {
		*map_put(live, (uint64_t)addr, NULL) = (uint64_t)bytes;
		d->mem_live = num_add(d->mem_live, bytes);
		if (d->mem_live > d->mem_peak && !d->mem_all)
			d->mem_peak = d->mem_live;
	} else if ((v = map_get(live, (uint64_t)addr)) != NULL) {
		d->mem_live = num_sub(d->mem_live, (int64_t)*v);
		map_del(live, (uint64_t)addr);
	}
}

/* What torch.compile says: region 1/0 is the code of frame 1, compiled for the
 * first time. */
static void
add_range(struct facts *f, const struct rec *r)
{
	static const char region[] = "Torch-Compiled Region: ";
	struct mview text = rec_get(r, COL_text);
	size_t n = sizeof(region) - 1;
	int64_t dur;
	uint32_t at;

	if (mv_starts(text, region)) {
		text = mv(text.s + n, text.s + text.n);
		for (n = 0; n < text.n && strchr("/0123456789", text.s[n]);)
			n++;
		if (n > 32)
			return;
		at = smap_put(&f->regions, text.s, n, NULL);
		f->regions.val[at]++;
	} else if (mv_starts(text, "TorchDynamo Cache Lookup")) {
		f->lookups.n++;
		if (rec_length(r, COL_dur_ns, &dur))
			f->lookups.ns = num_add(f->lookups.ns, dur);
	}
}

static void
add_overhead(struct facts *f, const struct rec *r)
{
	struct mview name = rec_get(r, COL_name);
	enum over o = rec_has(r->type, COL_name) ? over_of(name.s, name.n)
						 : OVER_PROFILER;
	int64_t start, dur;

	if (!rec_num(r, COL_start_ns, &start) ||
	    !rec_length(r, COL_dur_ns, &dur))
		return;
	if (o == OVER_QUEUE && advise_in_iter(f, r))
		tops_add(&f->queue_full, name.s, name.n, dur, 0);
	else if (o < N_OVER && f->over_time[o].n < ADVISE_PIECES)
		ivl_add(&f->over_time[o], start, num_add(start, dur));
}

/* A rank's communication in an iteration, by dlp-ranks. */
static void
add_rank(struct facts *f, const struct rec *r)
{
	struct mview rank = rec_get(r, COL_rank);
	int64_t ns;

	if (f->rank.len == 0)
		buf_put(&f->rank, rank.s, rank.n);
	if (advise_in_iter(f, r) && rec_num(r, COL_wait_ns, &ns))
		f->rank_wait = num_add(f->rank_wait, ns);
}

/* The recorder's messages about events that it lost. */
static void
add_message(struct facts *f, const struct rec *r)
{
	static const char *const words[] = { "lost", "dropped", "discard",
		"overflow", "buffer is full" };
	struct mview text = rec_get(r, COL_text);
	size_t i;

	if (mv_eq(rec_get(r, COL_severity), "info"))
		return;
	for (i = 0; i < ARRAY_LEN(words); i++)
		if (mv_has(text, words[i])) {
			tops_add(&f->lost, text.s, text.n, 0, 0);
			return;
		}
}

static int64_t
read_setting(struct mview v)
{
	int64_t no;

	if (mv_eq(v, "true") || mv_eq(v, "True"))
		return 1;
	if (mv_eq(v, "false") || mv_eq(v, "False"))
		return 0;
	return num_i64(v.s, v.n, &no) ? no : -1;
}

static void
keep_word(char *to, size_t size, struct mview v)
{
	if (v.n >= size)
		return;
	memcpy(to, v.s, v.n);
	to[v.n] = '\0';
}

static void
add_info(struct facts *f, struct mview name, struct mview v)
{
	static const char *const model[N_MODEL] = { "model_num_workers",
		"model_cudnn_benchmark_disabled", "model_detect_anomaly",
		"model_gradcheck", "model_gradgradcheck",
		"model_autograd_profile", "model_autograd_set_detect_anomaly",
		"model_record_function", "model_emit_nvtx" };
	const struct {
		const char *name;
		int64_t *to;
	} number[] = { { "kernel_arch", &f->kernel_arch },
		{ "marker_ns", &f->marker_ns },
		{ "gpu_mem_total_bytes", &f->mem_total },
		{ "gpu_mem_used_bytes", &f->mem_used } };
	size_t i;

	for (i = 0; i < N_MODEL; i++)
		if (mv_eq(name, model[i]))
			f->model[i] = read_setting(v);
	for (i = 0; i < ARRAY_LEN(number); i++)
		if (mv_eq(name, number[i].name))
			num_i64(v.s, v.n, number[i].to);
	f->no_times |= mv_eq(name, "times");
	f->named_framework |= mv_eq(name, "framework");
	f->told |=
	    mv_eq(name, "mem_peak_bytes") || mv_eq(name, "step_recorded_ns");
	f->serving |= mv_eq(name, "serving");
	maker_info(&f->maker, name, v);
	if (mv_eq(name, "mode")) {
		keep_word(f->mode, sizeof(f->mode), v);
	} else if (mv_eq(name, "profiler_options")) {
		keep_word(f->options, sizeof(f->options), v);
	} else if (mv_eq(name, "key_op")) {
		buf_clear(&f->key);
		buf_put(&f->key, v.s, v.n);
	} else if (mv_eq(name, "key_op_found")) {
		f->key_found = mv_eq(v, "yes");
	}
}

/* All changes have the same steps; "all" is one of them. */
static void
add_whatif(struct facts *f, const struct rec *r)
{
	struct facts_whatif *w = &f->whatif;
	struct mview change = rec_get(r, COL_change);
	int64_t no, step, bare, ns;
	struct fix *x = w->fix;

	if (rec_num(r, COL_iter, &no) && !advise_iter(f, r, COL_iter, &no))
		return;
	if (change.s == NULL || change.n >= sizeof(x->name) ||
	    !rec_num(r, COL_step_ns, &step) || step < 0 ||
	    !rec_num(r, COL_bare_ns, &bare) || bare < 0 ||
	    !rec_num(r, COL_predicted_ns, &ns) || ns < 0)
		return;
	while (x < w->fix + w->n_fix && !mv_eq(change, x->name))
		x++;
	if (x == w->fix + ARRAY_LEN(w->fix))
		return;
	if (x == w->fix + w->n_fix) {
		memcpy(x->name, change.s, change.n);
		w->n_fix++;
	}
	x->n++;
	x->ns = num_add(x->ns, ns);
	if (mv_eq(change, "all")) {
		w->n++;
		w->step = num_add(w->step, step);
		w->bare = num_add(w->bare, bare);
	}
}

static const struct advise_row {
	const char *tags;
	/* adds a record to the facts of its file */
	void (*add)(struct facts *f, const struct rec *r);
	const char *need, *opt;
} rows[] = {
	{ "kern", add_kernel, "start_ns dur_ns",
	    "api_start_ns api_dur_ns dev src iter api op_id inst_id short grid"
	    " op tc tc_eligible tc_why dtype layer phase family node dir"
	    " prim_id bytes name_id pid tid tiles" },
	{ "copy", add_copy, NULL,
	    "start_ns dur_ns api_start_ns api_dur_ns dev src iter api op layer"
	    " kind bytes src_mem dst_mem" },
	{ "set", add_set, NULL,
	    "start_ns dur_ns api_start_ns api_dur_ns dev src iter api op"
	    " layer" },
	{ "sync", add_sync, NULL,
	    "api_start_ns api_dur_ns src iter api op layer" },
	{ "call", add_call, NULL, "start_ns dur_ns src iter api op layer" },
	{ "graph", add_graph, NULL, "start_ns dur_ns dev src iter" },
	{ "inst", add_inst, "op_id", "dur_ns src iter" },
	{ "iter", add_iteration, "dur_ns iter", "src key step_ns" },
	{ "dev", add_device, "dev", "src cc n_sm mem_bytes" },
	{ "busy", add_busy, "dur_ns dev class", "src iter after union_ns" },
	{ "stable", add_stable, NULL,
	    "src from to n n_slow slow_ns slow_of_ns slowest marked" },
	{ "cut", add_cut, NULL, "src iter dropped" },
	{ "gap", add_gap, NULL,
	    "dur_ns src iter class what op layer phase"
	    " code after" },
	{ "mem", add_memory, NULL,
	    "pid dev src op bytes addr kind pool_bytes allocated_bytes" },
	{ "range", add_range, NULL, "src dur_ns text" },
	{ "over", add_overhead, NULL, "start_ns dur_ns src iter name" },
	{ "diag", add_message, NULL, "src severity text" },
	{ "comm", add_rank, NULL, "src iter rank wait_ns" },
};

struct advise_reader {
	struct advise_ops ops;
	struct smap notes; /* of the section; val: their counts */
	struct smap names; /* of files -> the number of its facts in file */
	struct facts **file;
	struct facts info;  /* facts of ##info lines that apply to all files */
	struct facts *last; /* of the last record */
	struct facts *head; /* the facts that ##info lines belong to; NULL:
			     * all */
	advise_done *done;
	void *arg;
};

/* A new file starts with the facts that ##info lines gave for all files. A
 * record without a name belongs to the only file. */
static struct facts *
facts_of(struct advise_reader *g, struct mview src)
{
	struct facts *f;
	bool is_new;
	uint32_t i;

	if (src.s == NULL && g->names.n == 1)
		return g->file[0];
	if (src.s == NULL)
		src = (struct mview){ "", 0 };
	if (g->last != NULL && g->last->src.len == src.n &&
	    memcmp(buf_str(&g->last->src), src.s, src.n) == 0)
		return g->last;
	i = smap_put(&g->names, src.s, src.n, &is_new);
	if (!is_new)
		return g->file[i];
	g->file = xrealloc(g->file, g->names.n, sizeof(struct facts *));
	f = g->file[i] = xmalloc(sizeof(*f));
	*f = g->info;
	f->named_framework = false;
	f->key = f->src = (struct buf){ 0 };
	buf_put(&f->key, g->info.key.s, g->info.key.len);
	buf_put(&f->src, src.s, src.n);
	return f;
}

static void
see_record(struct stage *st, struct rec *r)
{
	const struct advise_row *row = rec_arg(r);
	struct advise_reader *g = st->ctx;

	stage_pass(st, r);
	g->last = facts_of(g, rec_get(r, COL_src));
	g->last->any = true;
	g->head = NULL;
	row->add(g->last, r);
}

static void
see_whatif(struct stage *st, struct rec *r)
{
	struct advise_reader *g = st->ctx;

	stage_pass(st, r);
	add_whatif(facts_of(g, rec_get(r, COL_src)), r);
}

/* Of all ranks, so that it comes after what they have: the rank that the others
 * waited for is a fact of each file. */
static void
see_skew(struct stage *st, struct rec *r)
{
	struct advise_reader *g = st->ctx;
	struct mview late = rec_get(r, COL_slowest);
	int64_t ns;
	size_t i;
	struct facts *f;

	stage_pass(st, r);
	for (i = 0; i < g->names.n; i++) {
		f = g->file[i];
		if (rec_num_or(r, COL_n_rank, 0) < 2 || f->rank.len == 0 ||
		    g->names.n == 1)
			continue;
		f->ranked = true;
		if (late.s != NULL && rec_num(r, COL_wait_ns, &ns) && ns > 0 &&
		    advise_in_iter(f, r))
			tops_add(&f->late, late.s, late.n, ns, 0);
	}
}

static void
see_info(struct advise_reader *g, struct mview name, struct mview v)
{
	size_t i;

	if (mv_eq(name, "src")) {
		g->head = facts_of(g, v);
		return;
	}
	/* Lines before the first record can be those of a file, which comes
	 * first among them. These always describe the run of all files. */
	if (g->head != NULL && !mv_eq(name, "mode") && !mv_eq(name, "key_op") &&
	    !mv_eq(name, "key_op_found") && !mv_eq(name, "kernel_arch")) {
		add_info(g->head, name, v);
		return;
	}
	add_info(&g->info, name, v);
	for (i = 0; i < g->names.n; i++)
		add_info(g->file[i], name, v);
}

static void
see_meta(struct stage *st, struct rec *r)
{
	struct advise_reader *g = st->ctx;
	size_t wlen, rlen;
	const char *rest, *tab;
	const char *word = rec_meta(r, &wlen, &rest, &rlen);
	struct mview name, v;
	uint64_t *sum, n;
	uint32_t i;

	if (rest == NULL || (tab = memchr(rest, '\t', rlen)) == NULL)
		return;
	name = mv(rest, tab);
	v = mv(tab + 1, rest + rlen);
	if (text_is(word, wlen, "info")) {
		see_info(g, name, v);
	} else if (text_is(word, wlen, "note") && num_u64(v.s, v.n, &n)) {
		i = smap_put(&g->notes, name.s, name.n, NULL);
		sum = &g->notes.val[i];
		if (__builtin_add_overflow(*sum, n, sum))
			*sum = UINT64_MAX;
	}
}

static void
forget_files(struct advise_reader *g)
{
	size_t i;

	for (i = 0; i < g->names.n; i++) {
		facts_clear(g->file[i]);
		free(g->file[i]);
	}
	free(g->file);
	smap_free(&g->names);
	facts_clear(&g->info);
	g->file = NULL;
	g->last = g->head = NULL;
}

static void
forget_facts(struct stage *st)
{
	struct advise_reader *g = st->ctx;

	advise_ops_clear(&g->ops);
	smap_clear(&g->notes);
	forget_files(g);
}

static void
end_file(struct advise_reader *g, struct facts *f)
{
	int64_t lo = f->first_kern, hi = f->end_kern;
	struct device *d;

	f->notes = &g->notes;
	f->frameworks |= g->ops.frameworks;
	advise_ops_end(f);
	/* without iterations all time counts */
	for (d = f->dev; d < f->dev + f->n_dev && !f->in_steps; d++) {
		memcpy(d->busy, d->no_iter, sizeof(d->busy));
		d->in_steps = d->elsewhere;
	}
	if (f->any_kern) {
		f->span_ns = num_sub(hi, lo);
		f->over_ns = ivl_len_in(&f->over_time[OVER_PROFILER], lo, hi);
		f->load_ns = ivl_len_in(&f->over_time[OVER_LOAD], lo, hi);
	}
	g->done(g->arg, f);
}

/* The rank for which this one waited more than half of the time. */
static void
find_late_rank(const struct advise_reader *g, struct facts *f)
{
	size_t n, i;
	const char *s = tops_first(&f->late, &n);
	uint32_t at = s != NULL ? smap_find(&f->late.names, s, n) : SMAP_NONE;

	if (at == SMAP_NONE || f->late.v[at].ns <= f->late.all.ns / 2)
		return;
	for (i = 0; i < g->names.n; i++)
		if (text_is(s, n, buf_str(&g->file[i]->rank)))
			f->late_rank = g->file[i];
}

/* The files that have records, in the order of arrival; at least one. What
 * others wait for comes before them. */
static void
end_files(struct stage *st)
{
	struct advise_reader *g = st->ctx;
	struct facts *f;
	size_t i;
	int late;

	if (g->names.n == 0)
		(void)facts_of(g, (struct mview){ NULL, 0 });
	for (i = 0; i < g->names.n; i++)
		find_late_rank(g, g->file[i]);
	for (late = 1; late >= 0; late--)
		for (i = 0; i < g->names.n; i++) {
			f = g->file[i];
			if ((f->any || g->names.n == 1) &&
			    late == (f->late_rank == f))
				end_file(g, f);
		}
}

struct advise_reader *
advise_read(
    struct stage *st, bool all_devices, bool even, advise_done *done, void *arg)
{
	struct advise_reader *g = xcalloc(1, sizeof(*g));
	const struct advise_row *row;

	g->info.all_devices = all_devices;
	g->info.even = even;
	g->info.known = &g->ops;
	g->done = done;
	g->arg = arg;
	forget_files(g);
	advise_ops_read(st, &g->ops);
	for (row = rows; row < rows + ARRAY_LEN(rows); row++)
		stage_on(st, row->tags, see_record, .need = row->need,
		    .opt = row->opt, .arg = (void *)(uintptr_t)row);
	stage_on(st, "whatif", see_whatif,
	    .opt = "iter step_ns bare_ns predicted_ns change src");
	stage_on(st, "skew", see_skew, .opt = "iter n_rank slowest wait_ns");
	st->ctx = g;
	st->meta = see_meta;
	st->section = forget_facts;
	st->end = end_files;
	return g;
}

void
advise_read_free(struct advise_reader *g)
{
	forget_files(g);
	advise_ops_clear(&g->ops);
	smap_free(&g->notes);
	free(g);
}
