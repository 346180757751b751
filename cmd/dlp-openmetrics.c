/*
 * dlp-openmetrics: a stream as metrics for Prometheus, in a text that a node
 * exporter's textfile collector reads too.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "esc.h"
#include "lines.h"
#include "map.h"
#include "num.h"
#include "out.h"
#include "shipped.h"
#include "stage.h"
#include "utf8.h"

/* The metrics of dlp-openmetrics: the table that names them, and their
 * samples, a value for each combination of labels. */

#define OM_LABELS 8 /* of a metric, at most */

enum om_how {
	HOW_SUM,
	HOW_MEAN,
	HOW_MIN,
	HOW_MAX,
	HOW_STDDEV,
	HOW_SHARE,
	HOW_FLAG
};

enum om_where { /* which records count */
	WHERE_ALL,
	WHERE_WORK, /* with -i only those in an iteration */
	WHERE_STEP  /* those in a step, or between two */
};

/* A line of the table; metrics.tab says what its columns mean. */
struct om_metric {
	char *name, *record, *value;
	char *of; /* HOW_SHARE: the column of the second sum */
	enum om_how how;
	enum om_where where;
	char *label[OM_LABELS], *column[OM_LABELS];
	int nlabel;
	char *help;
	const char *unit; /* seconds, bytes, ratio or NULL */
};

struct om_table {
	struct om_metric *v;
	size_t n, cap;
};

struct om_family { /* zeroed: a metric and its samples */
	const struct om_metric *m;
	struct smap labels; /* {a="b"}; its number is that of the sample */
	struct om_sample {
		uint64_t n;     /* values */
		int64_t i;      /* their sum or extreme, while it is exact */
		double sum, sq; /* of the differences from the first: see
				 * add_real() */
		double first;
		double of;  /* HOW_SHARE: the second sum */
		bool exact; /* all were integers */
	} * v;
	size_t cap;
};

struct om_labels {              /* of a sample */
	struct buf list;        /* a="b",c="d" */
	struct buf text, fixed; /* of the value that is added */
};

/* Reads the table of metrics: words separated by blanks, checked one by one. */

#define WORDS 7

static const char *const hows[] = { "sum", "mean", "min", "max", "stddev",
	"share", "flag" };
static const char *const wheres[] = { "all", "work", "step" };
static const char *const units[] = { "seconds", "bytes", "ratio" };

struct om_at { /* the line that is read, for messages */
	const char *file;
	unsigned long line;
};

static void
bad(const struct om_at *at, const char *what, const char *value)
{
	die("%s:%lu: %s '%s'", at->file, at->line, what, value);
}

/* Letters, digits and _, not a digit first. */
static bool
is_name(const char *s)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const char *p;

	if (*s == '\0' || strchr(first, *s) == NULL)
		return false;
	for (p = s; *p != '\0'; p++)
		if (strchr(first, *p) == NULL && (*p < '0' || *p > '9'))
			return false;
	return true;
}

static const char *
unit_of(const char *name)
{
	const char *end = strrchr(name, '_');
	size_t i;

	for (i = 0; end != NULL && i < ARRAY_LEN(units); i++)
		if (strcmp(end + 1, units[i]) == 0)
			return units[i];
	return NULL;
}

static void
read_labels(const struct om_at *at, struct om_metric *m, char *s)
{
	char *save, *eq;

	if (strcmp(s, "-") == 0)
		return;
	for (s = strtok_r(s, ",", &save); s != NULL;
	     s = strtok_r(NULL, ",", &save)) {
		if (m->nlabel == OM_LABELS)
			bad(at, "too many labels:", s);
		eq = strchr(s, '=');
		if (eq != NULL)
			*eq = '\0';
		if (!is_name(s) || strncmp(s, "__", 2) == 0)
			bad(at, "no name of a label:", s);
		m->label[m->nlabel] = s;
		m->column[m->nlabel++] = eq != NULL ? eq + 1 : s;
	}
}

/* The number of the word in a list of n; what: for the message. */
static int
word_in(const struct om_at *at, const char *const *list, int n, const char *s,
    const char *what)
{
	int i = 0;

	while (i < n && strcmp(s, list[i]) != 0)
		i++;
	if (i == n)
		bad(at, what, s);
	return i;
}

