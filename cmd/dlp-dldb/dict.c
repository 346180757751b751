/* Texts: numbers in memory, ids in the dictionary; and ##info lines. */
#include <string.h>

#include "dldb.h"
#include "err.h"
#include "num.h"

uint32_t
word(struct dldb *d, const char *s, size_t n)
{
	return smap_put(&d->words, s, n, NULL);
}

const char *
word_text(const struct dldb *d, uint32_t w)
{
	return smap_str(&d->words, w, NULL);
}

static int64_t
find_text(struct dldb *d, const char *s, size_t n)
{
	static sqlite3_stmt *st;
	static sqlite3 *of;
	int64_t id = 0;

	if (of != d->db.sql) {
		of = d->db.sql;
		if (sqlite3_prepare_v2(of,
			"SELECT id FROM dictionary WHERE string = ?1", -1, &st,
			NULL) != SQLITE_OK)
			die("%s: %s", d->path, sqlite3_errmsg(of));
	}
	sqlite3_bind_text(st, 1, s, (int)n, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW)
		id = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	if (id == 0)
		die("%s: dictionary: %s", d->path, sqlite3_errmsg(of));
	return id;
}

int64_t
text_id(struct dldb *d, const char *s, size_t n)
{
	static struct ins in = { .table = "dictionary" };
	int64_t id;

	return db_put_text(&d->db, &in, &id, s, n) ? id : find_text(d, s, n);
}

int64_t
text0_id(struct dldb *d, const char *s)
{
	return word_id(d, word(d, s, strlen(s)));
}

int64_t
word_id(struct dldb *d, uint32_t w)
{
	const char *s;
	size_t n;

	if (d->words.val[w] == 0) {
		s = smap_str(&d->words, w, &n);
		d->words.val[w] = (uint64_t)text_id(d, s, n);
	}
	return (int64_t)d->words.val[w];
}

const char *
info(const struct dldb *d, const char *name)
{
	uint32_t no = smap_find(&d->infos, name, strlen(name));

	if (no == SMAP_NONE || d->infos.val[no] == 0)
		return NULL;
	return word_text(d, (uint32_t)d->infos.val[no] - 1);
}

int64_t
info_int(const struct dldb *d, const char *name, int64_t def)
{
	const char *s = info(d, name);
	int64_t v;

	return s != NULL && num_i64(s, strlen(s), &v) ? v : def;
}
