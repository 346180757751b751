/*
 * Reads PyProf's .dict call by call and writes its lines as records: the ranges
 * around the launch, and the kernel. Lines of one call of an op share their
 * ranges. A made-up clock gives each kernel its own time.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "emit.h"
#include "err.h"
#include "esc.h"
#include "infile.h"
#include "num.h"
#include "profile.h"
#include "pydict.h"
#include "pylit.h"
#include "schema.h"
#include "selection.h"
#include "sqldb.h"
#include "stage.h"

/*
 * Lines of a .dict with the profile's own times go to a temporary database of
 * ranges (r), nodes of graphs (n) and kernels (k), and from there to records in
 * the order of time. All failures are fatal.
 */

/* The columns of k. */
enum {
	K_T,
	K_PID,
	K_TID,
	K_IDX,
	K_START,
	K_DUR,
	K_API,
	K_API_DUR,
	K_DEV,
	K_STREAM,
	K_GRID,
	K_BLOCK = K_GRID + 3,
	K_NODE = K_BLOCK + 3,
	K_SHORT,
	K_NAME
};

/* A range is repeated in the lines of all kernels that were launched in it, a
 * graph node in those of all its replays. */
static const char own_schema[] =
    "CREATE TABLE r (pid, tid, t, e, text, UNIQUE (pid, tid, t, e, text));"
    "CREATE TABLE n (pid, tid, t, node, UNIQUE (pid, node));"
    "CREATE TABLE k (t, pid, tid, idx, start, dur, api, api_dur, dev, stream,"
    " g0, g1, g2, b0, b1, b2, node, short, name); BEGIN";
static const char put_r[] = "INSERT OR IGNORE INTO r VALUES (?,?,?,?,?)";
static const char put_n[] = "INSERT OR IGNORE INTO n VALUES (?,?,?,?)";
static const char put_k[] =
    "INSERT INTO k VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

static void
own_ok(sqlite3 *db, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		die("a temporary database: %s", sqlite3_errmsg(db));
}

static sqlite3_stmt *
own_statement(const struct dict_own *o, const char *sql)
{
	sqlite3_stmt *st;

	own_ok(o->db, sqlite3_prepare_v2(o->db, sql, -1, &st, NULL));
	return st;
}

/* Adds a row of n numbers and up to two texts after them. */
static void
insert_row(sqlite3_stmt *st, const int64_t *v, int n, const struct buf *a,
    const struct buf *b)
{
	sqlite3 *db = sqlite3_db_handle(st);
	const struct buf *const text[] = { a, b };
	int i;

	for (i = 0; i < n; i++)
		own_ok(db, v[i] == EV_UNSET
			       ? sqlite3_bind_null(st, i + 1)
			       : sqlite3_bind_int64(st, i + 1, v[i]));
	for (; i < n + 2 && text[i - n] != NULL; i++)
		own_ok(db, sqlite3_bind_blob64(st, i + 1,
			       text[i - n]->len > 0 ? text[i - n]->s : "",
			       text[i - n]->len, SQLITE_STATIC));
	own_ok(db, sqlite3_step(st));
	own_ok(db, sqlite3_reset(st));
}

static bool
next_num(struct pylit *l, int64_t *v)
{
	struct pl_atom a;

	*v = EV_UNSET;
	if (!pyrow_item(l, &a) || a.kind == PL_STR)
		return false;
	return a.kind == PL_WORD || num_i64(a.raw.s, a.raw.n, v);
}

static bool
next_text(struct pylit *l, struct buf *b)
{
	struct pl_atom a;

	buf_clear(b);
	if (!pyrow_item(l, &a) || a.kind != PL_STR)
		return false;
	pl_text(&a, b);
	return true;
}

/* START, END, TEXT of each range; PID, TID precede them if loose is set. */
static void
add_ranges(
    struct dict_own *o, struct pylit *l, int64_t pid, int64_t tid, bool loose)
{
	int64_t start, end;

	while ((!loose || (next_num(l, &pid) && next_num(l, &tid))) &&
	       next_num(l, &start) && next_num(l, &end) &&
	       next_text(l, &o->text))
		insert_row(o->range, (int64_t[]){ pid, tid, start, end }, 4,
		    &o->text, NULL);
}

/* Keeps a line that has these keys; false if 'dlp' does not have the form
 * above. */
