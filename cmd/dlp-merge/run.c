/* The merge of streams; see run.h. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "err.h"
#include "esc.h"
#include "input.h"
#include "stage.h"
#include "unite.h"

/* The facts of an input, its file's name before them; where its clock is
 * moved, without its own origin. */
static void
put_head(const struct input *in, bool name)
{
	const char *s = in->head.s, *end = s + in->head.len, *nl;

	if (name && !in->head_src) {
		buf_puts(&out_buf, "##info\tsrc\t");
		esc_put(&out_buf, in->name, strlen(in->name));
		buf_putc(&out_buf, '\n');
	}
	for (; s < end; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		if (in->no > 0 && in->clock_by != NULL &&
		    strncmp(s, "##info\tt0_", 10) == 0)
			continue;
		buf_put(&out_buf, s, (size_t)(nl - s) + 1);
	}
}

static void
put_ranks(const struct input *v, int n)
{
	struct out_type *t = out_type_reg("rank", "dlp-parse");
	int i;

	for (i = 0; i < n; i++) {
		out_rec(t);
		out_i64(i);
		out_text(v[i].name, strlen(v[i].name));
		out_raw("name", 4);
		out_raw(v[i].clock_by,
		    v[i].clock_by != NULL ? strlen(v[i].clock_by) : 0);
		out_i64(v[i].shift);
		out_opt(v[i].n_coll != INPUT_NO_TIME, v[i].n_coll);
		out_opt(v[i].spread != INPUT_NO_TIME, v[i].spread);
		out_end();
	}
}

/* The one whose line is first; ties go to the first file. */
static struct input *
first(struct input *v, int n)
{
	struct input *best = NULL, *in;

	for (in = v; in < v + n; in++)
		if (in->live && (best == NULL || in->time < best->time))
			best = in;
	return best;
}

/* Legends are ours, ends too; rank records are those of --ranks. */
static void
put_line(const struct run *run, struct input *in)
{
	if (in->r.kind == REC_END) {
		in->lost = rec_lost(in->rd);
		in->surplus = rec_surplus(in->rd);
	}
	if (in->r.kind == REC_META)
		out_line(in->r.line, in->r.len);
	else if (in->r.kind == REC_DATA &&
		 !(run->ranks && memcmp(in->r.line, "rank\t", 5) == 0))
		unite_put(in, run->n);
}

static void
begin(
    const struct run *run, struct input *v, const struct buf *cmds, bool whole)
{
	int i;

	out_legends_again();
	if (whole) {
		out_meta("dlp", "%d", REC_FORMAT);
		buf_put(&out_buf, cmds->s, cmds->len);
		stage_cmd(run->argc, run->argv);
	}
	for (i = 0; i < run->n && whole; i++)
		put_head(&v[i], run->n > 1);
	if (run->ranks)
		put_ranks(v, run->n);
}

static void
merge(const struct run *run, struct input *v)
{
	struct input *in;
	int i;

	for (i = 0; i < run->n; i++)
		input_start(&v[i]);
	while ((in = first(v, run->n)) != NULL) {
		put_line(run, in);
		input_next(in);
	}
}

/* Whether all inputs were whole; the first that was not is named. */
static bool
complete(const struct input *v, int n)
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

/* What the inputs' ends miss. */
static void
count_notes(const struct input *v, int n)
{
	uint64_t lost = 0, surplus = 0;
	int i;

	for (i = 0; i < n; i++) {
		lost += v[i].lost;
		surplus += v[i].surplus;
	}
	stage_note_count(lost, surplus);
}

int
run_merge(const struct run *run)
{
	struct input *v = xcalloc((size_t)run->n, sizeof(*v));
	struct buf cmds = { 0 };
	bool whole = false, ok;
	uint64_t lost;
	int i;

	unite_open(run->n > 1 || run->ranks, run->ranks);
	for (i = 0; i < run->n; i++) {
		input_open(&v[i], run->paths[i], i, &cmds);
		whole |= !rec_is_fragment(v[i].rd);
	}
	lost = clock_align(v, run->n, run->paths, run->ranks);
	begin(run, v, &cmds, whole);
	merge(run, v);
	ok = complete(v, run->n);
	if (whole)
		stage_note("clocks_unaligned", lost);
	if (whole)
		count_notes(v, run->n);
	if (lost > 0)
		warn("%llu of %d inputs do not tell the time of their origin:"
		     " their clocks are not aligned",
		    (unsigned long long)lost, run->n);
	if (whole && ok)
		stage_end_section();
	for (i = 0; i < run->n; i++)
		input_close(&v[i]);
	free(v);
	unite_close();
	buf_free(&cmds);
	return ok ? EXIT_OK : EXIT_TROUBLE;
}
