/*
 * --power: a process beside the command that asks the driver's NVML for the
 * energy of each GPU ten times a second, and writes it to a file in the folder
 * of the spool, a line per answer: time, UUID, millijoules. A GPU without a
 * counter of energy is asked for its power, which is added up.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "record.h"
#include "rspool.h"

#define POWER_MS 100
#define POWER_GPUS 64

/* NVML's interface, as far as it is used here. */
struct nvml {
	int (*Init_v2)(void);
	int (*DeviceGetCount_v2)(unsigned *n);
	int (*DeviceGetHandleByIndex_v2)(unsigned i, void **dev);
	int (*DeviceGetUUID)(void *dev, char *s, unsigned n);
	int (*DeviceGetTotalEnergyConsumption)(
	    void *dev, unsigned long long *mj);
	int (*DeviceGetPowerUsage)(void *dev, unsigned *mw);
};

struct power_gpu {
	void *dev;
	char uuid[96];
	bool counter;
	bool any; /* asked before */
	int64_t t;
	unsigned mw;
	double mj; /* of the power, added up */
};

struct power {
	struct nvml nvml;
	struct power_gpu gpu[POWER_GPUS];
	size_t n;
	FILE *to;
};

static bool
load(struct nvml *m)
{
	void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	if (lib == NULL)
		return false;
#define F(name) *(void **)&m->name = dlsym(lib, "nvml" #name)
	F(Init_v2);
	F(DeviceGetCount_v2);
	F(DeviceGetHandleByIndex_v2);
	F(DeviceGetUUID);
	F(DeviceGetTotalEnergyConsumption);
	F(DeviceGetPowerUsage);
#undef F
	return m->Init_v2 != NULL && m->DeviceGetCount_v2 != NULL &&
	       m->DeviceGetHandleByIndex_v2 != NULL && m->DeviceGetUUID != NULL;
}

static bool
can_ask(const struct nvml *m, struct power_gpu *g)
{
	unsigned long long mj;

	g->counter = m->DeviceGetTotalEnergyConsumption != NULL &&
		     m->DeviceGetTotalEnergyConsumption(g->dev, &mj) == 0;
	return g->counter || (m->DeviceGetPowerUsage != NULL &&
				 m->DeviceGetPowerUsage(g->dev, &g->mw) == 0);
}

static const char *
find_gpus(struct power *p)
{
	struct power_gpu *g;
	unsigned n = 0, i;

	if (!load(&p->nvml))
		return "libnvidia-ml.so.1 cannot be loaded";
	if (p->nvml.Init_v2() != 0 || p->nvml.DeviceGetCount_v2(&n) != 0)
		return "NVML finds no driver";
	for (i = 0; i < n && p->n < POWER_GPUS; i++) {
		g = &p->gpu[p->n];
		if (p->nvml.DeviceGetHandleByIndex_v2(i, &g->dev) == 0 &&
		    p->nvml.DeviceGetUUID(g->dev, g->uuid, sizeof(g->uuid)) ==
			0 &&
		    can_ask(&p->nvml, g))
			p->n++;
	}
	return p->n > 0 ? NULL : "no GPU reports its energy or power";
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The energy so far; the power of two answers is taken as a line. */
static bool
ask(const struct nvml *m, struct power_gpu *g, int64_t *mj)
{
	unsigned long long counter;
	unsigned mw;
	int64_t t = now_ns();

	if (g->counter) {
		if (m->DeviceGetTotalEnergyConsumption(g->dev, &counter) != 0)
			return false;
		*mj = (int64_t)counter;
	} else {
		if (m->DeviceGetPowerUsage(g->dev, &mw) != 0)
			return false;
		if (g->any)
			g->mj += ((double)g->mw + mw) / 2 *
				 ((double)(t - g->t) / 1e9);
		g->mw = mw;
		*mj = (int64_t)g->mj;
	}
	/* the answer is of some moment while it was asked for */
	g->t = t + (now_ns() - t) / 2;
	g->any = true;
	return true;
}

/* A sample of each GPU, written out; false where it cannot be written. */
static bool
sample(struct power *p)
{
	int64_t mj;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (ask(&p->nvml, &p->gpu[i], &mj))
			fprintf(p->to, "%lld %s %lld\n", (long long)p->gpu[i].t,
			    p->gpu[i].uuid, (long long)mj);
	if (fflush(p->to) == 0)
		return true;
	warn("--power: %s", strerror(errno));
	return false;
}

static void
power_process(const char *folder, int fd, int ready)
{
	struct pollfd end = { fd, POLLIN, 0 };
	struct power p = { 0 };
	struct buf path = { 0 };
	const char *why;

	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	why = find_gpus(&p);
	if (why != NULL) {
		warn("--power: %s, so energy is not recorded", why);
		return;
	}
	buf_printf(&path, "%s/" RSPOOL_POWER, folder);
	p.to = fopen(buf_str(&path), "we");
	if (p.to == NULL) {
		warn("--power: %s: %s", buf_str(&path), strerror(errno));
		return;
	}
	if (sample(&p)) {
		close(ready);
		/* until the other end is closed, and once after that */
		while (poll(&end, 1, POWER_MS) <= 0 && sample(&p))
			continue;
		if (end.revents != 0)
			(void)sample(&p);
	}
	(void)fclose(p.to);
	buf_free(&path);
}

pid_t
record_power(const char *folder, int *end)
{
	int fd[2], ready[2];
	ssize_t n;
	pid_t pid;
	char c;

	if (pipe(fd) != 0 || pipe(ready) != 0)
		die_errno("pipe");
	pid = fork();
	if (pid < 0)
		die_errno("fork");
	if (pid == 0) {
		close(fd[1]);
		close(ready[0]);
		power_process(folder, fd[0], ready[1]);
		exit(EXIT_OK);
	}
	close(fd[0]);
	close(ready[1]);
	/* the first sample precedes the command */
	n = read(ready[0], &c, 1);
	(void)n;
	close(ready[0]);
	*end = fd[1];
	return pid;
}
