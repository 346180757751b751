/*
 * dlp-busy: where the time of each iteration goes on each device: kernels,
 * copies, data loading, I/O, the CPU, and the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "err.h"
#include "ivl.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "stage.h"
#include "steps.h"
#include "timeline.h"
#include "varint.h"
#include "workrec.h"

/* What a device does. If several are active at a time, the first one counts. */
enum busy_class {
	C_TC,
	C_KERN,
	C_GRAPH,
	C_COMM,
	C_MEM,
	C_DATA,
	C_IO,
	C_CPU,
	C_OTHER, /* nothing of these */
	C_N
};

/*
 * The time of a device, or of a process that uses none so far, as one row of
 * pieces: which classes are active from when to when. The newest pieces are
 * kept for records that come late, as runs of ops come when they end; older
 * ones are added up by iteration.
 */

struct class_sums {       /* ns */
	int64_t dur[C_N]; /* while no class before it was active */
	int64_t all[C_N];
};

struct lane {
	const struct busy_file *file; /* its steps cut the pieces */
	struct timeline time;
	int64_t base; /* the pieces reach from base to time.t */
	struct lane_piece {
		int64_t end;
		unsigned mask; /* active classes, a bit each */
	} * v;
	size_t n, cap;
	struct class_sums sum;     /* since the last cut before base, */
	size_t part;               /* which is this one of file->steps */
	struct buf older;          /* those of the parts before, packed */
	size_t read, read_part;    /* where sums_of() goes on */
	bool any_gpu;              /* work ran on it */
	struct class_sums edge[2]; /* the parts of sum before its first work,
				      and since its last; known if there is
				      one iteration */
	int64_t late_ns;           /* came when their time was added up */
	struct class_sums *index;  /* of the pieces before each MARK-th one;
				      made when devices are added up */
};

/*
 * The devices and processes of a section. The CPU time of a process counts for
 * each device that it uses. It is kept once, with the process, and joined when
 * time is added up; only where several processes use a device, the device has
 * the CPU time of them all in its own pieces.
 */

struct busy_dev {
	int64_t no; /* the first, for array_by_i64() */
	bool used, shared;
	uint32_t proc;    /* that uses it, if it is not shared */
	struct lane lane; /* if used */
};

struct busy_proc {
	struct lane own; /* what it does on the CPU */
	uint32_t *dev;   /* shared ones that it uses */
	size_t n_dev;
};

/* How the time of a step divides, of all devices on which anything ran. */
enum {
	SPLIT_TC,
	SPLIT_COMM,
	SPLIT_KERN,
	SPLIT_GRAPH,
	SPLIT_MEM,
	SPLIT_IDLE,
	SPLIT_N
};

struct split { /* ns */
	int64_t dur[SPLIT_N];
	bool no_tc; /* dur[SPLIT_TC] is not known */
};

struct busy_file {        /* of the section's, by column src */
	const char *name; /* escaped; NULL: none */
	struct busy_dev *dev;
	struct busy_proc *proc;
	size_t n_dev, n_proc;
	struct map devs, procs; /* number -> place */
	struct map uses;        /* places of a device and its process */
	struct steps steps;
	int64_t from;        /* what lies before does not count */
	struct extent event; /* of the work that is measured */
	int64_t begin;       /* of the first step, if it is known */
	int64_t stop;        /* where a dropped one follows the last kept one */
	bool has_begin, has_stop;
	struct extent gpu;        /* of the work on devices */
	int64_t call_lo, call_hi; /* the longest call before it */
	struct buf call;
	int64_t end;      /* of the last iteration */
	int64_t work_end; /* of the iterations' work, or INT64_MIN */
	bool has_end;
	bool whole; /* all is one iteration and no step: the time before the
		       first work and after the last is told apart */
	struct split *split; /* --iters, by the value of split_of */
	size_t n_split;
	struct map split_of; /* by iteration */
	bool any_active;     /* anything ran on a device */
};

/* --iters: an iter record or its legend, kept until the time of its step is
 * known. What is in front of tail stays, then come the new columns. */
struct busy_iter {
	struct busy_iter *next;
	struct busy_file *file; /* NULL: a legend */
	int64_t iter;
	size_t head, tail, len;
	char line[];
};

struct busy_times {
	bool dlprof, iters; /* -D, --iters */
	struct busy_file **file;
	size_t n_file;
	struct smap names;
	bool any_comm; /* communication ran; otherwise its class has no row */
	uint64_t with_tc, no_tc; /* kernels that tell whether they use Tensor
				    Cores, and that do not */
	int64_t now;             /* what comes from now on is launched later */
	int iter_at, iter_has;   /* place of the columns of --iters; how many
				    the input has of them */
	struct store kept;
	struct busy_iter *first, **next;
	struct out_src_type busy_type, edge_type;
};

static const char *const words[C_N] = { "tc", "kern", "graph", "comm", "mem",
	"dataload", "io", "cpu", "other" };

/* Data loaders by the whole text, or (*) by what it begins with. */
static const char *const loaders[] = {
	/* PyTorch, its markers and those of PyProf, Lightning, DALI */
	"enumerate(DataLoader)#*", "DataLoader__next__", "DataLoader",
	"dataloader", "[pl][profile][_TrainingEpochLoop].train_dataloader_next",
	"[pl][profile][_EvaluationLoop].val_next", "[DALI]*",
	"DALIGenericIterator*",
	/* TensorFlow: ops that wait for the next element, and the data sets
	 * that make it */
	"IteratorGetNext*", "OptionalGetValue", "OneShotIterator",
	"MakeIterator", "ReduceDataset", "Dali", "Iterator::*",
	"MultiDeviceIteratorGetNextFromShard"
};