static bool
dict_own_add(struct dict_own *o, const struct dict_line *d)
{
	int64_t idx, pid, start, api, api_dur, node = EV_UNSET, tid, t;
	struct pylit l, n;

	pyrow_list(&l, d->own);
	if (!next_num(&l, &idx) || !next_num(&l, &pid) ||
	    !next_num(&l, &start) || start == EV_UNSET || !next_num(&l, &api) ||
	    !next_num(&l, &api_dur) || !next_text(&l, &o->text))
		return false;
	if (o->db == NULL) {
		own_ok(NULL, sqldb_temp(&o->db));
		own_ok(
		    o->db, sqlite3_exec(o->db, own_schema, NULL, NULL, NULL));
		o->range = own_statement(o, put_r);
		o->kernel = own_statement(o, put_k);
		o->node = own_statement(o, put_n);
	}
	/* the graph node as which a kernel was captured: NODE, TID, TIME */
	if (d->node.s != NULL)
		pyrow_list(&n, d->node);
	if (d->node.s != NULL && next_num(&n, &node) && next_num(&n, &tid) &&
	    next_num(&n, &t))
		insert_row(
		    o->node, (int64_t[]){ pid, tid, t, node }, 4, NULL, NULL);
	else
		node = EV_UNSET;
	insert_row(o->kernel,
	    (int64_t[]){ api != EV_UNSET ? api : start, pid, d->tid, idx, start,
		d->dur, api, api_dur, d->dev, d->stream, d->grid[0], d->grid[1],
		d->grid[2], d->block[0], d->block[1], d->block[2], node },
	    K_SHORT, &o->text, &d->name);
	add_ranges(o, &l, pid, d->tid, false);
	pyrow_list(&l, d->ranges);
	add_ranges(o, &l, pid, d->tid, true);
	return true;
}

static int64_t
name_id(struct smap *names, sqlite3_stmt *st, int i)
{
	const char *s = sqlite3_column_blob(st, i);
	size_t n = (size_t)sqlite3_column_bytes(st, i);

	if (n == 0)
		return EV_UNSET;
	return (int64_t)smap_put(names, s, n, NULL);
}

/* In the order in which dlp-parse writes them: outer ranges before inner ones.
 */
enum { IS_RANGE, IS_NODE, IS_KERNEL };
static const char sorted[] =
    "SELECT t, 0 AS kind, -e AS o, rowid AS n, pid, tid, e, text FROM r "
    "UNION ALL SELECT t, 1, 0, rowid, pid, tid, node, NULL FROM n "
    "UNION ALL SELECT t, 2, 0, rowid, pid, tid, 0, NULL FROM k "
    "ORDER BY 1, 2, 3, 4";

/* A range of a thread, whose text its caller sets, or a graph node. */
static struct event
new_event(enum ev_kind kind, int64_t pid, int64_t tid, int64_t start)
{
	struct event ev = { .kind = kind,
		.start = start,
		.end = EV_UNSET,
		.pid = pid,
		.tid = tid,
		.corr = EV_UNSET,
		.name = EV_UNSET };

	if (kind == EV_RANGE)
		ev.range = (struct ev_range){
			.domain = "", .end_tid = EV_UNSET, .push = true
		};
	else if (kind == EV_NODE)
		ev.node.orig = EV_UNSET;
	else {
		ev.gpu.ctx = ev.gpu.node = ev.gpu.kern.mangled = EV_UNSET;
		ev.gpu.kern.regs = ev.gpu.kern.smem = EV_UNSET;
		ev.gpu.kern.dynsmem = EV_UNSET;
	}
	return ev;
}

static void
put_own_kernel(
    struct profile *p, sqlite3_stmt *st, struct smap *names, int64_t from)
{
	struct event ev = new_event(EV_KERN, db_i64(st, K_PID),
			 db_i64(st, K_TID), num_add(db_i64(st, K_START), from)),
		     call;
	int64_t api = db_i64(st, K_API), dur = db_i64(st, K_API_DUR);
	int i;

	ev.end = num_add(ev.start, db_i64(st, K_DUR));
	ev.gpu.node = db_i64(st, K_NODE);
	ev.name = name_id(names, st, K_NAME);
	ev.gpu.dev = db_i64(st, K_DEV);
	ev.gpu.stream = db_i64(st, K_STREAM);
	ev.gpu.kern.short_name = name_id(names, st, K_SHORT);
	for (i = 0; i < 3; i++) {
		ev.gpu.kern.grid[i] = db_i64(st, K_GRID + i);
		ev.gpu.kern.block[i] = db_i64(st, K_BLOCK + i);
	}
	ev.row = db_i64(st, K_IDX);
	if (api == EV_UNSET) {
		emit_gpu(p, &ev, NULL, true);
		return;
	}
	call = ev;
	call.kind = EV_CALL;
	call.start = num_add(api, from);
	call.end = dur != EV_UNSET ? num_add(call.start, dur) : EV_UNSET;
	call.name = EV_UNSET;
	emit_gpu(p, &ev, &call, false);
}

