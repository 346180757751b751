/*
 * dlp-tc: which kernels use Tensor Cores. It reads kernel names, one a line,
 * and writes a line for each: the name as it came, yes, no or unknown, and the
 * rule that decided. The rules are those of dlp-flops, tc.rules.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "demangle.h"
#include "err.h"
#include "map.h"
#include "namerule.h"
#include "out.h"

#define KEEP (1 << 16) /* names whose rule is remembered */

struct tc_names {
	struct namerules rules;
	struct smap seen; /* name -> its rule's number + 1; 0: none */
	struct buf name, full, lower; /* scratch */
};

/* The rule for a name, NULL if none decides. A profiler's table has the name as
 * the compiler made it, or the readable one: _ZN2at6native... is
 * at::native::... Names repeat, so the newest are remembered. The rules live as
 * long as t; nobody keeps a name of the map. */
static const struct namerule *
rule_of_name(struct tc_names *t, const char *s, size_t n)
{
	const struct namerule *u;
	uint32_t id;
	bool fresh;

	if (t->seen.n >= KEEP)
		smap_clear(&t->seen);
	id = smap_put(&t->seen, s, n, &fresh);
	if (fresh) {
		buf_clear(&t->name);
		buf_clear(&t->full);
		buf_clear(&t->lower);
		buf_put(&t->name, s, n);
		demangle(buf_str(&t->name), &t->full);
		name_lower(&t->lower, t->full.s, t->full.len);
		u = namerules_find(&t->rules, t->lower.s, t->lower.len);
		t->seen.val[id] =
		    u == NULL ? 0 : (uint64_t)(u - t->rules.v) + 1;
	}
	if (t->seen.val[id] == 0)
		return NULL;
	return &t->rules.v[t->seen.val[id] - 1];
}

/* A verdict for each line of the file; path NULL or "-": standard input.
 * Errors are fatal. */
static void
judge_names(struct tc_names *t, const char *path)
{
	bool given = path != NULL && strcmp(path, "-") != 0;
	FILE *f = given ? fopen(path, "r") : stdin;
	const char *file = given ? path : "standard input";
	const struct namerule *u;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (f == NULL)
		die_errno("%s", path);
	while ((errno = 0, n = getline(&line, &cap, f)) != -1) {
		if (n > 0 && line[n - 1] == '\n')
			n--;
		if (memchr(line, '\0', (size_t)n) != NULL)
			die("%s: NUL byte: these are not names", file);
		if (n > 0 && line[n - 1] == '\r') /* lines end in CR LF */
			n--;
		u = n > 0 ? rule_of_name(t, line, (size_t)n) : NULL;
		buf_put(&out_buf, line, (size_t)n);
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, ynu_name(judge_verdict(u)));
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, u == NULL ? "-" : u->word[JUDGE_ID]);
		out_end();
	}
	if (ferror(f) || errno != 0)
		die_errno("%s", file);
	free(line);
	if (given)
		fclose(f);
}

int
main(int argc, char **argv)
{
	static const char *file;
	static const struct cli_opt opts[] = {
		{ 0, "tc-rules", .arg = &file },
		{ 0 },
	};
	struct tc_names t = { 0 };
	const char *path;
	bool unbuffered;

	cli_init("dlp-tc");
	unbuffered = cli_options(argc, argv, opts);
	path = cli_operand(argc, argv);
	judge_open(&t.rules, file, "tc.rules");
	out_open(unbuffered);
	judge_names(&t, path);
	namerules_free(&t.rules);
	smap_free(&t.seen);
	buf_free(&t.name);
	buf_free(&t.full);
	buf_free(&t.lower);
	return out_finish(EXIT_SUCCESS);
}
