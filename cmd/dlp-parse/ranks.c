/*
 * Ranks: their numbers, and their clocks. Exports have no field for a rank, so
 * dlp-parse looks in the places where programs and launchers leave it. UTC of
 * the session's start is a first estimate of the clock's offset, wrong by the
 * difference of the hosts' clocks; collectives that end together on all ranks
 * make it exact.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "align.h"
#include "array.h"
#include "comm.h"
#include "emit.h"
#include "num.h"
#include "out.h"
#include "profile.h"
#include "schema.h"
#include "stage.h"
#include "words.h"

/* Variables of launchers, the more reliable first; local: the rank on one host.
 */
static const struct {
	const char *name;
	bool local;
} vars[] = {
	{ "RANK", false },
	{ "OMPI_COMM_WORLD_RANK", false },
	{ "PMIX_RANK", false },
	{ "PMI_RANK", false },
	{ "SLURM_PROCID", false },
	{ "LOCAL_RANK", true },
	{ "OMPI_COMM_WORLD_LOCAL_RANK", true },
	{ "SLURM_LOCALID", true },
};
#define NVARS (ARRAY_LEN(vars))

struct found_rank {
	bool any, several;
	int64_t rank;
};

/* The queries for texts that may hold a rank. */
static const struct {
	const char *table, *name, *value;
} places[] = {
	{ "META_DATA_CAPTURE", "name", "value" },
	{ "TARGET_INFO_SYSTEM_ENV", "name", "value" },
	{ "PROCESSES", "NULL", "name" },
	{ "ANALYSIS_DETAILS", "NULL", "commandLine" },
};

static bool
word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void
rank_found(struct found_rank *f, int64_t rank)
{
	f->several |= f->any && f->rank != rank;
	f->any = true;
	f->rank = rank;
}

/* The rank's number at s, perhaps in quotes. */
static bool
rank_number(const char *s, int64_t *v)
{
	size_t n;

	s += strspn(s, "\"' ");
	n = strspn(s, "0123456789");
	return n > 0 && n < 9 && !word_char(s[n]) && num_i64(s, n, v);
}

/* "NAME=3" in a text. */
static void
in_text(struct found_rank *f, const char *s, const char *name)
{
	size_t n = strlen(name);
	const char *p = s;
	int64_t v;

	for (; (p = strstr(p, name)) != NULL; p += n) {
		if ((p > s && word_char(p[-1])) || word_char(p[n]))
			continue;
		if (p[n] == '=' && rank_number(p + n + 1, &v))
			rank_found(f, v);
		else if (strncmp(p + n, "\":", 2) == 0 &&
			 rank_number(p + n + 2, &v))
			rank_found(f, v); /* JSON */
	}
}

static void
in_place(struct found_rank *f, sqlite3 *db, size_t place)
{
	sqlite3_stmt *st;
	const char *name, *value;
	size_t i;
	int64_t v;

	if (!db_has_column(db, places[place].table, places[place].value))
		return;
	st = db_prepare(db, "SELECT %s, %s FROM %s", places[place].name,
	    places[place].value, places[place].table);
	while (db_next(&st)) {
		name = db_str(st, 0);
		value = db_str(st, 1);
		for (i = 0; i < NVARS && value != NULL; i++) {
			in_text(&f[i], value, vars[i].name);
			if (name != NULL && strcmp(name, vars[i].name) == 0 &&
			    rank_number(value, &v))
				rank_found(&f[i], v);
		}
	}
}

/* True for "rank 3", "[rank3]", "global rank: 3" with nothing else. */
static bool
says_rank(const char *s, int64_t *v)
{
	char low[40] = "", tail[8];
	size_t i, n = strlen(s);
	int used = 0;

	if (n >= sizeof(low))
		return false;
	for (i = 0; i <= n; i++)
		low[i] = (char)tolower((unsigned char)s[i]);
	for (i = 0; low[i] == '[' || low[i] == '('; i++)
		;
	if (strncmp(low + i, "global", 6) == 0)
		i += 6 + strspn(low + i + 6, " _-");
	if (strncmp(low + i, "rank", 4) != 0)
		return false;
	i += 4 + strspn(low + i + 4, " _:=#");
	if (!rank_number(low + i, v))
		return false;
	i += strspn(low + i, "0123456789");
	return low[i] == '\0' ||
	       (sscanf(low + i, "%7[])]%n", tail, &used) == 1 &&
		   low[i + (size_t)used] == '\0');
}

static void
in_nvtx(struct found_rank *f, sqlite3 *db, const char *table, const char *col)
{
	sqlite3_stmt *st = NULL;
	const char *s;
	int64_t v;

	if (db_has_column(db, table, col))
		st = db_prepare(db,
		    "SELECT DISTINCT %s FROM %s WHERE %s LIKE '%%rank%%'"
		    " AND length(%s) < 40",
		    col, table, col, col);
	while (db_next(&st)) {
		s = db_str(st, 0);
		if (s != NULL && says_rank(s, &v))
			rank_found(f, v);
	}
}

