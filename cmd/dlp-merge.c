/*
 * dlp-merge: joins parsed streams into one section, by time, or splits a stream
 * into its sections.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "align.h"
#include "array.h"
#include "buf.h"
#include "cli.h"
#include "cols.h"
#include "comm.h"
#include "err.h"
#include "esc.h"
#include "map.h"
#include "num.h"
#include "out.h"
#include "rec.h"
#include "stage.h"
#include "timeheap.h"
#include "words.h"

/*
 * A stream that is joined with others: its next line, that line's time, and
 * how it is written under the legends of all inputs.
 *
 * Each record type has one legend in the output, of the columns that it has in
 * any input. When an input brings a column that none had before, the legend
 * grows and is written again.
 */

#define MERGE_NO_TIME INT64_MIN
#define SHARED UINT64_MAX
#define SRC_LINE "##info\tsrc\t"

/* The record types of the output. */
struct merge_types {
	struct merge_type *type;
	struct smap tags; /* by number: its place in type */
	size_t cap;
	struct smap srcs; /* texts of src; value: the input's number + 1, or
			   * SHARED by several */
	int *from;        /* place in the output -> column of the record at
			   * hand, or -1 */
	size_t from_cap;
	int n_inputs;
	bool with_src, with_rank; /* records get a column src, rank */
};

struct merge_input {
	const char *name;
	int no;
	struct merge_types *types;
	struct rec_reader *rd;
	struct rec r; /* the next line, if live */
	bool live;
	uint64_t lost, surplus; /* records, by its ##end */
	/* the latest time of r and of all lines before it, on the common
	 * clock: a line without a time goes with the line before it */
	int64_t time;
	int64_t shift; /* added to its times for the common clock */
	bool has_t0;
	int64_t t0;
	struct buf head;  /* ##info lines before the first record */
	uint32_t src;     /* in srcs: the last file that they name */
	int n_src;        /* how many there are */
	bool sliced;      /* they say that --slice has aligned it */
	struct smap tags; /* of its types; number in legend */
	struct merge_legend **legend;
	size_t n_legend;
	struct mview *field; /* of r, if it is a record: raw text */
	int n_field, cap;
	const struct merge_legend *of; /* its legend */
	/* --ranks */
	const char *clock_by; /* what its clock was aligned by; NULL: nothing */
	int64_t n_coll, spread;
};

struct merge_type {
	char *tag;
	struct smap cols; /* of the output, by number: its place */
	int src, rank;    /* places; -1 */
	bool due;         /* the legend is to be written */
};

struct merge_legend {  /* of a type, in one input */
	uint32_t type; /* number in merge_types */
	struct merge_col {
		int to; /* place in the output */
		enum { COL_COPY, COL_TIME, COL_ID, COL_SRC, COL_RANK } how;
	} * col;
	int n;
	int start, api; /* columns with its time, -1 */
};

/* Points in time, which go to the common clock; all other _ns are lengths. */
static const char *const times[] = { "api_start_ns", "end_ns", "gpu_end_ns",
	"gpu_start_ns", "op_start_ns", "start_ns" };

static int
add_col(struct merge_type *u, const char *name, size_t n)
{
	bool is_new;
	uint32_t id = smap_put(&u->cols, name, n, &is_new);

	if (is_new)
		u->due = true;
	return (int)id;
}

/* What becomes of a column's values. Ids are numbers of a section; a column
 * that the registry declares as a text is none. */
static int
how_of(const struct merge_types *m, const char *tag, const char *name)
{
	const struct col_def *d = col_find(tag, name);
	size_t n = strlen(name);

	if (m->with_src && strcmp(name, "src") == 0)
		return COL_SRC;
	if (m->with_rank && strcmp(name, "rank") == 0)
		return COL_RANK;
	if (mv_listed(mv(name, name + n), times, ARRAY_LEN(times)))
		return COL_TIME;
	if (strcmp(name, "id") != 0 &&
	    (n < 4 || strcmp(name + n - 3, "_id") != 0))
		return COL_COPY;
	return d == NULL || d->kind == COL_INT || d->kind == COL_STR ? COL_ID
								     : COL_COPY;
}

