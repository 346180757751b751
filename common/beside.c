/* See beside.h. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#endif
#include <unistd.h>

#include "beside.h"

bool
beside_can(void)
{
#ifdef __linux__
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return CPU_COUNT(&set) > 1;
#endif
#ifdef _SC_NPROCESSORS_ONLN
	return sysconf(_SC_NPROCESSORS_ONLN) > 1;
#else
	return false;
#endif
}

static void *
run(void *arg)
{
	struct beside *b = arg;

	err_keep(&b->kept);
	if (setjmp(b->kept.back) == 0)
		b->work(b->arg);
	if (b->done != NULL)
		b->done(b->arg);
	return NULL;
}

bool
beside_begin(
    struct beside *b, void (*work)(void *), void (*done)(void *), void *arg)
{
	b->work = work;
	b->done = done;
	b->arg = arg;
	b->kept.n = 0;
	return pthread_create(&b->id, NULL, run, b) == 0;
}

void
beside_end(struct beside *b)
{
	pthread_join(b->id, NULL);
}

void
beside_say(const struct beside *b)
{
	if (b->kept.n > 0)
		err_say(&b->kept);
}
