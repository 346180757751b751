/*
 * dlp-ncu: adds what Nsight Compute measured to the kernels of a stream. A
 * measured kernel and one of the stream are the same if they have the same full
 * name, grid and block, and are the same one in the order of such kernels,
 * within an iteration. If no counters have the name as it is, names are
 * compared without what tools spell differently.
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "err.h"
#include "esc.h"
#include "join.h"
#include "lines.h"
#include "map.h"
#include "num.h"
#include "shipped.h"
#include "stage.h"

/* The rows of a file that ncu wrote: CSV among lines of its log; or of a TSV.
 */

struct ncu_csv {
	struct lines in;
	char sep;
	struct buf text; /* the fields of a row, each with a NUL behind it */
	size_t *at;      /* where each begins */
	int n, cap;
	struct buf line;
};

/* Field i of the row; valid until the next one. */
static inline const char *
csv_field(const struct ncu_csv *c, int i)
{
	return c->text.s + c->at[i];
}

/* Splits the line into fields. */
static void
csv_split(struct ncu_csv *c)
{
	const char *s = buf_str(&c->line), *e = s + c->line.len;
	bool quoted;

	c->n = 0;
	buf_clear(&c->text);
	do {
		ARRAY_GROW(c->at, c->n, c->cap);
		c->at[c->n++] = c->text.len;
		quoted = c->sep == ',' && s < e && *s == '"';
		for (s += quoted; s < e; s++) {
			if (quoted && *s == '"') {
				if (s + 1 == e || s[1] != '"') {
					quoted = false;
					continue;
				}
				s++; /* "" is one */
			} else if (!quoted && *s == c->sep) {
				break;
			}
			buf_putc(&c->text, *s);
		}
		buf_putc(&c->text, '\0');
		s++; /* the separator */
	} while (s <= e);
}

/* A line, or several where a quoted value goes on behind the first. */
static bool
csv_read_line(struct ncu_csv *c)
{
	bool open = false, first = true;
	const char *s;
	size_t n, i;

	buf_clear(&c->line);
	for (; (first || open) && lines_next(&c->in, &s, &n); first = false) {
		if (!first)
			buf_putc(&c->line, '\n');
		buf_put(&c->line, s, n);
		for (i = 0; i < n; i++)
			open ^= s[i] == '"';
		open &= c->sep == ',' && c->line.len > 0 && c->line.s[0] == '"';
	}
	return !first;
}

/* -1: none */
static int
csv_find(const struct ncu_csv *c, const char *name)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (strcmp(csv_field(c, i), name) == 0)
			return i;
	return -1;
}

/* Opens the file and reads the row of names: the first line with a column for
 * the kernel's name. Fatal if there is none. */
static void
csv_open(struct ncu_csv *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	lines_open(&c->in, path);
	for (;;) {
		c->sep = ',';
		if (!csv_read_line(c))
			die("%s: no row of names with a 'Kernel Name': not"
			    " what ncu --csv --page raw writes",
			    c->in.name);
		if (memchr(buf_str(&c->line), '\t', c->line.len) != NULL)
			c->sep = '\t';
		csv_split(c);
		if (csv_find(c, "Kernel Name") >= 0 ||
		    (c->sep == '\t' && csv_find(c, "kernel") >= 0))
			return;
	}
}

/* The next row, past lines of the log; false at the end. */
static bool
csv_next(struct ncu_csv *c)
{
	while (csv_read_line(c)) {
		if (c->line.len == 0 ||
		    (c->line.len >= 2 && memcmp(c->line.s, "==", 2) == 0))
			continue;
		csv_split(c);
		return true;
	}
	return false;
}

/*
 * The kernels that ncu measured: rows by name, grid and block, in the order of
 * the file, each with the values of the columns that are wanted.
 */

struct ncu_table {
	char **cols; /* names of our columns, the first of them ncu_tc */
	int ncols;
	struct smap keys; /* -> number of rows */
	struct map rows;  /* key's number, and which of its rows -> row */
	struct buf text;  /* values, escaped, each with a NUL behind it */
	size_t *at;       /* row * ncols + column: place in text */
	bool *used;       /* by row */
	size_t nrows, cap;
	uint64_t bad;   /* rows with too few fields */
	struct buf key; /* scratch */
};

