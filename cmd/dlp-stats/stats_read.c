/*
 * Turns records into events: the columns of each record type, the calls of GPU
 * work, and the facts about the file from ##info lines and other commands.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "stats.h"

/* The open ranges of the threads. */

struct gpu_range { /* an open range, with the facts known so far */
	struct stats_range r;
	struct buf name;
	bool twin; /* a range of the same name is around it on the thread */
	int64_t lo, hi, n_gpu, last_corr;
	int64_t n_child, id;
	int64_t level, parent; /* as in struct stats_proj */
	struct buf stack;      /* ids of the ranges around it, and its own */
	struct group_key key;
	struct map seen; /* parts of the table of ranges */
};

#define AROUND_MAX 256 /* work counts in each range around it */

struct stack_open { /* on a thread */
	struct openrange span;
	struct gpu_range *o;
};

struct stack_thread {
	int64_t pid, tid;
	struct openranges open;
	struct group_key key; /* for work in no range */
};

/* True if both have the same name and style. */
static bool
same_name(const struct gpu_range *a, const struct gpu_range *b)
{
	return a->r.push == b->r.push && a->name.len == b->name.len &&
	       (a->name.len == 0 ||
		   memcmp(a->name.s, b->name.s, a->name.len) == 0);
}

static struct gpu_range *
range_at(const struct stack_thread *th, size_t i)
{
	return ((struct stack_open *)openranges_at(&th->open, i))->o;
}

static struct stack_thread *
thread_of(struct range_stack *k, uint32_t file, int64_t pid, int64_t tid)
{
	struct thread_id id = { file, pid, tid };
	bool fresh;
	uint32_t i = smap_put(&k->nos, (char *)&id, sizeof(id), &fresh);

	if (!fresh)
		return &k->threads[i];
	k->threads = xrealloc(k->threads, k->nos.n, sizeof(*k->threads));
	k->threads[i] = (struct stack_thread){ .pid = pid, .tid = tid };
	openranges_init(&k->threads[i].open, sizeof(struct stack_open));
	return &k->threads[i];
}

static void
close_range(void *ctx, void *open)
{
	struct gpu_range *o = ((struct stack_open *)open)->o;
	const struct stats_range *r = &o->r;
	const int64_t v[GROUP_VALS] = { num_sub(o->hi, o->lo),
		num_sub(r->end, r->start), o->n_gpu,
		o->level >= 0 ? o->level : RANGES_NO_LEVEL, o->n_child };
	const struct stats_proj p = { .r = r,
		.lo = o->lo,
		.hi = o->hi,
		.n_gpu = o->n_gpu,
		.level = o->level,
		.n_child = o->n_child,
		.id = o->id,
		.parent = o->parent,
		.stack = { o->stack.s, o->stack.len } };
	struct stats *s = ctx;
	struct range_stack *k = &s->stack;
	int i;

	if (o->n_gpu > 0 && k->wants.proj)
		groups_add(s->ranges.table, &o->key, r->name, r->name_len,
		    r->push ? RANGES_PROJ : RANGES_START, v);
	for (i = 0; o->n_gpu > 0 && i < s->nreports; i++)
		if (s->report[i].def->on_proj != NULL)
			s->report[i].def->on_proj(&s->report[i], &p);
	if (o->seen.n > 0)
		map_clear(&o->seen);
	ARRAY_GROW(k->spare.v, k->spare.n, k->spare.cap);
	k->spare.v[k->spare.n++] = o;
}

/* Closes ranges that ended before t. */
static void
expire(struct stats *s, struct stack_thread *th, int64_t t)
{
	openranges_sweep(&th->open, stats_before(t), close_range, s);
}

static void
stack_range(struct stats *s, const struct stats_range *r)
{
	struct range_stack *k = &s->stack;
	struct stack_thread *th = thread_of(k, r->file, r->pid, r->tid);
	struct stack_open *place;
	struct gpu_range *o;
	size_t i;

	expire(s, th, r->start);
	if (th->open.n >= AROUND_MAX) {
		k->too_deep++;
		return;
	}
	o = k->spare.n > 0 ? k->spare.v[--k->spare.n] : xcalloc(1, sizeof(*o));
	buf_clear(&o->name);
	buf_put(&o->name, r->name, r->name_len);
	o->r = *r;
	o->r.name = o->name.s;
	o->id = r->idx > 0 ? r->idx : ++k->ids;
	o->twin = false;
	o->n_gpu = o->n_child = 0;
	o->last_corr = -1;
	o->key = (struct group_key){ 0 };
	for (i = 0; i < th->open.n; i++)
		o->twin |= same_name(range_at(th, i), o);
	place = openranges_push(&th->open, r->start, r->end);
	place->o = o;
}

