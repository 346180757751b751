/*
 * A profile: the file, its dialect, a cursor for each table with events, and
 * the first pass over them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "beside.h"
#include "esc.h"
#include "infile.h"
#include "kineto.h"
#include "namecache.h"
#include "profile.h"
#include "schema.h"
#include "selection.h"

static const struct dialect *const dialects[] = { &dialect_nsys,
	&dialect_nvprof, &dialect_dldb, &dialect_rocpd };

static const struct dialect *
find_dialect(sqlite3 *db)
{
	const struct dialect *best = NULL;
	int most = 0, n;
	size_t i;

	for (i = 0; i < ARRAY_LEN(dialects); i++) {
		n = dialects[i]->probe(db);
		if (n > most) {
			best = dialects[i];
			most = n;
		}
	}
	if (best != NULL)
		return best;
	die("%s: no known table: not an export of Nsight Systems, nor of"
	    " nvprof or rocprofv3, nor a database of DLProf",
	    db_path());
}

static void
add_cursors(struct profile *p)
{
	struct cursor *c;
	int i;

	p->cur = xcalloc((size_t)p->sources.n + 1, sizeof(*p->cur));
	p->cpu = xcalloc((size_t)p->sources.n + 1, sizeof(*p->cpu));
	p->gpu = xcalloc((size_t)p->sources.n + 1, sizeof(*p->gpu));
	for (i = 0; i < p->sources.n; i++) {
		c = &p->cur[i];
		c->src = &p->sources.v[i];
		c->apart = p->second != NULL && c->src->apart;
		c->db = c->apart ? p->second : p->db;
		c->ctx = p->ctx;
		c->no = i;
	}
	p->ncur = p->sources.n;
}

/* Fatal with the first fault that SQLite finds in the whole file. */
static void
check_integrity(sqlite3 *db)
{
	sqlite3_stmt *st = db_prepare(db, "PRAGMA integrity_check(1)");
	const char *text = NULL;

	if (db_step(st))
		text = (const char *)sqlite3_column_text(st, 0);
	if (text == NULL || strcmp(text, "ok") != 0)
		die("%s: corrupt database: %.*s", db_path(),
		    (int)strcspn(text ? text : "", "\n"), text ? text : "");
	sqlite3_finalize(st);
}

static int64_t
count_by(sqlite3 *db, const char *table, const char *how)
{
	sqlite3_stmt *st =
	    db_prepare(db, "SELECT count(*) FROM %s %s", table, how);
	int64_t n = db_step(st) ? db_i64(st, 0) : 0;

	sqlite3_finalize(st);
	return n;
}

/* A tree whose pages repeat or are left out still reads without an error; an
 * index of the table then has another number of rows. */
static void
compare_index(const struct cursor *c)
{
	int64_t in_table, in_index;
	sqlite3_stmt *st;
	char *how;

	if (!db_may_have_index(c->db, c->src->table))
		return;
	st = db_prepare(c->db,
	    "SELECT name FROM pragma_index_list('%s') WHERE partial = 0"
	    " LIMIT 1",
	    c->src->table);
	if (db_step(st)) {
		how = sqlite3_mprintf(
		    "INDEXED BY \"%w\"", sqlite3_column_text(st, 0));
		if (how == NULL)
			die("out of memory");
		in_index = count_by(c->db, c->src->table, how);
		in_table = count_by(c->db, c->src->table, "NOT INDEXED");
		sqlite3_free(how);
		if (in_table != in_index)
			warn("%s: %s has %" PRId64 " rows, its index %" PRId64
			     ": the file may be damaged (--check looks)",
			    db_path(), c->src->table, in_table, in_index);
	}
	sqlite3_finalize(st);
}

void
profile_open(struct profile *p, struct parse *run, const char *path, int no)
{
	memset(p, 0, sizeof(*p));
	keys_init(&p->keys);
	p->run = run;
	p->path = path != NULL ? path : "-";
	p->no = no;
	p->only_pid = EV_UNSET;
	esc_put(&p->src, p->path, strlen(p->path));
	db_use(p->path);
	p->kineto = kineto_begin(&run->in, path, &run->kineto);
	if (p->kineto != NULL) {
		p->db = p->kineto->db;
		p->dialect = &dialect_kineto;
	} else if (run->kineto.capture != NULL) {
		die("--capture: %s is no trace of torch.profiler", db_path());
	} else {
		p->db = infile_open(&run->in, path, &p->second);
		if (run->check)
			check_integrity(p->db);
		p->dialect = find_dialect(p->db);
	}
	if (p->dialect->strings != NULL &&
	    !db_has_table(p->db, p->dialect->strings))
		warn("%s: no table %s: names and texts are unknown", p->path,
		    p->dialect->strings);
	p->ctx = p->dialect->open(p);
	add_cursors(p);
}

