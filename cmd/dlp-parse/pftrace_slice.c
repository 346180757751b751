/*
 * Slices of a trace of Perfetto: each begins and ends in a packet of its own.
 * A program that writes as it runs ends the innermost slice of a track first.
 * PyTorch writes all begins, then all ends in the same order, so that the first
 * slice ends first; then the times of a track go back. Both ways are followed
 * until the file ends. Then slices are loaded, in the order of their begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "pftrace.h"
#include "spill.h"

static void
record(struct pftrace *p, enum pf_what what, uint32_t track, int64_t ts,
    uint64_t clock)
{
	struct pf_slice s = { .start = ts,
		.track = track,
		.n = what == PF_END ? 0 : (uint32_t)p->fields.len,
		.what = (unsigned char)what,
		.clock = (unsigned char)clock };

	tape_put(&p->tape, (const char *)&s, sizeof(s));
	tape_put(&p->tape, p->fields.s, s.n);
}

static uint32_t
new_end(struct pftrace *p, int64_t end)
{
	size_t was = p->end_cap;

	if (p->nend == was) {
		if (was >= UINT32_MAX / 2)
			die("%s: more than 2^31 slices", p->name);
		p->end_cap = was > 0 ? 2 * was : 1024;
		p->end =
		    spill_realloc(p->end, was, p->end_cap, sizeof(*p->end));
	}
	p->end[p->nend] = (struct pf_end){ end, end, PF_NONE, PF_NONE };
	return (uint32_t)p->nend++;
}

static void
push(struct pftrace *p, struct pf_track *t, uint32_t no)
{
	p->end[no].below = t->top;
	t->top = no;
}

static bool
pop(struct pftrace *p, struct pf_track *t, int64_t ts)
{
	if (t->top == PF_NONE)
		return false;
	p->end[t->top].stack = ts;
	t->top = p->end[t->top].below;
	return true;
}

void
pftrace_take(struct pftrace *p, const struct pf_seq *q, enum pf_what what,
    uint64_t track, int64_t ts, int64_t dur, uint64_t clock)
{
	uint32_t at, no, id;
	struct pf_lane *lane;
	bool is_new;
	struct pf_track *t;

	spill_tick();
	if (what == PF_STAGE) {
		record(p, what, 0, ts, clock);
		new_end(p, num_add(ts, dur));
		return;
	}
	at = pftrace_track(p, track);
	id = smap_put_pair(&p->lanes, q - p->seq, at, &is_new);
	t = &p->track[at];
	if (is_new) {
		p->lanes.val[id] = p->nlane;
		ARRAY_GROW(p->lane, p->nlane, p->lane_cap);
		p->lane[p->nlane++] =
		    (struct pf_lane){ .head = PF_NONE, .last = INT64_MIN };
		t->several |= t->seq != PF_NONE;
		t->seq = (uint32_t)(q - p->seq);
	}
	lane = &p->lane[p->lanes.val[id]];
	p->columns |= ts < lane->last;
	lane->last = ts;
	if (what == PF_BEGIN) {
		record(p, what, at, ts, clock);
		no = new_end(p, EV_UNSET);
		push(p, &p->track[at], no);
		if (lane->head == PF_NONE)
			lane->head = no;
		else
			p->end[lane->tail].next = no;
		lane->tail = no;
		return;
	}
	if (!p->columns) /* for sort_several() */
		record(p, what, at, ts, clock);
	p->no_begin[1] += !pop(p, &p->track[at], ts);
	if (lane->head == PF_NONE) {
		p->no_begin[0]++;
		return;
	}
	p->end[lane->head].fifo = ts;
	lane->head = p->end[lane->head].next;
}

/* The next slice of the tape, and its fields; false at the end. */
static bool
next_slice(struct pftrace *p, struct pf_slice *s, const char **fields)
{
	size_t n;
	const char *t = tape_at(&p->tape, sizeof(*s), &n);

	if (n < sizeof(*s))
		return false;
	memcpy(s, t, sizeof(*s));
	tape_skip(&p->tape, sizeof(*s));
	*fields = tape_at(&p->tape, s->n, &n);
	tape_skip(&p->tape, s->n);
	return true;
}

/* Tracks that several sequences write: their packets are put in the order of
 * time, as that in the file is not known to be. */
struct place {
	int64_t start;
	uint32_t nth, track, no; /* no: PF_NONE for an end */
};

static int
by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return CMP2(x, y, start, nth);
}

static void
sort_several(struct pftrace *p)
{
	struct place *v = NULL;
	size_t n = 0, cap = 0, i;
	struct pf_slice s;
	const char *fields;
	uint32_t no = 0;

	tape_rewind(&p->tape);
	for (; next_slice(p, &s, &fields); no += s.what != PF_END) {
		if (s.what == PF_STAGE || !p->track[s.track].several)
			continue;
		ARRAY_GROW(v, n, cap);
		v[n] = (struct place){ s.start, (uint32_t)n, s.track,
			s.what == PF_END ? PF_NONE : no };
		n++;
		p->track[s.track].top = PF_NONE;
		if (s.what == PF_BEGIN)
			p->end[no].stack = EV_UNSET;
	}
	if (n > 0)
		qsort(v, n, sizeof(*v), by_time);
	for (i = 0; i < n; i++)
		if (v[i].no != PF_NONE)
			push(p, &p->track[v[i].track], v[i].no);
		else
			(void)pop(p, &p->track[v[i].track], v[i].start);
	free(v);
}

