/* The trace of API calls: a row each, or one for each name of the thread. */
#include <stdlib.h>

#include "err.h"
#include "labels.h"
#include "map.h"
#include "reports.h"
#include "row.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

static struct buf row;

static struct thread_name { /* of the section */
	int64_t pid, tid;
	char *label; /* priority and name, as values of a row */
	size_t len;
	size_t next; /* of the thread, by number + 1; 0: none */
} * names;
static size_t nnames, cap;
static struct map first; /* mixed pid and tid -> number + 1 */

/* Threads that have the same key are in one list. */
static uint64_t
key(int64_t pid, int64_t tid)
{
	return hash_mix((uint64_t)pid) ^ (uint64_t)tid;
}

void
calls_section(void)
{
	while (nnames > 0)
		free(names[--nnames].label);
	map_clear(&first);
}

void
calls_thread(
    int64_t pid, int64_t tid, const struct text *prio, const struct text *name)
{
	uint64_t *k = map_put(&first, key(pid, tid), NULL);
	struct thread_name *x;
	struct buf b = { 0 };
	size_t i;

	if (nnames == cap) {
		cap = cap != 0 ? cap * 2 : 64;
		names = xrealloc(names, cap, sizeof(*names));
	}
	row_opt(&b, prio);
	row_opt(&b, name);
	x = &names[nnames++];
	x->pid = pid;
	x->tid = tid;
	x->label = b.s;
	x->len = b.len;
	x->next = 0;
	if (*k == 0) {
		*k = nnames;
		return;
	}
	for (i = *k - 1; names[i].next != 0; i = names[i].next - 1)
		;
	names[i].next = nnames;
}

static void
put_row(struct report *r, const struct call *c, const char *label, size_t n)
{
	row_i64(&row, c->start);
	row_i64(&row, c->dur);
	row_text(&row, c->name.s, api_len(&c->name));
	row_opt(&row, &c->ret);
	row_opt(&row, &c->corr);
	row_i64(&row, c->pid);
	row_i64(&row, c->tid);
	buf_put(&row, label, n);
	order_add(r->rows, c->start, c->idx, &row);
}

static void
api_trace(struct report *r, const struct call *c)
{
	const uint64_t *k = map_get(&first, key(c->pid, c->tid));
	bool any = false;
	size_t i;

	for (i = k != NULL ? *k : 0; i != 0; i = names[i - 1].next)
		if (names[i - 1].tid == c->tid && names[i - 1].pid == c->pid) {
			put_row(r, c, names[i - 1].label, names[i - 1].len);
			any = true;
		}
	if (!any)
		put_row(r, c, "\t\t", 2);
}

static const char *const cols[] = { "#Start (ns)", "#Duration (ns)", "Name",
	"#Result", "#CorrID", "#Pid", "#Tid", "#T-Pri", "Thread Name" };

const struct report_def rep_api_trace = {
	{ "cuda_api_trace", "CUDA API Trace", COLS(cols) }, "cudaapitrace",
	.types = "call,kern,copy,set,sync,graph,thread", .on_api = api_trace
};
