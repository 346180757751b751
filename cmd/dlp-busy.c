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
#include "map.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "stage.h"
#include "steps.h"
#include "timeline.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-busy [-Du] [--iters] [file]\n"
    "Adds busy records to a dlp stream: where the time of each iteration\n"
    "goes on each device.\n"
    "  -D, --dlprof      measure as DLProf does: from time 0, and only\n"
    "                    fread and fwrite count as I/O\n"
    "      --iters       add to iter records how their step_ns divides\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

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
	struct class_sums *sum; /* by place in file->steps */
	size_t n_sum;
	bool any_gpu;              /* work ran on it */
	struct class_sums edge[2]; /* the parts of sum before its first work,
				      and since its last; known if there is
				      one iteration */
	int64_t late_ns;           /* came when their time was added up */
};

/*
 * The devices and processes of a section. The CPU time of a process counts for
 * each device that it uses; it is kept for devices that it may use later.
 */

struct busy_dev {
	int64_t no;
	bool used;
	struct lane lane; /* if used */
};

struct busy_proc {
	struct lane own; /* what it does on the CPU */
	bool has_own;    /* not, if it uses all devices */
	uint32_t *dev;   /* that it uses */
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
	bool listed;            /* dev records: no other device is expected */
	struct map devs, procs; /* number -> place */
	struct steps steps;
	int64_t from; /* what lies before does not count */
	bool any;
	int64_t first, last; /* of the events */
	int64_t begin;       /* of the first step, if it is known */
	int64_t stop;        /* where a dropped one follows the last kept one */
	bool has_begin, has_stop;
	bool any_gpu;
	int64_t gpu_lo, gpu_hi;   /* of the work on devices */
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

struct busy_times { /* zeroed but for mode */
	const struct busy_mode *mode;
	struct busy_file **file;
	size_t n_file;
	struct smap names;
	bool any_comm; /* communication ran; otherwise its class has no row */
	uint64_t with_tc, no_tc; /* kernels that tell whether they use Tensor
				    Cores, and that do not */
	int64_t now;             /* what comes from now on is launched later */
	struct out_src_type busy_type, edge_type;
	bool iters; /* --iters */
};

/* Where DLProf (-D) counts in another way than dlp-busy. */
struct busy_mode {
	bool (*is_io)(const char *s, size_t n); /* as class_is_io() */

	/* From when on time counts, by the events of the file so far; NULL:
	 * from 0. */
	int64_t (*from)(const struct busy_file *f);

	/* The time after the last step and its work gets a cut of its own;
	 * NULL: it stays with the last step. */
	void (*close_steps)(struct busy_file *f);

	bool no_comm; /* communication is like any other kernel */

	/* Writes the records of a file, whose devices' time is over at end. */
	void (*write)(struct busy_times *b, struct busy_file *f, int64_t end);

	const char *const *cols; /* of busy records, src the last */
	size_t n_cols;
	bool has_after; /* a column among them */
};

/* Which names belong to a class. */

static const char *const words[C_N] = { "tc", "kern", "graph", "comm", "mem",
	"dataload", "io", "cpu", "other" };

static const char *
class_word(enum busy_class c)
{
	return words[c];
}

#define TEXT(s) s, sizeof(s) - 1

/* Data loaders by the whole text, or (begin) by what it begins with. */
static const struct {
	const char *text;
	size_t len;
	bool begin;
} loaders[] = {
	/* PyTorch, its markers and those of PyProf, Lightning, DALI */
	{ TEXT("enumerate(DataLoader)#"), true },
	{ TEXT("DataLoader__next__"), false },
	{ TEXT("DataLoader"), false },
	{ TEXT("dataloader"), false },
	{ TEXT("[pl][profile][_TrainingEpochLoop].train_dataloader_next"),
	    false },
	{ TEXT("[pl][profile][_EvaluationLoop].val_next"), false },
	{ TEXT("[DALI]"), true },
	{ TEXT("DALIGenericIterator"), true },
	/* TensorFlow: ops that wait for the next element, and the data sets
	 * that make it */
	{ TEXT("IteratorGetNext"), true },
	{ TEXT("OptionalGetValue"), false },
	{ TEXT("OneShotIterator"), false },
	{ TEXT("MakeIterator"), false },
	{ TEXT("ReduceDataset"), false },
	{ TEXT("Dali"), false },
	{ TEXT("Iterator::"), true },
	{ TEXT("MultiDeviceIteratorGetNextFromShard"), false },
};

/* Whether a range's text, or an op's type, is of a data loader. */
static bool
class_is_data(const char *s, size_t n)
{
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(loaders); i++) {
		k = loaders[i].len;
		if (n >= k && s[0] == loaders[i].text[0] &&
		    (n == k || loaders[i].begin) &&
		    memcmp(s, loaders[i].text, k) == 0)
			return true;
	}
	return false;
}

