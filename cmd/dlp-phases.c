/*
 * dlp-phases: what the phases of each iteration take: forward, backward,
 * optimizer, data loading, on the CPU and the GPU.
 *
 * Only the rows of open iterations hold their intervals; of those that are over
 * the sums are kept, and written at the end of the section.
 *
 * A gap between two pieces of an iteration's work on a device belongs to the
 * phase whose work ends it; the time of the step before its first work and
 * after its last belongs to no phase. So the busy and the idle time of an
 * iteration's phases add up to the step's length on each device of the file,
 * where no two work at the same time.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "ivl.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "stage.h"
#include "tape.h"
#include "varint.h"
#include "workrec.h"

/* The numbers of a phase record, in its order. */
enum {
	CPU,
	API,
	GPU,
	GPU_SUM,
	IDLE, /* the devices idle before its work */
	N_KERN,
	N_GPU,
	THREAD,
	OP,
	GPU_START,
	GPU_END,
	N_NUMBERS
};

struct phase {                /* a row of an open iteration */
	struct mview word;    /* in phases.texts; s NULL: no phase */
	struct flat cpu, gpu; /* by process; by device */
	int64_t v[N_NUMBERS]; /* CPU and GPU are those of the unions */
	bool made;   /* by a record, not only for the rest of its step */
	bool worked; /* it has GPU_START and GPU_END */
};

struct phase_step {  /* an open iteration */
	uint32_t id; /* in phases.steps */
	uint32_t src;
	struct mview iter;
	struct phase **row; /* in the order in which they were made */
	int n, cap;
	int64_t len;   /* of the step, ns; below 0: unknown */
	int64_t begin; /* INT64_MIN: unknown; not later than that of the step */
};

/* An iteration that is over. */
struct kept_step {
	struct mview iter;
	uint32_t src;
	int64_t len, busy, idle;
};

struct kept_row {
	bool made, worked;
	struct mview word;
	int64_t v[N_NUMBERS];
};

struct phase_piece { /* of a step's work, to be sorted */
	int64_t dev, lo, hi;
	int row;
};

struct phases {                   /* of a section, but for the last */
	struct smap steps;        /* file and text of all iterations */
	struct phase_step **open; /* by number; NULL: it is over */
	size_t n_open, open_cap;
	struct phase_step *last; /* mostly the next one, too */
	struct smap texts;       /* of src and phases: they are few */
	struct smap devs;        /* file and number of all that have work */
	int64_t *n_dev;          /* how many those of a file are, by src + 1 */
	size_t n_src;
	bool has_steps; /* the lengths of some are known */
	uint64_t late;  /* iterations begun again after their end */
	struct phase_piece *piece;
	size_t n_piece, piece_cap;
	int piece_row;
	struct tape kept;     /* kept_step and its rows, as numbers */
	struct kept_row *row; /* of the iteration that ends or is written */
	size_t n_row, row_cap;
	struct buf key;
	struct out_src_type type;
	const struct rec_type *kern, *sync, *call, *range;
};

/* The key of a file and a text. */
static struct mview
pair_of(struct phases *p, uint32_t src, struct mview v)
{
	buf_clear(&p->key);
	buf_put(&p->key, (const char *)&src, sizeof(src));
	buf_put(&p->key, v.s, v.n);
	return (struct mview){ p->key.s, p->key.len };
}

