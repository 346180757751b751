/*
 * PyProf's own output: its twenty columns, with their names, headers, widths
 * and words, in three forms: separated by blanks; CSV with every value quoted;
 * or columns of fixed widths, where kernel and params share the rest of the
 * width, and texts but not numbers are cut on the right.
 */
#include <stdlib.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "fmt.h"
#include "shipped.h"
#include "text_out.h"

#define DEFAULT_COLS "idx,dir,sub,mod,op,kernel,params,sil"

struct pycol {
	const char *option, *header, *ours;
	int width;
	bool num;          /* right-aligned, never cut */
	const char *unset; /* PyProf's word */
	/* Appends the value in PyProf's words; NULL: unchanged. */
	void (*put)(struct fmt *f, struct buf *b, const struct writer_cell *v);
};

struct pyprof_sink {               /* state of the sink */
	const struct pycol **cols; /* per column */
	int *widths;
	struct buf shown;
};

/* The hidden columns of sink_pyprof come after the printed ones. */
enum {
	HID_MOD,
	HID_OP,
	HID_ROLE,
	HID_DIR,
	HID_FOR_MOD,
	HID_FOR_OP,
	HID_FOR_DIR,
	HID_N
};

static bool
is_word(const struct writer_cell *v, const char *word)
{
	return text_is(v->s, v->n, word);
}

static const struct writer_cell *
hidden(const struct fmt *f, int which)
{
	return &f->row[f->ncol + which];
}

/* The records of dlp-pyprof already have PyProf's own words and numbers. */
static bool
is_own(const struct fmt *f)
{
	return is_word(hidden(f, HID_ROLE), "pyprof");
}

/* What pyprof.tab says of an op, a bit each: no Tensor Core, a float; and of
 * its name without the final _ (in place), the groups of element-wise ops,
 * whose FLOPs PyProf computes as a float, too: 140000.0 */
enum { NO_TC = 1, FLOAT = 2 };

static unsigned
classes_of(const struct writer_cell *v)
{
	static const char *const classes[] = { "no-tc", "float", "unary",
		"costly", "binary", "compare", "power", "ternary", NULL };
	static struct shipped_words words = { "pyprof.tab", classes, { 0 } };
	struct mview op = { v->s, v->n };
	unsigned bits = shipped_class(&words, op);

	if (bits == 0 && op.n > 1 && op.s[op.n - 1] == '_' &&
	    op.s[op.n - 2] != '_') {
		op.n--;
		bits = shipped_class(&words, op) & ~(unsigned)(NO_TC | FLOAT);
	}
	return (bits & NO_TC) | (bits > NO_TC ? FLOAT : 0);
}

/* PyProf knows no communication: such a kernel belongs to the op that launched
 * it, whose work it does not do. */
static void
as_launched(struct fmt *f, const struct pycol *const *cols)
{
	static const struct writer_cell none;
	struct writer_cell *v = f->row, *hid = f->row + f->ncol;
	bool library = is_word(&hid[HID_FOR_MOD], "c10d");
	int i;

	for (i = 0; i < f->ncol; i++) {
		const char *name = cols[i]->ours;

		if (strcmp(name, "mod") == 0)
			v[i] = hid[HID_FOR_MOD];
		else if (strcmp(name, "op") == 0)
			v[i] = hid[HID_FOR_OP];
		else if (strcmp(name, "dir") == 0)
			v[i] = hid[HID_FOR_DIR];
		else if (strcmp(name, "flop") == 0 ||
			 (strcmp(name, "bytes") == 0 && !library))
			v[i] = none;
	}
	hid[HID_MOD] = hid[HID_FOR_MOD];
	hid[HID_OP] = hid[HID_FOR_OP];
}

/* PyProf calls the kernel that adds the bias of linear, or sums its gradient,
 * an op. */
static void
put_op(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	if (is_word(v, "linear") && is_word(hidden(f, HID_ROLE), "bias"))
		buf_puts(b, "bias");
	else
		buf_put(b, v->s, v->n);
}

static void
put_kernel(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	size_t i;

	(void)f;
	for (i = 0; i < v->n; i++)
		buf_putc(b, v->s[i] == ' ' ? '_' : v->s[i]);
}

