/* The dialect of PyProf's .dict: its lines, call by call; see dict.h. */
#include "dict.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dict_call.h"
#include "dict_own.h"
#include "dict_put.h"
#include "emit.h"
#include "err.h"
#include "esc.h"
#include "facts.h"
#include "input.h"
#include "input_head.h"
#include "input_zip.h"
#include "lines.h"
#include "out.h"
#include "run.h"
#include "select.h"
#include "select_range.h"
#include "stage.h"

bool dict_need_times;

static struct lines in;
static struct dict_out to;
static struct dict_line *run, *next;
static int nrun, cap;
static uint64_t bad, first_bad;

/* Of a compressed file: what is in it. A database is kept for input_open(). */
static bool
is_packed(const char *name, int fd, const unsigned char *first, size_t nfirst)
{
	unsigned char head[HEAD_SIZE];
	const char *path = input_unpack(name, fd, first, nfirst);
	int copy = open(path, O_RDONLY | O_CLOEXEC);
	size_t n;

	head_close(fd);
	if (copy < 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = head_read(name, copy, head, sizeof(head));
	close(copy);
	if (!head_is_dict(head, n))
		return false;
	lines_open(&in, path);
	in.name = name;
	input_forget();
	return true;
}

/* What was read of a pipe cannot be read again: it is handed on. */
bool
dict_is(const char *path)
{
	unsigned char head[HEAD_SIZE];
	const char *name = head_name(path);
	int fd = head_open(path);
	struct stat st;
	size_t n;

	if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		head_close(fd);
		return false; /* input_open() says what is wrong */
	}
	n = head_read(name, fd, head, sizeof(head));
	if (zip_kind(head, n) != ZIP_NONE &&
	    (fd == STDIN_FILENO || !head_is_report(path)))
		return is_packed(name, fd, head, n);
	if (head_is_dict(head, n)) {
		lines_fd(&in, name, fd);
		buf_put(&in.text, (const char *)head, n);
		return true;
	}
	if (fd == STDIN_FILENO || !S_ISREG(st.st_mode))
		head_push(path, fd, head, n);
	else
		head_close(fd);
	return false;
}

static bool
dict_string(void *ctx, int64_t id, struct buf *out)
{
	size_t n;
	const char *s = smap_str(&to.names, (uint32_t)id, &n);

	(void)ctx;
	buf_put(out, s, n);
	return true;
}

static const struct dialect dialect = {
	.name = "pyprof-dict",
	.string = dict_string,
};

/* after: the line behind the run; NULL at the end. */
static void
flush_run(const struct dict_line *after)
{
	static int64_t before = EV_UNSET;
	int done = 0, k;
	bool shared;

	if (nrun == 0)
		return;
	shared = run[0].seq == EV_UNSET || run[0].seq == before ||
		 (after != NULL && run[nrun - 1].seq == after->seq);
	before = run[nrun - 1].seq;
	for (; done < nrun; done += k) {
		k = dict_call(run + done, nrun - done, shared);
		dict_put(&to, run + done, k);
	}
	nrun = 0;
}

static void
say_made_up(void)
{
	static bool said;

	if (dict_need_times)
		die("%s: a .dict that has durations of kernels, no times",
		    in.name);
	if (!said)
		fact_info("times", "made up: a .dict has durations only");
	said = true;
}

/* The line that was read goes to the others; its buffers are swapped. */
static void
keep(struct dict_line *d)
{
	struct dict_line tmp;

	say_made_up();
	if (nrun > 0 && (nrun == DICT_RUN || !dict_same_run(&run[0], d)))
		flush_run(d);
	if (nrun == cap) {
		int old = cap;

		cap = cap == 0 ? 16 : cap * 2;
		run = xrealloc(run, (size_t)cap, sizeof(*run));
		memset(run + old, 0, (size_t)(cap - old) * sizeof(*run));
	}
	tmp = run[nrun];
	run[nrun++] = *d;
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
read_all(void)
{
	const char *s;
	size_t n;
	int64_t row = 0;

	while (lines_next(&in, &s, &n)) {
		if (is_blank(s, n))
			continue;
		next->row = ++row;
		if (dict_line(next, s, n)) {
			next->row = row;
			if (next->own.s == NULL || !dict_own_add(next))
				keep(next);
			continue;
		}
		if (bad++ == 0) {
			first_bad = in.no;
			warn("%s:%llu: not a whole dict of PyProf: '%.*s'",
			    in.name, (unsigned long long)first_bad,
			    n < 40 ? (int)n : 40, s);
		}
	}
	flush_run(NULL);
	if (row > 0 && bad == (uint64_t)row)
		die("%s: no dict of PyProf in it", in.name);
}

static void
finish(void)
{
	int i;

	for (i = 0; i < cap; i++)
		dict_line_free(&run[i]);
	dict_line_free(next);
	free(next);
	free(run);
	names_free(&to.prof.names);
	smap_free(&to.names);
	buf_free(&to.prof.src);
	lines_close(&in);
}

void
dict_run(const char *path, int argc, char *const *argv, bool with_src)
{
	struct profile *p = &to.prof;

	if (range_wanted())
		die("--range: a .dict of PyProf has no times");
	p->path = path != NULL ? path : "-";
	p->only_pid = EV_UNSET;
	p->dialect = p->names.dialect = &dialect;
	esc_put(&p->src, p->path, strlen(p->path));
	profile_current(p);
	next = xcalloc(1, sizeof(*next));
	stage_begin_section(argc, argv);
	if (with_src)
		fact_info("src", "%s", p->path);
	fact_info("dialect", "%s", dialect.name);
	read_all();
	dict_own_emit(&to.prof, &to.names, to.now);
	emit_notes();
	select_say_unseen();
	stage_note("dict_bad_lines", bad);
	stage_end_section();
	finish();
}
