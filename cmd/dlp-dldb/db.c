/* The database that is written: its schema, indices, and the dictionary. */
#include "db.h"

#include <string.h>

#include "err.h"
#include "shipped.h"

void
db_begin(struct db_halves *d)
{
	dbw_create(&d->db, d->path,
	    d->force ? NULL : ": exists already; -f writes over it");
	dbw_catch_signals();
	dbw_script(&d->db, shipped_text("dldb.sql"));
	dbw_script(&d->db, shipped_text("dldb_views.sql"));
	dbw_tables(&d->db, shipped_text("dldb.sql"), DB_TABLES, false);
}

void
db_again(struct db_halves *d)
{
	dbw_open(&d->db, d->path);
	dbw_tables(&d->db, shipped_text("dldb.sql"), DB_TABLES, false);
	db_indices(d, true, true);
}

/* Two kernels of one call can start at the same time. Then DLProf's index
 * cannot be unique. */
void
db_indices(struct db_halves *d, bool aggregated, bool drop)
{
	const char *text = shipped_text("dldb_indices.sql"), *name;
	struct buf unique = { 0 }, b = { 0 };

	while (dbw_statement(&text, &unique)) {
		name = buf_str(&unique) + strlen("CREATE UNIQUE INDEX ");
		if (aggregated == (strncmp(name, "unique_read_only_", 17) == 0))
			continue;
		buf_clear(&b);
		if (drop)
			buf_printf(&b, "DROP INDEX IF EXISTS %.*s",
			    (int)strcspn(name, " "), name);
		else
			buf_printf(&b, "CREATE  INDEX %s", name);
		if (drop || !dbw_try(&d->db, buf_str(&unique)))
			dbw_exec(&d->db, buf_str(&b));
	}
	buf_free(&unique);
	buf_free(&b);
}

/* The id of a text in the dictionary, to which it is added if necessary: its
 * texts are unique, so adding one again fails. */
int64_t
db_text_id(struct db_halves *d, const char *s, size_t n)
{
	sqlite3_stmt **find = &d->find_text;
	int64_t id = 0;

	dbw_begin(&d->db, T_DICTIONARY);
	dbw_nulls(&d->db, 1);
	dbw_text(&d->db, s, n);
	if (dbw_end_try(&d->db))
		return sqlite3_last_insert_rowid(d->db.sql);
	if (*find == NULL)
		*find = dbw_prepare(
		    &d->db, "SELECT id FROM dictionary WHERE string = ?1");
	sqlite3_bind_text(*find, 1, s, (int)n, SQLITE_STATIC);
	if (sqlite3_step(*find) == SQLITE_ROW)
		id = sqlite3_column_int64(*find, 0);
	sqlite3_reset(*find);
	if (id == 0)
		die("%s: dictionary: %s", d->path, sqlite3_errmsg(d->db.sql));
	return id;
}

uint32_t
db_word(struct db_halves *d, const char *s, size_t n)
{
	return smap_put(&d->words, s, n, NULL);
}

const char *
db_word_text(const struct db_halves *d, uint32_t w)
{
	return smap_str(&d->words, w, NULL);
}

int64_t
db_str_id(struct db_halves *d, const char *s)
{
	return db_word_id(d, db_word(d, s, strlen(s)));
}

int64_t
db_word_id(struct db_halves *d, uint32_t w)
{
	const char *s;
	size_t n;

	if (d->words.val[w] == 0) {
		s = smap_str(&d->words, w, &n);
		d->words.val[w] = (uint64_t)db_text_id(d, s, n);
	}
	return (int64_t)d->words.val[w];
}

uint32_t
db_col_word(struct db_halves *d, const struct rec *r, int col)
{
	const char *s;
	size_t n;

	s = rec_text(r, col, &d->tmp, &n);
	return s != NULL ? db_word(d, s, n) : db_word(d, "", 0);
}