/* Writes everything in the order of time, `from` ns later; string ids are those
 * of names. Frees o. */
static void
dict_own_emit(
    struct dict_own *o, struct profile *p, struct smap *names, int64_t from)
{
	sqlite3_stmt *st, *k;
	struct event ev;
	int64_t kind;

	if (o->db == NULL)
		return;
	st = own_statement(o, sorted);
	k = own_statement(o, "SELECT * FROM k WHERE rowid = ?");
	while (sqlite3_step(st) == SQLITE_ROW) {
		kind = db_i64(st, 1);
		if (kind == IS_KERNEL) {
			own_ok(o->db, sqlite3_bind_int64(k, 1, db_i64(st, 3)));
			own_ok(o->db, sqlite3_step(k));
			put_own_kernel(p, k, names, from);
			own_ok(o->db, sqlite3_reset(k));
			continue;
		}
		ev = new_event(kind == IS_RANGE ? EV_RANGE : EV_NODE,
		    db_i64(st, 4), db_i64(st, 5), num_add(db_i64(st, 0), from));
		if (kind == IS_RANGE) {
			ev.end = num_add(db_i64(st, 6), from);
			ev.text = sqlite3_column_blob(st, 7);
			ev.text_len = (uint32_t)sqlite3_column_bytes(st, 7);
			if (ev.text == NULL)
				ev.text = "";
		} else {
			ev.end = ev.start;
			ev.node.node = db_i64(st, 6);
		}
		emit_event(p, &ev, 0);
	}
	sqlite3_finalize(k);
	sqlite3_finalize(st);
	sqlite3_finalize(o->range);
	sqlite3_finalize(o->kernel);
	sqlite3_finalize(o->node);
	own_ok(o->db, sqlite3_close(o->db));
	buf_free(&o->text);
}

#define DICT_RUN 4096 /* the most lines that are kept back */

static bool
same_text(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

/* The number of ranges, from the outermost, that two lines share. */
static int
common_ranges(const struct dict_line *a, const struct dict_line *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (!same_text(&a->path[i], &b->path[i]))
			break;
	return i;
}

/* True if the n ranges from `from` on have the same texts; both lines must have
 * them. */
static bool
same_part(const struct dict_line *a, const struct dict_line *b, int from, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!same_text(&a->path[from + i], &b->path[from + i]))
			return false;
	return true;
}

static bool
same_markers(const struct dict_line *a, const struct dict_line *b)
{
	return a->n_marker == b->n_marker &&
	       same_part(a, b, a->first_marker, a->n_marker);
}

/* True if a line continues in the ranges of the line before: with the same
 * outermost argument marker or, without one, in the same ranges. */
static bool
is_same_run(const struct dict_line *a, const struct dict_line *b)
{
	if (a->tid != b->tid || a->first_marker != b->first_marker ||
	    (a->n_marker > 0) != (b->n_marker > 0))
		return false;
	if (a->n_marker > 0)
		return same_part(a, b, 0, a->first_marker + 1);
	return a->n == b->n && common_ranges(a, b) == a->n;
}

/*
 * The number of lines, from the first of a run, that belong to one call. The
 * file does not mark where a call ends and the next one with the same arguments
 * begins. Calls that autograd tracks have a sequence id each. Other calls have
 * the id of their neighbours (shared); their next call begins where the first
 * kernel occurs again, except in functions that call different functions, and
 * may call one of them twice.
 */
static int
lines_of_call(const struct dict_line *v, int n, bool shared)
{
	int seq = v[0].first_marker + v[0].n_marker, i;
	bool by_seq = !shared;

	/* a node of the backward pass runs once */
	if (v[0].n_marker == 0 && v[0].bwd && v[0].numbered)
		return n;
	for (i = 1; i < n && !by_seq; i++)
		by_seq = !same_markers(&v[0], &v[i]);
	for (i = 1; i < n; i++) {
		if (!same_text(&v[i].name, &v[0].name) ||
		    !same_markers(&v[i], &v[0]))
			continue;
		if (!by_seq || v[i].n != v[0].n ||
		    !same_part(&v[i], &v[0], seq, v[0].n - seq))
			return i;
	}
	return n;
}

#define SLOT (4 * DICT_PATH) /* ns around each kernel, for its ranges */

/* Nsight's full names, which write (int)4 for a number, are shortened as Nsight
 * does: without the namespaces. Names of nvprof are shortened as dlp-parse
 * does. */