/* Whether a range's text, or an op's type, is of a data loader. */
static bool
class_is_data(struct mview v)
{
	size_t i, k;
	bool begin;

	for (i = 0; v.n > 0 && i < ARRAY_LEN(loaders); i++) {
		if (v.s[0] != loaders[i][0])
			continue;
		k = strlen(loaders[i]);
		begin = loaders[i][k - 1] == '*';
		k -= begin;
		if (v.n >= k && (v.n == k || begin) &&
		    memcmp(v.s, loaders[i], k) == 0)
			return true;
	}
	return false;
}

/* Functions of the operating system that read or write, in order. */
static const char *const io_names[] = { "copy_file_range", "fdatasync",
	"fflush", "fgets", "fputs", "fread", "fread_unlocked", "fsync",
	"fwrite", "fwrite_unlocked", "getline", "pread", "pread64", "preadv",
	"preadv64", "pwrite", "pwrite64", "pwritev", "pwritev64", "read",
	"readv", "sendfile", "sendfile64", "write", "writev" };

/* The row of pieces. */

#define PIECES 524288 /* kept; the older half is added up at that */

#define MARK 16 /* pieces between two sums in the index */

#define BIT(c) (1u << (c))
#define CPU_BITS (BIT(C_DATA) | BIT(C_IO) | BIT(C_CPU))

static void
lane_init(struct lane *l, const struct busy_file *f)
{
	memset(l, 0, sizeof(*l));
	l->file = f;
	l->base = INT64_MIN;
	timeline_init(&l->time);
}

/* The first piece that ends after t. What comes late is near the end, so the
 * search begins there. */
static size_t
piece_at(const struct lane *l, int64_t t)
{
	size_t lo = 0, hi = l->n, back;

	for (back = 16; back < l->n && l->v[l->n - back].end > t; back *= 2)
		hi = l->n - back + 1;
	if (back < l->n)
		lo = l->n - back;
	return lo + array_until(l->v + lo, hi - lo, sizeof(*l->v),
			offsetof(struct lane_piece, end), t);
}

static void
split_piece(struct lane *l, size_t i, int64_t at)
{
	ARRAY_GROW(l->v, l->n, l->cap);
	memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof(*l->v));
	l->n++;
	l->v[i].end = at;
}

/* Class c came late: the pieces in [lo, hi) get it. */
static void
mark(struct lane *l, int64_t lo, int64_t hi, enum busy_class c)
{
	size_t i;
	int64_t at;

	if (lo < l->base) {
		at = hi < l->base ? hi : l->base;
		l->late_ns = num_add(l->late_ns, num_sub(at, lo));
		lo = l->base;
	}
	for (i = piece_at(l, lo); i < l->n && lo < hi; i++) {
		at = i > 0 ? l->v[i - 1].end : l->base;
		if (l->v[i].mask & BIT(c)) {
			lo = l->v[i].end;
			continue;
		}
		if (at < lo) {
			split_piece(l, i, lo);
			continue;
		}
		if (l->v[i].end > hi)
			split_piece(l, i, hi);
		l->v[i].mask |= BIT(c);
		lo = l->v[i].end;
	}
}

static void
add_up(struct class_sums *s, unsigned mask, int64_t ns)
{
	unsigned c;
	int top = C_OTHER;

	for (c = C_OTHER; c-- > 0;)
		if (mask & BIT(c)) {
			top = (int)c;
			s->all[c] = num_add(s->all[c], ns);
		}
	if (top == C_OTHER)
		s->all[C_OTHER] = num_add(s->all[C_OTHER], ns);
	s->dur[top] = num_add(s->dur[top], ns);
}

/* Makes the index of a process's pieces, for time_before. */
static void
make_index(struct lane *l)
{
	struct class_sums s = { 0 };
	int64_t at = l->base;
	size_t i;

	l->index = xrealloc(l->index, l->n / MARK + 1, sizeof(s));
	for (i = 0; i <= l->n; i++) {
		if (i % MARK == 0)
			l->index[i / MARK] = s;
		if (i == l->n)
			break;
		if (l->v[i].mask != 0)
			add_up(&s, l->v[i].mask, num_sub(l->v[i].end, at));
		at = l->v[i].end;
	}
}

/* How long a process was in each class before t. */
static struct class_sums
time_before(const struct lane *l, int64_t t)
{
	size_t at = piece_at(l, t), i = at - at % MARK;
	struct class_sums s = l->index[i / MARK];
	int64_t lo = i > 0 ? l->v[i - 1].end : l->base, hi;

	for (; i <= at && i < l->n && lo < t; lo = hi, i++) {
		hi = l->v[i].end < t ? l->v[i].end : t;
		if (l->v[i].mask != 0)
			add_up(&s, l->v[i].mask, num_sub(hi, lo));
	}
	return s;
}

/* Adds a part of a device's piece, in which its process spent cpu. */
static void
add_part(struct class_sums *s, unsigned mask, int64_t ns,
    const struct class_sums *cpu)
{
	int c;

	if (mask != 0)
		add_up(s, mask, ns);
	for (c = C_DATA; c <= C_CPU; c++) {
		s->all[c] = num_add(s->all[c], cpu->all[c]);
		if (mask == 0) {
			s->dur[c] = num_add(s->dur[c], cpu->dur[c]);
			ns = num_sub(ns, cpu->dur[c]);
		}
	}
	if (mask == 0)
		add_up(s, 0, ns);
}

/* The next part begins. Most classes have no time in a part, and there may be
 * millions of parts: their sums take some 15 bytes. */
