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

static const char usage[] =
    "usage: dlp-dldb -o FILE [-ftuV] [--raw | --aggregate] [--domain NAME]"
    " [-S SIZE] [file]\n"
    "Writes a database of DLProf from a dlp stream; see dlp-dldb(1).\n"
    "  -o, --output FILE  the database\n"
    "  -f, --force        overwrite FILE if it exists\n"
    "  -t, --tee          pass the stream on\n"
    "      --raw          write only the raw half: all iterations\n"
    "      --aggregate    add the other half to the FILE that a dlp-dldb\n"
    "                     --raw earlier in the pipeline has written\n"
    "      --domain NAME  name of the domain (default-domain)\n"
    "      --set FACT=VALUE\n"
    "                     set a fact, such as command or profile_name,\n"
    "                     instead of the ##info line; with FACT?=VALUE\n"
    "                     only if there is no such line\n"
    "  -S, --memory SIZE  memory for sums by op and iteration, such as 64M; "
    "the\n"
    "                     rest goes to files in TMPDIR (default 256M)\n"
    "  -u, --unbuffered   write each record at once\n"
    "  -h, --help         this text\n"
    "  -V, --version      the version\n";

struct inst_cols { /* of runs of ops */
	struct rec_col *id, *op_id, *start, *dur, *pid, *tid, *iter, *v[5];
};

struct db_str_cols {
	struct rec_col *id, *text;
};

/* The run. One per process, because the functions that get options have no
 * argument for it. */
static struct dldb {
	struct db_halves d;
	struct db_cols work[K_N];
	struct inst_cols inst;
	struct db_str_cols str;
	bool raw, aggregate; /* --raw, --aggregate */
} dldb = { .d = { .domain = "default-domain", .memory = 256 << 20 } };

static const char *const work_tags[K_N] = { "kern", "copy", "set", "sync",
	"graph", "call" };

static void
read_api(struct db_work *w, const struct db_cols *c)
{
	if (w->kind == K_CALL) {
		w->has_api = w->own_call = true;
		w->api_start = w->start;
		w->api_dur = num_sub(w->end, w->start);
		return;
	}
	w->has_api = rec_i64(w->r, c->api_start, &w->api_start);
	if (!w->has_api)
		w->tid = -1;
	w->own_call = w->has_api && rec_dur(w->r, c->api_dur, &w->api_dur);
}

/* Reads a record of work; its op must have a record. */
static void
work_read(struct db_halves *d, struct db_work *w, const struct rec *r)
{
	const struct db_cols *c;
	enum db_kind kind;
	int64_t v;

	c = rec_arg(r);
	kind = c->kind;
	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->cols = c;
	w->r = r;
	if (!rec_i64(r, c->start, &w->start))
		rec_die(r, "a record without a start");
	w->end = rec_dur(r, c->dur, &v) ? num_add(w->start, v) : w->start;
	rec_i64(r, c->id, &w->id);
	if (rec_i64(r, c->op_id, &v)) {
		w->op = ops_find(d, v);
		if (w->op == NULL)
			rec_die(r, "op %lld has no record", (long long)v);
	}
	rec_i64(r, c->inst_id, &w->inst);
	w->pid = rec_int(r, c->pid, -1);
	w->tid = rec_int(r, c->tid, -1);
	w->iter = work_iter(r, c->iter);
	if (kind != K_CALL)
		w->dev = rec_int(r, c->dev, -1);
	if (kind == K_KERN) {
		w->tc = rec_is(r, c->tc, "yes");
		w->name = db_col_word(d, r, c->name);
	}
	read_api(w, c);
}

static void
work_on(struct stage *st, struct db_cols *c, enum db_kind k, stage_fn *fn)
{
	struct rec_type *t = stage_on(st, work_tags[k], fn, NULL, c);

	c->kind = k;
	REC_COLS(t, REC_NEED, { &c->id, "id" }, { &c->start, "start_ns" },
	    { &c->dur, "dur_ns" }, { &c->op_id, "op_id" },
	    { &c->inst_id, "inst_id" });
	REC_COLS(t, k == K_CALL ? REC_OPT : REC_NEED,
	    { &c->api_start, "api_start_ns" }, { &c->api_dur, "api_dur_ns" });
	c->tc = rec_col(t, "tc", k == K_KERN ? REC_NEED : REC_OPT);
	REC_COLS(t, REC_OPT, { &c->pid, "pid" }, { &c->tid, "tid" },
	    { &c->dev, "dev" }, { &c->api, "api" }, { &c->iter, "iter" },
	    { &c->name, "short" }, { &c->name_id, "name_id" },
	    { &c->grid, "grid" }, { &c->block, "block" },
	    { &c->bytes, "bytes" }, { &c->copy_kind, "kind" },
	    { &c->event, "event" });
}

