/*
 * dlp-phases: what the phases of each iteration take: forward, backward,
 * optimizer, data loading, on the CPU and the GPU. Here are the options and
 * the records that are read.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "err.h"
#include "ivl.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "stage.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-phases [-u] [file]\n"
    "Adds phase records to a dlp stream: how much time the phases of each\n"
    "iteration take.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

/*
 * The rows of phases of a section: made, added to, and written at the end.
 *
 * A gap between two pieces of an iteration's work on a device belongs to the
 * phase whose work ends it; the time of the step before its first work and
 * after its last belongs to no phase. So the busy and the idle time of an
 * iteration's phases add up to the step's length on each device of the file,
 * where no two work at the same time.
 */

struct phase {
	const char *src, *iter, *word; /* escaped; NULL: unset */
	struct flat cpu, gpu;          /* by process; by device */
	struct phase_extent {
		int64_t dev, lo, hi;
	} * ext; /* of the GPU work, by device */
	size_t n_ext;
	int64_t api_ns, gpu_ns, thread_ns, op_ns;
	uint64_t n_kern, n_gpu;
	bool by_op; /* forward, known from ops only: if a range names another
		       forward phase, this one is no phase */
	bool ranged, gone;
	bool made;       /* by a record, not only for the rest of its step */
	int64_t idle_ns; /* the devices idle before work of it */
	uint32_t step;   /* its iteration: the place in phases.step */
	size_t next;     /* the next row of the iteration, + 1 */
};

struct phase_step {           /* an iteration */
	size_t first;         /* its newest row, + 1 */
	int64_t len;          /* of the step, ns; below 0: unknown */
	int64_t busy, idle;   /* ns, of all its work, and between */
	bool outside, summed; /* of no iteration; busy and idle are known */
};

struct phase_piece { /* of a row's work */
	int64_t dev, lo, hi;
	size_t row;
};

struct phases { /* zeroed */
	struct phase *v;
	size_t n, n_folded; /* the first n_folded rows are sums */
	size_t rest;        /* pieces that these had left when folded */
	struct smap keys, texts;
	struct buf key, last; /* last: the key of row last_row, as the same one
				 mostly comes again */
	uint32_t last_row;
	struct smap ranged; /* "src\tphase" that a range names */
	struct phase_step *step;
	struct smap steps; /* "src\titer"; the number in step */
	struct smap devs;  /* src, TAB, the number's bytes, of all work */
	bool has_steps;    /* the lengths of some are known */
	struct {           /* the pieces of a step, to be sorted */
		struct phase_piece *v;
		size_t n, cap, row;
	} sort;
	struct out_src_type type;
};

/* When the devices idle, for the phases of an iteration. */

/* In p->key, until the next row is looked for. */
static const struct buf *
two_part_key(struct phases *p, struct mview src, struct mview v)
{
	buf_clear(&p->key);
	buf_put(&p->key, src.s, src.s != NULL ? src.n : 0);
	buf_putc(&p->key, '\t');
	buf_put(&p->key, v.s, v.s != NULL ? v.n : 0);
	return &p->key;
}

static struct mview
view_of(const char *s)
{
	return (struct mview){ s, s != NULL ? strlen(s) : 0 };
}

static uint32_t
step_at(struct phases *p, const char *src, const char *iter)
{
	const struct buf *key = two_part_key(p, view_of(src), view_of(iter));
	bool fresh;
	uint32_t i = smap_put(&p->steps, key->s, key->len, &fresh);

	if (!fresh)
		return i;
	if ((i & (i - 1)) == 0) /* 0, 1, 2, 4, ... */
		p->step = xrealloc(
		    p->step, i > 0 ? 2 * (size_t)i : 1, sizeof(*p->step));
	p->step[i] = (struct phase_step){ .len = -1, .outside = iter == NULL };
	return i;
}

