/*
 * Finds CUPTI. One that the program has loaded must be used, because a second
 * one in the process takes the first one's events. Otherwise the newest that
 * the driver takes: the file of --cupti, beside the CUDA libraries that the
 * program has loaded, where the loader looks, and where the toolkit is usually
 * installed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inj.h"

/* Newest first. Those of CUDA 11 have the minor version in their name. */
static const char *const versions[] = { "15", "14", "13", "12", "11.8", "11.7",
	"11.6", "11.5", "11.4", "11.3", "11.2", "11.1", "11.0" };

#define N_VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* The driver's CUDA version; a CUPTI of a later one does not work with it. */
static int
driver_major(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	int (*version)(int *) = NULL;
	int v = 0;

	if (lib != NULL)
		*(void **)&version = dlsym(lib, "cuDriverGetVersion");
	if (version == NULL || version(&v) != 0 || v <= 0)
		return INT_MAX;
	return v / 1000;
}

static bool
try_file(
    struct abi_cupti *c, const char *file, int flags, char *where, size_t size)
{
	void *lib = dlopen(file, RTLD_LAZY | flags);
	bool all = true;
	Dl_info info;

	if (lib == NULL)
		return false;
#define X(name, needed, args)                                                  \
	*(void **)&c->name = dlsym(lib, "cupti" #name);                        \
	if (c->name == NULL && (needed))                                       \
		all = false;
	ABI_FUNCTIONS(X)
#undef X
	if (!all) {
		dlclose(lib);
		return false;
	}
	*(void **)&info.dli_fname = NULL;
	if (dladdr((void *)(uintptr_t)c->Subscribe, &info) != 0 &&
	    info.dli_fname != NULL)
		file = info.dli_fname;
	snprintf(where, size, "%s", file);
	return true;
}

/* The newest in a folder, or, with an empty name, where the loader looks. */
static bool
try_folder(struct abi_cupti *c, const char *dir, int major, int flags,
    char *where, size_t size)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < N_VERSIONS; i++) {
		if (atoi(versions[i]) > major)
			continue;
		snprintf(path, sizeof(path), "%s%slibcupti.so.%s", dir,
		    *dir != '\0' ? "/" : "", versions[i]);
		if (try_file(c, path, flags, where, size))
			return true;
	}
	return false;
}

struct near_ctx {
	char dir[8][PATH_MAX];
	int n;
};

static int
near_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const char *const near[] = { "/libcudart.so", "/libcublas.so",
		"/libcublasLt.so", "/libnvrtc.so" };
	struct near_ctx *ctx = arg;
	const char *p;
	size_t i;

	(void)size;
	for (i = 0; i < 4; i++) {
		p = info->dlpi_name != NULL ? strstr(info->dlpi_name, near[i])
					    : NULL;
		if (p == NULL || ctx->n == 8)
			continue;
		snprintf(ctx->dir[ctx->n++], PATH_MAX, "%.*s",
		    (int)(p - info->dlpi_name), info->dlpi_name);
	}
	return 0;
}

/* Python packages have a folder for each library:
 * nvidia/cuda_runtime/lib, nvidia/cuda_cupti/lib. */
static bool
beside_loaded(struct abi_cupti *c, int major, char *where, size_t size)
{
	struct near_ctx *ctx = calloc(1, sizeof(*ctx));
	char dir[PATH_MAX + 32];
	bool found = false;
	int i;

	if (ctx == NULL)
		return false;
	dl_iterate_phdr(near_library, ctx);
	for (i = 0; i < ctx->n && !found; i++) {
		found = try_folder(c, ctx->dir[i], major, 0, where, size);
		if (found)
			break;
		snprintf(
		    dir, sizeof(dir), "%s/../../cuda_cupti/lib", ctx->dir[i]);
		found = try_folder(c, dir, major, 0, where, size);
	}
	free(ctx);
	return found;
}

static bool
in_toolkit(struct abi_cupti *c, int major, char *where, size_t size)
{
	static const char *const dirs[] = { "/usr/local/cuda/lib64",
		"/usr/local/cuda/extras/CUPTI/lib64",
		"/usr/local/cuda/targets/*/lib",
		"/usr/local/cuda-*/targets/*/lib" };
	bool found = false;
	size_t i, k;
	glob_t g;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && !found; i++) {
		if (glob(dirs[i], 0, NULL, &g) != 0)
			continue;
		for (k = g.gl_pathc; k-- > 0 && !found;)
			found =
			    try_folder(c, g.gl_pathv[k], major, 0, where, size);
		globfree(&g);
	}
	return found;
}

bool
find_cupti(struct abi_cupti *c, char *where, size_t size)
{
	int major = driver_major();

	if (try_folder(c, "", INT_MAX, RTLD_NOLOAD, where, size) ||
	    (inj.opt.cupti[0] != '\0' &&
		try_file(c, inj.opt.cupti, 0, where, size)) ||
	    beside_loaded(c, major, where, size) ||
	    try_folder(c, "", major, 0, where, size) ||
	    in_toolkit(c, major, where, size))
		return true;
	snprintf(where, size, "%s", "no libcupti found");
	memset(c, 0, sizeof(*c));
	return false;
}