static void
find_only_pid(struct profile *p)
{
	uint64_t pid, val;
	size_t it = 0;

	if (p->keys.hosts.n == 1 && map_next(&p->keys.hosts, &it, &pid, &val))
		p->only_pid = (int64_t)pid;
}

static void
say_sorted(const struct profile *p, const struct cursor *c)
{
	if (c->order.sort && c->order.rows > 0 && !c->src->unordered)
		warn("%s: %s is far from start order: sorting it", p->path,
		    c->src->table);
}

static void
scan_kinds(struct profile *p, bool apart, int first, int last)
{
	struct cursor *c;

	for (c = p->cur; c < p->cur + p->ncur; c++) {
		if ((int)c->src->kind < first || (int)c->src->kind > last ||
		    !c->scan || c->apart != apart)
			continue;
		scan_cursor(p, c);
		if (!apart)
			say_sorted(p, c);
	}
}

static void
say_apart(const struct profile *p, int first, int last)
{
	const struct cursor *c;

	for (c = p->cur; c < p->cur + p->ncur; c++)
		if (c->apart && (int)c->src->kind >= first &&
		    (int)c->src->kind <= last)
			say_sorted(p, c);
}

/* The kinds that are neither calls nor GPU work. */
static void
scan_rest(struct profile *p, bool apart)
{
	scan_kinds(p, apart, EV_RUN, EV_CALL - 1);
	scan_kinds(p, apart, EV_GRAPH + 1, EV_KINDS - 1);
}

static void
scan_apart(void *arg)
{
	scan_rest(arg, true);
}

static uint64_t
rows_of(const struct profile *p, int first, int last)
{
	const struct cursor *c;
	uint64_t n = 0;

	for (c = p->cur; c < p->cur + p->ncur; c++)
		if ((int)c->src->kind >= first && (int)c->src->kind <= last)
			n += c->order.rows;
	return n;
}

/* True if a table has rows and not one can be used. */
static bool
is_lost(const struct cursor *c)
{
	return c->order.rows == 0 && c->order.lost > 0;
}

/* Events of the kind may be missing because their table cannot be read; a
 * message has said so already. */
static bool
said_lost(const struct profile *p, int kind)
{
	const struct cursor *c;

	for (c = p->cur; c < p->cur + p->ncur; c++)
		if ((int)c->src->kind == kind && is_lost(c))
			return true;
	return (p->sources.lost_kinds >> kind & 1) != 0;
}

static bool
has_rows(const struct profile *p, int kind)
{
	if (kind == EV_MARK)
		kind = EV_RANGE;
	return rows_of(p, kind, kind) > 0 || said_lost(p, kind);
}

/* Counts the rows of such tables as bad: nothing else reads them. */
static void
count_lost(struct profile *p)
{
	struct cursor *c;
	struct event ev;

	for (c = p->cur; c < p->cur + p->ncur; c++) {
		if (!is_lost(c) || !select_source(&p->run->sel, c->src))
			continue;
		cursor_open(c);
		while (cursor_read(c, &ev))
			;
		cursor_close(c);
		c->row = 0;
		c->end = false;
	}
}

static void
say_lost(const struct profile *p)
{
	const struct cursor *c;

	for (c = p->cur; c < p->cur + p->ncur; c++)
		if (is_lost(c) && select_source(&p->run->sel, c->src))
			warn("%s: %s: all %" PRIu64 " rows are lost, because"
			     " column %s holds no integer",
			    p->path, c->src->table, c->order.lost,
			    c->src->start);
}

/* Kinds of work that are requested together: a missing kind is reported only if
 * all requested ones are missing. */
static bool
is_spared(const struct profile *p, int kind)
{
	struct selection *sel = &p->run->sel;
	int k;

	if (kind < EV_CALL || kind > EV_GRAPH)
		return false;
	if (p->gpu_rows == 0 && kind > EV_CALL && select_kind(sel, EV_KERN))
		return true;
	for (k = EV_CALL; k <= EV_GRAPH; k++)
		if (select_asked(sel, (enum ev_kind)k) && has_rows(p, k))
			return true;
	return false;
}

/* Reports events that are missing in the profile, and how to record them. If
 * GPU work is missing, nothing further is reported; without ranges nothing is
 * known about ops. */
