/*
 * The copy and set records: their bytes stand in the profile; with a family
 * and no FLOPs they are in the totals of whoever adds up by family.
 */
#include <string.h>

#include "hold.h"
#include "memory.h"
#include "out.h"
#include "wait.h"

static const char *const names[] = { "flop", "family" };
#define NCOL 2

static struct kind { /* copy, set */
	const char *tag;
	struct out_ext *ext;
	bool appending; /* none of our columns is in the input's legend */
} kinds[] = { { "copy", NULL, false }, { "set", NULL, false } };
#define NKIND (sizeof(kinds) / sizeof(kinds[0]))

/* The line and what comes behind it, to the output, or after what is held. */
static void
append(struct stage *st, const struct rec *r, const char *more)
{
	bool is_record = r->kind == REC_DATA;

	if (!hold_on) {
		buf_put(&out_buf, r->line, r->len);
		buf_puts(&out_buf, more);
		if (is_record) {
			out_end();
			return;
		}
		buf_putc(&out_buf, '\n');
		out_check();
		return;
	}
	hold_put(r->line, r->len);
	hold_put(more, strlen(more));
	hold_end_line(is_record);
	if (hold_full())
		wait_drain(st);
}

static void
put(struct stage *st, struct rec *r, const struct kind *k)
{
	if (k->appending) {
		append(st, r, "\t0\tmemory");
		return;
	}
	out_ext_begin(k->ext, r);
	out_i64(0);
	out_raw("memory", 6);
	out_ext_end(k->ext, r);
}

static void
on_copy(struct stage *st, struct rec *r)
{
	put(st, r, &kinds[0]);
}

static void
on_set(struct stage *st, struct rec *r)
{
	put(st, r, &kinds[1]);
}

/* A stream that went through here before has its columns replaced; its
 * kernels too, so that nothing is held (kern.c). */
static void
legend(struct stage *st, struct rec *r, struct kind *k)
{
	int i, j;

	k->appending = true;
	for (i = 0; i < rec_ncols(r->type); i++)
		for (j = 0; j < NCOL; j++)
			if (strcmp(rec_colname(r->type, i), names[j]) == 0)
				k->appending = false;
	if (k->appending) {
		append(st, r, "\tflop\tfamily");
		return;
	}
	wait_drain(st);
	out_ext_legend(k->ext, r);
}

static void
on_copy_legend(struct stage *st, struct rec *r)
{
	legend(st, r, &kinds[0]);
}

static void
on_set_legend(struct stage *st, struct rec *r)
{
	legend(st, r, &kinds[1]);
}

void
memory_attach(struct stage *st)
{
	size_t i;

	stage_on(st, kinds[0].tag, on_copy, on_copy_legend);
	stage_on(st, kinds[1].tag, on_set, on_set_legend);
	for (i = 0; i < NKIND; i++)
		kinds[i].ext = out_ext(names, NCOL);
}
