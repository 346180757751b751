/* Names of functions that wait; see waitkind.h. */
#include "waitkind.h"

#include <string.h>

/* The first whose text is in the name, or is the name (whole). */
static const struct {
	const char *text;
	bool whole;
	const char *kind;
} table[] = {
	{ "nanosleep", false, "sleep" },
	{ "sleep", false, "sleep" },
	{ "mutex", false, "lock" },
	{ "rwlock", false, "lock" },
	{ "spin", false, "lock" },
	{ "flock", true, "lock" },
	{ "cond_wait", false, "wait" },
	{ "cond_timedwait", false, "wait" },
	{ "cond_clockwait", false, "wait" },
	{ "sem_wait", false, "wait" },
	{ "sem_timedwait", false, "wait" },
	{ "sem_clockwait", false, "wait" },
	{ "barrier_wait", false, "wait" },
	{ "pthread_join", false, "wait" },
	{ "epoll_", false, "wait" },
	{ "poll", false, "wait" },
	{ "select", false, "wait" },
	{ "futex", false, "wait" },
	{ "waitpid", true, "wait" },
	{ "waitid", true, "wait" },
	{ "wait", true, "wait" },
	{ "wait3", true, "wait" },
	{ "wait4", true, "wait" },
	{ "sigwait", false, "wait" },
	{ "recv", false, "wait" },
	{ "accept", false, "wait" },
	{ "connect", true, "wait" },
	{ "read", true, "io" },
	{ "write", true, "io" },
	{ "fread", false, "io" },
	{ "fwrite", false, "io" },
	{ "pread", false, "io" },
	{ "pwrite", false, "io" },
	{ "readv", false, "io" },
	{ "writev", false, "io" },
	{ "open", false, "io" },
	{ "close", false, "io" },
	{ "fgets", false, "io" },
	{ "fputs", false, "io" },
	{ "getline", false, "io" },
	{ "fflush", true, "io" },
	{ "sync", false, "io" },
	{ "send", false, "io" },
	{ "stat", false, "io" },
	{ "seek", false, "io" },
};

static bool
has(const char *s, size_t n, const char *text)
{
	size_t i, k = strlen(text);

	for (i = 0; i + k <= n; i++)
		if (memcmp(s + i, text, k) == 0)
			return true;
	return false;
}

const char *
waitkind_of_os(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if ((!table[i].whole || strlen(table[i].text) == n) &&
		    has(s, n, table[i].text))
			return table[i].kind;
	return "other";
}

bool
waitkind_is_sync(const char *s, size_t n)
{
	if (has(s, n, "Synchronize"))
		return true;
	return (has(s, n, "cudaMemcpy") || has(s, n, "cuMemcpy")) &&
	       !has(s, n, "Async");
}
