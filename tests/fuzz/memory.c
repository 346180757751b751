/*
 * The memory of a fuzzed command: the C library's (the sanitizer's), but
 * remembered, so that what is left at the end of a run can be given back.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void **live; /* a hash table of pointers; NULL is free */
static size_t cap, used;

static size_t
place(const void *p)
{
	size_t i = ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 20;

	for (i &= cap - 1; live[i] != NULL && live[i] != p;)
		i = (i + 1) & (cap - 1);
	return i;
}

static void
grow(void)
{
	void **old = live;
	size_t i, n = cap;

	cap = cap > 0 ? cap * 2 : 1024;
	live = calloc(cap, sizeof(*live));
	for (i = 0; i < n; i++)
		if (old[i] != NULL)
			live[place(old[i])] = old[i];
	free(old);
}

static void *
keep(void *p)
{
	if (p == NULL)
		return NULL;
	if (used * 2 >= cap)
		grow();
	live[place(p)] = p;
	used++;
	return p;
}

/* Later entries of the run move back. */
static void
forget(void *p)
{
	size_t i, j;

	if (p == NULL || cap == 0 || live[i = place(p)] == NULL)
		return;
	live[i] = NULL;
	used--;
	for (j = (i + 1) & (cap - 1); live[j] != NULL;
	     j = (j + 1) & (cap - 1)) {
		void *q = live[j];

		live[j] = NULL;
		live[place(q)] = q;
	}
}

void *
dlp_malloc(size_t n)
{
	return keep(malloc(n));
}

void *
dlp_calloc(size_t n, size_t size)
{
	return keep(calloc(n, size));
}

void *
dlp_realloc(void *p, size_t n)
{
	void *q;

	forget(p);
	q = realloc(p, n);
	keep(q != NULL ? q : p);
	return q;
}

void
dlp_free(void *p)
{
	forget(p);
	free(p);
}

void
memory_free_all(void)
{
	size_t i;

	for (i = 0; i < cap && used > 0; i++)
		if (live[i] != NULL) {
			free(live[i]);
			live[i] = NULL;
			used--;
		}
}
