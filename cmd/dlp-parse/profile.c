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
	if (best == NULL)
		die("%s: no known table: not an export of Nsight Systems, nor"
		    " of nvprof or rocprofv3, nor a database of DLProf",
		    db_path());
	return best;
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
		how = sqlite3_mprintf("INDEXED BY \"%w\"", db_str(st, 0));
		in_index = db_number(
		    c->db, "SELECT count(*) FROM %s %s", c->src->table, how);
		sqlite3_free(how);
		in_table = db_number(c->db,
		    "SELECT count(*) FROM %s NOT INDEXED", c->src->table);
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
	const char *text;
	struct cursor *c;
	sqlite3_stmt *st;
	int i;

	p->keys.last_who[0] = p->keys.last_who[1] = EV_UNSET;
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
	} else if (run->kineto.ncapture > 0) {
		die("--capture: %s is not a trace of torch.profiler",
		    db_path());
	} else {
		p->db = infile_open(&run->in, path, &p->second);
	}
	if (p->kineto == NULL && run->check) {
		/* the first fault that SQLite finds in the whole file */
		st = db_prepare(p->db, "PRAGMA integrity_check(1)");
		text = db_step(st) ? db_str(st, 0) : NULL;
		if (text == NULL || strcmp(text, "ok") != 0)
			die("%s: corrupt database: %.*s", db_path(),
			    (int)strcspn(text ? text : "", "\n"),
			    text ? text : "");
		sqlite3_finalize(st);
	}
	if (p->kineto == NULL)
		p->dialect = find_dialect(p->db);
	if (p->dialect->strings != NULL &&
	    !db_has_table(p->db, p->dialect->strings))
		warn("%s: no table %s: names and texts are unknown", p->path,
		    p->dialect->strings);
	p->sources.db = p->db;
	p->ctx = p->dialect->open(p);
	p->ncur = p->sources.n;
	p->cur = xcalloc((size_t)p->ncur + 1, sizeof(*p->cur));
	p->cpu = xcalloc((size_t)p->ncur + 1, sizeof(*p->cpu));
	p->gpu = xcalloc((size_t)p->ncur + 1, sizeof(*p->gpu));
	for (i = 0; i < p->ncur; i++) {
		c = &p->cur[i];
		c->src = &p->sources.v[i];
		c->apart = p->second != NULL && c->src->apart;
		c->db = c->apart ? p->second : p->db;
		c->ctx = p->ctx;
		c->no = i;
		c->scan = select_scan(&run->sel, c->src);
	}
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

static const char *
option_of(const struct profile *p, int kind)
{
	return p->dialect->option ? p->dialect->option((enum ev_kind)kind)
				  : NULL;
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

	how = option_of(p, EV_KERN);
	if (p->gpu_rows == 0 && select_kind(sel, EV_KERN) &&
	    !said_lost(p, EV_KERN)) {
		warn("%s: no GPU work in this profile%s%s", p->path,
		    how ? "; record it with " : "", how ? how : "");
	} else if (p->range_rows == 0 && select_kind(sel, EV_RANGE) &&
		   !said_lost(p, EV_RANGE) && p->dialect->work == NULL) {
		how = option_of(p, EV_RANGE);
		warn("%s: no %s: ops and layers are unknown%s%s", p->path,
		    p->kineto != NULL              ? "cpu_op events"
		    : p->dialect == &dialect_rocpd ? "roctx ranges"
						   : "NVTX ranges",
		    how ? "; record them with " : "", how ? how : "");
	}
	if (p->gpu_rows > 0 && select_kind(sel, EV_KERN) &&
	    !has_rows(p, EV_KERN) && !has_rows(p, EV_GRAPH))
		warn("%s: no kernels in this profile, only other GPU work",
		    p->path);
	for (k = 0; k < EV_KINDS; k++) {
		if (k == EV_KERN || k == EV_RANGE || has_rows(p, k) ||
		    !select_asked(sel, (enum ev_kind)k) || is_spared(p, k))
			continue;
		how = option_of(p, k);
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
	uint64_t pid, val;
	bool threaded;
	struct cursor *c;
	size_t it = 0;
	int i;

	db_use(p->path);
	threaded = p->second != NULL && beside_begin(b, scan_apart, NULL, p);
	scan_kinds(p, false, EV_CALL, EV_CALL);
	if (p->keys.hosts.n == 1 && map_next(&p->keys.hosts, &it, &pid, &val))
		p->only_pid = (int64_t)pid;
	scan_kinds(p, false, EV_KERN, EV_GRAPH);
	scan_rest(p, false);
	if (threaded)
		beside_end(b);
	else
		scan_rest(p, true);
	for (i = 0; i < 2; i++) /* as scan_rest() goes through them */
		for (c = p->cur; c < p->cur + p->ncur; c++)
			if (c->apart && (c->src->kind > EV_GRAPH) == (i == 1))
				say_sorted(p, c);
	beside_say(b);
	free(b);
	for (c = p->cur; c < p->cur + p->ncur; c++)
		if (c->scan && !c->apart &&
		    strcmp(c->src->from, c->src->table) == 0)
			compare_index(c);
	p->gpu_rows = rows_of(p, EV_KERN, EV_GRAPH);
	p->range_rows = rows_of(p, EV_RANGE, EV_RANGE);
	for (c = p->cur; c < p->cur + p->ncur; c++)
		if (is_lost(c) && select_source(&p->run->sel, c->src))
			warn("%s: %s: all %" PRIu64 " rows are lost, because"
			     " column %s holds no integer",
			    p->path, c->src->table, c->order.lost,
			    c->src->start);
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

void
profile_start(struct profile *p)
{
	struct cursor *c, *apart = NULL;
	struct event ev;

	for (c = p->cur; c < p->cur + p->ncur; c++) {
		if (!select_source(&p->run->sel, c->src))
			continue;
		/* the second thread reads the largest table that it may read */
		if (c->apart && !c->order.sort && c->order.rows > 0 &&
		    (apart == NULL || c->order.rows > apart->order.rows))
			apart = c;
		if (!is_lost(c))
			continue;
		/* counts the rows as bad: nothing else reads them */
		cursor_open(c);
		while (cursor_read(c, &ev))
			;
		cursor_close(c);
		c->row = 0;
		c->end = false;
	}
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
	free(p);
}