static const char *const io_names[] = {
	"fread",
	"fwrite",
	"fread_unlocked",
	"fwrite_unlocked",
	"read",
	"write",
	"pread",
	"pread64",
	"pwrite",
	"pwrite64",
	"readv",
	"writev",
	"preadv",
	"preadv64",
	"pwritev",
	"pwritev64",
	"fgets",
	"fputs",
	"getline",
	"fflush",
	"fsync",
	"fdatasync",
	"sendfile",
	"sendfile64",
	"copy_file_range",
};

/* Whether a function of the operating system reads or writes. */
static bool
class_is_io(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(io_names); i++)
		if (text_is(s, n, io_names[i]))
			return true;
	return false;
}

/* The row of pieces. */

#define PIECES 524288 /* kept; the older half is added up at that */

#define BIT(c) (1u << (c))

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
	size_t lo = 0, hi = l->n, mid, back;

	for (back = 16; back < l->n && l->v[l->n - back].end > t; back *= 2)
		hi = l->n - back + 1;
	if (back < l->n)
		lo = l->n - back;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->v[mid].end <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
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

static struct class_sums *
sums_at(struct lane *l, size_t i)
{
	if (i >= l->n_sum) {
		l->sum = xrealloc(l->sum, i + 1, sizeof(*l->sum));
		memset(
		    l->sum + l->n_sum, 0, (i + 1 - l->n_sum) * sizeof(*l->sum));
		l->n_sum = i + 1;
	}
	return &l->sum[i];
}

/* Time that is not, or not yet, between two pieces of work. */
static void
add_edge(struct lane *l, unsigned mask, int64_t ns)
{
	if (mask & (BIT(C_TC) | BIT(C_KERN) | BIT(C_GRAPH) | BIT(C_COMM) |
		       BIT(C_MEM))) {
		l->any_gpu = true;
		memset(&l->edge[1], 0, sizeof(l->edge[1]));
	} else {
		add_up(&l->edge[l->any_gpu], mask, ns);
	}
}

/* A piece, cut where iterations begin. */
static void
fold_piece(struct lane *l, int64_t lo, int64_t hi, unsigned mask)
{
	const struct steps *c = &l->file->steps;
	size_t i = l->n_sum > 0 ? l->n_sum - 1 : 0;
	int64_t end;

	if (lo < l->file->from)
		lo = l->file->from;
	while (lo < hi) {
		while (i + 1 < c->n && c->v[i + 1].at <= lo)
			i++;
		end = i + 1 < c->n && c->v[i + 1].at < hi ? c->v[i + 1].at : hi;
		add_up(sums_at(l, i), mask, num_sub(end, lo));
		if (c->n <= 1)
			add_edge(l, mask, num_sub(end, lo));
		lo = end;
	}
}

static void
fold(struct lane *l, size_t n)
{
	size_t i;

	if (n == 0)
		return;
	for (i = 0; i < n; i++) {
		fold_piece(l, l->base, l->v[i].end, l->v[i].mask);
		l->base = l->v[i].end;
	}
	memmove(l->v, l->v + n, (l->n - n) * sizeof(*l->v));
	l->n -= n;
}

static void
append(struct lane *l, int64_t t, unsigned mask)
{
	if (l->n > 0 && l->v[l->n - 1].mask == mask) {
		l->v[l->n - 1].end = t;
		return;
	}
	if (l->n >= PIECES)
		fold(l, l->n / 2);
	ARRAY_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = (struct lane_piece){ t, mask };
}