static void
next_part(struct lane *l)
{
	const struct class_sums *s = &l->sum;
	unsigned c, used = 0;

	for (c = 0; c < C_N; c++)
		used |= s->all[c] != 0 ? BIT(c) : 0;
	varint_add(&l->older, used);
	for (c = 0; c < C_N; c++)
		if (used & BIT(c)) {
			varint_add(&l->older, varint_fold(s->dur[c]));
			varint_add(&l->older,
			    varint_fold(num_sub(s->all[c], s->dur[c])));
		}
	l->sum = (struct class_sums){ 0 };
	l->part++;
}

/* What was added up of a part. Parts are asked for in their order, each once;
 * then from an earlier one on again. */
static struct class_sums
sums_of(struct lane *l, size_t part)
{
	struct class_sums s = l->sum;
	const char *p;
	uint64_t used, v;
	unsigned c;

	if (part < l->read_part)
		l->read = l->read_part = 0;
	if (part != l->part)
		memset(&s, 0, sizeof(s));
	for (; part < l->part && l->read_part <= part; l->read_part++) {
		memset(&s, 0, sizeof(s));
		p = varint_get(l->older.s + l->read, &used);
		for (c = 0; c < C_N; c++)
			if (used & BIT(c)) {
				p = varint_get(p, &v);
				s.dur[c] = varint_unfold(v);
				p = varint_get(p, &v);
				s.all[c] = num_add(s.dur[c], varint_unfold(v));
			}
		l->read = (size_t)(p - l->older.s);
	}
	return s;
}

/* Adds up the n oldest pieces, cut where iterations begin. cpu: the process of
 * a device, or NULL. In edge is the time that is not, or not yet, between two
 * pieces of work. */
static void
fold(struct lane *l, size_t n, const struct lane *cpu)
{
	const struct steps *c = &l->file->steps;
	struct class_sums was = { 0 }, is = was, part = was;
	size_t i = l->part, k;
	int64_t lo, hi, end;
	int x;

	for (k = 0; k < n; k++) {
		lo = l->base > l->file->from ? l->base : l->file->from;
		hi = l->v[k].end;
		if (cpu != NULL && lo < hi)
			was = time_before(cpu, lo);
		for (; lo < hi; lo = end) {
			while (i + 1 < c->n && c->v[i + 1].at <= lo)
				i++;
			end = hi;
			if (i + 1 < c->n && c->v[i + 1].at < hi)
				end = c->v[i + 1].at;
			while (l->part < i)
				next_part(l);
			if (cpu != NULL) {
				is = time_before(cpu, end);
				for (x = C_DATA; x <= C_CPU; x++) {
					part.all[x] = is.all[x] - was.all[x];
					part.dur[x] = is.dur[x] - was.dur[x];
				}
				was = is;
			}
			add_part(
			    &l->sum, l->v[k].mask, num_sub(end, lo), &part);
			if (l->v[k].mask & ~CPU_BITS) {
				l->any_gpu = true;
				memset(&l->edge[1], 0, sizeof(l->edge[1]));
			} else if (c->n <= 1) {
				add_part(&l->edge[l->any_gpu], l->v[k].mask,
				    num_sub(end, lo), &part);
			}
		}
		l->base = hi;
	}
	l->n -= n;
	if (n > 0)
		memmove(l->v, l->v + n, l->n * sizeof(*l->v));
}

/* Adds up all before t. */
static void
fold_to(struct lane *l, int64_t t, const struct lane *cpu)
{
	size_t i = piece_at(l, t);

	if (i < l->n && (i > 0 ? l->v[i - 1].end : l->base) < t)
		split_piece(l, i++, t);
	fold(l, i, cpu);
}

/* Time goes on to t; what is added later should begin after it. */
static void
lane_to(struct lane *l, int64_t t)
{
	struct timeline_piece x;

	while (timeline_next(&l->time, t, &x)) {
		if (x.hi <= x.lo)
			continue;
		if (l->n > 0 && l->v[l->n - 1].mask == x.mask) {
			l->v[l->n - 1].end = x.hi;
			continue;
		}
		ARRAY_GROW(l->v, l->n, l->cap);
		l->v[l->n++] = (struct lane_piece){ x.hi, x.mask };
	}
}

/* Class c is active in [lo, hi). */
static void
lane_add(struct lane *l, int64_t lo, int64_t hi, enum busy_class c)
{
	int64_t t = l->time.t;

	if (lo < t) {
		mark(l, lo, hi < t ? hi : t, c);
		lo = t;
	}
	if (hi > lo)
		timeline_add(&l->time, lo, hi, (int)c, NULL);
}

/* What a process did on the CPU, up to now and on, for a device's pieces. Both
 * have reached the same time. */
static void
lane_merge(struct lane *l, const struct lane *from)
{
	const struct timeheap *h = &from->time.on;
	struct lane_piece x, *v = NULL;
	size_t n = 0, cap = 0, first, i, k = 0;
	int64_t at;

	/* pieces before the process did anything stay: it may be one of many */
	while (k < from->n && from->v[k].mask == 0)
		k++;
	at = k > 0 ? from->v[k - 1].end : from->base;
	i = first = k < from->n ? piece_at(l, at) : l->n;
	at = first > 0 ? l->v[first - 1].end : l->base;
	k -= k > 0; /* what it did begins within the first of the others */
	while (i < l->n) {
		while (k < from->n && from->v[k].end <= at)
			k++;
		x = l->v[i];
		if (at < from->base) {
			if (from->base < x.end)
				x.end = from->base;
		} else if (k < from->n) {
			x.mask |= from->v[k].mask;
			if (from->v[k].end < x.end)
				x.end = from->v[k].end;
		}
		ARRAY_GROW(v, n, cap);
		v[n++] = x;
		i += x.end == l->v[i].end;
		at = x.end;
	}
	if (first + n > l->cap)
		l->v = xrealloc(l->v, l->cap = first + n, sizeof(*v));
	if (n > 0)
		memcpy(l->v + first, v, n * sizeof(*v));
	l->n = first + n;
	free(v);
	for (i = 0; i < h->n; i++)
		lane_add(l, from->time.t, h->v[i].end, h->v[i].kind);
	h = &from->time.soon;
	for (i = 0; i < h->n; i++)
		lane_add(l, h->v[i].at, h->v[i].end, h->v[i].kind);
}

