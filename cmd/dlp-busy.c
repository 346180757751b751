/*
 * dlp-busy: where the time of each iteration goes on each device: kernels,
 * copies, data loading, I/O, the CPU, and the rest. Here are the options and
 * the records that are read.
 */
#include "cli.h"
#include "num.h"
#include "stage.h"
#include "workrec.h"
#include "dlp-busy/busy.h"

static const char usage[] =
    "usage: dlp-busy [-Du] [file]\n"
    "Adds busy records to a dlp stream: where the time of each iteration\n"
    "goes on each device.\n"
    "  -D, --dlprof      measure as DLProf does: from time 0, and only\n"
    "                    fread and fwrite count as I/O\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct busy_type {             /* of records */
	enum busy_class class; /* of GPU work */
	struct workrec_cols cols;
	struct rec_col *api, *inst_id; /* the call's name; the run of its op */
	struct rec_col *tc;            /* kern */
	struct rec_col *text;          /* inst, range, os */
};

struct busy_input {
	struct busy_times busy;
	struct busy_type kern, copy, set, graph, sync, call, inst, range, os;
	struct {
		struct rec_col *dev, *src;
	} dev;
	struct {
		struct workrec_cols cols;
		struct rec_col *gpu_end;
	} iter;
	struct steps_cols cut;
};

static void
time_goes_on(struct busy_times *b, int64_t t)
{
	if (t > b->now)
		b->now = t;
}

/* A call on the CPU counts also where it is in no op. */
static void
add_api_call(struct busy_times *b, const struct busy_type *k,
    const struct rec *r, struct busy_file *f, const struct workrec *w)
{
	busy_event(b, f, w->api, w->api_end);
	busy_call(f, w->api, w->api_end, rec_view(r, k->api));
	if (w->api_end > w->api && rec_view(r, k->inst_id).s == NULL)
		busy_cpu(b, f, busy_proc(f, w->pid), w->api, w->api_end, C_CPU);
}

static enum busy_class
kern_class(struct busy_times *b, const struct busy_type *k, const struct rec *r)
{
	struct mview tc = rec_view(r, k->tc);

	*(tc.s == NULL ? &b->no_tc : &b->with_tc) += 1;
	return mv_eq(tc, "yes") ? C_TC : C_KERN;
}

static void
read_device_work(struct stage *st, struct rec *r)
{
	struct busy_times *b = &((struct busy_input *)st->ctx)->busy;
	const struct busy_type *k = rec_arg(r);
	enum busy_class c = k->class;
	struct busy_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	time_goes_on(b, w.has_api ? w.api : w.start);
	if (w.has_api)
		add_api_call(b, k, r, f, &w);
	if (c == C_KERN)
		c = kern_class(b, k, r);
	if (!w.has_dur || !w.has_dev)
		return;
	busy_event(b, f, w.start, w.end);
	busy_gpu(
	    b, f, busy_proc(f, w.pid), busy_dev(f, w.dev), w.start, w.end, c);
}

static void
read_wait_call(struct stage *st, struct rec *r)
{
	struct busy_times *b = &((struct busy_input *)st->ctx)->busy;
	const struct busy_type *k = rec_arg(r);
	struct busy_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	if (!w.has_api)
		return;
	time_goes_on(b, w.api);
	add_api_call(b, k, r, f, &w);
}

static void
read_api_call(struct stage *st, struct rec *r)
{
	struct busy_times *b = &((struct busy_input *)st->ctx)->busy;
	const struct busy_type *k = rec_arg(r);
	struct busy_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	if (!w.has_start)
		return;
	time_goes_on(b, w.start);
	w.api = w.start;
	w.api_end = w.end;
	add_api_call(b, k, r, f, &w);
}

static void
read_op_run(struct stage *st, struct rec *r)
{
	struct busy_times *b = &((struct busy_input *)st->ctx)->busy;
	const struct busy_type *k = rec_arg(r);
	struct mview op = rec_view(r, k->text);
	struct busy_file *f;
	struct busy_proc *p;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	if (!w.has_dur)
		return;
	p = busy_proc(f, w.pid);
	busy_event(b, f, w.start, w.end);
	busy_cpu(b, f, p, w.start, w.end, C_CPU);
	if (op.s != NULL && class_is_data(op.s, op.n))
		busy_cpu(b, f, p, w.start, w.end, C_DATA);
}

/* Ranges and calls of the operating system are known as they begin. */
static void
add_named_time(struct busy_times *b, const struct busy_type *k,
    const struct rec *r, enum busy_class c)
{
	struct busy_file *f;
	struct workrec w;

	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	if (w.has_dur)
		busy_cpu(b, f, busy_proc(f, w.pid), w.start, w.end, c);
}

static void
read_loader_range(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct mview text = rec_view(r, in->range.text);

	stage_pass(st, r);
	if (text.s != NULL && class_is_data(text.s, text.n))
		add_named_time(&in->busy, &in->range, r, C_DATA);
}

