/*
 * dlp-openmetrics: a stream as metrics for Prometheus, in a text that a node
 * exporter's textfile collector reads too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "dlp-openmetrics/om.h"
#include "err.h"
#include "out.h"
#include "shipped.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-openmetrics [-hiluV] [-m TABLE] [-o OUT] [FILE]\n"
    "The stream as metrics for Prometheus, in the OpenMetrics text format.\n"
    "  -i, --iter        only work in iterations (see dlp-iter)\n"
    "  -l, --list        print the table of metrics\n"
    "  -m, --metrics TABLE  another table of metrics\n"
    "  -o, --output OUT  write to this file, which is replaced as a whole\n"
    "  -u, --unbuffered  accepted, as by all filters\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct om_entry { /* a metric of the table, and where its record has it */
	struct om_family f;
	struct rec_type *type;
	struct rec_col *value, *of, *iter, *after, *key, *src,
	    *label[OM_LABELS];
	struct om_entry *next; /* of the same record type */
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
	.help = (char *)"What the profile lacked or told of, and how often." };

/* An iteration without a key is the whole profile, which is no step. */
static bool
is_whole(const struct om_entry *e, const struct rec *r)
{
	size_t n;

	return e->key->pos >= 0 && rec_raw(r, e->key, &n) == NULL;
}

static bool
is_left_out(
    const struct om_run *g, const struct om_entry *e, const struct rec *r)
{
	size_t n;

	if (e->f.m->where == WHERE_ALL ||
	    (e->f.m->where == WHERE_WORK && !g->iter_only))
		return false;
	if (e->f.m->where == WHERE_STEP && is_whole(e, r))
		return true;
	if (rec_raw(r, e->iter, &n) != NULL)
		return false;
	return e->f.m->where != WHERE_STEP || rec_raw(r, e->after, &n) == NULL;
}

/* The labels of the next sample, the first of which is its file. */
static void
begin_labels(struct om_run *g, const char *src, size_t n)
{
	buf_clear(&g->labels.list);
	if (src == NULL && g->profile.len > 0) {
		src = g->profile.s;
		n = g->profile.len;
	}
	if (src != NULL)
		om_label(&g->labels, "profile", src, n);
}

static void
add_record(struct om_run *g, struct om_entry *e, const struct rec *r)
{
	const char *s, *of = NULL;
	size_t n, nof = 0;
	int i;

	if (is_left_out(g, e, r))
		return;
	s = rec_raw(r, e->src, &n);
	begin_labels(g, s, n);
	for (i = 0; i < e->f.m->nlabel; i++) {
		s = rec_raw(r, e->label[i], &n);
		om_label(&g->labels, e->f.m->label[i], s, n);
	}
	s = "1";
	n = 1;
	if (e->value != NULL)
		s = rec_raw(r, e->value, &n);
	if (e->of != NULL)
		of = rec_raw(r, e->of, &nof);
	om_sample(&e->f, &g->labels, s, n, of, nof);
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
add_note(struct om_run *g, const char *name, size_t n, const char *count,
    size_t ncount)
{
	begin_labels(g, NULL, 0);
	om_label(&g->labels, "note", name, n);
	om_sample(&g->notes, &g->labels, count, ncount, NULL, 0);
}

static void
see_name_or_note(struct stage *st, struct rec *r)
{
	struct om_run *g = st->ctx;
	const char *rest, *word, *v;
	size_t wlen, rlen, n;

	word = rec_meta(r, &wlen, &rest, &rlen);
	v = memchr(rest, '\t', rlen);
	if (v == NULL || wlen != 4)
		return;
	n = (size_t)(rest + rlen - v) - 1;
	if (memcmp(word, "note", 4) == 0) {
		add_note(g, rest, (size_t)(v - rest), v + 1, n);
	} else if (memcmp(word, "info", 4) == 0 && v - rest == 3 &&
		   memcmp(rest, "src", 3) == 0) {
		g->several |= g->profile.len > 0;
		buf_clear(&g->profile);
		if (!g->several)
			buf_put(&g->profile, v + 1, n);
	}
}

/* Metrics of one record type stand in a row, in the table's order. */
static void
append_entry(struct om_entry *first, struct om_entry *e)
{
	e->type = first->type;
	while (first->next != NULL)
		first = first->next;
	first->next = e;
}

static void
bind_metric(struct stage *st, struct om_run *g, struct om_entry *e)
{
	const struct om_metric *m = e->f.m;
	struct om_entry *first = g->entry;
	int i;

	/* the first metric of a record type leads to the others */
	while (strcmp(first->f.m->record, m->record) != 0)
		first++;
	if (first == e)
		e->type = stage_on(st, m->record, see_record, NULL, e);
	else
		append_entry(first, e);
	if (strcmp(m->value, "1") != 0)
		e->value = rec_col(e->type, m->value, REC_OPT);
	if (m->of != NULL)
		e->of = rec_col(e->type, m->of, REC_OPT);
	e->iter = rec_col(e->type, "iter", REC_OPT);
	if (m->where == WHERE_STEP)
		REC_COLS(e->type, REC_OPT, { &e->after, "after" },
		    { &e->key, "key" });
	e->src = rec_col(e->type, "src", REC_OPT);
	for (i = 0; i < m->nlabel; i++)
		e->label[i] = rec_col(e->type, m->column[i], REC_OPT);
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
		bind_metric(st, g, &g->entry[i]);
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

static int
write_all(int fd, const char *s, size_t n)
{
	ssize_t k;

	while (n > 0) {
		k = write(fd, s, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		s += k;
		n -= (size_t)k;
	}
	return fsync(fd);
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
	if (fchmod(fd, 0666 & ~mask) != 0 || write_all(fd, s, n) != 0 ||
	    close(fd) != 0 || rename(tmp, path) != 0)
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
	unbuffered = cli_options(argc, argv, usage, opts);
	if (out_path != NULL && *out_path == '\0')
		die("-o: empty argument");
	if (list) {
		out_open(false);
		buf_puts(&out_buf, shipped_text("metrics.tab"));
		return out_finish(EXIT_OK);
	}
	path = cli_operand(argc, argv, usage);
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