static void
on_work(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_work w;

	work_read(d, &w, r);
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
	struct db_halves *d = st->ctx;
	const struct inst_cols *c = rec_arg(r);
	struct db_run u = { 0 };
	int64_t op;
	int i;

	if (!rec_i64(r, c->op_id, &op) || (u.op = ops_find(d, op)) == NULL)
		rec_die(r, "a run without its op");
	if (!rec_i64(r, c->id, &u.id) || !rec_i64(r, c->start, &u.start))
		rec_die(r, "a run without id or start");
	if (!rec_dur(r, c->dur, &u.dur))
		u.dur = -1;
	u.pid = rec_int(r, c->pid, -1);
	u.tid = rec_int(r, c->tid, -1);
	u.iter = work_iter(r, c->iter);
	for (i = 0; i < N_METRIC; i++)
		u.has[i] = rec_i64(r, c->v[i], &u.v[i]);
	if (d->raw)
		raw_run(d, &u);
	if (d->aggregate)
		agg_run(d, &u);
	stage_pass(st, r);
}

/* Strings: long names, mostly of kernels. */
static void
keep_str(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_str_cols *c = rec_arg(r);
	int64_t id;

	if (d->raw && rec_i64(r, c->id, &id))
		*map_put(&d->strs, (uint64_t)id, NULL) =
		    db_col_word(d, r, c->text);
	stage_pass(st, r);
}

static void
bind_inst(struct inst_cols *c, struct stage *st)
{
	static const char *const names[] = { "dur_ns", "gpu_ns", "api_ns",
		"overhead_ns", "idle_ns" };
	struct rec_type *t = stage_on(st, "inst", on_inst, NULL, c);
	int i;

	REC_COLS(t, REC_NEED, { &c->id, "inst_id" }, { &c->op_id, "op_id" },
	    { &c->start, "start_ns" }, { &c->dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &c->pid, "pid" }, { &c->tid, "tid" },
	    { &c->iter, "iter" });
	for (i = 0; i < N_METRIC; i++)
		c->v[i] = rec_col(t, names[i], REC_NEED);
}

/* Each record of work, each run and each string goes to the halves that are
 * written, and is passed on. */
static void
feed_start(struct dldb *a, struct stage *st)
{
	struct rec_type *t = stage_on(st, "str", keep_str, NULL, &a->str);
	int k;

	REC_COLS(t, REC_NEED, { &a->str.id, "id" }, { &a->str.text, "text" });
	for (k = 0; k < K_N; k++)
		if (a->d.raw || agg_wants((enum db_kind)k))
			work_on(st, &a->work[k], (enum db_kind)k, on_work);
	bind_inst(&a->inst, st);
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
	if (!d->raw)
		return;
	db_create(&d->db, d->path, d->force);
	d->open = true;
	ddl_tables(&d->db);
	ddl_views(&d->db);
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
put_notes(const struct db_halves *d)
{
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
write_raw(struct db_halves *d)
{
	raw_end(d);
	db_flush(&d->db); /* the facts query the memory events */
	facts_write(d);
	ddl_indices(&d->db, false);
}

static void
end_database(struct stage *st)
{
	struct db_halves *d = st->ctx;

	if (!st->complete) {
		if (d->open)
			db_drop(&d->db);
		return;
	}
	if (d->raw) {
		write_raw(d);
	} else {
		db_open(&d->db, d->path);
		ddl_no_indices(&d->db);
	}
	if (d->aggregate)
		sums_write(d);
	db_flush(&d->db);
	ddl_indices(&d->db, true);
	d->whole = true;
	/* the other half must have it before it reads the ##end */
	if (!d->aggregate)
		db_finish(&d->db);
	put_notes(d);
}

static void
set_memory(const char *arg)
{
	dldb.d.memory = cli_size("-S", arg);
}

static void
set_fact(const char *arg)
{
	if (!facts_set(&dldb.d, arg))
		die("--set: no FACT=VALUE: '%s'", arg);
}

static const struct cli_opt opts[] = {
	{ 'o', "output", .arg = &dldb.d.path },
	{ 'f', "force", .flag = &dldb.d.force },
	{ 't', "tee", .flag = &dldb.d.tee },
	{ 0, "raw", .flag = &dldb.raw },
	{ 0, "aggregate", .flag = &dldb.aggregate },
	{ 0, "domain", .arg = &dldb.d.domain },
	{ 0, "set", .call = set_fact },
	{ 'S', "memory", .call = set_memory },
	{ 0 },
};

static void
start(struct dldb *a, struct stage *st)
{
	struct db_halves *d = &a->d;

	st->ctx = d;
	ops_start(d, st);
	agg_start(d);
	feed_start(a, st);
	facts_start(d, st);
	raw_start(d, st);
	sums_start(d, st);
	st->section = begin_database;
	st->meta = take_meta;
	st->end = end_database;
}

int
main(int argc, char **argv)
{
	struct db_halves *d = &dldb.d;
	struct stage st;
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-dldb");
	d->facts = facts_new();
	unbuffered = cli_options(argc, argv, usage, opts);
	if (d->path == NULL)
		cli_usage(usage);
	if (dldb.raw && dldb.aggregate)
		die("--raw and --aggregate: only one of them");
	d->raw = !dldb.aggregate;
	d->aggregate = !dldb.raw;
	path = cli_operand(argc, argv, usage);
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (d->tee)
		stage_open(&st, argc, argv, path, unbuffered);
	else
		stage_open_sink(&st, path, unbuffered);
	start(&dldb, &st);
	rc = stage_run(&st);
	if (d->whole && d->aggregate && rc == EXIT_OK)
		db_finish(&d->db);
	ops_free(d);
	raw_free(d);
	agg_free(d);
	sums_free(d);
	return out_finish(rc);
}
