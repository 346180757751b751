/*
 * Reads PyProf's .dict call by call and writes its lines as records: the ranges
 * around the launch, and the kernel. Lines of one call of an op share their
 * ranges. A made-up clock gives each kernel its own time.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "emit.h"
#include "esc.h"
#include "infile.h"
#include "namecache.h"
#include "profile.h"
#include "pydict.h"
#include "schema.h"
#include "selection.h"
#include "stage.h"

#define DICT_RUN 4096 /* the most lines that are kept back */

static bool
same_text(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

/* The number of ranges, from the outermost, that two lines share. */
static int
common_ranges(const struct dict_line *a, const struct dict_line *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (!same_text(&a->path[i], &b->path[i]))
			break;
	return i;
}

/* True if ranges [from, to) have the same texts; both lines must have them. */
static bool
same_part(const struct dict_line *a, const struct dict_line *b, int from, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!same_text(&a->path[from + i], &b->path[from + i]))
			return false;
	return true;
}

/* True if a line continues in the ranges of the line before: with the same
 * outermost argument marker or, without one, in the same ranges. */
static bool
is_same_run(const struct dict_line *a, const struct dict_line *b)
{
	if (a->tid != b->tid || a->first_marker != b->first_marker ||
	    (a->n_marker > 0) != (b->n_marker > 0))
		return false;
	if (a->n_marker > 0)
		return same_part(a, b, 0, a->first_marker + 1);
	return a->n == b->n && common_ranges(a, b) == a->n;
}

static bool
same_markers(const struct dict_line *a, const struct dict_line *b)
{
	return a->n_marker == b->n_marker &&
	       same_part(a, b, a->first_marker, a->n_marker);
}

static bool
same_seq(const struct dict_line *a, const struct dict_line *b)
{
	int from = a->first_marker + a->n_marker;

	return a->n == b->n && same_part(a, b, from, a->n - from);
}

/* Functions that call different functions, and may call one of them twice. */
static bool
is_composite(const struct dict_line *v, int n)
{
	int i;

	for (i = 1; i < n; i++)
		if (!same_markers(&v[0], &v[i]))
			return true;
	return false;
}

/*
 * The number of lines, from the first of a run, that belong to one call. The
 * file does not mark where a call ends and the next one with the same arguments
 * begins. Calls that autograd tracks have a sequence id each. Other calls have
 * the id of their neighbours (shared); their next call begins where the first
 * kernel occurs again.
 */
static int
lines_of_call(const struct dict_line *v, int n, bool shared)
{
	bool by_seq = !shared || is_composite(v, n);
	int i;

	/* a node of the backward pass runs once */
	if (v[0].n_marker == 0 && v[0].bwd && v[0].numbered)
		return n;
	for (i = 1; i < n; i++) {
		if (!same_text(&v[i].name, &v[0].name) ||
		    !same_markers(&v[i], &v[0]))
			continue;
		if (!by_seq || !same_seq(&v[i], &v[0]))
			return i;
	}
	return n;
}

#define SLOT (4 * DICT_PATH) /* ns around each kernel, for its ranges */

static void
put_dict_range(struct dict_file *f, const struct dict_line *d, int level,
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
	emit_event(f->prof, &ev);
}

/* Nsight's full names, which write (int)4 for a number, are shortened as Nsight
 * does: without the namespaces. Names of nvprof are shortened as dlp-parse
 * does. */
static int64_t
short_name(struct dict_file *f, const struct dict_line *d)
{
	static const char unnamed[] = "<unnamed>::";
	struct mview v = { d->name.s, d->name.len };
	const char *s = v.s, *e = v.s + v.n, *p;

	if (mv_find(v, "(int)") == NULL && mv_find(v, "(bool)") == NULL &&
	    mv_find(v, unnamed) == NULL)
		return EV_UNSET;
	for (p = s; p < e && *p != '('; p++) {
		if (mv_starts(mv(p, e), unnamed))
			p += sizeof(unnamed) - 2; /* at the last colon of the
						   * name */
		if (*p == '<')
			break;
		if (*p == ':' || *p == ' ')
			s = p + 1;
	}
	return (int64_t)smap_put(&f->names, s, (size_t)(p - s), NULL);
}