/* In columns there is room only for the innermost file:line. */
static void
put_trace(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	size_t i = v->n;

	if (f->width > 0)
		while (i > 0 && v->s[i - 1] != ',' && v->s[i - 1] != '/')
			i--;
	else
		i = 0;
	buf_put(b, v->s + i, v->n - i);
}

static void
put_tc(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	if (is_own(f))
		buf_put(b, v->s != NULL ? v->s : "-", v->s != NULL ? v->n : 1);
	else if (is_word(v, "yes"))
		buf_putc(b, '1');
	else if (hidden(f, HID_MOD)->s == NULL)
		buf_puts(b, "na");
	else if (is_word(v, "no") && (classes_of(hidden(f, HID_OP)) & NO_TC) &&
		 !is_word(hidden(f, HID_ROLE), "bias"))
		buf_putc(b, '0');
	else
		buf_putc(b, '-');
}

/* In columns all numbers are whole. */
static void
put_count(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	const char *dot =
	    f->width > 0 && is_own(f) ? memchr(v->s, '.', v->n) : NULL;

	buf_put(b, v->s, dot != NULL ? (size_t)(dot - v->s) : v->n);
}

static void
put_flops(struct fmt *f, struct buf *b, const struct writer_cell *v)
{
	if (v->s == NULL) {
		buf_putc(b, '-'); /* PyProf prints 0, but unknown is not 0 */
		return;
	}
	put_count(f, b, v);
	if (f->width == 0 && !is_own(f) && hidden(f, HID_MOD)->s != NULL &&
	    (classes_of(hidden(f, HID_OP)) & FLOAT))
		buf_puts(b, ".0");
}

static const struct pycol pycols[] = {
	{ "idx", "Idx", "idx", 7, true, "-", NULL },
	{ "seq", "SeqId", "seq", 7, false, "-", NULL },
	{ "altseq", "AltSeqId", "altseq", 7, false, "-", NULL },
	{ "tid", "TId", "tid", 12, true, "-", NULL },
	{ "layer", "Layer", "layer", 10, false, "-", NULL },
	{ "trace", "Trace", "trace", 25, false, "-", put_trace },
	{ "dir", "Direction", "dir", 5, false, "na", NULL },
	{ "sub", "Sub", "sub", 3, true, "0", NULL },
	{ "mod", "Module", "mod", 15, false, "na", NULL },
	{ "op", "Op", "op", 15, false, "na", put_op },
	{ "kernel", "Kernel", "short", 0, false, "-", put_kernel },
	{ "params", "Params", "params", 0, false, "na=na,", NULL },
	{ "sil", "Sil(ns)", "dur_ns", 10, true, "-", NULL },
	{ "tc", "TC", "tc", 2, false, NULL, put_tc },
	{ "device", "Device", "dev", 3, true, "-", NULL },
	{ "stream", "Stream", "stream", 3, true, "-", NULL },
	{ "grid", "Grid", "grid", 12, false, "-", NULL },
	{ "block", "Block", "block", 12, false, "-", NULL },
	{ "flops", "FLOPs", "flop", 12, true, NULL, put_flops },
	{ "bytes", "Bytes", "bytes", 12, true, "-", put_count },
	{ NULL, NULL, NULL, 0, false, NULL, NULL },
};

static const struct pycol *
by_option(const char *name)
{
	const struct pycol *p;

	for (p = pycols; p->option != NULL; p++)
		if (strcmp(p->option, name) == 0)
			return p;
	return NULL;
}

/* The columns: some, those of -c, or all if the first name is "all". */
static void
name_columns(struct fmt *f)
{
	struct buf all = { 0 };
	const struct pycol *p;
	int i;

	for (p = pycols; p->option != NULL; p++) {
		buf_puts(&all, p == pycols ? "" : ",");
		buf_puts(&all, p->option);
	}
	if (f->names == NULL) {
		f->names = cli_list(DEFAULT_COLS, &f->nnames);
	} else if (strcmp(f->names[0], "all") == 0) {
		free(f->names);
		f->names = cli_list(buf_str(&all), &f->nnames);
	}
	for (i = 0; i < f->nnames; i++)
		if (by_option(f->names[i]) == NULL)
			die("-c: '%s' is not a column; there are %s",
			    f->names[i], buf_str(&all));
	buf_free(&all);
}

