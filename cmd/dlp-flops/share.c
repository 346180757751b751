/* Shares of a run's work; see share.h. */
#include <stdlib.h>

#include "err.h"
#include "map.h"
#include "share.h"

struct run {
	enum { OPEN, CLOSED, GIVEN_UP } state;
	bool begun;
	int64_t left_ns, left_flop;
};

static struct map by_inst; /* -> number in runs + 1 */
static struct run *runs;
static size_t nruns, runs_cap;

static struct run *
run_of(int64_t inst)
{
	const uint64_t *v = map_get(&by_inst, (uint64_t)inst);

	return v == NULL ? NULL : &runs[*v - 1];
}

void
share_forget(void)
{
	map_clear(&by_inst);
	nruns = 0;
}

bool
share_add(int64_t inst, int64_t dur_ns, bool *is_first)
{
	struct run *r = run_of(inst);

	*is_first = r == NULL;
	if (r == NULL) {
		if (runs == NULL || nruns == runs_cap) {
			runs_cap = runs_cap == 0 ? 16 : runs_cap * 2;
			runs = xrealloc(runs, runs_cap, sizeof(*runs));
		}
		r = &runs[nruns++];
		*r = (struct run){ .state = OPEN };
		*map_put(&by_inst, (uint64_t)inst, NULL) = nruns;
	}
	r->left_ns += dur_ns;
	return r->state == OPEN;
}

bool
share_close(int64_t inst)
{
	struct run *r = run_of(inst);

	if (r == NULL || r->state != OPEN)
		return false;
	r->state = CLOSED;
	return true;
}

bool
share_take(int64_t inst, int64_t total, int64_t dur_ns, int64_t *flop)
{
	struct run *r = run_of(inst);

	if (r == NULL || r->state != CLOSED)
		return false;
	if (!r->begun)
		r->left_flop = total;
	r->begun = true;
	*flop = r->left_flop;
	if (dur_ns < r->left_ns) /* else it is the last, or has no time */
		*flop = (int64_t)((double)r->left_flop * (double)dur_ns /
				  (double)r->left_ns);
	r->left_flop -= *flop;
	r->left_ns -= dur_ns;
	return true;
}

void
share_give_up(void)
{
	bool any = false;
	size_t i;

	for (i = 0; i < nruns; i++) {
		if (runs[i].state == OPEN)
			runs[i].state = GIVEN_UP;
		any |= runs[i].state == GIVEN_UP;
	}
	if (!any)
		share_forget();
}
