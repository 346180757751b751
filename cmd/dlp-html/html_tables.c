/* Which records and columns a page has, and how they come into its tables. */
#include <stdio.h>
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
	{ "dev", "dev",
	    "dev name cc n_sm clock_hz mem_bytes membw_bytes_s "
	    "peaks peak_gb_s src",
	    false },
	{ "proc", "proc", "pid name src", false },
	{ "thread", "thread", "pid tid name src", false },
	{ "stable", "stable",
	    "n from to n_even median_ns mean_ns std_ns within_pct agree n_once "
	    "src",
	    false },
	{ "steps", "iter",
	    "iter key start_ns dur_ns gpu_start_ns gpu_end_ns gpu_ns step_ns "
	    "kern_ns n_kern n_op tc_ns comm_ns other_kern_ns graph_ns mem_ns "
	    "idle_ns src",
	    false },
	{ "busy", "busy", "iter dev class dur_ns union_ns after src", false },
	{ "phase", "phase",
	    "iter phase cpu_ns api_ns gpu_ns gpu_sum_ns idle_ns n_kern n_gpu "
	    "src",
	    false },
	{ "finding", "finding",
	    "id judged problem recommendation value threshold missing evidence "
	    "unit by share_pct part_of where ceiling_ns steps src",
	    false },
	{ "peak", "peak",
	    "dev space peak_bytes total_bytes start_ns iter phase layer at api "
	    "n_live before_bytes end_bytes n_alloc n_free src",
	    false },
	{ "memrange", "memrange",
	    "range dev space n peak_bytes alloc_bytes free_bytes n_alloc src",
	    false },
	/* tag: which of the comparisons */
	{ "diff", "diff",
	    "tag what by name dir shapes type a_ns b_ns diff_ns diff_pct "
	    "noise_ns change tc a_n b_n",
	    false },
	{ "diag", "diag", "start_ns severity text src", true },
	{ "mfu", "mfu", "iter mfu_pct hfu_pct step_ns known_pct src", false },
	{ "rank", "rank", "rank src rank_by clock_by shift_ns n_coll spread_ns",
	    false },
	{ "comm", "comm",
	    "iter rank dev n_comm comm_ns exposed_ns wait_ns gpu_start_ns "
	    "gpu_end_ns src",
	    false },
	{ "skew", "skew",
	    "iter n_rank start_skew_ns end_skew_ns len_skew_ns wait_ns slowest",
	    false },
	{ "work", "kern copy set graph",
	    "tag id start_ns dur_ns pid tid dev stream api api_start_ns "
	    "api_dur_ns op_id inst_id op dir layer phase why iter short grid "
	    "block regs smem_bytes dynsmem_bytes kind src_mem dst_mem flop "
	    "bytes dtype family tc tc_eligible tc_why lacks prim line code "
	    "peak_tflops peak_ns roof_ns exec_flop flop_ns bytes_ns bus_bytes "
	    "src",
	    true },
	{ "op", "op",
	    "op_id name mod op dir layer by shapes dtype args stack src",
	    true },
	{ "inst", "inst",
	    "inst_id op_id start_ns dur_ns pid tid gpu_ns overhead_ns idle_ns "
	    "n_kern n_gpu op dir phase iter src",
	    true },
	{ "range", "range", "id start_ns dur_ns pid tid text level iter src",
	    true },
	{ "nest", "nest", "start_ns dur_ns pid tid text src", true },
	{ "coll", "coll",
	    "id kind iter n_rank bytes comm_ns algbw_gb_s busbw_gb_s wait_ns "
	    "spread_ns first last",
	    true },
	{ "arrive", "arrive",
	    "coll_id kind iter rank start_ns dur_ns wait_ns "
	    "late_ns src",
	    true },
	{ "call", "call sync os",
	    "tag start_ns dur_ns pid tid dev stream api name kind api_start_ns "
	    "api_dur_ns iter src",
	    true },
	{ "gap", "gap",
	    "start_ns dur_ns dev iter class before after did what what_ns pid "
	    "tid phase layer op before_id whole_ns part range code src",
	    true },
	{ "mem", "mem",
	    "start_ns pid dev op bytes addr kind space used_bytes iter phase "
	    "layer at api src",
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

/* These are mostly dur_ns. */
static bool
is_based(const char *name)
{
	return strcmp(name, "whole_ns") == 0 || strcmp(name, "flop_ns") == 0 ||
	       strcmp(name, "bytes_ns") == 0 ||
	       strcmp(name, "overhead_ns") == 0;
}

/* dur_ns, if it stands before c. */
static const struct html_col *
base_of(const struct html_table *t, const struct html_col *c)
{
	const struct html_col *b;

	for (b = t->col; b < c; b++)
		if (strcmp(b->name, "dur_ns") == 0)
			return b;
	return NULL;
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
		     strcmp(c->name, "inst_id") == 0 ||
		     strcmp(c->name, "before_id") == 0))
		c->kind = HTML_STEPS;
	else if (t->large && is_based(c->name) && (c->base = base_of(t, c)))
		c->kind = HTML_BASED;
	/* small tables are read by people, too */
	c->whole |= !t->large;
}

