/*
 * A libcuda without a GPU: what the recorder asks the driver. It has two
 * devices, with numbers of an H200.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int
cuDriverGetVersion(int *v)
{
	*v = 13000;
	return 0;
}

EXPORT int
cuDeviceGetCount(int *n)
{
	*n = 2;
	return 0;
}

EXPORT int
cuDeviceGet(int *dev, int i)
{
	*dev = i;
	return 0;
}

EXPORT int
cuDeviceGetName(char *name, int n, int dev)
{
	(void)dev;
	snprintf(name, (size_t)n, "Fake H200");
	return 0;
}

EXPORT int
cuDeviceTotalMem_v2(size_t *n, int dev)
{
	(void)dev;
	*n = 150109880320;
	return 0;
}

EXPORT int
cuDeviceGetUuid(unsigned char *uuid, int dev)
{
	memset(uuid, 0, 16);
	uuid[15] = (unsigned char)(dev + 1);
	return 0;
}

EXPORT int
cuDeviceGetPCIBusId(char *s, int n, int dev)
{
	snprintf(s, (size_t)n, "0000:%02x:06.0", dev);
	return 0;
}

EXPORT int
cuDeviceGetAttribute(int *v, int attr, int dev)
{
	static const int values[][2] = { { 1, 1024 }, { 10, 32 },
		{ 13, 1980000 }, { 16, 132 }, { 18, 0 }, { 36, 3201000 },
		{ 37, 6016 }, { 38, 62914560 }, { 39, 2048 }, { 75, 9 },
		{ 76, 0 } };
	size_t i;

	(void)dev;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i][0] == attr) {
			*v = values[i][1];
			return 0;
		}
	return 1;
}

EXPORT int
cuCtxPushCurrent_v2(void *ctx)
{
	return ctx == NULL;
}

EXPORT int
cuCtxPopCurrent_v2(void **ctx)
{
	*ctx = NULL;
	return 0;
}

EXPORT int
cuCtxSynchronize(void)
{
	return 0;
}

/* Takes a context, from CUDA 13 on; without one it reads what it finds. */
EXPORT int
cuCtxSynchronize_v2(void *ctx)
{
	(void)ctx;
	abort();
}
