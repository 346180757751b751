/*
 * The state of the recorder in the process, and its beginning: by the first
 * instance of NVTX or by the driver, whichever comes first. The options are in
 * the folder that the environment names; without it nothing is recorded.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "inj.h"

enum { NOT_TRIED = 0, IS_ON = 2, IS_OFF = -1 };

struct inj inj = {
	.fd = -1,
	.wake = { -1, -1 },
	.on = INT64_MAX,
	.off = INT64_MAX,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.window_lock = PTHREAD_MUTEX_INITIALIZER,
	.ctx_lock = PTHREAD_MUTEX_INITIALIZER,
	.cupti_lock = PTHREAD_MUTEX_INITIALIZER,
	.ready_lock = PTHREAD_MUTEX_INITIALIZER,
};

static void
process_facts(void)
{
	char exe[1024];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *base;

	exe[n > 0 ? n : 0] = '\0';
	base = strrchr(exe, '/');
	spool_fact("process", base != NULL ? base + 1 : exe);
	spool_fact_i64("pid", inj.pid);
	spool_fact_i64("parent", getppid());
	spool_fact_i64("start", inj_now());
	spool_clock();
}

/* Rejects a folder that is not ours, so that a value that was inherited by
 * accident has no effect. */
static bool
begin_process(void)
{
	const char *dir = getenv(RSPOOL_ENV);

	if (dir == NULL || dir[0] != '/' || strlen(dir) >= sizeof(inj.dir))
		return false;
	strcpy(inj.dir, dir);
	inj.pid = getpid();
	if (!inj_config(&inj.opt, inj.dir) || !spool_open())
		return false;
	process_facts();
	return true;
}

/* In the child of a fork: what the parent's threads do is not ours to go on
 * with, and their locks can be held for ever. */
static void
after_fork(void)
{
	bool again = atomic_load(&inj.ready) == IS_ON && inj.opt.fork;

	atomic_store(&inj.nvtx, 0);
	atomic_store(&inj.ready, again ? NOT_TRIED : IS_OFF);
	pthread_mutex_init(&inj.lock, NULL);
	pthread_mutex_init(&inj.window_lock, NULL);
	pthread_mutex_init(&inj.ctx_lock, NULL);
	pthread_mutex_init(&inj.cupti_lock, NULL);
	pthread_mutex_init(&inj.ready_lock, NULL);
	atomic_store(&inj.chunks, 0);
	atomic_store(&inj.full, false);
	atomic_store(&inj.lost, 0);
	atomic_store(&inj.window, WINDOW_BEFORE);
	atomic_store(&inj.until, 0);
	atomic_store(&inj.on, INT64_MAX);
	atomic_store(&inj.off, INT64_MAX);
	memset(&inj.opener, 0, sizeof(inj.opener));
	cupti_child();
	records_child();
	end_child();
	spool_child();
	atomic_store(&inj.forked, true);
	if (again)
		inj_ready();
}

static bool
begin(void)
{
	if (!begin_process())
		return false;
	if (!inj.has_atfork)
		pthread_atfork(NULL, NULL, after_fork);
	inj.has_atfork = true;
	return true;
}

/* A child of a fork that is the first to use CUDA is recorded like any other
 * process. */
bool
inj_ready_for_cuda(void)
{
	if (atomic_load(&inj.forked) && inj.pid != getpid())
		atomic_store(&inj.ready, NOT_TRIED);
	return inj_ready();
}

bool
inj_ready(void)
{
	int state = atomic_load_explicit(&inj.ready, memory_order_acquire);

	if (state == IS_ON)
		return true;
	if (state == IS_OFF)
		return false;
	pthread_mutex_lock(&inj.ready_lock);
	state = atomic_load(&inj.ready);
	if (state == NOT_TRIED) {
		state = begin() ? IS_ON : IS_OFF;
		atomic_store(&inj.ready, state);
		if (state == IS_ON) {
			if (atomic_load(&inj.forked))
				nvtx_again();
			window_start();
			end_start();
		}
	}
	pthread_mutex_unlock(&inj.ready_lock);
	return state == IS_ON;
}