static bool
ranks_find(sqlite3 *db, int64_t *rank, bool *local)
{
	struct found_rank env[NVARS] = { { 0 } }, other = { 0 };
	sqlite3_stmt *st = NULL;
	size_t i;

	*local = false;
	if (db_has_column(db, "MPI_RANKS", "rank"))
		st = db_prepare(db, "SELECT DISTINCT rank FROM MPI_RANKS");
	while (db_next(&st))
		if (db_i64(st, 0) != EV_UNSET)
			rank_found(&other, db_i64(st, 0));
	for (i = 0; i < ARRAY_LEN(places); i++)
		in_place(env, db, i);
	if (!other.any) {
		in_nvtx(&other, db, "NVTX_EVENTS", "text");
		in_nvtx(&other, db, "StringIds", "value");
	}
	for (i = 0; i < NVARS; i++) {
		if (vars[i].local && other.any && !other.several)
			break;
		if (!env[i].any || env[i].several)
			continue;
		*rank = env[i].rank;
		*local = vars[i].local;
		return true;
	}
	*rank = other.rank;
	return other.any && !other.several;
}

/* The collectives of a profile: when they ended. */
struct rank_colls {
	struct align_ev *v; /* in order of end; the caller's to free */
	size_t n, cap;
};

enum ends { ENDS_NO, ENDS_ALL, ENDS_SOME };

/* Looks up a kernel's name by its string id; *key is the hash of the name. */
static enum ends
kernel_ends(struct profile *p, const struct comm_rules *rules, struct map *seen,
    int64_t id, uint64_t *key)
{
	struct buf name = { 0 };
	const struct comm_type *t;
	enum ends e;
	bool is_new;
	uint64_t *val = map_put(seen, (uint64_t)id, &is_new);

	if (is_new && p->dialect->string(p->ctx, id, &name)) {
		t = comm_match(rules, buf_str(&name), name.len);
		e = t == NULL || t->pair ? ENDS_NO
		    : t->together        ? ENDS_ALL
					 : ENDS_SOME;
		*val = hash_bytes(name.s, name.len) << 2 | (uint64_t)e;
	}
	buf_free(&name);
	*key = *val >> 2;
	return (enum ends)(*val & 3);
}

static void
read_colls(struct profile *p, const struct comm_rules *rules,
    const struct cursor *table, struct map *seen, struct rank_colls *all,
    struct rank_colls *some)
{
	struct cursor c = *table;
	struct rank_colls *to;
	struct event ev;
	uint64_t key;
	int64_t id;
	enum ends e;

	cursor_open(&c);
	while (cursor_read(&c, &ev)) {
		id = ev.gpu.kern.short_name;
		if (id == EV_UNSET)
			id = ev.name;
		if (id == EV_UNSET || ev.end == EV_UNSET || ev.text != NULL)
			continue;
		e = kernel_ends(p, rules, seen, id, &key);
		if (e == ENDS_NO)
			continue;
		to = e == ENDS_ALL ? all : some;
		ARRAY_GROW(to->v, to->n, to->cap);
		to->v[to->n++] = (struct align_ev){ ev.end, key };
	}
	cursor_close(&c);
}

/* Collectives that end on all ranks together; if there are none, those that
 * nearly do. Times are the profile's own. */
static void
colls_read(
    struct rank_colls *c, struct profile *p, const struct comm_rules *rules)
{
	struct rank_colls some = { 0 };
	struct map seen = { 0 };
	uint64_t bad = p->sources.bad_rows;
	int i;

	for (i = 0; i < p->ncur; i++)
		if (p->cur[i].src->kind == EV_KERN && !p->cur[i].src->launches)
			read_colls(p, rules, &p->cur[i], &seen, c, &some);
	p->sources.bad_rows = bad; /* the merge reads these rows again */
	map_free(&seen);
	if (c->n == 0) {
		*c = some;
		some.v = NULL;
	}
	free(some.v);
	if (c->n > 0)
		qsort(c->v, c->n, sizeof(*c->v), array_by_i64);
}

static int
by_rank(const void *va, const void *vb)
{
	const struct profile *a = *(struct profile *const *)va;
	const struct profile *b = *(struct profile *const *)vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void
forget_found(struct profile **v, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		v[i]->rank = EV_UNSET;
		v[i]->rank_by = RANK_ORDER;
	}
}

/* Whether a profile other than v[but] has the rank. */
static bool
taken(struct profile *const *v, int n, int64_t rank, int but)
{
	int i;

	for (i = 0; i < n; i++)
		if (i != but && v[i]->rank == rank)
			return true;
	return false;
}

