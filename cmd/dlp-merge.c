/*
 * dlp-merge: joins parsed streams into one section, by time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "align.h"
#include "array.h"
#include "cli.h"
#include "dlp-merge/merge_input.h"
#include "err.h"
#include "esc.h"
#include "namerule.h"
#include "natural.h"
#include "num.h"
#include "shipped.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-merge [-ru] [file ...]\n"
    "Joins dlp streams into one section, in launch order; see dlp-merge(1).\n"
    "  -r, --ranks       each file is a rank: numbered in the natural order\n"
    "                    of the names, in a column rank, and the clocks\n"
    "                    aligned by collectives\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct merge_run {
	int argc; /* for our ##cmd */
	char *const *argv;
	char **paths;
	int n;
	bool ranks; /* number the inputs, align their clocks by collectives */
	struct merge_input *in;
	struct merge_types types;
	struct namerules rules; /* which kernels are collectives; --ranks */
};

enum { COMM_TYPE, COMM_ENDS, COMM_WORDS };

struct coll_ends { /* when collectives ended, by time */
	struct align_ev *v;
	size_t n, cap;
};

/* Whether kernels of that name end on all ranks together; seen holds the
 * answers that are known. */
static bool
together(struct namerules *rules, struct smap *seen, const char *name, size_t n)
{
	static const char *const words[] = { "TYPE", "ENDS" };
	const struct namerule *u;
	struct buf low = { 0 };
	uint32_t id;
	bool is_new;

	if (rules->n == 0)
		namerules_parse(rules, "comm.rules", shipped_text("comm.rules"),
		    words, COMM_WORDS);
	id = smap_put(seen, name, n, &is_new);
	if (is_new) {
		name_lower(&low, name, n);
		u = namerules_find(rules, buf_str(&low), low.len);
		seen->val[id] =
		    u != NULL && strcmp(u->word[COMM_ENDS], "all") == 0;
		buf_free(&low);
	}
	return seen->val[id] != 0;
}

static void
add_end(struct coll_ends *e, uint64_t key, int64_t t)
{
	ARRAY_GROW(e->v, e->n, e->cap);
	e->v[e->n++] = (struct align_ev){ key, t };
}

static int
by_time(const void *va, const void *vb)
{
	const struct align_ev *a = va, *b = vb;

	return (a->t > b->t) - (a->t < b->t);
}

/* Reads the ends of collectives of a file. A pipe can be read only once, so
 * none are read of it. */
static void
read_ends(struct namerules *rules, struct coll_ends *e, const char *path)
{
	struct rec_reader *rd;
	struct rec_type *kern;
	struct rec_col *start, *dur, *name;
	struct smap seen = { 0 };
	struct buf tmp = { 0 };
	struct stat st;
	struct rec r;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	rd = rec_open(path);
	rec_quiet(rd);
	kern = rec_type(rd, "kern");
	REC_COLS(kern, REC_OPT, { &start, "start_ns" }, { &dur, "dur_ns" },
	    { &name, "short" });
	while (rec_next(rd, &r)) {
		int64_t t, d;
		const char *s;
		size_t n;

		if (r.type != kern || r.kind != REC_DATA)
			continue;
		s = rec_str(&r, name, &tmp, &n);
		if (s != NULL && together(rules, &seen, s, n) &&
		    rec_i64(&r, start, &t) && rec_i64(&r, dur, &d))
			add_end(e, hash_bytes(s, n), num_add(t, d));
	}
	rec_close(rd);
	smap_free(&seen);
	buf_free(&tmp);
	if (e->n > 0)
		qsort(e->v, e->n, sizeof(*e->v), by_time);
}

/* The clock of in as that of the first input: by collectives that both have,
 * else by the UTC of their origins. False if neither is known. */
static bool
align(struct merge_run *m, struct merge_input *in, const struct coll_ends *ref)
{
	const struct merge_input *first = &m->in[0];
	bool utc = in->has_t0 && first->has_t0;
	int64_t hint = utc ? num_sub(in->t0, first->t0) : 0;
	struct coll_ends e = { 0 };
	struct align a = { 0 };

	if (ref->n > 0)
		read_ends(&m->rules, &e, m->paths[in->no]);
	if (align_find(ref->v, ref->n, e.v, e.n, utc ? &hint : NULL, &a)) {
		in->clock_by = "collectives";
		in->n_coll = (int64_t)a.n;
		in->spread = a.spread;
		in->shift = a.shift;
	} else if (utc) {
		in->clock_by = "utc";
		in->shift = hint;
	}
	free(e.v);
	return in->clock_by != NULL;
}

/* Sets shift of all inputs; the first one's clock is the common one. The
 * number of those that nothing aligns. */
static uint64_t
align_all(struct merge_run *m)
{
	struct coll_ends ref = { 0 };
	uint64_t lost = 0;
	int i;

	m->in[0].clock_by = "reference";
	if (m->ranks && m->n > 1)
		read_ends(&m->rules, &ref, m->paths[0]);
	for (i = 1; i < m->n; i++)
		lost += !align(m, &m->in[i], &ref);
	free(ref.v);
	return lost;
}

/* The facts of an input, behind its file's name. Where its clock was moved,
 * the facts of its own origin (t0_) no longer hold and are left out. */
static void
put_facts(const struct merge_input *in, bool name)
{
	const char *s = in->head.s, *end = s + in->head.len, *nl;

	if (name && !in->head_src) {
		buf_puts(&out_buf, "##info\tsrc\t");
		esc_put(&out_buf, in->name, strlen(in->name));
		buf_putc(&out_buf, '\n');
	}
	for (; s < end; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		if (in->no > 0 && in->clock_by != NULL &&
		    strncmp(s, "##info\tt0_", 10) == 0)
			continue;
		buf_put(&out_buf, s, (size_t)(nl - s) + 1);
	}
}

