/* Which records and columns a page has (tables.tab), and how they come into its
 * tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "html.h"
#include "num.h"
#include "text_out.h"

/* By the first type of the table that has the column. Those that no type has
 * are our own. */
static enum col_kind
kind_in(const struct html_source *s, const char *name)
{
	static const char *const own_texts[] = { "class", "kind", "lane", "op",
		"src", "tag" };

	for (; s->table != NULL; s++)
		if (col_find(s->tag, name) != NULL)
			return kind_of(s->tag, name);
	return mv_listed(mv(name, name + strlen(name)), own_texts,
		   ARRAY_LEN(own_texts))
		   ? COL_TEXT
		   : COL_INT;
}

/* How a large table holds the column. */
static enum html_kind
coding_of(struct html_col *c, const struct html_table *t, enum col_kind kind)
{
	static const char *const based[] = { /* these are mostly dur_ns */
		"whole_ns", "flop_ns", "bytes_ns", "overhead_ns"
	};
	struct mview name = { c->name, strlen(c->name) };
	const struct html_col *b;
	size_t i;

	if (kind != COL_INT)
		return HTML_NUMBERS;
	if (mv_ends(name, "start_ns") || mv_eq(name, "id") ||
	    mv_eq(name, "inst_id") || mv_eq(name, "before_id"))
		return HTML_STEPS;
	for (i = 0; i < ARRAY_LEN(based); i++)
		for (b = t->col; b < c && mv_eq(name, based[i]); b++)
			if (b->id == COL_dur_ns) {
				c->base = b;
				return HTML_BASED;
			}
	return HTML_PLAIN;
}

static void
make_col(const struct html *h, struct html_table *t, const char *name,
    const struct html_source *s)
{
	struct html_col *c = &t->col[t->ncol++];
	enum col_kind kind = kind_in(s, name);

	c->name = name;
	c->id = strcmp(name, "tag") == 0 ? HTML_TAG : col_id(name);
	c->number = kind_is_number(kind);
	/* small tables are read by people, too */
	c->whole = h->data || !t->large;
	c->large = t->large;
	c->least = INT64_MAX;
	c->most = INT64_MIN;
	if (!c->number)
		c->kind = HTML_TEXTS;
	else if (t->large)
		c->kind = coding_of(c, t, kind);
}

int
html_profile(const struct html *h)
{
	return h->section == 1 ? 0 : h->section == 2 && h->both ? 1 : -1;
}

struct mview
html_field(const struct html *h, const struct rec *r, int col)
{
	struct mview v = rec_get(r, col);
	size_t i = v.n;

	if (col == COL_src && h->both) {
		v.s = html_profile(h) == 0 ? h->file : h->before;
		v.n = strlen(v.s);
	} else if (col == COL_src && h->private) {
		while (i > 0 && v.s[i - 1] != '/')
			i--;
		v = (struct mview){ v.s + i, v.n - i };
	}
	return v;
}

static void
add_value(const struct html *h, struct html_col *c, const struct rec *r)
{
	struct mview v = html_field(h, r, c->id);
	int64_t no;
	double f;

	if (v.s == NULL)
		html_col_add_null(c);
	else if (!c->number)
		html_col_add_text(c, v.s, v.n);
	else if (c->kind != HTML_NUMBERS && num_i64(v.s, v.n, &no))
		html_col_add_i64(c, no);
	else if ((c->whole || c->kind == HTML_NUMBERS) &&
		 rec_real(r, c->id, &f) && json_is_num(v.s, v.n))
		html_col_add_raw(c, v.s, v.n);
	else
		rec_die(r, "%s: not a %snumber: '%.*s'", c->name,
		    c->kind == HTML_NUMBERS ? "" : "whole ", (int)v.n, v.s);
}

/* The sum of the record's iter, another column, and src. */
static struct html_sum *
sum_of(struct html *h, struct html_sums *m, const struct rec *r, int col)
{
	html_sums_field(m, html_field(h, r, COL_iter));
	html_sums_field(m, html_field(h, r, col));
	html_sums_field(m, html_field(h, r, COL_src));
	return html_sums_at(m);
}

/* Idle time by step and reason is small, and the first view needs it. So are
 * sums of the critical path. */
static void
add_sums(struct html *h, const struct html_source *s, const struct rec *r)
{
	struct html_sum *sum;
	int64_t ns = 0, longest;

	if (s->is == HTML_IS_GAP) {
		sum = sum_of(h, &h->idle, r, COL_class);
		html_sums_add(sum, rec_num_or(r, COL_dur_ns, 0));
	} else if (s->is == HTML_IS_PATH) {
		sum = sum_of(h, &h->critical, r, COL_kind);
		ns = rec_num_or(r, COL_dur_ns, 0);
		longest = rec_num_or(r, COL_max_ns, ns);
		sum->n += (uint64_t)rec_num_or(r, COL_n_seg, 1);
		sum->ns = num_add(sum->ns, ns);
		if (longest > sum->max)
			sum->max = longest;
	}
}

/* Most rows of the path begin where the one before ends: they have no start.
 * The first of a step has one, because the rows of steps before can be left
 * out. */