static void
lane_free(struct lane *l)
{
	free(l->v);
	buf_free(&l->older);
	free(l->index);
	timeline_free(&l->time);
	memset(l, 0, sizeof(*l));
}

/* Devices and processes. */

#define SOON 1024 /* intervals that wait to begin: then time goes on */

/* Each is made if it is new. A device or process holds until another one is
 * made, a file as long as the section. */
static struct busy_file *
busy_file(struct busy_times *b, struct mview src)
{
	uint32_t i = 0;

	if (src.s != NULL)
		i = smap_put(&b->names, src.s, src.n, NULL);
	if (i >= b->n_file) {
		b->file = xrealloc(b->file, i + 1, sizeof(struct busy_file *));
		b->file[i] = xcalloc(1, sizeof(*b->file[i]));
		b->n_file = i + 1;
	}
	if (src.s != NULL)
		b->file[i]->name = smap_str(&b->names, i, NULL);
	return b->file[i];
}

static struct busy_dev *
busy_dev(struct busy_file *f, int64_t no)
{
	bool fresh;
	uint64_t *at = map_put(&f->devs, (uint64_t)no, &fresh);

	if (fresh) {
		*at = f->n_dev;
		f->dev = xrealloc(f->dev, ++f->n_dev, sizeof(*f->dev));
		f->dev[*at] = (struct busy_dev){ .no = no };
	}
	return &f->dev[*at];
}

static struct busy_proc *
busy_proc(struct busy_file *f, int64_t pid)
{
	bool fresh;
	uint64_t *at = map_put(&f->procs, (uint64_t)pid, &fresh);

	if (fresh) {
		*at = f->n_proc;
		f->proc = xrealloc(f->proc, ++f->n_proc, sizeof(*f->proc));
		f->proc[*at] = (struct busy_proc){ 0 };
		lane_init(&f->proc[*at].own, f);
	}
	return &f->proc[*at];
}

/* An event of the work that is measured. */
static void
busy_event(struct busy_times *b, struct busy_file *f, int64_t lo, int64_t hi)
{
	extent_add(&f->event, lo, hi);
	if (!b->dlprof) /* which counts from 0 */
		f->from = f->has_begin && f->begin < f->event.lo ? f->begin
								 : f->event.lo;
}

/* Adds up the older half of a row that has become long: of all that a process
 * and its devices did up to then, or of a device that processes share. */
static void
fold_half(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    struct lane *of, bool shared)
{
	int64_t t = of->v[of->n / 2].end;
	struct busy_dev *d = f->dev;

	if (shared) {
		fold_to(of, t, NULL);
		return;
	}
	lane_to(&p->own, b->now);
	make_index(&p->own);
	for (; d < f->dev + f->n_dev; d++)
		if (d->used && !d->shared && &f->proc[d->proc] == p) {
			lane_to(&d->lane, b->now);
			fold_to(&d->lane, t, &p->own);
		}
	fold_to(&p->own, t, NULL);
}

/* Class c is active from lo to hi in the process (d: NULL), or on a device that
 * it uses. */
static void
add_to_lane(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    struct busy_dev *d, int64_t lo, int64_t hi, enum busy_class c)
{
	struct lane *l = d != NULL ? &d->lane : &p->own;

	lane_add(l, lo, hi, c);
	if (l->time.soon.n >= SOON)
		lane_to(l, b->now);
	if (l->n >= PIECES)
		fold_half(b, f, p, l, d != NULL && d->shared);
}

/* The device has the process's CPU time in its own pieces from now on. */
static void
share_device(
    struct busy_times *b, struct busy_proc *p, struct busy_dev *d, uint32_t no)
{
	p->dev = xrealloc(p->dev, p->n_dev + 1, sizeof(*p->dev));
	p->dev[p->n_dev++] = no;
	d->shared = true;
	lane_to(&p->own, b->now);
	lane_to(&d->lane, b->now);
	lane_merge(&d->lane, &p->own);
}

/* The process begins to use the device. What it did so far is the device's,
 * too, if nobody has used it. */
static void
use_device(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    struct busy_dev *d)
{
	struct lane *own = &p->own;
	struct lane *l = &d->lane;
	uint32_t no = (uint32_t)(d - f->dev), proc = (uint32_t)(p - f->proc);
	bool fresh;
	size_t i;

	map_put(&f->uses, (uint64_t)no << 32 | proc, &fresh);
	if (!fresh)
		return;
	if (d->used) {
		if (!d->shared)
			share_device(b, &f->proc[d->proc], d, no);
		share_device(b, p, d, no);
		for (i = 0; i <= own->part; i++)
			l->late_ns =
			    num_add(l->late_ns, sums_of(own, i).dur[C_CPU]);
		return;
	}
	lane_init(l, f);
	l->base = l->time.t = l->time.from = own->base;
	l->part = own->part;
	l->sum = own->sum;
	buf_put(&l->older, own->older.s, own->older.len);
	memcpy(l->edge, own->edge, sizeof(l->edge));
	d->proc = proc;
	d->used = true;
}

