/*
 * The window: the part of the run that is recorded. It opens once, and closes
 * once, but with --arm; afterwards the program runs without us.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inj.h"

#define NEXT_WAIT ((int64_t)30 * 1000000000)

static void
say_window(int64_t t, bool on)
{
	struct rspool_window r = { .t = t, .on = on };

	SPOOL(RSPOOL_WINDOW, &r);
}

/* True if a range can open or close the window. */
static bool
by_range(void)
{
	return inj.opt.capture == CAPTURE_NVTX ||
	       inj.opt.capture == CAPTURE_STEPS ||
	       inj.opt.capture == CAPTURE_ARM;
}

void
window_start(void)
{
	if (inj.opt.capture == CAPTURE_ALL && inj.opt.begin_at == 0) {
		window_open(inj_now());
		return;
	}
	if (inj.opt.capture == CAPTURE_ARM) {
		atomic_store(&inj.window, WINDOW_AFTER);
		return;
	}
	atomic_store(&inj.window, WINDOW_BEFORE);
	if (by_range() || inj.opt.begin_at > 0)
		atomic_store(&inj.nvtx, NVTX_WATCH);
	window_tick(inj_now());
}

void
window_again(void)
{
	pthread_mutex_lock(&inj.window_lock);
	memset(&inj.opener, 0, sizeof(inj.opener));
	inj.opt.first = inj.opt.last = -1; /* of the steps that come */
	atomic_store(&inj.until, 0);
	atomic_store(&inj.on, INT64_MAX);
	atomic_store(&inj.off, INT64_MAX);
	atomic_store(&inj.window, WINDOW_BEFORE);
	atomic_store(&inj.nvtx, NVTX_WATCH);
	pthread_mutex_unlock(&inj.window_lock);
}

void
window_cancel(void)
{
	pthread_mutex_lock(&inj.window_lock);
	if (atomic_load(&inj.window) == WINDOW_BEFORE) {
		atomic_store(&inj.nvtx, 0);
		atomic_store(&inj.window, WINDOW_AFTER);
	}
	pthread_mutex_unlock(&inj.window_lock);
}

void
window_open(int64_t t)
{
	int bits = inj.opt.nvtx ? NVTX_RECORD : 0;

	pthread_mutex_lock(&inj.window_lock);
	if (atomic_load(&inj.window) == WINDOW_BEFORE) {
		atomic_store(&inj.on, t);
		atomic_store(&inj.window, WINDOW_ON);
		say_window(t, true);
		if (inj.opt.duration > 0)
			atomic_store(&inj.until, t + inj.opt.duration);
		if (inj.opt.capture != CAPTURE_ARM)
			cupti_kinds(true);
		if (by_range() || inj.opt.duration > 0)
			bits |= NVTX_WATCH;
		atomic_store(&inj.nvtx, bits);
	}
	pthread_mutex_unlock(&inj.window_lock);
}

void
window_close(int64_t t, bool in_call)
{
	bool was;

	pthread_mutex_lock(&inj.window_lock);
	was = atomic_load(&inj.window) == WINDOW_ON;
	if (was) {
		atomic_store(&inj.nvtx, 0);
		atomic_store(&inj.off, t);
		atomic_store(&inj.closing, true);
		atomic_store(&inj.window, WINDOW_AFTER);
		__atomic_store_n(&dlp_record_wanted, 0, __ATOMIC_RELEASE);
		say_window(t, false);
	}
	pthread_mutex_unlock(&inj.window_lock);
	if (was) {
		cupti_close(in_call);
		atomic_store(&inj.closing, false);
	}
}

void
window_tick(int64_t t)
{
	int64_t until = atomic_load(&inj.until);

	if (atomic_load(&inj.window) == WINDOW_BEFORE &&
	    inj.opt.capture == CAPTURE_ALL && inj.opt.begin_at > 0 &&
	    t >= inj.opt.begin_at)
		window_open(t);
	if (until > 0 && t >= until)
		window_close(until, false);
}

/* The number after "iteration ", or -1. */
static int64_t
step_of(const char *text, size_t n)
{
	static const char word[] = "iteration ";
	int64_t v = 0;
	size_t i = sizeof(word) - 1;

	if (n <= i || n > i + 15 || memcmp(text, word, i) != 0)
		return -1;
	for (; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		v = v * 10 + (text[i] - '0');
	}
	return v;
}

/* True if the range is one that opens the window, or the next step in it. */
static bool
opens(const char *text, size_t n, uint32_t domain, int64_t *step)
{
	char name[256];

	*step = 0;
	if (inj.opt.capture != CAPTURE_NVTX) {
		*step = step_of(text, n);
		return *step >= 0 && *step >= inj.opt.first;
	}
	if (n != strlen(inj.opt.text) || memcmp(text, inj.opt.text, n) != 0)
		return false;
	return inj.opt.domain[0] == '\0' ||
	       strcmp(nvtx_domain_name(domain, name, sizeof(name)),
		   inj.opt.domain) == 0;
}

/* The calling thread is inside the range that opened the window. */
static bool
is_opener(uint32_t domain)
{
	return inj.opener.depth > 0 && inj.opener.range == 0 &&
	       inj.opener.tid == spool_tid() && inj.opener.domain == domain;
}

void
window_begins(
    const char *text, size_t n, uint32_t domain, uint64_t id, int64_t t)
{
	int state = atomic_load(&inj.window);
	int64_t step;

	window_tick(t);
	if (!by_range() || state == WINDOW_AFTER)
		return;
	if (state == WINDOW_ON && id == 0 && is_opener(domain)) {
		inj.opener.depth++;
		return;
	}
	if ((state == WINDOW_ON && inj.opt.capture == CAPTURE_NVTX) ||
	    !opens(text, n, domain, &step))
		return;
	if (inj.opt.capture == CAPTURE_ARM && inj.opt.last < 0)
		inj.opt.last = step + inj.arm.steps - 1;
	if (inj.opt.capture != CAPTURE_NVTX && step > inj.opt.last) {
		if (state == WINDOW_ON)
			window_close(t, false);
		return;
	}
	window_open(t);
	pthread_mutex_lock(&inj.window_lock);
	if (inj.opener.idle)
		atomic_store(&inj.until, 0);
	if (inj.opener.depth == 0)
		inj.opener = (struct inj_opener){ .tid = spool_tid(),
			.domain = domain,
			.depth = 1,
			.range = id,
			.step = step };
	pthread_mutex_unlock(&inj.window_lock);
}

/* The range that opened the window, or a step in it, ended. */
static void
ended(int64_t t)
{
	inj.opener.depth = 0;
	if (inj.opt.capture == CAPTURE_NVTX ||
	    inj.opener.step >= inj.opt.last) {
		window_close(t, false);
	} else if (inj.opt.capture == CAPTURE_ARM &&
		   atomic_load(&inj.until) == 0) {
		/* the program may have done its last step, and live on */
		inj.opener.idle = true;
		atomic_store(&inj.until, t + NEXT_WAIT);
	}
}

void
window_pops(uint32_t domain, int64_t t)
{
	window_tick(t);
	if (is_opener(domain) && --inj.opener.depth == 0)
		ended(t);
}

void
window_ends(uint64_t id, int64_t t)
{
	window_tick(t);
	if (inj.opener.depth > 0 && inj.opener.range == id)
		ended(t);
}
