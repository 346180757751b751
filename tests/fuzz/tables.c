/*
 * Broken databases. The fuzzer's bytes are a program that says what happens to
 * a copy of a good one: values of other types, ids twice, cycles, columns and
 * tables renamed or gone, pages cut off, bytes flipped.
 *
 * FUZZ_BASE: the good databases, one per line; the first byte chooses.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define MAX_BASES 8
#define MAX_COLUMNS 2048

struct program {
	const uint8_t *s, *end;
};

struct column {
	char *table, *name;
};

static struct base {
	unsigned char *image;
	sqlite3_int64 size;
	struct column col[MAX_COLUMNS];
	int n;
} bases[MAX_BASES];
static int nbases;

static void
find_columns(struct base *b, sqlite3 *db)
{
	sqlite3_stmt *st;

	sqlite3_prepare_v2(db,
	    "SELECT m.name, c.name FROM sqlite_master m,"
	    " pragma_table_info(m.name) c WHERE m.type = 'table'"
	    " ORDER BY 1, c.cid",
	    -1, &st, NULL);
	while (sqlite3_step(st) == SQLITE_ROW && b->n < MAX_COLUMNS) {
		b->col[b->n].table =
		    strdup((const char *)sqlite3_column_text(st, 0));
		b->col[b->n++].name =
		    strdup((const char *)sqlite3_column_text(st, 1));
	}
	sqlite3_finalize(st);
}

static bool
tables_base(const char *path)
{
	struct base *b = &bases[nbases];
	sqlite3 *db = NULL;

	if (nbases < MAX_BASES &&
	    sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) ==
		SQLITE_OK) {
		find_columns(b, db);
		b->image = sqlite3_serialize(db, "main", &b->size, 0);
	}
	sqlite3_close(db);
	if (b->image == NULL || b->n == 0)
		return false;
	nbases++;
	return true;
}

static unsigned
byte(struct program *p)
{
	return p->s < p->end ? *p->s++ : 0;
}

static int64_t
number(struct program *p, int n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | byte(p);
	return (int64_t)v;
}

static void
bind_bytes(struct program *p, sqlite3_stmt *st, bool text)
{
	size_t n = byte(p), have = (size_t)(p->end - p->s);

	n = n < have ? n : have;
	if (text)
		sqlite3_bind_text(
		    st, 1, (const char *)p->s, (int)n, SQLITE_TRANSIENT);
	else
		sqlite3_bind_blob(st, 1, p->s, (int)n, SQLITE_TRANSIENT);
	p->s += n;
}

static void
bind_value(struct program *p, sqlite3_stmt *st)
{
	static const int64_t odd[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1,
		INT32_MAX, (int64_t)1 << 31, (int64_t)1 << 53, INT64_MAX - 1,
		INT64_MAX };
	static const double real[] = { 0.5, -1.5, 1e300, -1e300, 9.3e18 };
	static const char *const text[] = { "", "-", "\t\n", "12x", "(", "{",
		"[[1", "\xff\xfe", "aten::mm, seq = 1, sizes = [[2, 3], [3",
		"\\x2d" };

	switch (byte(p) % 9) {
	case 0:
		sqlite3_bind_null(st, 1);
		break;
	case 1:
		sqlite3_bind_int64(st, 1, odd[byte(p) % 10]);
		break;
	case 2:
		sqlite3_bind_int64(st, 1, number(p, 1));
		break;
	case 3:
		sqlite3_bind_int64(st, 1, number(p, 4));
		break;
	case 4:
		sqlite3_bind_int64(st, 1, number(p, 8));
		break;
	case 5:
		sqlite3_bind_double(st, 1, real[byte(p) % 5]);
		break;
	case 6:
		sqlite3_bind_text(st, 1, text[byte(p) % 10], -1, SQLITE_STATIC);
		break;
	case 7:
		bind_bytes(p, st, true);
		break;
	default:
		bind_bytes(p, st, false);
	}
}

/* %c a column, %t its table, %r which rows, ? a value; of tables without
 * a rowid the statement fails, and nothing is done. */
