/*
 * Snapshots of PyTorch's memory as records. The file is read once; segments
 * with their blocks, events and annotations become records as they are appended
 * to their lists. What a dict is, is told by its keys, because older versions
 * order and nest them otherwise.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "emit.h"
#include "err.h"
#include "esc.h"
#include "infile.h"
#include "num.h"
#include "pickle.h"
#include "profile.h"
#include "schema.h"
#include "selection.h"
#include "snapshot.h"
#include "spill.h"
#include "stage.h"

/* The keys that are read, in the order of their names below. */
enum { K_ACTION, K_ADDR, K_ADDRESS, K_SIZE, K_TIME, K_FRAMES, K_FREE };
enum { K_DEVICE = K_FREE + 1, K_TOTAL, K_ALLOCATED, K_ACTIVE, K_REQUESTED };
enum { K_STREAM = K_REQUESTED + 1, K_TYPE, K_POOL, K_EXPANDABLE, K_BLOCKS };
enum { K_STATE = K_BLOCKS + 1, K_HISTORY, K_REAL, K_NAME, K_FILE, K_LINE };
enum { K_STAGE = K_LINE + 1, K_N };
static const char *const keys[K_N] = { "action", "addr", "address", "size",
	"time_us", "frames", "device_free", "device", "total_size",
	"allocated_size", "active_size", "requested_size", "stream",
	"segment_type", "segment_pool_id", "is_expandable", "blocks", "state",
	"history", "real_size", "name", "filename", "line", "stage" };

/* What is left of a list or a dict: a number, and below it one of these. */
enum { L_NONE, L_OPEN, L_FRAME, L_STACK, L_BLOCKS, L_HISTORY };
#define LEFT(tag, no) ((uint32_t)(no) << 3 | (tag))

#define DEVICES_MAX 4096
#define EXTENDED_MAX 1000

struct fields { /* of a dict that was not appended yet */
	uint32_t has;
	uint8_t kind[K_N];
	int64_t v[K_N];
};

struct snap_block {
	int64_t addr, size, requested;
	uint32_t state, stack; /* a text, a stack */
};

struct snap_dev {
	int64_t reserved, allocated, requested, split;
	int64_t n_segment, n_alloc, n_free, n_oom;
	struct map pending; /* addresses that await free_completed */
	bool seen;
};

enum { REC_PLACE, REC_SEG, REC_BLOCK, REC_MEM, REC_SEGMEM, REC_OOM };
enum { REC_MEMDEV = REC_OOM + 1, REC_MEMSTAGE, REC_N };
static const char *const types[REC_N] = { "place", "seg", "block", "mem",
	"segmem", "oom", "memdev", "memstage" };

struct snapshot {
	struct pickle pickle;
	struct stacks stacks;
	struct profile *prof;
	struct fields *open; /* n_open, some of them free */
	size_t n_open, open_cap;
	uint32_t *spare; /* the free ones */
	size_t n_spare, spare_cap;
	struct snap_block *block; /* of the segments that wait */
	size_t n_block, block_cap;
	struct {
		size_t from, n;
	} * blocks; /* their lists */
	size_t n_blocks, blocks_cap;
	struct {
		uint32_t stack;
		int64_t size;
	} * history;
	size_t n_history, history_cap;
	struct snap_dev *dev;
	size_t n_dev;
	uint32_t *frames; /* those of a list */
	size_t frames_cap;
	struct map placed; /* stacks that have a place record */
	struct out_src_type type[REC_N];
	bool wants[REC_N];
	uint32_t n_extended; /* stacks of more than one piece */
	bool any_stack, any, has_time;
	int64_t t0, ids; /* ns; of the first event */
	uint64_t unknown;
};

static const struct mview none = { NULL, 0 };

static bool
has(const struct fields *f, int key)
{
	return (f->has & 1u << key) != 0;
}