/* On the CPU. */
static void
busy_cpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    int64_t lo, int64_t hi, enum busy_class c)
{
	size_t i;

	add_to_lane(b, f, p, NULL, lo, hi, c);
	for (i = 0; i < p->n_dev; i++)
		add_to_lane(b, f, p, &f->dev[p->dev[i]], lo, hi, c);
}

/* frees all but the records' types */
static void
begin_busy(struct stage *st)
{
	struct busy_times *b = st->ctx;
	struct busy_file *f;
	size_t i, k;

	for (i = 0; i < b->n_file; i++) {
		f = b->file[i];
		for (k = 0; k < f->n_dev; k++)
			lane_free(&f->dev[k].lane);
		for (k = 0; k < f->n_proc; k++) {
			lane_free(&f->proc[k].own);
			free(f->proc[k].dev);
		}
		free(f->dev);
		free(f->proc);
		steps_free(&f->steps);
		buf_free(&f->call);
		map_free(&f->devs);
		map_free(&f->procs);
		map_free(&f->uses);
		map_free(&f->split_of);
		free(f->split);
		free(f);
	}
	free(b->file);
	smap_free(&b->names);
	store_free(&b->kept);
	*b = (struct busy_times){ .dlprof = b->dlprof,
		.iters = b->iters,
		.now = INT64_MIN,
		.busy_type = b->busy_type,
		.edge_type = b->edge_type };
	b->next = &b->first;
}

/* The end of a section: a record per iteration, device and class. */

/* Adds what a device did between two cuts; one that did nothing idled. */
static void
add_sums(struct class_sums *s, const struct busy_file *f, struct busy_dev *d,
    size_t i, int64_t end)
{
	const struct steps_cut *cut = f->steps.v;
	struct class_sums part;
	size_t n = f->steps.n;
	int64_t lo = f->from, idle = 0;
	int c;

	if (!d->used) {
		if (i < n && cut[i].at > lo)
			lo = cut[i].at;
		if (i + 1 < n && cut[i + 1].at < end)
			end = cut[i + 1].at;
		if (f->whole)
			idle = num_sub(f->gpu.hi, f->gpu.lo);
		else if (end > lo)
			idle = num_sub(end, lo);
		s->dur[C_OTHER] = num_add(s->dur[C_OTHER], idle);
		s->all[C_OTHER] = num_add(s->all[C_OTHER], idle);
		return;
	}
	part = sums_of(&d->lane, i);
	for (c = 0; c < C_N; c++) {
		s->dur[c] = num_add(s->dur[c], part.dur[c]);
		s->all[c] = num_add(s->all[c], part.all[c]);
	}
}

/* The rows of all devices, of the time from a cut to the next; outside: of
 * all time before the iterations and after them. Where no kernel tells whether
 * it uses Tensor Cores, all are in class kern; how long those that do ran is
 * not known, unless none ran. */
static void
put_rows(struct busy_times *b, const struct busy_file *f, size_t cut,
    bool outside, int64_t end)
{
	const char *const names[] = { "iter", "dev", "class", "dur_ns",
		"union_ns", b->dlprof ? "src" : "after", "src" };
	static const struct steps_cut none = { .where = STEPS_OUT };
	const struct steps_cut *x =
	    !outside && cut < f->steps.n ? &f->steps.v[cut] : &none;
	struct class_sums s;
	size_t k, i;
	bool known;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		if (!outside)
			add_sums(&s, f, &f->dev[k], cut, end);
		for (i = 0; outside && i < f->steps.n; i++)
			if (f->steps.v[i].where == STEPS_OUT)
				add_sums(&s, f, &f->dev[k], i, end);
		for (c = 0; c < C_N; c++) {
			if (c == C_COMM && !b->any_comm)
				continue;
			known =
			    c != C_TC || b->with_tc > 0 || s.all[C_KERN] == 0;
			out_rec_src(&b->busy_type, "busy", names,
			    ARRAY_LEN(names) - b->dlprof, f->name != NULL);
			out_opt(x->where == STEPS_IN, x->iter);
			out_i64(f->dev[k].no);
			out_word(words[c]);
			out_opt(known, s.dur[c]);
			out_opt(known, s.all[c]);
			if (!b->dlprof)
				out_opt(x->where == STEPS_AFTER, x->iter);
			if (f->name != NULL)
				out_word(f->name);
			out_end();
		}
	}
}

