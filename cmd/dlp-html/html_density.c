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
enum { START, DUR, DEV, STREAM, PID, TID, SRC, KIND, MORE, COLS };

struct rows {
	const struct html_table *t;
	uint64_t left;
	struct html_walk *walk[COLS];
	struct html_col *col[COLS];
	int64_t v[COLS];
	bool is[COLS];
};

static struct html_table *
table_named(const struct html *h, const char *name)
{
	int i = 0;

	while (strcmp(h->table[i].name, name) != 0)
		i++;
	return &h->table[i];
}

/* names: of the columns, NULL for none. */
static void
begin_rows(struct rows *r, const struct html *h, const char *table,
    const char *const names[COLS])
{
	int i, c;

	memset(r, 0, sizeof(*r));
	r->t = table_named(h, table);
	r->left = r->t->n;
	for (i = 0; i < COLS; i++)
		for (c = 0; names[i] != NULL && c < r->t->ncol; c++)
			if (strcmp(r->t->col[c].name, names[i]) == 0 &&
			    r->t->col[c].set) {
				r->col[i] = &r->t->col[c];
				r->walk[i] =
				    html_walk_begin(r->col[i], r->t->n);
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

static bool
same_bar(
    const struct bar *b, int lane, const int64_t by[BYS], const char *class)
{
	return b->lane == lane && memcmp(b->by, by, sizeof(b->by)) == 0 &&
	       (b->class == class || strcmp(b->class, class) == 0);
}

static struct bar *
bar_at(struct density *d, int lane, const int64_t by[BYS], const char *class)
{
	struct bar *b;
	int i;

	if (d->n > 0 && same_bar(d->bar[d->last], lane, by, class))
		return d->bar[d->last];
	for (i = 0; i < d->n; i++)
		if (same_bar(d->bar[i], lane, by, class)) {
			d->last = i;
			return d->bar[i];
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

static void
add_piece(struct density *d, int lane, const int64_t by[BYS], const char *class,
    int64_t start, int64_t dur)
{
	struct bar *b = bar_at(d, lane, by, class);
	uint64_t wide = (uint64_t)d->is->wide;
	uint64_t from = (uint64_t)start - (uint64_t)d->is->from;
	uint64_t to = from + (uint64_t)dur, first = from / wide,
		 last = to / wide;

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
class_of_work(const struct rows *r)
{
	const char *tag = text_of(r, KIND);

	if (is_text(r, MORE, "comm"))
		return "comm";
	return strcmp(tag, "copy") == 0 || strcmp(tag, "set") == 0 ? "mem"
	       : strcmp(tag, "graph") == 0                         ? "graph"
								   : "kern";
}

static const char *const work_cols[COLS] = { "start_ns", "dur_ns", "dev",
	"stream", "pid", NULL, "src", "tag", "dir" };
static const char *const tc_cols[COLS] = { "tc" };
static const char *const launch_cols[COLS] = { "api_start_ns", "api_dur_ns",
	NULL, NULL, "pid", "tid", "src" };
static const char *const call_cols[COLS] = { "start_ns", "dur_ns", NULL, NULL,
	"pid", "tid", "src", "tag" };
static const char *const gap_cols[COLS] = { "start_ns", "dur_ns", "dev", NULL,
	NULL, NULL, "src", "class" };
static const char *const path_cols[COLS] = { "start_ns", "dur_ns", NULL, NULL,
	NULL, NULL, "src", "kind" };
static const char *const thread_cols[COLS] = { "start_ns", "dur_ns", NULL, NULL,
	"pid", "tid", "src" };

static const char *const thread_tables[] = { "inst", "nest", "range" };

static void
add_work(struct density *d, const struct html *h)
{
	struct rows r, tc;
	const char *class;

	begin_rows(&r, h, "work", work_cols);
	begin_rows(&tc, h, "work", tc_cols);
	while (next_row(&r) && next_row(&tc)) {
		class = class_of_work(&r);
		if (strcmp(class, "kern") == 0 && is_text(&tc, START, "yes"))
			class = "tc";
		if (r.is[START])
			add_piece(d, IS_GPU,
			    (int64_t[BYS]){ number_of(&r, DEV),
				number_of(&r, STREAM), number_of(&r, PID), NONE,
				NONE, source_of(d, &r) },
			    class, r.v[START], r.v[DUR]);
	}
	end_rows(&r);
	end_rows(&tc);
}

/* Lanes of a device, or of a thread; class NULL: the text of KIND. */
static void
add_table(struct density *d, const struct html *h, const char *table,
    const char *const cols[COLS], int lane)
{
	struct rows r;
	int is;

	begin_rows(&r, h, table, cols);
	while (next_row(&r)) {
		is =
		    lane == IS_CALL && is_text(&r, KIND, "os") ? IS_WAIT : lane;
		if (r.is[START])
			add_piece(d, is,
			    (int64_t[BYS]){ number_of(&r, DEV), NONE,
				number_of(&r, PID), number_of(&r, TID), NONE,
				source_of(d, &r) },
			    lane == IS_IDLE ? text_of(&r, KIND) : "",
			    r.v[START], r.v[DUR]);
	}
	end_rows(&r);
}

/* A row without a start begins where the one before ends. */
static void
add_path(struct density *d, const struct html *h)
{
	struct rows r;
	int64_t end = 0;
	bool known = false;

	begin_rows(&r, h, "path", path_cols);
	while (next_row(&r)) {
		if (r.is[START])
			end = r.v[START];
		known |= r.is[START];
		if (known)
			add_piece(d, IS_PATH,
			    (int64_t[BYS]){ NONE, NONE, NONE, NONE, NONE,
				source_of(d, &r) },
			    text_of(&r, KIND), end, r.v[DUR]);
		end = (int64_t)((uint64_t)end + (uint64_t)r.v[DUR]);
	}
	end_rows(&r);
}

/* What rows of the path are summed by: the step, and numbers of texts. */
struct path_key {
	int64_t iter, kind, op, src;
};

static const char *const sum_cols[COLS] = { NULL, "dur_ns", "iter", "n_seg",
	NULL, NULL, "src", "kind", "op" };

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

static void
end_table(struct html_table *t)
{
	int i;

	for (i = 0; i < t->ncol; i++)
		if (t->col[i].set)
			html_col_end(&t->col[i]);
}

/* The table pathsum: the path's rows by step, kind and op, of which there are
 * a hundredth as many. */
static void
sum_path(struct html *h)
{
	struct html_table *t = table_named(h, "pathsum");
	struct html_sums m = { 0 };
	struct html_sum *sum;
	struct path_key k;
	struct rows r;
	size_t i, len;

	begin_rows(&r, h, "path", sum_cols);
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
	end_table(t);
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
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->v[i].pid == pid && all->v[i].tid == tid &&
		    all->v[i].src == src)
			return &all->v[i];
	ARRAY_GROW(all->v, all->n, all->cap);
	all->v[all->n] = (struct nesting){ .pid = pid, .tid = tid, .src = src };
	return &all->v[all->n++];
}

/* The table whose row is next: the earliest, of these the longest. */
static int
earliest(const struct rows r[3], const bool more[3])
{
	int i, first = -1;

	for (i = 0; i < 3; i++)
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
	int64_t pid = number_of(r, PID), tid = number_of(r, TID);
	int64_t src = source_of(d, r), start = r->v[START];
	struct nesting *in = nesting_of(all, pid, tid, src);
	int64_t row;

	while (in->n > 0 && in->end[in->n - 1] <= start)
		in->n--;
	row = in->n < MOST_ROWS_DEEP ? (int64_t)in->n : MOST_ROWS_DEEP - 1;
	ARRAY_GROW(in->end, in->n, in->cap);
	in->end[in->n++] = (int64_t)((uint64_t)start + (uint64_t)r->v[DUR]);
	add_piece(d, IS_RANGES,
	    (int64_t[BYS]){ NONE, NONE, pid, tid, row, src }, class, start,
	    r->v[DUR]);
}

static void
add_ranges(struct density *d, const struct html *h)
{
	struct nestings all = { 0 };
	struct rows r[3];
	bool more[3];
	size_t k;
	int i;

	for (i = 0; i < 3; i++) {
		begin_rows(&r[i], h, thread_tables[i], thread_cols);
		more[i] = next_piece(d, &r[i]);
	}
	while ((i = earliest(r, more)) >= 0 && d->fits) {
		add_nested(d, &all, &r[i], i == 2 ? "range" : "");
		more[i] = next_piece(d, &r[i]);
	}
	for (i = 0; i < 3; i++)
		end_rows(&r[i]);
	for (k = 0; k < all.n; k++)
		free(all.v[k].end);
	free(all.v);
}

/* The time from the first start to the last end. */
static void
widen(struct html_density *is, int64_t *to, const struct html *h,
    const char *table, const char *const cols[COLS])
{
	const char *const span[COLS] = { cols[START], cols[DUR] };
	struct rows r;
	int64_t end = 0;

	begin_rows(&r, h, table, span);
	while (next_row(&r)) {
		if (r.is[START])
			end = r.v[START];
		if (r.is[START] && end < is->from)
			is->from = end;
		/* of the path: a row without a start follows */
		end = (int64_t)((uint64_t)end + (uint64_t)r.v[DUR]);
		if (end > *to)
			*to = end;
	}
	end_rows(&r);
}

static bool
span_of(struct html_density *is, const struct html *h)
{
	int64_t to = INT64_MIN;
	size_t i;

	is->from = INT64_MAX;
	widen(is, &to, h, "work", work_cols);
	widen(is, &to, h, "work", launch_cols);
	widen(is, &to, h, "call", call_cols);
	widen(is, &to, h, "gap", gap_cols);
	widen(is, &to, h, "path", path_cols);
	for (i = 0; i < ARRAY_LEN(thread_tables); i++)
		widen(is, &to, h, thread_tables[i], thread_cols);
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
	end_table(t);
}

static bool
is_large(const struct html *h)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < h->ntable; i++)
		n += h->table[i].large ? h->table[i].n : 0;
	return !h->data && n >= LEAST_ROWS;
}

void
html_density(struct html *h)
{
	struct density d = { .is = &h->density, .fits = true };
	int i;

	if (!is_large(h) || !span_of(d.is, h))
		return;
	sum_path(h);
	add_work(&d, h);
	add_table(&d, h, "work", launch_cols, IS_LAUNCH);
	add_table(&d, h, "call", call_cols, IS_CALL);
	add_table(&d, h, "gap", gap_cols, IS_IDLE);
	add_path(&d, h);
	add_ranges(&d, h);
	if (d.fits)
		put_bars(&d, table_named(h, "density"));
	else
		h->density.wide = 0;
	for (i = 0; i < d.n; i++)
		free(d.bar[i]);
	smap_free(&d.src);
}
