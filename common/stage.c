/* The filters' common loop; see stage.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "stage.h"

struct stage_type {
	struct rec_type *type;
	stage_fn *data;
	struct stage_how how; /* the last one */
};

static void
cmd_text(struct buf *b, int argc, char *const *argv)
{
	int i;

	buf_clear(b);
	buf_puts(b, err_prog_name());
	buf_puts(b, " " DLP_VERSION);
	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--" CLI_AS_STAGE) == 0)
			continue;
		buf_putc(b, ' ');
		esc_put(b, argv[i], strlen(argv[i]));
	}
}

static void
put_cmd(const struct buf *b)
{
	buf_puts(&out_buf, "##cmd\t");
	buf_put(&out_buf, b->s, b->len);
	buf_putc(&out_buf, '\n');
}

static void
close_stage(void *arg)
{
	struct stage *st = arg;
	int i;

	for (i = 0; i < st->ntypes; i++)
		free(st->types[i]);
	free(st->types);
	buf_free(&st->cmd);
	rec_close(st->rd);
}

static void
open_stage(struct stage *st, const char *path, bool unbuffered)
{
	memset(st, 0, sizeof(*st));
	st->rd = rec_open(path);
	out_open(unbuffered);
	out_at_finish(close_stage, st);
}

void
stage_open(struct stage *st, int argc, char *const *argv, const char *path,
    bool unbuffered)
{
	open_stage(st, path, unbuffered);
	cmd_text(&st->cmd, argc, argv);
}

void
stage_open_sink(struct stage *st, const char *path, bool unbuffered)
{
	open_stage(st, path, unbuffered);
	st->quiet = true;
}

void
stage_start(struct stage *st, const char *name, const struct cli_opt *opts,
    int argc, char **argv)
{
	bool unbuffered;

	cli_init(name);
	unbuffered = cli_options(argc, argv, opts);
	stage_open(st, argc, argv, cli_operand(argc, argv), unbuffered);
}

void
stage_start_sink(struct stage *st, const char *name, const struct cli_opt *opts,
    int argc, char **argv)
{
	bool unbuffered;

	cli_init(name);
	unbuffered = cli_options(argc, argv, opts);
	stage_open_sink(st, cli_operand(argc, argv), unbuffered);
}

struct rec_type *
stage_on_types(struct stage *st, const char *tags, stage_fn *data,
    const struct stage_how *how)
{
	struct rec_type *t = NULL;
	struct stage_type *s;
	char tag[64];
	bool all;
	size_t n;

	for (; *tags != '\0'; tags += n + (tags[n] == ' ')) {
		n = strcspn(tags, " ");
		if (n >= sizeof(tag))
			die("stage_on: a type is too long: %s", tags);
		memcpy(tag, tags, n);
		tag[n] = '\0';
		t = rec_type(st->rd, tag);
		s = t->stage;
		if (s == NULL) {
			t->stage = s = xcalloc(1, sizeof(*s));
			s->type = t;
			st->types = xrealloc(st->types, (size_t)st->ntypes + 1,
			    sizeof(struct stage_type *));
			st->types[st->ntypes++] = s;
		}
		all = s->how.all || how->all;
		s->data = data;
		s->how = *how;
		s->how.all = all;
		t->arg = how->arg != NULL ? how->arg : (void *)how->ext;
		rec_want(t, REC_NEED, how->need);
		rec_want(t, REC_OPT, how->opt);
	}
	return t;
}

void
stage_anew(struct stage *st, const char *const *names)
{
	const struct type_def *t;

	st->anew = names;
	for (t = type_defs; t->type != NULL; t++)
		if (strcmp(t->by, err_prog_name()) == 0 &&
		    rec_type(st->rd, t->type)->stage == NULL)
			stage_on(st, t->type, NULL, .need = NULL);
}

/* True if a line of metadata has one of these names. */
static bool
is_anew(const struct stage *st, const struct rec *r)
{
	const char *const *name, *s = r->line + 7;
	size_t n;

	if (st->anew == NULL || r->len < 7 ||
	    (memcmp(r->line, "##note\t", 7) != 0 &&
		memcmp(r->line, "##info\t", 7) != 0))
		return false;
	for (name = st->anew; *name != NULL; name++) {
		n = strlen(*name);
		if (r->len > 7 + n && memcmp(s, *name, n) == 0 && s[n] == '\t')
			return true;
	}
	return false;
}

