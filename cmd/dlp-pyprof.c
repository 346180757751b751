/*
 * dlp-pyprof: reads PyProf's .dict and writes kern records with PyProf's own
 * numbers, wrong ones included, to check old tables. dlp-flops has the right
 * numbers.
 */
#include "array.h"
#include "cli.h"
#include "err.h"
#include "lines.h"
#include "out.h"
#include "pylit.h"
#include "stage.h"
#include "dlp-pyprof/pyprof.h"

static const char usage[] =
    "usage: dlp-pyprof [-huV] [-y YEAR] [FILE]\n"
    "Reads a .dict file of PyProf and writes kern records with the numbers\n"
    "that PyProf printed.\n"
    "  -y, --year YEAR   use the rules of 2019 (default) or 2021\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static const char *const names[] = { "idx", "seq", "altseq", "tid", "layer",
	"trace", "dir", "sub", "mod", "op", "short", "params", "dur_ns", "tc",
	"dev", "stream", "grid", "block", "flop", "bytes", "role" };

struct pyprof_run {
	struct lines in;
	struct pyprof_kern kern;
	struct pyprof_forward forward;
	struct pyprof_marker marker;
	struct pyprof_result result;
	struct out_type *type;
	int64_t idx;
	uint64_t bad, died;
	bool broken; /* the command that writes the input reported a failure */
	bool last;   /* option: the rules of 2021 */
	struct buf mod, op, text; /* scratch */
};

static void
set_year(void *last, const char *arg)
{
	if (strcmp(arg, "2019") != 0 && strcmp(arg, "2021") != 0)
		die("-y: '%s' is neither 2019 nor 2021", arg);
	*(bool *)last = strcmp(arg, "2021") == 0;
}

static void
out_buffer(const struct buf *b)
{
	if (b->len == 0)
		out_unset();
	else
		out_text(b->s, b->len);
}

/* The items of a list, joined. */
static void
out_items(struct pyprof_run *x, struct mview list, char sep)
{
	struct pylit l;
	struct pl_atom a;

	buf_clear(&x->text);
	for (pyrow_list(&l, list); pyrow_item(&l, &a);) {
		if (x->text.len > 0)
			buf_putc(&x->text, sep);
		pl_text(&a, &x->text);
	}
	out_buffer(&x->text);
}

/* The value of a key that is a list; "(1, 2, 3)" is 1,2,3. */
static void
out_list_key(struct pyprof_run *x, const char *key)
{
	out_items(x, pyrow_get(&x->kern.row, key), ',');
}

static void
out_number_key(const struct pyprof_run *x, const char *key)
{
	int64_t v;
	bool has = pyrow_i64(&x->kern.row, key, &v);

	out_opt(has, has ? v : 0);
}

/* The first of a list of names; na is PyProf's word for none. */
static void
out_first(struct pyprof_run *x, struct mview list)
{
	buf_clear(&x->text);
	if (pyprof_first_text(list, &x->text) &&
	    text_is(x->text.s, x->text.len, "na"))
		x->text.len = 0;
	out_buffer(&x->text);
}

static void
out_pynum(const struct pynum *n)
{
	buf_putc(&out_buf, '\t');
	pynum_put(&out_buf, n);
}

static void
out_op(struct pyprof_run *x, const struct pyprof_result *r)
{
	out_first(x, x->kern.part[P_MOD]);
	if (r != NULL && r->op != NULL)
		out_text(r->op, strlen(r->op));
	else if (r != NULL)
		out_text(x->marker.op.s, x->marker.op.n);
	else
		out_first(x, x->kern.part[P_OP]);
	out_buffer(&x->kern.name);
}

static void
out_work(const struct pyprof_result *r, bool died)
{
	static const struct pynum zero = { false, 0, 0 };

	if (died) {
		out_unset();
		out_unset();
		return;
	}
	out_pynum(r != NULL ? &r->flops : &zero);
	out_pynum(r != NULL ? &r->bytes : &zero);
}

/* r: the rule's result; NULL: the kernel has no arguments, so no rule applies.
 * died: there is a rule, and PyProf would have stopped. */