/* A number, or other without one. */
static int64_t
num(const struct fields *f, int key, int64_t other)
{
	return has(f, key) && f->kind[key] == PK_NUM ? f->v[key] : other;
}

static uint32_t
text(const struct fields *f, int key)
{
	return has(f, key) && f->kind[key] == PK_TEXT ? (uint32_t)f->v[key]
						      : STACK_NONE;
}

static struct mview
view(const struct snapshot *s, uint32_t id)
{
	return smap_view(&s->pickle.text, id);
}

/* What is left of the list that a key has, if it is of that kind. */
static bool
list_of(const struct snapshot *s, const struct fields *f, int key, uint32_t tag,
    uint32_t *no)
{
	uint32_t left;

	if (!has(f, key) || f->kind[key] != PK_LIST)
		return false;
	left = s->pickle.left[f->v[key]];
	*no = left >> 3;
	return (left & 7) == tag;
}

static void
set_field(void *ctx, int64_t dict, uint32_t key, struct pk_val v)
{
	struct snapshot *s = ctx;
	uint32_t *left = &s->pickle.left[dict];
	struct fields *f;

	if (key >= K_N || (*left & 7) > L_OPEN)
		return;
	if (*left == L_NONE && s->n_spare > 0) {
		*left = LEFT(L_OPEN, s->spare[--s->n_spare]);
	} else if (*left == L_NONE) {
		ARRAY_GROW(s->open, s->n_open, s->open_cap);
		*left = LEFT(L_OPEN, s->n_open++);
	} else {
		f = &s->open[*left >> 3];
		f->has |= 1u << key;
		f->kind[key] = (uint8_t)v.kind;
		f->v[key] = v.num;
		return;
	}
	s->open[*left >> 3].has = 0;
	set_field(ctx, dict, key, v);
}

static struct snap_dev *
dev_of(struct snapshot *s, int64_t dev)
{
	if (dev < 0 || dev >= DEVICES_MAX)
		die("%s: no snapshot has a device %lld", s->pickle.name,
		    (long long)dev);
	ARRAY_REACH(s->dev, s->n_dev, dev);
	s->dev[dev].seen = s->any = true;
	return &s->dev[dev];
}

/* Records. */

static void
begin_rec(struct snapshot *s, int type)
{
	static const char *const names[REC_N][13] = {
		{ "id", "file", "line", "function", "kind", "stack", "src" },
		{ "dev", "addr", "bytes", "allocated_bytes", "active_bytes",
		    "requested_bytes", "split_bytes", "stream", "expandable",
		    "n_block", "kind", "pool", "src" },
		{ "dev", "addr", "bytes", "requested_bytes", "place", "state",
		    "src" },
		{ "id", "start_ns", "dev", "op", "bytes", "addr", "place",
		    "src" },
		{ "start_ns", "dev", "op", "bytes", "addr", "src" },
		{ "start_ns", "dev", "bytes", "free_bytes", "place", "src" },
		{ "dev", "reserved_bytes", "allocated_bytes", "requested_bytes",
		    "split_bytes", "n_segment", "n_alloc", "n_free", "n_oom",
		    "src" },
		{ "start_ns", "dev", "stage", "text", "src" },
	};
	size_t n = 0;

	while (n < ARRAY_LEN(names[type]) && names[type][n] != NULL)
		n++;
	out_rec_src(&s->type[type], types[type], names[type], n,
	    s->prof->run->out.with_src);
}

static void
end_rec(struct snapshot *s)
{
	emit_src(s->prof);
	out_end();
}

/* A record of a device: numbers, after `at` of them a text, and another at the
 * end, if that is given. */
static void
put_rec(struct snapshot *s, int type, int64_t dev, const int64_t *v, size_t n,
    size_t at, struct mview text, const struct mview *last)
{
	size_t i;

	if (!s->wants[type] || !select_device(&s->prof->run->sel, dev))
		return;
	begin_rec(s, type);
	for (i = 0; i < n || i == at; i++) {
		if (i == at)
			out_text(text.s, text.n);
		if (i < n)
			emit_num(v[i]);
	}
	if (last != NULL)
		out_text(last->s, last->n);
	end_rec(s);
}
#define NUMS(...)                                                              \
	(int64_t[]){ __VA_ARGS__ },                                            \
	    sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)