static void
put_edge(struct busy_times *b, const struct busy_file *f, const char *at,
    int64_t ns, bool call)
{
	static const char *const names[] = { "at", "dur_ns", "api",
		"api_dur_ns", "src" };
	int64_t hi = f->call_hi < f->gpu.lo ? f->call_hi : f->gpu.lo;

	call = call && f->call.len > 0;
	out_rec_src(
	    &b->edge_type, "edge", names, ARRAY_LEN(names), f->name != NULL);
	out_word(at);
	out_i64(ns);
	out_raw(call ? f->call.s : NULL, f->call.len);
	out_opt(call, num_sub(hi, f->call_lo));
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

/* The time in steps, between two of them, and outside of all. DLProf has no
 * time in no iteration. */
static void
write_file(struct busy_times *b, struct busy_file *f, int64_t end)
{
	const struct steps *s = &f->steps;
	struct class_sums *sum;
	struct lane *l;
	size_t i;
	int c, k;

	f->whole = !b->dlprof && f->gpu.any &&
		   (s->n == 0 || (s->n == 1 && s->v[0].at == INT64_MIN));
	for (i = 0; f->whole && i < 2 * f->n_dev; i++) {
		/* only the time from the first work to the last */
		l = &f->dev[i / 2].lane;
		sum = &l->sum;
		k = i % 2;
		for (c = 0; l->any_gpu && c < C_N; c++) {
			sum->dur[c] = num_sub(sum->dur[c], l->edge[k].dur[c]);
			sum->all[c] = num_sub(sum->all[c], l->edge[k].all[c]);
		}
	}
	if (s->n == 0 && f->event.any)
		put_rows(b, f, 0, false, end);
	for (i = 0; i < s->n; i++)
		if (s->v[i].where == STEPS_IN ||
		    (s->v[i].where == STEPS_AFTER && !b->dlprof))
			put_rows(b, f, i, false, end);
	if (s->n > 0 && f->event.any && !b->dlprof)
		put_rows(b, f, 0, true, end);
	if (f->whole) {
		put_edge(b, f, "before", num_sub(f->gpu.lo, f->event.lo), true);
		put_edge(b, f, "behind", num_sub(end, f->gpu.hi), false);
	}
}

/* --iters: the steps of a file, each with the time after it. A device on which
 * nothing ran is left out, because it would only add idle time. */

static struct split *
split_of(struct busy_file *f, int64_t iter)
{
	bool fresh;
	uint64_t *no = map_put(&f->split_of, (uint64_t)iter, &fresh);

	if (fresh) {
		*no = f->n_split;
		ARRAY_REACH(f->split, f->n_split, *no);
	}
	return &f->split[*no];
}

static void
split_file(struct busy_times *b, struct busy_file *f, int64_t end)
{
	/* the classes after these are idle time */
	static const int to[C_DATA] = { SPLIT_TC, SPLIT_KERN, SPLIT_GRAPH,
		SPLIT_COMM, SPLIT_MEM };
	int64_t *sum;
	struct class_sums s;
	struct split *x;
	size_t k, i;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		if (!f->dev[k].used || !f->dev[k].lane.any_gpu)
			continue;
		f->any_active = true;
		for (i = 0; i < f->steps.n; i++) {
			if (f->steps.v[i].where == STEPS_OUT)
				continue;
			memset(&s, 0, sizeof(s));
			add_sums(&s, f, &f->dev[k], i, end);
			x = split_of(f, f->steps.v[i].iter);
			for (c = 0; c < C_N; c++) {
				sum = &x->dur[c < C_DATA ? to[c] : SPLIT_IDLE];
				*sum = num_add(*sum, s.dur[c]);
			}
			x->no_tc |= b->with_tc == 0 && s.all[C_KERN] != 0;
		}
	}
}

/* The last step goes on to the end of its work, or of all (DLProf). */
static void
close_last_step(struct busy_file *f)
{
	struct steps *s = &f->steps;
	struct steps_cut *last = s->n > 0 ? &s->v[s->n - 1] : NULL;

	if (last == NULL || last->where == STEPS_IN)
		return;
	if (f->has_end && f->work_end > last->at) {
		steps_add(s, f->work_end, -1, true);
	} else {
		last->where = STEPS_OUT;
		last->iter = -1;
	}
}

/* Returns how much time came too late to be counted, in ns. */
static int64_t
end_file(struct busy_times *b, struct busy_file *f)
{
	int64_t late = 0, end = f->event.hi;
	struct lane *l, *own;
	size_t i;

	if (f->has_end && f->end > end)
		end = f->end;
	if (f->has_stop && f->stop > end)
		end = f->stop;
	if (!b->dlprof) {
		close_last_step(f);
		/* a step lasts as long as its range, beyond all events */
		if (f->steps.n > 0 && f->steps.v[f->steps.n - 1].at > end)
			end = f->steps.v[f->steps.n - 1].at;
	}
	if (f->n_dev > 0)
		qsort(f->dev, f->n_dev, sizeof(*f->dev), array_by_i64);
	for (i = 0; i < f->n_dev && !f->dev[i].used; i++)
		;
	if (i == f->n_dev && i > 0) {
		/* nothing ran on a GPU: the first one stands for what the
		 * processes did */
		for (i = 0; i < f->n_proc; i++)
			use_device(b, f, &f->proc[i], &f->dev[0]);
	}
	for (i = 0; i < f->n_proc; i++) {
		lane_to(&f->proc[i].own, end);
		make_index(&f->proc[i].own);
	}
	for (i = 0; i < f->n_dev; i++) {
		if (!f->dev[i].used)
			continue;
		/* nothing comes any more, and time ends at end */
		l = &f->dev[i].lane;
		lane_to(l, end);
		while (l->n > 1 && l->v[l->n - 2].end >= end)
			l->n--;
		if (l->n > 0 && l->v[l->n - 1].end > end)
			l->v[l->n - 1].end = end;
		own = f->dev[i].shared ? NULL : &f->proc[f->dev[i].proc].own;
		fold(l, l->n, own);
		late = num_add(late, l->late_ns);
		if (own != NULL)
			late = num_add(late, own->late_ns);
	}
	write_file(b, f, end);
	if (b->iters)
		split_file(b, f, end);
	return late;
}

/* The records. */

static void
time_goes_on(struct busy_times *b, int64_t t)
{
	if (t > b->now)
		b->now = t;
}

/* A call on the CPU counts also where it is in no op. */
static void
add_api_call(struct busy_times *b, const struct rec *r, struct busy_file *f,
    const struct workrec *w)
{
	struct mview name = rec_get(r, COL_api);

	busy_event(b, f, w->api, w->api_end);
	if (!f->gpu.any && name.s != NULL &&
	    num_sub(w->api_end, w->api) > num_sub(f->call_hi, f->call_lo)) {
		/* the longest before the first work */
		f->call_lo = w->api;
		f->call_hi = w->api_end;
		buf_clear(&f->call);
		buf_put(&f->call, name.s, name.n);
	}
	if (w->api_end > w->api && rec_get(r, COL_inst_id).s == NULL)
		busy_cpu(b, f, busy_proc(f, w->pid), w->api, w->api_end, C_CPU);
}