static void
add_metric(const struct om_at *at, struct om_table *t, char **w)
{
	struct om_metric m = { .name = w[0], .record = w[1], .value = w[2] };
	size_t i;

	if (!is_name(w[0]))
		bad(at, "no name of a metric:", w[0]);
	for (i = 0; i < t->n; i++)
		if (strcmp(t->v[i].name, w[0]) == 0)
			bad(at, "a second metric", w[0]);
	m.how = (enum om_how)word_in(at, hows, ARRAY_LEN(hows), w[3],
	    "neither sum, mean, min, max, stddev, share nor flag:");
	m.where = (enum om_where)word_in(
	    at, wheres, ARRAY_LEN(wheres), w[4], "neither all, work nor step:");
	read_labels(at, &m, w[5]);
	m.help = w[6];
	m.unit = unit_of(m.name);
	m.of = strchr(m.value, '/');
	if ((m.of != NULL) != (m.how == HOW_SHARE))
		bad(at, "only a share has two columns:", m.value);
	if (m.of != NULL)
		*m.of++ = '\0';
	ARRAY_GROW(t->v, t->n, t->cap);
	t->v[t->n++] = m;
}

/* One line. The table keeps a copy of its text, which lives as long as the
 * program. */
static void
one_line(const struct om_at *at, struct om_table *t, const char *s, size_t n)
{
	char *w[WORDS], *p;
	int i;

	for (; n > 0 && (*s == ' ' || *s == '\t'); n--)
		s++;
	if (n == 0 || *s == '#')
		return;
	p = xmemdup(s, n);
	for (i = 0; i < WORDS; i++) {
		w[i] = p;
		p += i < WORDS - 1 ? strcspn(p, " \t") : strlen(p);
		if (p == w[i])
			bad(at, "a metric takes 7 words:", w[0]);
		if (*p != '\0')
			*p++ = '\0';
		p += strspn(p, " \t");
	}
	add_metric(at, t, w);
}

/* Reads a table, or the shipped one if path is NULL. Mistakes in it are
 * fatal. */
static void
om_table_read(struct om_table *t, const char *path)
{
	struct om_at at = { .file = path };
	struct lines in = { 0 };
	const char *s;
	size_t n;

	if (path != NULL) {
		lines_open(&in, path);
		while (lines_next(&in, &s, &n)) {
			at.line = (unsigned long)in.no;
			one_line(&at, t, s, n);
		}
		lines_close(&in);
		return;
	}
	at.file = "metrics.tab";
	for (s = shipped_text(at.file); *s != '\0'; s += n + (s[n] != '\0')) {
		n = strcspn(s, "\n");
		at.line++;
		one_line(&at, t, s, n);
	}
}

/* The samples of the metrics: values are added up, then printed. */

/* Appends a label. raw: its value as records hold it. */
static void
om_label(struct om_labels *l, const char *name, struct mview raw)
{
	struct buf *b = &l->list;
	size_t i;
	char c;

	buf_clear(&l->text);
	buf_clear(&l->fixed);
	if (raw.s == NULL)
		buf_puts(&l->text, "unknown");
	else
		esc_undo(&l->text, raw.s, raw.n);
	utf8_fix(&l->fixed, l->text.s, l->text.len);
	if (b->len > 0)
		buf_putc(b, ',');
	buf_puts(b, name);
	buf_puts(b, "=\"");
	for (i = 0; i < l->fixed.len; i++) {
		/* other control characters have no escapes */
		c = l->fixed.s[i];
		if (c == '\\' || c == '"' || c == '\n')
			buf_putc(b, '\\');
		buf_putc(b, c == '\n'                              ? 'n'
			    : (unsigned char)c < 0x20 || c == 0x7f ? '?'
								   : c);
	}
	buf_putc(b, '"');
}

/* The differences from the first value are added up for HOW_STDDEV: squares
 * of the values themselves would lose the digits in which they differ. */
static void
add_real(enum om_how how, struct om_sample *s, double v)
{
	double d;

	if (s->n == 0)
		s->first = v;
	d = v - s->first;
	if (how == HOW_MIN || how == HOW_MAX) {
		if (s->n == 0 || (how == HOW_MIN ? v < s->sum : v > s->sum))
			s->sum = v;
		return;
	}
	s->sum += how == HOW_STDDEV ? d : v;
	s->sq += d * d;
}