/* The place of a stack, whose record is written before its first use. */
static int64_t
place_of(struct snapshot *s, uint32_t stack)
{
	bool fresh;

	map_put(&s->placed, stack, &fresh);
	if (fresh && s->wants[REC_PLACE]) {
		begin_rec(s, REC_PLACE);
		out_i64((int64_t)stack + 1);
		stacks_put(&s->stacks, stack);
		end_rec(s);
	}
	return (int64_t)stack + 1;
}

/* Microseconds of Unix time from the first event on; without times events are
 * numbered. */
static int64_t
time_of(struct snapshot *s, const struct fields *f)
{
	int64_t t = num(f, K_TIME, EV_UNSET);

	if (t == EV_UNSET)
		return s->has_time ? EV_UNSET : s->ids;
	t = num_mul(t, 1000);
	if (!s->has_time)
		s->t0 = t;
	s->has_time = true;
	return num_sub(t, s->t0);
}

static void
take_event(struct snapshot *s, const struct fields *f, int64_t device)
{
	struct mview action = view(s, text(f, K_ACTION));
	int64_t dev = num(f, K_DEVICE, device), t = time_of(s, f);
	int64_t addr = num(f, K_ADDR, EV_UNSET), size = num(f, K_SIZE, 0);
	struct snap_dev *d = dev_of(s, dev);
	bool alloc = mv_eq(action, "alloc"), oom = mv_eq(action, "oom");
	bool requested = mv_eq(action, "free_requested"), free = requested;
	struct mview op = { alloc ? "alloc" : "free", alloc ? 5 : 4 };
	uint32_t stack;

	if (!list_of(s, f, K_FRAMES, L_STACK, &stack))
		stack = stacks_empty(&s->stacks, alloc && s->any_stack);
	s->ids++;
	if (mv_eq(action, "free_completed") || mv_eq(action, "free")) {
		d->n_free++;
		free = !map_del(&d->pending, (uint64_t)addr);
	} else if (requested) {
		map_put(&d->pending, (uint64_t)addr, NULL);
	} else if (alloc) {
		d->n_alloc++;
		map_del(&d->pending, (uint64_t)addr);
	} else if (oom) {
		d->n_oom++;
	} else if (mv_ends(action, "snapshot")) {
		return;
	} else if (action.n < 8 || memcmp(action.s, "segment_", 8) != 0) {
		s->unknown++;
		return;
	}
	if (alloc || free)
		put_rec(s, REC_MEM, dev,
		    NUMS(s->ids, t, dev, size, addr, place_of(s, stack)), 3, op,
		    NULL);
	else if (oom)
		put_rec(s, REC_OOM, dev,
		    NUMS(
			t, dev, size, num(f, K_FREE, addr), place_of(s, stack)),
		    SIZE_MAX, none, NULL);
	else if (action.s[0] == 's')
		put_rec(s, REC_SEGMEM, dev, NUMS(t, dev, size, addr), 2,
		    mv(action.s + 8, action.s + action.n), NULL);
}