/* Time goes on to t; what is added later should begin after it. */
static void
lane_to(struct lane *l, int64_t t)
{
	struct timeline_piece x;

	while (timeline_next(&l->time, t, &x))
		if (x.hi > x.lo)
			append(l, x.hi, x.mask);
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

static void *
copy_of(const void *p, size_t n, size_t size)
{
	void *q;

	if (n == 0)
		return NULL;
	q = xmalloc(n * size);
	memcpy(q, p, n * size);
	return q;
}

/* A device that nobody has used becomes a process's: the same time so far. l is
 * overwritten. */
static void
lane_copy(struct lane *l, const struct lane *from)
{
	*l = *from;
	l->cap = l->n;
	l->v = copy_of(from->v, l->n, sizeof(*l->v));
	timeline_copy(&l->time, &from->time);
	l->sum = copy_of(from->sum, l->n_sum, sizeof(*l->sum));
}

static void
merge_piece(struct lane *l, int64_t lo, int64_t hi, unsigned mask)
{
	unsigned c;

	for (c = C_DATA; c <= C_CPU; c++)
		if (mask & BIT(c))
			lane_add(l, lo, hi, c);
}

static void
merge_timed(struct lane *l, int64_t start, const struct timed *x)
{
	if (x->kind >= C_DATA)
		lane_add(l, start, x->end, (enum busy_class)x->kind);
}

/* A device that is used already gets the process's time that is still known. */
static void
lane_merge(struct lane *l, const struct lane *from)
{
	int64_t lo = from->base;
	size_t i;

	for (i = 0; i < from->n; i++) {
		merge_piece(l, lo, from->v[i].end, from->v[i].mask);
		lo = from->v[i].end;
	}
	for (i = 0; i < from->time.on.n; i++)
		merge_timed(l, from->time.t, &from->time.on.v[i]);
	for (i = 0; i < from->time.soon.n; i++)
		merge_timed(l, from->time.soon.v[i].at, &from->time.soon.v[i]);
	for (i = 0; i < from->n_sum; i++)
		l->late_ns = num_add(l->late_ns, from->sum[i].dur[C_CPU]);
}

/* Nothing comes any more, and time ends at t: all is in sum[0..n_sum). */
static void
lane_end(struct lane *l, int64_t t)
{
	lane_to(l, t);
	while (l->n > 1 && l->v[l->n - 2].end >= t)
		l->n--;
	if (l->n > 0 && l->v[l->n - 1].end > t)
		l->v[l->n - 1].end = t;
	fold(l, l->n);
}

static void
subtract(struct class_sums *s, const struct class_sums *part)
{
	int c;

	for (c = 0; c < C_N; c++) {
		s->dur[c] = num_sub(s->dur[c], part->dur[c]);
		s->all[c] = num_sub(s->all[c], part->all[c]);
	}
}

/* After that, if all is one iteration: only the time from its first work to
 * its last. */
static void
lane_between(struct lane *l)
{
	if (!l->any_gpu || l->n_sum == 0)
		return;
	subtract(&l->sum[0], &l->edge[0]);
	subtract(&l->sum[0], &l->edge[1]);
}

static void
lane_free(struct lane *l)
{
	free(l->v);
	free(l->sum);
	timeline_free(&l->time);
	memset(l, 0, sizeof(*l));
}

/* Devices and processes. */

#define SOON 1024 /* intervals that wait to begin: then time goes on */

static uint32_t
place_of(struct map *m, int64_t key, size_t *n)
{
	bool fresh;
	uint64_t *v = map_put(m, (uint64_t)key, &fresh);

	if (fresh)
		*v = (*n)++;
	return (uint32_t)*v;
}

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
	size_t n = f->n_dev;
	uint32_t i = place_of(&f->devs, no, &f->n_dev);

	if (n < f->n_dev) {
		f->dev = xrealloc(f->dev, f->n_dev, sizeof(*f->dev));
		memset(&f->dev[i], 0, sizeof(*f->dev));
		f->dev[i].no = no;
	}
	return &f->dev[i];
}

static struct busy_proc *
busy_proc(struct busy_file *f, int64_t pid)
{
	size_t n = f->n_proc;
	uint32_t i = place_of(&f->procs, pid, &f->n_proc);

	if (n < f->n_proc) {
		f->proc = xrealloc(f->proc, f->n_proc, sizeof(*f->proc));
		memset(&f->proc[i], 0, sizeof(*f->proc));
		f->proc[i].has_own = true;
		lane_init(&f->proc[i].own, f);
	}
	return &f->proc[i];
}

/* An event of the work that is measured. */
static void
busy_event(struct busy_times *b, struct busy_file *f, int64_t lo, int64_t hi)
{
	if (!f->any || lo < f->first)
		f->first = lo;
	if (!f->any || hi > f->last)
		f->last = hi;
	f->any = true;
	if (b->mode->from != NULL)
		f->from = b->mode->from(f);
}

static void
add_to_lane(struct busy_times *b, struct lane *l, int64_t lo, int64_t hi,
    enum busy_class c)
{
	lane_add(l, lo, hi, c);
	if (l->time.soon.n >= SOON)
		lane_to(l, b->now);
}

/* A call, which may be the longest before the first work. */
static void
busy_call(struct busy_file *f, int64_t lo, int64_t hi, struct mview name)
{
	if (f->any_gpu || name.s == NULL ||
	    num_sub(hi, lo) <= num_sub(f->call_hi, f->call_lo))
		return;
	f->call_lo = lo;
	f->call_hi = hi;
	buf_clear(&f->call);
	buf_put(&f->call, name.s, name.n);
}

static bool
uses_device(const struct busy_proc *p, uint32_t dev)
{
	size_t i;

	for (i = 0; i < p->n_dev; i++)
		if (p->dev[i] == dev)
			return true;
	return false;
}

/* The process begins to use the device. A device that no dev record named comes
 * when the process has no time of its own any more: it takes that of its first
 * device. */
static void
use_device(struct busy_file *f, struct busy_proc *p, struct busy_dev *d)
{
	uint32_t no = (uint32_t)(d - f->dev);

	if (uses_device(p, no))
		return;
	p->dev = xrealloc(p->dev, p->n_dev + 1, sizeof(*p->dev));
	p->dev[p->n_dev++] = no;
	if (!d->used && p->has_own)
		lane_copy(&d->lane, &p->own);
	else if (!d->used)
		lane_init(&d->lane, f);
	if (d->used || !p->has_own)
		lane_merge(
		    &d->lane, p->has_own ? &p->own : &f->dev[p->dev[0]].lane);
	d->lane.file = f; /* the process may have no time of its own */
	d->used = true;
}

