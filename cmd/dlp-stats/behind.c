/* A thread that writes rows; see behind.h. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "behind.h"
#include "buf.h"

#define LONG ((size_t)1 << 20)    /* bytes of rows, before there is a thread */
#define BLOCK ((size_t)256 << 10) /* bytes of rows that change hands */

static behind_fn *fn;
static struct buf making; /* rows, each with its length before it */
static size_t written;    /* bytes of the table, without the thread */
static bool has_thread, no_thread;
static pthread_t thread;

/* What both look at, and the lock over it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct buf block;
static bool full, done; /* block: to be written; nothing comes behind it */

static void
put_block(void)
{
	const char *s = block.s, *e = s + block.len;
	uint32_t n;

	while (s < e) {
		memcpy(&n, s, sizeof(n));
		s += sizeof(n);
		fn(s, n);
		s += n;
	}
}

static void *
run(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!full && !done)
			pthread_cond_wait(&changed, &lock);
		if (!full)
			break;
		pthread_mutex_unlock(&lock);
		put_block();
		pthread_mutex_lock(&lock);
		full = false;
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void
hand_over(bool last)
{
	struct buf b;

	pthread_mutex_lock(&lock);
	while (full)
		pthread_cond_wait(&changed, &lock);
	b = block;
	block = making;
	making = b;
	buf_clear(&making);
	full = block.len > 0;
	done = last;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void
begin(void)
{
	full = done = false;
	no_thread = pthread_create(&thread, NULL, run, NULL) != 0;
	has_thread = !no_thread;
}

void
behind_row(behind_fn *f, const char *s, size_t n)
{
	uint32_t len = (uint32_t)n;

	if (!has_thread) {
		fn = f;
		f(s, n);
		written += n;
		if (written > LONG && !no_thread)
			begin();
		return;
	}
	buf_put(&making, (char *)&len, sizeof(len));
	buf_put(&making, s, n);
	if (making.len >= BLOCK)
		hand_over(false);
}

void
behind_end(void)
{
	written = 0;
	if (!has_thread)
		return;
	hand_over(true);
	pthread_join(thread, NULL);
	has_thread = false;
	buf_free(&making);
	buf_free(&block);
}
