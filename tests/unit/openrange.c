/* needs: */
/* Ranges open on a thread, against a list that is searched as a whole. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "openrange.h"

struct named {
	struct openrange span;
	int no;
	char payload[70]; /* longer than one piece of a swap */
};

#define N 2000

static struct {
	int64_t end;
	int open;
} list[N];
static int closed;

static void
gone(void *ctx, void *range)
{
	struct named *x = range;

	assert(ctx == list);
	assert(list[x->no].open && atoi(x->payload) == x->no);
	list[x->no].open = 0;
	closed++;
}

static void
check(const struct openranges *o, int n, int64_t now)
{
	const struct named *x;
	int64_t least = INT64_MAX;
	size_t i, k = 0;

	for (i = 0; i < (size_t)n; i++) {
		assert(!list[i].open == (list[i].end <= now));
		if (!list[i].open)
			continue;
		x = openranges_at(o, k++);
		assert(x->no == (int)i && atoi(x->payload) == x->no);
		if (x->span.end < least)
			least = x->span.end;
		assert(x->span.min_end == least);
	}
	assert(k == o->n);
	x = openranges_top(o);
	assert(k > 0 ? x == openranges_at(o, k - 1) : x == NULL);
}

int
main(void)
{
	struct openranges o;
	struct named *x;
	int64_t now = 0;
	int i;

	srand(1);
	openranges_init(&o, sizeof(*x));
	for (i = 0; i < N; i++) {
		now += rand() % 10;
		openranges_sweep(&o, now, gone, list);
		check(&o, i, now);
		list[i].end = now + 1 + rand() % (i % 7 == 0 ? 1000 : 50);
		list[i].open = 1;
		x = openranges_push(&o, now, list[i].end);
		assert(x->span.start == now && x->span.end == list[i].end);
		x->no = i;
		snprintf(x->payload, sizeof(x->payload), "%d", i);
	}
	openranges_sweep(&o, INT64_MAX, gone, list);
	assert(o.n == 0 && closed == N);
	openranges_push(&o, 1, 5);
	openranges_push(&o, 2, 3);
	openranges_pop(&o, 4);
	assert(o.n == 1);
	openranges_pop(&o, 5);
	assert(openranges_top(&o) == NULL);
	openranges_free(&o);
	return 0;
}