void
stage_pass(struct stage *st, struct rec *r)
{
	int i = 0;

	if (r->kind == REC_DATA || r->kind == REC_LEGEND)
		while (i < st->nkeep && r->type != st->keep[i])
			i++;
	if (st->quiet || (i > 0 && i == st->nkeep))
		return;
	if (st->hold != NULL)
		st->hold(st, r);
	else
		out_line(r->line, r->len);
}

void
stage_keep(struct stage *st, const char *const *names, int n)
{
	st->keep = xcalloc((size_t)n + 1, sizeof(struct rec_type *));
	for (st->nkeep = 0; st->nkeep < n; st->nkeep++)
		st->keep[st->nkeep] = rec_type(st->rd, names[st->nkeep]);
}

void
stage_drop(struct stage *st, struct rec *r)
{
	(void)st;
	(void)r;
}

static void
begin(struct stage *st)
{
	st->in_section = true;
	out_legends_again();
	if (st->section != NULL)
		st->section(st);
}

static void
finish(struct stage *st, bool complete)
{
	st->in_section = false;
	st->complete = complete;
	if (st->end != NULL)
		st->end(st);
}

/* Our ##cmd line follows those of the stages before us. */
static void
cmd_line(struct stage *st)
{
	struct rec c = { .kind = REC_META, .rd = st->rd };
	struct buf b = { 0 };

	st->cmd_due = false;
	if (st->quiet)
		return;
	if (st->hold == NULL) {
		put_cmd(&st->cmd);
		return;
	}
	buf_puts(&b, "##cmd\t");
	buf_put(&b, st->cmd.s, st->cmd.len);
	c.line = b.s;
	c.len = b.len;
	st->hold(st, &c);
	buf_free(&b);
}

static void
on_typed(struct stage *st, struct rec *r)
{
	const struct stage_type *s = r->type->stage;

	if (r->kind == REC_DATA) {
		if (s != NULL && s->data != NULL)
			s->data(st, r);
		else if (s == NULL)
			stage_pass(st, r);
	} else if (s != NULL && s->how.legend != NULL) {
		s->how.legend(st, r);
	} else if (s != NULL && s->how.ext != NULL) {
		out_ext_legend(s->how.ext, r);
	} else if (s == NULL || s->data != NULL) {
		stage_pass(st, r);
	}
}

/* Notes that qualify the numbers of a result. The command that prints it says
 * so, because the notes stay in the stream. */
static const struct {
	const char *note, *text;
} doubts[] = {
	{ "bad_rows", "rows of the profile could not be used" },
	{ "bad_events", "events of the trace could not be used" },
	{ "call_duplicates",
	    "calls have the id of another call, which got their work" },
	{ "processes_of_one_pid",
	    "processes are joined with another one of their number" },
	{ "no_duration", "events of the trace have no usable duration" },
	{ "dict_bad_lines", "lines of the .dict could not be used" },
	{ "end_before_start", "events end before they start" },
	{ "agg_negative", "records have a negative length" },
	{ "sums_saturated", "sums exceed 64 bits" },
	{ "gaps_started_early", "works started before their call" },
	{ "gaps_past_forgotten", "gaps reach back beyond what is remembered" },
	{ "expose_started_early", "works began too long before their call" },
};

static void
see_doubt(struct stage *st, const struct rec *r)
{
	size_t i, n;
	uint64_t count;

	if (!st->result || r->len < 7 || memcmp(r->line, "##note\t", 7) != 0)
		return;
	if (st->doubts == NULL)
		st->doubts = xcalloc(ARRAY_LEN(doubts), sizeof(*st->doubts));
	for (i = 0; i < ARRAY_LEN(doubts); i++) {
		n = strlen(doubts[i].note);
		if (r->len > 8 + n &&
		    memcmp(r->line + 7, doubts[i].note, n) == 0 &&
		    r->line[7 + n] == '\t' &&
		    num_u64(r->line + 8 + n, r->len - 8 - n, &count))
			st->doubts[i] = st->doubts[i] + count;
	}
}

