/*
 * --power: asks the driver's NVML for the energy of each GPU ten times a
 * second, and writes it to standard output, a line per answer: time, UUID,
 * millijoules. A GPU without a counter of energy is asked for its power, which
 * is added up.
 *
 * That is done in a process beside the program, a shell into which dlp-record
 * has this library loaded and which never gets to its own beginning: NVML is
 * for programs of the machine's libc, and dlp-record can be a static one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inj.h"

#define POWER_MS 100
#define POWER_GPUS 64

/* NVML's functions, as far as they are used here. */
#define NVML_FUNCTIONS(X)                                                      \
	X(Init_v2, (void))                                                     \
	X(DeviceGetCount_v2, (unsigned *n))                                    \
	X(DeviceGetHandleByIndex_v2, (unsigned i, void **dev))                 \
	X(DeviceGetUUID, (void *dev, char *s, unsigned n))                     \
	X(DeviceGetTotalEnergyConsumption,                                     \
	    (void *dev, unsigned long long *mj))                               \
	X(DeviceGetPowerUsage, (void *dev, unsigned *mw))

struct power_gpu {
	void *dev;
	char uuid[96];
	bool counter;
	int64_t t;
	unsigned mw;
	double mj; /* of the power, added up */
};

struct power {
#define X(name, args) int(*name) args;
	NVML_FUNCTIONS(X)
#undef X
	struct power_gpu gpu[POWER_GPUS];
	size_t n;
};

static void
say(const char *what, const char *effect)
{
	fprintf(stderr, "dlp-record: --power: %s%s\n", what, effect);
}

/* All of them are in each NVML that knows a counter of energy. */
static bool
load(struct power *p)
{
	void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	bool all = lib != NULL;

#define X(name, args)                                                          \
	*(void **)&p->name = all ? dlsym(lib, "nvml" #name) : NULL;            \
	all = all && p->name != NULL;
	NVML_FUNCTIONS(X)
#undef X
	return all;
}

static const char *
find_gpus(struct power *p)
{
	unsigned long long mj;
	struct power_gpu *g;
	unsigned n = 0, i;

	if (!load(p))
		return "libnvidia-ml.so.1 cannot be loaded";
	if (p->Init_v2() != 0 || p->DeviceGetCount_v2(&n) != 0)
		return "NVML finds no driver";
	for (i = 0; i < n && p->n < POWER_GPUS; i++) {
		g = &p->gpu[p->n];
		if (p->DeviceGetHandleByIndex_v2(i, &g->dev) != 0 ||
		    p->DeviceGetUUID(g->dev, g->uuid, sizeof(g->uuid)) != 0)
			continue;
		g->counter =
		    p->DeviceGetTotalEnergyConsumption(g->dev, &mj) == 0;
		g->t = inj_now();
		if (g->counter || p->DeviceGetPowerUsage(g->dev, &g->mw) == 0)
			p->n++;
	}
	return p->n > 0 ? NULL : "no GPU reports its energy or power";
}

/* The energy so far; the power of two answers is taken as a line. */
static bool
ask(const struct power *p, struct power_gpu *g, int64_t *mj)
{
	unsigned long long counter = 0;
	unsigned mw = 0;
	int64_t t = inj_now();

	if (g->counter
		? p->DeviceGetTotalEnergyConsumption(g->dev, &counter) != 0
		: p->DeviceGetPowerUsage(g->dev, &mw) != 0)
		return false;
	if (!g->counter) {
		g->mj += ((double)g->mw + mw) / 2 * ((double)(t - g->t) / 1e9);
		g->mw = mw;
	}
	*mj = g->counter ? (int64_t)counter : (int64_t)g->mj;
	/* the answer is of some moment while it was asked for */
	g->t = t + (inj_now() - t) / 2;
	return true;
}

/* A sample of each GPU, written out; false where it cannot be written. */
static bool
sample(struct power *p)
{
	int64_t mj;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (ask(p, &p->gpu[i], &mj))
			printf("%lld %s %lld\n", (long long)p->gpu[i].t,
			    p->gpu[i].uuid, (long long)mj);
	if (fflush(stdout) == 0)
		return true;
	say(strerror(errno), "");
	return false;
}

/* Standard input is a socket: it gets a byte when this library is loaded and
 * one after the first sample, and the last sample is due when it is closed. */
static void __attribute__((constructor)) begin(void)
{
	struct pollfd end = { STDIN_FILENO, POLLIN, 0 };
	struct power p = { 0 };
	const char *why;

	if (getenv(RSPOOL_POWER_ENV) == NULL)
		return;
	if (write(STDIN_FILENO, "", 1) == 1 && (why = find_gpus(&p)) != NULL)
		say(why, ", so energy is not recorded");
	if (p.n > 0 && sample(&p) && write(STDIN_FILENO, "", 1) == 1) {
		while (poll(&end, 1, POWER_MS) <= 0 && sample(&p))
			continue;
		if (end.revents != 0)
			(void)sample(&p);
	}
	syscall(SYS_exit_group, 0);
}