/* The row is new: to its iteration. */
static void
idle_row(struct phases *p, size_t row)
{
	struct phase *ph = &p->v[row];
	struct phase_step *s;

	ph->step = step_at(p, ph->src, ph->iter);
	s = &p->step[ph->step];
	ph->next = s->first;
	s->first = row + 1;
}

/* A device of a file has work. */
static void
phases_dev(struct phases *p, struct mview src, int64_t dev)
{
	struct mview bytes = { (const char *)&dev, sizeof(dev) };
	const struct buf *key = two_part_key(p, src, bytes);

	smap_put(&p->devs, key->s, key->len, NULL);
}

static void
take_piece(void *ctx, int64_t dev, int64_t lo, int64_t hi)
{
	struct phases *p = ctx;

	ARRAY_GROW(p->sort.v, p->sort.n, p->sort.cap);
	p->sort.v[p->sort.n++] =
	    (struct phase_piece){ dev, lo, hi, p->sort.row };
}

static int
by_time(const void *a, const void *b)
{
	const struct phase_piece *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Adds up the gaps of an iteration, once, before its pieces are forgotten. */
static void
idle_sum(struct phases *p, uint32_t step)
{
	struct phase_step *s = &p->step[step];
	int64_t end = 0, gap;
	size_t i;

	if (s->summed)
		return;
	s->summed = true;
	p->sort.n = 0;
	for (i = s->first; i > 0; i = p->v[i - 1].next) {
		p->sort.row = i - 1;
		flat_each(&p->v[i - 1].gpu, take_piece, p);
	}
	if (p->sort.n > 0)
		qsort(p->sort.v, p->sort.n, sizeof(*p->sort.v), by_time);
	for (i = 0; i < p->sort.n; i++) {
		const struct phase_piece *x = &p->sort.v[i];

		if (i == 0 || p->sort.v[i - 1].dev != x->dev)
			end = x->lo;
		gap = x->lo > end ? num_sub(x->lo, end) : 0;
		p->v[x->row].idle_ns = num_add(p->v[x->row].idle_ns, gap);
		s->idle = num_add(s->idle, gap);
		end = x->lo > end ? x->lo : end;
		if (x->hi <= end)
			continue;
		s->busy = num_add(s->busy, num_sub(x->hi, end));
		end = x->hi;
	}
}

/* The devices of the file that the row is of. */
static int64_t
n_devices(struct phases *p, const struct phase *ph)
{
	const struct buf *key =
	    two_part_key(p, view_of(ph->src), view_of(NULL));
	int64_t k = 0;
	const char *s;
	uint32_t i;
	size_t n;

	for (i = 0; i < p->devs.n; i++) {
		s = smap_str(&p->devs, i, &n);
		k += n > key->len && memcmp(s, key->s, key->len) == 0;
	}
	return k;
}

/* The same of all iterations, and the time that no piece of work ends. */
static void
idle_end(struct phases *p)
{
	struct phase *ph;
	struct phase_step *s;
	int64_t rest, n;
	size_t i;

	for (i = 0; i < p->steps.n; i++)
		idle_sum(p, (uint32_t)i);
	for (i = 0; i < p->n; i++) {
		ph = &p->v[i];
		s = &p->step[ph->step];
		if (ph->word != NULL || s->len < 0)
			continue;
		n = n_devices(p, ph);
		/* work that begins before the step before has ended leaves
		 * less than nothing */
		rest = num_sub(num_mul(n, s->len), num_add(s->busy, s->idle));
		if (rest > 0)
			ph->idle_ns = num_add(ph->idle_ns, rest);
	}
}

/* Outside of all steps nothing idles for a phase. */
static bool
idle_known(const struct phases *p, const struct phase *ph)
{
	return !p->has_steps || !p->step[ph->step].outside;
}

static void
idle_clear(struct phases *p)
{
	free(p->step);
	free(p->sort.v);
	smap_free(&p->steps);
	smap_free(&p->devs);
}

#define PIECES (512u * 1024) /* of all rows: 16 MB with room to grow */
#define NEW_ROWS 256         /* these keep theirs */

/* The pieces of rows become sums, the oldest first, to half of the bound. Each
 * row is visited once: what it then keeps, a piece per process and device,
 * counts no more. */
static void
shrink(struct phases *p)
{
	while (p->n_folded + NEW_ROWS < p->n &&
	       flat_pieces() > p->rest + PIECES / 2) {
		struct phase *ph = &p->v[p->n_folded++];

		idle_sum(p, ph->step);
		p->rest += flat_fold(&ph->cpu) + flat_fold(&ph->gpu);
	}
}

static const char *
keep_text(struct phases *p, struct mview v)
{
	if (v.s == NULL)
		return NULL;
	return smap_str(&p->texts, smap_put(&p->texts, v.s, v.n, NULL), NULL);
}

/* The number of a row; *fresh: there was none. */
static uint32_t
row_of(struct phases *p, struct mview src, struct mview iter, struct mview word,
    bool by_op, bool *fresh)
{
	struct buf *key = &p->key, last;

	buf_clear(key);
	buf_put(key, src.s, src.s != NULL ? src.n : 0);
	buf_putc(key, '\t');
	buf_put(key, iter.s, iter.s != NULL ? iter.n : 0);
	buf_putc(key, '\t');
	buf_put(key, word.s, word.s != NULL ? word.n : 0);
	buf_put(key, "\t", by_op);
	*fresh = false;
	if (key->len == p->last.len && memcmp(key->s, p->last.s, key->len) == 0)
		return p->last_row;
	p->last_row = smap_put(&p->keys, key->s, key->len, fresh);
	last = p->last;
	p->last = *key;
	*key = last;
	return p->last_row;
}

/* The phase's row; made if it is new. Holds until the next call. */
static struct phase *
phases_get(struct phases *p, struct mview src, struct mview iter,
    struct mview word, bool by_op)
{
	struct phase *ph;
	bool fresh;
	uint32_t i = row_of(p, src, iter, word, by_op, &fresh);

	if (!fresh) {
		p->v[i].made = true;
		return &p->v[i];
	}
	if (flat_pieces() > p->rest + PIECES)
		shrink(p);
	if ((p->n & (p->n - 1)) == 0) /* 0, 1, 2, 4, ... */
		p->v = xrealloc(p->v, p->n > 0 ? p->n * 2 : 1, sizeof(*p->v));
	ph = &p->v[p->n++];
	memset(ph, 0, sizeof(*ph));
	ph->src = keep_text(p, src);
	ph->iter = keep_text(p, iter);
	ph->word = keep_text(p, word);
	ph->by_op = by_op;
	ph->made = true;
	idle_row(p, p->n - 1);
	return ph;
}

/* An iteration has that length (ns): what its phases leave of it idles. */
static void
phases_step(struct phases *p, struct mview src, struct mview iter, int64_t len)
{
	struct mview none = { NULL, 0 };
	size_t n = p->n;
	struct phase *ph = phases_get(p, src, iter, none, false);

	if (p->n > n)
		ph->made = false;
	p->step[ph->step].len = len;
	p->has_steps = true;
}

static void
extend(struct phase *ph, int64_t dev, int64_t lo, int64_t hi)
{
	struct phase_extent *e;
	size_t i;

	for (i = 0; i < ph->n_ext; i++) {
		e = &ph->ext[i];
		if (e->dev != dev)
			continue;
		e->lo = lo < e->lo ? lo : e->lo;
		e->hi = hi > e->hi ? hi : e->hi;
		return;
	}
	ph->ext = xrealloc(ph->ext, ph->n_ext + 1, sizeof(*ph->ext));
	ph->ext[ph->n_ext++] = (struct phase_extent){ dev, lo, hi };
}

/* GPU work from lo to hi. */
static void
phase_gpu(struct phase *ph, int64_t dev, int64_t lo, int64_t hi)
{
	extend(ph, dev, lo, hi);
	flat_add(&ph->gpu, dev, lo, hi);
	ph->gpu_ns = num_add(ph->gpu_ns, num_sub(hi, lo));
	ph->n_gpu++;
}

static void
merge_rows(struct phase *to, struct phase *ph)
{
	size_t i;

	flat_join(&to->cpu, &ph->cpu);
	flat_join(&to->gpu, &ph->gpu);
	for (i = 0; i < ph->n_ext; i++)
		extend(to, ph->ext[i].dev, ph->ext[i].lo, ph->ext[i].hi);
	to->api_ns = num_add(to->api_ns, ph->api_ns);
	to->gpu_ns = num_add(to->gpu_ns, ph->gpu_ns);
	to->thread_ns = num_add(to->thread_ns, ph->thread_ns);
	to->op_ns = num_add(to->op_ns, ph->op_ns);
	to->idle_ns = num_add(to->idle_ns, ph->idle_ns);
	to->n_kern += ph->n_kern;
	to->n_gpu += ph->n_gpu;
	ph->gone = true;
}

/* In p->key, until the next row is looked for. */
static const struct buf *
ranged_key(struct phases *p, const struct phase *ph)
{
	buf_clear(&p->key);
	if (ph->src != NULL)
		buf_puts(&p->key, ph->src);
	buf_putc(&p->key, '\t');
	buf_puts(&p->key, ph->word);
	return &p->key;
}

/* A range names the phase. */
static void
phases_ranged(struct phases *p, struct phase *ph)
{
	const struct buf *key;

	if (ph->ranged)
		return;
	ph->ranged = true;
	key = ranged_key(p, ph);
	smap_put(&p->ranged, key->s, key->len, NULL);
}

/* Whether a range of the file names the phase. */
static bool
is_ranged(struct phases *p, const struct phase *ph)
{
	const struct buf *key = ranged_key(p, ph);

	return smap_find(&p->ranged, key->s, key->len) != SMAP_NONE;
}

/* Where ranges name a forward phase, work that only its op calls forward is of
 * no phase. */
static void
settle_row(struct phases *p, size_t i)
{
	struct mview none = { NULL, 0 }, src, iter, word;
	struct phase *ph = &p->v[i], *to;
	bool ranged = is_ranged(p, ph);

	src = (struct mview){ ph->src, ph->src ? strlen(ph->src) : 0 };
	iter = (struct mview){ ph->iter, ph->iter ? strlen(ph->iter) : 0 };
	word = (struct mview){ ph->word, strlen(ph->word) };
	to = phases_get(p, src, iter, ranged ? none : word, false);
	ph = &p->v[i];
	if (ranged)
		ph->op_ns = 0;
	merge_rows(to, ph);
}

static void
put_gpu_times(const struct phases *p, const struct phase *ph)
{
	int64_t gpu = flat_len(&ph->gpu), lo = 0, hi = 0;
	size_t i;

	for (i = 0; i < ph->n_ext; i++) {
		const struct phase_extent *e = &ph->ext[i];

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

static void
put_phase(struct phases *p, const struct phase *ph)
{
	static const char *const names[] = { "iter", "phase", "cpu_ns",
		"api_ns", "gpu_ns", "gpu_sum_ns", "idle_ns", "n_kern", "n_gpu",
		"thread_ns", "op_ns", "gpu_start_ns", "gpu_end_ns", "src" };

	out_rec_src(
	    &p->type, "phase", names, ARRAY_LEN(names), ph->src != NULL);
	out_word(ph->iter);
	out_word(ph->word);
	out_i64(flat_len(&ph->cpu));
	out_i64(ph->api_ns);
	put_gpu_times(p, ph);
	if (ph->src != NULL)
		out_word(ph->src);
	out_end();
}

/* writes the records and notes */
static void
phases_end(struct phases *p)
{
	size_t i;

	idle_end(p);
	for (i = 0; i < p->n; i++)
		if (p->v[i].by_op && !p->v[i].gone)
			settle_row(p, i);
	for (i = 0; i < p->n; i++)
		if (!p->v[i].gone && (p->v[i].made || p->v[i].idle_ns > 0))
			put_phase(p, &p->v[i]);
	stage_note("phases_late", flat_late);
}

/* frees all but the record's type */
static void
phases_clear(struct phases *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		flat_free(&p->v[i].cpu);
		flat_free(&p->v[i].gpu);
		free(p->v[i].ext);
	}
	free(p->v);
	buf_free(&p->key);
	buf_free(&p->last);
	smap_free(&p->keys);
	smap_free(&p->texts);
	smap_free(&p->ranged);
	idle_clear(p);
	*p = (struct phases){ .type = p->type };
	flat_late = 0;
}

struct phase_type {       /* of records */
	bool kern;        /* of GPU work */
	bool sync;        /* a wait for it */
	bool call, range; /* of the CPU */
	struct workrec_cols cols;
	struct rec_col *phase, *phase_by, *dir, *for_dir, *seq;
};

struct phase_input {
	struct phases phases;
	struct phase_type kern, copy, set, graph, sync, call, inst, range;
	struct rec_col *by; /* of op */
	bool xla;           /* its ops are in the section */
	struct {
		struct rec_col *iter, *key, *step, *src;
	} iter;
};

/* Where no range tells, the op's direction does: a backward op is known, and an
 * op that autograd numbered is forward, and one of XLA, whose optimizer has no
 * direction. */
static struct mview
phase_word(const struct phase_input *in, const struct phase_type *k,
    const struct rec *r, bool *by_op)
{
	static const struct mview fwd = { "forward", 7 },
				  bwd = { "backward", 8 };
	struct mview v = rec_view(r, k->phase), dir;

	*by_op = false;
	if (v.s != NULL)
		return v;
	dir = rec_view(r, k->dir);
	if (mv_eq(dir, "comm"))
		dir = rec_view(r, k->for_dir);
	*by_op = true;
	if (mv_eq(dir, "bprop"))
		return bwd;
	if (mv_eq(dir, "fprop") && (in->xla || rec_view(r, k->seq).s != NULL))
		return fwd;
	*by_op = false;
	return v;
}

static struct phase *
phase_of_rec(struct phase_input *in, const struct phase_type *k,
    const struct rec *r, const struct workrec *w, bool *by_op)
{
	struct mview word = phase_word(in, k, r, by_op);

	return phases_get(
	    &in->phases, w->src, w->iter, word, *by_op && word.s[0] == 'f');
}

/* Work that its thread, or only its op, puts into the phase. */
static void
count_guessed(const struct phase_type *k, const struct rec *r, struct phase *ph,
    bool by_op, int64_t ns)
{
	if (by_op)
		ph->op_ns = num_add(ph->op_ns, ns);
	else if (rec_is(r, k->phase_by, "thread"))
		ph->thread_ns = num_add(ph->thread_ns, ns);
}

static void
add_api_time(struct phase *ph, int64_t lo, int64_t hi)
{
	ph->api_ns = num_add(ph->api_ns, num_sub(hi, lo));
}

static void
read_gpu_phase(struct stage *st, struct rec *r)
{
	struct phase_input *in = st->ctx;
	const struct phase_type *k = rec_arg(r);
	struct phase *ph;
	struct workrec w;
	bool by_op;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	ph = phase_of_rec(in, k, r, &w, &by_op);
	if (w.has_api_dur) {
		flat_add(&ph->cpu, w.pid, w.api, w.api_end);
		add_api_time(ph, w.api, w.api_end);
	}
	if (k->sync || !w.has_dur)
		return;
	phase_gpu(ph, w.dev, w.start, w.end);
	phases_dev(&in->phases, w.src, w.dev);
	count_guessed(k, r, ph, by_op, num_sub(w.end, w.start));
	ph->n_kern += k->kern;
}

/* Ranges that name no phase take no part. */
static void
read_cpu_phase(struct stage *st, struct rec *r)
{
	struct phase_input *in = st->ctx;
	const struct phase_type *k = rec_arg(r);
	struct mview word = rec_view(r, k->phase);
	struct phase *ph;
	struct workrec w;
	bool by_op;

	stage_pass(st, r);
	if (k->range && (word.s == NULL || word.n == 0))
		return;
	workrec_read(&w, &k->cols, r);
	if (!w.has_dur)
		return;
	ph = phase_of_rec(in, k, r, &w, &by_op);
	if (k->range)
		phases_ranged(&in->phases, ph);
	flat_add(&ph->cpu, w.pid, w.start, w.end);
	if (k->call)
		add_api_time(ph, w.start, w.end);
}

static void
read_producer(struct stage *st, struct rec *r)
{
	struct phase_input *in = st->ctx;

	stage_pass(st, r);
	if (rec_is(r, in->by, "xla"))
		in->xla = true;
}

static void
read_step_length(struct stage *st, struct rec *r)
{
	struct phase_input *in = st->ctx;
	int64_t len;

	stage_pass(st, r);
	if (rec_view(r, in->iter.key).s != NULL &&
	    rec_i64(r, in->iter.step, &len))
		phases_step(&in->phases, rec_view(r, in->iter.src),
		    rec_view(r, in->iter.iter), len);
}

static void
listen_phase(
    struct stage *st, const char *tag, stage_fn *fn, struct phase_type *k)
{
	struct rec_type *t = stage_on(st, tag, fn, NULL, k);
	unsigned opt = WORKREC_PID | WORKREC_SRC | WORKREC_ITER;

	if (fn == read_gpu_phase)
		opt |= WORKREC_CALL | WORKREC_DEV;
	workrec_bind(&k->cols, t, WORKREC_SPAN, opt);
	k->phase = rec_col(t, "phase", REC_NEED);
	REC_COLS(t, REC_OPT, { &k->phase_by, "phase_by" }, { &k->dir, "dir" },
	    { &k->for_dir, "for_dir" }, { &k->seq, "seq" });
}

static void
listen_phases(struct stage *st, struct phase_input *in)
{
	struct rec_type *t;

	listen_phase(st, "kern", read_gpu_phase, &in->kern);
	listen_phase(st, "copy", read_gpu_phase, &in->copy);
	listen_phase(st, "set", read_gpu_phase, &in->set);
	listen_phase(st, "graph", read_gpu_phase, &in->graph);
	listen_phase(st, "sync", read_gpu_phase, &in->sync);
	listen_phase(st, "call", read_cpu_phase, &in->call);
	listen_phase(st, "inst", read_cpu_phase, &in->inst);
	listen_phase(st, "range", read_cpu_phase, &in->range);
	t = stage_on(st, "op", read_producer, NULL, NULL);
	in->by = rec_col(t, "by", REC_OPT);
	t = stage_on(st, "iter", read_step_length, NULL, NULL);
	REC_COLS(t, REC_OPT, { &in->iter.iter, "iter" },
	    { &in->iter.key, "key" }, { &in->iter.step, "step_ns" },
	    { &in->iter.src, "src" });
}

static void
begin_phases(struct stage *st)
{
	struct phase_input *in = st->ctx;

	phases_clear(&in->phases);
	in->xla = false;
}

static void
finish_phases(struct stage *st)
{
	struct phase_input *in = st->ctx;

	phases_end(&in->phases);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "phases_late", NULL };
	struct phase_input in = {
		.kern.kern = true,
		.sync.sync = true,
		.call.call = true,
		.range.range = true,
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-phases", usage, NULL, argc, argv);
	st.ctx = &in;
	st.section = begin_phases;
	st.end = finish_phases;
	listen_phases(&st, &in);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	phases_clear(&in.phases);
	return out_finish(rc);
}
