/* The record of a copy; see job.h. */
#include "job.h"

#include "out.h"

void
job_put(const struct job *j, bool with_src)
{
	static const char *const names[] = { "id", "start_ns", "dur_ns", "gb_s",
		"union_ns", "exposed_ns", JOB_KEPT };
	static struct out_type *types[2];
	struct out_type **t = &types[with_src];
	int n = (int)(sizeof(names) / sizeof(names[0]));

	if (*t == NULL)
		*t = out_type("xfer", names, with_src ? n : n - 1);
	out_rec(*t);
	buf_put(&out_buf, j->head.s, j->head.len);
	out_i64(j->union_ns);
	out_i64(j->exposed_ns);
	buf_put(&out_buf, j->rest.s, j->rest.len);
	out_end();
}