static int64_t
short_name(struct dict_file *f, const struct dict_line *d)
{
	static const char unnamed[] = "<unnamed>::";
	struct mview v = { d->name.s, d->name.len };
	const char *s = v.s, *e = v.s + v.n, *p;

	if (mv_find(v, "(int)") == NULL && mv_find(v, "(bool)") == NULL &&
	    mv_find(v, unnamed) == NULL)
		return EV_UNSET;
	for (p = s; p < e && *p != '('; p++) {
		if (mv_starts(mv(p, e), unnamed))
			p += sizeof(unnamed) - 2; /* at the last colon of the
						   * name */
		if (*p == '<')
			break;
		if (*p == ':' || *p == ' ')
			s = p + 1;
	}
	return (int64_t)smap_put(&f->names, s, (size_t)(p - s), NULL);
}

static void
put_dict_kernel(struct dict_file *f, const struct dict_line *d, int64_t start)
{
	struct event ev = new_event(EV_KERN, 0, d->tid, start), call;

	ev.end = start + d->dur;
	ev.name = (int64_t)smap_put(&f->names, d->name.s, d->name.len, NULL);
	ev.gpu.dev = d->dev;
	ev.gpu.stream = d->stream;
	ev.gpu.kern.short_name = short_name(f, d);
	memcpy(ev.gpu.kern.grid, d->grid, sizeof(d->grid));
	memcpy(ev.gpu.kern.block, d->block, sizeof(d->block));
	ev.row = d->row;
	call = ev;
	call.kind = EV_CALL;
	call.name = call.end = EV_UNSET;
	emit_gpu(f->prof, &ev, d->tid != EV_UNSET ? &call : NULL, true);
}

/* Writes the n lines v of a call. A range ends after the last line in it. */
static void
put_call_lines(struct dict_file *f, const struct dict_line *v, int n)
{
	int *common = f->common;
	int64_t end;
	int i, k, j;
	struct event ev;

	for (i = 0; i < n; i++)
		common[i] = i + 1 < n ? common_ranges(&v[i], &v[i + 1]) : 0;
	for (i = 0; i < n; i++) {
		for (k = i > 0 ? common[i - 1] : 0;
		     k < v[i].n && v[i].tid != EV_UNSET; k++) {
			end = f->now;
			for (j = i; common[j] > k; j++)
				end += SLOT + v[j].dur;
			ev = new_event(EV_RANGE, 0, v[i].tid, f->now + k);
			ev.end = end + 3 * DICT_PATH - k;
			ev.text = buf_str((struct buf *)&v[i].path[k]);
			ev.text_len = (uint32_t)v[i].path[k].len;
			emit_event(f->prof, &ev, 0);
		}
		put_dict_kernel(f, &v[i], f->now + DICT_PATH);
		f->now += SLOT + v[i].dur;
	}
}

/* Looks into a compressed file. If it holds a database, the copy is kept for
 * infile_open(). */
static bool
is_packed_dict(struct dict_file *f, struct infile *in, const char *name, int fd,
    const unsigned char *first, size_t nfirst)
{
	unsigned char head[HEAD_SIZE];
	const char *path = infile_unpack(in, name, fd, first, nfirst);
	int copy = open(path, O_RDONLY | O_CLOEXEC);
	size_t n;

	head_close(fd);
	if (copy < 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = head_read(in, name, copy, head, sizeof(head));
	close(copy);
	if (!head_is_dict(head, n))
		return false;
	lines_open(&f->in, path);
	f->in.name = name;
	infile_forget(in);
	return true;
}

/* True if a compressed file holds a .dict, or may hold one: some blocks of zstd
 * and xz do not unpack before more of the file is there. */
static bool
head_is_packed_dict(const unsigned char *head, size_t n)
{
	unsigned char s[HEAD_SIZE];
	enum zip zip = zip_kind(head, n);
	size_t k;

	if (zip == ZIP_NONE)
		return false;
	k = zip_peek(zip, head, n, s, sizeof(s));
	return k == 0 || head_is_dict(s, k);
}

/* Bytes that were read from a pipe cannot be read again, so they are handed on.
 * Not inlined, as open_other(). */
__attribute__((noinline)) static bool
file_is_dict(struct dict_file *f, struct infile *in, const char *path, int fd,
    const struct stat *st)
{
	unsigned char head[HEAD_SIZE];
	const char *name = head_name(path);
	size_t n = head_read(in, name, fd, head, sizeof(head));

	if (head_is_packed_dict(head, n) &&
	    (fd == STDIN_FILENO || !head_is_report(path)))
		return is_packed_dict(f, in, name, fd, head, n);
	if (head_is_dict(head, n)) {
		lines_fd(&f->in, name, fd);
		buf_put(&f->in.text, (const char *)head, n);
		return true;
	}
	if (fd == STDIN_FILENO || !S_ISREG(st->st_mode))
		head_push(in, path, fd, head, n);
	else
		head_close(fd);
	return false;
}

bool
dict_is(struct dict_file *f, struct parse *run, const char *path)
{
	unsigned char db[DB_HEAD_SIZE];
	int fd = head_open(&run->in, path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode) ||
	    (fd != STDIN_FILENO && head_of_database(fd, &st, db))) {
		head_close(fd);
		return false; /* infile_open() reports the error */
	}
	return file_is_dict(f, &run->in, path, fd, &st);
}