/* Work of a process on a device. */
static void
busy_gpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    struct busy_dev *d, int64_t lo, int64_t hi, enum busy_class c)
{
	if (!f->any_gpu || lo < f->gpu_lo)
		f->gpu_lo = lo;
	if (!f->any_gpu || hi > f->gpu_hi)
		f->gpu_hi = hi;
	f->any_gpu = true;
	use_device(f, p, d);
	add_to_lane(b, &d->lane, lo, hi, c);
}

/* On the CPU. */
static void
busy_cpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    int64_t lo, int64_t hi, enum busy_class c)
{
	size_t i;

	for (i = 0; i < p->n_dev; i++)
		add_to_lane(b, &f->dev[p->dev[i]].lane, lo, hi, c);
	if (p->has_own && f->listed && p->n_dev > 0 && p->n_dev == f->n_dev) {
		lane_free(&p->own);
		p->has_own = false;
	}
	if (p->has_own)
		add_to_lane(b, &p->own, lo, hi, c);
}

static void
free_file(struct busy_file *f)
{
	size_t k;

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
	map_free(&f->split_of);
	free(f->split);
	free(f);
}

/* frees all but the records' types */
static void
busy_clear(struct busy_times *b)
{
	size_t i;

	for (i = 0; i < b->n_file; i++)
		free_file(b->file[i]);
	free(b->file);
	smap_free(&b->names);
	*b = (struct busy_times){ .mode = b->mode,
		.now = INT64_MIN,
		.busy_type = b->busy_type,
		.edge_type = b->edge_type,
		.iters = b->iters };
}

/* The end of a section: a record per iteration, device and class. */

struct busy_row { /* of which device, in which iteration, or after which */
	int64_t iter, after, dev;
	bool tc; /* kernels tell whether they use Tensor Cores */
};

/* Where no kernel tells whether it uses Tensor Cores, all are in class kern;
 * how long those that do ran is not known, unless none ran. */
static void
put_class_row(struct busy_times *b, const struct busy_file *f,
    const struct busy_row *x, int c, const struct class_sums *s)
{
	const char *w = class_word((enum busy_class)c);
	bool known = c != C_TC || x->tc || s->all[C_KERN] == 0;

	if (c == C_COMM && !b->any_comm)
		return;
	out_rec_src(&b->busy_type, "busy", b->mode->cols, b->mode->n_cols,
	    f->name != NULL);
	out_opt(x->iter >= 0, x->iter);
	out_i64(x->dev);
	out_word(w);
	out_opt(known, s->dur[c]);
	out_opt(known, s->all[c]);
	if (b->mode->has_after)
		out_opt(x->after >= 0, x->after);
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

/* How long iteration i lasts. */
static int64_t
iter_length(const struct busy_file *f, size_t i, int64_t end)
{
	const struct steps *c = &f->steps;
	int64_t lo = f->from;

	if (f->whole)
		return num_sub(f->gpu_hi, f->gpu_lo);
	if (i < c->n && c->v[i].at > lo)
		lo = c->v[i].at;
	if (i + 1 < c->n && c->v[i + 1].at < end)
		end = c->v[i + 1].at;
	return end > lo ? num_sub(end, lo) : 0;
}

/* Adds what a device did between two cuts. */
static void
add_sums(struct class_sums *s, const struct busy_file *f,
    const struct busy_dev *d, size_t i, int64_t end)
{
	int64_t other = d->used ? 0 : iter_length(f, i, end);
	int c;

	s->dur[C_OTHER] = num_add(s->dur[C_OTHER], other);
	s->all[C_OTHER] = num_add(s->all[C_OTHER], other);
	if (!d->used || i >= d->lane.n_sum)
		return;
	for (c = 0; c < C_N; c++) {
		s->dur[c] = num_add(s->dur[c], d->lane.sum[i].dur[c]);
		s->all[c] = num_add(s->all[c], d->lane.sum[i].all[c]);
	}
}

/* For the modes: the rows of all devices, of the time between cuts i and
 * i + 1. */
static void
busy_put_iter(
    struct busy_times *b, const struct busy_file *f, size_t i, int64_t end)
{
	struct busy_row x = { -1, -1, 0, b->with_tc > 0 };
	struct class_sums s;
	size_t k;
	int c;

	if (i < f->steps.n && f->steps.v[i].where == STEPS_IN)
		x.iter = f->steps.v[i].iter;
	if (i < f->steps.n && f->steps.v[i].where == STEPS_AFTER)
		x.after = f->steps.v[i].iter;
	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		add_sums(&s, f, &f->dev[k], i, end);
		x.dev = f->dev[k].no;
		for (c = 0; c < C_N; c++)
			put_class_row(b, f, &x, c, &s);
	}
}

/* All time before the iterations and after them. */
static void
put_outside(struct busy_times *b, const struct busy_file *f, int64_t end)
{
	struct busy_row x = { -1, -1, 0, b->with_tc > 0 };
	struct class_sums s;
	size_t k, i;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		for (i = 0; i < f->steps.n; i++)
			if (f->steps.v[i].where == STEPS_OUT)
				add_sums(&s, f, &f->dev[k], i, end);
		x.dev = f->dev[k].no;
		for (c = 0; c < C_N; c++)
			put_class_row(b, f, &x, c, &s);
	}
}