/*
 * Units and numbers
 */

struct ncu_unit {           /* zeroed: not known */
	const char *suffix; /* of our columns: _bytes */
	size_t n;           /* its length */
	double scale;       /* to ours */
};

/* Finds a unit in units.tab. */
static struct ncu_unit
unit_find(const char *name)
{
	const char *s = shipped_text("units.tab");
	struct ncu_unit u = { NULL, 0, 0 };
	size_t k = strlen(name);

	for (; *s != '\0'; s += strcspn(s, "\n") + 1)
		if (strncmp(s, name, k) == 0 && s[k] == ' ' && *s != '#') {
			u.suffix = s + k + 1;
			u.n = strcspn(u.suffix, " ");
			u.scale = strtod(u.suffix + u.n, NULL);
			break;
		}
	return u;
}

/* Appends a column's name: dram__bytes_read.sum in byte is
 * dram_bytes_read_sum_bytes; a suffix that is there already is not added. */
static void
unit_column(struct buf *out, const char *metric, const struct ncu_unit *u)
{
	size_t from = out->len;

	for (; *metric != '\0'; metric++) {
		char c = *metric;

		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
			c = '_';
		if (c != '_' ||
		    (out->len > from && out->s[out->len - 1] != '_'))
			buf_putc(out, c);
	}
	if (u->suffix != NULL &&
	    (out->len - from < u->n ||
		memcmp(out->s + out->len - u->n, u->suffix, u->n) != 0))
		buf_put(out, u->suffix, u->n);
}

/* Reads a number with thousands separators. */
static bool
unit_number(const char *value, double *v)
{
	char s[64];
	size_t n = 0;

	for (; *value != '\0'; value++) {
		if (*value == ',')
			continue;
		if (n == sizeof(s))
			return false;
		s[n++] = *value;
	}
	return n > 0 && num_f64(s, n, v);
}

/* Appends a value in our unit, without thousands separators; false if it is not
 * a number: then nothing is appended. */
static bool
unit_value(struct buf *out, const char *value, const struct ncu_unit *u)
{
	double v;
	int places = 6;

	if (!unit_number(value, &v))
		return false;
	v *= u->suffix != NULL ? u->scale : 1;
	if (v > -9e15 && v < 9e15 && v == (double)(int64_t)v) {
		buf_i64(out, (int64_t)v);
		return true;
	}
	buf_f64(out, v, places);
	while (out->s[out->len - 1] == '0' && places-- > 1)
		out->len--;
	return true;
}

/*
 * The row of names: which column is where
 */

struct ncu_head {
	int name, grid, block, pipe, hfma2;
	int *ops, nops;        /* operations of the matrix units, by type */
	struct ncu_unit *unit; /* by field */
	int nfields;
	int *src; /* by column of ours: its field; -1: made of others */
};

/* The columns that are always there after ncu_tc, and where their values come
 * from: ncu's metric, or the column of a table of our own kind
 * (truth/NAME.ncu.tsv). The first two come from head_mma() and head_ops(). */
static const struct ncu_known {
	const char *col, *metric, *own;
} known[] = {
	{ "ncu_mma_inst", NULL, "mma_inst" },
	{ "ncu_tensor_flop", NULL, "tensor_flop" },
	{ "ncu_dram_read_bytes", "dram__bytes_read.sum", "dram_read_bytes" },
	{ "ncu_dram_write_bytes", "dram__bytes_write.sum", "dram_write_bytes" },
	{ "ncu_l2_bytes", "lts__t_bytes.sum", "l2_bytes" },
	{ "ncu_dur_ns", "gpu__time_duration.sum", "duration_ns" },
};

/* The field of one of two names, NULL for none; -1 if neither is there. */
static int
head_find(const struct ncu_csv *c, const char *a, const char *b)
{
	int i = a != NULL ? csv_find(c, a) : -1;

	return i >= 0 || b == NULL ? i : csv_find(c, b);
}