static void
one_line(struct stage *st, struct rec *r)
{
	if (r->kind == REC_SECTION) {
		if (st->in_section)
			finish(st, false);
		if (!st->quiet)
			out_line(r->line, r->len);
		st->cmd_due = true;
		begin(st);
		return;
	}
	if (!st->in_section)
		begin(st);
	if (st->cmd_due &&
	    (r->kind != REC_META || !text_starts(r->line, r->len, "##cmd\t")))
		cmd_line(st);
	if (r->kind == REC_END) {
		finish(st, true);
		if (st->quiet || rec_is_fragment(st->rd))
			return;
		stage_note_count(rec_lost(st->rd), rec_surplus(st->rd));
		stage_end_section();
	} else if (r->kind == REC_META) {
		if (is_anew(st, r))
			return;
		stage_pass(st, r);
		see_doubt(st, r);
		if (st->meta != NULL)
			st->meta(st, r);
	} else if (r->type != NULL) {
		on_typed(st, r);
	} else {
		stage_pass(st, r);
	}
}

/* For --needs: the columns of a type that are read, or those that are in only,
 * a list of names (in: false: all others). */
static void
say_columns(
    const struct stage_type *s, const char *cond, const char *only, bool in)
{
	const struct rec_type *t = s->type;
	char *blank;
	int c;

	if (cond != NULL) {
		buf_printf(&out_buf, "?%s\n", cond);
		for (blank = out_buf.s + out_buf.len - 2; *blank != '?';
		     blank--)
			if (*blank == ' ')
				*blank = '|';
		out_buf.s[out_buf.len - 1] = ' ';
	}
	buf_puts(&out_buf, t->tag);
	for (c = 0; c < t->n_at; c++)
		if (t->at[c] != REC_UNWANTED &&
		    (only == NULL || list_has(only, ' ', col_name(c)) == in))
			buf_printf(&out_buf, " %s", col_name(c));
	buf_puts(&out_buf, s->how.all ? " *\n" : "\n");
}

static void
say_needs(const struct stage *st)
{
	const struct stage_type *s;
	char text[4096];
	size_t n;
	int i;

	while ((n = fread(text, 1, sizeof(text), stdin)) > 0)
		buf_put(&out_buf, text, n);
	buf_printf(&out_buf, "%s\n", err_prog_name());
	for (i = 0; i < st->ntypes; i++) {
		s = st->types[i];
		if (s->data == NULL)
			continue;
		say_columns(s, s->how.only_for, s->how.only_cols, true);
		if (s->how.only_cols != NULL)
			say_columns(s, NULL, s->how.only_cols, false);
	}
	exit(out_finish(EXIT_OK));
}

int
stage_run(struct stage *st)
{
	struct rec r = { 0 };
	bool any = false;
	struct buf b = { 0 };
	size_t i;

	if (cli_needs())
		say_needs(st);
	while (rec_next(st->rd, &r)) {
		any = true;
		one_line(st, &r);
	}
	for (i = 0; st->doubts != NULL && i < ARRAY_LEN(doubts); i++)
		if (st->doubts[i] > 0)
			buf_printf(&b, "%s%llu %s (%s)", b.len > 0 ? ", " : "",
			    (unsigned long long)st->doubts[i], doubts[i].text,
			    doubts[i].note);
	if (b.len > 0)
		warn("the numbers are not exact: %s; dlp info shows all notes",
		    buf_str(&b));
	buf_free(&b);
	free(st->doubts);
	st->doubts = NULL;
	if (!any)
		die_input("%s: empty input", rec_input_name(st->rd));
	if (st->in_section)
		finish(st, rec_is_fragment(st->rd));
	free(st->keep);
	st->keep = NULL;
	st->nkeep = 0;
	if (rec_complete(st->rd))
		return EXIT_OK;
	warn_input(
	    "%s: input ended without ##end: the command before failed or was"
	    " cut off",
	    rec_where(st->rd));
	return EXIT_TROUBLE;
}

void
stage_cmd(int argc, char *const *argv)
{
	struct buf b = { 0 };

	cmd_text(&b, argc, argv);
	put_cmd(&b);
	buf_free(&b);
}

void
stage_begin_section(int argc, char *const *argv)
{
	out_legends_again();
	out_meta("dlp", "%d", REC_FORMAT);
	stage_cmd(argc, argv);
}

void
stage_end_section(void)
{
	stage_note("sums_saturated", num_limits_met());
	out_meta("end", "%llu", (unsigned long long)out_count());
}

void
stage_note(const char *name, uint64_t n)
{
	if (n > 0)
		out_meta("note", "%s\t%llu", name, (unsigned long long)n);
}

void
stage_note_count(uint64_t lost, uint64_t surplus)
{
	stage_note("lost_records", lost);
	stage_note("surplus_records", surplus);
}