/* Adds a value, as records hold it; of: the value of the second column, if
 * there is one. A value that is unset or no number is left out. */
static void
om_sample(struct om_family *f, const struct om_labels *labels, struct mview raw,
    struct mview of)
{
	enum om_how how = f->m->how;
	struct om_sample *s;
	double v, second = 0;
	int64_t i;
	size_t id;
	bool is_new;

	if (raw.s == NULL || (how == HOW_SHARE && of.s == NULL))
		return;
	if (how == HOW_FLAG) {
		raw.s = mv_eq(raw, "yes") ? "1" : mv_eq(raw, "no") ? "0" : "";
		raw.n = strlen(raw.s);
		how = HOW_MAX;
	}
	if (!num_f64(raw.s, raw.n, &v) ||
	    (of.s != NULL && !num_f64(of.s, of.n, &second)))
		return;
	id = smap_put(&f->labels, labels->list.s, labels->list.len, &is_new);
	ARRAY_GROW(f->v, id, f->cap);
	s = &f->v[id];
	if (is_new)
		*s = (struct om_sample){ .exact = true };
	if (num_i64(raw.s, raw.n, &i)) {
		if (how == HOW_MIN)
			s->i = s->n == 0 || i < s->i ? i : s->i;
		else if (how == HOW_MAX)
			s->i = s->n == 0 || i > s->i ? i : s->i;
		else if (__builtin_add_overflow(s->i, i, &s->i))
			s->exact = false;
	} else
		s->exact = false;
	add_real(how, s, v);
	s->of += second;
	s->n++;
}

/* How many of the column's units are one of the metric's. */
static int64_t
unit_scale(const struct om_metric *m)
{
	struct mview value = { m->value, strlen(m->value) };

	if (m->unit == NULL || m->how == HOW_SHARE)
		return 1;
	if (strcmp(m->unit, "seconds") == 0 && mv_ends(value, "_ns"))
		return 1000000000;
	if (strcmp(m->unit, "ratio") == 0 && mv_ends(value, "_pct"))
		return 100;
	return 1;
}

/* v / 10^9 with all its digits: a double would round them. */
static void
put_nano(struct buf *b, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	int i;

	buf_printf(b, "%s%llu.%09llu", v < 0 ? "-" : "",
	    (unsigned long long)(u / 1000000000),
	    (unsigned long long)(u % 1000000000));
	for (i = 0; i < 8 && b->s[b->len - 1] == '0'; i++)
		b->len--;
}

static double
real_value(const struct om_metric *m, const struct om_sample *s)
{
	double n = (double)s->n, var;

	switch (m->how) {
	case HOW_MEAN:
		return s->sum / n;
	case HOW_SHARE:
		return s->sum / s->of;
	case HOW_STDDEV:
		var = (s->sq - s->sum * s->sum / n) / (n - 1);
		return var > 0 ? sqrt(var) : 0;
	default:
		return s->sum;
	}
}

/* Appends the metric in the OpenMetrics text format; nothing if it has no
 * samples. */
static void
om_print(const struct om_family *f, struct buf *out)
{
	const char *labels, *p;
	bool headed = false, whole;
	uint32_t i;
	size_t n;
	int64_t per;

	for (i = 0; i < f->labels.n; i++) {
		if (f->m->how == HOW_SHARE && f->v[i].of == 0)
			continue; /* nothing has no share */
		if (f->m->how == HOW_STDDEV && f->v[i].n < 2)
			continue; /* one value has no spread */
		if (!headed) {
			buf_printf(out, "# TYPE %s gauge\n", f->m->name);
			if (f->m->unit != NULL)
				buf_printf(out, "# UNIT %s %s\n", f->m->name,
				    f->m->unit);
			buf_printf(out, "# HELP %s ", f->m->name);
			for (p = f->m->help; *p != '\0'; p++) {
				if (*p == '\\' || *p == '"')
					buf_putc(out, '\\');
				buf_putc(out, *p);
			}
			buf_putc(out, '\n');
		}
		headed = true;
		labels = smap_str(&f->labels, i, &n);
		buf_puts(out, f->m->name);
		if (n > 0) {
			buf_putc(out, '{');
			buf_put(out, labels, n);
			buf_putc(out, '}');
		}
		buf_putc(out, ' ');
		per = unit_scale(f->m);
		whole = f->v[i].exact &&
			(f->m->how == HOW_SUM || f->m->how == HOW_MIN ||
			    f->m->how == HOW_MAX || f->m->how == HOW_FLAG);
		if (whole && per == 1)
			buf_i64(out, f->v[i].i);
		else if (whole && per == 1000000000)
			put_nano(out, f->v[i].i);
		else
			buf_printf(out, "%.12g",
			    real_value(f->m, &f->v[i]) / (double)per);
		buf_putc(out, '\n');
	}
}

