/*
 * dlp-pyprof: reads PyProf's .dict and writes kern records with PyProf's own
 * numbers, wrong ones included, to check old tables. dlp-flops has the right
 * numbers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "lines.h"
#include "out.h"
#include "pylit.h"
#include "stage.h"
#include "dlp-pyprof/pyprof.h"

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

/* As str() prints it: 12, 12.0, 1.5, 1e+16. */
static void
out_pynum(const struct pynum *v)
{
	char s[64];
	int prec;

	buf_putc(&out_buf, '\t');
	if (!v->is_float) {
		buf_i64(&out_buf, v->i);
		return;
	}
	if (v->d > -1e15 && v->d < 1e15 && v->d == (double)(int64_t)v->d) {
		buf_i64(&out_buf, (int64_t)v->d);
		buf_puts(&out_buf, ".0");
		return;
	}
	for (prec = 1; prec < 17; prec++) {
		snprintf(s, sizeof(s), "%.*g", prec, v->d);
		if (strtod(s, NULL) == v->d)
			break;
	}
	snprintf(s, sizeof(s), "%.*g", prec, v->d);
	if (v->d < 1e16 && v->d > -1e16 && strchr(s, 'e') != NULL)
		snprintf(s, sizeof(s), "%.1f", v->d);
	buf_puts(&out_buf, s);
}

static void
out_buffer(const struct buf *b)
{
	out_text(b->len > 0 ? b->s : NULL, b->len);
}

/* The items of a list, joined: "(1, 2, 3)" is 1,2,3. */
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

static void
out_number_key(const struct pyprof_run *x, const char *key)
{
	int64_t v = 0;
	bool has = pyrow_i64(&x->kern.row, key, &v);

	out_opt(has, v);
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

/* r: the rule's result; NULL: the kernel has no arguments, so no rule applies.
 * died: there is a rule, and PyProf would have stopped. */
static void
put_pyprof_kern(struct pyprof_run *x, const struct pyprof_result *r, bool died)
{
	static const struct pynum zero;
	const struct pyprof_kern *k = &x->kern;

	out_rec(x->type);
	out_i64(x->idx);
	out_items(x, pyrow_get(&k->row, "seqId"), ',');
	out_items(x, pyrow_get(&k->row, "altSeqId"), ',');
	out_number_key(x, "tid");
	out_items(x, k->part[P_LAYER], ':');
	out_items(x, k->part[P_TRACE], ',');
	out_raw(k->bwd ? "bprop" : "fprop", 5);
	out_i64(k->sub);
	out_first(x, k->part[P_MOD]);
	if (r == NULL)
		out_first(x, k->part[P_OP]);
	else if (r->op != NULL)
		out_word(r->op);
	else
		out_text(x->marker.op.s, x->marker.op.n);
	out_buffer(&k->name);
	if (r != NULL)
		out_buffer(&r->params);
	else
		out_unset();
	out_number_key(x, "kDuration");
	out_word(r == NULL ? "na" : r->tc);
	out_number_key(x, "device");
	out_number_key(x, "stream");
	out_items(x, pyrow_get(&k->row, "grid"), ',');
	out_items(x, pyrow_get(&k->row, "block"), ',');
	if (died) {
		out_unsets(2);
	} else {
		out_pynum(r != NULL ? &r->flops : &zero);
		out_pynum(r != NULL ? &r->bytes : &zero);
	}
	out_raw("pyprof", 6);
	out_end();
}

/* Applies PyProf's rule, if the kernel has arguments; PyProf would have stopped
 * at some. */
static void
take_kern(struct pyprof_run *x)
{
	const struct pyprof_kern *k = &x->kern;
	struct pyprof_call c = { .m = &x->marker, .last = x->last };
	bool has, ok = true;

	x->idx++;
	pyprof_forward_keep(&x->forward, &x->kern);
	pyprof_forward_find(&x->forward, &x->kern);
	has = k->marker.len > 0 &&
	      pyprof_marker_read(&x->marker, k->marker.s, k->marker.len);
	if (has) {
		c.name = buf_str(&x->kern.name);
		c.bwd = k->bwd;
		c.sub = k->sub;
		memcpy(c.grid, k->grid, sizeof(c.grid));
		buf_clear(&x->mod);
		buf_clear(&x->op);
		(void)pyprof_first_text(k->part[P_MOD], &x->mod);
		(void)pyprof_first_text(k->part[P_OP], &x->op);
		x->result = (struct pyprof_result){ .tc = "-",
			.params = {
			    x->result.params.s, 0, x->result.params.cap } };
		ok = pyprof_rule_apply(&c,
		    (struct mview){ buf_str(&x->mod), x->mod.len },
		    (struct mview){ buf_str(&x->op), x->op.len }, &x->result);
	}
	if (!ok) {
		x->died++;
		x->result.params.len = 0;
	}
	put_pyprof_kern(x, has ? &x->result : NULL, !ok);
}

static void
read_dict(struct pyprof_run *x)
{
	const char *s;
	size_t n, k;

	while (lines_next(&x->in, &s, &n)) {
		for (k = n; k > 0 && (s[k - 1] == ' ' || s[k - 1] == '\t');)
			k--;
		if (k == 0)
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
	unbuffered = cli_options(argc, argv, opts);
	path = cli_operand(argc, argv);
	lines_open(&x->in, path);
	out_open(unbuffered);
	x->type = out_type("kern", names, ARRAY_LEN(names));
	stage_begin_section(argc, argv);
	read_dict(x);
	stage_note("dict_bad_lines", x->bad);
	stage_note("pyprof_stopped", x->died);
	if (!x->broken)
		stage_end_section();
	rc = out_finish(x->broken ? EXIT_TROUBLE : EXIT_OK);
	if (x->died > 0)
		warn("kernels at which PyProf would have stopped: %llu",
		    (unsigned long long)x->died);
	return rc;
}
