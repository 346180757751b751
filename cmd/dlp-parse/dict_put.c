/* The records of a call's lines in a .dict; see dict_put.h. */
#include "dict_put.h"

#include <string.h>

#include "dict_call.h"
#include "emit.h"
#include "emit_gpu.h"
#include "mview.h"

#define SLOT (4 * DICT_PATH) /* ns around each kernel, for its ranges */

static void
put_range(struct dict_out *o, const struct dict_line *d, int level,
    int64_t start, int64_t end)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_RANGE;
	ev.start = start;
	ev.end = end;
	ev.pid = 0;
	ev.tid = d->tid;
	ev.name = ev.corr = EV_UNSET;
	ev.text = buf_str((struct buf *)&d->path[level]);
	ev.text_len = (uint32_t)d->path[level].len;
	ev.range.domain = "";
	ev.range.end_tid = EV_UNSET;
	ev.range.push = true;
	emit_event(&o->prof, &ev);
}

/* Nsight's full names, which write (int)4 for a number, are shortened as
 * Nsight does: without the namespaces. Those of nvprof are as dlp-parse
 * shortens them. */
static int64_t
short_name(struct dict_out *o, const struct dict_line *d)
{
	static const char unnamed[] = "<unnamed>::";
	struct mview v = { d->name.s, d->name.len };
	const char *s = v.s, *e = v.s + v.n, *p;

	if (mv_find(v, "(int)") == NULL && mv_find(v, "(bool)") == NULL &&
	    mv_find(v, unnamed) == NULL)
		return EV_UNSET;
	for (p = s; p < e && *p != '('; p++) {
		if (mv_starts(mv(p, e), unnamed))
			p += sizeof(unnamed) - 2; /* at its last colon */
		if (*p == '<')
			break;
		if (*p == ':' || *p == ' ')
			s = p + 1;
	}
	return (int64_t)smap_put(&o->names, s, (size_t)(p - s), NULL);
}

static void
put_kernel(struct dict_out *o, const struct dict_line *d, int64_t start)
{
	struct event ev, call;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_KERN;
	ev.start = start;
	ev.end = start + d->dur;
	ev.pid = 0;
	ev.tid = d->tid;
	ev.corr = ev.gpu.ctx = ev.gpu.node = EV_UNSET;
	ev.name = (int64_t)smap_put(&o->names, d->name.s, d->name.len, NULL);
	ev.gpu.dev = d->dev;
	ev.gpu.stream = d->stream;
	ev.gpu.kern.short_name = short_name(o, d);
	ev.gpu.kern.mangled = EV_UNSET;
	memcpy(ev.gpu.kern.grid, d->grid, sizeof(d->grid));
	memcpy(ev.gpu.kern.block, d->block, sizeof(d->block));
	ev.gpu.kern.regs = ev.gpu.kern.smem = ev.gpu.kern.dynsmem = EV_UNSET;
	ev.row = d->row;
	call = ev;
	call.kind = EV_CALL;
	call.name = call.end = EV_UNSET;
	emit_gpu(&o->prof, &ev, d->tid != EV_UNSET ? &call : NULL, true);
}

static int64_t
slot_after(int64_t start, const struct dict_line *d)
{
	return start + SLOT + d->dur;
}

/* Of each line of a call, how many ranges it has in common with the next. */
static int common[DICT_RUN];

/* The end of range `level` of line i: behind the last line that has it. */
static int64_t
range_end(const struct dict_line *v, int i, int level, int64_t start)
{
	for (; common[i] > level; i++)
		start = slot_after(start, &v[i]);
	return start + 3 * DICT_PATH - level;
}

void
dict_put(struct dict_out *o, const struct dict_line *v, int n)
{
	int i, k;

	for (i = 0; i < n; i++)
		common[i] = i + 1 < n ? dict_common(&v[i], &v[i + 1]) : 0;
	for (i = 0; i < n; i++) {
		for (k = i > 0 ? common[i - 1] : 0;
		     k < v[i].n && v[i].tid != EV_UNSET; k++)
			put_range(o, &v[i], k, o->now + k,
			    range_end(v, i, k, o->now));
		put_kernel(o, &v[i], o->now + DICT_PATH);
		o->now = slot_after(o->now, &v[i]);
	}
}