/* A time on the clock of the trace: by the clocks as they last were at the same
 * time before it. False if nothing is known of both. */
static bool
trace_time(struct pftrace *p, unsigned clock, int64_t *ts)
{
	const struct pf_snapshot *s = p->snapshot, *best = NULL;
	size_t i;

	if (clock == 0 || clock == p->clock || p->nsnapshot == 0)
		return true;
	for (i = 0; i < p->nsnapshot; i++)
		if (s[i].at[clock] != EV_UNSET &&
		    s[i].at[p->clock] != EV_UNSET &&
		    (best == NULL || (s[i].at[clock] <= *ts &&
					 s[i].at[clock] > best->at[clock])))
			best = &s[i];
	if (best == NULL)
		return false;
	*ts = num_add(num_sub(*ts, best->at[clock]), best->at[p->clock]);
	return true;
}

static void
set_field(struct pftrace *p, int f, const char *text)
{
	p->l->ev.field[f] = mv(text, text + strlen(text));
}

/* Sets a number; to has room for it. */
static void
set_number(struct pftrace *p, int f, int64_t v, char *to)
{
	snprintf(to, 32, "%lld", (long long)v);
	set_field(p, f, to);
}

/* The process and thread of a track: its own, or those of one around it. */
static void
name_thread(struct pftrace *p, struct pf_track *own)
{
	const struct pf_track *t = own;
	int64_t pid = t->pid, tid = t->tid;
	uint64_t *up;
	int i;

	for (i = 0; i < 8 && pid == EV_UNSET && t->parent != 0; i++) {
		up = map_get(&p->tracks, t->parent);
		if (up == NULL)
			break;
		t = &p->track[*up - 1];
		pid = t->pid;
		tid = tid == EV_UNSET ? t->tid : tid;
	}
	if (pid != EV_UNSET)
		snprintf(own->pid_text, sizeof(own->pid_text), "%lld",
		    (long long)pid);
	if (tid != EV_UNSET)
		snprintf(own->tid_text, sizeof(own->tid_text), "%lld",
		    (long long)tid);
}

static void
set_thread(struct pftrace *p, uint32_t track)
{
	const struct pf_track *t = &p->track[track];
	struct mview *v = p->l->ev.field;

	if (t->pid_text[0] != '\0')
		set_field(p, KF_PID, t->pid_text);
	if (t->tid_text[0] != '\0')
		set_field(p, KF_TID, t->tid_text);
	else
		v[KF_TID] = v[KF_ARG_TID];
}

/* True for an op; ranges of the user's have neither sizes nor such names. */
static bool
is_op(const struct mview *v)
{
	struct mview name = v[KF_NAME];

	if (mv_starts(name, "nccl:") || mv_starts(name, "gloo:"))
		return false;
	return v[KF_DIMS].s != NULL || v[KF_TYPES].s != NULL ||
	       v[KF_CONCRETE].s != NULL || v[KF_SEQ].s != NULL ||
	       v[KF_FWD_THREAD].s != NULL || v[KF_BACKEND].s != NULL ||
	       mv_has(name, "::") || mv_has(name, "Backward") ||
	       mv_eq(name, "detach") || mv_eq(name, "record_param_comms");
}

/* The category of the slice at hand, as torch.profiler has it; NULL: none. */
static const char *
category_of(const struct pftrace *p)
{
	const struct mview *v = p->l->ev.field;

	if (v[KF_CBID].s != NULL)
		return "cuda_runtime";
	if (v[KF_SYNC_KIND].s != NULL)
		return "cuda_sync";
	if (v[KF_DEVICE].s != NULL && v[KF_STREAM].s != NULL &&
	    v[KF_CORR].s != NULL)
		return mv_starts(v[KF_NAME], "Memcpy")   ? "gpu_memcpy"
		       : mv_starts(v[KF_NAME], "Memset") ? "gpu_memset"
							 : "kernel";
	if (v[KF_PY_ID].s != NULL)
		return "python_function";
	if (mv_eq(v[KF_PID], "-1"))
		return "overhead";
	if (is_op(v))
		return "cpu_op";
	if (v[KF_EV_IDX].s != NULL)
		return "user_annotation";
	return v[KF_EXT].s != NULL ? "gpu_user_annotation" : NULL;
}

/* What rocprofv3 says otherwise: the kind of a copy in words, the grid as the
 * product of its sizes, the GPU as an agent. */
