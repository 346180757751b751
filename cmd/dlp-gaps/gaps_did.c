/* What a thread does, by the name of the record; see gaps.h. */
#include "gaps.h"

#include <ctype.h>
#include <string.h>

#include "array.h"
#include "over.h"

static const struct {
	const char *word, *class;
} words[D_RANGE + 1] = {
	[D_DATA] = { "dataload", "dataloader" },
	[D_COMM] = { "comm", "comm-wait" },
	[D_OVER] = { "profiler", "profiler" },
	[D_ALLOC] = { "api", "allocation" },
	[D_LOAD] = { "api", "module-load" },
	[D_GRAPH] = { "api", "graph-update" },
	[D_SYNC] = { "api", "sync" },
	[D_OS] = { "os", "os-wait" },
	[D_API] = { "api", "launch-bound" },
	[D_OP] = { "op", "launch-bound" },
	[D_N] = { "nothing", "unknown" },
	[D_RANGE] = { "range", "host-only" },
};

const char *
did_word(enum did d)
{
	return words[d].word;
}

const char *
did_class(enum did d)
{
	return words[d].class;
}

static bool
text_has(const char *s, size_t n, const char *word)
{
	size_t i, k, len = strlen(word);

	for (i = 0; i + len <= n; i++) {
		for (k = 0; k < len; k++)
			if (tolower((unsigned char)s[i + k]) != word[k])
				break;
		if (k == len)
			return true;
	}
	return false;
}

/* Words in the names of calls, in lower case; the first that fits decides. */
static const struct {
	const char *word, *without;
	enum did did;
} calls[] = {
	{ "synchronize", NULL, D_SYNC },
	{ "cudamemcpy", "async", D_SYNC },
	{ "cumemcpy", "async", D_SYNC },
	{ "hipmemcpy", "async", D_SYNC },
	{ "malloc", "async", D_ALLOC },
	{ "cudafree", "async", D_ALLOC },
	{ "hipfree", "async", D_ALLOC },
	{ "hiphostfree", NULL, D_ALLOC },
	{ "hipextmalloc", NULL, D_ALLOC },
	{ "hostalloc", NULL, D_ALLOC },
	{ "freehost", NULL, D_ALLOC },
	{ "hostregister", NULL, D_ALLOC },
	{ "hostunregister", NULL, D_ALLOC },
	{ "cumemalloc", "async", D_ALLOC },
	{ "cumemfree", "async", D_ALLOC },
	{ "cumemcreate", NULL, D_ALLOC },
	{ "cumemmap", NULL, D_ALLOC },
	{ "cumemunmap", NULL, D_ALLOC },
	{ "cumemrelease", NULL, D_ALLOC },
	{ "cumemaddress", NULL, D_ALLOC },
	{ "cumemsetaccess", NULL, D_ALLOC },
	{ "libraryload", NULL, D_LOAD },
	{ "moduleload", NULL, D_LOAD },
	{ "modulegetfunction", NULL, D_LOAD },
	{ "librarygetkernel", NULL, D_LOAD },
	{ "graph", "graphlaunch", D_GRAPH },
	{ "streambegincapture", NULL, D_GRAPH },
	{ "streamendcapture", NULL, D_GRAPH },
};

enum did
did_api(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(calls); i++)
		if (text_has(s, n, calls[i].word) &&
		    (calls[i].without == NULL ||
			!text_has(s, n, calls[i].without)))
			return calls[i].did;
	return D_API;
}

/* Words anywhere in the texts of ranges and ops. */
static const struct {
	const char *word;
	enum did did;
} texts[] = {
	{ "dataload", D_DATA },
	{ "[dali]", D_DATA },
	{ "daligenericiterator", D_DATA },
	{ "iteratorgetnext", D_DATA },
	{ "next_batch", D_DATA },
	{ "get_batch", D_DATA },
	{ "nccl", D_COMM },
	{ "c10d::", D_COMM },
	{ "gloo:", D_COMM },
};

enum did
did_range(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(texts); i++)
		if (text_has(s, n, texts[i].word))
			return texts[i].did;
	return D_N;
}

enum did
did_over(const char *s, size_t n)
{
	static const enum did of[] = {
		[OVER_PROFILER] = D_OVER,
		[OVER_LOAD] = D_LOAD,
		[OVER_QUEUE] = D_SYNC,
		[OVER_UNKNOWN] = D_N,
	};

	return of[over_of(s, n)];
}
