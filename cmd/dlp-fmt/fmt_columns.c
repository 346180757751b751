/* Chooses the record type to print, and its columns. */
#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "fmt.h"

/* The columns of these types in a table without -c; other forms show all
 * columns. */
static const struct {
	const char *type, *cols;
} table_cols[] = {
	{ "kern", "idx,iter,dir,op,short,params,dur_ns" },
	{ "op", "op_id,dir,mod,op,name,shapes" },
	{ "iter", "src,iter,key,start_ns,dur_ns,gpu_ns,step_ns,n_kern,n_op" },
	{ "inst", "inst_id,iter,dir,op,layer,dur_ns,gpu_ns,n_kern" },
	{ "range", "id,tid,domain,mode,text,start_ns,dur_ns" },
	{ "call", "id,tid,api,start_ns,dur_ns,n_gpu,op" },
	{ "diff", "name,dir,shapes,a_ns,b_ns,diff_ns,diff_pct,change,tc,"
		  "a_n,b_n" },
	{ "cand", "src,kind,op_id,dir,n,coverage_pct,mean_ns,var_pct,score,"
		  "iter_start,iter_stop,key" },
	{ "copy", "id,kind,bytes,dur_ns,src_mem,dst_mem,op" },
};

static bool
type_has(const char *type, const char *name)
{
	char id[128];
	const struct col_def *d = NULL;

	if (col_find(type, name) != NULL)
		return true;
	if (strlen(name) < sizeof(id) - 4) {
		strcpy(id, name);
		strcat(id, "_id");
		d = col_find(type, id);
	}
	if (d != NULL && d->kind == COL_STR)
		return true;
	return col_find(type, "op_id") != NULL && col_find("op", name) != NULL;
}

static bool
is_known(const char *name)
{
	const struct col_def *c;

	for (c = col_defs; c->type != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return true;
	return false;
}

/* True if records of the type can have all columns of -c; a column that the
 * registry does not know can be in any type. */
static bool
type_fits(const struct fmt *f, const char *type)
{
	int i;

	for (i = 0; i < f->nnames; i++) {
		const char *name = f->names[i];

		if (strncmp(name, "op.", 3) == 0)
			name += 3;
		if (!type_has(type, name) && !type_has(type, col_alias(name)) &&
		    (is_known(name) || is_known(col_alias(name))))
			return false;
	}
	return true;
}

void
columns_type(struct fmt *f)
{
	const struct type_def *t;

	f->std_type = "kern";
	if (f->want_type != NULL || type_fits(f, "kern"))
		return;
	for (t = type_defs; t->type != NULL; t++)
		if (type_fits(f, t->type)) {
			f->std_type = t->type;
			return;
		}
}

/* Marks the columns that are text, which --quote lists. */
static void
set_quote(const struct fmt *f, struct fmt_column *c)
{
	int i;

	for (i = 0; i < f->nquotes; i++)
		c->quote |= strcmp(f->quotes[i], c->head) == 0;
	c->kind = c->quote ? COL_TEXT : COL_NUM;
}

void
columns_add(
    struct fmt *f, const char *tag, const char *head, struct join_col *from)
{
	f->col = xrealloc(f->col, (size_t)f->ncol + 1, sizeof(*f->col));
	f->col[f->ncol] = (struct fmt_column){ head, kind_of(tag, from->canon),
		from, false, false, false };
	f->col[f->ncol].copy =
	    strcmp(from->canon, "key") == 0 &&
	    (strcmp(tag, "cand") == 0 || strcmp(tag, "op") == 0);
	f->col[f->ncol].sparse = strcmp(from->canon, "code") == 0;
	if (f->quotes != NULL)
		set_quote(f, &f->col[f->ncol]);
	f->ncol++;
}

void
columns_asked(struct fmt *f, struct rec_type *t)
{
	int i;

	f->col = NULL;
	f->ncol = 0;
	f->nhidden = 0;
	if (f->sink->columns != NULL) {
		f->sink->columns(f, t);
		return;
	}
	for (i = 0; i < f->nnames; i++)
		columns_add(f, rec_type_tag(t), f->names[i],
		    join_col(&f->join, t, f->names[i]));
}

/* The columns of the type that a table shows; NULL: all. */
static const char *
short_list(const struct fmt *f, const char *tag)
{
	size_t i;

	if (!f->sink->fitted)
		return NULL;
	for (i = 0; i < ARRAY_LEN(table_cols); i++)
		if (strcmp(table_cols[i].type, tag) == 0)
			return table_cols[i].cols;
	return NULL;
}

static void
add_own(struct fmt *f, struct rec_type *t, const char *s, size_t n)
{
	char *name = xmemdup(s, n);

	columns_add(f, rec_type_tag(t), name, join_own(t, name));
	f->col[f->ncol - 1].from->optional = true;
}

static bool
legend_has(const struct rec_type *t, const char *s, size_t n)
{
	int i;

	for (i = 0; i < rec_ncols(t); i++) {
		const char *name = rec_colname(t, i);

		if (strlen(name) == n && memcmp(name, s, n) == 0)
			return true;
	}
	return false;
}

void
columns_default(struct fmt *f, const struct rec *legend)
{
	struct rec_type *t = legend->type;
	const char *list = short_list(f, rec_type_tag(t));
	size_t k;
	int i;

	for (; list != NULL && *list != '\0'; list += k + (list[k] == ',')) {
		k = strcspn(list, ",");
		if (legend_has(t, list, k))
			add_own(f, t, list, k);
	}
	if (f->ncol > 0)
		return;
	for (i = 0; i < rec_ncols(t); i++)
		add_own(f, t, rec_colname(t, i), strlen(rec_colname(t, i)));
}
