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
	{ "diffcell", "diffcell",
	    "tag what side run iter even row name dir shapes type dur_ns "
	    "calls tc",
	    true },
	{ "diag", "diag", "start_ns severity text src", true },
	{ "mfu", "mfu", "iter mfu_pct hfu_pct step_ns known_pct src", false },
	{ "rank", "rank", "rank src rank_by clock_by shift_ns n_coll spread_ns",
	    false },
	{ "comm", "comm",
	    "iter rank dev n_comm comm_ns exposed_ns wait_ns gpu_start_ns "
	    "gpu_end_ns src",
	    false },
	{ "skew", "skew",
	    "iter n_rank start_skew_ns end_skew_ns len_skew_ns wait_ns slowest "
	    "src",
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
	    "spread_ns first last src",
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
	/* start_ns of a row that begins where the one before ends:
	 * html_path.c */
	{ "path", "path",
	    "iter kind res name op phase start_ns dur_ns n_seg src", true },
	{ "mem", "mem",
	    "start_ns pid dev op bytes addr kind space used_bytes iter phase "
	    "layer at api src",
	    true },
	/* of a large page: html_density.c */
	{ "pathsum", "", "iter kind op dur_ns n_seg src", true },
	{ "density", "",
	    "lane dev stream pid tid row class bucket ns n_begin src", true },
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

/* By the first type of the table that has the column. Those that no type has
 * are our own. */
static enum col_kind
kind_in(char *const *types, int n, const char *name)
{
	static const char *const own_texts[] = { "tag", "lane", "class", "kind",
		"op", "src" };
	int i;

	for (i = 0; i < n; i++)
		if (col_find(types[i], name) != NULL)
			return kind_of(types[i], name);
	for (i = 0; i < (int)ARRAY_LEN(own_texts); i++)
		if (strcmp(own_texts[i], name) == 0)
			return COL_TEXT;
	return COL_INT;
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
	c->least = INT64_MAX;
	c->most = INT64_MIN;
	if (!c->number)
		c->kind = HTML_TEXTS;
	else if (t->large && kind != COL_INT)
		c->kind = HTML_NUMBERS;
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

int
html_profile(const struct html *h)
{
	return h->section == 1 ? 0 : h->section == 2 && h->both ? 1 : -1;
}

const char *
html_field(const struct html *h, const struct rec *r,
    const struct rec_col *from, size_t *n)
{
	const char *s = rec_raw(r, from, n);

	if (strcmp(from->name, "src") != 0)
		return s;
	if (h->both) {
		s = html_profile(h) == 0 ? h->file : h->before;
		*n = strlen(s);
	} else if (s != NULL && h->private) {
		s = html_base_of_path(s, n);
	}
	return s;
}

static void
add_value(const struct html *h, struct html_col *c, const struct rec *r,
    const struct rec_col *from)
{
	int64_t v;
	double f;
	const char *s;
	size_t n;

	s = c->role == HTML_SRC ? html_field(h, r, from, &n)
				: rec_raw(r, from, &n);
	if (s == NULL)
		html_col_add_null(c);
	else if (!c->number)
		html_col_add_text(c, s, n);
	else if (c->kind != HTML_NUMBERS && num_i64(s, n, &v))
		html_col_add_i64(c, v);
	else if ((c->whole || c->kind == HTML_NUMBERS) &&
		 rec_f64(r, from, &f) && json_is_num(s, n))
		html_col_add_raw(c, s, n);
	else
		rec_die(r, "%s: not a %snumber: '%.*s'", from->name,
		    c->kind == HTML_NUMBERS ? "" : "whole ", (int)n, s);
}

/* Most ranges inside ops are shorter than this, and they would be a fifth of a
 * page. */
#define NEST_SHORTEST 3000

static bool
is_short(const struct html_source *s, const struct rec *r)
{
	int at = s->table->at[HTML_DUR];
	int64_t ns;

	return at >= 0 && rec_i64(r, s->from[at], &ns) && ns < NEST_SHORTEST;
}

/* Idle time by step and reason is small, and the first view needs it. */
static void
add_idle(struct html *h, const struct html_source *s, const struct rec *r)
{
	static const enum html_role keys[] = { HTML_ITER, HTML_CLASS,
		HTML_SRC };
	const int *at = s->table->at;
	struct html_sum *sum;
	int64_t ns;
	const char *v;
	size_t n;
	int k;

	for (k = 0; k < (int)ARRAY_LEN(keys); k++) {
		v = html_field(h, r, s->from[at[keys[k]]], &n);
		html_sums_field(&h->idle, v, n);
	}
	sum = html_sums_at(&h->idle);
	html_sums_add(sum, rec_i64(r, s->from[at[HTML_DUR]], &ns) ? ns : 0);
}

/* dlp-diff's records are of a section of both profiles; 2 is the first. */
static const char *
read_tag(struct html *h, const struct html_source *s, char section[16])
{
	if (s->is == HTML_IS_DIFF) {
		snprintf(section, 16, "%d", h->section - (h->before != NULL));
		return section;
	}
	if (html_profile(h) >= 0) {
		h->came[html_profile(h)] = true;
		return s->tag;
	}
	h->left_out += h->before == NULL || h->section != 2;
	return NULL;
}

static void
add_row(struct html *h, const struct html_source *s, const struct rec *r,
    const char *tag)
{
	struct html_table *t = s->table;
	struct html_col *c;
	int i;

	for (i = 0; i < t->ncol; i++) {
		c = &t->col[i];
		if (s->from[i] == NULL)
			html_col_add_text(c, tag, strlen(tag));
		else if (s->is == HTML_IS_PATH && c->role == HTML_START)
			html_path_start(h, s, r, c);
		else if (c->role == HTML_N_SEG &&
			 rec_view(r, s->from[i]).s == NULL)
			html_col_add_i64(c, 1);
		else
			add_value(h, c, r, s->from[i]);
	}
	t->n++;
}

static void
read_row(struct stage *st, struct rec *r)
{
	struct html *h = st->ctx;
	struct html_source *source = rec_arg(r);
	char section[16];
	const char *tag = read_tag(h, source, section);

	if (tag == NULL)
		return;
	if (source->is == HTML_IS_GAP)
		add_idle(h, source, r);
	if (source->is == HTML_IS_NEST && is_short(source, r)) {
		h->nest_short++;
		return;
	}
	if (source->is == HTML_IS_STABLE)
		html_cut_even(h, source, r);
	if (source->is == HTML_IS_PATH)
		html_path_add(h, source, r);
	if (!html_cut_takes(h, source, r))
		return;
	add_row(h, source, r, tag);
	html_cut_rows(h, source->table);
}

static enum html_is
is_of(const char *tag)
{
	static const char *const tags[] = { [HTML_IS_GAP] = "gap",
		[HTML_IS_NEST] = "nest",
		[HTML_IS_STABLE] = "stable",
		[HTML_IS_PATH] = "path" };
	size_t i;

	for (i = HTML_IS_GAP; i < ARRAY_LEN(tags); i++)
		if (strcmp(tags[i], tag) == 0)
			return (enum html_is)i;
	return strncmp(tag, "diff", 4) == 0 ? HTML_IS_DIFF : HTML_IS_OTHER;
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
	s->is = is_of(tag);
	if (s->is == HTML_IS_PATH)
		html_path_bind(&h->path, type);
	s->from = xcalloc((size_t)t->ncol, sizeof(struct rec_col *));
	for (i = 0; i < t->ncol; i++)
		if (strcmp(t->col[i].name, "tag") != 0)
			s->from[i] = rec_col(type, t->col[i].name,
			    is_needed(tag, t->col[i].name) ? REC_NEED
							   : REC_OPT);
}

static enum html_role
role_of(const char *name)
{
	static const char *const names[HTML_ROLES] = {
		[HTML_ITER] = "iter",
		[HTML_START] = "start_ns",
		[HTML_DUR] = "dur_ns",
		[HTML_NAME] = "name",
		[HTML_KIND] = "kind",
		[HTML_CLASS] = "class",
		[HTML_SRC] = "src",
		[HTML_N_SEG] = "n_seg",
	};
	enum html_role role = HTML_ITER;

	while (role < HTML_ROLES && strcmp(names[role], name) != 0)
		role++;
	return role;
}

static void
make_table(struct html *h, struct stage *st, const struct html_def *def)
{
	enum html_role role;
	struct html_table *t = &h->table[h->ntable++];
	int i, ncol, ntype;
	char **cols = words_of(def->cols, &ncol);
	char **types = words_of(def->types, &ntype);

	t->name = def->name;
	t->names = cols;
	t->large = def->large;
	t->col = xcalloc((size_t)ncol, sizeof(*t->col));
	for (i = 0; i < HTML_ROLES; i++)
		t->at[i] = -1;
	for (i = 0; i < ncol; i++) {
		if (h->private && is_secret(def->name, cols[i]))
			continue;
		role = role_of(cols[i]);
		if (role < HTML_ROLES)
			t->at[role] = t->ncol;
		t->col[t->ncol].role = role;
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
