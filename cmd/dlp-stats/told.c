/* What is told of the file; see told.h. */
#include <string.h>

#include "mview.h"
#include "num.h"
#include "told.h"

static bool no_nvtx, fewer_ranges, has_end[TOLD_ENDS];
static int64_t ends[TOLD_ENDS];

void
told_section(void)
{
	no_nvtx = fewer_ranges = false;
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

/* Options of dlp-correlate that pass all ranges. */
static bool
passes_ranges(const char *s, size_t n)
{
	const char *e = s + n, *word;

	for (; s < e; s = word) {
		word = memchr(s + 1, ' ', (size_t)(e - s - 1));
		if (word == NULL)
			word = e;
		if (text_is(s, (size_t)(word - s), " --ranges"))
			return true;
		if (word - s > 2 && s[1] == '-' && s[2] != '-' &&
		    memchr(s, 'r', (size_t)(word - s)) != NULL)
			return true;
	}
	return false;
}

void
told_meta(struct stage *st, struct rec *r)
{
	static const char *const heads[TOLD_ENDS] = { "##info\tnvtx_end_ns\t",
		"##info\trange_end_ns\t", "##info\tpush_end_ns\t" };
	static const char none[] = "##info\tnvtx\tnone";
	static const char cmd[] = "##cmd\tdlp-correlate";
	enum told_of of;
	size_t n = sizeof(cmd) - 1;

	(void)st;
	if (text_starts(r->line, r->len, cmd))
		fewer_ranges |= !passes_ranges(r->line + n, r->len - n);
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
told_fewer_ranges(void)
{
	return fewer_ranges;
}

bool
told_end(enum told_of of, int64_t *end)
{
	*end = ends[of];
	return has_end[of];
}