static void
put_edge(struct busy_times *b, const struct busy_file *f, const char *at,
    int64_t ns, bool call)
{
	static const char *const names[] = { "at", "dur_ns", "api",
		"api_dur_ns", "src" };
	int64_t hi = f->call_hi < f->gpu_lo ? f->call_hi : f->gpu_lo;

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

static int
by_number(const void *a, const void *b)
{
	const struct busy_dev *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

/* --iters: the steps of a file, each with the time after it. A device on which
 * nothing ran is left out, because it would only add idle time. */

static bool
is_active(const struct lane *l)
{
	size_t i;
	int c;

	for (i = 0; i < l->n_sum; i++)
		for (c = 0; c < C_DATA; c++)
			if (l->sum[i].dur[c] > 0)
				return true;
	return false;
}

static struct split *
split_of(struct busy_file *f, int64_t iter)
{
	bool fresh;
	uint64_t *no = map_put(&f->split_of, (uint64_t)iter, &fresh);

	if (fresh) {
		*no = f->n_split;
		f->split = xrealloc(f->split, ++f->n_split, sizeof(*f->split));
		memset(&f->split[*no], 0, sizeof(*f->split));
	}
	return &f->split[*no];
}

static void
split_add(struct split *x, const struct class_sums *s, bool with_tc)
{
	static const int to[C_N] = { [C_TC] = SPLIT_TC,
		[C_KERN] = SPLIT_KERN,
		[C_GRAPH] = SPLIT_GRAPH,
		[C_COMM] = SPLIT_COMM,
		[C_MEM] = SPLIT_MEM,
		[C_DATA] = SPLIT_IDLE,
		[C_IO] = SPLIT_IDLE,
		[C_CPU] = SPLIT_IDLE,
		[C_OTHER] = SPLIT_IDLE };
	int c;

	for (c = 0; c < C_N; c++)
		x->dur[to[c]] = num_add(x->dur[to[c]], s->dur[c]);
	x->no_tc |= !with_tc && s->all[C_KERN] != 0;
}

static void
split_file(struct busy_times *b, struct busy_file *f, int64_t end)
{
	struct class_sums s;
	size_t k, i;

	for (k = 0; k < f->n_dev; k++) {
		if (!f->dev[k].used || !is_active(&f->dev[k].lane))
			continue;
		f->any_active = true;
		for (i = 0; i < f->steps.n; i++) {
			if (f->steps.v[i].where == STEPS_OUT)
				continue;
			memset(&s, 0, sizeof(s));
			add_sums(&s, f, &f->dev[k], i, end);
			split_add(split_of(f, f->steps.v[i].iter), &s,
			    b->with_tc > 0);
		}
	}
}

/* Where nothing ran on a GPU, the first one stands for what the processes
 * did. */
static void
without_gpu(struct busy_file *f)
{
	size_t i;

	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].used)
			return;
	if (f->n_dev == 0)
		return;
	lane_init(&f->dev[0].lane, f);
	f->dev[0].used = true;
	for (i = 0; i < f->n_proc; i++)
		lane_merge(&f->dev[0].lane, &f->proc[i].own);
}

/* Returns how much time came too late to be counted, in ns. */
static int64_t
end_file(struct busy_times *b, struct busy_file *f)
{
	int64_t late = 0, end = f->last;
	size_t i;

	if (f->has_end && f->end > end)
		end = f->end;
	if (f->has_stop && f->stop > end)
		end = f->stop;
	if (b->mode->close_steps != NULL)
		b->mode->close_steps(f);
	if (f->n_dev > 0)
		qsort(f->dev, f->n_dev, sizeof(*f->dev), by_number);
	without_gpu(f);
	for (i = 0; i < f->n_dev; i++) {
		if (!f->dev[i].used)
			continue;
		lane_end(&f->dev[i].lane, end);
		late = num_add(late, f->dev[i].lane.late_ns);
	}
	b->mode->write(b, f, end);
	if (b->iters)
		split_file(b, f, end);
	return late;
}

/* Columns and records that an earlier stage should have added. */
static void
warn_of_missing(const struct busy_times *b)
{
	bool iters = false, cuts = false;
	size_t i;

	for (i = 0; i < b->n_file; i++) {
		iters |= b->file[i]->has_end;
		cuts |= b->file[i]->steps.n > 0;
	}
	if (iters && !cuts)
		warn("no cut records: all time is in no iteration; dlp-iter"
		     " --cuts adds them");
	if (b->no_tc > 0 && b->with_tc == 0)
		warn("kern records without column tc: class tc is unknown, all"
		     " kernels are in class kern; dlp-flops adds it");
}

/* The end of a section: writes the records and notes, and says, of a whole
 * one, which columns and records an earlier stage should have added. */