static const char *const changes[] = {
	"UPDATE %t SET %c = ? WHERE %r",
	"UPDATE %t SET %c = ? WHERE %r",
	"UPDATE %t SET %c = ? WHERE %r",
	"UPDATE %t SET %c = ?",
	"UPDATE %t SET %c = CAST(%c AS TEXT) WHERE %r",
	"UPDATE %t SET %c = CAST(%c AS BLOB) WHERE %r",
	"UPDATE %t SET %c = -%c WHERE %r",
	"UPDATE %t SET %c = %c + ? WHERE %r",
	"UPDATE %t SET %c = (SELECT %c FROM %t LIMIT 1) WHERE %r",
	"UPDATE %t SET %c = rowid WHERE %r",
	"UPDATE %t SET %c = (SELECT max(rowid) FROM %t) - rowid",
	"DELETE FROM %t WHERE %r",
	"INSERT OR IGNORE INTO %t SELECT * FROM %t WHERE %r",
	"ALTER TABLE %t RENAME COLUMN %c TO other",
	"ALTER TABLE %t DROP COLUMN %c",
	"ALTER TABLE %t RENAME TO other",
	"DROP TABLE %t",
	"UPDATE %t SET %c = %c || ? WHERE %r",
};

static void
change(struct program *p, const struct base *b, sqlite3 *db)
{
	const char *s = changes[byte(p) % (sizeof(changes) / sizeof(*changes))];
	unsigned at = (unsigned)number(p, 2);
	const struct column *c = &b->col[at % (unsigned)b->n];
	unsigned row = byte(p);
	sqlite3_str *sql = sqlite3_str_new(db);
	sqlite3_stmt *st = NULL;
	char *text;

	for (; *s != '\0'; s++) {
		if (*s != '%')
			sqlite3_str_appendchar(sql, 1, *s);
		else if (*++s == 't')
			sqlite3_str_appendf(sql, "\"%w\"", c->table);
		else if (*s == 'c')
			sqlite3_str_appendf(sql, "\"%w\"", c->name);
		else if (row < 128)
			sqlite3_str_appendf(sql, "rowid = %u", row);
		else
			sqlite3_str_appendf(sql, "rowid %% %u = 0", row - 126);
	}
	text = sqlite3_str_finish(sql);
	if (sqlite3_prepare_v2(db, text, -1, &st, NULL) == SQLITE_OK) {
		if (sqlite3_bind_parameter_count(st) > 0)
			bind_value(p, st);
		while (sqlite3_step(st) == SQLITE_ROW)
			;
	}
	sqlite3_finalize(st);
	sqlite3_free(text);
}

static void
flip(struct program *p, unsigned char *s, size_t n)
{
	uint64_t at = (uint64_t)number(p, 3);

	if (n == 0)
		return;
	/* half of them in the header and the schema */
	if ((at & 1) != 0)
		at %= 4096;
	s[(at >> 1) % n] ^= (unsigned char)byte(p);
}

static unsigned char *
tables_break(const uint8_t *s, size_t n, size_t *size)
{
	struct program p = { s, s + n };
	unsigned n_base = nbases > 0 ? (unsigned)nbases : 1;
	const struct base *b = &bases[byte(&p) % n_base];
	unsigned what = byte(&p), k, flips = what >> 4 & 3;
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)b->size);
	sqlite3_int64 len = 0;
	sqlite3 *db;

	memcpy(copy, b->image, (size_t)b->size);
	sqlite3_open(":memory:", &db);
	sqlite3_deserialize(db, "main", copy, b->size, b->size,
	    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	for (k = what & 15; k > 0; k--)
		change(&p, b, db);
	copy = sqlite3_serialize(db, "main", &len, 0);
	sqlite3_close(db);
	for (k = what < 128 ? 0 : flips + 1; k > 0 && len > 0; k--)
		flip(&p, copy, (size_t)len);
	if (what >= 192 && (what & 15) < 4 && len > 4096)
		len -= len / 4096 * byte(&p) / 256 * 4096;
	*size = (size_t)len;
	return copy;
}

void
fuzz_input(int fd, const uint8_t *data, size_t n)
{
	unsigned char *s;
	size_t size;
	const char *bases_of = getenv("FUZZ_BASE");
	char *list = bases_of != NULL ? strdup(bases_of) : NULL, *base;

	if (list == NULL)
		_exit(2);
	if (nbases == 0)
		for (base = strtok(list, "\n"); base != NULL;
		     base = strtok(NULL, "\n"))
			if (!tables_base(base))
				_exit(2);
	free(list);
	s = tables_break(data, n, &size);
	if (write(fd, s, size) < 0)
		_exit(2);
	sqlite3_free(s);
}
