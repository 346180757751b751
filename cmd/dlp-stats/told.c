/* What is told of the file; see told.h. */
#include <string.h>

#include "num.h"
#include "told.h"

static bool no_nvtx, has_end[TOLD_ENDS];
static int64_t ends[TOLD_ENDS];

void
told_section(void)
{
	no_nvtx = false;
	memset(has_end, 0, sizeof(has_end));
}

/* Of several files the latest end. */
static void
add_end(enum told_of of, const char *s, size_t n)
{
	int64_t v;

	if (!num_i64(s, n, &v) || (has_end[of] && ends[of] >= v))
		return;
	has_end[of] = true;
	ends[of] = v;
}

void
told_meta(struct stage *st, struct rec *r)
{
	static const char *const heads[TOLD_ENDS] = { "##info\tnvtx_end_ns\t",
		"##info\trange_end_ns\t", "##info\tpush_end_ns\t" };
	static const char none[] = "##info\tnvtx\tnone";
	enum told_of of;
	size_t n;

	(void)st;
	no_nvtx |=
	    r->len == sizeof(none) - 1 && memcmp(r->line, none, r->len) == 0;
	for (of = 0; of < TOLD_ENDS; of++) {
		n = strlen(heads[of]);
		if (r->len > n && memcmp(r->line, heads[of], n) == 0)
			add_end(of, r->line + n, r->len - n);
	}
}

bool
told_nvtx(void)
{
	return !no_nvtx;
}

bool
told_end(enum told_of of, int64_t *end)
{
	*end = ends[of];
	return has_end[of];
}