static void
put_dict_kernel(struct dict_file *f, const struct dict_line *d, int64_t start)
{
	struct event ev, call;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_KERN;
	ev.start = start;
	ev.end = start + d->dur;
	ev.pid = 0;
	ev.tid = d->tid;
	ev.corr = ev.gpu.ctx = ev.gpu.node = EV_UNSET;
	ev.name = (int64_t)smap_put(&f->names, d->name.s, d->name.len, NULL);
	ev.gpu.dev = d->dev;
	ev.gpu.stream = d->stream;
	ev.gpu.kern.short_name = short_name(f, d);
	ev.gpu.kern.mangled = EV_UNSET;
	memcpy(ev.gpu.kern.grid, d->grid, sizeof(d->grid));
	memcpy(ev.gpu.kern.block, d->block, sizeof(d->block));
	ev.gpu.kern.regs = ev.gpu.kern.smem = ev.gpu.kern.dynsmem = EV_UNSET;
	ev.row = d->row;
	call = ev;
	call.kind = EV_CALL;
	call.name = call.end = EV_UNSET;
	emit_gpu(f->prof, &ev, d->tid != EV_UNSET ? &call : NULL, true);
}

static int64_t
slot_after(int64_t start, const struct dict_line *d)
{
	return start + SLOT + d->dur;
}

/* The end of range `level` of line i: after the last line in that range. */
static int64_t
range_end(const int *common, const struct dict_line *v, int i, int level,
    int64_t start)
{
	for (; common[i] > level; i++)
		start = slot_after(start, &v[i]);
	return start + 3 * DICT_PATH - level;
}

/* Writes the n lines v of a call. */
static void
put_call_lines(struct dict_file *f, const struct dict_line *v, int n)
{
	int *common = f->common;
	int i, k;

	for (i = 0; i < n; i++)
		common[i] = i + 1 < n ? common_ranges(&v[i], &v[i + 1]) : 0;
	for (i = 0; i < n; i++) {
		for (k = i > 0 ? common[i - 1] : 0;
		     k < v[i].n && v[i].tid != EV_UNSET; k++)
			put_dict_range(f, &v[i], k, f->now + k,
			    range_end(common, v, i, k, f->now));
		put_dict_kernel(f, &v[i], f->now + DICT_PATH);
		f->now = slot_after(f->now, &v[i]);
	}
}

/* Looks into a compressed file. If it holds a database, the copy is kept for
 * infile_open(). */
static bool
is_packed_dict(struct dict_file *f, struct infile *in, const char *name, int fd,
    const unsigned char *first, size_t nfirst)
{
	unsigned char head[HEAD_SIZE];
	const char *path = infile_unpack(in, name, fd, first, nfirst);
	int copy = open(path, O_RDONLY | O_CLOEXEC);
	size_t n;

	head_close(fd);
	if (copy < 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = head_read(in, name, copy, head, sizeof(head));
	close(copy);
	if (!head_is_dict(head, n))
		return false;
	lines_open(&f->in, path);
	f->in.name = name;
	infile_forget(in);
	return true;
}

/* Bytes that were read from a pipe cannot be read again, so they are handed on.
 */
bool
dict_is(struct dict_file *f, struct parse *run, const char *path)
{
	struct infile *in = &run->in;
	unsigned char head[HEAD_SIZE];
	const char *name = head_name(path);
	int fd = head_open(in, path);
	struct stat st;
	size_t n;

	if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		head_close(fd);
		return false; /* infile_open() reports the error */
	}
	n = head_read(in, name, fd, head, sizeof(head));
	if (zip_kind(head, n) != ZIP_NONE &&
	    (fd == STDIN_FILENO || !head_is_report(path)))
		return is_packed_dict(f, in, name, fd, head, n);
	if (head_is_dict(head, n)) {
		lines_fd(&f->in, name, fd);
		buf_put(&f->in.text, (const char *)head, n);
		return true;
	}
	if (fd == STDIN_FILENO || !S_ISREG(st.st_mode))
		head_push(in, path, fd, head, n);
	else
		head_close(fd);
	return false;
}

static bool
dict_string(void *ctx, int64_t id, struct buf *out)
{
	struct dict_file *f = ctx;
	size_t n;
	const char *s = smap_str(&f->names, (uint32_t)id, &n);

	buf_put(out, s, n);
	return true;
}

