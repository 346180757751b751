/* Names in, verdicts out; see names.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "err.h"
#include "map.h"
#include "names.h"
#include "out.h"

#define KEEP (1 << 16) /* names whose rule is remembered */

static struct smap seen; /* name -> its rule's number + 1; 0: none */

/* What stands in a profiler's table is the name as the compiler made it, or
 * the readable one. */
static const struct namerule *
decide(const struct namerules *rules, const char *s, size_t n)
{
	static struct buf name, full, lower;

	buf_clear(&name);
	buf_clear(&full);
	buf_clear(&lower);
	buf_put(&name, s, n);
	demangle(buf_str(&name), &full);
	name_lower(&lower, full.s, full.len);
	return namerules_find(rules, lower.s, lower.len);
}

static const struct namerule *
recall(const struct namerules *rules, const char *s, size_t n)
{
	const struct namerule *u;
	uint32_t id;
	bool fresh;

	if (seen.n >= KEEP)
		smap_clear(&seen);
	id = smap_put(&seen, s, n, &fresh);
	if (fresh) {
		u = decide(rules, s, n);
		seen.val[id] = u == NULL ? 0 : (uint64_t)(u - rules->v) + 1;
	}
	return seen.val[id] == 0 ? NULL : &rules->v[seen.val[id] - 1];
}

static void
put_line(const struct namerules *rules, const char *s, size_t n)
{
	size_t name = n;
	const struct namerule *u;

	if (name > 0 && s[name - 1] == '\r') /* lines end in CR LF */
		name--;
	u = name == 0 ? NULL : recall(rules, s, name);
	buf_put(&out_buf, s, name);
	buf_putc(&out_buf, '\t');
	buf_puts(&out_buf, ynu_name(judge_verdict(u)));
	buf_putc(&out_buf, '\t');
	buf_puts(&out_buf, u == NULL ? "-" : u->word[JUDGE_ID]);
	out_end();
}

void
names_judge(const struct namerules *rules, const char *path)
{
	bool given = path != NULL && strcmp(path, "-") != 0;
	FILE *f = given ? fopen(path, "r") : stdin;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (f == NULL)
		die_errno("%s", path);
	while ((errno = 0, n = getline(&line, &cap, f)) != -1) {
		if (n > 0 && line[n - 1] == '\n')
			n--;
		if (memchr(line, '\0', (size_t)n) != NULL)
			die("%s: NUL byte: these are no names",
			    given ? path : "standard input");
		put_line(rules, line, (size_t)n);
	}
	if (ferror(f) || errno != 0)
		die_errno("%s", given ? path : "standard input");
	free(line);
	smap_free(&seen);
	if (given)
		fclose(f);
}
