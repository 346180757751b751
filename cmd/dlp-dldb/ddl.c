/* The tables made; see ddl.h. */
#include "ddl.h"

#include <string.h>

#include "buf.h"
#include "db.h"
#include "err.h"
#include "tables.h"

static const struct {
	char code;
	const char *sql;
} types[] = {
	{ 'i', "INTEGER NOT NULL" },
	{ 't', "TEXT NOT NULL" },
	{ 'r', "REAL NOT NULL" },
	{ 'g', "TEXT NOT NULL" },
	{ 'G', "TEXT" },
	{ 'n', "INTEGER" },
	{ 'b', "BOOLEAN NOT NULL" },
	{ 'c', "BOOLEAN NOT NULL CHECK (\"%s\" IN (0, 1))" },
	{ 'u', "INTEGER NOT NULL UNIQUE" },
	{ 'w', "TEXT NOT NULL UNIQUE" },
	{ 'd', "INTEGER NOT NULL DEFAULT 0" },
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const char *
type_sql(char code)
{
	size_t i;

	for (i = 0; types[i].code != code; i++)
		if (i + 1 == N(types))
			die("no column type %c", code);
	return types[i].sql;
}

static void
put_col(struct buf *b, const char *name, int n, const char *type, int tn)
{
	const char *sql = type_sql(type[0]), *mark = strstr(sql, "%s");

	buf_printf(b, ", %.*s ", n, name);
	if (mark == NULL)
		buf_puts(b, sql);
	else
		buf_printf(
		    b, "%.*s%.*s%s", (int)(mark - sql), sql, n, name, mark + 2);
	if (tn > 2)
		buf_printf(b,
		    " REFERENCES %.*s(id) ON UPDATE CASCADE ON DELETE CASCADE",
		    tn - 2, type + 2);
}

void
ddl_tables(struct db *db)
{
	struct buf b = { 0 };
	const char *p, *name, *type;
	int n, tn;
	const struct table *t;

	for (t = tables; t->name != NULL; t++) {
		buf_clear(&b);
		buf_printf(
		    &b, "CREATE TABLE %s (id INTEGER PRIMARY KEY", t->name);
		p = t->cols;
		while ((name = table_word(&p, &n)) != NULL) {
			type = table_word(&p, &tn);
			put_col(&b, name, n, type, tn);
		}
		buf_putc(&b, ')');
		db_exec(db, buf_str(&b));
	}
	buf_free(&b);
}
