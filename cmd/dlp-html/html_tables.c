/* Which records and columns a page has, and how they come into its tables. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "html.h"
#include "num.h"
#include "text_out.h"

/*
 * The tables. Columns have the names of dlp-records(5); a table of several
 * types has the columns that any of them has, and tag names the type. A large
 * table is a block of the page for each column, the others stand in its head,
 * because the first view needs them.
 */
static const struct html_def {
	const char *name, *types, *cols;
	bool large;
} html_defs[] = {
	{ "dev", "dev", "dev name cc n_sm clock_hz mem_bytes membw_bytes_s",
	    false },
	{ "proc", "proc", "pid name", false },
	{ "thread", "thread", "pid tid name", false },
	{ "stable", "stable",
	    "n from to n_even median_ns mean_ns std_ns within_pct agree n_once",
	    false },
	{ "steps", "iter",
	    "iter key start_ns dur_ns gpu_start_ns gpu_end_ns gpu_ns step_ns "
	    "kern_ns n_kern n_op",
	    false },
	{ "busy", "busy", "iter dev class dur_ns union_ns after", false },
	{ "phase", "phase",
	    "iter phase cpu_ns api_ns gpu_ns gpu_sum_ns idle_ns n_kern n_gpu",
	    false },
	{ "finding", "finding",
	    "id judged problem recommendation value threshold missing evidence "
	    "unit by share_pct part_of where ceiling_ns steps",
	    false },
	{ "peak", "peak",
	    "dev space peak_bytes total_bytes start_ns iter phase layer at api "
	    "n_live before_bytes end_bytes n_alloc n_free",
	    false },
	{ "memrange", "memrange",
	    "range dev space n peak_bytes alloc_bytes free_bytes n_alloc",
	    false },
	{ "diag", "diag", "start_ns severity text", false },
	{ "work", "kern copy set graph",
	    "tag id start_ns dur_ns pid tid dev stream api api_start_ns "
	    "api_dur_ns op_id inst_id op dir layer phase why iter short grid "
	    "block regs smem_bytes dynsmem_bytes kind src_mem dst_mem flop "
	    "bytes dtype family tc tc_eligible tc_why lacks prim line code "
	    "peak_tflops peak_ns roof_ns exec_flop flop_ns bytes_ns bus_bytes",
	    true },
	{ "op", "op", "op_id name mod op dir layer by shapes dtype args stack",
	    true },
	{ "inst", "inst",
	    "inst_id op_id start_ns dur_ns pid tid gpu_ns overhead_ns idle_ns "
	    "api_ns n_kern n_gpu op dir iter",
	    true },
	{ "range", "range", "id start_ns dur_ns pid tid text level iter",
	    true },
	{ "call", "call sync os",
	    "tag start_ns dur_ns pid tid dev stream api name kind api_start_ns "
	    "api_dur_ns iter",
	    true },
	{ "gap", "gap",
	    "start_ns dur_ns dev iter class before after did what what_ns pid "
	    "tid launch_ns phase layer op before_id whole_ns part range code",
	    true },
	{ "mem", "mem", "start_ns dev op bytes space used_bytes iter", true },
	{ "live", "live", "dev space bytes kind iter phase layer at api",
	    true },
};

/* With --private these are left out: they name the program, its paths and its
 * threads. */
static const struct html_secret {
	const char *table, *col;
} html_secrets[] = {
	{ "thread", "name" },
	{ "proc", "name" },
	{ "work", "line" },
	{ "work", "code" },
	{ "op", "stack" },
	{ "gap", "code" },
	{ "finding", "evidence" },
	{ "diag", "text" },
};

/* The words of a list that blanks separate; one free() for all. */
static char **
words_of(const char *list, int *n)
{
	size_t len = strlen(list) + 1;
	char **v = xcalloc(1, len / 2 * sizeof(*v) + sizeof(*v) + len);
	char *s = (char *)(v + len / 2 + 1), *save = NULL, *w;

	memcpy(s, list, len);
	*n = 0;
	for (w = strtok_r(s, " ", &save); w != NULL;
	     w = strtok_r(NULL, " ", &save))
		v[(*n)++] = w;
	return v;
}

static bool
is_secret(const char *table, const char *col)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(html_secrets); i++)
		if (strcmp(html_secrets[i].table, table) == 0 &&
		    strcmp(html_secrets[i].col, col) == 0)
			return true;
	return false;
}

