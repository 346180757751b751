/* needs: */
/*
 * A command that writes a type or a column that the registry does not have,
 * or a record with another number of fields than its legend, ends at once and
 * says what is wrong: its stream could not be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "err.h"
#include "stage.h"

#define INPUT "##dlp\t1\n#kern\tid\tdur_ns\nkern\t1\t5\nkern\t2\t6\n##end\t2\n"

static struct out_ext *ext;
static int n_added;

static void
add_legend(struct stage *st, struct rec *r)
{
	(void)st;
	out_ext_legend(ext, r);
}

static void
add_fields(struct stage *st, struct rec *r)
{
	int i;

	(void)st;
	out_ext_begin(ext, r);
	for (i = 0; i < n_added; i++)
		out_i64(i);
	out_ext_end(ext, r);
}

/* A filter that adds two columns to kernels, and n fields. */
static void
add_columns(const char *const *names, int n)
{
	char *argv[] = { (char *)"test", NULL };
	struct stage st = { 0 };

	n_added = n;
	stage_open(&st, 1, argv, NULL, false);
	ext = out_ext(names, 2);
	stage_on(&st, "kern", add_fields, .legend = add_legend);
	_exit(out_finish(stage_run(&st)));
}

/* A command that writes a record with n fields. */
static void
write_record(const char *tag, const char *const *names, int n)
{
	struct out_type *t = out_type(tag, names, 2);

	out_rec(t);
	while (n-- > 0)
		out_i64(n);
	out_end();
	_exit(out_finish(0));
}

static const char *const good[] = { "op_id", "dir" };
static const char *const bad[] = { "op_id", "nonesuch" };
static const char *const gap[] = { "start_ns", "dur_ns" };

static const struct {
	bool adds; /* columns to kernels; otherwise it writes records of tag */
	const char *tag;
	const char *const *names;
	int n;
	const char *says; /* NULL: it succeeds */
} cases[] = {
	{ true, "kern", good, 2, NULL },
	{ true, "kern", bad, 2, "column 'nonesuch' of kern records" },
	{ true, "kern", good, 1,
	    "1 fields were added to a kern record, not 2" },
	{ true, "kern", good, 3,
	    "3 fields were added to a kern record, not 2" },
	{ false, "gap", gap, 2, NULL },
	{ false, "gap", bad, 2, "column 'op_id' of gap records" },
	{ false, "nonesuch", gap, 2, "record type 'nonesuch'" },
	{ false, "gap", gap, 3, "a record has 3 fields, its legend 2" },
};

/* Runs a case in a process of its own; its messages go to the file err. */
static int
run_case(size_t i, const char *in, const char *err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (freopen(in, "r", stdin) == NULL ||
		    freopen("/dev/null", "w", stdout) == NULL ||
		    freopen(err, "w", stderr) == NULL)
			_exit(99);
		err_prog("test");
		if (cases[i].adds)
			add_columns(cases[i].names, cases[i].n);
		write_record(cases[i].tag, cases[i].names, cases[i].n);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return 99;
	return WEXITSTATUS(status);
}

int
main(void)
{
	char in[] = "/tmp/dlp-unit.XXXXXX", err[] = "/tmp/dlp-unit.XXXXXX";
	char said[400];
	int failed = 0, status, fd = mkstemp(in), fd2 = mkstemp(err);
	size_t i, n;
	FILE *f;

	if (fd < 0 || fd2 < 0 ||
	    write(fd, INPUT, sizeof(INPUT) - 1) != sizeof(INPUT) - 1)
		return 1;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		status = run_case(i, in, err);
		f = fopen(err, "r");
		n = f != NULL ? fread(said, 1, sizeof(said) - 1, f) : 0;
		said[n] = '\0';
		if (f != NULL)
			fclose(f);
		if (status == (cases[i].says == NULL ? 0 : 2) &&
		    (cases[i].says == NULL ||
			strstr(said, cases[i].says) != NULL))
			continue;
		printf("case %zu: exit status %d, %s\n", i, status, said);
		failed++;
	}
	unlink(in);
	unlink(err);
	return failed > 0;
}
