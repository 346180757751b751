/*
 * dlp-dldb: writes a stream as DLProf's own database. The raw half holds all
 * ops, runs, calls and GPU work; the aggregated half holds the sums that
 * earlier stages made over the selected iterations.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "cli.h"
#include "dlp-dldb/db.h"
#include "err.h"
#include "esc.h"

/* The run. One per process, because the functions that get options have no
 * argument for it. */
static struct db_halves halves = { .domain = "default-domain" };

static const char *work_tags[K_N] = { "kern", "copy", "set", "sync", "graph",
	"call" };

/* Reads a record of work; its op must have a record. */
static void
work_of(struct db_halves *d, struct db_work *w, const struct rec *r)
{
	int64_t v;

	memset(w, 0, sizeof(*w));
	w->kind = (enum db_kind)((const char **)rec_arg(r) - work_tags);
	w->r = r;
	if (!rec_num(r, COL_start_ns, &w->start))
		rec_die(r, "a record without a start");
	w->end =
	    rec_length(r, COL_dur_ns, &v) ? num_add(w->start, v) : w->start;
	rec_num(r, COL_id, &w->id);
	if (rec_num(r, COL_op_id, &v)) {
		w->op = ops_find(d, v);
		if (w->op == NULL)
			rec_die(r, "op %lld has no record", (long long)v);
	}
	rec_num(r, COL_inst_id, &w->inst);
	w->pid = rec_num_or(r, COL_pid, -1);
	w->tid = rec_num_or(r, COL_tid, -1);
	w->iter = work_iter(r);
	if (w->kind == K_CALL) {
		w->has_api = w->own_call = true;
		w->api_start = w->start;
		w->api_dur = num_sub(w->end, w->start);
		return;
	}
	w->dev = rec_num_or(r, COL_dev, -1);
	if (w->kind == K_KERN) {
		w->tc = mv_eq(rec_get(r, COL_tc), "yes");
		w->name = db_col_word(d, r, COL_short);
	}
	w->has_api = rec_num(r, COL_api_start_ns, &w->api_start);
	if (!w->has_api)
		w->tid = -1;
	w->own_call = w->has_api && rec_length(r, COL_api_dur_ns, &w->api_dur);
}

static void
on_work(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_work w;

	work_of(d, &w, r);
	if (w.op == NULL)
		d->n_no_op++;
	if (w.op != NULL && d->raw)
		raw_work(d, &w);
	if (w.op != NULL && d->aggregate)
		agg_work(d, &w);
	stage_pass(st, r);
}

static void
on_inst(struct stage *st, struct rec *r)
{
	static const int metrics[N_METRIC] = { COL_dur_ns, COL_gpu_ns,
		COL_api_ns, COL_overhead_ns, COL_idle_ns };
	struct db_halves *d = st->ctx;
	struct db_run u = { 0 };
	int64_t op;
	int i;

	if (!rec_num(r, COL_op_id, &op) || (u.op = ops_find(d, op)) == NULL)
		rec_die(r, "a run without its op");
	if (!rec_num(r, COL_inst_id, &u.id) ||
	    !rec_num(r, COL_start_ns, &u.start))
		rec_die(r, "a run without id or start");
	if (!rec_length(r, COL_dur_ns, &u.dur))
		u.dur = -1;
	u.pid = rec_num_or(r, COL_pid, -1);
	u.tid = rec_num_or(r, COL_tid, -1);
	u.iter = work_iter(r);
	for (i = 0; i < N_METRIC; i++)
		u.has[i] = rec_num(r, metrics[i], &u.v[i]);
	if (d->raw)
		raw_run(d, &u);
	if (d->aggregate)
		agg_run(&u);
	stage_pass(st, r);
}

/* Strings: long names, mostly of kernels. */
static void
on_str(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	int64_t id;

	if (d->raw && rec_num(r, COL_id, &id))
		*map_put(&d->strs, (uint64_t)id, NULL) =
		    db_col_word(d, r, COL_text);
	stage_pass(st, r);
}

/* True if s[0..n) is the name of the file. */
static bool
is_file(const char *s, size_t n, const struct stat *out)
{
	struct buf b = { 0 };
	struct stat st;
	bool is;

	esc_undo(&b, s, n);
	is = stat(buf_str(&b), &st) == 0 && st.st_dev == out->st_dev &&
	     st.st_ino == out->st_ino;
	buf_free(&b);
	return is;
}

