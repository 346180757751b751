/*
 * How DLProf adds up the time of devices (-D): from time 0 on, and of the
 * operating system only fread and fwrite are I/O. There is no time in no
 * iteration: the last one goes on to the end.
 */
#include "array.h"
#include "busy.h"
#include "mview.h"

static bool
is_dlprof_io(const char *s, size_t n)
{
	return text_is(s, n, "fread") || text_is(s, n, "fwrite");
}

static void
write_iterations(struct busy_times *b, struct busy_file *f, int64_t end)
{
	size_t i;

	if (f->steps.n == 0 && f->any)
		busy_put_iter(b, f, 0, end);
	for (i = 0; i < f->steps.n; i++)
		if (f->steps.v[i].where == STEPS_IN)
			busy_put_iter(b, f, i, end);
}

static const char *const dlprof_cols[] = { "iter", "dev", "class", "dur_ns",
	"union_ns", "src" };

const struct busy_mode busy_dlprof = {
	.is_io = is_dlprof_io,
	.write = write_iterations,
	.cols = dlprof_cols,
	.n_cols = ARRAY_LEN(dlprof_cols),
};
