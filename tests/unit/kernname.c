/* needs: cmd/dlp-parse/kernname.o */
/*
 * Demangling and short kernel names: those of tests/data/kernnames.tab, and
 * hostile ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/dlp-parse/kernname.h"
#include "buf.h"
#include "demangle.h"

static int failed, rows;

static void
check(const char *what, const char *in, const char *want, struct buf *got)
{
	if (strcmp(buf_str(got), want) != 0) {
		printf("%s %.200s:\n\twant %.200s\n\tgot  %.200s\n", what, in,
		    want, got->s);
		failed = 1;
	}
	buf_clear(got);
}

/* A name of 1 KB that would read as 2^60 letters: each parameter is a pair
 * of the one before. */
static void
bomb(struct buf *name)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char ref[8] = "S0_";
	int i;

	buf_puts(name, "_Z1f1AIiiE");
	for (i = 0; i < 60; i++) {
		if (i >= 36)
			snprintf(ref, sizeof(ref), "S%c%c_", digit[i / 36],
			    digit[i % 36]);
		else if (i > 0)
			snprintf(ref, sizeof(ref), "S%c_", digit[i]);
		buf_printf(name, "S_I%s%sE", ref, ref);
	}
}

/* Nesting as deep as a name may be long, and deeper. */
static void
deep(const char *prefix, const char *piece, size_t n, struct buf *out)
{
	struct buf name = { NULL, 0, 0 };

	buf_puts(&name, prefix);
	while (name.len < n)
		buf_puts(&name, piece);
	demangle(buf_str(&name), out);
	buf_clear(out);
	buf_clear(&name);
	buf_puts(&name, "void cutlass::Kernel2<");
	while (name.len < n)
		buf_puts(&name, piece);
	kernname_short(buf_str(&name), "Kernel2", out);
	buf_clear(out);
	buf_free(&name);
}

static void
hostile(void)
{
	static const char *const pieces[] = { "P", "I", "N", "PFv", "X", "L",
		"1AI", "Z1fE", "DT", "cv", "ad", "Dp", "<", "(", "a<",
		"Kernel2<", "cutlass::Kernel2<", ",", ">", "enable_<" };
	struct buf name = { NULL, 0, 0 }, out = { NULL, 0, 0 };
	size_t i;

	bomb(&name);
	demangle(buf_str(&name), &out);
	check("demangle", "bomb", buf_str(&name), &out);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		deep("_Z1f", pieces[i], 16000, &out);
		deep("_ZN", pieces[i], 16000, &out);
		deep("_Z1fIX", pieces[i], 200000, &out);
	}
	buf_free(&name);
	buf_free(&out);
}

static void
check_row(char *line)
{
	struct buf out = { NULL, 0, 0 };
	char *field[4];
	size_t i;

	line[strcspn(line, "\n")] = '\0';
	for (i = 0; i < 4 && line != NULL; i++) {
		field[i] = line;
		if ((line = strchr(line, '\t')) != NULL)
			*line++ = '\0';
	}
	if (i < 4) {
		printf("a row of %zu fields: %s\n", i, field[0]);
		failed = 1;
		return;
	}
	if (strcmp(field[0], "short") == 0)
		kernname_short(field[2],
		    strcmp(field[1], "-") == 0 ? NULL : field[1], &out);
	else if (strcmp(field[0], "new") == 0)
		demangle(field[2], &out);
	else
		demangle_old(field[2], &out);
	check(field[0], field[2], field[3], &out);
	buf_free(&out);
	rows++;
}

int
main(void)
{
	FILE *f = fopen("tests/data/kernnames.tab", "r");
	struct buf out = { NULL, 0, 0 };
	char line[2000];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (line[0] != '#')
			check_row(line);
	if (f == NULL || rows < 50 || fclose(f) != 0) {
		printf("%d rows in tests/data/kernnames.tab\n", rows);
		failed = 1;
	}
	demangle("_Z\xff\xfe", &out);
	check("new", "no UTF-8", "_Z\xff\xfe", &out);
	buf_free(&out);
	hostile();
	return failed;
}