/* A legend: tag s[0..n), its columns from the TAB on. */
static struct merge_legend *
read_legend(struct merge_types *m, const char *tag, size_t n, const char *cols,
    size_t len)
{
	struct merge_legend *l = xcalloc(1, sizeof(*l));
	const char *end = cols + len, *tab;
	struct merge_type *u;
	bool is_new;
	char *name;

	l->type = smap_put(&m->tags, tag, n, &is_new);
	if (is_new) {
		ARRAY_GROW(m->type, l->type, m->cap);
		m->type[l->type] = (struct merge_type){ .tag = xmemdup(tag, n),
			.src = -1,
			.rank = -1,
			.due = true };
	}
	u = &m->type[l->type];
	l->start = l->api = -1;
	for (; cols < end; cols = tab, l->n++) {
		tab = memchr(cols + 1, '\t', (size_t)(end - cols - 1));
		if (tab == NULL)
			tab = end;
		name = xmemdup(cols + 1, (size_t)(tab - cols - 1));
		l->col = xrealloc(l->col, (size_t)l->n + 1, sizeof(*l->col));
		l->col[l->n].to = add_col(u, name, strlen(name));
		l->col[l->n].how = how_of(m, u->tag, name);
		if (strcmp(name, "start_ns") == 0)
			l->start = l->n;
		if (strcmp(name, "api_start_ns") == 0)
			l->api = l->n;
		free(name);
	}
	if (m->with_src)
		u->src = add_col(u, "src", 3);
	if (m->with_rank)
		u->rank = add_col(u, "rank", 4);
	return l;
}

/* The file that a record is from: its own src, otherwise the only one that the
 * input names; behind the input's name where another input gave the same src
 * to another file. */
static void
put_src(const struct merge_input *in, const struct mview *f)
{
	struct smap *srcs = &in->types->srcs;
	struct buf b = { 0 };
	struct mview only = smap_view(srcs, in->src);
	uint32_t id;

	if (f == NULL || (f->n == 1 && f->s[0] == '-'))
		f = &only;
	if (f == &only && in->n_src != 1) {
		esc_put(&out_buf, in->name, strlen(in->name));
		return;
	}
	id = smap_put(srcs, f->s, f->n, NULL);
	if (srcs->val[id] == 0)
		srcs->val[id] = (uint64_t)in->no + 1;
	if (srcs->val[id] != (uint64_t)in->no + 1) {
		esc_put(&b, in->name, strlen(in->name));
		buf_putc(&b, ':');
		buf_put(&out_buf, b.s, b.len);
		buf_free(&b);
	}
	buf_put(&out_buf, f->s, f->n);
}

static void
put_column(const struct merge_input *in, const struct merge_col *c,
    const struct mview *f)
{
	int64_t v, n = in->types->n_inputs;
	bool number =
	    (c->how == COL_ID || c->how == COL_TIME) && num_i64(f->s, f->n, &v);

	if (c->how == COL_SRC)
		put_src(in, f);
	else if (c->how == COL_RANK)
		buf_i64(&out_buf, in->no);
	else if (number && c->how == COL_TIME)
		buf_i64(&out_buf, num_add(v, in->shift));
	else if (number && v >= 0 && v < INT64_MAX / n)
		buf_i64(&out_buf, v * n + in->no);
	else
		buf_put(&out_buf, f->s, f->n);
}

/* Writes r, a record, under the legend of the output: ids of different inputs
 * stay apart, times are moved to the common clock. */