static void
set_rocm(struct pftrace *p, char (*to)[32])
{
	static const char *const kinds[][2] = {
		{ "MEMORY_COPY_HOST_TO_DEVICE", "HtoD" },
		{ "MEMORY_COPY_DEVICE_TO_HOST", "DtoH" },
		{ "MEMORY_COPY_DEVICE_TO_DEVICE", "DtoD" },
		{ "MEMORY_COPY_HOST_TO_HOST", "HtoH" },
	};
	struct mview *v = p->l->ev.field;
	int64_t grid, block, agent, n;
	size_t i;

	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (mv_eq(v[KF_NAME], kinds[i][0]))
			set_field(p, KF_COPY_KIND, kinds[i][1]);
	if (kineto_field_int(p->l, KF_GRID_ITEMS, &grid) &&
	    kineto_field_int(p->l, KF_BLOCK_ITEMS, &block) && block > 0) {
		snprintf(to[0], 32, "[%lld,1,1]", (long long)(grid / block));
		snprintf(to[1], 32, "[%lld,1,1]", (long long)block);
		set_field(p, KF_GRID, to[0]);
		set_field(p, KF_BLOCK, to[1]);
	}
	if (!kineto_field_int(p->l, KF_AGENT, &agent))
		return;
	for (i = 0, n = 0; i < (size_t)p->nagents; i++)
		n += p->agents[i] < agent;
	set_number(p, KF_DEVICE, n, to[2]);
}

static void
load_slice(
    struct pftrace *p, const struct pf_slice *s, const char *q, int64_t end)
{
	struct kineto_event *ev = &p->l->ev;
	struct mview *v = ev->field;
	const char *found, *e = q + s->n;
	char text[3][32];
	uint32_t n;
	int f;

	memset(v, 0, sizeof(ev->field));
	while (q < e) {
		f = *q++;
		memcpy(&n, q, sizeof(n));
		q += sizeof(n);
		v[f] = mv(q, q + n);
		q += n;
	}
	ev->start = s->start;
	ev->dur = EV_UNSET;
	if (!trace_time(p, s->clock, &ev->start) ||
	    (end != EV_UNSET && !trace_time(p, s->clock, &end))) {
		p->dropped++;
		return;
	}
	if (end != EV_UNSET)
		ev->dur = num_sub(end, ev->start);
	if (s->what == PF_BEGIN) {
		set_thread(p, s->track);
		if (v[KF_CAT].n == 0 && (found = category_of(p)) != NULL)
			set_field(p, KF_CAT, found);
	}
	if (v[KF_STREAM].s == NULL)
		v[KF_STREAM] = v[KF_QUEUE];
	if (v[KF_CORR].s == NULL) /* the stages that a call names */
		v[KF_CORR] = v[KF_EVENT];
	v[KF_EVENT].s = NULL;
	set_rocm(p, text);
	set_field(p, KF_PH, "X");
	kineto_rows_take(p->l);
}

static void
load_name(struct pftrace *p, const struct pf_track *t, bool thread)
{
	char text[2][32];

	memset(p->l->ev.field, 0, sizeof(p->l->ev.field));
	if (t->pid == EV_UNSET ||
	    (thread ? t->thread : t->process) == SMAP_NONE)
		return;
	set_number(p, KF_PID, t->pid, text[0]);
	if (thread)
		set_number(p, KF_TID, t->tid, text[1]);
	set_field(p, KF_PH, "M");
	set_field(p, KF_NAME, thread ? "thread_name" : "process_name");
	p->l->ev.field[KF_ARG_NAME] =
	    smap_view(&p->words, thread ? t->thread : t->process);
	kineto_rows_take(p->l);
}

void
pftrace_load_slices(struct pftrace *p)
{
	struct kineto *k = p->l->k;
	struct pf_slice s;
	const char *fields;
	size_t i, no = 0;

	if (p->clock == 0 || p->clock >= PF_CLOCKS)
		p->clock = 6; /* that of the machine since it was started */
	if (!p->columns)
		sort_several(p);
	for (i = 0; i < p->ntrack; i++) {
		name_thread(p, &p->track[i]);
		load_name(p, &p->track[i], false);
		load_name(p, &p->track[i], true);
	}
	p->l->ev.timed = true;
	tape_rewind(&p->tape);
	while (next_slice(p, &s, &fields)) {
		if (s.what == PF_END)
			continue;
		load_slice(p, &s, fields,
		    p->columns ? p->end[no].fifo : p->end[no].stack);
		no++;
	}
	k->damaged += p->damaged;
	k->dropped += p->dropped;
	k->no_begin += p->no_begin[p->columns ? 0 : 1];
	if (p->l->capture != EV_UNSET)
		return;
	for (i = 0; i < p->nsnapshot && k->base == EV_UNSET; i++)
		if (p->snapshot[i].at[1] != EV_UNSET &&
		    p->snapshot[i].at[p->clock] != EV_UNSET)
			k->base = num_sub(
			    p->snapshot[i].at[1], p->snapshot[i].at[p->clock]);
	if (p->shapes)
		buf_puts(&k->head[KH_SHAPES], "1");
}
