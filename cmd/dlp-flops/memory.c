/*
 * The copy and set records: their bytes stand in the profile; with a family
 * and no FLOPs they are in the totals of whoever adds up by family.
 */
#include "memory.h"
#include "rest.h"
#include "wait.h"

static const char *const names[] = { "flop", "family" };

static struct rest copies = { .names = names, .n = 2 };
static struct rest sets = { .names = names, .n = 2 };

static struct buf line;

static void
put(struct stage *st, const struct rest *x, const struct rec *r)
{
	buf_clear(&line);
	rest_put(x, &line, r);
	buf_puts(&line, "\t0\tmemory");
	wait_line(st, &line, true);
}

static void
on_copy(struct stage *st, struct rec *r)
{
	put(st, &copies, r);
}

static void
on_set(struct stage *st, struct rec *r)
{
	put(st, &sets, r);
}

static void
put_legend(struct stage *st, struct rest *x, const struct rec *r)
{
	buf_clear(&line);
	rest_legend(x, &line, r);
	wait_line(st, &line, false);
}

static void
on_copy_legend(struct stage *st, struct rec *r)
{
	put_legend(st, &copies, r);
}

static void
on_set_legend(struct stage *st, struct rec *r)
{
	put_legend(st, &sets, r);
}

void
memory_attach(struct stage *st)
{
	stage_on(st, "copy", on_copy, on_copy_legend, NULL);
	stage_on(st, "set", on_set, on_set_legend, NULL);
}