static void
merge_put(const struct merge_input *in)
{
	struct merge_types *m = in->types;
	const struct merge_legend *l = in->of;
	struct merge_type *u = &m->type[l->type];
	int i, k, n = (int)u->cols.n;
	const char *s;
	size_t len;

	if (m->from_cap <= u->cols.n) {
		m->from_cap = u->cols.n * 2 + 1;
		m->from = xrealloc(m->from, m->from_cap, sizeof(*m->from));
	}
	for (i = 0; i < n; i++)
		m->from[i] = -1;
	for (k = 0; k < l->n; k++)
		m->from[l->col[k].to] = k;
	if (u->due) {
		buf_putc(&out_buf, '#');
		buf_puts(&out_buf, u->tag);
		for (i = 0; i < n; i++) {
			buf_putc(&out_buf, '\t');
			s = smap_str(&u->cols, (uint32_t)i, &len);
			buf_put(&out_buf, s, len);
		}
		buf_putc(&out_buf, '\n');
		u->due = false;
	}
	buf_puts(&out_buf, u->tag);
	for (i = 0; i < n; i++) {
		buf_putc(&out_buf, '\t');
		k = m->from[i];
		if (k >= 0)
			put_column(in, &l->col[k], &in->field[k]);
		else if (i == u->src)
			put_src(in, NULL);
		else if (i == u->rank)
			buf_i64(&out_buf, in->no);
		else
			buf_putc(&out_buf, '-');
	}
	out_end();
}

/* Takes a line of metadata before the first record; false if it is another
 * line. */
static bool
head_line(struct merge_input *in, struct buf *cmds)
{
	struct smap *srcs = &in->types->srcs;
	uint64_t *of, no = (uint64_t)in->no + 1;
	const char *w, *rest, *tab;
	size_t n, m, k;

	if (in->r.kind == REC_SECTION)
		return true;
	if (in->r.kind != REC_META)
		return false;
	w = rec_meta(&in->r, &n, &rest, &m);
	if (text_is(w, n, "cmd")) {
		buf_put(cmds, in->r.line, in->r.len);
		buf_putc(cmds, '\n');
		return true;
	}
	if (!text_is(w, n, "info"))
		return false;
	tab = memchr(rest, '\t', m);
	k = tab != NULL ? (size_t)(tab - rest) : m;
	if (tab != NULL && text_is(rest, k, "src")) {
		in->n_src++;
		in->src = smap_put(srcs, tab + 1, m - k - 1, NULL);
		of = &srcs->val[in->src];
		*of = *of == 0 || *of == no ? no : SHARED;
	}
	in->sliced |= text_is(rest, k, "slice");
	if (tab != NULL && text_is(rest, k, "t0_ns") && !in->has_t0)
		in->has_t0 = num_i64(tab + 1, m - k - 1, &in->t0);
	buf_put(&in->head, in->r.line, in->r.len);
	buf_putc(&in->head, '\n');
	return true;
}

/* Opens it and reads up to the first line that is no metadata; ##cmd lines
 * go to cmds. Trouble is fatal. */
static void
merge_open(struct merge_input *in, struct merge_types *types, const char *path,
    int no, struct buf *cmds)
{
	memset(in, 0, sizeof(*in));
	in->types = types;
	in->src = SMAP_NONE;
	in->rd = rec_open(path);
	in->name = rec_input_name(in->rd);
	in->no = no;
	in->time = MERGE_NO_TIME;
	in->n_coll = in->spread = MERGE_NO_TIME;
	do
		in->live = rec_next(in->rd, &in->r);
	while (in->live && head_line(in, cmds));
	if (!in->live && in->head.len == 0 && rec_complete(in->rd))
		die("%s: empty input", in->name);
}

static void
free_legend(struct merge_legend *l)
{
	if (l == NULL)
		return;
	free(l->col);
	free(l);
}

static void
merge_close(struct merge_input *in)
{
	size_t i;

	for (i = 0; i < in->n_legend; i++)
		free_legend(in->legend[i]);
	free(in->legend);
	free(in->field);
	smap_free(&in->tags);
	buf_free(&in->head);
	rec_close(in->rd);
}