static void
add_path_start(struct html *h, const struct rec *r, struct html_col *c)
{
	int64_t seg = rec_num_or(r, COL_seg, -1);
	int64_t start = rec_num_or(r, COL_start_ns, 0);

	if (seg > 0 && seg == h->path_next && start == h->path_end && !h->data)
		html_col_add_null(c);
	else
		html_col_add_i64(c, start);
	h->path_end = num_add(start, rec_num_or(r, COL_dur_ns, 0));
	h->path_next = num_add(seg, rec_num_or(r, COL_n_seg, 1));
}

/* Most ranges inside ops are shorter than this, and they would be a fifth of a
 * page. */
#define NEST_SHORTEST 3000

static void
read_row(struct stage *st, struct rec *r)
{
	struct html *h = st->ctx;
	struct html_source *s = rec_arg(r);
	struct html_table *t = s->table;
	const char *tag = s->tag;
	struct html_col *c;
	char section[16];
	int64_t ns;

	/* dlp-diff's records are of a section of both profiles; 2 is the first
	 */
	if (s->is == HTML_IS_DIFF) {
		snprintf(section, sizeof(section), "%d",
		    h->section - (h->before != NULL));
		tag = section;
	} else if (html_profile(h) >= 0) {
		h->came[html_profile(h)] = true;
	} else {
		h->left_out += h->before == NULL || h->section != 2;
		return;
	}
	if (s->is == HTML_IS_NEST && rec_num(r, COL_dur_ns, &ns) &&
	    ns < NEST_SHORTEST) {
		h->nest_short++;
		return;
	}
	add_sums(h, s, r);
	if (s->is == HTML_IS_STABLE && !h->cut.even)
		h->cut.even = rec_num(r, COL_from, &h->cut.even_from) &&
			      rec_num(r, COL_to, &h->cut.even_to);
	if (!html_cut_takes(h, s, r))
		return;
	for (c = t->col; c < t->col + t->ncol; c++)
		if (c->id == HTML_TAG)
			html_col_add_text(c, tag, strlen(tag));
		else if (s->is == HTML_IS_PATH && c->id == COL_start_ns)
			add_path_start(h, r, c);
		else if (c->id == COL_n_seg && rec_get(r, COL_n_seg).s == NULL)
			html_col_add_i64(c, 1);
		else
			add_value(h, c, r);
	t->n++;
	html_cut_rows(h, t);
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

static void
read_source(struct stage *st, struct html_source *s)
{
	struct rec_type *type = stage_on(st, s->tag, read_row, .arg = s);
	const struct html_col *c;
	/* times of GPU work are what every view is made of */
	bool timed = strcmp(s->tag, "kern") == 0 || strcmp(s->tag, "copy") == 0;

	s->is = is_of(s->tag);
	if (s->is == HTML_IS_PATH)
		rec_want(type, REC_OPT, "seg n_seg max_ns");
	for (c = s->table->col; c < s->table->col + s->table->ncol; c++)
		if (c->id != HTML_TAG)
			rec_want_id(type,
			    timed && (c->id == COL_dur_ns ||
					 c->id == COL_start_ns)
				? REC_NEED
				: REC_OPT,
			    c->id);
}

/* A line of tables.tab. */
static void
read_table(struct html *h, struct stage *st, const struct wording_line *line)
{
	struct html_table *t = &h->table[h->ntable++];
	struct html_source *s = &h->source[h->nsource];
	char *word, *save = NULL, *types, *more = NULL;
	size_t n;

	t->name = line->part;
	t->col = xcalloc(strlen(line->text) / 2, sizeof(*t->col));
	t->large = strcmp(strtok_r(line->text, " ", &save), "large") == 0;
	types = strtok_r(NULL, " ", &save);
	for (word = strtok_r(types, ",-", &more); word != NULL;
	     word = strtok_r(NULL, ",-", &more))
		h->source[h->nsource++] = (struct html_source){ t, word, 0 };
	while ((word = strtok_r(NULL, " ", &save)) != NULL) {
		n = strlen(word) - 1;
		if (word[n] == '!' && h->private)
			continue;
		if (word[n] == '!')
			word[n] = '\0';
		make_col(h, t, word, s);
	}
	for (; s->table != NULL; s++)
		read_source(st, s);
	h->nsource++; /* one without a table ends them */
}

void
html_tables_read(struct html *h, struct stage *st)
{
	size_t i;

	wording_read(&h->defs, "tables.tab");
	h->table = xcalloc(h->defs.n, sizeof(*h->table));
	/* no table has more types than work */
	h->source = xcalloc(5 * h->defs.n, sizeof(*h->source));
	for (i = 0; i < h->defs.n; i++)
		read_table(h, st, &h->defs.line[i]);
	html_cut_begin(h);
}

void
html_tables_free(struct html *h)
{
	int i, k;

	for (i = 0; i < h->ntable; i++) {
		for (k = 0; k < h->table[i].ncol; k++)
			html_col_free(&h->table[i].col[k]);
		free(h->table[i].col);
	}
	free(h->table);
	free(h->source);
	wording_free(&h->defs);
}
