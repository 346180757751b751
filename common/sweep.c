/* Events in the order of time; see sweep.h. */
#include "sweep.h"

#include <string.h>

void
sweep_init(struct sweep *s)
{
	memset(s, 0, sizeof(*s));
	s->t = INT64_MIN;
}

void
sweep_add(struct sweep *s, int64_t start, int64_t end, void *what)
{
	struct timed x = { .at = start, .end = end, .p = what };

	if (x.at < s->t)
		x.at = s->t;
	if (x.end < x.at)
		x.end = x.at;
	timeheap_push(&s->soon, x);
}

bool
sweep_next(struct sweep *s, int64_t to, struct sweep_event *e)
{
	struct timed x;
	bool begin = s->soon.n > 0;

	if (begin && s->on.n > 0 && s->on.v[0].at < s->soon.v[0].at)
		begin = false;
	if (begin ? s->soon.v[0].at >= to
		  : s->on.n == 0 || s->on.v[0].at >= to) {
		if (to > s->t)
			s->t = to;
		return false;
	}
	x = timeheap_pop(begin ? &s->soon : &s->on);
	s->t = x.at;
	*e = (struct sweep_event){ s->t, begin, x.p };
	if (begin) {
		x.at = x.end;
		timeheap_push(&s->on, x);
	}
	return true;
}

void
sweep_free(struct sweep *s)
{
	timeheap_free(&s->soon);
	timeheap_free(&s->on);
	sweep_init(s);
}
