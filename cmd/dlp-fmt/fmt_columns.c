/* Chooses the record type to print, and its columns. */
#include <stdlib.h>

#include "err.h"
#include "fmt.h"

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

/* True if records of the type can have all columns of -c; a column that the
 * registry does not know can be in any type. */
static bool
type_fits(const struct fmt *f, const char *type)
{
	int i;

	for (i = 0; i < f->nnames; i++) {
		const char *name = f->names[i];

		if (join_is_op(name))
			name += 3;
		if (!type_has(type, name) && !type_has(type, col_alias(name)) &&
		    (col_known(name) >= 0 || col_known(col_alias(name)) >= 0))
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

void
columns_add(
    struct fmt *f, const char *tag, const char *head, struct join_col *from)
{
	struct fmt_column *c;
	int i;

	f->col = xrealloc(f->col, (size_t)f->ncol + 1, sizeof(*f->col));
	c = &f->col[f->ncol++];
	*c = (struct fmt_column){ .head = head,
		.kind = kind_of(tag, from->canon),
		.from = from,
		.copy = strcmp(from->canon, "key") == 0 &&
			(strcmp(tag, "cand") == 0 || strcmp(tag, "op") == 0),
		.sparse = strcmp(from->canon, "code") == 0 };
	if (f->quotes == NULL)
		return;
	for (i = 0; i < f->nquotes; i++) /* the columns that are text */
		c->quote |= strcmp(f->quotes[i], head) == 0;
	c->kind = c->quote ? COL_TEXT : COL_NUM;
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

static void
add_own(struct fmt *f, struct rec_type *t, const char *name)
{
	char *kept = xmemdup(name, strlen(name));

	columns_add(f, rec_type_tag(t), kept, join_own(t, kept));
	f->col[f->ncol - 1].from->optional = true;
}

/* Those that a table shows, if the legend has any of them; otherwise all. */
void
columns_default(struct fmt *f, const struct rec *legend)
{
	struct rec_type *t = legend->type;
	const char *tag = rec_type_tag(t), *list = "", *name;
	size_t k;
	int n;

	if (f->sink->fitted)
		list = people_columns(tag);
	for (; *list != '\0' && *list != '\n'; list += k + (list[k] == ',')) {
		k = strcspn(list, ",\n");
		for (n = 0; n < rec_ncols(t); n++) {
			name = rec_colname(t, n);
			if (text_is(list, k, name)) {
				add_own(f, t, name);
				break;
			}
		}
	}
	if (f->ncol > 0)
		return;
	for (n = 0; n < rec_ncols(t); n++)
		add_own(f, t, rec_colname(t, n));
}