static void
new_legend(struct merge_input *in)
{
	const char *tag = in->r.line + 1, *end = in->r.line + in->r.len;
	const char *tab = memchr(tag, '\t', (size_t)(end - tag));
	size_t n = (size_t)((tab != NULL ? tab : end) - tag);
	bool is_new;
	uint32_t id = smap_put(&in->tags, tag, n, &is_new);

	if (is_new) {
		in->legend = xrealloc(in->legend, in->n_legend + 1,
		    sizeof(struct merge_legend *));
		in->legend[in->n_legend++] = NULL;
	}
	free_legend(in->legend[id]);
	in->legend[id] =
	    read_legend(in->types, tag, n, tag + n, in->r.len - 1 - n);
}

static void
split_record(struct merge_input *in)
{
	const char *s = in->r.line, *end = s + in->r.len;
	const char *tab = memchr(s, '\t', in->r.len);
	size_t n = (size_t)((tab != NULL ? tab : end) - s);
	uint32_t id;

	id = smap_find(&in->tags, s, n);
	in->of = id != SMAP_NONE ? in->legend[id] : NULL;
	if (in->of == NULL)
		rec_die(&in->r, "record '%.*s' before its legend '#%.*s'",
		    (int)(n < 40 ? n : 40), s, (int)(n < 40 ? n : 40), s);
	in->n_field = 0;
	for (s += n; s < end; s = tab) {
		tab = memchr(s + 1, '\t', (size_t)(end - s - 1));
		if (tab == NULL)
			tab = end;
		ARRAY_GROW(in->field, in->n_field, in->cap);
		in->field[in->n_field++] =
		    (struct mview){ s + 1, (size_t)(tab - s - 1) };
	}
	if (in->n_field != in->of->n)
		rec_die(&in->r, "%d fields, %d in the legend", in->n_field,
		    in->of->n);
}

static bool
time_of(const struct merge_input *in, int col, int64_t *t)
{
	const struct mview *f;

	if (col < 0)
		return false;
	f = &in->field[col];
	if (f->n == 1 && f->s[0] == '-')
		return false;
	if (!num_i64(f->s, f->n, t))
		rec_die(&in->r, "no time: '%.*s'", (int)(f->n < 40 ? f->n : 40),
		    f->s);
	return true;
}

/* Takes in what r is: a legend, or a record and its time. */
static void
take_line(struct merge_input *in)
{
	int64_t t;

	if (in->r.kind == REC_SECTION)
		rec_die(
		    &in->r, "a second section: give each as a separate file");
	if (in->r.kind == REC_LEGEND)
		new_legend(in);
	if (in->r.kind != REC_DATA)
		return;
	split_record(in);
	if (!time_of(in, in->of->api, &t) && !time_of(in, in->of->start, &t))
		return;
	t = num_add(t, in->shift);
	if (t > in->time)
		in->time = t;
}

struct merge_run {
	int argc; /* for our ##cmd */
	char *const *argv;
	char **paths;
	int n;
	bool ranks; /* number the inputs, align their clocks by collectives */
	/* --slice: the inputs from this one on; the first of all is then
	 * in[0], to align the others, and is not written */
	int from;
	const char *slice;
	struct merge_input *in;
	struct merge_types types;
	struct comm_rules rules; /* which kernels are collectives; --ranks */
};

struct coll_ends { /* when collectives ended, by time */
	struct align_ev *v;
	size_t n, cap;
};

/* Reads the ends of collectives of a file. A pipe can be read only once, so
 * none are read of it. */