static const struct dialect dialect_dict = {
	.name = "pyprof-dict",
	.string = dict_string,
};

/* after: the line after the run; NULL at the end. */
static void
flush_run(struct dict_file *f, const struct dict_line *after)
{
	int done = 0, k;
	bool shared;

	if (f->nrun == 0)
		return;
	shared = f->run[0].seq == EV_UNSET || f->run[0].seq == f->last_seq ||
		 (after != NULL && f->run[f->nrun - 1].seq == after->seq);
	f->last_seq = f->run[f->nrun - 1].seq;
	for (; done < f->nrun; done += k) {
		k = lines_of_call(f->run + done, f->nrun - done, shared);
		put_call_lines(f, f->run + done, k);
	}
	f->nrun = 0;
}

static void
say_made_up(struct dict_file *f)
{
	if (f->prof->run->need_times)
		die("%s: a .dict that has durations of kernels, no times",
		    f->in.name);
	if (!f->said)
		fact_info(
		    f->prof, "times", "made up: a .dict has durations only");
	f->said = true;
}

/* Appends the line that was read to the run, by a swap of buffers. */
static void
keep_line(struct dict_file *f, struct dict_line *d)
{
	struct dict_line tmp;
	int old = f->cap;

	say_made_up(f);
	if (f->nrun > 0 && (f->nrun == DICT_RUN || !is_same_run(&f->run[0], d)))
		flush_run(f, d);
	ARRAY_GROW(f->run, f->nrun, f->cap);
	if (f->cap > old)
		memset(f->run + old, 0, (size_t)(f->cap - old) * sizeof(*d));
	tmp = f->run[f->nrun];
	f->run[f->nrun++] = *d;
	*d = tmp;
}

static bool
is_blank(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t')
			return false;
	return true;
}

static void
read_lines(struct dict_file *f)
{
	const char *s;
	size_t n;
	int64_t row = 0;

	while (lines_next(&f->in, &s, &n)) {
		if (is_blank(s, n))
			continue;
		row++;
		if (dict_line(f->next, &f->row, s, n)) {
			f->next->row = row;
			if (f->next->own.s == NULL ||
			    !dict_own_add(&f->own, f->next))
				keep_line(f, f->next);
			continue;
		}
		if (f->bad++ == 0)
			warn("%s:%llu: not a whole dict of PyProf: '%.*s'",
			    f->in.name, (unsigned long long)f->in.no,
			    n < 40 ? (int)n : 40, s);
	}
	flush_run(f, NULL);
	if (row > 0 && f->bad == (uint64_t)row)
		die("%s: no dict of PyProf in it", f->in.name);
}

static void
dict_free(struct dict_file *f)
{
	int i;

	for (i = 0; i < f->cap; i++)
		dict_line_free(&f->run[i]);
	dict_line_free(f->next);
	free(f->next);
	free(f->run);
	free(f->common);
	pyrow_free(&f->row);
	names_free(&f->prof->names);
	smap_free(&f->names);
	buf_free(&f->prof->src);
	free(f->prof);
	lines_close(&f->in);
}

void
dict_run(struct dict_file *f, struct parse *run, const char *path, int argc,
    char *const *argv)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	if (range_wanted(&run->sel))
		die("--range: a .dict of PyProf has no times");
	p->run = run;
	p->path = path != NULL ? path : "-";
	p->only_pid = EV_UNSET;
	p->dialect = &dialect_dict;
	p->ctx = f;
	esc_put(&p->src, p->path, strlen(p->path));
	db_use(p->path);
	f->prof = p;
	f->last_seq = EV_UNSET;
	f->next = xcalloc(1, sizeof(*f->next));
	f->common = xcalloc(DICT_RUN, sizeof(*f->common));
	stage_begin_section(argc, argv);
	if (run->out.with_src)
		fact_info(p, "src", "%s", p->path);
	fact_info(p, "dialect", "%s", dialect_dict.name);
	read_lines(f);
	dict_own_emit(&f->own, p, &f->names, f->now);
	emit_notes(&run->out);
	select_say_unseen(&run->sel);
	stage_note("dict_bad_lines", f->bad);
	stage_end_section();
	dict_free(f);
}
