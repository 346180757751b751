/*
 * dlp-trace: the way out to timeline viewers: a stream as a trace in the
 * JSON form of Chrome, which Perfetto reads too. Here are the options, the
 * records that are read, and what the trace says about the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "num.h"
#include "stage.h"
#include "dlp-trace/trace.h"

static const char usage[] =
    "usage: dlp-trace [-hiuV] [FILE]\n"
    "Writes a timeline for ui.perfetto.dev, chrome://tracing or speedscope,\n"
    "from a dlp stream.\n"
    "  -i, --iter        write only what is in iterations (dlp-iter)\n"
    "  -u, --unbuffered  write each event at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct named_owner { /* the columns of proc, thread, dev */
	char what;   /* as in rows_name() */
	struct rec_col *src, *pid, *tid, *dev, *name;
};

struct trace {
	bool iter_only;
	uint64_t untimed; /* records without a start */
	struct trace_shown shown;
	struct trace_type *type; /* as trace_defs */
	size_t n_type;
	struct named_owner proc, thread, dev;
	/* "otherData" */
	int section;
	struct smap facts; /* val: number in texts, or the count of a note */
	struct smap texts;
	struct buf key;
};

static void
read_shown(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const struct trace_type *t = rec_arg(r);
	struct trace_item it = { .r = r, .t = t };

	it.hidden = x->iter_only && t->def->show != SHOW_ITER &&
		    rec_view(r, t->iter).s == NULL;
	if (it.hidden && t->def->show != SHOW_MEM)
		return;
	if (!rec_i64(r, t->start, &it.start)) {
		x->untimed++;
		return;
	}
	it.has_dur = rec_i64(r, t->dur, &it.dur) && it.dur >= 0;
	it.owner = (struct owner){ .src = rec_view(r, t->src),
		.pid = rec_view(r, t->pid),
		.tid = rec_view(r, t->tid),
		.dev = rec_view(r, t->dev),
		.ctx = rec_view(r, t->ctx),
		.stream = rec_view(r, t->stream) };
	show_item(&x->shown, &it);
}

static void
read_shown_legend(struct stage *st, struct rec *r)
{
	struct trace_type *t = rec_arg(r);
	int i;

	(void)st;
	for (i = 0; i < t->narg; i++)
		join_legend(t->arg[i]);
}

static void
read_name(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const struct named_owner *k = rec_arg(r);
	struct mview name = rec_view(r, k->name);
	struct owner o = { .src = rec_view(r, k->src),
		.pid = rec_view(r, k->pid),
		.tid = rec_view(r, k->tid),
		.dev = rec_view(r, k->dev) };

	if (name.s != NULL)
		rows_name(&x->shown.rows, k->what, &o, name);
}

static void
join_op_rec(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;

	join_op(&x->shown.join, r);
}

static void
join_str_rec(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;

	join_str(&x->shown.join, r);
}

static void
begin_trace_section(struct stage *st)
{
	struct trace *x = st->ctx;

	show_section(&x->shown);
	x->section++;
}

/* From the second section on, names have its number in front. */
static uint32_t
fact_of(struct trace *x, const char *what, struct mview name)
{
	buf_clear(&x->key);
	if (x->section > 1)
		buf_printf(&x->key, "%d.", x->section);
	buf_puts(&x->key, what);
	buf_put(&x->key, name.s, name.n);
	return smap_put(&x->facts, x->key.s, x->key.len, NULL);
}

/* Notes of a name add up. ##info src names the file of a section. */
static void
read_fact(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const char *rest, *word, *v;
	struct mview name, value;
	size_t wlen, rlen;
	uint64_t n = 0;
	uint32_t id;

	word = rec_meta(r, &wlen, &rest, &rlen);
	v = memchr(rest, '\t', rlen);
	if (v == NULL)
		return;
	name = mv(rest, v);
	value = mv(v + 1, rest + rlen);
	if (text_is(word, wlen, "info")) {
		if (mv_eq(name, "src"))
			rows_label(&x->shown.rows, value.s, value.n);
		id = fact_of(x, "info.", name);
		x->facts.val[id] = smap_put(&x->texts, value.s, value.n, NULL);
	} else if (text_is(word, wlen, "note")) {
		id = fact_of(x, "note.", name);
		(void)num_u64(value.s, value.n, &n);
		x->facts.val[id] += n;
	}
}

static void
put_fact(const struct trace *x, uint32_t id)
{
	const char *name, *text;
	size_t n, k;

	name = smap_str(&x->facts, id, &n);
	buf_puts(&out_buf, ",\n");
	ev_string(name, n);
	buf_putc(&out_buf, ':');
	if (mv_find((struct mview){ name, n }, "info.") != NULL) {
		text = smap_str(&x->texts, (uint32_t)x->facts.val[id], &k);
		ev_string(text, k);
	} else {
		buf_u64(&out_buf, x->facts.val[id]);
	}
}

/* What is said about the profile, after the events; and the end. */
static void
put_facts(const struct trace *x)
{
	uint32_t i;

	buf_puts(&out_buf, ",\"displayTimeUnit\":\"ns\",\"otherData\":{\n"
			   "\"by\":\"dlp-trace " DLP_VERSION "\"");
	for (i = 0; i < x->facts.n; i++)
		put_fact(x, i);
	buf_puts(&out_buf, "}}\n");
}

static void
listen_name(struct stage *st, const char *tag, struct named_owner *k, char what)
{
	struct rec_type *t = stage_on(st, tag, read_name, NULL, k);

	k->what = what;
	REC_COLS(t, REC_OPT, { &k->src, "src" }, { &k->pid, "pid" },
	    { &k->tid, "tid" }, { &k->dev, "dev" }, { &k->name, "name" });
}

static void
listen_trace(struct stage *st, struct trace *x)
{
	size_t i;

	listen_name(st, "proc", &x->proc, 'p');
	listen_name(st, "thread", &x->thread, 't');
	listen_name(st, "dev", &x->dev, 'd');
	stage_on(st, "op", join_op_rec, NULL, NULL);
	stage_on(st, "str", join_str_rec, NULL, NULL);
	while (trace_defs[x->n_type].tag != NULL)
		x->n_type++;
	x->type = xcalloc(x->n_type, sizeof(*x->type));
	for (i = 0; i < x->n_type; i++)
		show_bind(&x->shown, &x->type[i], &trace_defs[i],
		    stage_on(st, trace_defs[i].tag, read_shown,
			read_shown_legend, &x->type[i]));
}

static void
free_trace(struct trace *x)
{
	size_t i;
	int k;

	show_free(&x->shown);
	for (i = 0; i < x->n_type; i++) {
		for (k = 0; k < x->type[i].narg; k++)
			free(x->type[i].arg[k]);
		free(x->type[i].arg_text);
	}
	free(x->type);
	smap_free(&x->facts);
	smap_free(&x->texts);
	buf_free(&x->key);
}

int
main(int argc, char **argv)
{
	struct trace x = { 0 };
	const struct cli_opt opts[] = {
		{ 'i', "iter", .flag = &x.iter_only },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start_sink(&st, "dlp-trace", usage, opts, argc, argv);
	show_init(&x.shown, st.rd);
	st.ctx = &x;
	st.section = begin_trace_section;
	st.meta = read_fact;
	listen_trace(&st, &x);
	events_open();
	rc = stage_run(&st);
	events_close();
	put_facts(&x);
	if (x.untimed > 0)
		warn("records without a time that are left out: %llu",
		    (unsigned long long)x.untimed);
	join_warn(&x.shown.join);
	free_trace(&x);
	return out_finish(rc);
}
