/*
 * An NVML without a GPU, for tests of dlp-record --power: the GPUs of
 * fakedriver.c and one that programs cannot see, at 400 W. NVML in the
 * environment: "nocounter" has power only, "none" finds no driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int
is(const char *word)
{
	const char *s = getenv("NVML");

	return s != NULL && strcmp(s, word) == 0;
}

int
nvmlInit_v2(void)
{
	return is("none") ? 9 : 0;
}

int
nvmlDeviceGetCount_v2(unsigned *n)
{
	*n = 3;
	return 0;
}

int
nvmlDeviceGetHandleByIndex_v2(unsigned i, void **dev)
{
	static char gpu[3];

	*dev = &gpu[i];
	/* the driver numbers them the other way round */
	gpu[i] = (char)(3 - i);
	return 0;
}

int
nvmlDeviceGetUUID(void *dev, char *s, unsigned n)
{
	snprintf(s, n, "GPU-00000000-0000-0000-0000-0000000000%02X",
	    (unsigned)*(char *)dev);
	return 0;
}

int
nvmlDeviceGetTotalEnergyConsumption(void *dev, unsigned long long *mj)
{
	struct timespec t;

	(void)dev;
	if (is("nocounter"))
		return 3;
	clock_gettime(CLOCK_MONOTONIC, &t);
	*mj = 1000000 + (unsigned long long)t.tv_sec * 400000 +
	      (unsigned long long)t.tv_nsec / 2500;
	return 0;
}

int
nvmlDeviceGetPowerUsage(void *dev, unsigned *mw)
{
	(void)dev;
	*mw = 400000;
	return 0;
}