static void
put_pyprof_kern(struct pyprof_run *x, const struct pyprof_result *r, bool died)
{
	const struct pyprof_kern *k = &x->kern;

	out_rec(x->type);
	out_i64(x->idx);
	out_list_key(x, "seqId");
	out_list_key(x, "altSeqId");
	out_number_key(x, "tid");
	out_items(x, k->part[P_LAYER], ':');
	out_items(x, k->part[P_TRACE], ',');
	out_text(k->bwd ? "bprop" : "fprop", 5);
	out_i64(k->sub);
	out_op(x, r);
	if (r != NULL)
		out_buffer(&r->params);
	else
		out_unset();
	out_number_key(x, "kDuration");
	out_raw(r == NULL ? "na" : r->tc, r == NULL ? 2 : strlen(r->tc));
	out_number_key(x, "device");
	out_number_key(x, "stream");
	out_list_key(x, "grid");
	out_list_key(x, "block");
	out_work(r, died);
	out_raw("pyprof", 6);
	out_end();
}

/* Applies PyProf's rule; false if PyProf would have stopped. */
static bool
apply_rule(struct pyprof_run *x)
{
	const struct pyprof_kern *k = &x->kern;
	struct pyprof_call c = { &x->marker, buf_str(&x->kern.name), k->bwd,
		k->sub, { k->grid[0], k->grid[1], k->grid[2] }, x->last };
	struct pyprof_result *r = &x->result;
	rule_fn *rule;

	buf_clear(&x->mod);
	buf_clear(&x->op);
	(void)pyprof_first_text(k->part[P_MOD], &x->mod);
	(void)pyprof_first_text(k->part[P_OP], &x->op);
	rule = pyprof_rule_find((struct mview){ buf_str(&x->mod), x->mod.len },
	    (struct mview){ buf_str(&x->op), x->op.len }, x->last);
	r->params.len = 0;
	r->flops = r->bytes = pynum_int(0);
	r->tc = "-";
	r->op = NULL;
	return rule(&c, r);
}

static void
take_kern(struct pyprof_run *x)
{
	bool has, ok = true;

	x->idx++;
	pyprof_forward_keep(&x->forward, &x->kern);
	pyprof_forward_find(&x->forward, &x->kern);
	has =
	    x->kern.marker.len > 0 && pyprof_marker_read(&x->marker,
					  x->kern.marker.s, x->kern.marker.len);
	if (has)
		ok = apply_rule(x);
	if (!ok) {
		x->died++;
		x->result.params.len = 0;
	}
	put_pyprof_kern(x, has ? &x->result : NULL, !ok);
}

static bool
only_blanks(const char *s, size_t n)
{
	while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	return n == 0;
}

static void
read_dict(struct pyprof_run *x)
{
	const char *s;
	size_t n;

	while (lines_next(&x->in, &s, &n)) {
		if (only_blanks(s, n))
			continue;
		x->broken = n > 0 && s[0] == '#';
		if (x->broken && x->idx == 0 && n > 6 &&
		    memcmp(s, "##dlp\t", 6) == 0)
			warn("%s: a dlp stream; dlp-pyprof reads a .dict of"
			     " PyProf, as pyprof-parse FILE writes it",
			    x->in.name);
		if (x->broken)
			return;
		if (pyprof_kern_read(&x->kern, s, n)) {
			take_kern(x);
			continue;
		}
		x->idx++;
		if (x->bad++ == 0)
			warn("%s:%llu: not a whole dict of PyProf: '%.*s'",
			    x->in.name, (unsigned long long)x->in.no,
			    n < 40 ? (int)n : 40, s);
	}
	if (x->bad > 0 && x->bad == (uint64_t)x->idx)
		die("%s: no dict of PyProf in it", x->in.name);
	if (x->idx == 0)
		die_input("%s: empty input", x->in.name);
}

int
main(int argc, char **argv)
{
	static struct pyprof_run pyprof;
	static const struct cli_opt opts[] = {
		{ 'y', "year", .set = set_year, .to = &pyprof.last },
		{ 0 },
	};
	struct pyprof_run *x = &pyprof;
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-pyprof");
	unbuffered = cli_options(argc, argv, usage, opts);
	path = cli_operand(argc, argv, usage);
	lines_open(&x->in, path);
	out_open(unbuffered);
	x->type = out_type("kern", names, ARRAY_LEN(names));
	stage_begin_section(argc, argv);
	read_dict(x);
	stage_note("dict_bad_lines", x->bad);
	stage_note("pyprof_stopped", x->died);
	if (!x->broken)
		stage_end_section();
	pyprof_forward_free(&x->forward);
	lines_close(&x->in);
	rc = out_finish(x->broken ? EXIT_TROUBLE : EXIT_OK);
	if (x->died > 0)
		warn("kernels at which PyProf would have stopped: %llu",
		    (unsigned long long)x->died);
	return rc;
}
