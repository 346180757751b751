/* A ring of batches between two threads; see ahead.h. */
#include <pthread.h>
#include <stdlib.h>

#include "ahead.h"
#include "beside.h"
#include "err.h"

#define BATCHES 32
#define TEXT (1 << 20) /* bytes that are read ahead, and one batch more */

/*
 * One that waits is woken when half of the ring is there for it, so that the
 * threads do not wake each other for every batch.
 */
struct ahead {
	batch_fn *fill;
	void *ctx;
	struct beside thread;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t batch, room;
	bool no_batch, no_room; /* somebody waits for it */
	uint64_t filled, taken; /* the last that was taken is in use */
	size_t text;            /* of those that are filled and not taken */
	bool over;              /* nothing more will be filled, */
	bool stop;              /* or is wanted */
	struct batch ring[BATCHES];
};

static struct batch *
slot(struct ahead *a, uint64_t i)
{
	return &a->ring[i % BATCHES];
}

/* The batch in use has a place of its own. */
static bool
full(const struct ahead *a)
{
	return a->filled - a->taken >= BATCHES - 1 || a->text > TEXT;
}

/* A place to fill; NULL: no more is wanted. */
static struct batch *
place(struct ahead *a)
{
	struct batch *b;

	pthread_mutex_lock(&a->lock);
	while (full(a) && !a->stop) {
		a->no_room = true;
		pthread_cond_wait(&a->room, &a->lock);
	}
	b = a->stop ? NULL : slot(a, a->filled);
	pthread_mutex_unlock(&a->lock);
	return b;
}

static void
put(struct ahead *a, const struct batch *b)
{
	pthread_mutex_lock(&a->lock);
	a->filled++;
	a->text += b->text.len;
	if (a->no_batch && (a->filled - a->taken >= BATCHES / 2 || full(a))) {
		a->no_batch = false;
		pthread_cond_signal(&a->batch);
	}
	pthread_mutex_unlock(&a->lock);
}

static void
fill(void *arg)
{
	struct ahead *a = arg;
	struct batch *b;
	bool last = false;

	while (!last && (b = place(a)) != NULL) {
		a->fill(a->ctx, b);
		last = b->last;
		put(a, b);
	}
}

static void
over(void *arg)
{
	struct ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	a->over = true;
	pthread_cond_signal(&a->batch);
	pthread_mutex_unlock(&a->lock);
}

struct ahead *
ahead_begin(batch_fn *fn, void *ctx, struct batch **first)
{
	struct ahead *a = xcalloc(1, sizeof(*a));

	a->fill = fn;
	a->ctx = ctx;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->batch, NULL);
	pthread_cond_init(&a->room, NULL);
	*first = slot(a, BATCHES - 1);
	if (beside_begin(&a->thread, fill, over, a))
		return a;
	free(a);
	return NULL;
}

struct batch *
ahead_next(struct ahead *a)
{
	struct batch *b = NULL;

	pthread_mutex_lock(&a->lock);
	while (a->filled == a->taken && !a->over) {
		a->no_batch = true;
		pthread_cond_wait(&a->batch, &a->lock);
	}
	if (a->filled > a->taken) {
		b = slot(a, a->taken++);
		a->text -= b->text.len;
	}
	if (a->no_room && a->filled - a->taken <= BATCHES / 2 && !full(a)) {
		a->no_room = false;
		pthread_cond_signal(&a->room);
	}
	pthread_mutex_unlock(&a->lock);
	if (b == NULL) { /* it came to a bad end */
		beside_end(&a->thread);
		beside_say(&a->thread);
	}
	return b;
}

void
ahead_end(struct ahead *a)
{
	int i;

	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->room);
	pthread_mutex_unlock(&a->lock);
	beside_end(&a->thread);
	for (i = 0; i < BATCHES; i++)
		buf_free(&a->ring[i].text);
	pthread_cond_destroy(&a->room);
	pthread_cond_destroy(&a->batch);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