static void
take_segment(struct snapshot *s, const struct fields *f)
{
	int64_t dev = num(f, K_DEVICE, 0), addr = num(f, K_ADDRESS, EV_UNSET);
	int64_t total = num(f, K_TOTAL, 0), split = 0, at, requested = 0;
	struct snap_dev *d = dev_of(s, dev);
	struct snap_block *b = NULL;
	struct mview kind = view(s, text(f, K_TYPE)), pool;
	uint32_t no;
	size_t n = 0, i;
	int64_t bytes;

	if (list_of(s, f, K_BLOCKS, L_BLOCKS, &no)) {
		b = s->block + s->blocks[no].from;
		n = s->blocks[no].n;
	}
	for (i = 0, at = addr; i < n; i++) { /* older: without addresses */
		if (b[i].addr == EV_UNSET)
			b[i].addr = at;
		at = at != EV_UNSET ? num_add(at, b[i].size) : at;
		if (b[i].requested != EV_UNSET &&
		    !mv_eq(view(s, b[i].state), "inactive"))
			requested = num_add(requested, b[i].requested);
	}
	if (num(f, K_EXPANDABLE, 0) == 0) {
		/* The bytes of inactive blocks beside others in their segment,
		 * which it is in use because of: as PyTorch counts them,
		 * without segments that can give parts back. */
		bytes = 0;
		for (i = 0; i < n && n > 1; i++)
			if (mv_eq(view(s, b[i].state), "inactive"))
				bytes = num_add(bytes, b[i].size);
		split = bytes;
	}
	requested = num(f, K_REQUESTED, requested);
	d->n_segment++;
	d->reserved = num_add(d->reserved, total);
	d->allocated = num_add(d->allocated, num(f, K_ALLOCATED, 0));
	d->requested = num_add(d->requested, requested);
	d->split = num_add(d->split, split);
	buf_clear(&s->stacks.text);
	if (has(f, K_POOL) && f->kind[K_POOL] == PK_TUPLE)
		buf_printf(&s->stacks.text, "%lld.%lld",
		    (long long)(f->v[K_POOL] >> 14),
		    (long long)(f->v[K_POOL] & PK_PAIR_MAX));
	pool = (struct mview){ s->stacks.text.len > 0 ? s->stacks.text.s : NULL,
		s->stacks.text.len };
	put_rec(s, REC_SEG, dev,
	    NUMS(dev, addr, total, num(f, K_ALLOCATED, EV_UNSET),
		num(f, K_ACTIVE, EV_UNSET), requested, split,
		num(f, K_STREAM, EV_UNSET), num(f, K_EXPANDABLE, EV_UNSET),
		(int64_t)n),
	    10, kind, &pool);
	for (i = 0; i < n && s->wants[REC_BLOCK]; i++)
		put_rec(s, REC_BLOCK, dev,
		    NUMS(dev, b[i].addr, b[i].size, b[i].requested,
			place_of(s, b[i].stack)),
		    5, view(s, b[i].state), NULL);
}

/* A block goes to the list's others, which are the last ones. */
static void
take_block(struct snapshot *s, const struct fields *f, uint32_t *left)
{
	struct snap_block b = { .addr = num(f, K_ADDRESS, EV_UNSET),
		.size = num(f, K_SIZE, 0),
		.requested = num(f, K_REQUESTED, EV_UNSET),
		.state = text(f, K_STATE) };
	uint32_t no;

	if (!list_of(s, f, K_FRAMES, L_STACK, &b.stack))
		b.stack = stacks_empty(&s->stacks, false);
	if (list_of(s, f, K_HISTORY, L_HISTORY, &no)) {
		b.stack = s->history[no].stack;
		if (b.requested == EV_UNSET)
			b.requested = s->history[no].size;
	}
	if (*left == L_NONE) {
		ARRAY_GROW(s->blocks, s->n_blocks, s->blocks_cap);
		s->blocks[s->n_blocks].from = s->n_block;
		s->blocks[s->n_blocks].n = 0;
		*left = LEFT(L_BLOCKS, s->n_blocks++);
	}
	if ((*left & 7) != L_BLOCKS || *left >> 3 != s->n_blocks - 1)
		return;
	ARRAY_GROW(s->block, s->n_block, s->block_cap);
	s->block[s->n_block++] = b;
	s->blocks[s->n_blocks - 1].n++;
}

