/* needs: */
/* Columns that are requested: which field each is, what an absent one is, and
 * that a needed one must be there. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cols.h"
#include "rec.h"

static char path[] = "/tmp/rec_cols.XXXXXX";

static struct rec_reader *
open_bound(enum rec_need src)
{
	struct rec_reader *rd = rec_open(path);
	struct rec_type *kern = rec_type(rd, "kern");

	rec_want(kern, REC_NEED, "start_ns dur_ns");
	rec_want(kern, REC_OPT, "dev mine");
	rec_want(kern, src, "src");
	return rd;
}

/* The next record of type kern, behind its legend. */
static void
next(struct rec_reader *rd, struct rec *r)
{
	do
		assert(rec_next(rd, r));
	while (r->kind != REC_DATA);
}

/* The columns stand in another order than they were asked for, and move
 * with the second legend. */
static void
values(void)
{
	struct rec_reader *rd = open_bound(REC_OPT);
	struct rec r;

	next(rd, &r);
	assert(rec_num_or(&r, COL_start_ns, -7) == 100);
	assert(rec_num_or(&r, COL_dur_ns, -7) == 25);
	assert(rec_num_or(&r, COL_dev, -7) == -7); /* unset */
	assert(rec_num_or(&r, COL_src, -7) == -7); /* no such column */
	assert(rec_get(&r, COL_dur_ns).n == 2);
	assert(rec_get(&r, COL_grid).s == NULL); /* not requested */
	assert(mv_eq(rec_get_raw(&r, COL_dev), "-"));
	assert(mv_eq(rec_get(&r, col_id("mine")), "x"));
	next(rd, &r);
	assert(rec_num_or(&r, COL_start_ns, -7) == 200);
	assert(rec_num_or(&r, COL_dur_ns, -7) == 50);
	assert(rec_num_or(&r, COL_dev, -7) == 3);
	assert(mv_eq(rec_get(&r, COL_src), "a"));
	assert(!rec_next(rd, &r));
	rec_close(rd);
}

/* Of a needed column that is absent the message says the name; exit 2. */
static void
needed(void)
{
	char text[256] = "";
	int fd[2], status;
	struct rec r;
	pid_t pid;

	assert(pipe(fd) == 0);
	fflush(NULL);
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		next(open_bound(REC_NEED), &r);
		_exit(0);
	}
	close(fd[1]);
	assert(read(fd[0], text, sizeof(text) - 1) > 0);
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 2);
	assert(strstr(text, "kern records have no column 'src'") != NULL);
	close(fd[0]);
}

int
main(void)
{
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	assert(fd >= 0 && f != NULL);
	fputs("#kern\tdev\tdur_ns\tstart_ns\tmine\tgrid\n"
	      "kern\t-\t25\t100\tx\t1,1,1\n"
	      "#kern\tsrc\tstart_ns\tdev\tdur_ns\n"
	      "kern\ta\t200\t3\t50\n",
	    f);
	assert(fclose(f) == 0);
	values();
	needed();
	assert(unlink(path) == 0);
	return 0;
}
