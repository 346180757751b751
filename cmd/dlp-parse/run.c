/* The profile at work; see run.h. */
#include "run.h"
#include "schema.h"

static struct profile *current;

void
profile_current(struct profile *p)
{
	current = p;
	db_use(p->path);
}

const struct profile *
profile_cur(void)
{
	return current;
}