static void
say_missing(struct profile *p)
{
	struct selection *sel = &p->run->sel;
	const char *how;
	int k;

	if (p->gpu_rows == 0 && select_kind(sel, EV_KERN) &&
	    !said_lost(p, EV_KERN))
		warn("%s: no GPU work in this profile%s%s", p->path,
		    p->dialect->option ? "; record it with " : "",
		    p->dialect->option ? p->dialect->option(EV_KERN) : "");
	else if (p->range_rows == 0 && select_kind(sel, EV_RANGE) &&
		 !said_lost(p, EV_RANGE) && p->dialect->work == NULL)
		warn("%s: no %s: ops and layers are unknown%s%s", p->path,
		    p->kineto != NULL              ? "cpu_op events"
		    : p->dialect == &dialect_rocpd ? "roctx ranges"
						   : "NVTX ranges",
		    p->dialect->option ? "; record them with " : "",
		    p->dialect->option ? p->dialect->option(EV_RANGE) : "");
	if (p->gpu_rows > 0 && select_kind(sel, EV_KERN) &&
	    !has_rows(p, EV_KERN) && !has_rows(p, EV_GRAPH))
		warn("%s: no kernels in this profile, only other GPU work",
		    p->path);
	for (k = 0; k < EV_KINDS; k++) {
		if (k == EV_KERN || k == EV_RANGE || has_rows(p, k) ||
		    !select_asked(sel, (enum ev_kind)k) || is_spared(p, k))
			continue;
		how = p->dialect->option ? p->dialect->option((enum ev_kind)k)
					 : NULL;
		warn("%s: no %s records%s%s", p->path,
		    select_name((enum ev_kind)k), how ? "; record with " : "",
		    how ? how : "");
	}
}

/*
 * Scans calls first, because GPU work is counted by whether its call exists.
 * Meanwhile a second thread scans the cursors that are apart. It runs
 * scan_apart(), and may touch these cursors, the connection p->second, the
 * counter of bad rows, and the members of the dialect's context that picked()
 * needs for their rows (see ev_source.apart). Messages are held back, so that
 * they come in the same order as without the thread.
 */
void
profile_begin(struct profile *p)
{
	struct beside *b = xcalloc(1, sizeof(*b));
	bool threaded;
	struct cursor *c;

	db_use(p->path);
	for (c = p->cur; c < p->cur + p->ncur; c++)
		c->scan = select_scan(&p->run->sel, c->src);
	threaded = p->second != NULL && beside_begin(b, scan_apart, NULL, p);
	scan_kinds(p, false, EV_CALL, EV_CALL);
	find_only_pid(p);
	scan_kinds(p, false, EV_KERN, EV_GRAPH);
	scan_rest(p, false);
	if (threaded)
		beside_end(b);
	else
		scan_rest(p, true);
	say_apart(p, EV_RUN, EV_CALL - 1);
	say_apart(p, EV_GRAPH + 1, EV_KINDS - 1);
	beside_say(b);
	free(b);
	for (c = p->cur; c < p->cur + p->ncur; c++)
		if (c->scan && !c->apart &&
		    strcmp(c->src->from, c->src->table) == 0)
			compare_index(c);
	p->gpu_rows = rows_of(p, EV_KERN, EV_GRAPH);
	p->range_rows = rows_of(p, EV_RANGE, EV_RANGE);
	say_lost(p);
	say_missing(p);
}

void
profile_alone(struct profile *p)
{
	struct cursor *c;

	for (c = p->cur; c < p->cur + p->ncur; c++) {
		c->apart = false;
		c->db = p->db;
	}
	sqlite3_close_v2(p->second); /* the dialect may still hold a
				      * statement */
	p->second = NULL;
}

/* The table that the second thread reads: the largest one that it may read. */
static struct cursor *
read_apart(struct profile *p)
{
	struct cursor *best = NULL, *c;

	for (c = p->cur; c < p->cur + p->ncur; c++)
		if (c->apart && !c->order.sort && c->order.rows > 0 &&
		    select_source(&p->run->sel, c->src) &&
		    (best == NULL || c->order.rows > best->order.rows))
			best = c;
	return best;
}

void
profile_start(struct profile *p)
{
	struct cursor *c, *apart = read_apart(p);

	count_lost(p);
	for (c = p->cur; c < p->cur + p->ncur; c++) {
		if (c->order.rows == 0 || !select_source(&p->run->sel, c->src))
			continue;
		c->db = c == apart ? p->second : p->db;
		cursor_open(c);
		if (EV_IS_GPU(c->src->kind) && !c->src->launches) {
			p->gpu[p->ngpu++] = c;
			p->any_orphans |= c->order.orphans > 0;
			continue;
		}
		p->cpu[p->ncpu++] = c;
		if (c == apart)
			cursor_ahead(c);
		cursor_next(c);
	}
}

void
profile_close(struct profile *p)
{
	struct cursor *c;

	for (c = p->cur; c < p->cur + p->ncur; c++)
		cursor_close(c);
	p->dialect->close(p->ctx);
	sqlite3_close(p->second);
	sqlite3_close(p->db);
	sources_free(&p->sources);
	keys_free(&p->keys);
	window_free(&p->window);
	heap_free(&p->orphans);
	names_free(&p->names);
	buf_free(&p->src);
	free(p->several);
	free(p->cur);
	free(p->cpu);
	free(p->gpu);
}