/* Reads the row of names; fatal if grid or block are missing. */
static void
head_read(struct ncu_head *h, const struct ncu_csv *c)
{
	struct mview metric;
	int i;

	memset(h, 0, sizeof(*h));
	h->name = head_find(c, "Kernel Name", "kernel");
	h->grid = head_find(c, "Grid Size", "grid");
	h->block = head_find(c, "Block Size", "block");
	if (h->grid < 0 || h->block < 0)
		die("%s: no column '%s'", c->in.name,
		    h->grid < 0 ? "Grid Size" : "Block Size");
	h->pipe = head_find(
	    c, "sm__inst_executed_pipe_tensor.sum", "tensor_pipe_inst");
	h->hfma2 =
	    head_find(c, "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
		"hfma2_inst");
	h->nfields = c->n;
	h->ops = xcalloc((size_t)c->n, sizeof(*h->ops));
	h->unit = xcalloc((size_t)c->n, sizeof(*h->unit));
	for (i = 0; i < c->n; i++) {
		metric.s = csv_field(c, i);
		metric.n = strlen(metric.s);
		/* the parts with and without sparsity are in the whole */
		if (mv_starts(metric, "sm__ops_path_tensor_src_") &&
		    mv_ends(metric, ".sum") &&
		    mv_find(metric, "_sparsity_") == NULL)
			h->ops[h->nops++] = i;
	}
}

static bool
field_number(const struct ncu_csv *c, int field, double *v)
{
	return field >= 0 && unit_number(csv_field(c, field), v);
}

/* Matrix instructions of a row: those of the tensor pipe except HFMA2, which
 * runs there too but multiplies no matrices. Reads them from field if it is not
 * -1. False if they were not measured. */
static bool
head_mma(
    const struct ncu_head *h, const struct ncu_csv *c, int field, double *v)
{
	double pipe, hfma2;

	if (field_number(c, field, v))
		return true;
	if (!field_number(c, h->pipe, &pipe) ||
	    !field_number(c, h->hfma2, &hfma2))
		return false;
	*v = pipe - hfma2;
	return true;
}

/* Operations of the matrix units in a row; field is that of the number itself,
 * or -1. False if they were not measured. */
static bool
head_ops(
    const struct ncu_head *h, const struct ncu_csv *c, int field, double *v)
{
	bool any = false;
	double x;
	int i;

	if (field_number(c, field, v))
		return true;
	*v = 0;
	for (i = 0; i < h->nops; i++)
		if (field_number(c, h->ops[i], &x)) {
			*v += x;
			any = true;
		}
	return any;
}

/*
 * Names of kernels without what tools spell differently
 */

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static void
put_plain_word(struct buf *out, const char *s, size_t n)
{
	static const struct {
		const char *word, *plain;
	} words[] = { { "void", "" }, { "const", "" }, { "true", "1" },
		{ "false", "0" } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].word) == n &&
		    memcmp(words[i].word, s, n) == 0) {
			buf_puts(out, words[i].plain);
			return;
		}
	if (*s >= '0' && *s <= '9') /* 3ul */
		while (n > 1 && strchr("uUlL", s[n - 1]) != NULL)
			n--;
	buf_put(out, s, n);
}

/*
 * Appends the name without namespaces, casts, calls' arguments, lambdas'
 * numbers, const and blanks:
 *
 *	void at::native::(anonymous namespace)::f<2, true, 3ul>(int const*)
 *	void at::native::<unnamed>::f<(int)2, (bool)1, (unsigned long)3>(...)
 *	void at::<unnamed>::f<2, 1, 3>(const T1 *)
 *
 * are f<2,1,3>.
 */
static void
plain_name(struct buf *out, const char *s, size_t n)
{
	static const char unnamed[] = "<unnamed>";
	size_t i = 0, end;
	int depth;
	char close;

	while (i < n) {
		end = i + 1;
		if (is_word_char(s[i])) {
			while (end < n && is_word_char(s[end]))
				end++;
			if (n - end < 2 || memcmp(s + end, "::", 2) != 0)
				put_plain_word(out, s + i, end - i);
		} else if (s[i] == '(' || s[i] == '{' || s[i] == '[') {
			/* up to the bracket that closes it */
			close = s[i] == '(' ? ')' : s[i] == '{' ? '}' : ']';
			for (depth = 1; end < n && depth > 0; end++) {
				depth += s[end] == s[i];
				depth -= s[end] == close;
			}
			if (n - i > 7 && memcmp(s + i + 1, "lambda", 6) == 0)
				buf_puts(out, "lambda");
		} else if (n - i >= sizeof(unnamed) - 1 &&
			   memcmp(s + i, unnamed, sizeof(unnamed) - 1) == 0) {
			end = i + sizeof(unnamed) - 1;
		} else if (s[i] != ' ' && s[i] != ':') {
			buf_putc(out, s[i]);
		}
		i = end;
	}
}

