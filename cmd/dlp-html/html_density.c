/*
 * How full each lane of the timeline is: for each of 4096 pieces of the
 * profile's time, and each class of work, the time that it takes there. A large
 * page has this as a table, so that the first picture needs no table with a row
 * for each piece of work. The viewer has the same lanes (54_lanes.js).
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "html.h"

#define MOST_BARS 90      /* all of them: 6 MB */
#define LEAST_ROWS 100000 /* below that the browser draws the rows as fast */
#define MOST_ROWS_DEEP 8  /* ranges inside ranges; deeper ones share a lane */

enum { IS_GPU, IS_IDLE, IS_PATH, IS_RANGES, IS_LAUNCH, IS_CALL, IS_WAIT };

static const char *const lane_names[] = { [IS_GPU] = "gpu",
	[IS_IDLE] = "idle",
	[IS_PATH] = "path",
	[IS_RANGES] = "ranges",
	[IS_LAUNCH] = "launch",
	[IS_CALL] = "call",
	[IS_WAIT] = "wait" };

/* What tells lanes apart; unset members are NONE. */
#define NONE INT64_MIN
enum { BY_DEV, BY_STREAM, BY_PID, BY_TID, BY_ROW, BY_SRC, BYS };

/* A lane's time of one class. whole: differences of the number of pieces that
 * take all of a bucket. */
struct bar {
	int lane;
	int64_t by[BYS];
	const char *class;
	uint64_t ns[HTML_BUCKETS];
	uint32_t n[HTML_BUCKETS];
	int32_t whole[HTML_BUCKETS + 1];
};

struct density {
	struct html_density *is;
	struct bar *bar[MOST_BARS];
	int n, last;
	struct smap src;
	bool fits;
};

/* The rows of a table, some of its columns. */
enum { START, DUR, DEV, STREAM, PID, TID, SRC, KIND, MORE, TC, COLS };

struct rows {
	const struct html_table *t;
	uint64_t left;
	struct html_walk *walk[COLS];
	struct html_col *col[COLS];
	int64_t v[COLS];
	bool is[COLS];
};

/* The lanes, their tables and columns. Those of ranges come last, as they are
 * one. */
static const struct lane {
	const char *table;
	int is;
	const char *cols[COLS]; /* NULL: none */
} lanes[] = {
	{ "work", IS_GPU,
	    { "start_ns", "dur_ns", "dev", "stream", "pid", NULL, "src", "tag",
		"dir", "tc" } },
	{ "work", IS_LAUNCH,
	    { "api_start_ns", "api_dur_ns", NULL, NULL, "pid", "tid", "src" } },
	{ "call", IS_CALL,
	    { "start_ns", "dur_ns", NULL, NULL, "pid", "tid", "src", "tag" } },
	{ "gap", IS_IDLE,
	    { "start_ns", "dur_ns", "dev", NULL, NULL, NULL, "src", "class" } },
	{ "path", IS_PATH,
	    { "start_ns", "dur_ns", NULL, NULL, NULL, NULL, "src", "kind" } },
	{ "inst", IS_RANGES,
	    { "start_ns", "dur_ns", NULL, NULL, "pid", "tid", "src" } },
	{ "nest", IS_RANGES,
	    { "start_ns", "dur_ns", NULL, NULL, "pid", "tid", "src" } },
	{ "range", IS_RANGES,
	    { "start_ns", "dur_ns", NULL, NULL, "pid", "tid", "src" } },
};
#define RANGES 3 /* lanes of them */

static struct html_table *
table_named(const struct html *h, const char *name)
{
	int i = 0;

	while (strcmp(h->table[i].name, name) != 0)
		i++;
	return &h->table[i];
}

/* The first n columns. */
static void
begin_rows(struct rows *r, const struct html *h, const struct lane *lane, int n)
{
	struct html_col *c;
	int i;

	memset(r, 0, sizeof(*r));
	r->t = table_named(h, lane->table);
	r->left = r->t->n;
	for (i = 0; i < n; i++)
		for (c = r->t->col; c < r->t->col + r->t->ncol; c++)
			if (lane->cols[i] != NULL && c->set &&
			    strcmp(c->name, lane->cols[i]) == 0) {
				r->col[i] = c;
				r->walk[i] = html_walk_begin(c, r->t->n);
			}
}