const char *
html_base_of_path(const char *s, size_t *n)
{
	size_t i;

	for (i = *n; i > 0 && s[i - 1] != '/';)
		i--;
	*n -= i;
	return s + i;
}

static void
add_value(const struct html *h, struct html_col *c, const struct rec *r,
    const struct rec_col *from)
{
	int64_t v;
	double f;
	const char *s;
	size_t n;

	s = rec_raw(r, from, &n);
	if (s != NULL && h->private && strcmp(c->name, "src") == 0)
		s = html_base_of_path(s, &n);
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

/* Most ranges inside ops are shorter than this, and they would be a fifth of a
 * page. */
#define NEST_SHORTEST 3000

static bool
is_short(const struct html_source *s, const struct rec *r)
{
	int64_t ns;
	int i;

	for (i = 0; i < s->table->ncol; i++)
		if (strcmp(s->table->col[i].name, "dur_ns") == 0)
			return rec_i64(r, s->from[i], &ns) &&
			       ns < NEST_SHORTEST;
	return false;
}

/* Idle time by step and reason is small, and the first view needs it. */
static void
add_idle(struct html *h, const struct html_source *s, const struct rec *r)
{
	static const char *const keys[] = { "iter", "class", "src" };
	struct buf key = { 0 };
	int64_t ns = 0;
	uint32_t at;
	const char *v;
	size_t n;
	int i, k;

	for (k = 0; k < (int)ARRAY_LEN(keys); k++) {
		for (i = 0; strcmp(s->table->col[i].name, keys[k]) != 0;)
			i++;
		v = rec_raw(r, s->from[i], &n);
		if (k == 2 && v != NULL && h->private)
			v = html_base_of_path(v, &n);
		buf_putc(&key, '\t');
		buf_put(&key, v != NULL ? v : "-", v != NULL ? n : 1);
	}
	for (i = 0; strcmp(s->table->col[i].name, "dur_ns") != 0;)
		i++;
	at = smap_put(&h->idle, key.s, key.len, NULL);
	if (rec_i64(r, s->from[i], &ns))
		h->idle.val[at] += (uint64_t)ns;
	buf_free(&key);
}

static void
read_row(struct stage *st, struct rec *r)
{
	struct html *h = st->ctx;
	struct html_source *source = rec_arg(r);
	struct html_table *t = source->table;
	const char *tag = source->tag;
	char section[16];
	int i;

	if (strcmp(tag, "diff") == 0) {
		snprintf(section, sizeof(section), "%d", h->section);
		tag = section;
	} else if (h->section > 1) {
		h->left_out++;
		return;
	}
	if (strcmp(source->tag, "gap") == 0)
		add_idle(h, source, r);
	if (strcmp(source->tag, "nest") == 0 && is_short(source, r)) {
		h->nest_short++;
		return;
	}
	html_cut_even(h, source, r);
	if (!html_cut_takes(h, source, r))
		return;
	for (i = 0; i < t->ncol; i++)
		if (source->from[i] != NULL)
			add_value(h, &t->col[i], r, source->from[i]);
		else
			html_col_add_text(&t->col[i], tag, strlen(tag));
	t->n++;
	html_cut_work(h, t);
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
	html_cut_bind(h);
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