static void
read_ends(struct comm_rules *rules, struct coll_ends *e, const char *path)
{
	struct rec_reader *rd;
	struct rec_type *kern;
	const struct comm_type *type;
	struct buf tmp = { 0 };
	struct stat st;
	struct rec r;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	rd = rec_open(path);
	rec_quiet(rd);
	kern = rec_type(rd, "kern");
	rec_want(kern, REC_OPT, "start_ns dur_ns short");
	if (rules->types == NULL)
		comm_open(rules, NULL);
	while (rec_next(rd, &r)) {
		int64_t t, d;
		const char *s;
		size_t n;

		if (r.type != kern || r.kind != REC_DATA)
			continue;
		s = rec_text(&r, COL_short, &tmp, &n);
		type = s != NULL ? comm_find(rules, s, n) : NULL;
		if (type == NULL || !type->together ||
		    !rec_num(&r, COL_start_ns, &t) ||
		    !rec_length(&r, COL_dur_ns, &d))
			continue;
		ARRAY_GROW(e->v, e->n, e->cap);
		e->v[e->n++] =
		    (struct align_ev){ num_add(t, d), hash_bytes(s, n) };
	}
	rec_close(rd);
	buf_free(&tmp);
	if (e->n > 0)
		qsort(e->v, e->n, sizeof(*e->v), array_by_i64);
}

/* Sets shift of all inputs, so that their clocks are that of the first one: by
 * collectives that both have, otherwise by the UTC of their origins. The number
 * of those that nothing aligns. */
static uint64_t
align_all(struct merge_run *m)
{
	struct merge_input *first = &m->in[0], *in;
	struct coll_ends ref = { 0 };
	uint64_t lost = 0;

	first->clock_by = "reference";
	if (m->ranks && m->n > 1)
		read_ends(&m->rules, &ref, m->paths[0]);
	for (in = first + 1; in < first + m->n; in++) {
		bool utc = in->has_t0 && first->has_t0;
		int64_t hint = utc ? num_sub(in->t0, first->t0) : 0;
		struct coll_ends e = { 0 };
		struct align a = { 0 };

		if (ref.n > 0)
			read_ends(&m->rules, &e, m->paths[in->no]);
		if (align_find(
			ref.v, ref.n, e.v, e.n, utc ? &hint : NULL, &a)) {
			in->clock_by = "collectives";
			in->n_coll = (int64_t)a.n;
			in->spread = a.spread;
			in->shift = a.shift;
		} else if (first->sliced && in->sliced) {
			in->clock_by = "slice";
		} else if (utc) {
			in->clock_by = "utc";
			in->shift = hint;
		}
		lost += in->clock_by == NULL;
		free(e.v);
	}
	free(ref.v);
	return lost;
}

/* The facts of an input, behind its file's name. Where its clock was moved,
 * the facts of its own origin (t0_) no longer hold and are left out. */
static void
put_facts(const struct merge_input *in, bool name)
{
	const char *s = in->head.s, *end = s + in->head.len, *nl;
	struct mview f;

	if (name && in->n_src == 0) {
		buf_puts(&out_buf, SRC_LINE);
		esc_put(&out_buf, in->name, strlen(in->name));
		buf_putc(&out_buf, '\n');
	}
	for (; s < end; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		if (in->no > 0 && in->clock_by != NULL &&
		    strncmp(s, "##info\tt0_", 10) == 0)
			continue;
		if (strncmp(s, SRC_LINE, strlen(SRC_LINE)) == 0) {
			buf_puts(&out_buf, SRC_LINE);
			f = mv(s + strlen(SRC_LINE), nl);
			put_src(in, &f);
			buf_putc(&out_buf, '\n');
			continue;
		}
		buf_put(&out_buf, s, (size_t)(nl - s) + 1);
	}
}