static void
read_os_call(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct mview name = rec_view(r, in->os.text);

	stage_pass(st, r);
	if (name.s != NULL && in->busy.mode->is_io(name.s, name.n))
		add_named_time(&in->busy, &in->os, r, C_IO);
}

static void
read_device(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	int64_t no;

	stage_pass(st, r);
	if (rec_i64(r, in->dev.dev, &no))
		busy_dev(busy_file(&in->busy, rec_view(r, in->dev.src)), no);
}

static void
read_busy_cut(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct busy_file *f = busy_file(&in->busy, rec_view(r, in->cut.src));
	const struct steps *s = &f->steps;
	bool dropped, in_loop = s->n > 0 && s->v[s->n - 1].where != STEPS_OUT;
	const struct steps_cut *c;

	stage_pass(st, r);
	c = steps_read(&f->steps, &in->cut, r, &dropped);
	if (c->where == STEPS_IN && !f->has_begin && c->at != INT64_MIN) {
		f->begin = c->at;
		f->has_begin = true;
	}
	if (dropped && in_loop) {
		f->stop = c->at;
		f->has_stop = true;
	}
}

static void
read_iter_end(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct busy_file *f;
	struct workrec w;
	int64_t end;

	stage_pass(st, r);
	workrec_read(&w, &in->iter.cols, r);
	f = busy_file(&in->busy, w.src);
	if (!w.has_dur)
		return;
	if (!f->has_end)
		f->end = f->work_end = INT64_MIN;
	if (w.end > f->end)
		f->end = w.end;
	end = rec_int(r, in->iter.gpu_end, INT64_MIN);
	if (end > f->work_end)
		f->work_end = end;
	f->has_end = true;
}

static void
begin_busy(struct stage *st)
{
	struct busy_input *in = st->ctx;

	busy_clear(&in->busy);
}

static void
finish_busy(struct stage *st)
{
	struct busy_input *in = st->ctx;

	busy_end(&in->busy, st->complete);
}

static struct rec_type *
listen_time(
    struct stage *st, const char *tag, stage_fn *fn, struct busy_type *k)
{
	struct rec_type *t = stage_on(st, tag, fn, NULL, k);

	workrec_bind(&k->cols, t, WORKREC_SPAN, WORKREC_PID | WORKREC_SRC);
	return t;
}

static void
listen_calls(struct stage *st, const char *tag, stage_fn *fn,
    struct busy_type *k, enum busy_class c)
{
	struct rec_type *t = stage_on(st, tag, fn, NULL, k);
	unsigned opt = WORKREC_PID | WORKREC_SRC;

	if (fn == read_device_work)
		opt |= WORKREC_DEV;
	if (fn != read_api_call)
		opt |= WORKREC_CALL;
	k->class = c;
	workrec_bind(&k->cols, t, WORKREC_SPAN, opt);
	REC_COLS(t, REC_OPT, { &k->api, "api" }, { &k->inst_id, "inst_id" },
	    { &k->tc, "tc" });
}

static void
listen_busy(struct stage *st, struct busy_input *in)
{
	struct rec_type *t;

	listen_calls(st, "kern", read_device_work, &in->kern, C_KERN);
	listen_calls(st, "copy", read_device_work, &in->copy, C_MEM);
	listen_calls(st, "set", read_device_work, &in->set, C_MEM);
	listen_calls(st, "graph", read_device_work, &in->graph, C_GRAPH);
	listen_calls(st, "sync", read_wait_call, &in->sync, C_OTHER);
	listen_calls(st, "call", read_api_call, &in->call, C_OTHER);
	t = listen_time(st, "inst", read_op_run, &in->inst);
	in->inst.text = rec_col(t, "op", REC_OPT);
	t = listen_time(st, "range", read_loader_range, &in->range);
	in->range.text = rec_col(t, "text", REC_OPT);
	t = listen_time(st, "os", read_os_call, &in->os);
	in->os.text = rec_col(t, "name", REC_OPT);
	t = stage_on(st, "dev", read_device, NULL, NULL);
	REC_COLS(t, REC_OPT, { &in->dev.dev, "dev" }, { &in->dev.src, "src" });
	steps_bind(&in->cut, stage_on(st, "cut", read_busy_cut, NULL, NULL));
	t = stage_on(st, "iter", read_iter_end, NULL, NULL);
	workrec_bind(&in->iter.cols, t, WORKREC_SPAN, WORKREC_SRC);
	in->iter.gpu_end = rec_col(t, "gpu_end_ns", REC_OPT);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "busy_without_tc", "busy_late_ns",
		NULL };
	struct busy_input in = { 0 };
	bool dlprof = false;
	const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &dlprof },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-busy", usage, opts, argc, argv);
	in.busy.mode = dlprof ? &busy_dlprof : &busy_own;
	st.ctx = &in;
	st.section = begin_busy;
	st.end = finish_busy;
	listen_busy(&st, &in);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	busy_clear(&in.busy);
	return out_finish(rc);
}