/* A ##cmd line names the input, perhaps with blanks in the name. */
static void
check_input(const struct db_halves *d, const struct rec *r)
{
	const char *e = r->line + r->len, *s, *t;
	struct stat out;

	if (r->len < 6 || memcmp(r->line, "##cmd\t", 6) != 0 ||
	    stat(d->path, &out) != 0)
		return;
	for (s = r->line + 6; s < e; s++) {
		if (s[-1] != ' ')
			continue;
		for (t = s + 1; t <= e; t++)
			if ((t == e || *t == ' ') &&
			    is_file(s, (size_t)(t - s), &out))
				die("%s: the pipeline reads this file, so it"
				    " cannot write it",
				    d->path);
	}
}

static void
begin_database(struct stage *st)
{
	struct db_halves *d = st->ctx;

	if (d->any)
		die("more than one section: a database holds one");
	d->any = true;
	if (d->raw)
		db_begin(d);
}

static void
take_meta(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;

	if (d->raw)
		check_input(d, r);
	facts_meta(d, r);
}

static void
end_database(struct stage *st)
{
	struct db_halves *d = st->ctx;

	if (!st->complete) {
		if (d->db.sql != NULL)
			dbw_drop(&d->db);
		return;
	}
	if (d->raw) {
		raw_end(d);
		dbw_flush(&d->db); /* the facts query the memory events */
		facts_write(d);
		db_indices(d, false, false);
	} else
		db_again(d);
	if (d->aggregate)
		sums_write(d);
	dbw_flush(&d->db);
	db_indices(d, true, false);
	d->whole = true;
	/* the other half must have it before it reads the ##end */
	if (!d->aggregate)
		dbw_finish(&d->db);
	if (d->raw && d->n_no_op > 0)
		warn("%s: %llu records of work belong to no op: left out",
		    d->path, (unsigned long long)d->n_no_op);
	if (!d->tee)
		return;
	stage_note("dldb_work_without_op", d->raw ? d->n_no_op : 0);
	stage_note("dldb_graph_runs", d->n_graph);
	stage_note("dldb_work_without_call", d->n_no_call);
}

static void
set_fact(const char *arg)
{
	if (!facts_set(&halves, arg))
		die("--set: no FACT=VALUE: '%s'", arg);
}

static const struct cli_opt opts[] = {
	{ 'o', "output", .arg = &halves.path },
	{ 'f', "force", .flag = &halves.force },
	{ 't', "tee", .flag = &halves.tee },
	{ 0, "raw", .flag = &halves.raw },
	{ 0, "aggregate", .flag = &halves.aggregate },
	{ 0, "domain", .arg = &halves.domain },
	{ 0, "set", .call = set_fact },
	{ 'S', "memory", .call = cli_spill },
	{ 0 },
};

int
main(int argc, char **argv)
{
	struct db_halves *d = &halves;
	struct stage st;
	const char *path, *need;
	bool unbuffered, only_aggregate;
	int rc, k;

	cli_init("dlp-dldb");
	unbuffered = cli_options(argc, argv, opts);
	if (d->path == NULL)
		cli_usage();
	if (d->raw && d->aggregate)
		die("--raw and --aggregate: only one of them");
	only_aggregate = d->aggregate;
	d->aggregate = !d->raw;
	d->raw = !only_aggregate;
	path = cli_operand(argc, argv);
	if (d->tee)
		stage_open(&st, argc, argv, path, unbuffered);
	else
		stage_open_sink(&st, path, unbuffered);
	st.ctx = d;
	ops_start(&st);
	agg_start(d);
	/* Each record of work, each run and each string goes to the halves that
	 * are written, and is passed on. */
	stage_on(&st, "str", on_str, .need = "id text");
	for (k = 0; k < K_N; k++) {
		if (!d->raw && !agg_wants((enum db_kind)k))
			continue;
		need = "id start_ns dur_ns op_id inst_id api_start_ns "
		       "api_dur_ns tc";
		if (k == K_CALL)
			need = "id start_ns dur_ns op_id inst_id";
		else if (k != K_KERN)
			need = "id start_ns dur_ns op_id inst_id api_start_ns "
			       "api_dur_ns";
		stage_on(&st, work_tags[k], on_work, .need = need,
		    .opt = "pid tid dev api iter short name_id grid block bytes"
			   " kind event",
		    .arg = &work_tags[k]);
	}
	stage_on(&st, "inst", on_inst,
	    .need = "inst_id op_id start_ns dur_ns gpu_ns api_ns overhead_ns"
		    " idle_ns",
	    .opt = "pid tid iter");
	facts_start(&st);
	raw_start(d, &st);
	sums_start(d, &st);
	st.section = begin_database;
	st.meta = take_meta;
	st.end = end_database;
	rc = stage_run(&st);
	if (d->whole && d->aggregate && rc == EXIT_OK)
		dbw_finish(&d->db);
	return out_finish(rc);
}