static void
read_device_work(struct stage *st, struct rec *r)
{
	struct busy_times *b = st->ctx;
	enum busy_class c = *(const enum busy_class *)rec_arg(r);
	struct mview tc;
	struct busy_file *f;
	struct busy_proc *p;
	struct busy_dev *d;
	struct workrec w;

	stage_pass(st, r);
	work_read(&w, r);
	f = busy_file(b, w.src);
	time_goes_on(b, w.has_api ? w.api : w.start);
	if (w.has_api)
		add_api_call(b, r, f, &w);
	if (c == C_KERN) {
		tc = rec_get(r, COL_tc);
		*(tc.s == NULL ? &b->no_tc : &b->with_tc) += 1;
		if (mv_eq(tc, "yes"))
			c = C_TC;
		/* for DLProf it is like any other kernel */
		if (!b->dlprof && mv_eq(rec_get(r, COL_dir), "comm")) {
			b->any_comm = true;
			c = C_COMM;
		}
	}
	if (!w.has_dur || !w.has_dev)
		return;
	busy_event(b, f, w.start, w.end);
	p = busy_proc(f, w.pid);
	d = busy_dev(f, w.dev);
	extent_add(&f->gpu, w.start, w.end);
	use_device(b, f, p, d);
	add_to_lane(b, f, p, d, w.start, w.end, c);
}

/* A call, or of a wait for the GPU the call that waited: calls have no columns
 * of a call. */
static void
read_call(struct stage *st, struct rec *r)
{
	struct busy_times *b = st->ctx;
	struct busy_file *f;
	struct workrec w;

	stage_pass(st, r);
	work_read(&w, r);
	f = busy_file(b, w.src);
	if (rec_arg(r) != NULL) {
		w.has_api = w.has_start;
		w.api = w.start;
		w.api_end = w.end;
	}
	if (!w.has_api)
		return;
	time_goes_on(b, w.api);
	add_api_call(b, r, f, &w);
}

static void
read_op_run(struct stage *st, struct rec *r)
{
	struct busy_times *b = st->ctx;
	struct busy_file *f;
	struct busy_proc *p;
	struct workrec w;

	stage_pass(st, r);
	work_read(&w, r);
	f = busy_file(b, w.src);
	if (!w.has_dur)
		return;
	p = busy_proc(f, w.pid);
	busy_event(b, f, w.start, w.end);
	busy_cpu(b, f, p, w.start, w.end, C_CPU);
	if (class_is_data(rec_get(r, COL_op)))
		busy_cpu(b, f, p, w.start, w.end, C_DATA);
}

/* Ranges and calls of the operating system are known as they begin. */
static void
add_named_time(struct busy_times *b, const struct rec *r, enum busy_class c)
{
	struct busy_file *f;
	struct workrec w;

	work_read(&w, r);
	f = busy_file(b, w.src);
	if (w.has_dur)
		busy_cpu(b, f, busy_proc(f, w.pid), w.start, w.end, c);
}

static void
read_loader_range(struct stage *st, struct rec *r)
{
	stage_pass(st, r);
	if (class_is_data(rec_get(r, COL_text)))
		add_named_time(st->ctx, r, C_DATA);
}

static void
read_os_call(struct stage *st, struct rec *r)
{
	struct busy_times *b = st->ctx;
	struct mview name = rec_get(r, COL_name);

	stage_pass(st, r);
	if (name.s != NULL &&
	    (b->dlprof ? mv_eq(name, "fread") || mv_eq(name, "fwrite")
		       : mv_listed(name, io_names, ARRAY_LEN(io_names))))
		add_named_time(b, r, C_IO);
}

static void
read_device(struct stage *st, struct rec *r)
{
	struct busy_file *f = busy_file(st->ctx, rec_get(r, COL_src));
	int64_t no;

	stage_pass(st, r);
	if (rec_num(r, COL_dev, &no))
		busy_dev(f, no);
}

static void
read_busy_cut(struct stage *st, struct rec *r)
{
	struct busy_file *f = busy_file(st->ctx, rec_get(r, COL_src));
	const struct steps *s = &f->steps;
	bool dropped, in_loop = s->n > 0 && s->v[s->n - 1].where != STEPS_OUT;
	const struct steps_cut *c;

	stage_pass(st, r);
	c = steps_read(&f->steps, r, &dropped);
	if (c->where == STEPS_IN && !f->has_begin && c->at != INT64_MIN) {
		f->begin = c->at;
		f->has_begin = true;
	}
	if (dropped && in_loop) {
		f->stop = c->at;
		f->has_stop = true;
	}
}

static const char *const split_cols[SPLIT_N] = { "tc_ns", "comm_ns",
	"other_kern_ns", "graph_ns", "mem_ns", "idle_ns" };

/* Where column i of a line begins, with its TAB; its end if it has fewer. */
static size_t
column_start(const struct rec *r, int i)
{
	const char *s = r->line, *end = r->line + r->len;

	while ((s = memchr(s, '\t', (size_t)(end - s))) != NULL && i-- > 0)
		s++;
	return s != NULL ? (size_t)(s - r->line) : r->len;
}

