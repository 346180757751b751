/* See loose.h. */
#include "loose.h"

#include <stdlib.h>

#include "err.h"
#include "esc.h"
#include "json_text.h"
#include "out.h"

#define TEXT_MAX (16 << 20)

static struct loose *v;
static size_t nv, cap;
static struct buf texts;
static uint64_t dropped;

void
loose_add(const struct loose *l, const char *text, size_t n)
{
	if (texts.len + n > TEXT_MAX) {
		dropped++;
		return;
	}
	if (nv == cap) {
		cap = cap == 0 ? 64 : cap * 2;
		v = xrealloc(v, cap, sizeof(*v));
	}
	v[nv] = *l;
	v[nv].at = texts.len;
	esc_undo(&texts, text, n);
	v[nv].n = texts.len - v[nv].at;
	nv++;
}

static void
put_one(struct buf *json, const struct loose *l)
{
	const int64_t nums[] = { l->pid, l->tid, l->start, l->end };
	size_t i;

	if (json->len > 1)
		buf_putc(json, ',');
	for (i = 0; i < 4; i++) {
		buf_i64(json, nums[i]);
		buf_putc(json, ',');
	}
	json_quote(
	    json, l->n > 0 ? texts.s + l->at : "", l->n, TEXT_JSON_BYTES);
}

void
loose_put(const struct open_thread *t, int64_t start, int64_t end)
{
	static struct buf json;
	size_t i;

	buf_clear(&json);
	buf_putc(&json, '[');
	for (i = 0; i < nv; i++)
		if (v[i].thread != t || v[i].start >= start || v[i].end <= end)
			put_one(&json, &v[i]);
	buf_putc(&json, ']');
	out_text(json.s, json.len);
	nv = 0;
	buf_clear(&texts);
}

uint64_t
loose_dropped(void)
{
	return dropped;
}

void
loose_forget(void)
{
	free(v);
	v = NULL;
	nv = cap = dropped = 0;
	buf_free(&texts);
}
