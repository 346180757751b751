/*
 * Records of SQLite's file format (sqlite.org/fileformat2.html, section 2):
 * a header of types, then the values. Only the columns that were asked for
 * are decoded, and nothing behind the last of them.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "err.h"
#include "raw.h"
#include "raw_tree.h"

#define MAX_TABLE 128 /* columns of a table */

struct raw_plan {
	struct raw raw;
	signed char want[MAX_TABLE]; /* place in v, 0: not wanted */
	bool alias[MAX_TABLE];       /* may stand for the row's id */
	int last;                    /* last column that is wanted */
};

static uint32_t
root_of(sqlite3 *db, const char *table)
{
	sqlite3_stmt *st;
	int64_t root = 0;

	st = db_prepare(db,
	    "SELECT rootpage FROM sqlite_master WHERE type = 'table'"
	    " AND name = ?1 COLLATE NOCASE");
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	if (db_step(st))
		root = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
}

static int
place(const char *const *names, const char *name)
{
	int i;

	for (i = 0; names[i] != NULL; i++)
		if (sqlite3_stricmp(names[i], name) == 0)
			return i + 1;
	return 0;
}

/* Where the wanted columns stand. Not for generated columns, which are not
 * stored, nor for defaults, which short records imply. */
static bool
make_plan(struct raw_plan *p, sqlite3 *db, const char *table,
    const char *const *names)
{
	sqlite3_stmt *st;
	bool ok = true;
	int i, at;

	p->last = -1;
	st = db_prepare(db, "SELECT name, type, pk, hidden, dflt_value FROM"
			    " pragma_table_xinfo(?1) ORDER BY cid");
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	for (i = 0; ok && db_step(st); i++) {
		at = place(names, (const char *)sqlite3_column_text(st, 0));
		if (i >= MAX_TABLE || sqlite3_column_int(st, 3) != 0 ||
		    (at > 0 && sqlite3_column_type(st, 4) != SQLITE_NULL)) {
			ok = false;
			break;
		}
		p->want[i] = (signed char)at;
		p->alias[i] =
		    sqlite3_column_int(st, 2) == 1 &&
		    sqlite3_stricmp((const char *)sqlite3_column_text(st, 1),
			"INTEGER") == 0;
		if (at > 0)
			p->last = i;
	}
	sqlite3_finalize(st);
	return ok;
}

struct raw *
raw_open(sqlite3 *db, const char *table, const char *const *names)
{
	struct raw_plan *p;
	int i;

	for (i = 0; names[i] != NULL; i++)
		if (i + 2 > RAW_COLS)
			return NULL;
	p = xcalloc(1, sizeof(*p));
	if (make_plan(p, db, table, names))
		p->raw.tree = raw_tree_open(db, table, root_of(db, table));
	if (p->raw.tree == NULL) {
		free(p);
		return NULL;
	}
	for (i = 0; i < RAW_COLS; i++)
		p->raw.v[i].i = INT64_MIN;
	return &p->raw;
}

static int64_t
big_endian(const unsigned char *p, size_t n)
{
	uint64_t x = p[0] & 0x80 ? UINT64_MAX : 0;
	uint32_t w;

	if (n >= 4) { /* most are times */
		w = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
		    (uint32_t)p[2] << 8 | p[3]; /* one load */
		x = x << 32 | w;
		p += 4;
		n -= 4;
	}
	for (; n > 0; n--)
		x = x << 8 | *p++;
	return (int64_t)x;
}

/* The bytes of a value of this type in the record; types 10 and 11 are
 * reserved: they make the record too long. */
static size_t
type_size(uint64_t type)
{
	static const unsigned char sizes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0,
		255, 255 };

	return type < 12 ? sizes[type] : (size_t)((type - 12) / 2);
}

static void
set_value(struct raw_val *v, uint64_t type, const unsigned char *p, size_t n)
{
	v->s = (const char *)p;
	v->n = (uint32_t)n;
	v->type = RAW_INT;
	if (type == 0) {
		v->type = RAW_NULL;
		v->i = INT64_MIN;
	} else if (type <= 6)
		v->i = big_endian(p, n);
	else if (type == 7)
		v->type = RAW_REAL;
	else if (type <= 9)
		v->i = (int64_t)type - 8;
	else
		v->type = type & 1 ? RAW_TEXT : RAW_BLOB;
}

struct scan {
	const unsigned char *h, *hend; /* the header */
	size_t at;                     /* of the next value */
};

static void
begin(const struct raw_plan *p, const unsigned char *rec, size_t have,
    struct scan *s)
{
	uint64_t n;

	s->h = raw_varint(rec, rec + have, &n);
	if (s->h == NULL || n > have || (size_t)(s->h - rec) > n)
		raw_tree_malformed(p->raw.tree);
	s->hend = rec + n;
	s->at = (size_t)n;
}

/* Decodes what is wanted from the first `have` bytes of the record; false if
 * that is not enough. */
static bool
decode(struct raw_plan *p, const unsigned char *rec, size_t have, size_t size)
{
	struct scan s;
	uint64_t type;
	size_t n;
	int i;

	begin(p, rec, have, &s);
	for (i = 0; i <= p->last && s.h < s.hend; i++, s.at += n) {
		if (*s.h < 0x80)
			type = *s.h++;
		else if ((s.h = raw_varint(s.h, s.hend, &type)) == NULL)
			raw_tree_malformed(p->raw.tree);
		n = type_size(type);
		if (n > size - s.at)
			raw_tree_malformed(p->raw.tree);
		if (p->want[i] == 0)
			continue;
		if (s.at + n > have)
			return false;
		set_value(&p->raw.v[p->want[i]], type, rec + s.at, n);
		if (type == 0 && p->alias[i])
			p->raw.v[p->want[i]] = p->raw.v[0];
	}
	for (; i <= p->last; i++) /* a column added later */
		if (p->want[i] != 0)
			set_value(&p->raw.v[p->want[i]], 0, rec, 0);
	return true;
}

/* Whether the record's header is in the leaf; else all of it is fetched. */
static bool
header_local(const struct raw_cell *c)
{
	uint64_t n;

	return raw_varint(c->p, c->p + c->local, &n) != NULL && n <= c->local;
}

bool
raw_next(struct raw *r)
{
	struct raw_plan *p = (struct raw_plan *)r;
	struct raw_cell c;

	if (!raw_tree_next(r->tree, &c))
		return false;
	r->v[0].type = RAW_INT;
	r->v[0].i = c.rowid;
	if (!header_local(&c) || !decode(p, c.p, c.local, c.size))
		decode(p, raw_tree_whole(r->tree, &c), c.size, c.size);
	return true;
}

void
raw_close(struct raw *r)
{
	if (r == NULL)
		return;
	raw_tree_close(r->tree);
	free((struct raw_plan *)r);
}

static int64_t
from_real(const char *s)
{
	uint64_t bits = (uint64_t)big_endian((const unsigned char *)s, 8);
	double d;

	memcpy(&d, &bits, sizeof(d));
	if (d <= -9.2233720368547758e18)
		return INT64_MIN;
	if (d >= 9.2233720368547758e18)
		return INT64_MAX;
	return d == d ? (int64_t)d : 0;
}

int64_t
raw_convert(const struct raw_val *v)
{
	char t[32];
	size_t n = v->n < sizeof(t) - 1 ? v->n : sizeof(t) - 1;

	if (v->type == RAW_INT || v->type == RAW_NULL)
		return v->i;
	if (v->type == RAW_REAL)
		return from_real(v->s);
	memcpy(t, v->s, n);
	t[n] = '\0';
	return strtoll(t, NULL, 10);
}