static void
keep_iter(struct busy_times *b, const struct rec *r, struct busy_file *f)
{
	struct busy_iter *k = store_alloc(&b->kept, sizeof(*k) + r->len);

	k->next = NULL;
	k->file = f;
	k->iter = f != NULL ? rec_num_or(r, COL_iter, -1) : -1;
	k->head = column_start(r, b->iter_at);
	k->tail = column_start(r, b->iter_at + b->iter_has);
	k->len = r->len;
	memcpy(k->line, r->line, r->len);
	*b->next = k;
	b->next = &k->next;
}

static void
put_kept(const struct busy_iter *k)
{
	const struct split *x;
	int c;

	buf_put(&out_buf, k->line, k->head);
	if (k->file == NULL) {
		for (c = 0; c < SPLIT_N; c++)
			out_word(split_cols[c]);
	} else if (!k->file->any_active || k->iter < 0) {
		out_unsets(SPLIT_N);
	} else {
		x = split_of(k->file, k->iter);
		for (c = 0; c < SPLIT_N; c++)
			out_opt(c != SPLIT_TC || !x->no_tc, x->dur[c]);
	}
	buf_put(&out_buf, k->line + k->tail, k->len - k->tail);
	buf_putc(&out_buf, '\n');
	out_counted(k->file != NULL);
	out_check();
}

/* The columns of --iters come before src, which is the last one of all records,
 * and take the place of those of an earlier run. */
static void
read_iter_legend(struct stage *st, struct rec *r)
{
	struct busy_times *b = st->ctx;
	int i, n = rec_ncols(r->type);

	if (!b->iters) {
		stage_pass(st, r);
		return;
	}
	out_declared("iter", split_cols, SPLIT_N);
	for (i = 0; i < n; i++)
		if (strcmp(rec_colname(r->type, i), "src") == 0 ||
		    strcmp(rec_colname(r->type, i), split_cols[0]) == 0)
			break;
	b->iter_at = i;
	b->iter_has = 0;
	if (i < n && strcmp(rec_colname(r->type, i), "src") != 0)
		b->iter_has = SPLIT_N;
	keep_iter(b, r, NULL);
}

static void
read_iter_end(struct stage *st, struct rec *r)
{
	struct busy_times *b = st->ctx;
	struct busy_file *f;
	struct workrec w;
	int64_t end;

	work_read(&w, r);
	f = busy_file(b, w.src);
	if (b->iters)
		keep_iter(b, r, f);
	else
		stage_pass(st, r);
	if (!w.has_dur)
		return;
	if (!f->has_end)
		f->end = f->work_end = INT64_MIN;
	if (w.end > f->end)
		f->end = w.end;
	end = rec_num_or(r, COL_gpu_end_ns, INT64_MIN);
	if (end > f->work_end)
		f->work_end = end;
	f->has_end = true;
}

static void
finish_busy(struct stage *st)
{
	struct busy_times *b = st->ctx;
	const struct busy_iter *k;
	bool iters = false, cuts = false;
	int64_t late = 0;
	size_t i;

	for (i = 0; i < b->n_file; i++) {
		late = num_add(late, end_file(b, b->file[i]));
		iters |= b->file[i]->has_end;
		cuts |= b->file[i]->steps.n > 0;
	}
	/* columns and records that an earlier stage should have added */
	if (st->complete && iters && !cuts)
		warn("no cut records: all time is in no iteration; dlp-iter"
		     " --cuts adds them");
	if (st->complete && b->no_tc > 0 && b->with_tc == 0)
		warn("kern records without column tc: class tc is unknown, all"
		     " kernels are in class kern; dlp-flops adds it");
	stage_note("busy_without_tc", b->no_tc);
	stage_note("busy_late_ns", (uint64_t)late);
	for (k = b->first; k != NULL; k = k->next)
		put_kept(k);
}

static void
listen_busy(struct stage *st)
{
	static const enum busy_class kern = C_KERN, mem = C_MEM,
				     graph = C_GRAPH;
	static const char span[] = "start_ns dur_ns", idle[] = "busy edge",
			  work[] = "pid src dev api_start_ns api_dur_ns api"
				   " inst_id tc dir";

	stage_on(st, "kern", read_device_work, .need = span, .opt = work,
	    .arg = (void *)&kern);
	stage_on(st, "copy set", read_device_work, .need = span, .opt = work,
	    .arg = (void *)&mem);
	stage_on(st, "graph", read_device_work, .need = span, .opt = work,
	    .arg = (void *)&graph);
	stage_on(st, "sync", read_call, .only_for = idle, .need = span,
	    .opt = "pid src api_start_ns api_dur_ns api inst_id");
	stage_on(st, "call", read_call, .only_for = idle, .need = span,
	    .opt = "pid src api inst_id", .arg = (void *)&kern); /* any */
	stage_on(st, "inst", read_op_run, .only_for = idle, .need = span,
	    .opt = "pid src op");
	stage_on(st, "range", read_loader_range, .only_for = idle, .need = span,
	    .opt = "pid src text");
	stage_on(st, "os", read_os_call, .only_for = idle, .need = span,
	    .opt = "pid src name");
	stage_on(st, "dev", read_device, .opt = "dev src");
	stage_on(
	    st, "cut", read_busy_cut, .need = "start_ns", .opt = STEPS_COLS);
	stage_on(st, "iter", read_iter_end, .need = span,
	    .opt = "src gpu_end_ns iter", .legend = read_iter_legend);
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "busy_without_tc", "busy_late_ns",
		NULL };
	struct busy_times b = { 0 };
	const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &b.dlprof },
		{ 0, "iters", .flag = &b.iters },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-busy", opts, argc, argv);
	st.ctx = &b;
	st.section = begin_busy;
	st.end = finish_busy;
	listen_busy(&st);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	begin_busy(&st);
	return out_finish(rc);
}