static void
put_ranks(const struct merge_input *v, int n)
{
	struct out_type *t = out_type_reg("rank", "dlp-parse");
	int i;

	for (i = 0; i < n; i++) {
		out_rec(t);
		out_i64(v[i].no);
		if (out_next()) {
			buf_putc(&out_buf, '\t');
			put_src(&v[i], NULL);
		}
		out_raw("name", 4);
		out_raw(v[i].clock_by,
		    v[i].clock_by != NULL ? strlen(v[i].clock_by) : 0);
		out_i64(v[i].shift);
		out_opt(v[i].n_coll != MERGE_NO_TIME, v[i].n_coll);
		out_opt(v[i].spread != MERGE_NO_TIME, v[i].spread);
		out_end();
	}
}

/* Takes in the next line of an input, if there is one, until its turn comes. */
static void
hold_line(struct timeheap *h, struct merge_input *in)
{
	if (!in->live)
		return;
	take_line(in);
	timeheap_push(
	    h, (struct timed){ .at = in->time, .then = in->no, .p = in });
}

/* Writes all lines, by time; ties go to the first file. Legends and ends are
 * ours; with --ranks so are the rank records. */
static void
put_lines(struct merge_run *m)
{
	struct merge_input *in;
	struct timeheap h = { 0 };

	for (in = m->in; in < m->in + m->n; in++)
		hold_line(&h, in);
	while (h.n > 0) {
		in = timeheap_pop(&h).p;
		if (in->r.kind == REC_END) {
			in->lost = rec_lost(in->rd);
			in->surplus = rec_surplus(in->rd);
		}
		if (in->r.kind == REC_META)
			out_line(in->r.line, in->r.len);
		else if (in->r.kind == REC_DATA &&
			 !(m->ranks && memcmp(in->r.line, "rank\t", 5) == 0))
			merge_put(in);
		in->live = rec_next(in->rd, &in->r);
		hold_line(&h, in);
	}
	timeheap_free(&h);
}

/* Whether all inputs were whole; the first that was not is named. */
static bool
complete(const struct merge_input *v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!rec_complete(v[i].rd)) {
			warn("%s: input ended without ##end: the command before"
			     " failed or was cut off",
			    rec_where(v[i].rd));
			return false;
		}
	return true;
}

/* The exit status. */
static int
merge_all(struct merge_run *m)
{
	struct buf cmds = { 0 };
	bool whole = false, ok;
	uint64_t unaligned, lost = 0, surplus = 0;
	int i, ref = m->from > 0; /* in[0] is only the reference */
	size_t k;

	m->in = xcalloc((size_t)m->n, sizeof(*m->in));
	m->types.with_src = m->n > 1 || m->ranks;
	m->types.with_rank = m->ranks;
	for (i = 0; i < m->n; i++) {
		k = (size_t)(i > 0 && m->from > 0 ? m->from + i - 1 : i);
		merge_open(&m->in[i], &m->types, m->paths[k], (int)k, &cmds);
		whole |= !rec_is_fragment(m->in[i].rd);
	}
	unaligned = align_all(m);
	out_legends_again();
	if (whole) {
		out_meta("dlp", "%d", REC_FORMAT);
		buf_put(&out_buf, cmds.s, cmds.len);
		stage_cmd(m->argc, m->argv);
	}
	m->in[0].live &= ref == 0;
	for (i = ref; i < m->n && whole; i++)
		put_facts(&m->in[i], m->n > 1);
	if (whole && m->slice != NULL)
		out_meta("info", "slice\t%s", m->slice);
	if (m->ranks)
		put_ranks(m->in + ref, m->n - ref);
	put_lines(m);
	ok = complete(m->in + ref, m->n - ref);
	for (i = 0; i < m->n; i++) {
		lost += m->in[i].lost;
		surplus += m->in[i].surplus;
	}
	if (whole) {
		stage_note("clocks_unaligned", unaligned);
		stage_note_count(lost, surplus);
	}
	if (unaligned > 0)
		warn("%llu of %d inputs do not have the time of their"
		     " origin: their clocks are not aligned",
		    (unsigned long long)unaligned, m->n);
	if (whole && ok)
		stage_end_section();
	for (i = 0; i < m->n; i++)
		merge_close(&m->in[i]);
	free(m->in);
	for (k = 0; k < m->types.tags.n; k++) {
		free(m->types.type[k].tag);
		smap_free(&m->types.type[k].cols);
	}
	free(m->types.type);
	free(m->types.from);
	smap_free(&m->types.tags);
	smap_free(&m->types.srcs);
	comm_close(&m->rules);
	buf_free(&cmds);
	return ok ? EXIT_OK : EXIT_TROUBLE;
}

