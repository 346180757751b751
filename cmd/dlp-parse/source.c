/* The tables that hold events, and their rows as events: a table says which
 * column becomes which member of struct event. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "profile.h"
#include "schema.h"

struct ev_source *
source_add(
    struct ev_sources *ss, enum ev_kind kind, const char *table, row_fn *row)
{
	struct ev_source *s;

	ARRAY_GROW(ss->v, ss->n, ss->cap);
	s = &ss->v[ss->n++];
	*s = (struct ev_source){ .of = ss,
		.kind = kind,
		.table = table,
		.row = row,
		.only_int = ss->only_int };
	return s;
}

void
sources_free(struct ev_sources *ss)
{
	store_free(&ss->sql);
	free(ss->v);
	memset(ss, 0, sizeof(*ss));
}

const char *
source_sql(struct ev_sources *ss, const char *fmt, ...)
{
	va_list ap;
	char *sql, *s;
	size_t n;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (sql == NULL)
		die("out of memory");
	n = strlen(sql) + 1;
	s = memcpy(store_text(&ss->sql, n), sql, n);
	sqlite3_free(sql);
	return s;
}

const char *
source_col(struct ev_sources *ss, const char *table, const char *name)
{
	return db_has_column(ss->db, table, name)
		   ? source_sql(ss, "\"%s\"", name)
		   : NULL;
}

bool
source_needs(struct ev_sources *ss, enum ev_kind kind, const char *table,
    const char *column)
{
	uint64_t n;

	if (db_has_column(ss->db, table, column))
		return true;
	n = db_count(ss->db, table);
	if (n > 0) {
		ss->lost_kinds |= 1u << kind;
		ss->bad_rows += n;
	}
	warn("%s: %s has no column '%s': not read, %" PRIu64 " row%s lost",
	    db_path(), table, column, n, n == 1 ? " is" : "s are");
	return false;
}

struct ev_source *
source_table(struct profile *p, const struct ev_table *t)
{
	struct ev_sources *ss = &p->sources;
	const char *names[ARRAY_LEN(t->cols)], *start = "", *end = NULL;
	struct ev_source *s;
	char *cols;
	int i;

	for (i = 0; t->cols[i].name != NULL; i++) {
		names[i] = t->cols[i].name;
		if (t->cols[i].as == AS_START)
			start = names[i];
		else if (t->cols[i].as == AS_END)
			end = names[i];
		if (ss->shown != NULL && !ss->shown(p, t->kind, names[i]))
			names[i] = "";
	}
	names[i] = NULL;
	if (!db_has_table(ss->db, t->name) ||
	    !source_needs(ss, t->kind, t->name, start))
		return NULL;
	s = source_add(ss, t->kind, t->name, t->row);
	s->layout = t;
	s->from = t->name;
	cols = db_cols(ss->db, t->name, names);
	s->cols = source_sql(ss, "%s", cols);
	free(cols);
	s->start = source_col(ss, t->name, start);
	s->end = end != NULL ? source_col(ss, t->name, end) : NULL;
	return s;
}

void
source_bad_row(const struct ev_source *s)
{
	s->of->bad_rows++;
}

bool
source_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct ev_col *c = s->layout->cols;
	enum ev_int only_int = s->only_int;
	/* most columns are numbers as they are */
	enum ev_as plain = only_int != INT_ALL ? AS_NUM : AS_NOTHING;
	const char *word;
	int64_t v;

	(void)ctx;
	ev->label = s->layout->label;
	for (col++; c->name != NULL; c++, col++) {
		if (c->as == AS_NOTHING)
			continue;
		if (c->as <= plain) {
			v = db_value(*col);
			memcpy((char *)ev + c->to, &v, sizeof(v));
			continue;
		}
		if (c->as == AS_TEXT) {
			ev->text = db_text(*col, &ev->text_len);
			continue;
		}
		v = only_int == INT_ALL ||
			    (only_int == INT_START && c->as == AS_START)
			? db_int(*col)
			: db_value(*col);
		switch (c->as) {
		case AS_START:
			if (v == EV_UNSET) {
				source_bad_row(s);
				return false;
			}
			break;
		case AS_NONZERO:
			v = v == 0 ? EV_UNSET : v;
			break;
		case AS_ID32:
			v = v == -1 ? EV_UNSET : v;
			/* FALLTHROUGH */
		case AS_U32:
			v = v == UINT32_MAX ? EV_UNSET : v;
			break;
		case AS_WORD:
			word = v >= c->words->first && v < c->words->end
				   ? c->words->v[v - c->words->first]
				   : NULL;
			memcpy((char *)ev + c->to, &word, sizeof(word));
			continue;
		case AS_PROCESS:
		case AS_THREAD:
			if (v != EV_UNSET)
				ev->pid = gid_pid(v);
			if (v != EV_UNSET && c->as == AS_THREAD)
				ev->tid = gid_tid(v);
			continue;
		default:
			break;
		}
		memcpy((char *)ev + c->to, &v, sizeof(v));
	}
	if (s->of->zero_untimed && ev->start == 0) {
		s->of->untimed++;
		ev->end = ev->end == 0 ? 0 : EV_UNSET;
		return true;
	}
	/* times from the profile's origin */
	ev->start = num_sub(ev->start, s->of->t0);
	if (ev->end != EV_UNSET)
		ev->end = num_sub(ev->end, s->of->t0);
	return true;
}