static int64_t
len(const struct gpu_range *o)
{
	return num_sub(o->r.end, o->r.start);
}

/* The shortest range around the given one, the first if several are equal; NULL
 * if there is none. Ranges after it in v begin later, unless they have the same
 * times. */
static struct gpu_range *
parent_of(const struct stack_thread *th, const struct gpu_range *o)
{
	struct gpu_range *up = NULL, *x;
	size_t i;

	for (i = 0; i < th->open.n; i++) {
		x = range_at(th, i);
		if (x == o || x->r.start > o->r.start || x->r.end < o->r.end)
			continue;
		if (up == NULL || len(x) < len(up) ||
		    (len(x) == len(up) && x->id < up->id))
			up = x;
	}
	return up;
}

/* Called at the first work in a range: now it counts as a child. Ranges of the
 * same times are inside one another: they and everything in them have no level.
 */
static void
first_work(const struct stack_thread *th, size_t at)
{
	struct gpu_range *o = range_at(th, at), *up = parent_of(th, o);

	o->lo = INT64_MAX;
	o->hi = INT64_MIN;
	o->parent = 0;
	o->level = 0;
	buf_clear(&o->stack);
	if (up != NULL) {
		up->n_child++;
		if (len(up) == len(o) || up->level < 0) {
			o->level = -1;
			return;
		}
		o->level = up->level + 1;
		o->parent = up->id;
		buf_put(&o->stack, up->stack.s, up->stack.len);
	}
	buf_putc(&o->stack, ':');
	buf_i64(&o->stack, o->id);
}

/* True if the kernel already counts in another range of this name. */
static bool
counted(const struct stack_thread *th, size_t at, int64_t end)
{
	size_t i;

	for (i = 0; range_at(th, at)->twin && i < at; i++)
		if (range_at(th, i)->r.end >= end &&
		    same_name(range_at(th, i), range_at(th, at)))
			return true;
	return false;
}

/* o is NULL for no range. */
static void
kern_in(struct stats *s, struct stack_thread *th, struct gpu_range *o,
    bool again, const struct stats_gpu *g)
{
	struct range_groups *ranges = &s->ranges;
	struct ranges_kern x = { .pid = th->pid, .tid = th->tid };
	int64_t v[GROUP_VALS] = { g->dur, false, !again };
	uint64_t *no;
	uint32_t part;
	bool first;

	x.push = o != NULL && o->r.push;
	for (x.mode = 0; x.mode < KN_N && g->kind == GPU_KERN; x.mode++) {
		if (!s->stack.wants.kern[x.mode])
			continue;
		x.name = kname_id(&s->names, g->kernel, x.mode);
		no = map_put(&ranges->parts,
		    (uint64_t)(th - s->stack.threads) << 35 |
			(uint64_t)x.push << 34 | (uint64_t)x.mode << 32 |
			x.name,
		    NULL);
		if (*no == 0) {
			ARRAY_GROW(ranges->kerns, ranges->nkerns, ranges->cap);
			ranges->kerns[ranges->nkerns++] = x;
			*no = ranges->nkerns;
		}
		part = RANGES_KERN + (uint32_t)*no - 1;
		if (o != NULL) {
			map_put(&o->seen, part, &first);
			v[1] = first;
		}
		groups_add(ranges->table, o != NULL ? &o->key : &th->key,
		    o != NULL ? o->r.name : "", o != NULL ? o->r.name_len : 0,
		    part, v);
	}
}

/* of a call */
static void
stack_gpu(struct stats *s, const struct stats_gpu *g)
{
	struct stack_thread *th = thread_of(&s->stack, g->file, g->pid, g->tid);
	int64_t end = num_add(g->api_start, g->api_dur);
	int64_t hi = num_add(g->start, g->dur);
	bool any = false;
	struct gpu_range *o;
	size_t i;

	expire(s, th, g->api_start);
	for (i = 0; i < th->open.n; i++) {
		o = range_at(th, i);
		if (o->r.end < end)
			continue;
		any = true;
		if (o->n_gpu == 0)
			first_work(th, i);
		/* as many as there are calls */
		o->n_gpu += o->last_corr != g->corr || g->corr < 0;
		o->last_corr = g->corr;
		o->lo = g->start < o->lo ? g->start : o->lo;
		o->hi = hi > o->hi ? hi : o->hi;
		kern_in(s, th, o, counted(th, i, end), g);
	}
	if (!any)
		kern_in(s, th, NULL, false, g);
}