/*
 * The table
 */

static void
add_col(struct ncu_table *t, struct ncu_head *h, const char *name, int field)
{
	t->cols = xrealloc(t->cols, (size_t)t->ncols + 1, sizeof(*t->cols));
	h->src = xrealloc(h->src, (size_t)t->ncols + 1, sizeof(*h->src));
	h->src[t->ncols] = field;
	t->cols[t->ncols++] = xstrdup(name);
}

/* Adds the metrics whose names match. */
static void
add_more(struct ncu_table *t, struct ncu_head *h, char *const *names,
    const char *pattern, const char *file)
{
	struct buf b = { NULL, 0, 0 };
	bool any = false;
	int i, k;

	for (i = 0; i < h->nfields; i++) {
		if (fnmatch(pattern, names[i], 0) != 0)
			continue;
		any = true;
		buf_clear(&b);
		buf_puts(&b, "ncu_");
		unit_column(&b, names[i], &h->unit[i]);
		for (k = 0; k < t->ncols; k++)
			if (strcmp(t->cols[k], buf_str(&b)) == 0)
				break;
		if (k == t->ncols)
			add_col(t, h, buf_str(&b), i);
	}
	if (!any)
		die("-m: '%s' is not a metric of %s", pattern, file);
	buf_free(&b);
}

/* (2, 64, 1) and 2,64,1 are the same. */
static void
put_key_dim(struct buf *out, struct mview dim)
{
	size_t i;

	buf_putc(out, '\0');
	for (i = 0; i < dim.n; i++)
		if (dim.s[i] == ',' || (dim.s[i] >= '0' && dim.s[i] <= '9'))
			buf_putc(out, dim.s[i]);
}

/* The key of a kernel: its name, grid and block; the name without blanks, which
 * differ between tools, or (plain) without what tools spell differently. */
static void
table_key(struct buf *out, struct mview name, struct mview grid,
    struct mview block, bool plain)
{
	size_t i;

	buf_clear(out);
	if (plain) {
		buf_putc(out, '\1'); /* no name begins with it */
		plain_name(out, name.s, name.n);
	}
	for (i = 0; i < name.n && !plain; i++)
		if (name.s[i] != ' ')
			buf_putc(out, name.s[i]);
	put_key_dim(out, grid);
	put_key_dim(out, block);
}

enum { C_TC, C_MMA, C_FLOP }; /* the first columns */

static void
put_metric(struct ncu_table *t, const struct ncu_csv *c,
    const struct ncu_head *h, int col)
{
	static const struct ncu_unit none;
	int f = h->src[col];
	const char *s = f >= 0 ? csv_field(c, f) : "";
	double v = 0, inst = 0, flop = 0;
	bool has;

	if (col == C_TC) {
		has = head_mma(h, c, h->src[C_MMA], &inst);
		has |= head_ops(h, c, h->src[C_FLOP], &flop);
		buf_puts(&t->text, !has                   ? "unknown"
				   : inst > 0 || flop > 0 ? "yes"
							  : "no");
	} else if (col <= C_FLOP) {
		has = col == C_MMA ? head_mma(h, c, f, &v)
				   : head_ops(h, c, f, &v);
		if (has && v < 9e18 && v > -9e18)
			buf_i64(&t->text, (int64_t)v);
		else
			buf_putc(&t->text, '-');
	} else if (!unit_value(&t->text, s, f >= 0 ? &h->unit[f] : &none)) {
		if (*s == '\0' || strcmp(s, "-") == 0 ||
		    strcmp(s, "n/a") == 0 || strcmp(s, "nan") == 0)
			buf_putc(&t->text, '-');
		else
			esc_put(&t->text, s, strlen(s));
	}
}