/* Its own three forms: without an option, --csv, and -w. */
static void
py_join_form(struct fmt *f)
{
	if (f->form == NULL)
		; /* separated by blanks */
	else if (f->form != &sink_csv && f->form != &sink_table)
		die("--pyprof and %s exclude each other", f->form->option);
	else if (f->form == &sink_table && f->width == 0)
		die("-w: bad number '0'");
	name_columns(f);
}

/* The requested columns, and the hidden ones. */
static void
py_columns(struct fmt *f, struct rec_type *t)
{
	static const char *const hid[] = { "mod", "op", "role", "dir",
		"for_mod", "for_op", "for_dir" };
	const struct pycol *p;
	int i;

	for (i = 0; i < f->nnames; i++) {
		p = by_option(f->names[i]);
		columns_add(
		    f, "kern", p->header, join_col(&f->join, t, p->ours));
	}
	for (i = 0; i < HID_N; i++) {
		columns_add(f, "kern", hid[i], join_col(&f->join, t, hid[i]));
		f->col[f->ncol - 1].from->optional = i >= HID_ROLE;
	}
	f->ncol -= HID_N;
	f->nhidden = HID_N;
}

/* One value, escaped text: in columns, numbers are on the right and never cut.
 */
static void
put(struct fmt *f, int i, bool num, const char *s, size_t n)
{
	struct pyprof_sink *y = f->state;
	struct buf *shown = &y->shown;
	bool csv = f->form == &sink_csv;
	int used, w = y->widths[i];

	if (f->width == 0) {
		if (i > 0)
			buf_putc(&out_buf, csv ? ',' : ' ');
		if (csv)
			writer_quote(&out_buf, s, n);
		else
			text_show(&out_buf, s, n);
		return;
	}
	buf_clear(shown);
	used = text_show(shown, s, n);
	if (num)
		text_blanks(&out_buf, w - used);
	else if (used > w)
		shown->len = text_head(shown->s, shown->len, w, &used);
	buf_put(&out_buf, shown->s, shown->len);
	if (!num)
		text_blanks(&out_buf, w - used);
	buf_putc(&out_buf, ' ');
}

/* PyProf refuses a width that is too small for its narrowest columns; those
 * without a width share the rest. */
static void
py_begin(struct fmt *f)
{
	struct pyprof_sink *y = f->state;
	const struct pycol *p;
	int i, sum = 0, nfree = 0;

	y->cols = xcalloc((size_t)f->ncol, sizeof(struct pycol *));
	y->widths = xcalloc((size_t)f->ncol, sizeof(*y->widths));
	for (i = 0; i < f->ncol; i++) {
		for (p = pycols; strcmp(p->header, f->col[i].head) != 0;)
			p++;
		y->cols[i] = p;
		y->widths[i] = p->width;
		sum += p->width;
		nfree += p->width == 0;
	}
	if (f->width > 0 && sum > f->width)
		die("-w: these columns need a width of at least %d", sum);
	for (i = 0; i < f->ncol; i++)
		if (y->widths[i] == 0)
			y->widths[i] = (f->width - sum) / nfree;
	for (i = 0; i < f->ncol; i++)
		put(f, i, false, y->cols[i]->header,
		    strlen(y->cols[i]->header));
	buf_putc(&out_buf, '\n');
}

static void
py_row(struct fmt *f, const struct writer_cell *v)
{
	const struct pyprof_sink *y = f->state;
	int i;

	if (is_word(&f->row[f->ncol + HID_DIR], "comm"))
		as_launched(f, y->cols);
	for (i = 0; i < f->ncol; i++) {
		const struct pycol *p = y->cols[i];

		if (v[i].s == NULL && p->unset != NULL) {
			put(f, i, p->num, p->unset, strlen(p->unset));
		} else if (p->put != NULL) {
			buf_clear(&f->tmp);
			p->put(f, &f->tmp, &v[i]);
			put(f, i, p->num, buf_str(&f->tmp), f->tmp.len);
		} else {
			put(f, i, p->num, v[i].s, v[i].n);
		}
	}
	buf_putc(&out_buf, '\n');
}

const struct sink sink_pyprof = {
	.option = "--pyprof",
	.state = sizeof(struct pyprof_sink),
	.join_form = py_join_form,
	.columns = py_columns,
	.begin = py_begin,
	.row = py_row,
};