static bool
next_row(struct rows *r)
{
	int i;

	if (r->left == 0)
		return false;
	r->left--;
	for (i = 0; i < COLS; i++)
		r->is[i] =
		    r->walk[i] != NULL && html_walk_next(r->walk[i], &r->v[i]);
	if (!r->is[DUR] || r->v[DUR] < 0)
		r->v[DUR] = 0;
	return true;
}

static void
end_rows(struct rows *r)
{
	int i;

	for (i = 0; i < COLS; i++)
		html_walk_end(r->walk[i]);
}

/* The text of a column in the row, or "". */
static const char *
text_of(const struct rows *r, int col)
{
	size_t n;

	return r->is[col]
		   ? smap_str(&r->col[col]->texts, (uint32_t)r->v[col], &n)
		   : "";
}

static bool
is_text(const struct rows *r, int col, const char *s)
{
	return strcmp(text_of(r, col), s) == 0;
}

static int64_t
number_of(const struct rows *r, int col)
{
	return r->is[col] ? r->v[col] : NONE;
}

static int64_t
source_of(struct density *d, const struct rows *r)
{
	const char *s = text_of(r, SRC);

	return r->is[SRC] ? (int64_t)smap_put(&d->src, s, strlen(s), NULL)
			  : NONE;
}

/* NULL: there are too many. */
static struct bar *
bar_at(struct density *d, int lane, const int64_t by[BYS], const char *class)
{
	struct bar *b = d->n > 0 ? d->bar[d->last] : NULL;
	int i = -1;

	while (b == NULL || b->lane != lane ||
	       memcmp(b->by, by, sizeof(b->by)) != 0 ||
	       strcmp(b->class, class) != 0) {
		if (++i == d->n)
			break;
		b = d->bar[i];
	}
	if (i < d->n) {
		d->last = i < 0 ? d->last : i;
		return b;
	}
	if (d->n == MOST_BARS) {
		d->fits = false;
		return NULL;
	}
	b = d->bar[d->last = d->n++] = xcalloc(1, sizeof(*b));
	b->lane = lane;
	memcpy(b->by, by, sizeof(b->by));
	b->class = class;
	return b;
}

/* row: of a lane with several of them, or NONE. */
static void
add_piece(struct density *d, const struct rows *r, int lane, int64_t row,
    const char *class, int64_t start)
{
	const int64_t by[BYS] = { number_of(r, DEV), number_of(r, STREAM),
		number_of(r, PID), number_of(r, TID), row, source_of(d, r) };
	struct bar *b = bar_at(d, lane, by, class);
	uint64_t wide = (uint64_t)d->is->wide;
	uint64_t from = (uint64_t)start - (uint64_t)d->is->from;
	uint64_t to = from + (uint64_t)r->v[DUR];
	uint64_t first = from / wide, last = to / wide;

	if (b == NULL || last >= HTML_BUCKETS || first > last)
		return;
	b->n[first]++;
	if (first == last) {
		b->ns[first] += to - from;
		return;
	}
	b->ns[first] += (first + 1) * wide - from;
	b->ns[last] += to - last * wide;
	b->whole[first + 1]++;
	b->whole[last]--;
}

static const char *
class_of(const struct rows *r, int lane)
{
	if (lane == IS_IDLE || lane == IS_PATH)
		return text_of(r, KIND);
	if (lane != IS_GPU)
		return "";
	if (is_text(r, MORE, "comm"))
		return "comm";
	if (is_text(r, KIND, "copy") || is_text(r, KIND, "set"))
		return "mem";
	if (is_text(r, KIND, "graph"))
		return "graph";
	return is_text(r, TC, "yes") ? "tc" : "kern";
}

/* A row of the path without a start begins where the one before ends. */
static void
add_lane(struct density *d, const struct html *h, const struct lane *lane)
{
	struct rows r;
	int64_t start = 0;
	bool known = false;

	begin_rows(&r, h, lane, COLS);
	while (next_row(&r)) {
		if (r.is[START])
			start = r.v[START];
		known = r.is[START] || (known && lane->is == IS_PATH);
		if (known)
			add_piece(d, &r,
			    lane->is == IS_CALL && is_text(&r, KIND, "os")
				? IS_WAIT
				: lane->is,
			    NONE, class_of(&r, lane->is), start);
		start = (int64_t)((uint64_t)start + (uint64_t)r.v[DUR]);
	}
	end_rows(&r);
}