void
ranks_number(struct parse *run)
{
	struct profile **v = run->prof;
	int n = run->nprof;
	int64_t next = 0;
	int i;
	bool local, any_local, any_other, twice;

	forget_found(v, n);
	/* Takes the ranks that the profiles name. A rank on one host and a rank
	 * in the whole run are different kinds of numbers and cannot be mixed,
	 * and no two profiles can have the same rank. */
	any_local = false;
	any_other = false;
	twice = false;
	for (i = 0; i < n; i++) {
		db_use(v[i]->path);
		if (!ranks_find(v[i]->db, &v[i]->rank, &local)) {
			v[i]->rank = EV_UNSET;
			any_other = true;
			continue;
		}
		v[i]->rank_by = RANK_FOUND;
		any_local |= local;
		any_other |= !local;
	}
	for (i = 0; i < n; i++)
		twice |=
		    v[i]->rank_by == RANK_FOUND && taken(v, n, v[i]->rank, i);
	if (twice && !any_local)
		warn("several profiles have the same rank: they are"
		     " numbered in the order of their names");
	if (twice || (any_local && any_other))
		forget_found(v, n);
	for (i = 0; i < n; i++) {
		if (v[i]->rank != EV_UNSET)
			continue;
		while (taken(v, n, next, -1))
			next++;
		v[i]->rank = next;
	}
	qsort(v, (size_t)n, sizeof(*v), by_rank);
	for (i = 0; i < n; i++)
		v[i]->no = i;
}

/* UTC of the profile's origin of time, EV_UNSET if the profile does not have
 * it. */
static int64_t
utc_of_origin(struct profile *p)
{
	static const char table[] = "TARGET_INFO_SESSION_START_TIME";

	return db_has_column(p->db, table, "utcEpochNs")
		   ? db_number(
			 p->db, "SELECT utcEpochNs FROM %s LIMIT 1", table)
		   : EV_UNSET;
}

static void
align(struct profile *p, const struct comm_rules *rules,
    const struct rank_colls *ref, int64_t t0)
{
	int64_t t = utc_of_origin(p), hint = 0;
	bool has_hint = t != EV_UNSET && t0 != EV_UNSET;
	struct rank_colls c = { 0 };
	struct align a;
	int i;

	if (has_hint)
		hint = num_sub(t, t0);
	colls_read(&c, p, rules);
	if (align_find(ref->v, ref->n, c.v, c.n, has_hint ? &hint : NULL, &a)) {
		p->clock_by = "collectives";
		p->n_coll = (int64_t)a.n;
		p->spread = a.spread;
		p->shift = a.shift;
	} else if (has_hint) {
		p->clock_by = "utc";
		p->run->ranks_by_utc++;
		p->shift = hint;
	} else {
		p->run->ranks_unaligned++;
	}
	for (i = 0; i < p->ncur; i++)
		p->cur[i].shift = p->shift;
	free(c.v);
}

void
ranks_align(struct parse *run)
{
	struct comm_rules rules = { 0 };
	struct profile **v = run->prof;
	struct rank_colls ref = { 0 };
	int64_t t0;
	int i;

	for (i = 0; i < run->nprof; i++) {
		v[i]->clock_by = NULL;
		v[i]->n_coll = v[i]->spread = EV_UNSET;
	}
	comm_open(&rules, NULL);
	db_use(v[0]->path);
	t0 = utc_of_origin(v[0]);
	v[0]->clock_by = "reference";
	colls_read(&ref, v[0], &rules);
	for (i = 1; i < run->nprof; i++) {
		db_use(v[i]->path);
		align(v[i], &rules, &ref, t0);
	}
	free(ref.v);
	comm_close(&rules);
	if (run->ranks_by_utc > 0)
		warn("%llu of %d ranks have no collectives in common with the"
		     " first: clocks are not aligned but by the hosts' UTC",
		    (unsigned long long)run->ranks_by_utc, run->nprof);
	if (run->ranks_unaligned > 0)
		warn("%llu of %d ranks share no collective and no UTC time with"
		     " the first: their clocks are not aligned",
		    (unsigned long long)run->ranks_unaligned, run->nprof);
}

void
ranks_put(struct parse *run)
{
	struct profile **v = run->prof;
	struct out_type *t = out_type_reg("rank", "dlp-parse");
	int i;

	for (i = 0; i < run->nprof; i++) {
		out_rec(t);
		out_i64(v[i]->rank);
		out_raw(v[i]->src.s, v[i]->src.len);
		out_word(v[i]->rank_by == RANK_FOUND ? "profile" : "name");
		out_word(v[i]->clock_by);
		out_i64(v[i]->shift);
		emit_num(v[i]->n_coll);
		emit_num(v[i]->spread);
		out_end();
	}
}