struct om_entry { /* a metric of the table, and where its record has it */
	struct om_family f;
	struct rec_type *type;
	int value, of, label[OM_LABELS]; /* ids of columns, or -1 */
	struct om_entry *next;           /* of the same record type */
};

struct om_run {
	bool iter_only; /* -i: what lies in iterations */
	struct om_entry *entry;
	size_t n;
	struct om_family notes;
	uint64_t n_data;    /* records that are of a metric */
	struct buf profile; /* the section's file; empty: unknown, or several */
	bool several;
	struct om_labels labels; /* reused */
};

static const struct om_metric note_metric = { .name = (char *)"dlp_note",
	.how = HOW_SUM,
	.value = (char *)"1",
	.help = (char *)"Notes about the profile, such as missing data, and "
			"their counts." };

/* An iteration without a key is the whole profile, which is no step. */
static bool
is_left_out(const struct om_run *g, enum om_where where, const struct rec *r)
{
	if (where == WHERE_ALL || (where == WHERE_WORK && !g->iter_only))
		return false;
	if (where == WHERE_STEP && rec_has(r->type, COL_key) &&
	    rec_get(r, COL_key).s == NULL)
		return true;
	if (rec_get(r, COL_iter).s != NULL)
		return false;
	return where != WHERE_STEP || rec_get(r, COL_after).s == NULL;
}

/* The labels of the next sample, the first of which is its file. */
static void
begin_labels(struct om_run *g, struct mview src)
{
	buf_clear(&g->labels.list);
	if (src.s == NULL && g->profile.len > 0)
		src = (struct mview){ g->profile.s, g->profile.len };
	if (src.s != NULL)
		om_label(&g->labels, "profile", src);
}

static void
add_record(struct om_run *g, struct om_entry *e, const struct rec *r)
{
	struct mview value = { "1", 1 }, of = { NULL, 0 };
	int i;

	if (is_left_out(g, e->f.m->where, r))
		return;
	begin_labels(g, rec_get(r, COL_src));
	for (i = 0; i < e->f.m->nlabel; i++)
		om_label(&g->labels, e->f.m->label[i], rec_get(r, e->label[i]));
	if (e->value >= 0)
		value = rec_get(r, e->value);
	if (e->of >= 0)
		of = rec_get(r, e->of);
	om_sample(&e->f, &g->labels, value, of);
}

static void
see_record(struct stage *st, struct rec *r)
{
	struct om_run *g = st->ctx;
	struct om_entry *e;

	g->n_data++;
	for (e = rec_arg(r); e != NULL; e = e->next)
		add_record(g, e, r);
}

static void
forget_profile(struct stage *st)
{
	struct om_run *g = st->ctx;

	buf_clear(&g->profile);
	g->several = false;
}

static void
see_name_or_note(struct stage *st, struct rec *r)
{
	struct om_run *g = st->ctx;
	const struct mview none = { NULL, 0 };
	const char *rest, *word, *tab;
	struct mview name, value;
	size_t wlen, rlen;

	word = rec_meta(r, &wlen, &rest, &rlen);
	tab = memchr(rest, '\t', rlen);
	if (tab == NULL)
		return;
	name = mv(rest, tab);
	value = mv(tab + 1, rest + rlen);
	if (text_is(word, wlen, "note")) {
		begin_labels(g, none);
		om_label(&g->labels, "note", name);
		om_sample(&g->notes, &g->labels, value, none);
	} else if (text_is(word, wlen, "info") && mv_eq(name, "src")) {
		g->several |= g->profile.len > 0;
		buf_clear(&g->profile);
		if (!g->several)
			buf_put(&g->profile, value.s, value.n);
	}
}

/* Metrics of one record type stand in a row, in the table's order: the first
 * leads to the others. */