/* The sections of a stream that may still grow: DIR/1, DIR/2, ... What follows
 * the last ##end is a section that was cut off, and has its file, too. */
static int
split_file(int argc, char **argv, const char *dir)
{
	const char *name = cli_operand(argc, argv);
	struct buf path = { 0 };
	FILE *in = stdin, *out = NULL;
	char *line = NULL;
	size_t cap = 0;
	unsigned long no = 0;
	ssize_t n;

	if (name != NULL && strcmp(name, "-") != 0) {
		in = fopen(name, "r");
		if (in == NULL)
			die_errno("%s", name);
	}
	while ((n = getline(&line, &cap, in)) > 0) {
		if (out == NULL) {
			buf_clear(&path);
			buf_printf(&path, "%s/%lu", dir, ++no);
			out = fopen(buf_str(&path), "wx");
			if (out == NULL)
				die_errno("%s", buf_str(&path));
		}
		if (fwrite(line, 1, (size_t)n, out) != (size_t)n)
			die_errno("%s", buf_str(&path));
		if (strncmp(line, "##end", 5) != 0)
			continue;
		if (fclose(out) != 0)
			die_errno("%s", buf_str(&path));
		out = NULL;
		if (puts(buf_str(&path)) < 0 || fflush(stdout) != 0)
			die_errno("standard output");
	}
	if (ferror(in))
		die_errno("%s", name != NULL ? name : "standard input");
	if (out != NULL && (fclose(out) != 0 || puts(buf_str(&path)) < 0 ||
			       fflush(stdout) != 0))
		die_errno("%s", buf_str(&path));
	free(line);
	buf_free(&path);
	if (in != stdin)
		fclose(in);
	return 0;
}

/* K/N: the K-th of N slices of the inputs, which differ by one in length. */
static void
take_slice(struct merge_run *m)
{
	long k, n, all = m->n;
	char rest;

	if (!m->ranks || sscanf(m->slice, "%ld/%ld%c", &k, &n, &rest) != 2 ||
	    k < 1 || k > n || n > all)
		die("--slice: '%s' is not K/N, with K from 1 to N and N at most"
		    " the number of files (%ld), or --ranks is missing",
		    m->slice, all);
	m->from = (int)(all * (k - 1) / n);
	m->n = (int)(all * k / n) - m->from + (m->from > 0);
}

int
main(int argc, char **argv)
{
	char dash[] = "-", *std[] = { dash };
	struct merge_run m = { .argc = argc, .argv = argv };
	const char *dir = NULL;
	const struct cli_opt opts[] = { { 'r', "ranks", .flag = &m.ranks },
		{ 0, "split", .arg = &dir }, { 0, "slice", .arg = &m.slice },
		{ 0 } };
	bool unbuffered;

	cli_init("dlp-merge");
	unbuffered = cli_options(argc, argv, opts);
	if (dir != NULL)
		return split_file(argc, argv, dir);
	m.n = argc - optind;
	m.paths = argv + optind;
	if (m.n <= 1)
		(void)cli_operand(argc, argv);
	if (m.n == 0) {
		m.n = 1;
		m.paths = std;
	}
	if (m.ranks)
		natural_sort(m.paths, m.n);
	m.types.n_inputs = m.n;
	if (m.slice != NULL)
		take_slice(&m);
	out_open(unbuffered);
	return out_finish(merge_all(&m));
}
