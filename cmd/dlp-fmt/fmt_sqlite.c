/*
 * --sqlite: each record type is a table whose columns have the types of the
 * registry; what is unset is NULL. Records of a second section get the column
 * section, as ids are unique in a section only.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "dbwrite.h"
#include "err.h"
#include "esc.h"
#include "fmt.h"
#include "shipped.h"

struct sq_table {
	struct rec_type *type;
	sqlite3_stmt *insert; /* NULL: not prepared for this legend */
	enum col_kind *kind;
	bool made, by_section;
	struct smap cols; /* that the table has */
};

struct sq {
	struct dbw db;
	struct sq_table *table;
	size_t n, cap;
	int section;
	struct buf sql, text;
	uint64_t rows;
};

static void
put_name(struct buf *b, const char *name)
{
	buf_putc(b, '"');
	for (; *name != '\0'; name++) {
		if (*name == '"')
			buf_putc(b, '"');
		buf_putc(b, *name);
	}
	buf_putc(b, '"');
}

/* The table has the column from now on. */
static void
need_column(struct sq *q, struct sq_table *t, const char *tag, const char *name)
{
	enum col_kind kind = kind_of(tag, name);
	bool is_new;

	smap_put(&t->cols, name, strlen(name), &is_new);
	if (!is_new)
		return;
	buf_clear(&q->sql);
	buf_puts(&q->sql, t->made ? "ALTER TABLE " : "CREATE TABLE ");
	put_name(&q->sql, tag);
	buf_puts(&q->sql, t->made ? " ADD COLUMN " : "(");
	put_name(&q->sql, name);
	buf_puts(&q->sql, kind == COL_INT   ? " INTEGER"
			  : kind == COL_NUM ? " REAL"
					    : " TEXT");
	buf_puts(&q->sql, t->made ? "" : ")");
	dbw_exec(&q->db, buf_str(&q->sql));
	t->made = true;
}

static struct sq_table *
table_of(struct sq *q, struct rec_type *type)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (q->table[i].type == type)
			return &q->table[i];
	ARRAY_GROW(q->table, q->n, q->cap);
	q->table[q->n] = (struct sq_table){ .type = type };
	return &q->table[q->n++];
}

/* The statement that inserts a record of the legend. */
static void
on_legend(struct stage *st, struct rec *r)
{
	struct sq *q = st->ctx;
	struct sq_table *t = table_of(q, r->type);
	const char *tag = rec_type_tag(r->type), *name;
	int i, n = rec_ncols(r->type);

	sqlite3_finalize(t->insert);
	t->kind = xrealloc(t->kind, (size_t)n + 1, sizeof(*t->kind));
	for (i = 0; i < n; i++) {
		name = rec_colname(r->type, i);
		need_column(q, t, tag, name);
		t->kind[i] = kind_of(tag, name);
	}
	t->by_section = q->section > 1;
	if (t->by_section)
		need_column(q, t, tag, "section");
	buf_clear(&q->sql);
	buf_puts(&q->sql, "INSERT INTO ");
	put_name(&q->sql, tag);
	for (i = 0; i < n; i++) {
		buf_putc(&q->sql, i > 0 ? ',' : '(');
		put_name(&q->sql, rec_colname(r->type, i));
	}
	buf_puts(&q->sql, t->by_section ? ",section) VALUES(?" : ") VALUES(?");
	for (i = 1; i < n + t->by_section; i++)
		buf_puts(&q->sql, ",?");
	buf_putc(&q->sql, ')');
	t->insert = dbw_prepare(&q->db, buf_str(&q->sql));
}

static void
bind_field(struct sq *q, sqlite3_stmt *s, int at, struct mview v, bool number)
{
	int64_t i;
	double d;

	if (v.n == 1 && v.s[0] == '-') {
		sqlite3_bind_null(s, at);
	} else if (number && num_i64(v.s, v.n, &i)) {
		sqlite3_bind_int64(s, at, i);
	} else if (number && num_f64(v.s, v.n, &d)) {
		sqlite3_bind_double(s, at, d);
	} else {
		buf_clear(&q->text);
		esc_undo(&q->text, v.s, v.n);
		sqlite3_bind_text(s, at, buf_str(&q->text), (int)q->text.len,
		    SQLITE_TRANSIENT);
	}
}

static void
on_row(struct stage *st, struct rec *r)
{
	struct sq *q = st->ctx;
	struct sq_table *t = table_of(q, r->type);
	const char *const *field = rec_split(r);
	int i, n = rec_ncols(r->type);

	for (i = 0; i < n; i++)
		bind_field(q, t->insert, i + 1, mv(field[i], field[i + 1] - 1),
		    t->kind[i] == COL_INT || t->kind[i] == COL_NUM);
	if (t->by_section)
		sqlite3_bind_int(t->insert, n + 1, q->section);
	if (sqlite3_step(t->insert) != SQLITE_DONE)
		die("%s: %s", q->db.path, sqlite3_errmsg(q->db.sql));
	sqlite3_reset(t->insert);
	q->rows++;
}

static void
on_section(struct stage *st)
{
	((struct sq *)st->ctx)->section++;
}

/* What run.sql reads. */
static const char of_run[] =
    "iter,op,inst,kern,graph,copy,set,gap,finding,dev,str";

int
fmt_sqlite(struct fmt *f, const char *path, const char *script)
{
	static struct sq q;
	const struct type_def *d;
	struct sq_table *t;
	char **types = NULL;
	int n = 0, i, c, rc;
	size_t k;

	if (f->want_type != NULL)
		types = cli_list(f->want_type, &n);
	dbw_create(&q.db, path, NULL);
	dbw_catch_signals();
	f->st.ctx = &q;
	f->st.section = on_section;
	for (d = type_defs; types == NULL && d->type != NULL; d++)
		stage_on(&f->st, d->type, on_row, .legend = on_legend);
	for (i = 0; i < n; i++)
		stage_on(&f->st, types[i], on_row, .legend = on_legend);
	if (script != NULL) {
		free(types);
		types = cli_list(of_run, &n);
	}
	/* tables with all columns of the registry, so that it finds them */
	for (i = 0; i < n && script != NULL; i++) {
		d = type_find(types[i]);
		t = table_of(&q, rec_type(f->st.rd, types[i]));
		for (c = 0; d != NULL && c < d->n_col; c++)
			need_column(&q, t, types[i], d->cols[c].name);
	}
	rc = stage_run(&f->st);
	for (k = 0; k < q.n; k++)
		sqlite3_finalize(q.table[k].insert);
	for (i = 0; i < n && rc == EXIT_OK && q.n == 0; i++)
		if (type_find(types[i]) == NULL)
			type_die("-T", types[i]);
	free(types);
	if (rc != EXIT_OK) {
		dbw_drop(&q.db);
		return rc;
	}
	if (script != NULL)
		dbw_script(&q.db, shipped_text(script));
	else if (q.rows == 0)
		warn_input("no records in the input");
	dbw_finish(&q.db);
	return rc;
}