static struct mview
field_view(const struct ncu_csv *c, int i)
{
	const char *s = csv_field(c, i);

	return (struct mview){ s, strlen(s) };
}

static void
add_kernel(
    struct ncu_table *t, const struct ncu_csv *c, const struct ncu_head *h)
{
	uint32_t k;
	int i;

	if (t->nrows == t->cap) {
		t->cap = t->cap == 0 ? 64 : t->cap * 2;
		t->at =
		    xrealloc(t->at, t->cap * (size_t)t->ncols, sizeof(*t->at));
		t->used = xrealloc(t->used, t->cap, sizeof(*t->used));
	}
	for (i = 0; i < t->ncols; i++) {
		t->at[t->nrows * (size_t)t->ncols + (size_t)i] = t->text.len;
		put_metric(t, c, h, i);
		buf_putc(&t->text, '\0');
	}
	t->used[t->nrows] = false;
	for (i = 0; i < 2; i++) {
		table_key(&t->key, field_view(c, h->name),
		    field_view(c, h->grid), field_view(c, h->block), i == 1);
		k = smap_put(&t->keys, t->key.s, t->key.len, NULL);
		*map_put(&t->rows, (uint64_t)k << 32 | t->keys.val[k]++, NULL) =
		    t->nrows;
	}
	t->nrows++;
}

/* Reads the file. more: patterns of further metrics, as in fnmatch(). A
 * pattern that matches no metric is fatal. */
static void
table_read(struct ncu_table *t, const char *path, char **more, int nmore)
{
	struct ncu_csv c;
	struct ncu_head h;
	char **names;
	bool has;
	size_t k;
	int i;

	memset(t, 0, sizeof(*t));
	csv_open(&c, path);
	head_read(&h, &c);
	add_col(t, &h, "ncu_tc", -1);
	for (k = 0; k < ARRAY_LEN(known); k++)
		add_col(t, &h, known[k].col,
		    head_find(&c, known[k].metric, known[k].own));
	names = xcalloc((size_t)c.n, sizeof(*names));
	for (i = 0; i < c.n; i++)
		names[i] = xstrdup(csv_field(&c, i));
	has = csv_next(&c);
	/* the row of units has no kernel */
	if (has && c.n == h.nfields && *csv_field(&c, h.name) == '\0') {
		for (i = 0; i < c.n; i++)
			h.unit[i] = unit_find(csv_field(&c, i));
		has = csv_next(&c);
	}
	for (i = 0; i < nmore; i++)
		add_more(t, &h, names, more[i], c.in.name);
	for (; has; has = csv_next(&c))
		if (c.n == h.nfields)
			add_kernel(t, &c, &h);
		else
			t->bad++;
	if (t->nrows == 0)
		die("%s: no kernels in it", c.in.name);
	for (i = 0; i < h.nfields; i++)
		free(names[i]);
	free(names);
	free(h.unit);
	free(h.ops);
	free(h.src);
	lines_close(&c.in);
	buf_free(&c.text);
	buf_free(&c.line);
	free(c.at);
}

struct ncu {
	struct ncu_table table;
	struct join join;
	struct join_col *name;
	struct out_ext *ext;
	struct map seen; /* key and iteration -> how often */
	uint64_t matched, unmatched;
	struct buf key, full; /* scratch */
	/* options */
	bool whole;  /* iterations do not matter */
	char **more; /* -m's */
	int nmore;
};

/* The row of the kernel's counters, which is used then; SIZE_MAX: there is
 * none.
 */
