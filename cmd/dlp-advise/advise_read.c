/*
 * Turns records into facts: the table of record types, the files of a section
 * (by column src), and the functions that add a record to its file's facts,
 * except those of advise_calls.c, advise_ops.c and advise_work.c.
 */
#include <stdlib.h>
#include <string.h>

#include "advise_read.h"
#include "array.h"
#include "err.h"
#include "num.h"

enum { GAP_CLASS, GAP_WHAT, GAP_OP, GAP_LAYER, GAP_PHASE };

struct advise_row {
	const char *tag;
	advise_fact *add;   /* adds a record to the facts of its file */
	unsigned need, opt; /* columns of workrec.h; src is always included */
	int n_need;         /* number of the first names that are required */
	const char *name[ADVISE_COLS];
};

static void
add_device(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	struct device *d;
	int64_t no;
	double cc;

	if (!rec_i64(r, t->at.dev, &no))
		return;
	d = facts_dev(f, no);
	d->visible = true;
	rec_i64(r, t->col[1], &d->n_sm);
	rec_i64(r, t->col[2], &d->mem_total);
	if (rec_f64(r, t->col[0], &cc))
		d->cc10 = (int64_t)(cc * 10 + 0.5);
}

static void
add_iteration(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t no, dur, step;
	size_t n;
	const char *key = rec_raw(r, t->col[0], &n);

	f->has_key |= key != NULL;
	if (f->step_key.len == 0 && key != NULL) {
		while (n > 0 && ((key[n - 1] >= '0' && key[n - 1] <= '9') ||
				    key[n - 1] == ' '))
			n--;
		buf_put(&f->step_key, key, n);
	}
	if (!advise_iter(f, r, t->at.iter, &no) || !rec_dur(r, t->at.dur, &dur))
		return;
	if (!rec_i64(r, t->col[1], &step))
		step = dur;
	ARRAY_GROW(f->iter, f->n_iter, f->cap_iter);
	f->iter[f->n_iter++] =
	    (struct facts_iter){ no, f->all_devices ? dur : step };
}

/* A step's share of the time with communication. Its kernels may run in the
 * time of the step before, which a sum of its kernels would count to it. */
static void
add_busy_comm(struct device *d, bool counts, int64_t bare, int64_t all)
{
	struct facts_comm *c = counts ? &d->in_steps : &d->elsewhere;

	d->has_comm = true;
	c->bare = num_add(c->bare, bare);
	c->all = num_add(c->all, all);
}

static void
add_busy(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dev, dur, in, all;
	size_t n;
	const char *s = rec_raw(r, t->col[0], &n);
	bool counts;
	int i;

	if (f->no_times || !rec_i64(r, t->at.dev, &dev) ||
	    !rec_dur(r, t->at.dur, &dur))
		return;
	f->has_busy = true;
	counts = advise_iter(f, r, t->at.iter, &in) ||
		 advise_iter(f, r, t->col[1], &in);
	f->in_steps |= counts;
	if (text_is(s, n, "comm")) { /* kernels, too */
		if (rec_dur(r, t->col[2], &all))
			add_busy_comm(facts_dev(f, dev), counts, dur, all);
		s = busy_words[B_KERN];
		n = strlen(s);
	}
	for (i = 0; i < N_BUSY; i++)
		if (text_is(s, n, busy_words[i])) {
			struct device *d = facts_dev(f, dev);
			int64_t *sum = counts ? d->busy : d->no_iter;

			d->used |= i <= B_MEM && dur > 0;
			sum[i] = num_add(sum[i], dur);
		}
}

/* Without iterations all time counts. */
static void
end_busy(struct facts *f)
{
	size_t i;

	for (i = 0; i < f->n_dev && !f->in_steps; i++) {
		memcpy(
		    f->dev[i].busy, f->dev[i].no_iter, sizeof(f->dev[i].busy));
		f->dev[i].in_steps = f->dev[i].elsewhere;
	}
}

static void
add_cut(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t v;

	f->has_cuts = true;
	if (advise_iter(f, r, t->at.iter, &v))
		f->counts = true;
	else if (rec_i64(r, t->at.iter, &v) || rec_i64(r, t->col[0], &v))
		f->counts = false;
}

/* --even: if no step is even, all are judged. */
static void
add_stable(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	if (f->even)
		f->even_known = rec_i64(r, t->col[0], &f->even_from) &&
				rec_i64(r, t->col[1], &f->even_to);
	f->slow = (struct facts_slow){ .most = -1 };
	rec_i64(r, t->col[2], &f->slow.n_step);
	rec_i64(r, t->col[3], &f->slow.n);
	rec_i64(r, t->col[4], &f->slow.ns);
	rec_i64(r, t->col[5], &f->slow.of_ns);
	rec_i64(r, t->col[6], &f->slow.most);
}

