/* See open.h. */
#include <stdlib.h>

#include "err.h"
#include "open.h"

struct open_thread *
open_thread(struct open_threads *ts, const char *src, size_t nsrc, int64_t pid,
    int64_t tid)
{
	struct buf *k = &ts->key;
	bool is_new;
	uint32_t i;

	buf_clear(k);
	buf_put(k, (const char *)&pid, sizeof(pid));
	buf_put(k, (const char *)&tid, sizeof(tid));
	if (src != NULL)
		buf_put(k, src, nsrc);
	i = smap_put(&ts->of, k->s, k->len, &is_new);
	if (is_new)
		ts->of.val[i] =
		    (uint64_t)(uintptr_t)xcalloc(1, sizeof(struct open_thread));
	return (struct open_thread *)(uintptr_t)ts->of.val[i];
}

void
open_push(struct open_thread *t, int64_t start, int64_t end, const char *text,
    size_t n)
{
	struct open_range *r;

	if (t->n == t->cap) {
		size_t old = t->cap;

		t->cap = old == 0 ? 16 : old * 2;
		t->v = xrealloc(t->v, t->cap, sizeof(*t->v));
		memset(t->v + old, 0, (t->cap - old) * sizeof(*t->v));
	}
	r = &t->v[t->n++];
	r->start = start;
	r->end = end;
	buf_clear(&r->text);
	buf_put(&r->text, text, n);
}

/* What is dropped is swapped behind the rest, so that its buffer serves
 * again. */
void
open_sweep(struct open_thread *t, int64_t now)
{
	struct open_range tmp;
	size_t i, k = 0;

	for (i = 0; i < t->n; i++) {
		if (t->v[i].end <= now)
			continue;
		if (i != k) {
			tmp = t->v[k];
			t->v[k] = t->v[i];
			t->v[i] = tmp;
		}
		k++;
	}
	t->n = k;
}

static void
thread_free(struct open_thread *t)
{
	size_t i;

	for (i = 0; i < t->cap; i++)
		buf_free(&t->v[i].text);
	free(t->v);
	free(t);
}

void
open_free(struct open_threads *ts)
{
	size_t i;

	for (i = 0; i < ts->of.n; i++)
		thread_free((struct open_thread *)(uintptr_t)ts->of.val[i]);
	smap_free(&ts->of);
}