/* By the first type of the table that has the column. */
static enum col_kind
kind_in(char *const *types, int n, const char *name)
{
	int i;

	for (i = 0; i < n; i++)
		if (col_find(types[i], name) != NULL)
			return kind_of(types[i], name);
	return COL_TEXT; /* tag */
}

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

static void
make_col(const struct html *h, struct html_col *c, const struct html_table *t,
    enum col_kind kind)
{
	c->number = kind_is_number(kind);
	c->whole = h->data;
	c->large = t->large;
	if (!c->number)
		c->kind = HTML_TEXTS;
	else if (t->large && kind == COL_INT &&
		 (ends_in(c->name, "start_ns") || strcmp(c->name, "id") == 0 ||
		     strcmp(c->name, "inst_id") == 0))
		c->kind = HTML_STEPS;
	/* small tables are read by people, too */
	c->whole |= !t->large;
}

static void
add_value(struct html_col *c, const struct rec *r, const struct rec_col *from)
{
	int64_t v;
	double f;
	const char *s;
	size_t n;

	s = rec_raw(r, from, &n);
	if (s == NULL)
		html_col_add_null(c);
	else if (!c->number)
		html_col_add_text(c, s, n);
	else if (num_i64(s, n, &v))
		html_col_add_i64(c, v);
	else if (rec_f64(r, from, &f) && json_is_num(s, n))
		html_col_add_raw(c, s, n);
	else
		rec_die(r, "%s: not a number: '%.*s'", from->name, (int)n, s);
}

static void
read_row(struct stage *st, struct rec *r)
{
	struct html *h = st->ctx;
	struct html_source *source = rec_arg(r);
	struct html_table *t = source->table;
	int i;

	if (h->section > 1) {
		h->left_out++;
		return;
	}
	for (i = 0; i < t->ncol; i++)
		if (source->from[i] != NULL)
			add_value(&t->col[i], r, source->from[i]);
		else
			html_col_add_text(
			    &t->col[i], source->tag, strlen(source->tag));
	t->n++;
}

/* Times of GPU work are what every view is made of. */
static bool
is_needed(const char *tag, const char *col)
{
	return (strcmp(tag, "kern") == 0 || strcmp(tag, "copy") == 0) &&
	       (strcmp(col, "dur_ns") == 0 || strcmp(col, "start_ns") == 0);
}

static void
bind_source(struct html *h, struct stage *st, struct html_table *t, char *tag)
{
	struct html_source *s = &h->source[h->nsource++];
	const struct type_def *def = type_find(tag);
	struct rec_type *type = stage_on(st, tag, read_row, NULL, s);
	int i;

	s->table = t;
	s->tag = def->type;
	s->from = xcalloc((size_t)t->ncol, sizeof(struct rec_col *));
	for (i = 0; i < t->ncol; i++)
		if (strcmp(t->col[i].name, "tag") != 0)
			s->from[i] = rec_col(type, t->col[i].name,
			    is_needed(tag, t->col[i].name) ? REC_NEED
							   : REC_OPT);
}

static void
make_table(struct html *h, struct stage *st, const struct html_def *def)
{
	struct html_table *t = &h->table[h->ntable++];
	int i, ncol, ntype;
	char **cols = words_of(def->cols, &ncol);
	char **types = words_of(def->types, &ntype);

	t->name = def->name;
	t->names = cols;
	t->large = def->large;
	t->col = xcalloc((size_t)ncol, sizeof(*t->col));
	for (i = 0; i < ncol; i++) {
		if (h->private && is_secret(def->name, cols[i]))
			continue;
		t->col[t->ncol].name = cols[i];
		make_col(
		    h, &t->col[t->ncol++], t, kind_in(types, ntype, cols[i]));
	}
	for (i = 0; i < ntype; i++)
		bind_source(h, st, t, types[i]);
	free(types);
}

void
html_tables_bind(struct html *h, struct stage *st)
{
	size_t i;

	h->table = xcalloc(ARRAY_LEN(html_defs), sizeof(*h->table));
	/* no table has more types than work */
	h->source = xcalloc(4 * ARRAY_LEN(html_defs), sizeof(*h->source));
	for (i = 0; i < ARRAY_LEN(html_defs); i++)
		make_table(h, st, &html_defs[i]);
}

void
html_tables_free(struct html *h)
{
	int i, k;

	for (i = 0; i < h->ntable; i++) {
		for (k = 0; k < h->table[i].ncol; k++)
			html_col_free(&h->table[i].col[k]);
		free(h->table[i].col);
		free(h->table[i].names);
	}
	for (i = 0; i < h->nsource; i++)
		free(h->source[i].from);
	free(h->table);
	free(h->source);
}