/* Where the program was: its longest activity in the gap, and the op and the
 * range of the work that ends it. */
static void
add_gap_in(struct facts *f, struct tops *to, const struct advise_type *t,
    const struct rec *r, int64_t dur)
{
	struct buf *b = &f->gap_in_text;
	struct mview what = rec_view(r, t->col[GAP_WHAT]);
	struct mview op = rec_view(r, t->col[GAP_OP]);
	struct mview layer = rec_view(r, t->col[GAP_LAYER]);

	buf_clear(b);
	if (what.s != NULL)
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
	if (b->len > 0)
		tops_add(to, b->s, b->len, dur, 0);
}

static void
add_launch_gap(struct facts *f, const struct advise_type *t,
    const struct rec *r, int64_t dur)
{
	struct mview op = rec_view(r, t->col[GAP_OP]);

	if (mv_eq(rec_view(r, t->col[GAP_PHASE]), "optimizer"))
		f->opt_idle_ns = num_add(f->opt_idle_ns, dur);
	if (mv_has(op, "softmax"))
		f->softmax_idle_ns = num_add(f->softmax_idle_ns, dur);
}

/* Only time in steps counts, as in dlp gaps, which cuts gaps at the starts and
 * ends of steps. */
static void
add_gap(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t dur;
	size_t n;
	const char *s = rec_raw(r, t->col[GAP_CLASS], &n);
	int i;

	if (f->no_times)
		return;
	f->has_gaps = true;
	if (!advise_in_iter(f, t, r) || !rec_dur(r, t->at.dur, &dur))
		return;
	for (i = 0; i < N_GAP; i++)
		if (text_is(s, n, gap_words[i])) {
			f->gap_ns[i] = num_add(f->gap_ns[i], dur);
			add_gap_in(f, &f->gap_in[i], t, r, dur);
			if (i == G_LAUNCH)
				add_launch_gap(f, t, r, dur);
		}
}

/* The memory in use, by its address: a process has its own addresses. */
static struct map *
live_memory(struct facts *f, int64_t pid, int64_t dev)
{
	bool is_new;
	uint32_t i = smap_put_pair(&f->live_at, pid, dev, &is_new);

	if (is_new) {
		f->live = xrealloc(f->live, f->live_at.n, sizeof(*f->live));
		memset(&f->live[i], 0, sizeof(*f->live));
	}
	return &f->live[i];
}

static void
add_memory(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t no = 0, bytes = 0, addr = 0;
	size_t n, kl;
	const char *op = rec_raw(r, t->col[0], &n);
	const char *kind = rec_raw(r, t->col[3], &kl);
	struct device *d;
	struct map *live;
	uint64_t *v;

	if (op == NULL || !(kind == NULL || text_is(kind, kl, "device")) ||
	    !rec_i64(r, t->col[2], &addr))
		return;
	rec_i64(r, t->at.dev, &no);
	rec_i64(r, t->col[1], &bytes);
	d = facts_dev(f, no);
	f->n_mem++;
	live = live_memory(f, rec_int(r, t->at.pid, -1), no);
	if (text_is(op, n, "alloc")) {
		*map_put(live, (uint64_t)addr, NULL) = (uint64_t)bytes;
		d->mem_live = num_add(d->mem_live, bytes);
		if (d->mem_live > d->mem_peak)
			d->mem_peak = d->mem_live;
	} else if ((v = map_get(live, (uint64_t)addr)) != NULL) {
		d->mem_live = num_sub(d->mem_live, (int64_t)*v);
		map_del(live, (uint64_t)addr);
	}
}

static void
add_overhead(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	int64_t start, dur;
	size_t n;
	const char *s = rec_raw(r, t->col[0], &n);
	enum over o = t->col[0]->pos < 0 ? OVER_PROFILER : over_of(s, n);

	if (!rec_i64(r, t->at.start, &start) || !rec_dur(r, t->at.dur, &dur))
		return;
	if (o == OVER_QUEUE && advise_in_iter(f, t, r))
		tops_add(&f->queue_full, s, n, dur, 0);
	else if (o < N_OVER && f->over_time[o].n < ADVISE_PIECES)
		ivl_add(&f->over_time[o], start, num_add(start, dur));
}