static void
put_ranks(const struct merge_input *v, int n)
{
	struct out_type *t = out_type_reg("rank", "dlp-parse");
	int i;

	for (i = 0; i < n; i++) {
		out_rec(t);
		out_i64(i);
		out_text(v[i].name, strlen(v[i].name));
		out_raw("name", 4);
		out_raw(v[i].clock_by,
		    v[i].clock_by != NULL ? strlen(v[i].clock_by) : 0);
		out_i64(v[i].shift);
		out_opt(v[i].n_coll != MERGE_NO_TIME, v[i].n_coll);
		out_opt(v[i].spread != MERGE_NO_TIME, v[i].spread);
		out_end();
	}
}

/* The one whose line is first; ties go to the first file. */
static struct merge_input *
next_input(struct merge_input *v, int n)
{
	struct merge_input *best = NULL, *in;

	for (in = v; in < v + n; in++)
		if (in->live && (best == NULL || in->time < best->time))
			best = in;
	return best;
}

/* Legends and ends are ours; with --ranks so are the rank records. */
static void
put_input_line(const struct merge_run *m, struct merge_input *in)
{
	if (in->r.kind == REC_END) {
		in->lost = rec_lost(in->rd);
		in->surplus = rec_surplus(in->rd);
	}
	if (in->r.kind == REC_META)
		out_line(in->r.line, in->r.len);
	else if (in->r.kind == REC_DATA &&
		 !(m->ranks && memcmp(in->r.line, "rank\t", 5) == 0))
		merge_put(in);
}

static void
put_heads(const struct merge_run *m, const struct buf *cmds, bool whole)
{
	int i;

	out_legends_again();
	if (whole) {
		out_meta("dlp", "%d", REC_FORMAT);
		buf_put(&out_buf, cmds->s, cmds->len);
		stage_cmd(m->argc, m->argv);
	}
	for (i = 0; i < m->n && whole; i++)
		put_facts(&m->in[i], m->n > 1);
	if (m->ranks)
		put_ranks(m->in, m->n);
}

static void
put_lines(struct merge_run *m)
{
	struct merge_input *in;
	int i;

	for (i = 0; i < m->n; i++)
		merge_start(&m->in[i]);
	while ((in = next_input(m->in, m->n)) != NULL) {
		put_input_line(m, in);
		merge_next(in);
	}
}

/* Whether all inputs were whole; the first that was not is named. */
static bool
complete(const struct merge_input *v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!rec_complete(v[i].rd)) {
			warn("%s: input ended without ##end: the command before"
			     " failed or was cut off",
			    rec_where(v[i].rd));
			return false;
		}
	return true;
}

/* How many records the inputs have less, or more, than their ends say. */
static void
count_notes(const struct merge_input *v, int n)
{
	uint64_t lost = 0, surplus = 0;
	int i;

	for (i = 0; i < n; i++) {
		lost += v[i].lost;
		surplus += v[i].surplus;
	}
	stage_note_count(lost, surplus);
}

/* The exit status. */
static int
merge_all(struct merge_run *m)
{
	struct buf cmds = { 0 };
	bool whole = false, ok;
	uint64_t lost;
	int i;

	m->in = xcalloc((size_t)m->n, sizeof(*m->in));
	m->types.n_inputs = m->n;
	m->types.with_src = m->n > 1 || m->ranks;
	m->types.with_rank = m->ranks;
	for (i = 0; i < m->n; i++) {
		merge_open(&m->in[i], &m->types, m->paths[i], i, &cmds);
		whole |= !rec_is_fragment(m->in[i].rd);
	}
	lost = align_all(m);
	put_heads(m, &cmds, whole);
	put_lines(m);
	ok = complete(m->in, m->n);
	if (whole)
		stage_note("clocks_unaligned", lost);
	if (whole)
		count_notes(m->in, m->n);
	if (lost > 0)
		warn("%llu of %d inputs do not tell the time of their origin:"
		     " their clocks are not aligned",
		    (unsigned long long)lost, m->n);
	if (whole && ok)
		stage_end_section();
	for (i = 0; i < m->n; i++)
		merge_close(&m->in[i]);
	free(m->in);
	merge_types_free(&m->types);
	namerules_free(&m->rules);
	buf_free(&cmds);
	return ok ? EXIT_OK : EXIT_TROUBLE;
}

static int
by_name(const void *va, const void *vb)
{
	char *const *a = va, *const *b = vb;

	return natural_cmp(*a, *b);
}

int
main(int argc, char **argv)
{
	char dash[] = "-", *std[] = { dash };
	struct merge_run m = { .argc = argc, .argv = argv };
	const struct cli_opt opts[] = { { 'r', "ranks", .flag = &m.ranks },
		{ 0 } };
	bool unbuffered;

	cli_init("dlp-merge");
	unbuffered = cli_options(argc, argv, usage, opts);
	m.n = argc - optind;
	m.paths = argv + optind;
	if (m.n <= 1)
		(void)cli_operand(argc, argv, usage);
	if (m.n == 0) {
		m.n = 1;
		m.paths = std;
	}
	if (m.ranks)
		qsort(m.paths, (size_t)m.n, sizeof(*m.paths), by_name);
	out_open(unbuffered);
	return out_finish(merge_all(&m));
}
