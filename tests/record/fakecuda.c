/*
 * A program that plays a program with CUDA, and its driver: it loads the
 * recorder as the driver does, and its calls are those of fakecupti.c.
 *
 *	fakecuda WORD...
 *
 *	init        the driver starts: InitializeInjection()
 *	start stop  cudaProfilerStart, cudaProfilerStop
 *	N           N steps of work
 *	call=N driver=N  a call of the runtime, of the driver
 *	load unload      of a module with memory
 *	push=TEXT pop    NVTX ranges
 *	sleep=MS  exit=N  _exit=N  quick=N  kill=N  abort  fork[=1]  exec  execl
 *	await=FILE  waits until there is such a file, at most a minute
 *	finalized   prints how often CUPTI was detached
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvtx_own.h"

static struct {
	uint32_t (*call)(int runtime, uint32_t cbid);
	void (*kernel)(const char *name, uint32_t corr, uint64_t node);
	void (*copy)(uint32_t corr);
	void (*peer)(uint32_t corr);
	void (*set)(uint32_t corr);
	void (*sync)(uint32_t corr);
	void (*memory)(uint32_t corr);
	void (*module)(int release);
	void (*overhead)(void);
	void (*context)(void);
	void (*graph)(void);
	void (*graph_run)(uint32_t corr);
	int (*finalized)(void);
} fake;

static int
init(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
	void *lib = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
	int (*start)(void);
	void *cupti;

	*(void **)&start =
	    lib != NULL ? dlsym(lib, "InitializeInjection") : NULL;
	if (start == NULL || driver == NULL)
		return 0;
	start();
	cupti = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD);
	/* with --arm the program has loaded it itself */
	if (cupti == NULL && getenv("FAKE_CUPTI") != NULL)
		cupti = dlopen(getenv("FAKE_CUPTI"), RTLD_LAZY);
	if (cupti == NULL)
		return 0;
#define F(name) *(void **)&fake.name = dlsym(cupti, "fake_" #name)
	F(call);
	F(kernel);
	F(copy);
	F(peer);
	F(set);
	F(sync);
	F(memory);
	F(module);
	F(overhead);
	F(context);
	F(graph);
	F(graph_run);
	F(finalized);
	fake.context();
	fake.graph();
	return 1;
}

static void
step(void)
{
	static const char *const names[] = { "_Z4axpyifPKfPf",
		"_ZN2at6native13reduce_kernelILi512ELi1EEEvT_",
		"plain_kernel" };
	static int n;

	if (fake.call == NULL)
		return;
	fake.call(1, 1);
	fake.call(0, 1);
	fake.kernel(names[n % 3], fake.call(1, 2), 0);
	fake.copy(fake.call(1, 3));
	fake.set(fake.call(1, 4));
	fake.kernel(names[(n + 1) % 3], fake.call(1, 2), 0);
	fake.memory(fake.call(1, 6));
	fake.graph_run(fake.call(1, 7));
	fake.peer(fake.call(1, 3));
	fake.sync(fake.call(1, 5));
	fake.overhead();
	n++;
}

static void
end_by(const char *how, int n, char **argv)
{
	if (strcmp(how, "exit") == 0)
		exit(n);
	if (strcmp(how, "_exit") == 0)
		_exit(n);
	if (strcmp(how, "quick") == 0)
		quick_exit(n);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), n);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "fork") == 0 && fork() == 0) {
		if (n > 0 && init()) /* CUDA in the child, for the first time */
			step();
		nvtxRangePushA("in the child");
		nvtxRangePop();
		exit(0);
	}
	if (strcmp(how, "fork") == 0)
		wait(NULL);
	if (strcmp(how, "exec") == 0)
		execv("/proc/self/exe", argv);
	if (strcmp(how, "execl") == 0)
		execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
	if (strcmp(how, "sleep") == 0)
		usleep((useconds_t)n * 1000);
	if (strcmp(how, "finalized") == 0)
		printf("finalized %d\n",
		    fake.finalized != NULL ? fake.finalized() : -1);
}

static void
await(const char *path)
{
	int i;

	for (i = 0; access(path, F_OK) != 0; i++) {
		if (i == 6000)
			exit(99);
		usleep(10000);
	}
}

static void
word(char *w, char **argv)
{
	char *eq = strchr(w, '=');
	int n;

	if (eq != NULL)
		*eq++ = '\0';
	if (strcmp(w, "init") == 0)
		init();
	else if (strcmp(w, "start") == 0 && fake.call != NULL)
		fake.call(0, 308);
	else if (strcmp(w, "stop") == 0 && fake.call != NULL)
		fake.call(0, 309);
	else if (strcmp(w, "call") == 0 || strcmp(w, "driver") == 0)
		fake.call(*w == 'c', (uint32_t)strtoul(eq, NULL, 10));
	else if (strcmp(w, "load") == 0 || strcmp(w, "unload") == 0)
		fake.module(*w == 'u');
	else if (strcmp(w, "push") == 0)
		nvtxRangePushA(eq);
	else if (strcmp(w, "await") == 0)
		await(eq);
	else if (strcmp(w, "pop") == 0)
		nvtxRangePop();
	else if (*w >= '0' && *w <= '9')
		for (n = (int)strtol(w, NULL, 10); n > 0; n--)
			step();
	else
		end_by(w, eq != NULL ? (int)strtol(eq, NULL, 10) : 0, argv);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "exec") == 0) {
			argv[i] = argv[0]; /* the rest is the new program's */
			end_by("exec", 0, argv + i);
		} else
			word(argv[i], argv + i);
	puts("done");
	return 0;
}