/* Who has a block, in older versions: the newest comes first. */
static void
take_history(struct snapshot *s, const struct fields *f, uint32_t *left)
{
	uint32_t stack;

	if (*left != L_NONE)
		return;
	if (!list_of(s, f, K_FRAMES, L_STACK, &stack))
		stack = stacks_empty(&s->stacks, false);
	ARRAY_GROW(s->history, s->n_history, s->history_cap);
	s->history[s->n_history].stack = stack;
	s->history[s->n_history].size = num(f, K_REAL, EV_UNSET);
	*left = LEFT(L_HISTORY, s->n_history++);
}

/* What a dict is that goes into a list, by its keys. True for a frame. */
static bool
take_dict(struct snapshot *s, uint32_t *dict, uint32_t *list, size_t at)
{
	const struct fields *f;
	struct mview name;

	if ((*dict & 7) != L_OPEN)
		return (*dict & 7) == L_FRAME;
	f = &s->open[*dict >> 3];
	ARRAY_GROW(s->spare, s->n_spare, s->spare_cap);
	s->spare[s->n_spare++] = *dict >> 3;
	*dict = L_HISTORY; /* with nothing: it is gone */
	if (has(f, K_ACTION)) {
		take_event(s, f, pickle_index(&s->pickle, at));
	} else if (has(f, K_TOTAL)) {
		take_segment(s, f);
	} else if (has(f, K_STATE)) {
		take_block(s, f, list);
	} else if (has(f, K_STAGE)) {
		name = view(s, text(f, K_NAME));
		if (has(f, K_TIME))
			put_rec(s, REC_MEMSTAGE, num(f, K_DEVICE, 0),
			    NUMS(time_of(s, f), num(f, K_DEVICE, EV_UNSET)), 2,
			    view(s, text(f, K_STAGE)), &name);
	} else if (has(f, K_FILE)) {
		*dict = LEFT(L_FRAME, stacks_frame(&s->stacks, text(f, K_FILE),
					  text(f, K_NAME), num(f, K_LINE, 0)));
		s->any_stack = true;
		return true;
	} else if (has(f, K_REAL) || has(f, K_FRAMES)) {
		take_history(s, f, list);
	}
	return false;
}

static void
append_values(
    void *ctx, int64_t list, const struct pk_val *v, size_t n, size_t at)
{
	struct snapshot *s = ctx;
	uint32_t *left, *dict, old;
	size_t i, k = 0;
	bool segments = false;

	for (i = 0; i < n; i++) {
		if (v[i].kind != PK_DICT)
			continue;
		left = &s->pickle.left[list];
		dict = &s->pickle.left[v[i].num];
		segments |=
		    (*dict & 7) == L_OPEN && has(&s->open[*dict >> 3], K_TOTAL);
		if (!take_dict(s, dict, left, at))
			continue;
		if (k == s->frames_cap) {
			s->frames_cap = k > 0 ? k * 2 : 64;
			s->frames = xrealloc(
			    s->frames, s->frames_cap, sizeof(*s->frames));
		}
		s->frames[k++] = *dict >> 3;
	}
	left = &s->pickle.left[list];
	old = (*left & 7) == L_STACK ? *left >> 3 : STACK_NONE;
	/* Python writes lists by thousands, so few go on */
	if (k > 0 && (*left == L_NONE ||
			 (old != STACK_NONE && s->n_extended++ < EXTENDED_MAX)))
		*left =
		    LEFT(L_STACK, stacks_add(&s->stacks, old, s->frames, k));
	if (segments)
		s->n_block = s->n_blocks = s->n_history = 0;
	out_check();
	spill_tick();
}

static const struct dialect dialect_snapshot = { .name = "torch-memory" };