/* Sets g->range, if it is needed, to the range that began last; to the first if
 * there are several. */
static void
stack_innermost(struct stats *s, struct stats_gpu *g)
{
	struct stack_thread *th;
	int64_t end = num_add(g->api_start, g->api_dur);
	const struct gpu_range *in = NULL, *o;
	size_t i;

	if (!s->stack.wants.names)
		return;
	th = thread_of(&s->stack, g->file, g->pid, g->tid);
	expire(s, th, g->api_start);
	for (i = th->open.n; i-- > 0;) {
		o = range_at(th, i);
		if (in != NULL && o->r.start < in->r.start)
			break;
		if (o->r.end >= end && (in == NULL || o->id < in->id))
			in = o;
	}
	if (in == NULL)
		return;
	g->range.s = in->r.name + in->r.domain_len + 1;
	g->range.n = in->r.name_len - in->r.domain_len - 1;
}

/* end of the section: closes all */
static void
stack_end(struct stats *s)
{
	struct range_stack *k = &s->stack;
	size_t i;

	for (i = 0; i < k->nos.n; i++) {
		openranges_sweep(
		    &k->threads[i].open, INT64_MAX, close_range, s);
		openranges_free(&k->threads[i].open);
	}
	free(k->threads);
	k->threads = NULL;
	smap_free(&k->nos);
	k->ids = 0;
}

/* Records. */

/* The end of ranges that were never closed: in sums, as the GPU saw them, and
 * in the trace of push/pop ranges. */
enum told_of { TOLD_SUM, TOLD_GPU, TOLD_PUSH, TOLD_ENDS };

struct stats_reader {
	bool wants_stack, wants_api;
	/* of a section */
	bool any;          /* a record of a known type came */
	uint64_t no_dur;   /* records without a duration */
	struct buf src;    /* the first file's name, if records have it */
	struct smap files; /* all of them */
	uint32_t file;     /* of the record at hand: its number, from 1 */
	struct buf name;   /* of the range at hand */
	/* Calls with several activities: the later ones have the same time. */
	struct stats_several {
		int64_t pid, corr, start, dur;
		uint32_t file;
	} * several;
	size_t nseveral, severalcap;
	/* facts from dlp-parse --rows and the commands before us */
	bool no_nvtx, fewer_ranges, has_end[TOLD_ENDS];
	int64_t ends[TOLD_ENDS];
};

