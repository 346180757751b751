/*
 * A program that plays a program with NVTX and CUDA, and its driver: it loads
 * the recorder as the driver does, and its calls are those of fakecupti.c.
 *
 *	fakecuda WORD...
 *
 *	init        the driver starts: InitializeInjection()
 *	start stop  cudaProfilerStart, cudaProfilerStop
 *	N           N steps of work
 *	call=N driver=N  a call of the runtime, of the driver
 *	load unload      of a module with memory
 *	push=TEXT pop    NVTX ranges
 *	nvtx        NVTX events of all kinds, in a known order
 *	loop=N      N ranges
 *	threads     20 times 8 threads at once, each with ranges
 *	sleep=MS  exit=N  _exit=N  quick=N  kill=N  abort  fork[=1]  exec  execl
 *	await=FILE  waits until there is such a file, at most a minute
 *	finalized   prints how often CUPTI was detached
 *
 * With NVTX3 defined it uses the headers of NVTX, otherwise nvtx_own.h.
 */
#define _GNU_SOURCE
#ifdef NVTX3
#include <nvtx3/nvToolsExt.h>
#else
#include "nvtx_own.h"
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	uint32_t (*call)(int runtime, uint32_t cbid);
	void (*begin)(void);
	void (*step)(void);
	void (*module)(int release);
	int (*finalized)(void);
} fake;

static nvtxRangeId_t crossing;

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
	F(begin);
	F(step);
	F(module);
	F(finalized);
	fake.begin();
	return 1;
}

static void
domains(void)
{
	nvtxDomainHandle_t d = nvtxDomainCreateA("a domain"), same;
	nvtxStringHandle_t s = nvtxDomainRegisterStringA(d, "registered");
	nvtxEventAttributes_t e = { .version = NVTX_VERSION,
		.size = sizeof(e),
		.messageType = NVTX_MESSAGE_TYPE_REGISTERED,
		.message.registered = s };

	same = nvtxDomainCreateA("a domain");
	if (d != same && d != NULL)
		puts("two handles");
	nvtxDomainRangePushEx(d, &e);
	nvtxRangePushA("crosses the domain's");
	nvtxDomainRangePop(d);
	nvtxRangePop();
	nvtxDomainMarkEx(d, &e);
	e.messageType = 0;
	nvtxDomainRangeStartEx(d, &e); /* never ended, no text */
}

static void
range(const char *text)
{
	nvtxRangePushA(text);
	nvtxRangePop();
}

static void
texts(void)
{
	static char large[9001];

	memset(large, 'x', 9000);
	range("");
	range("tab\there, newline\nhere, \"quotes\", \xc3\xa4");
	range("bad \xff\xfe end");
	nvtxRangePushW(L"wide \u00e4\U0001f600");
	nvtxRangePop();
	range(large);
}

static void
payloads(void)
{
	nvtxEventAttributes_t events[] = {
		{ .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
		    .payload.ullValue = UINT64_MAX },
		{ .payloadType = NVTX_PAYLOAD_TYPE_INT64,
		    .payload.llValue = -5000000000 },
		{ .payloadType = NVTX_PAYLOAD_TYPE_DOUBLE,
		    .payload.dValue = 0.1 },
		{ .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
		    .payload.uiValue = 4000000000u },
		{ .payloadType = NVTX_PAYLOAD_TYPE_INT32,
		    .payload.iValue = -7 },
		{ .payloadType = NVTX_PAYLOAD_TYPE_FLOAT,
		    .payload.fValue = 2.5f }
	};
	char text[32];
	unsigned i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		nvtxEventAttributes_t *e = &events[i];

		snprintf(text, sizeof(text), "payload %u", i + 1);
		e->version = NVTX_VERSION;
		e->size = sizeof(*e);
		e->messageType = NVTX_MESSAGE_TYPE_ASCII;
		e->message.ascii = text;
		e->category = 7;
		e->colorType = NVTX_COLOR_ARGB;
		e->color = 0xff00ff01u + i;
		nvtxRangePushEx(e);
		nvtxRangePop();
	}
}

static void *
other_thread(void *arg)
{
	(void)arg;
	nvtxRangePushA("in a thread");
	nvtxRangeEnd(crossing);
	nvtxRangePop();
	return NULL;
}

static void
nvtx(void)
{
	pthread_t id;

	nvtxNameCategoryA(7, "seven");
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the first thread");
	domains();
	texts();
	payloads();
	nvtxMarkA("a mark");
	nvtxRangePop(); /* without a push */
	crossing = nvtxRangeStartA("crosses threads");
	if (pthread_create(&id, NULL, other_thread, NULL) == 0)
		pthread_join(id, NULL);
	nvtxRangePushA("never popped");
}

static void *
many(void *arg)
{
	int i;

	for (i = 0; i < 200; i++) {
		nvtxRangePushA("outer of a thread");
		range("inner of a thread");
		nvtxRangePop();
	}
	return arg;
}

static void
threads(void)
{
	pthread_t id[8];
	int i, k;

	for (i = 0; i < 20; i++) {
		for (k = 0; k < 8; k++)
			if (pthread_create(&id[k], NULL, many, NULL) != 0)
				abort();
		for (k = 0; k < 8; k++)
			pthread_join(id[k], NULL);
	}
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
			fake.step();
		nvtxDomainCreateA("a domain of the child");
		range("in the child");
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

/* A word that is of use only with CUDA. */
static void
call(const char *w, int n)
{
	if (strcmp(w, "start") == 0)
		fake.call(0, 308);
	else if (strcmp(w, "stop") == 0)
		fake.call(0, 309);
	else if (strcmp(w, "call") == 0 || strcmp(w, "driver") == 0)
		fake.call(*w == 'c', (uint32_t)n);
	else if (strcmp(w, "load") == 0 || strcmp(w, "unload") == 0)
		fake.module(*w == 'u');
	else if (*w >= '0' && *w <= '9')
		for (n = (int)strtol(w, NULL, 10); n > 0; n--)
			fake.step();
}

static void
word(char *w, char **argv)
{
	char *text = w + strcspn(w, "=");
	int n;

	if (*text == '=')
		*text++ = '\0';
	n = (int)strtol(text, NULL, 10);
	if (fake.call != NULL)
		call(w, n);
	if (strcmp(w, "init") == 0)
		init();
	else if (strcmp(w, "push") == 0)
		nvtxRangePushA(text);
	else if (strcmp(w, "pop") == 0)
		nvtxRangePop();
	else if (strcmp(w, "nvtx") == 0)
		nvtx();
	else if (strcmp(w, "loop") == 0)
		while (n-- > 0)
			range("loop");
	else if (strcmp(w, "threads") == 0)
		threads();
	else if (strcmp(w, "await") == 0)
		await(text);
	else
		end_by(w, n, argv);
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