static void
busy_end(struct busy_times *b, bool whole)
{
	int64_t late = 0;
	size_t i;

	for (i = 0; i < b->n_file; i++)
		late = num_add(late, end_file(b, b->file[i]));
	if (whole)
		warn_of_missing(b);
	stage_note("busy_without_tc", b->no_tc);
	stage_note("busy_late_ns", (uint64_t)late);
}

/* How dlp-busy counts of its own accord. */

static int64_t
from_first_event(const struct busy_file *f)
{
	return f->has_begin && f->begin < f->first ? f->begin : f->first;
}

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

static bool
file_is_whole(const struct busy_file *f)
{
	return f->any_gpu &&
	       (f->steps.n == 0 ||
		   (f->steps.n == 1 && f->steps.v[0].at == INT64_MIN));
}

/* The time in steps, between two of them, and outside of all. */
static void
write_all_time(struct busy_times *b, struct busy_file *f, int64_t end)
{
	size_t i;

	f->whole = file_is_whole(f);
	for (i = 0; f->whole && i < f->n_dev; i++)
		if (f->dev[i].used)
			lane_between(&f->dev[i].lane);
	if (f->steps.n == 0 && f->any)
		busy_put_iter(b, f, 0, end);
	for (i = 0; i < f->steps.n; i++)
		if (f->steps.v[i].where != STEPS_OUT)
			busy_put_iter(b, f, i, end);
	if (f->steps.n > 0 && f->any)
		put_outside(b, f, end);
	if (f->whole) {
		put_edge(b, f, "before", num_sub(f->gpu_lo, f->first), true);
		put_edge(b, f, "behind", num_sub(end, f->gpu_hi), false);
	}
}

static const char *const own_cols[] = { "iter", "dev", "class", "dur_ns",
	"union_ns", "after", "src" };

static const struct busy_mode busy_own = {
	.is_io = class_is_io,
	.from = from_first_event,
	.close_steps = close_last_step,
	.write = write_all_time,
	.cols = own_cols,
	.n_cols = ARRAY_LEN(own_cols),
	.has_after = true,
};

/*
 * How DLProf adds up the time of devices (-D): from time 0 on, and of the
 * operating system only fread and fwrite are I/O. There is no time in no
 * iteration: the last one goes on to the end.
 */

static bool
is_dlprof_io(const char *s, size_t n)
{
	return text_is(s, n, "fread") || text_is(s, n, "fwrite");
}

static void
write_iterations(struct busy_times *b, struct busy_file *f, int64_t end)
{
	size_t i;

	if (f->steps.n == 0 && f->any)
		busy_put_iter(b, f, 0, end);
	for (i = 0; i < f->steps.n; i++)
		if (f->steps.v[i].where == STEPS_IN)
			busy_put_iter(b, f, i, end);
}

static const char *const dlprof_cols[] = { "iter", "dev", "class", "dur_ns",
	"union_ns", "src" };

static const struct busy_mode busy_dlprof = {
	.is_io = is_dlprof_io,
	.no_comm = true,
	.write = write_iterations,
	.cols = dlprof_cols,
	.n_cols = ARRAY_LEN(dlprof_cols),
};