/* A rank's communication in an iteration, by dlp-ranks. */
static void
add_rank(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	size_t n;
	const char *s = rec_raw(r, t->col[0], &n);
	int64_t ns;

	if (s != NULL && f->rank.len == 0)
		buf_put(&f->rank, s, n);
	if (advise_in_iter(f, t, r) && rec_i64(r, t->col[1], &ns))
		f->rank_wait = num_add(f->rank_wait, ns);
}

/* Words in the recorder's messages about events that it lost. */
static void
add_message(struct facts *f, const struct advise_type *t, const struct rec *r)
{
	static const char *const words[] = { "lost", "dropped", "discard",
		"overflow", "buffer is full" };
	size_t n, sl, i, k;
	const char *s = rec_raw(r, t->col[1], &n);
	const char *sev = rec_raw(r, t->col[0], &sl);

	if (s == NULL || text_is(sev, sl, "info"))
		return;
	for (i = 0; i < ARRAY_LEN(words); i++)
		for (k = 0; k + strlen(words[i]) <= n; k++)
			if (text_starts(s + k, n - k, words[i])) {
				tops_add(&f->lost, s, n, 0, 0);
				return;
			}
}

static int64_t
read_setting(const char *s, size_t n)
{
	int64_t v;

	if (text_is(s, n, "true") || text_is(s, n, "True"))
		return 1;
	if (text_is(s, n, "false") || text_is(s, n, "False"))
		return 0;
	return num_i64(s, n, &v) ? v : -1;
}

static void
add_info(struct facts *f, const char *name, size_t len, const char *v, size_t n)
{
	static const char *const model[N_MODEL] = { "model_num_workers",
		"model_cudnn_benchmark_disabled", "model_detect_anomaly",
		"model_gradcheck", "model_gradgradcheck",
		"model_autograd_profile", "model_autograd_set_detect_anomaly",
		"model_record_function", "model_emit_nvtx" };
	int i;

	for (i = 0; i < N_MODEL; i++)
		if (text_is(name, len, model[i]))
			f->model[i] = read_setting(v, n);
	f->no_times |= text_is(name, len, "times");
	maker_info(&f->maker, mv(name, name + len), mv(v, v + n));
	if (text_is(name, len, "mode") && n < sizeof(f->mode)) {
		memcpy(f->mode, v, n);
		f->mode[n] = '\0';
	} else if (text_is(name, len, "profiler_options") &&
		   n < sizeof(f->options)) {
		memcpy(f->options, v, n);
		f->options[n] = '\0';
	} else if (text_is(name, len, "framework")) {
		f->named_framework = true;
	} else if (text_is(name, len, "key_op")) {
		buf_clear(&f->key);
		buf_put(&f->key, v, n);
	} else if (text_is(name, len, "key_op_found")) {
		f->key_found = text_is(v, n, "yes");
	} else if (text_is(name, len, "kernel_arch")) {
		num_i64(v, n, &f->kernel_arch);
	} else if (text_is(name, len, "marker_ns")) {
		num_i64(v, n, &f->marker_ns);
	} else if (text_is(name, len, "gpu_mem_total_bytes")) {
		num_i64(v, n, &f->mem_total);
	} else if (text_is(name, len, "gpu_mem_used_bytes")) {
		num_i64(v, n, &f->mem_used);
	}
}

static const struct advise_row rows[] = {
	{ "kern", add_kernel, WORKREC_SPAN,
	    WORKREC_CALL | WORKREC_DEV | WORKREC_ITER, 0,
	    { "api", "op_id", "inst_id", "short", "grid", "op", "tc",
		"tc_eligible", "tc_why", "dtype", "layer", "phase", "family",
		"node", "dir", "prim_id", "bytes", "name_id" } },
	{ "copy", add_copy, 0,
	    WORKREC_SPAN | WORKREC_CALL | WORKREC_DEV | WORKREC_ITER, 0,
	    { "api", "op", "layer", "kind", "bytes", "src_mem", "dst_mem" } },
	{ "set", add_set, 0,
	    WORKREC_SPAN | WORKREC_CALL | WORKREC_DEV | WORKREC_ITER, 0,
	    { "api", "op", "layer" } },
	{ "sync", add_sync, 0, WORKREC_CALL | WORKREC_ITER, 0,
	    { "api", "op", "layer" } },
	{ "call", add_call, 0, WORKREC_SPAN | WORKREC_ITER, 0,
	    { "api", "op", "layer" } },
	{ "graph", add_graph, 0, WORKREC_SPAN | WORKREC_DEV | WORKREC_ITER, 0,
	    { NULL } },
	{ "inst", add_inst, 0, WORKREC_DUR | WORKREC_ITER, 1, { "op_id" } },
	{ "iter", add_iteration, WORKREC_ITER | WORKREC_DUR, 0, 0,
	    { "key", "step_ns" } },
	{ "dev", add_device, WORKREC_DEV, 0, 0, { "cc", "n_sm", "mem_bytes" } },
	{ "busy", add_busy, WORKREC_DEV | WORKREC_DUR, WORKREC_ITER, 1,
	    { "class", "after", "union_ns" } },
	{ "stable", add_stable, 0, 0, 0,
	    { "from", "to", "n", "n_slow", "slow_ns", "slow_of_ns",
		"slowest" } },
	{ "cut", add_cut, 0, WORKREC_ITER, 0, { "dropped" } },
	{ "gap", add_gap, 0, WORKREC_DUR | WORKREC_ITER, 0,
	    { "class", "what", "op", "layer", "phase" } },
	{ "mem", add_memory, 0, WORKREC_DEV | WORKREC_PID, 0,
	    { "op", "bytes", "addr", "kind" } },
	{ "over", add_overhead, 0, WORKREC_SPAN | WORKREC_ITER, 0, { "name" } },
	{ "diag", add_message, 0, 0, 0, { "severity", "text" } },
	{ "comm", add_rank, 0, WORKREC_ITER, 0, { "rank", "wait_ns" } },
};

