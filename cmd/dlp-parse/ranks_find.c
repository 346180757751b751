/*
 * A profile's own word for its rank; see ranks_find.h. Exports have no place
 * for it: it is looked for where programs and launchers leave it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"
#include "ranks_find.h"
#include "schema.h"

/* Variables of launchers, the surer first; local: on one host. */
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
#define NVARS (sizeof(vars) / sizeof(vars[0]))

struct found {
	bool any, several;
	int64_t rank;
};

/* Where the texts stand. */
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
found_put(struct found *f, int64_t rank)
{
	if (f->any && f->rank != rank)
		f->several = true;
	f->any = true;
	f->rank = rank;
}

/* The number at s, which may stand behind quotes. */
static bool
number(const char *s, int64_t *v)
{
	size_t n;

	s += strspn(s, "\"' ");
	n = strspn(s, "0123456789");
	return n > 0 && n < 9 && !word_char(s[n]) && num_i64(s, n, v);
}

/* "NAME=3" in a text. */
static void
in_text(struct found *f, const char *s, const char *name)
{
	size_t n = strlen(name);
	const char *p = s;
	int64_t v;

	for (; (p = strstr(p, name)) != NULL; p += n) {
		if ((p > s && word_char(p[-1])) || word_char(p[n]))
			continue;
		if (p[n] == '=' && number(p + n + 1, &v))
			found_put(f, v);
		else if (strncmp(p + n, "\":", 2) == 0 && number(p + n + 2, &v))
			found_put(f, v); /* JSON */
	}
}

static void
in_place(struct found *f, sqlite3 *db, size_t place)
{
	sqlite3_stmt *st;
	const char *name, *value;
	uint32_t len;
	size_t i;
	int64_t v;

	if (!db_has_column(db, places[place].table, places[place].value))
		return;
	st = db_prepare(db, "SELECT %s, %s FROM %s", places[place].name,
	    places[place].value, places[place].table);
	while (db_step(st)) {
		name = db_text(sqlite3_column_value(st, 0), &len);
		value = db_text(sqlite3_column_value(st, 1), &len);
		for (i = 0; i < NVARS && value != NULL; i++) {
			in_text(&f[i], value, vars[i].name);
			if (name != NULL && strcmp(name, vars[i].name) == 0 &&
			    number(value, &v))
				found_put(&f[i], v);
		}
	}
	sqlite3_finalize(st);
}

/* "rank 3", "[rank3]", "global rank: 3" and nothing else. */
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
	if (!number(low + i, v))
		return false;
	i += strspn(low + i, "0123456789");
	return low[i] == '\0' ||
	       (sscanf(low + i, "%7[])]%n", tail, &used) == 1 &&
		   low[i + (size_t)used] == '\0');
}

static void
in_nvtx(struct found *f, sqlite3 *db, const char *table, const char *col)
{
	sqlite3_stmt *st;
	const char *s;
	uint32_t len;
	int64_t v;

	if (!db_has_column(db, table, col))
		return;
	st = db_prepare(db,
	    "SELECT DISTINCT %s FROM %s WHERE %s LIKE '%%rank%%'"
	    " AND length(%s) < 40",
	    col, table, col, col);
	while (db_step(st)) {
		s = db_text(sqlite3_column_value(st, 0), &len);
		if (s != NULL && says_rank(s, &v))
			found_put(f, v);
	}
	sqlite3_finalize(st);
}

static void
in_mpi(struct found *f, sqlite3 *db)
{
	sqlite3_stmt *st;

	if (!db_has_column(db, "MPI_RANKS", "rank"))
		return;
	st = db_prepare(db, "SELECT DISTINCT rank FROM MPI_RANKS");
	while (db_step(st))
		if (db_i64(st, 0) != EV_UNSET)
			found_put(f, db_i64(st, 0));
	sqlite3_finalize(st);
}

bool
ranks_find(sqlite3 *db, int64_t *rank, bool *local)
{
	struct found env[NVARS] = { { 0 } }, other = { 0 };
	size_t i;

	*local = false;
	in_mpi(&other, db);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
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