static size_t
find_counters(struct ncu *x, const struct rec *r)
{
	struct ncu_table *t = &x->table;
	struct mview name, g = rec_get(r, COL_grid), b = rec_get(r, COL_block);
	const uint64_t *row;
	uint32_t k = SMAP_NONE;
	uint64_t *seen, no;
	int64_t iter;
	int plain;

	name.s = join_raw(&x->join, r, x->name, &name.n);
	if (name.s == NULL || g.s == NULL || b.s == NULL)
		return SIZE_MAX;
	buf_clear(&x->full);
	esc_undo(&x->full, name.s, name.n);
	for (plain = 0; plain < 2 && k == SMAP_NONE; plain++) {
		table_key(&x->key, (struct mview){ x->full.s, x->full.len }, g,
		    b, plain == 1);
		k = smap_find(&t->keys, x->key.s, x->key.len);
	}
	if (k == SMAP_NONE)
		return SIZE_MAX;
	/* which one of its kind the kernel is, from 0, in its iteration */
	iter = x->whole ? -1 : rec_num_or(r, COL_iter, -1);
	seen =
	    map_put(&x->seen, (uint64_t)k << 32 | (uint32_t)(iter + 1), NULL);
	no = (*seen)++;
	row = map_get(&t->rows, (uint64_t)k << 32 | no);
	if (row == NULL)
		return SIZE_MAX;
	t->used[*row] = true;
	return *row;
}

static void
put_measured(struct stage *st, struct rec *r)
{
	struct ncu *x = st->ctx;
	struct ncu_table *t = &x->table;
	size_t row = find_counters(x, r), i, n = (size_t)t->ncols;

	if (row == SIZE_MAX)
		x->unmatched++;
	else
		x->matched++;
	out_ext_begin(x->ext, r);
	for (i = 0; i < n; i++)
		out_word(
		    row == SIZE_MAX ? "-" : t->text.s + t->at[row * n + i]);
	out_ext_end(x->ext, r);
}

static void
put_measured_legend(struct stage *st, struct rec *r)
{
	struct ncu *x = st->ctx;

	join_legend(x->name);
	out_ext_legend(x->ext, r);
}

static void
pass_str(struct stage *st, struct rec *r)
{
	struct ncu *x = st->ctx;

	join_str(&x->join, r);
	stage_pass(st, r);
}

static void
on_ncu_section(struct stage *st)
{
	struct ncu *x = st->ctx;

	join_section(&x->join);
	map_clear(&x->seen);
	x->matched = x->unmatched = 0;
	memset(x->table.used, 0, x->table.nrows * sizeof(*x->table.used));
}

static void
on_ncu_end(struct stage *st)
{
	struct ncu *x = st->ctx;
	uint64_t unused = 0;
	size_t i;

	for (i = 0; i < x->table.nrows; i++)
		unused += !x->table.used[i];
	stage_note("ncu_matched", x->matched);
	stage_note("ncu_kernels_without_counters", x->unmatched);
	stage_note("ncu_rows_without_kernel", unused);
	stage_note("ncu_bad_rows", x->table.bad);
	if (x->matched == 0)
		warn("no kernel of the stream is in the counters");
}

static void
set_metrics(void *to, const char *arg)
{
	struct ncu *x = to;

	free(x->more);
	x->more = cli_list(arg, &x->nmore);
}

int
main(int argc, char **argv)
{
	static struct ncu ncu;
	static const struct cli_opt opts[] = {
		{ 'a', "all", .flag = &ncu.whole },
		{ 'm', "metrics", .set = set_metrics, .to = &ncu },
		{ 0 },
	};
	static const char *const notes[] = { "ncu_bad_rows", "ncu_matched",
		"ncu_kernels_without_counters", "ncu_rows_without_kernel",
		NULL };
	struct rec_type *kern;
	struct stage st;
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-ncu");
	unbuffered = cli_options(argc, argv, opts);
	if (optind == argc)
		cli_usage();
	optind++;
	path = cli_operand(argc, argv);
	table_read(&ncu.table, argv[optind - 1], ncu.more, ncu.nmore);
	stage_open(&st, argc, argv, path, unbuffered);
	st.ctx = &ncu;
	st.section = on_ncu_section;
	st.end = on_ncu_end;
	stage_on(&st, "str", pass_str);
	kern =
	    stage_on(&st, "kern", put_measured, .legend = put_measured_legend);
	join_init(&ncu.join, st.rd);
	ncu.name = join_col(&ncu.join, kern, "name");
	rec_want(kern, REC_NEED, "grid block");
	rec_want(kern, REC_OPT, "iter");
	ncu.ext =
	    out_ext_named((const char *const *)ncu.table.cols, ncu.table.ncols);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	return out_finish(rc);
}
