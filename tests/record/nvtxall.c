/*
 * NVTX events of all kinds, in a known order, and then an end.
 *
 *	nvtxall [END [N]]	END: return, exit, _exit, quick, kill, abort,
 *				segv, fork, exec, threads; N: a loop of N
 *				ranges
 *
 * With NVTX3 defined it uses the headers of NVTX, otherwise nvtx_own.h.
 */
#define _GNU_SOURCE
#ifdef NVTX3
#include <nvtx3/nvToolsExt.h>
#else
#include "nvtx_own.h"
#endif

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static nvtxRangeId_t crossing;

static nvtxEventAttributes_t
event(void)
{
	nvtxEventAttributes_t e;

	memset(&e, 0, sizeof(e));
	e.version = NVTX_VERSION;
	e.size = sizeof(e);
	return e;
}

static void
payload(int type)
{
	nvtxEventAttributes_t e = event();
	char text[32];

	snprintf(text, sizeof(text), "payload %d", type);
	e.messageType = NVTX_MESSAGE_TYPE_ASCII;
	e.message.ascii = text;
	e.payloadType = type;
	e.category = 7;
	e.colorType = NVTX_COLOR_ARGB;
	e.color = 0xff00ff00u + (unsigned)type;
	switch (type) {
	case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
		e.payload.ullValue = UINT64_MAX;
		break;
	case NVTX_PAYLOAD_TYPE_INT64:
		e.payload.llValue = -5000000000;
		break;
	case NVTX_PAYLOAD_TYPE_DOUBLE:
		e.payload.dValue = 0.1;
		break;
	case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
		e.payload.uiValue = 4000000000u;
		break;
	case NVTX_PAYLOAD_TYPE_INT32:
		e.payload.iValue = -7;
		break;
	case NVTX_PAYLOAD_TYPE_FLOAT:
		e.payload.fValue = 2.5f;
		break;
	default:
		break;
	}
	nvtxRangePushEx(&e);
	nvtxRangePop();
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
domains(void)
{
	nvtxDomainHandle_t d = nvtxDomainCreateA("a domain"), same;
	nvtxStringHandle_t s = nvtxDomainRegisterStringA(d, "registered");
	nvtxEventAttributes_t e = event();

	same = nvtxDomainCreateA("a domain");
	if (d != same && d != NULL)
		puts("two handles");
	e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	e.message.registered = s;
	nvtxDomainRangePushEx(d, &e);
	nvtxRangePushA("crosses the domain's");
	nvtxDomainRangePop(d);
	nvtxRangePop();
	nvtxDomainMarkEx(d, &e);
	e.messageType = 0;
	nvtxDomainRangeStartEx(d, &e); /* never ended, no text */
}

static void
texts(void)
{
	static char large[9001];

	memset(large, 'x', 9000);
	nvtxRangePushA("");
	nvtxRangePop();
	nvtxRangePushA("tab\there, newline\nhere, \"quotes\", \xc3\xa4");
	nvtxRangePop();
	nvtxRangePushA("bad \xff\xfe end");
	nvtxRangePop();
	nvtxRangePushW(L"wide \u00e4\U0001f600");
	nvtxRangePop();
	nvtxRangePushA(large);
	nvtxRangePop();
}

static void *
many(void *arg)
{
	int i;

	for (i = 0; i < 200; i++) {
		nvtxRangePushA("outer of a thread");
		nvtxRangePushA("inner of a thread");
		nvtxRangePop();
		nvtxRangePop();
	}
	return arg;
}

/* 20 times 8 threads at once. */
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
end_by(const char *how)
{
	if (strcmp(how, "threads") == 0)
		threads();
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "quick") == 0)
		quick_exit(5);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		raise(SIGSEGV);
	if (strcmp(how, "fork") == 0 && fork() == 0) {
		nvtxDomainCreateA("a domain of the child");
		nvtxRangePushA("in the child");
		nvtxRangePop();
		_exit(0);
	}
	if (strcmp(how, "fork") == 0)
		wait(NULL);
	if (strcmp(how, "exec") == 0)
		execl("/proc/self/exe", "nvtxall", (char *)NULL);
}

int
main(int argc, char **argv)
{
	int i, n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
	pthread_t id;

	nvtxNameCategoryA(7, "seven");
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the first thread");
	domains();
	texts();
	for (i = 1; i <= 6; i++)
		payload(i);
	nvtxMarkA("a mark");
	nvtxRangePop(); /* without a push */
	crossing = nvtxRangeStartA("crosses threads");
	if (pthread_create(&id, NULL, other_thread, NULL) == 0)
		pthread_join(id, NULL);
	for (i = 0; i < n; i++) {
		nvtxRangePushA("loop");
		nvtxRangePop();
	}
	nvtxRangePushA("never popped");
	if (argc > 1)
		end_by(argv[1]);
	puts("the program's output");
	return 6;
}
