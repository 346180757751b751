/*
 * What the driver says of its devices, and waiting for the GPU. The driver is
 * the one that is loaded; it is never loaded from here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "inj.h"

struct driver {
	int (*DriverGetVersion)(int *v);
	int (*DeviceGetCount)(int *n);
	int (*DeviceGet)(int *dev, int i);
	int (*DeviceGetName)(char *name, int n, int dev);
	int (*DeviceGetAttribute)(int *v, int attr, int dev);
	int (*DeviceTotalMem)(size_t *n, int dev);
	int (*DeviceGetUuid)(unsigned char *uuid, int dev);
	int (*DeviceGetPCIBusId)(char *s, int n, int dev);
	int (*CtxGetCurrent)(void **ctx);
	int (*CtxPushCurrent)(void *ctx);
	int (*CtxPopCurrent)(void **ctx);
	int (*CtxSynchronize)(void);
	int (*ExchangeCaptureMode)(int *mode);
};

/* Each name is that of one signature: cuCtxSynchronize_v2 of CUDA 13 takes a
 * context, so the newest version is not simply taken. */
static bool
driver_load(struct driver *d)
{
	void *lib = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (lib == NULL)
		return false;
#define F(fn, name) *(void **)&d->fn = dlsym(lib, name)
	F(DriverGetVersion, "cuDriverGetVersion");
	F(DeviceGetCount, "cuDeviceGetCount");
	F(DeviceGet, "cuDeviceGet");
	F(DeviceGetName, "cuDeviceGetName");
	F(DeviceGetAttribute, "cuDeviceGetAttribute");
	F(DeviceTotalMem, "cuDeviceTotalMem_v2");
	F(DeviceGetUuid, "cuDeviceGetUuid");
	F(DeviceGetPCIBusId, "cuDeviceGetPCIBusId");
	F(CtxGetCurrent, "cuCtxGetCurrent");
	F(CtxPushCurrent, "cuCtxPushCurrent_v2");
	F(CtxPopCurrent, "cuCtxPopCurrent_v2");
	F(CtxSynchronize, "cuCtxSynchronize");
	F(ExchangeCaptureMode, "cuThreadExchangeStreamCaptureMode");
#undef F
	return d->DriverGetVersion != NULL && d->DeviceGetCount != NULL &&
	       d->DeviceGet != NULL && d->DeviceGetName != NULL &&
	       d->DeviceGetAttribute != NULL;
}

static void
gpu_fact(int i, const char *key, const char *value)
{
	char k[64];

	snprintf(k, sizeof(k), "gpu%d.%s", i, key);
	spool_fact(k, value);
}

static void
gpu_number(int i, const char *key, int64_t v)
{
	char s[32];

	snprintf(s, sizeof(s), "%lld", (long long)v);
	gpu_fact(i, key, s);
}

static void
gpu_uuid(const struct driver *d, int i, int dev)
{
	unsigned char u[16];
	char s[40];
	int k, n = 0;

	if (d->DeviceGetUuid == NULL || d->DeviceGetUuid(u, dev) != 0)
		return;
	for (k = 0; k < 16; k++)
		n += snprintf(s + n, sizeof(s) - (size_t)n, "%s%02x",
		    k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", u[k]);
	gpu_fact(i, "uuid", s);
}

/* The numbers are the driver's CUdevice_attribute. */
static void
gpu_attributes(const struct driver *d, int i, int dev)
{
	static const int attrs[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 16,
		18, 36, 37, 38, 39, 40, 75, 76, 81, 82, 97, 106 };
	char key[16];
	size_t k;
	int v;

	for (k = 0; k < sizeof(attrs) / sizeof(attrs[0]); k++) {
		if (d->DeviceGetAttribute(&v, attrs[k], dev) != 0)
			continue;
		snprintf(key, sizeof(key), "a%d", attrs[k]);
		gpu_number(i, key, v);
	}
}

static void
gpu_facts(const struct driver *d, int i)
{
	char s[256];
	size_t mem;
	int dev;

	if (d->DeviceGet(&dev, i) != 0)
		return;
	if (d->DeviceGetName(s, sizeof(s), dev) == 0)
		gpu_fact(i, "name", s);
	if (d->DeviceTotalMem != NULL && d->DeviceTotalMem(&mem, dev) == 0)
		gpu_number(i, "memory", (int64_t)mem);
	if (d->DeviceGetPCIBusId != NULL &&
	    d->DeviceGetPCIBusId(s, sizeof(s), dev) == 0)
		gpu_fact(i, "bus", s);
	gpu_uuid(d, i, dev);
	gpu_attributes(d, i, dev);
}

void
driver_devices(void)
{
	struct driver d = { 0 };
	int n, v, i;

	if (!atomic_load(&inj.cuda_seen) || atomic_load(&inj.has_devices))
		return;
	if (!driver_load(&d) || d.DeviceGetCount(&n) != 0)
		return; /* not yet initialized */
	if (atomic_exchange(&inj.has_devices, true))
		return;
	if (d.DriverGetVersion(&v) == 0)
		spool_fact_i64("cuda_driver", v);
	for (i = 0; i < n; i++)
		gpu_facts(&d, i);
}

void *
driver_ctx(void)
{
	struct driver d = { 0 };
	void *ctx = NULL;

	if (!driver_load(&d) || d.CtxGetCurrent == NULL ||
	    d.CtxGetCurrent(&ctx) != 0)
		return NULL;
	return ctx;
}

/* Waits for all contexts. A stream that is being captured must not notice,
 * hence the relaxed mode. */
void
driver_sync(void)
{
	struct driver d = { 0 };
	void *ctx[64], *old;
	int i, n, mode = 2;

	if (!driver_load(&d) || d.CtxPushCurrent == NULL ||
	    d.CtxPopCurrent == NULL || d.CtxSynchronize == NULL)
		return;
	pthread_mutex_lock(&inj.ctx_lock);
	n = inj.n_ctx;
	memcpy(ctx, inj.ctx, sizeof(ctx));
	pthread_mutex_unlock(&inj.ctx_lock);
	if (d.ExchangeCaptureMode != NULL)
		d.ExchangeCaptureMode(&mode);
	for (i = 0; i < n; i++) {
		if (d.CtxPushCurrent(ctx[i]) != 0)
			continue;
		d.CtxSynchronize();
		d.CtxPopCurrent(&old);
	}
	if (d.ExchangeCaptureMode != NULL)
		d.ExchangeCaptureMode(&mode);
}