static void
read_metric(struct stage *st, struct om_run *g, struct om_entry *e)
{
	const struct om_metric *m = e->f.m;
	struct om_entry *first = g->entry;
	int i;

	while (strcmp(first->f.m->record, m->record) != 0)
		first++;
	if (first == e)
		e->type = stage_on(
		    st, m->record, see_record, .opt = "iter src", .arg = e);
	e->type = first->type;
	while (first != e && first->next != NULL)
		first = first->next;
	if (first != e)
		first->next = e;
	e->value =
	    strcmp(m->value, "1") != 0 ? rec_want_col(e->type, m->value) : -1;
	e->of = m->of != NULL ? rec_want_col(e->type, m->of) : -1;
	if (m->where == WHERE_STEP)
		rec_want(e->type, REC_OPT, "after key");
	for (i = 0; i < m->nlabel; i++)
		e->label[i] = rec_want_col(e->type, m->column[i]);
}

/* Runs the open stage to its end; the metrics go to out. The exit status. */
static int
gather(struct stage *st, struct om_run *g, const struct om_table *t,
    struct buf *out)
{
	size_t i;
	int rc;

	st->ctx = g;
	g->n = t->n;
	g->notes.m = &note_metric;
	g->entry = xcalloc(g->n + 1, sizeof(*g->entry));
	for (i = 0; i < g->n; i++) {
		g->entry[i].f.m = &t->v[i];
		read_metric(st, g, &g->entry[i]);
	}
	st->section = forget_profile;
	st->meta = see_name_or_note;
	rc = stage_run(st);
	for (i = 0; i < g->n; i++)
		om_print(&g->entry[i].f, out);
	om_print(&g->notes, out);
	if (rc == EXIT_OK)
		buf_puts(out, "# EOF\n");
	if (rc == EXIT_OK && g->n_data == 0)
		warn("no record in the input is of a metric");
	return rc;
}

static void
fail_write(const char *path, const char *tmp)
{
	int e = errno;

	if (tmp != NULL)
		(void)unlink(tmp);
	errno = e;
	die_errno("%s", path);
}

/* Writes the file under a temporary name beside it and renames it, so that a
 * collector never sees half of it. The temporary name does not end in .prom,
 * which is what the collector looks for. Failure is fatal, and leaves the file
 * as it was. */
static void
write_whole(const char *path, const char *s, size_t n)
{
	mode_t mask = umask(0);
	struct buf name = { 0 };
	char *tmp;
	int fd;

	(void)umask(mask);
	buf_puts(&name, path);
	buf_puts(&name, ".XXXXXX");
	tmp = xmemdup(name.s, name.len);
	fd = mkstemp(tmp);
	if (fd < 0)
		fail_write(path, NULL);
	if (fchmod(fd, 0666 & ~mask) != 0 || !write_all(fd, s, n) ||
	    fsync(fd) != 0 || close(fd) != 0 || rename(tmp, path) != 0)
		fail_write(path, tmp);
	free(tmp);
	buf_free(&name);
}

int
main(int argc, char **argv)
{
	static struct om_run g; /* as the options are: one in the process */
	static bool list;
	static const char *table_path, *out_path;
	static const struct cli_opt opts[] = {
		{ 'i', "iter", .flag = &g.iter_only },
		{ 'l', "list", .flag = &list },
		{ 'm', "metrics", .arg = &table_path },
		{ 'o', "output", .arg = &out_path },
		{ 0 },
	};
	struct om_table table = { 0 };
	struct buf text = { 0 };
	struct stage st = { 0 };
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-openmetrics");
	unbuffered = cli_options(argc, argv, opts);
	if (out_path != NULL && *out_path == '\0')
		die("-o: empty argument");
	if (list) {
		out_open(false);
		buf_puts(&out_buf, shipped_text("metrics.tab"));
		return out_finish(EXIT_OK);
	}
	path = cli_operand(argc, argv);
	om_table_read(&table, table_path);
	stage_open_sink(&st, path, unbuffered);
	rc = gather(&st, &g, &table, &text);
	if (out_path == NULL)
		buf_put(&out_buf, text.s, text.len);
	else if (rc == EXIT_OK)
		write_whole(out_path, text.s, text.len);
	buf_free(&text);
	return out_finish(rc);
}