struct advise_reader {
	struct advise_type type[ARRAY_LEN(rows)];
	struct advise_ops ops;
	struct smap notes; /* of the section; val: their counts */
	struct smap names; /* of files -> the number of its facts in file */
	struct facts **file;
	struct facts info;   /* facts of ##info lines that apply to all files */
	struct facts *last;  /* of the last record */
	struct facts *head;  /* the facts that ##info lines belong to; NULL:
			      * all */
	struct advise_skew { /* how long ranks waited in an iteration */
		struct rec_col *iter, *n_rank, *slowest, *wait;
	} skew;
	advise_done *done;
	void *arg;
};

const struct advise_ops *
advise_ops_of(const struct advise_type *t)
{
	return &t->reader->ops;
}

/* A new file starts with the facts that ##info lines gave for all files. */
static struct facts *
new_file(const struct facts *all, const char *s, size_t n)
{
	struct facts *f = xcalloc(1, sizeof(*f));

	f->all_devices = all->all_devices;
	f->even = all->even;
	facts_clear(f);
	buf_put(&f->src, s, n);
	memcpy(f->mode, all->mode, sizeof(f->mode));
	memcpy(f->options, all->options, sizeof(f->options));
	memcpy(f->model, all->model, sizeof(f->model));
	buf_put(&f->key, all->key.s, all->key.len);
	f->key_found = all->key_found;
	f->kernel_arch = all->kernel_arch;
	f->maker = all->maker;
	f->no_times = all->no_times;
	f->marker_ns = all->marker_ns;
	f->mem_total = all->mem_total;
	f->mem_used = all->mem_used;
	return f;
}

/* A record without a name belongs to the only file. */
static struct facts *
facts_of(struct advise_reader *g, const char *s, size_t n)
{
	bool is_new;
	uint32_t i;

	if (s == NULL && g->names.n == 1)
		return g->file[0];
	if (s == NULL) {
		s = "";
		n = 0;
	}
	if (g->last != NULL && g->last->src.len == n &&
	    memcmp(buf_str(&g->last->src), s, n) == 0)
		return g->last;
	i = smap_put(&g->names, s, n, &is_new);
	if (is_new) {
		g->file = xrealloc(g->file, g->names.n, sizeof(struct facts *));
		g->file[i] = new_file(&g->info, s, n);
	}
	return g->file[i];
}

static void
see_record(struct stage *st, struct rec *r)
{
	const struct advise_type *t = rec_arg(r);
	struct advise_reader *g = t->reader;
	size_t n;
	const char *s = rec_raw(r, t->at.src, &n);

	stage_pass(st, r);
	g->last = facts_of(g, s, n);
	g->last->any = true;
	g->head = NULL;
	t->row->add(g->last, t, r);
}

/* Of all ranks, so that it comes after what they have: the rank that the others
 * waited for is a fact of each file. */
static void
see_skew(struct stage *st, struct rec *r)
{
	struct advise_reader *g = rec_arg(r);
	const struct advise_skew *k = &g->skew;
	int64_t ns, iter;
	size_t n, i;
	const char *s = rec_raw(r, k->slowest, &n);
	struct facts *f;

	stage_pass(st, r);
	for (i = 0; i < g->names.n && g->names.n > 1; i++) {
		f = g->file[i];
		if (rec_int(r, k->n_rank, 0) < 2 || f->rank.len == 0)
			continue;
		f->ranked = true;
		if (s != NULL && rec_i64(r, k->wait, &ns) && ns > 0 &&
		    (k->iter->pos < 0 || advise_iter(f, r, k->iter, &iter)))
			tops_add(&f->late, s, n, ns, 0);
	}
}