/* For every record of a known type. */
static void
note_record(struct stats_reader *in, const struct rec *r)
{
	struct mview x = rec_get(r, COL_src);

	in->any = true;
	in->file = x.s == NULL ? 0 : smap_put(&in->files, x.s, x.n, NULL) + 1;
	if (x.s != NULL && in->src.len == 0)
		buf_put(&in->src, x.s, x.n);
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

static void
take_told(struct stage *st, struct rec *r)
{
	static const char *const heads[TOLD_ENDS] = { "##info\tnvtx_end_ns\t",
		"##info\trange_end_ns\t", "##info\tpush_end_ns\t" };
	static const char none[] = "##info\tnvtx\tnone";
	static const char cmd[] = "##cmd\tdlp-correlate";
	struct stats_reader *in = ((struct stats *)st->ctx)->reader;
	enum told_of of;
	size_t n = sizeof(cmd) - 1;
	int64_t end;

	if (text_starts(r->line, r->len, cmd))
		in->fewer_ranges |= !passes_ranges(r->line + n, r->len - n);
	in->no_nvtx |=
	    r->len == sizeof(none) - 1 && memcmp(r->line, none, r->len) == 0;
	for (of = 0; of < TOLD_ENDS; of++) {
		n = strlen(heads[of]);
		if (r->len <= n || memcmp(r->line, heads[of], n) != 0 ||
		    !num_i64(r->line + n, r->len - n, &end))
			continue;
		if (!in->has_end[of] || in->ends[of] < end) /* of the files */
			in->ends[of] = end;
		in->has_end[of] = true;
	}
}

/* False if the file does not have it. */
static bool
told_end(const struct stats_reader *in, enum told_of of, int64_t *end)
{
	*end = in->ends[of];
	return in->has_end[of];
}

static struct stats_call
call_of(const struct rec *r, int name)
{
	struct stats_call c = { 0 };

	c.name = rec_get(r, name);
	c.no = rec_num_or(r, COL_name_no, 0);
	c.pid = rec_num_or(r, COL_pid, -1);
	c.tid = rec_num_or(r, COL_tid, -1);
	c.corr = rec_get(r, COL_corr);
	return c;
}

static void
api(struct stats *s, const struct stats_call *c)
{
	int i;

	for (i = 0; i < s->nreports; i++)
		if (s->report[i].def->on_api != NULL)
			s->report[i].def->on_api(&s->report[i], c);
}

static void
on_call(struct stage *st, struct rec *r)
{
	struct stats *s = st->ctx;
	struct stats_reader *in = s->reader;
	struct stats_call c = call_of(r, COL_api);

	note_record(in, r);
	c.file = in->file;
	if (!rec_num(r, COL_dur_ns, &c.dur)) {
		in->no_dur++;
		return;
	}
	c.start = rec_num_or(r, COL_start_ns, 0);
	c.idx = rec_num_or(r, COL_idx, 0);
	c.ret = rec_get(r, COL_ret);
	if (rec_num_or(r, COL_n_gpu, 0) > 1) {
		if (in->nseveral > 0 && in->several[0].start < c.start)
			in->nseveral = 0;
		ARRAY_GROW(in->several, in->nseveral, in->severalcap);
		in->several[in->nseveral++] = (struct stats_several){ c.pid,
			rec_num_or(r, COL_corr, -1), c.start, c.dur, c.file };
	}
	if (in->wants_api)
		api(s, &c);
}

static void
on_os(struct stage *st, struct rec *r)
{
	struct stats *s = st->ctx;
	struct stats_call c = call_of(r, COL_name);
	int i;

	note_record(s->reader, r);
	if (!rec_num(r, COL_dur_ns, &c.dur)) {
		s->reader->no_dur++;
		return;
	}
	for (i = 0; i < s->nreports; i++)
		if (s->report[i].def->on_os != NULL)
			s->report[i].def->on_os(&s->report[i], &c);
}

/* The call's times; its duration may be in its own record. */
static void
read_api(
    const struct stats_reader *in, const struct rec *r, struct stats_gpu *g)
{
	const struct stats_several *x;
	size_t i;

	if (!rec_num(r, COL_api_start_ns, &g->api_start))
		return;
	g->has_api = rec_num(r, COL_api_dur_ns, &g->api_dur);
	for (i = 0; i < in->nseveral && !g->has_api; i++) {
		x = &in->several[i];
		if (x->corr == g->corr && x->pid == g->pid &&
		    x->file == g->file) {
			g->has_api = true;
			g->api_dur = x->dur;
		}
	}
}

static void
read_gpu(struct stats *s, const struct rec *r, struct stats_gpu *g)
{
	g->start = rec_num_or(r, COL_start_ns, 0);
	g->idx = rec_num_or(r, COL_idx, 0);
	g->tid = rec_num_or(r, COL_tid, -1);
	g->dev = rec_num_or(r, COL_dev, -1);
	g->ctx = rec_get(r, COL_ctx);
	g->stream = rec_get(r, COL_stream);
	if (g->kind == GPU_KERN) {
		g->kernel = kname_kernel(&s->names,
		    rec_num_or(r, COL_name_id, -1), rec_get(r, COL_short));
		g->grid = rec_get(r, COL_grid);
		g->block = rec_get(r, COL_block);
		g->regs = rec_get(r, COL_regs);
		g->smem = rec_num_or(r, COL_smem_bytes, -1);
		g->dynsmem = rec_num_or(r, COL_dynsmem_bytes, -1);
		return;
	}
	g->bytes = rec_num_or(r, COL_bytes, -1);
	g->copy = rec_get(r, COL_kind);
	g->src_mem = rec_get(r, g->kind == GPU_SET ? COL_mem : COL_src_mem);
	g->dst_mem = rec_get(r, COL_dst_mem);
}

static void
on_gpu(struct stage *st, struct rec *r)
{
	struct stats_gpu g = { .kind = *(const enum gpu_kind *)rec_arg(r),
		.bytes = -1,
		.smem = -1,
		.dynsmem = -1 };
	struct stats *s = st->ctx;
	struct stats_reader *in = s->reader;
	int i;
	struct stats_call c;

	note_record(in, r);
	g.file = in->file;
	g.api = rec_get(r, COL_api);
	g.pid = rec_num_or(r, COL_pid, -1);
	g.corr = rec_num_or(r, COL_corr, -1);
	read_api(in, r, &g);
	if (in->wants_api && g.has_api &&
	    rec_get(r, COL_api_dur_ns).s != NULL) {
		/* The call of GPU work that has no record of its own. */
		c = call_of(r, COL_api);
		c.file = g.file;
		c.start = g.api_start;
		c.dur = g.api_dur;
		c.idx = rec_num_or(r, COL_call_idx, 0);
		c.ret = rec_get(r, COL_call_ret);
		api(s, &c);
	}
	if (g.kind == GPU_WAIT)
		return;
	if (!rec_num(r, COL_dur_ns, &g.dur)) {
		in->no_dur++;
		return;
	}
	read_gpu(s, r, &g);
	if (in->wants_stack && g.has_api)
		stack_innermost(s, &g);
	for (i = 0; i < s->nreports; i++)
		if (s->report[i].def->on_gpu != NULL)
			s->report[i].def->on_gpu(&s->report[i], &g);
	if (in->wants_stack && g.has_api)
		stack_gpu(s, &g);
	else if (in->wants_stack) /* its call is missing */
		kern_in(s, thread_of(&s->stack, 0, -1, -1), NULL, false, &g);
}

static void
on_range(struct stage *st, struct rec *r)
{
	struct stats *s = st->ctx;
	struct stats_reader *in = s->reader;
	struct mview mode = rec_get(r, COL_mode);
	struct mview domain = rec_get(r, COL_domain);
	struct mview text = rec_get(r, COL_text);
	struct buf *name = &in->name;
	struct stats_range x = { 0 };
	int64_t dur;
	bool ends = rec_num(r, COL_dur_ns, &dur);
	int i;

	note_record(in, r);
	x.file = in->file;
	x.start = rec_num_or(r, COL_start_ns, 0);
	if (ends)
		x.end = num_add(x.start, dur);
	else if (!told_end(in, TOLD_SUM, &x.end))
		return;
	x.idx = rec_num_or(r, COL_idx, 0);
	x.pid = rec_num_or(r, COL_pid, -1);
	x.tid = rec_num_or(r, COL_tid, -1);
	x.push = mode.s == NULL || mode.n == 4;
	x.crosses = rec_get(r, COL_end_tid).s != NULL;
	buf_clear(name); /* DOMAIN:TEXT */
	buf_put(name, domain.s, domain.s != NULL ? domain.n : 0);
	x.domain_len = name->len;
	buf_putc(name, ':');
	buf_put(name, text.s, text.s != NULL ? text.n : 0);
	x.name = name->s;
	x.name_len = name->len;
	for (i = 0; i < s->nreports; i++)
		if (s->report[i].def->on_range != NULL)
			s->report[i].def->on_range(&s->report[i], &x);
	if (x.push && (ends || told_end(in, TOLD_PUSH, &x.end)))
		for (i = 0; i < s->nreports; i++)
			if (s->report[i].def->on_push != NULL)
				s->report[i].def->on_push(&s->report[i], &x);
	if (in->wants_stack && !x.crosses &&
	    (ends || told_end(in, TOLD_GPU, &x.end)))
		stack_range(s, &x);
}

static void
on_str(struct stage *st, struct rec *r)
{
	static const int cols[KN_N] = { COL_text, COL_base, COL_mangled };
	struct stats *s = st->ctx;
	struct mview t[KN_N];
	int64_t id;
	int i;

	note_record(s->reader, r);
	for (i = 0; i < KN_N; i++)
		t[i] = rec_get(r, cols[i]);
	if (rec_num(r, COL_id, &id))
		kname_str(&s->names, id, t);
}

static void
on_dev(struct stage *st, struct rec *r)
{
	struct mview name = rec_get(r, COL_name);
	struct stats *s = st->ctx;
	int64_t dev;

	note_record(s->reader, r);
	if (rec_num(r, COL_dev, &dev))
		trace_dev(&s->traces, s->reader->file, dev, &name);
}

static void
on_thread(struct stage *st, struct rec *r)
{
	struct mview name = rec_get(r, COL_name);
	struct mview prio = rec_get(r, COL_prio);
	struct stats *s = st->ctx;

	note_record(s->reader, r);
	trace_thread(&s->traces,
	    (struct thread_id){ s->reader->file, rec_num_or(r, COL_pid, -1),
		rec_num_or(r, COL_tid, -1) },
	    &prio, &name);
}

static void
section_begins(struct stage *st)
{
	struct stats *s = st->ctx;
	struct stats_reader *in = s->reader;

	map_clear(&s->names.strs);
	trace_section(&s->traces);
	in->no_nvtx = in->fewer_ranges = in->any = false;
	memset(in->has_end, 0, sizeof(in->has_end));
	in->nseveral = 0;
	buf_clear(&in->src);
	smap_clear(&in->files);
	reports_section(s);
}

static void
section_ends(struct stage *st)
{
	struct stats *s = st->ctx;
	struct stats_reader *in = s->reader;

	stack_end(s);
	if (!st->complete && !in->any)
		return; /* a profile that could not be read */
	reports_print(
	    s, in->src.len > 0 ? buf_str(&in->src) : NULL, !in->no_nvtx);
	if (in->fewer_ranges && reports_need(s, "range"))
		warn("dlp-correlate left out ranges, which are missing from"
		     " tables of ranges: its option -r keeps them");
	if (in->no_dur > 0)
		warn("%llu records without a duration are left out",
		    (unsigned long long)in->no_dur);
	if (s->stack.too_deep > 0)
		warn("%llu ranges inside %d others are left out of tables of"
		     " work in ranges",
		    (unsigned long long)s->stack.too_deep, AROUND_MAX);
	in->no_dur = s->stack.too_deep = 0;
}

#define CALL "pid tid corr src api name_no "
#define WORK                                                                   \
	CALL "start_ns idx dev ctx stream api_start_ns api_dur_ns "            \
	     "call_idx call_ret "

void
read_open(struct stats *s, struct stage *st)
{
	static const enum gpu_kind kinds[] = { GPU_KERN, GPU_COPY, GPU_SET,
		GPU_WAIT };
	static const struct {
		const char *tags, *need, *opt;
		stage_fn *fn;
		const enum gpu_kind *kind;
	} types[] = {
		{ "kern", "dur_ns",
		    WORK "name_id short grid block regs smem_bytes"
			 " dynsmem_bytes",
		    on_gpu, &kinds[GPU_KERN] },
		{ "copy", "dur_ns", WORK "bytes kind src_mem dst_mem", on_gpu,
		    &kinds[GPU_COPY] },
		{ "set", "dur_ns", WORK "bytes kind mem dst_mem", on_gpu,
		    &kinds[GPU_SET] },
		{ "sync graph", "dur_ns", WORK, on_gpu, &kinds[GPU_WAIT] },
		{ "call", "dur_ns", CALL "start_ns idx ret n_gpu", on_call,
		    NULL },
		{ "range", "dur_ns",
		    "start_ns pid tid src idx mode end_tid domain text",
		    on_range, NULL },
		{ "os", "dur_ns", "pid tid corr src name name_no", on_os,
		    NULL },
		{ "str", NULL, "id text base mangled src", on_str, NULL },
		{ "dev", NULL, "dev name src", on_dev, NULL },
		{ "thread", NULL, "pid tid name prio src", on_thread, NULL },
	};
	struct range_stack *k = &s->stack;
	size_t t;
	int i;

	s->reader = xcalloc(1, sizeof(*s->reader));
	for (t = 0; t < ARRAY_LEN(types); t++)
		stage_on(st, types[t].tags, types[t].fn, .need = types[t].need,
		    .opt = types[t].opt, .arg = (void *)types[t].kind);
	for (i = 0; i < s->nreports; i++) {
		const struct report *x = &s->report[i];

		s->reader->wants_api |= x->def->on_api != NULL;
		k->wants.proj |= x->def->needs == NEEDS_PROJ;
		k->wants.kern[x->mode] |= x->def->needs == NEEDS_KERN;
		k->wants.names |= x->range_names;
		s->reader->wants_stack |= x->def->needs != 0 || x->range_names;
	}
	st->ctx = s;
	st->section = section_begins;
	st->meta = take_told;
	st->end = section_ends;
}