static bool
dict_string(void *ctx, int64_t id, struct buf *out)
{
	struct dict_file *f = ctx;
	size_t n;
	const char *s = smap_str(&f->names, (uint32_t)id, &n);

	buf_put(out, s, n);
	return true;
}

static const struct dialect dialect_dict = {
	.name = "pyprof-dict",
	.string = dict_string,
};

/* after: the line after the run; NULL at the end. */
static void
flush_run(struct dict_file *f, const struct dict_line *after)
{
	int done = 0, k;
	bool shared;

	if (f->nrun == 0)
		return;
	shared = f->run[0].seq == EV_UNSET || f->run[0].seq == f->last_seq ||
		 (after != NULL && f->run[f->nrun - 1].seq == after->seq);
	f->last_seq = f->run[f->nrun - 1].seq;
	for (; done < f->nrun; done += k) {
		k = lines_of_call(f->run + done, f->nrun - done, shared);
		put_call_lines(f, f->run + done, k);
	}
	f->nrun = 0;
}

/* Appends the line that was read to the run, by a swap of buffers. */
static void
keep_line(struct dict_file *f, struct dict_line *d)
{
	struct dict_line tmp;
	int old = f->cap;

	if (f->prof->run->need_times)
		die("%s: a .dict of PyProf has durations of kernels, no times",
		    f->in.name);
	if (!f->said)
		fact_info(
		    f->prof, "times", "made up: a .dict has durations only");
	f->said = true;
	if (f->nrun > 0 && (f->nrun == DICT_RUN || !is_same_run(&f->run[0], d)))
		flush_run(f, d);
	ARRAY_GROW(f->run, f->nrun, f->cap);
	if (f->cap > old)
		memset(f->run + old, 0, (size_t)(f->cap - old) * sizeof(*d));
	tmp = f->run[f->nrun];
	f->run[f->nrun++] = *d;
	*d = tmp;
}

static void
read_lines(struct dict_file *f)
{
	const char *s;
	size_t n, blank;
	int64_t row = 0;

	while (lines_next(&f->in, &s, &n)) {
		for (blank = 0;
		     blank < n && (s[blank] == ' ' || s[blank] == '\t');
		     blank++)
			;
		if (blank == n)
			continue;
		row++;
		if (dict_line(f->next, &f->row, s, n)) {
			f->next->row = row;
			if (f->next->own.s == NULL ||
			    !dict_own_add(&f->own, f->next))
				keep_line(f, f->next);
			continue;
		}
		if (f->bad++ == 0)
			warn("%s:%llu: not a whole dict of PyProf: '%.*s'",
			    f->in.name, (unsigned long long)f->in.no,
			    n < 40 ? (int)n : 40, s);
	}
	flush_run(f, NULL);
	if (row > 0 && f->bad == (uint64_t)row)
		die("%s: no dict of PyProf in it", f->in.name);
}

void
dict_run(struct dict_file *f, struct parse *run, const char *path, int argc,
    char *const *argv)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	if (run->sel.nwants > 0)
		die("--range: a .dict of PyProf has no times");
	p->run = run;
	p->path = path != NULL ? path : "-";
	p->only_pid = EV_UNSET;
	p->dialect = &dialect_dict;
	p->ctx = f;
	esc_put(&p->src, p->path, strlen(p->path));
	db_use(p->path);
	f->prof = p;
	f->last_seq = EV_UNSET;
	f->next = xcalloc(1, sizeof(*f->next));
	f->common = xcalloc(DICT_RUN, sizeof(*f->common));
	stage_begin_section(argc, argv);
	if (run->out.with_src)
		fact_info(p, "src", "%s", p->path);
	fact_info(p, "dialect", "%s", dialect_dict.name);
	read_lines(f);
	dict_own_emit(&f->own, p, &f->names, f->now);
	emit_notes(&run->out);
	select_say_unseen(&run->sel);
	stage_note("dict_bad_lines", f->bad);
	stage_end_section();
}
