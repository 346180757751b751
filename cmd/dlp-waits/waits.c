/* Threads and their ranges; see waits.h. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

struct thread *
waits_thread(struct waits *w, const char *key, size_t n)
{
	bool fresh;
	uint32_t i = smap_put(&w->keys, key, n, &fresh);

	if (fresh) {
		w->thread =
		    xrealloc(w->thread, ++w->n_thread, sizeof(*w->thread));
		memset(&w->thread[i], 0, sizeof(*w->thread));
		w->thread[i].name = SMAP_NONE;
	}
	return &w->thread[i];
}

const struct open_range *
thread_at(struct thread *th, int64_t t)
{
	while (th->n > 0 && th->v[th->n - 1].end <= t)
		th->n--;
	return th->n > 0 ? &th->v[th->n - 1] : NULL;
}

void
thread_push(struct thread *th, int64_t start, struct open_range o)
{
	thread_at(th, start);
	if (th->n == th->cap) {
		th->cap = th->cap > 0 ? th->cap * 2 : 16;
		th->v = xrealloc(th->v, th->cap, sizeof(*th->v));
	}
	th->v[th->n++] = o;
}

void
waits_clear(struct waits *w)
{
	size_t i;

	for (i = 0; i < w->n_thread; i++)
		free(w->thread[i].v);
	free(w->thread);
	smap_free(&w->keys);
	smap_free(&w->names);
	memset(w, 0, sizeof(*w));
}