struct busy_type {             /* of records */
	enum busy_class class; /* of GPU work */
	struct workrec_cols cols;
	struct rec_col *api, *inst_id; /* the call's name; the run of its op */
	struct rec_col *tc, *dir;      /* kern */
	struct rec_col *text;          /* inst, range, os */
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

struct busy_input {
	struct busy_times busy;
	struct busy_type kern, copy, set, graph, sync, call, inst, range, os;
	struct {
		struct rec_col *dev, *src;
	} dev;
	struct {
		struct workrec_cols cols;
		struct rec_col *gpu_end, *no;
		int at, has; /* place of the columns of --iters; how many the
				input has of them */
	} iter;
	struct store kept;
	struct busy_iter *first, **next;
	struct steps_cols cut;
};

static void
time_goes_on(struct busy_times *b, int64_t t)
{
	if (t > b->now)
		b->now = t;
}

/* A call on the CPU counts also where it is in no op. */
static void
add_api_call(struct busy_times *b, const struct busy_type *k,
    const struct rec *r, struct busy_file *f, const struct workrec *w)
{
	busy_event(b, f, w->api, w->api_end);
	busy_call(f, w->api, w->api_end, rec_view(r, k->api));
	if (w->api_end > w->api && rec_view(r, k->inst_id).s == NULL)
		busy_cpu(b, f, busy_proc(f, w->pid), w->api, w->api_end, C_CPU);
}

static enum busy_class
kern_class(struct busy_times *b, const struct busy_type *k, const struct rec *r)
{
	struct mview tc = rec_view(r, k->tc);

	*(tc.s == NULL ? &b->no_tc : &b->with_tc) += 1;
	if (!b->mode->no_comm && rec_is(r, k->dir, "comm")) {
		b->any_comm = true;
		return C_COMM;
	}
	return mv_eq(tc, "yes") ? C_TC : C_KERN;
}

static void
read_device_work(struct stage *st, struct rec *r)
{
	struct busy_times *b = &((struct busy_input *)st->ctx)->busy;
	const struct busy_type *k = rec_arg(r);
	enum busy_class c = k->class;
	struct busy_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	time_goes_on(b, w.has_api ? w.api : w.start);
	if (w.has_api)
		add_api_call(b, k, r, f, &w);
	if (c == C_KERN)
		c = kern_class(b, k, r);
	if (!w.has_dur || !w.has_dev)
		return;
	busy_event(b, f, w.start, w.end);
	busy_gpu(
	    b, f, busy_proc(f, w.pid), busy_dev(f, w.dev), w.start, w.end, c);
}

/* A call; of a wait for the GPU the call that waited. */
static void
read_call(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	const struct busy_type *k = rec_arg(r);
	struct busy_file *f;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(&in->busy, w.src);
	if (k == &in->call) {
		w.has_api = w.has_start;
		w.api = w.start;
		w.api_end = w.end;
	}
	if (!w.has_api)
		return;
	time_goes_on(&in->busy, w.api);
	add_api_call(&in->busy, k, r, f, &w);
}

static void
read_op_run(struct stage *st, struct rec *r)
{
	struct busy_times *b = &((struct busy_input *)st->ctx)->busy;
	const struct busy_type *k = rec_arg(r);
	struct mview op = rec_view(r, k->text);
	struct busy_file *f;
	struct busy_proc *p;
	struct workrec w;

	stage_pass(st, r);
	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	if (!w.has_dur)
		return;
	p = busy_proc(f, w.pid);
	busy_event(b, f, w.start, w.end);
	busy_cpu(b, f, p, w.start, w.end, C_CPU);
	if (op.s != NULL && class_is_data(op.s, op.n))
		busy_cpu(b, f, p, w.start, w.end, C_DATA);
}

/* Ranges and calls of the operating system are known as they begin. */
static void
add_named_time(struct busy_times *b, const struct busy_type *k,
    const struct rec *r, enum busy_class c)
{
	struct busy_file *f;
	struct workrec w;

	workrec_read(&w, &k->cols, r);
	f = busy_file(b, w.src);
	if (w.has_dur)
		busy_cpu(b, f, busy_proc(f, w.pid), w.start, w.end, c);
}

static void
read_loader_range(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct mview text = rec_view(r, in->range.text);

	stage_pass(st, r);
	if (text.s != NULL && class_is_data(text.s, text.n))
		add_named_time(&in->busy, &in->range, r, C_DATA);
}

static void
read_os_call(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct mview name = rec_view(r, in->os.text);

	stage_pass(st, r);
	if (name.s != NULL && in->busy.mode->is_io(name.s, name.n))
		add_named_time(&in->busy, &in->os, r, C_IO);
}

static void
read_device(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	int64_t no;
	struct busy_file *f = busy_file(&in->busy, rec_view(r, in->dev.src));

	stage_pass(st, r);
	if (!rec_i64(r, in->dev.dev, &no))
		return;
	f->listed = true;
	busy_dev(f, no);
}

static void
read_busy_cut(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct busy_file *f = busy_file(&in->busy, rec_view(r, in->cut.src));
	const struct steps *s = &f->steps;
	bool dropped, in_loop = s->n > 0 && s->v[s->n - 1].where != STEPS_OUT;
	const struct steps_cut *c;

	stage_pass(st, r);
	c = steps_read(&f->steps, &in->cut, r, &dropped);
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
keep_iter(struct busy_input *in, const struct rec *r, struct busy_file *f)
{
	struct busy_iter *k = store_alloc(&in->kept, sizeof(*k) + r->len);

	k->next = NULL;
	k->file = f;
	k->iter = f != NULL ? rec_int(r, in->iter.no, -1) : -1;
	k->head = column_start(r, in->iter.at);
	k->tail = column_start(r, in->iter.at + in->iter.has);
	k->len = r->len;
	memcpy(k->line, r->line, r->len);
	*in->next = k;
	in->next = &k->next;
}

static void
put_split(struct busy_file *f, int64_t iter)
{
	const struct split *x;
	int c;

	if (!f->any_active || iter < 0) {
		out_unsets(SPLIT_N);
		return;
	}
	x = split_of(f, iter);
	out_opt(!x->no_tc, x->dur[SPLIT_TC]);
	for (c = SPLIT_TC + 1; c < SPLIT_N; c++)
		out_i64(x->dur[c]);
}

static void
put_kept(const struct busy_iter *k)
{
	int c;

	buf_put(&out_buf, k->line, k->head);
	if (k->file != NULL)
		put_split(k->file, k->iter);
	for (c = 0; k->file == NULL && c < SPLIT_N; c++)
		out_word(split_cols[c]);
	buf_put(&out_buf, k->line + k->tail, k->len - k->tail);
	buf_putc(&out_buf, '\n');
	out_counted(k->file != NULL);
	out_check();
}

static void
forget_iters(struct busy_input *in)
{
	store_free(&in->kept);
	in->first = NULL;
	in->next = &in->first;
}

/* The columns of --iters come before src, which is the last one of all records,
 * and take the place of those of an earlier run. */
static void
read_iter_legend(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	int i, n = rec_ncols(r->type);

	if (!in->busy.iters) {
		stage_pass(st, r);
		return;
	}
	out_declared("iter", split_cols, SPLIT_N);
	in->iter.at = n;
	in->iter.has = 0;
	for (i = 0; i < n; i++)
		if (strcmp(rec_colname(r->type, i), "src") == 0 ||
		    strcmp(rec_colname(r->type, i), split_cols[0]) == 0) {
			in->iter.at = i;
			break;
		}
	if (i < n && strcmp(rec_colname(r->type, i), "src") != 0)
		in->iter.has = SPLIT_N;
	keep_iter(in, r, NULL);
}

static void
read_iter_end(struct stage *st, struct rec *r)
{
	struct busy_input *in = st->ctx;
	struct busy_file *f;
	struct workrec w;
	int64_t end;

	workrec_read(&w, &in->iter.cols, r);
	f = busy_file(&in->busy, w.src);
	if (in->busy.iters)
		keep_iter(in, r, f);
	else
		stage_pass(st, r);
	if (!w.has_dur)
		return;
	if (!f->has_end)
		f->end = f->work_end = INT64_MIN;
	if (w.end > f->end)
		f->end = w.end;
	end = rec_int(r, in->iter.gpu_end, INT64_MIN);
	if (end > f->work_end)
		f->work_end = end;
	f->has_end = true;
}

static void
begin_busy(struct stage *st)
{
	struct busy_input *in = st->ctx;

	busy_clear(&in->busy);
	forget_iters(in);
}

static void
finish_busy(struct stage *st)
{
	struct busy_input *in = st->ctx;
	const struct busy_iter *k;

	busy_end(&in->busy, st->complete);
	for (k = in->first; k != NULL; k = k->next)
		put_kept(k);
}

static struct rec_type *
listen_time(
    struct stage *st, const char *tag, stage_fn *fn, struct busy_type *k)
{
	struct rec_type *t = stage_on(st, tag, fn, NULL, k);

	workrec_bind(&k->cols, t, WORKREC_SPAN, WORKREC_PID | WORKREC_SRC);
	return t;
}

static void
listen_calls(struct stage *st, const char *tag, stage_fn *fn,
    struct busy_type *k, enum busy_class c)
{
	struct rec_type *t = stage_on(st, tag, fn, NULL, k);
	unsigned opt = WORKREC_PID | WORKREC_SRC;

	if (fn == read_device_work)
		opt |= WORKREC_DEV;
	if (strcmp(tag, "call") != 0)
		opt |= WORKREC_CALL;
	k->class = c;
	workrec_bind(&k->cols, t, WORKREC_SPAN, opt);
	REC_COLS(t, REC_OPT, { &k->api, "api" }, { &k->inst_id, "inst_id" },
	    { &k->tc, "tc" }, { &k->dir, "dir" });
}

static void
listen_busy(struct stage *st, struct busy_input *in)
{
	struct rec_type *t;

	listen_calls(st, "kern", read_device_work, &in->kern, C_KERN);
	listen_calls(st, "copy", read_device_work, &in->copy, C_MEM);
	listen_calls(st, "set", read_device_work, &in->set, C_MEM);
	listen_calls(st, "graph", read_device_work, &in->graph, C_GRAPH);
	listen_calls(st, "sync", read_call, &in->sync, C_OTHER);
	listen_calls(st, "call", read_call, &in->call, C_OTHER);
	t = listen_time(st, "inst", read_op_run, &in->inst);
	in->inst.text = rec_col(t, "op", REC_OPT);
	t = listen_time(st, "range", read_loader_range, &in->range);
	in->range.text = rec_col(t, "text", REC_OPT);
	t = listen_time(st, "os", read_os_call, &in->os);
	in->os.text = rec_col(t, "name", REC_OPT);
	t = stage_on(st, "dev", read_device, NULL, NULL);
	REC_COLS(t, REC_OPT, { &in->dev.dev, "dev" }, { &in->dev.src, "src" });
	steps_bind(&in->cut, stage_on(st, "cut", read_busy_cut, NULL, NULL));
	t = stage_on(st, "iter", read_iter_end, read_iter_legend, NULL);
	workrec_bind(&in->iter.cols, t, WORKREC_SPAN, WORKREC_SRC);
	REC_COLS(t, REC_OPT, { &in->iter.gpu_end, "gpu_end_ns" },
	    { &in->iter.no, "iter" });
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "busy_without_tc", "busy_late_ns",
		NULL };
	struct busy_input in = { 0 };
	bool dlprof = false;
	const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &dlprof },
		{ 0, "iters", .flag = &in.busy.iters },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-busy", usage, opts, argc, argv);
	in.busy.mode = dlprof ? &busy_dlprof : &busy_own;
	st.ctx = &in;
	in.next = &in.first;
	st.section = begin_busy;
	st.end = finish_busy;
	listen_busy(&st, &in);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	busy_clear(&in.busy);
	forget_iters(&in);
	return out_finish(rc);
}