static void
bind_skew(struct stage *st, struct advise_reader *g)
{
	struct rec_type *x = stage_on(st, "skew", see_skew, NULL, g);

	REC_COLS(x, REC_OPT, { &g->skew.iter, "iter" },
	    { &g->skew.n_rank, "n_rank" }, { &g->skew.slowest, "slowest" },
	    { &g->skew.wait, "wait_ns" });
}

/* ##info lines before the first record can be those of a file, which comes
 * first among them. The names below always describe the run, so they apply to
 * all files. */
static bool
is_of_all(const char *name, size_t n)
{
	return text_is(name, n, "mode") || text_is(name, n, "key_op") ||
	       text_is(name, n, "key_op_found") ||
	       text_is(name, n, "kernel_arch");
}

static void
see_info(struct advise_reader *g, struct mview name, struct mview v)
{
	size_t i;

	if (mv_eq(name, "src")) {
		g->head = facts_of(g, v.s, v.n);
		return;
	}
	if (g->head != NULL && !is_of_all(name.s, name.n)) {
		add_info(g->head, name.s, name.n, v.s, v.n);
		return;
	}
	add_info(&g->info, name.s, name.n, v.s, v.n);
	for (i = 0; i < g->names.n; i++)
		add_info(g->file[i], name.s, name.n, v.s, v.n);
}

static void
add_note(struct advise_reader *g, struct mview name, struct mview count)
{
	uint64_t *sum, n;
	uint32_t i;

	if (!num_u64(count.s, count.n, &n))
		return;
	i = smap_put(&g->notes, name.s, name.n, NULL);
	sum = &g->notes.val[i];
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

static void
see_meta(struct stage *st, struct rec *r)
{
	struct advise_reader *g = st->ctx;
	size_t wlen, rlen;
	const char *rest, *tab;
	const char *word = rec_meta(r, &wlen, &rest, &rlen);
	struct mview name, v;

	if (rest == NULL || (tab = memchr(rest, '\t', rlen)) == NULL)
		return;
	name = (struct mview){ rest, (size_t)(tab - rest) };
	v = (struct mview){ tab + 1, rlen - name.n - 1 };
	if (text_is(word, wlen, "info"))
		see_info(g, name, v);
	else if (text_is(word, wlen, "note"))
		add_note(g, name, v);
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

	f->notes = &g->notes;
	f->frameworks |= g->ops.frameworks;
	advise_ops_end(f);
	end_busy(f);
	if (f->any_kern) {
		f->span_ns = num_sub(hi, lo);
		f->over_ns = ivl_len_in(&f->over_time[OVER_PROFILER], lo, hi);
		f->load_ns = ivl_len_in(&f->over_time[OVER_LOAD], lo, hi);
	}
	g->done(g->arg, f);
}

/* The files that have records, in the order of arrival; at least one. */
static void
end_files(struct stage *st)
{
	struct advise_reader *g = st->ctx;
	size_t i;

	if (g->names.n == 0)
		(void)facts_of(g, NULL, 0);
	for (i = 0; i < g->names.n; i++)
		if (g->file[i]->any || g->names.n == 1)
			end_file(g, g->file[i]);
}

static void
bind_row(struct stage *st, struct advise_type *t, const struct advise_row *row)
{
	struct rec_type *x = stage_on(st, row->tag, see_record, NULL, t);
	int i;

	t->row = row;
	workrec_bind(&t->at, x, row->need, row->opt | WORKREC_SRC);
	for (i = 0; i < ADVISE_COLS && row->name[i] != NULL; i++)
		t->col[i] = rec_col(
		    x, row->name[i], i < row->n_need ? REC_NEED : REC_OPT);
}

struct advise_reader *
advise_read(
    struct stage *st, bool all_devices, bool even, advise_done *done, void *arg)
{
	struct advise_reader *g = xcalloc(1, sizeof(*g));
	size_t i;

	g->info.all_devices = all_devices;
	g->info.even = even;
	g->done = done;
	g->arg = arg;
	forget_files(g);
	advise_ops_bind(st, &g->ops);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		g->type[i].reader = g;
		bind_row(st, &g->type[i], &rows[i]);
	}
	bind_skew(st, g);
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
	advise_ops_free(&g->ops);
	smap_free(&g->notes);
	free(g);
}
