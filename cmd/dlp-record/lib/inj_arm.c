/*
 * dlp-record --arm: nothing is recorded until dlp-record --trigger asks for
 * some steps, by files in the folder of the recording (record_trigger.c says
 * which). The helper thread looks for them. Until then neither CUPTI nor NVTX
 * does anything; afterwards it is so again.
 *
 * A program that says nothing of its steps is recorded for a second in the
 * place of each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "inj.h"

#define STEP_WAIT ((int64_t)2 * 1000000000)
#define STEP_NS ((int64_t)1000000000)

/* For dlp_markers.py: the steps that are wanted and not recorded yet, and the
 * number of their recording; and by it that it will push their ranges. */
INJ_EXPORT int dlp_record_wanted;
INJ_EXPORT int dlp_record_no;
INJ_EXPORT int dlp_record_steps_known;

static const char *
in_folder(const char *dir, const char *name, int64_t no)
{
	static char path[1200];
	size_t n = (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (no >= 0 && n < sizeof(path))
		snprintf(path + n, sizeof(path) - n, "%lld", (long long)no);
	return path;
}

static void
make_file(const char *name)
{
	int fd = open(in_folder(inj.dir, name, inj.pid),
	    O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

/* The lock says that the process lives. It is the process's own, so that a
 * child of fork() does not have it. */
void
arm_start(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char unlocked[1200];
	int fd, high;

	memset(&inj.arm, 0, sizeof(inj.arm));
	pthread_mutex_init(&inj.arm.lock, NULL);
	strcpy(inj.arm.base, inj.dir);
	strcpy(unlocked, in_folder(inj.arm.base, "arming.", inj.pid));
	fd = open(unlocked, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 500) : -1;
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	if (fd >= 0)
		(void)fcntl(fd, F_SETLK, &l);
	/* seen before it has the lock it would be that of a dead process */
	(void)rename(unlocked, in_folder(inj.arm.base, "armed.", inj.pid));
}

bool
arm_runs(void)
{
	return inj.arm.busy;
}

/* What is asked for; false if nothing is, or nothing new. */
static bool
asked(int64_t *no, int64_t *steps)
{
	int fd =
	    open(in_folder(inj.arm.base, "trigger", -1), O_RDONLY | O_CLOEXEC);
	char s[64], *end;
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, s, sizeof(s) - 1);
	close(fd);
	s[n > 0 ? n : 0] = '\0';
	*no = strtoll(s, &end, 10);
	*steps = strtoll(end, NULL, 10);
	return *no > inj.arm.no && *steps > 0;
}

static void
begin(int64_t no, int64_t steps, int64_t t)
{
	inj.arm.no = no;
	inj.arm.steps = steps;
	inj.arm.asked_at = t;
	inj.arm.said = false;
	snprintf(inj.dir, sizeof(inj.dir), "%.1000s/t%lld", inj.arm.base,
	    (long long)no);
	atomic_store(&inj.lost, 0);
	if (!spool_open())
		return;
	inj.arm.busy = true;
	records_forget();
	atomic_store(&inj.has_devices, false);
	inj_begin_spool();
	nvtx_again();
	if (atomic_load(&inj.cuda_seen))
		cupti_attach();
	window_again();
	dlp_record_no = (int)no;
	__atomic_store_n(&dlp_record_wanted, (int)steps, __ATOMIC_RELEASE);
}

static void
finish(const char *how)
{
	__atomic_store_n(&dlp_record_wanted, 0, __ATOMIC_RELEASE);
	end_spool(how);
	if (atomic_load(&inj.on) != INT64_MAX)
		make_file("on.");
	spool_close();
	make_file("done.");
	inj.arm.busy = false;
}

void
arm_end(const char *how)
{
	pthread_mutex_lock(&inj.arm.lock);
	if (inj.arm.busy)
		finish(how);
	pthread_mutex_unlock(&inj.arm.lock);
}

static void
tick(int64_t t)
{
	int64_t no, steps;
	int state = atomic_load(&inj.window);

	if (!inj.arm.busy) {
		if (asked(&no, &steps))
			begin(no, steps, t);
		return;
	}
	if (access(in_folder(inj.dir, "stop", -1), F_OK) == 0 ||
	    access(inj.dir, F_OK) != 0) {
		window_cancel();
		window_close(t, false);
		state = WINDOW_AFTER;
	}
	if (state == WINDOW_BEFORE &&
	    !__atomic_load_n(&dlp_record_steps_known, __ATOMIC_ACQUIRE) &&
	    t >= inj.arm.asked_at + STEP_WAIT) {
		window_open(t);
		atomic_store(&inj.until, t + inj.arm.steps * STEP_NS);
	}
	if (state == WINDOW_ON && !inj.arm.said) {
		inj.arm.said = true;
		make_file("on.");
	}
	if (state == WINDOW_AFTER && !atomic_load(&inj.closing))
		finish("trigger");
}

void
arm_tick(int64_t t)
{
	pthread_mutex_lock(&inj.arm.lock);
	if (!atomic_load(&inj.ended))
		tick(t);
	pthread_mutex_unlock(&inj.arm.lock);
}