/* What rows of the path are summed by: the step, and numbers of texts. */
struct path_key {
	int64_t iter, kind, op, src;
};

static void
put_number(struct html_col *c, int64_t v)
{
	if (v == NONE)
		html_col_add_null(c);
	else
		html_col_add_i64(c, v);
}

/* Text number v of a column. */
static void
put_text_of(struct html_col *c, const struct html_col *from, int64_t v)
{
	const char *s;
	size_t n;

	if (v == NONE) {
		html_col_add_null(c);
		return;
	}
	s = smap_str(&from->texts, (uint32_t)v, &n);
	html_col_add_text(c, s, n);
}

/* The table pathsum: the path's rows by step, kind and op, of which there are
 * a hundredth as many. */
static void
sum_path(struct html *h)
{
	static const struct lane path = { "path", IS_PATH,
		{ NULL, "dur_ns", "iter", "n_seg", NULL, NULL, "src", "kind",
		    "op" } };
	struct html_table *t = table_named(h, "pathsum");
	struct html_sums m = { 0 };
	struct html_sum *sum;
	struct path_key k;
	struct rows r;
	size_t i, len;

	begin_rows(&r, h, &path, COLS);
	while (next_row(&r)) {
		k.iter = number_of(&r, DEV);
		k.kind = number_of(&r, KIND);
		k.op = number_of(&r, MORE);
		k.src = number_of(&r, SRC);
		buf_put(&m.key, (const char *)&k, sizeof(k));
		sum = html_sums_at(&m);
		sum->n += r.is[STREAM] ? (uint64_t)r.v[STREAM] : 1;
		html_sums_add(sum, r.v[DUR]);
	}
	for (i = 0; i < m.n; i++, t->n++) {
		memcpy(&k, smap_str(&m.by, (uint32_t)i, &len), sizeof(k));
		put_number(&t->col[0], k.iter);
		put_text_of(&t->col[1], r.col[KIND], k.kind);
		put_text_of(&t->col[2], r.col[MORE], k.op);
		html_col_add_i64(&t->col[3], m.v[i].ns);
		html_col_add_i64(&t->col[4], (int64_t)m.v[i].n);
		put_text_of(&t->col[5], r.col[SRC], k.src);
	}
	html_table_end(t);
	end_rows(&r);
	html_sums_free(&m);
}

/* The ends of the pieces of a thread that are open, from the outside. */
struct nesting {
	int64_t pid, tid, src;
	int64_t *end;
	size_t n, cap;
};

struct nestings {
	struct nesting *v;
	size_t n, cap;
};

static struct nesting *
nesting_of(struct nestings *all, int64_t pid, int64_t tid, int64_t src)
{
	struct nesting *in;

	for (in = all->v; in < all->v + all->n; in++)
		if (in->pid == pid && in->tid == tid && in->src == src)
			return in;
	ARRAY_GROW(all->v, all->n, all->cap);
	all->v[all->n] = (struct nesting){ .pid = pid, .tid = tid, .src = src };
	return &all->v[all->n++];
}

/* The table whose row is next: the earliest, of these the longest. */
static int
earliest(const struct rows r[RANGES], const bool more[RANGES])
{
	int i, first = -1;

	for (i = 0; i < RANGES; i++)
		if (more[i] &&
		    (first < 0 || r[i].v[START] < r[first].v[START] ||
			(r[i].v[START] == r[first].v[START] &&
			    r[i].v[DUR] > r[first].v[DUR])))
			first = i;
	return first;
}

/* The next row with a start; the order of a table decides what is inside what.
 */
static bool
next_piece(struct density *d, struct rows *r)
{
	int64_t was = r->is[START] ? r->v[START] : NONE;

	while (next_row(r))
		if (r->is[START]) {
			if (r->v[START] < was)
				d->fits = false;
			return true;
		}
	return false;
}

static void
add_nested(struct density *d, struct nestings *all, const struct rows *r,
    const char *class)
{
	struct nesting *in = nesting_of(
	    all, number_of(r, PID), number_of(r, TID), source_of(d, r));
	int64_t start = r->v[START], row;

	while (in->n > 0 && in->end[in->n - 1] <= start)
		in->n--;
	row = in->n < MOST_ROWS_DEEP ? (int64_t)in->n : MOST_ROWS_DEEP - 1;
	ARRAY_GROW(in->end, in->n, in->cap);
	in->end[in->n++] = (int64_t)((uint64_t)start + (uint64_t)r->v[DUR]);
	add_piece(d, r, IS_RANGES, row, class, start);
}