static bool
same_text(struct mview a, struct mview b)
{
	return a.n == b.n && (a.s == NULL) == (b.s == NULL) &&
	       (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static struct phase_step *
step_of(struct phases *p, struct mview src_text, struct mview iter)
{
	uint32_t src = smap_put_view(&p->texts, src_text), id;
	struct phase_step *s = p->last;
	struct mview key;
	bool fresh;

	if (s != NULL && s->src == src && same_text(s->iter, iter))
		return s;
	key = pair_of(p, src, iter);
	id = smap_put(&p->steps, key.s, key.n, &fresh);
	if (fresh) {
		ARRAY_GROW(p->open, p->n_open, p->open_cap);
		p->open[p->n_open++] = NULL;
	}
	if (p->open[id] == NULL) {
		p->late += !fresh;
		s = p->open[id] = xcalloc(1, sizeof(*s));
		s->id = id;
		s->src = src;
		s->iter = iter;
		if (iter.s != NULL) /* the key's second part */
			s->iter.s = smap_str(&p->steps, id, NULL) + sizeof(src);
		s->len = -1;
		s->begin = INT64_MIN;
		s->begin = INT64_MIN;
	}
	return p->last = p->open[id];
}

/* The row of a phase, made if it is new. It is found one by one, because an
 * iteration has few phases. */
static struct phase *
row_of(struct phases *p, struct phase_step *s, struct mview word)
{
	struct phase *ph;
	int i;

	for (i = 0; i < s->n; i++)
		if (same_text(s->row[i]->word, word))
			return s->row[i];
	ph = xcalloc(1, sizeof(*ph));
	ph->word = smap_view(&p->texts, smap_put_view(&p->texts, word));
	ARRAY_GROW(s->row, s->n, s->cap);
	return s->row[s->n++] = ph;
}

static void
add_to(struct phase *ph, int number, int64_t ns)
{
	ph->v[number] = num_add(ph->v[number], ns);
}

static void
take_piece(void *ctx, int64_t dev, int64_t lo, int64_t hi)
{
	struct phases *p = ctx;

	ARRAY_GROW(p->piece, p->n_piece, p->piece_cap);
	p->piece[p->n_piece++] =
	    (struct phase_piece){ dev, lo, hi, p->piece_row };
}

static int
by_time(const void *a, const void *b)
{
	const struct phase_piece *x = a, *y = b;

	return CMP3(x, y, dev, lo, row);
}

/* When the devices idle in an iteration: adds up the gaps between the pieces of
 * its work, for the phases that end them, and the time of the pieces. Work can
 * come before the first step, which begins after that from before it. */
static void
add_gaps(struct phases *p, struct phase_step *s, struct kept_step *k)
{
	int64_t end = 0, gap;
	size_t i;

	p->n_piece = 0;
	for (p->piece_row = 0; p->piece_row < s->n; p->piece_row++)
		flat_each(&s->row[p->piece_row]->gpu, take_piece, p);
	if (p->n_piece > 0)
		qsort(p->piece, p->n_piece, sizeof(*p->piece), by_time);
	for (i = 0; i < p->n_piece; i++) {
		const struct phase_piece *x = &p->piece[i];

		if (i == 0 || x[-1].dev != x->dev)
			end = x->lo;
		end = x->lo >= s->begin && s->begin > end ? s->begin : end;
		gap = x->lo > end ? num_sub(x->lo, end) : 0;
		add_to(s->row[x->row], IDLE, gap);
		k->idle = num_add(k->idle, gap);
		end = x->lo > end ? x->lo : end;
		if (x->hi <= end)
			continue;
		k->busy = num_add(k->busy, num_sub(x->hi, end));
		end = x->hi;
	}
}

static void
step_free(struct phases *p, struct phase_step *s)
{
	int i;

	for (i = 0; i < s->n; i++) {
		flat_free(&s->row[i]->cpu);
		flat_free(&s->row[i]->gpu);
		free(s->row[i]);
	}
	if (p->last == s)
		p->last = NULL;
	p->open[s->id] = NULL;
	free(s->row);
	free(s);
}

static void
put_number(struct phases *p, int64_t v)
{
	char b[VARINT_MAX];

	tape_put(&p->kept, b, (size_t)(varint_put(b, varint_fold(v)) - b));
}

static int64_t
get_number(struct phases *p)
{
	uint64_t v;
	size_t n;
	const char *s = tape_at(&p->kept, VARINT_MAX, &n);

	tape_skip(&p->kept, (size_t)(varint_get(s, &v) - s));
	return varint_unfold(v);
}

static void
step_ends(struct phases *p, struct phase_step *s)
{
	struct kept_step k = { .src = s->src, .len = s->len };
	const struct phase *ph;
	int i, n;

	add_gaps(p, s, &k);
	put_number(p, s->iter.s != NULL ? (int64_t)s->id : -1);
	put_number(p, k.src);
	put_number(p, k.len);
	put_number(p, k.busy);
	put_number(p, k.idle);
	put_number(p, s->n);
	for (n = 0; n < s->n; n++) {
		ph = s->row[n];
		put_number(p, ph->made << 1 | ph->worked);
		put_number(p, smap_put_view(&p->texts, ph->word));
		for (i = 0; i < N_NUMBERS; i++)
			put_number(p, i == CPU   ? flat_len(&ph->cpu)
				      : i == GPU ? flat_len(&ph->gpu)
						 : ph->v[i]);
	}
	step_free(p, s);
}

/* Reads an iteration and its rows from the tape; false at its end. */
static bool
next_step(struct phases *p, struct kept_step *k)
{
	struct kept_row *r;
	int64_t id, how;
	size_t n;
	int i;

	(void)tape_at(&p->kept, 1, &n);
	if (n == 0)
		return false;
	*k = (struct kept_step){ 0 };
	id = get_number(p);
	if (id >= 0) { /* the key's second part */
		k->iter.s = smap_str(&p->steps, (uint32_t)id, &k->iter.n) +
			    sizeof(k->src);
		k->iter.n -= sizeof(k->src);
	}
	k->src = (uint32_t)get_number(p);
	k->len = get_number(p);
	k->busy = get_number(p);
	k->idle = get_number(p);
	for (p->n_row = 0, n = (size_t)get_number(p); n > 0; n--) {
		ARRAY_GROW(p->row, p->n_row, p->row_cap);
		r = &p->row[p->n_row++];
		how = get_number(p);
		r->made = how & 2;
		r->worked = how & 1;
		r->word = smap_view(&p->texts, (uint32_t)get_number(p));
		for (i = 0; i < N_NUMBERS; i++)
			r->v[i] = get_number(p);
	}
	return true;
}

static void
put_step(struct phases *p, const struct kept_step *s)
{
	static const char *const names[] = { "iter", "phase", "cpu_ns",
		"api_ns", "gpu_ns", "gpu_sum_ns", "idle_ns", "n_kern", "n_gpu",
		"thread_ns", "op_ns", "gpu_start_ns", "gpu_end_ns", "src" };
	struct mview src = smap_view(&p->texts, s->src);
	bool outside = s->iter.s == NULL;
	const uint32_t file = s->src + 1;
	int64_t rest = 0, idle, n_dev;
	const struct kept_row *r;
	int i;

	/* The time of the step that no piece of work ends, on all devices of
	 * the file. Work that begins before the step before has ended leaves
	 * less than nothing. */
	n_dev = file < p->n_src ? p->n_dev[file] : 0;
	if (s->len >= 0)
		rest =
		    num_sub(num_mul(n_dev, s->len), num_add(s->busy, s->idle));
	rest = rest > 0 ? rest : 0;

	for (r = p->row; r < p->row + p->n_row; r++) {
		idle = num_add(r->v[IDLE], r->word.s == NULL ? rest : 0);
		if (!r->made && idle <= 0)
			continue;
		out_rec_src(
		    &p->type, "phase", names, ARRAY_LEN(names), src.s != NULL);
		out_view(s->iter);
		out_view(r->word);
		for (i = 0; i < N_NUMBERS; i++)
			if (i == IDLE) /* outside of all steps nothing idles */
				out_opt(!p->has_steps || !outside, idle);
			else
				out_opt(i < GPU_START || r->worked, r->v[i]);
		if (src.s != NULL)
			out_view(src);
		out_end();
	}
}

static struct phase *
phase_of_rec(struct phases *p, const struct rec *r, const struct workrec *w)
{
	struct phase *ph =
	    row_of(p, step_of(p, w->src, w->iter), rec_get(r, COL_phase));

	ph->made = true;
	return ph;
}

static void
read_gpu_phase(struct stage *st, struct rec *r)
{
	struct phases *p = st->ctx;
	struct mview key;
	struct phase *ph;
	struct mview by = rec_get(r, COL_phase_by);
	struct workrec w;
	uint32_t src;
	bool fresh;
	int64_t ns;

	stage_pass(st, r);
	work_read(&w, r);
	ph = phase_of_rec(p, r, &w);
	if (w.has_api_dur) {
		flat_add(&ph->cpu, w.pid, w.api, w.api_end);
		add_to(ph, API, num_sub(w.api_end, w.api));
	}
	if (r->type == p->sync || !w.has_dur)
		return;
	ns = num_sub(w.end, w.start);
	if (!ph->worked || w.start < ph->v[GPU_START])
		ph->v[GPU_START] = w.start;
	if (!ph->worked || w.end > ph->v[GPU_END])
		ph->v[GPU_END] = w.end;
	ph->worked = true;
	flat_add(&ph->gpu, w.dev, w.start, w.end);
	add_to(ph, GPU_SUM, ns);
	ph->v[N_GPU]++;
	ph->v[N_KERN] += r->type == p->kern;
	src = smap_put_view(&p->texts, w.src);
	key = pair_of(
	    p, src, (struct mview){ (const char *)&w.dev, sizeof(w.dev) });
	smap_put(&p->devs, key.s, key.n, &fresh);
	src++; /* none is 0 */
	ARRAY_REACH(p->n_dev, p->n_src, src);
	p->n_dev[src] += fresh;
	/* work that its thread, or only its op, puts into the phase */
	if (mv_eq(by, "op"))
		add_to(ph, OP, ns);
	else if (mv_eq(by, "thread"))
		add_to(ph, THREAD, ns);
}

/* Ranges that name no phase take no part. */
static void
read_cpu_phase(struct stage *st, struct rec *r)
{
	struct phases *p = st->ctx;
	struct phase *ph;
	struct workrec w;

	stage_pass(st, r);
	if (r->type == p->range && rec_get(r, COL_phase).n == 0)
		return;
	work_read(&w, r);
	if (!w.has_dur)
		return;
	ph = phase_of_rec(p, r, &w);
	flat_add(&ph->cpu, w.pid, w.start, w.end);
	if (r->type == p->call)
		add_to(ph, API, num_sub(w.end, w.start));
}

/* An iteration is over; what its phases leave of its step idles. */
static void
read_step_length(struct stage *st, struct rec *r)
{
	const struct mview none = { NULL, 0 };
	struct phases *p = st->ctx;
	struct phase_step *s;
	struct workrec w;
	int64_t len, end;

	stage_pass(st, r);
	if (rec_get(r, COL_key).s == NULL || !rec_num(r, COL_step_ns, &len))
		return;
	s = step_of(p, rec_get(r, COL_src), rec_get(r, COL_iter));
	row_of(p, s, none);
	s->len = len;
	work_read(&w, r);
	end = rec_num_or(r, COL_gpu_end_ns, w.end);
	if (w.has_dur)
		s->begin = num_sub(end > w.end ? end : w.end, len);
	p->has_steps = true;
	step_ends(p, s);
}

#define PHASE_COLS "pid src iter"

static void
begin_phases(struct stage *st)
{
	struct phases *p = st->ctx;
	size_t i;

	for (i = 0; i < p->n_open; i++)
		if (p->open[i] != NULL)
			step_free(p, p->open[i]);
	free(p->open);
	free(p->piece);
	buf_free(&p->key);
	smap_free(&p->steps);
	smap_free(&p->texts);
	smap_free(&p->devs);
	free(p->n_dev);
	tape_free(&p->kept);
	free(p->row);
	*p = (struct phases){ .type = p->type,
		.kept = TAPE_NEW,
		.kern = p->kern,
		.sync = p->sync,
		.call = p->call,
		.range = p->range };
	flat_late = 0;
}

static void
finish_phases(struct stage *st)
{
	struct phases *p = st->ctx;
	struct kept_step s;
	size_t i;

	for (i = 0; i < p->n_open; i++)
		if (p->open[i] != NULL)
			step_ends(p, p->open[i]);
	tape_rewind(&p->kept);
	while (next_step(p, &s))
		put_step(p, &s);
	stage_note("phases_late", flat_late + p->late);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "phases_late", NULL };
	struct phases p = { .kept = TAPE_NEW };
	struct stage st;
	int rc;
	static const char need[] = "start_ns dur_ns phase",
			  gpu[] = PHASE_COLS
			  " phase_by dev api_start_ns api_dur_ns";

	stage_start(&st, "dlp-phases", NULL, argc, argv);
	st.ctx = &p;
	st.section = begin_phases;
	st.end = finish_phases;
	stage_on(
	    &st, "copy set graph", read_gpu_phase, .need = need, .opt = gpu);
	p.kern =
	    stage_on(&st, "kern", read_gpu_phase, .need = need, .opt = gpu);
	p.sync =
	    stage_on(&st, "sync", read_gpu_phase, .need = need, .opt = gpu);
	stage_on(&st, "inst", read_cpu_phase, .need = need, .opt = PHASE_COLS);
	p.call = stage_on(
	    &st, "call", read_cpu_phase, .need = need, .opt = PHASE_COLS);
	/* ranges of a database of dlprof have no phase of their own */
	p.range = stage_on(&st, "range", read_cpu_phase,
	    .need = "start_ns dur_ns", .opt = PHASE_COLS " phase");
	stage_on(&st, "iter", read_step_length,
	    .opt = "iter key step_ns start_ns dur_ns gpu_end_ns src");
	stage_anew(&st, notes);
	rc = stage_run(&st);
	begin_phases(&st);
	return out_finish(rc);
}
