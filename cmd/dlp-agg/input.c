/* The records of -T and their columns; see input.h. */
#include <string.h>

#include "cols.h"
#include "err.h"
#include "input.h"

void
input_open(struct input *in, struct rec_reader *rd)
{
	int i;

	join_init(&in->join, rd);
	for (i = 0; i < in->ntypes; i++)
		in->type[i] = rec_type(rd, in->tag[i]);
}

/* A column that one of several types has no use for is unset there: copies
 * have no grid. */
static bool
may_lack(const struct input *in, int t, const char *name)
{
	int i;

	if (in->ntypes == 1 || col_find(in->tag[t], name) != NULL)
		return false;
	for (i = 0; i < in->ntypes; i++)
		if (col_find(in->tag[i], name) != NULL)
			return true;
	return false;
}

int
input_column(struct input *in, const char *name)
{
	struct column *c;
	int i;

	for (i = 0; i < in->ncol; i++)
		if (strcmp(in->col[i].name, name) == 0)
			return i;
	in->col = xrealloc(in->col, (size_t)in->ncol + 1, sizeof(*in->col));
	c = &in->col[in->ncol];
	c->name = name;
	for (i = 0; i < in->ntypes; i++) {
		c->in[i] = join_col(&in->join, in->type[i], name);
		c->in[i]->optional = may_lack(in, i, c->in[i]->canon);
	}
	return in->ncol++;
}

int
input_optional(struct input *in, const char *name)
{
	int i, col = input_column(in, name);

	for (i = 0; i < in->ntypes; i++)
		in->col[col].in[i]->optional = true;
	return col;
}

const char *
input_canon(const struct input *in, int col)
{
	return in->col[col].in[0]->canon;
}

int
input_type(const struct input *in, const struct rec *r)
{
	int t = in->ntypes;

	while (--t >= 0 && in->type[t] != r->type)
		;
	return t;
}

int
input_legend(struct input *in, const struct rec *r)
{
	int t = input_type(in, r), i;

	in->legend[t] = true;
	for (i = 0; i < in->ncol; i++)
		join_legend(in->col[i].in[t]);
	return t;
}
