/*
 * dlp-phases: what the phases of each iteration take: forward, backward,
 * optimizer, data loading, on the CPU and the GPU. Here are the options and
 * the records that are read.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-phases/phases.h"
#include "err.h"
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

	return phases_row(
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
		phases_ranged(&in->phases, w.src, ph);
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
		.phases.done = TAPE_NEW,
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