static struct snapshot *
snapshot_new(struct parse *run, const char *path)
{
	static struct snapshot snapshot; /* one in the process */
	struct snapshot *s = &snapshot;
	size_t i;

	s->prof = xcalloc(1, sizeof(*s->prof));
	s->prof->run = run;
	s->prof->path = path != NULL ? path : "-";
	s->prof->dialect = &dialect_snapshot;
	esc_put(&s->prof->src, s->prof->path, strlen(s->prof->path));
	s->pickle.name = head_name(path);
	s->pickle.set = set_field;
	s->pickle.append = append_values;
	s->pickle.ctx = s;
	s->stacks.texts = &s->pickle.text;
	for (i = 0; i < K_N; i++) /* a key's number is its place */
		smap_put(&s->pickle.text, keys[i], strlen(keys[i]), NULL);
	for (i = 0; i < REC_N; i++)
		s->wants[i] = select_type(&run->sel, types[i]);
	return s;
}

/* Reads from fd, of which the first n bytes are in head. */
static void
read_snapshot(struct snapshot *s, enum zip zip, int fd,
    const unsigned char *head, size_t n, int argc, char *const *argv)
{
	struct parse *run = s->prof->run;
	const struct snap_dev *d;
	size_t i;

	if (run->sel.nwants > 0)
		die("--range: a snapshot of memory has no ranges");
	if (!s->wants[REC_MEM] && select_type(&run->sel, "kern"))
		warn("%s: a snapshot of PyTorch's memory has no GPU work:"
		     " dlp mem, dlp diff and dlp folded show it",
		    s->pickle.name);
	stage_begin_section(argc, argv);
	if (run->out.with_src)
		fact_info(s->prof, "src", "%s", s->prof->path);
	fact_info(s->prof, "dialect", "%s", dialect_snapshot.name);
	unpack_to(
	    zip, s->pickle.name, fd, head, n, false, pickle_feed, &s->pickle);
	pickle_end(&s->pickle);
	if (!s->any)
		die("%s: a pickle of Python without segments and events of"
		    " memory, such as a flight record of NCCL: give a snapshot"
		    " (torch.cuda.memory._dump_snapshot), or the trace of"
		    " torch.profiler",
		    s->pickle.name);
	d = s->dev;
	for (i = 0; i < s->n_dev; i++, d++)
		if (d->seen)
			put_rec(s, REC_MEMDEV, (int64_t)i,
			    NUMS((int64_t)i, d->reserved, d->allocated,
				d->requested, d->split, d->n_segment,
				d->n_alloc, d->n_free, d->n_oom),
			    SIZE_MAX, none, NULL);
	if (s->has_time)
		fact_info(s->prof, "t0_ns", "%lld", (long long)s->t0);
	else
		fact_info(s->prof, "times", "none: events are numbered");
	stage_note("snapshot_unknown_events", s->unknown);
	stage_end_section();
}

bool
snapshot_run(struct parse *run, const char *path, bool unbuffered, int argc,
    char *const *argv)
{
	unsigned char head[HEAD_SIZE], first[HEAD_SIZE];
	int fd = head_open(&run->in, path);
	const char *name = head_name(path);
	struct snapshot *s;
	struct stat st;
	enum zip zip;
	size_t n;

	if (run->in.unpacked != NULL || fd < 0 || fstat(fd, &st) != 0 ||
	    S_ISDIR(st.st_mode) ||
	    (fd != STDIN_FILENO && head_of_database(fd, &st, head))) {
		head_close(fd);
		return false; /* infile_open() reports the error */
	}
	n = head_read(&run->in, name, fd, head, sizeof(head));
	zip = zip_kind(head, n);
	if (zip == ZIP_NONE ? !pickle_is(head, n)
			    : !pickle_is(first, zip_peek(zip, head, n, first,
						    sizeof(first)))) {
		if (fd == STDIN_FILENO || !S_ISREG(st.st_mode))
			head_push(&run->in, path, fd, head, n);
		else
			head_close(fd);
		return false;
	}
	spill_bound((size_t)96 << 20);
	s = snapshot_new(run, path);
	out_open(unbuffered);
	read_snapshot(s, zip, fd, head, n, argc, argv);
	head_close(fd);
	return true;
}