static void
add_ranges(struct density *d, const struct html *h, const struct lane *lane)
{
	struct nestings all = { 0 };
	struct rows r[RANGES];
	bool more[RANGES];
	size_t k;
	int i;

	for (i = 0; i < RANGES; i++) {
		begin_rows(&r[i], h, &lane[i], COLS);
		more[i] = next_piece(d, &r[i]);
	}
	while ((i = earliest(r, more)) >= 0 && d->fits) {
		add_nested(d, &all, &r[i],
		    strcmp(lane[i].table, "range") == 0 ? "range" : "");
		more[i] = next_piece(d, &r[i]);
	}
	for (i = 0; i < RANGES; i++)
		end_rows(&r[i]);
	for (k = 0; k < all.n; k++)
		free(all.v[k].end);
	free(all.v);
}

/* The time from the first start to the last end. */
static bool
span_of(struct html_density *is, const struct html *h)
{
	int64_t to = INT64_MIN, end;
	struct rows r;
	size_t i;

	is->from = INT64_MAX;
	for (i = 0; i < ARRAY_LEN(lanes); i++) {
		begin_rows(&r, h, &lanes[i], DUR + 1);
		for (end = 0; next_row(&r);) {
			if (r.is[START])
				end = r.v[START];
			if (r.is[START] && end < is->from)
				is->from = end;
			/* of the path: a row without a start follows */
			end = (int64_t)((uint64_t)end + (uint64_t)r.v[DUR]);
			to = end > to ? end : to;
		}
		end_rows(&r);
	}
	if (is->from >= to || (is->from < 0 && to > INT64_MAX + is->from))
		return false;
	is->wide = (to - is->from) / HTML_BUCKETS + 1;
	return true;
}

static void
put_text(struct html_col *c, const char *s, size_t n)
{
	if (n == 0)
		html_col_add_null(c);
	else
		html_col_add_text(c, s, n);
}

/* The columns stand in the order of html_tables.c. */
static void
put_bucket(const struct density *d, struct html_table *t, const struct bar *b,
    int at, uint64_t ns)
{
	struct html_col *c = t->col;
	const char *src = "";
	size_t n = 0;
	int i;

	html_col_add_text(c, lane_names[b->lane], strlen(lane_names[b->lane]));
	for (i = 0, c++; i < BY_SRC; i++, c++)
		put_number(c, b->by[i]);
	put_text(c++, b->class, strlen(b->class));
	html_col_add_i64(c++, at);
	html_col_add_i64(c++, (int64_t)ns);
	html_col_add_i64(c++, b->n[at]);
	if (b->by[BY_SRC] != NONE)
		src = smap_str(&d->src, (uint32_t)b->by[BY_SRC], &n);
	put_text(c, src, n);
	t->n++;
}

static void
put_bars(const struct density *d, struct html_table *t)
{
	const struct bar *b;
	uint64_t ns;
	int64_t whole;
	int i, k;

	for (i = 0; i < d->n; i++) {
		b = d->bar[i];
		for (k = 0, whole = 0; k < HTML_BUCKETS; k++) {
			whole += b->whole[k];
			ns = b->ns[k] + (uint64_t)whole * (uint64_t)d->is->wide;
			if (ns > 0 || b->n[k] > 0)
				put_bucket(d, t, b, k, ns);
		}
	}
	html_table_end(t);
}

void
html_density(struct html *h)
{
	struct density d = { .is = &h->density, .fits = true };
	const struct lane *lane = lanes;
	uint64_t n = 0;
	int i;

	for (i = 0; i < h->ntable; i++)
		n += h->table[i].large ? h->table[i].n : 0;
	if (n < LEAST_ROWS || !span_of(d.is, h))
		return;
	sum_path(h);
	for (; lane->is != IS_RANGES; lane++)
		add_lane(&d, h, lane);
	add_ranges(&d, h, lane);
	if (d.fits)
		put_bars(&d, table_named(h, "density"));
	else
		h->density.wide = 0;
	for (i = 0; i < d.n; i++)
		free(d.bar[i]);
	smap_free(&d.src);
}
