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

enum kind { FLAG, NUMBER, TEXT };

static const struct {
	const char *key;
	enum kind kind;
	size_t at, size;
} options[] = {
#define AT(kind, member)                                                       \
	kind, offsetof(struct inj_options, member),                            \
	    sizeof(((struct inj_options *)NULL)->member)
	{ "nvtx", AT(FLAG, nvtx) },
	{ "cuda", AT(FLAG, cuda) },
	{ "graph_level", AT(FLAG, graph_level) },
	{ "memory", AT(FLAG, memory) },
	{ "sync", AT(FLAG, sync) },
	{ "all_calls", AT(FLAG, all_calls) },
	{ "fork", AT(FLAG, fork) },
	{ "first", AT(NUMBER, first) },
	{ "last", AT(NUMBER, last) },
	{ "begin_at", AT(NUMBER, begin_at) },
	{ "duration", AT(NUMBER, duration) },
	{ "flush_ns", AT(NUMBER, flush_ns) },
	{ "max_bytes", AT(NUMBER, max_bytes) },
	{ "capture_text", AT(TEXT, text) },
	{ "capture_domain", AT(TEXT, domain) },
	{ "cupti", AT(TEXT, cupti) },
#undef AT
};

/* Unknown keys are facts of the session. */
static void
set_option(struct inj_options *o, const char *key, const char *v)
{
	size_t i, n = sizeof(options) / sizeof(options[0]);
	char *to;

	if (strcmp(key, "capture") == 0)
		o->capture = strcmp(v, "cudaProfilerApi") == 0
				 ? CAPTURE_PROFILER
			     : strcmp(v, "nvtx") == 0  ? CAPTURE_NVTX
			     : strcmp(v, "steps") == 0 ? CAPTURE_STEPS
			     : strcmp(v, "arm") == 0   ? CAPTURE_ARM
						       : CAPTURE_ALL;
	for (i = 0; i < n && strcmp(options[i].key, key) != 0; i++)
		continue;
	if (i == n)
		return;
	to = (char *)o + options[i].at;
	if (options[i].kind == TEXT)
		snprintf(to, options[i].size, "%s", v);
	else if (options[i].kind == FLAG)
		*(bool *)to = strtoll(v, NULL, 10) != 0;
	else
		*(int64_t *)(void *)to = strtoll(v, NULL, 10);
}

/* The options, from the session file that dlp-record wrote into the folder of
 * the spool. Lines are key=value. */
static bool
read_options(struct inj_options *o, const char *dir)
{
	char path[1100], line[2048], *eq;
	FILE *f;

	memset(o, 0, sizeof(*o));
	snprintf(path, sizeof(path), "%s/" RSPOOL_SESSION, dir);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		eq = strchr(line, '=');
		if (eq == NULL)
			continue;
		*eq = '\0';
		set_option(o, line, eq + 1);
	}
	fclose(f);
	return true;
}

void
inj_begin_spool(void)
{
	char exe[1024], *base;
	ssize_t n;

	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
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
	if (!read_options(&inj.opt, inj.dir))
		return false;
	if (inj.opt.capture == CAPTURE_ARM) {
		arm_start();
		return true;
	}
	if (!spool_open())
		return false;
	inj_begin_spool();
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
		state = begin_process() ? IS_ON : IS_OFF;
		if (state == IS_ON && !inj.has_atfork)
			pthread_atfork(NULL, NULL, after_fork);
		inj.has_atfork |= state == IS_ON;
		atomic_store(&inj.ready, state);
		if (state == IS_ON) {
			if (atomic_load(&inj.forked))
				nvtx_again();
			window_start();
			end_start();
			if (inj.opt.capture == CAPTURE_ARM)
				end_helper();
		}
	}
	pthread_mutex_unlock(&inj.ready_lock);
	return state == IS_ON;
}
