/* A thread that makes or writes rows; see stats_sink.h. */
#include <stdint.h>

#include "stats_sink.h"

#define LONG                                                                   \
	((size_t)1 << 20) /* bytes of rows up to which no thread is            \
			   * started */
#define BLOCK                                                                  \
	((size_t)256 << 10) /* bytes of rows that are handed over              \
			     * together */

static void
put_block(struct behind *b)
{
	const char *s = b->block.s, *e = s + b->block.len;
	uint32_t n;

	while (s < e) {
		memcpy(&n, s, sizeof(n));
		s += sizeof(n);
		b->fn(b->ctx, s, n);
		s += n;
	}
}

static void *
work(void *arg)
{
	struct behind *b = arg;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		while (!b->full && !b->done)
			pthread_cond_wait(&b->changed, &b->lock);
		if (!b->full)
			break;
		pthread_mutex_unlock(&b->lock);
		put_block(b);
		pthread_mutex_lock(&b->lock);
		b->full = false;
		pthread_cond_signal(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static void
hand_over(struct behind *b, bool last)
{
	struct buf t;

	pthread_mutex_lock(&b->lock);
	while (b->full)
		pthread_cond_wait(&b->changed, &b->lock);
	t = b->block;
	b->block = b->making;
	b->making = t;
	buf_clear(&b->making);
	b->full = b->block.len > 0;
	b->done = last;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

/* From here on only the thread uses b->ctx and out_buf; both threads use full,
 * done and block, under the lock. */
static void
start_thread(struct behind *b)
{
	b->full = b->done = false;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	b->no_thread = pthread_create(&b->thread, NULL, work, b) != 0;
	b->has_thread = !b->no_thread;
}

void
behind_row(struct behind *b, behind_fn *f, void *ctx, const char *s, size_t n)
{
	uint32_t len = (uint32_t)n;

	if (!b->has_thread) {
		b->fn = f;
		b->ctx = ctx;
		f(ctx, s, n);
		b->written += n;
		if (b->written > LONG && !b->no_thread)
			start_thread(b);
		return;
	}
	buf_put(&b->making, (char *)&len, sizeof(len));
	buf_put(&b->making, s, n);
	if (b->making.len >= BLOCK)
		hand_over(b, false);
}

void
behind_end(struct behind *b)
{
	b->written = 0;
	if (!b->has_thread)
		return;
	hand_over(b, true);
	pthread_join(b->thread, NULL);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	b->has_thread = false;
	buf_free(&b->making);
	buf_free(&b->block);
}
