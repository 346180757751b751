/*
 * Fuzzing of the marker parsers (make fuzz T=marker). The first byte chooses
 * the domain, the rest is the text.
 */
#include <stdlib.h>
#include <string.h>

#include "../../cmd/dlp-correlate/marker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
inside(const struct marker *m, struct mview v)
{
	volatile char c = 0;

	(void)m;
	if (v.s != NULL && v.n > 0)
		c = (char)(v.s[0] ^ v.s[v.n - 1]);
	(void)c;
}

static void
everything(const struct marker *m)
{
	struct buf stack = { 0 }, func = { 0 };
	const struct marker_args *a = marker_args(m);
	struct mview v, key;
	int64_t id, out;
	size_t at = 0;

	if (a != NULL) {
		inside(m, a->json);
		inside(m, a->shapes);
		inside(m, a->scalars);
	}
	if (marker_sizes(m, &v))
		inside(m, v);
	while (marker_input(m, &at, &id, &out))
		;
	for (at = 0; marker_config(m, &at, &key, &v);)
		inside(m, v);
	marker_trace(m, &stack, &func);
	if (marker_forward_of(m->name.s, m->name.n, &v))
		inside(m, v);
	buf_free(&stack);
	buf_free(&func);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const domains[] = { "", "tensorflow-core",
		"tensorflow-memalloc", "TensorRT", "myelin-exec", "TSL", "NCCL",
		"other" };
	static struct markers *markers;
	struct marker m;
	char *text;

	if (n == 0)
		return 0;
	if (markers == NULL)
		markers = markers_new();
	/* the exact size, for the sanitizer */
	text = malloc(n > 1 ? n - 1 : 1);
	memcpy(text, data + 1, n - 1);
	marker_parse(markers, &m, text, n - 1, domains[data[0] % 8]);
	inside(&m, m.name);
	inside(&m, m.op);
	inside(&m, m.mod);
	inside(&m, m.path);
	everything(&m);
	free(text);
	return 0;
}
