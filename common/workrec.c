/* The columns that records of work share; see workrec.h. */
#include "workrec.h"

#include "array.h"

static const struct rec_col absent = { "", REC_OPT, -1 };

void
workrec_bind(
    struct workrec_cols *c, struct rec_type *t, unsigned need, unsigned opt)
{
	const struct {
		const struct rec_col **to;
		unsigned bit;
		const char *name;
	} all[] = {
		{ &c->start, WORKREC_START, "start_ns" },
		{ &c->dur, WORKREC_DUR, "dur_ns" },
		{ &c->api_start, WORKREC_API_START, "api_start_ns" },
		{ &c->api_dur, WORKREC_API_DUR, "api_dur_ns" },
		{ &c->pid, WORKREC_PID, "pid" },
		{ &c->tid, WORKREC_TID, "tid" },
		{ &c->dev, WORKREC_DEV, "dev" },
		{ &c->corr, WORKREC_CORR, "corr" },
		{ &c->src, WORKREC_SRC, "src" },
		{ &c->iter, WORKREC_ITER, "iter" },
	};
	size_t i;

	c->type = t;
	for (i = 0; i < ARRAY_LEN(all); i++)
		if (need & all[i].bit)
			*all[i].to = rec_col(t, all[i].name, REC_NEED);
		else if (opt & all[i].bit)
			*all[i].to = rec_col(t, all[i].name, REC_OPT);
		else
			*all[i].to = &absent;
}
