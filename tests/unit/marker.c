/* needs: cmd/dlp-correlate/marker.o cmd/dlp-correlate/mk_pytorch.o cmd/dlp-correlate/mk_aten.o cmd/dlp-correlate/mk_dict.o cmd/dlp-correlate/mk_args.o cmd/dlp-correlate/mk_tensorflow.o cmd/dlp-correlate/mk_tensorrt.o cmd/dlp-correlate/mk_xla.o cmd/dlp-correlate/mk_common.o */
/* The classifier of NVTX texts: cases from real profiles, in
 * tests/data/markers.tab, and hostile ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "../../cmd/dlp-correlate/marker.h"

static int failed;
static struct markers *markers;

static void
put_view(struct buf *b, const char *name, struct mview v)
{
	if (v.s != NULL)
		buf_printf(b, " %s=", name);
	if (v.s != NULL)
		buf_put(b, v.s, v.n);
}

static void
put_num(struct buf *b, const char *name, int64_t v)
{
	if (v >= 0)
		buf_printf(b, " %s=%lld", name, (long long)v);
}

static void
put_flags(struct buf *b, unsigned flags)
{
	static const char *const words[] = { "damaged", "step", "group" };
	int i;

	for (i = 0; i < 3; i++)
		if (flags & 1u << i)
			buf_printf(b, " %s", words[i]);
}

static void
put_args(struct buf *b, const struct marker *m)
{
	const struct marker_args *a = marker_args(m);

	if (a == NULL)
		return;
	put_view(b, "shapes", a->shapes);
	put_view(b, "dtype", a->dtype);
	put_view(b, "scalars", a->scalars);
}

static void
put_config(struct buf *b, const struct marker *m)
{
	struct mview key, value;
	size_t at = 0;

	while (marker_config(m, &at, &key, &value)) {
		buf_printf(b, " %.*s:", (int)key.n, key.s);
		buf_put(b, value.s, value.n);
	}
}

static void
put_trace(struct buf *b, const struct marker *m)
{
	struct buf stack = { 0 }, func = { 0 };

	if (marker_trace(m, &stack, &func)) {
		buf_printf(b, " stack=%s", buf_str(&stack));
		buf_printf(b, " func=%s", buf_str(&func));
	}
	buf_free(&stack);
	buf_free(&func);
}

static void
put_inputs(struct buf *b, const struct marker *m)
{
	int64_t id, out;
	size_t at = 0;

	while (marker_input(m, &at, &id, &out))
		buf_printf(b, " (%lld,%lld)", (long long)id, (long long)out);
}

static const char *
kind_word(enum marker_kind kind)
{
	static const char *const words[MK_NKINDS] = {
		[MK_USER] = "user",
		[MK_LAYER] = "layer",
		[MK_OP] = "op",
		[MK_BWD_FRAME] = "frame",
		[MK_BWD] = "bwd",
		[MK_ARGS] = "args",
		[MK_TRACE] = "trace",
		[MK_REPR] = "repr",
		[MK_CONFIG] = "config",
		[MK_BROKEN] = "broken",
	};

	return words[kind];
}

/* All that the parsers say of a text, in one line. */
static const char *
show(const char *text, size_t n, const char *domain)
{
	static struct buf b;
	struct mview v;
	struct marker m;

	buf_clear(&b);
	marker_parse(markers, &m, text, n, domain);
	buf_printf(&b, "%s %s", kind_word(m.kind), marker_by_words[m.by]);
	put_flags(&b, m.flags);
	put_view(&b, "name", m.name);
	put_view(&b, "op", m.op);
	put_view(&b, "mod", m.mod);
	put_view(&b, "path", m.path);
	put_num(&b, "seq", m.seq);
	put_num(&b, "id", m.op_id);
	if (marker_sizes(&m, &v))
		put_view(&b, "sizes", v);
	put_inputs(&b, &m);
	put_args(&b, &m);
	put_trace(&b, &m);
	put_config(&b, &m);
	return buf_str(&b);
}

static void
check(const char *text, size_t n, const char *domain, const char *want)
{
	char *copy = malloc(n + 1); /* the exact size, for the sanitizer */
	const char *got;

	memcpy(copy, text, n);
	got = show(copy, n, domain);
	if (strcmp(got, want) != 0) {
		printf("text %.200s\nwant %s\ngot  %.400s\n", text, want, got);
		failed++;
	}
	free(copy);
}

/* What is nested too deep is damaged, and costs no more than its length. */
static void
check_deep(const char *head, char open, size_t n, const char *kind)
{
	struct buf b = { 0 };
	struct marker m;
	size_t i;

	buf_puts(&b, head);
	for (i = 0; i < n; i++)
		buf_putc(&b, open);
	marker_parse(markers, &m, b.s, b.len, NULL);
	if (strcmp(kind_word(m.kind), kind) != 0) {
		printf("%zu times %c behind %s: %s, not %s\n", n, open, head,
		    kind_word(m.kind), kind);
		failed++;
	}
	if (marker_args(&m) != NULL) {
		printf("arguments out of %zu times %c\n", n, open);
		failed++;
	}
	buf_free(&b);
}

/* Every prefix of every case can come out of a recorder. */
static void
check_cut(const char *text, const char *domain)
{
	size_t n = strlen(text), k;
	char *copy;

	for (k = 0; k < n; k++) {
		copy = malloc(k + 1);
		memcpy(copy, text, k);
		show(copy, k, domain);
		free(copy);
	}
}

int
main(void)
{
	FILE *f = fopen("tests/data/markers.tab", "r");
	char line[2000], *text, *want;
	int n = 0;

	markers = markers_new();
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || (text = strchr(line, '\t')) == NULL ||
		    (want = strchr(text + 1, '\t')) == NULL)
			continue;
		*text++ = *want++ = '\0';
		check(text, strlen(text), line, want);
		check_cut(text, line);
		n++;
	}
	if (f == NULL || n < 100 || fclose(f) != 0) {
		printf("%d cases in tests/data/markers.tab\n", n);
		failed++;
	}
	check_deep(
	    "{'mod': 'torch', 'op': 'add', 'args': ", '[', 100000, "args");
	check_deep(
	    "{'mod': 'torch', 'op': 'add', 'args': ", '(', 100000, "args");
	check_deep("{'traceMarker': ", '[', 100000, "trace");
	check_deep("{\"model_config\": ", '{', 100000, "broken");
	check_deep("{\"op\":", '[', 100000, "broken");
	check_deep("aten::add, sizes = ", '[', 100000, "op");
	check_deep("", '{', 100000, "user");
	return failed > 0;
}
