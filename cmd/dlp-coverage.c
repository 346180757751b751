/*
 * dlp-coverage: how much of the GPU time is understood. dlp-agg sums up the
 * work by what is known of it; these sums come as work records, and each is
 * entered into four accounts, as known or under what is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "map.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-coverage [-u] [-n N] [FILE]\n"
    "Shows for how much of the GPU time op, sizes, FLOPs and Tensor Core use\n"
    "are known, and what is missing for the rest.\n"
    "  -n, --limit N     at most N rows of missing things in each account, "
    "the\n"
    "                    others in one row (0: all)\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

enum cover_account { COVER_OP, COVER_SHAPES, COVER_FLOP, COVER_TC, COVER_N };

static const char *const account_names[] = { "op", "shapes", "flop", "tc" };

/* Times and numbers are doubles, because shares of them follow; they are exact
 * below 2^53. */
struct cover_sum {
	double ns, n;
};

struct cover_item {  /* what is known of an account, or one missing thing */
	uint32_t id; /* in cover.names */
	uint32_t account; /* the file's number * COVER_N + the account */
	bool known;
	struct cover_sum sum;
};

struct cover {
	int64_t limit; /* 0: none */
	struct {
		struct rec_col *src, *tag, *op, *dir, *short_name, *why, *lacks,
		    *family, *tc, *tc_rule, *dur, *n;
	} work;
	/* of the section */
	struct smap files;
	struct smap names;       /* "account" for what is known, otherwise
				  * "account\twhat\treason", in order of arrival */
	struct cover_item *item; /* by number in names */
	size_t item_cap;
	struct cover_sum *total; /* by account */
	size_t n_total, total_cap;
	struct buf what, text; /* scratch */
	struct out_type *with_src, *without;
};

/* what: what is missing, NULL if nothing is; reason: why, or NULL. */
static struct cover_item *
item_of(struct cover *c, uint32_t account, const char *what, const char *reason)
{
	struct cover_item *item;
	bool is_new;
	uint32_t id;

	buf_clear(&c->text);
	buf_printf(&c->text, "%u", (unsigned)account);
	if (what != NULL)
		buf_printf(
		    &c->text, "\t%s\t%s", what, reason != NULL ? reason : "-");
	id = smap_put(&c->names, c->text.s, c->text.len, &is_new);
	if (is_new) {
		ARRAY_GROW(c->item, id, c->item_cap);
		item = &c->item[id];
		*item =
		    (struct cover_item){ id, account, what == NULL, { 0, 0 } };
	}
	return &c->item[id];
}

/* The number of the record's file. A file has four accounts, and each begins
 * with what is known. */
static uint32_t
file_of(struct cover *c, const struct rec *r)
{
	size_t n = 1, a;
	const char *src = rec_raw(r, c->work.src, &n);
	bool is_new;
	uint32_t file;

	file = smap_put(
	    &c->files, src != NULL ? src : "-", src != NULL ? n : 1, &is_new);
	for (a = 0; is_new && a < COVER_N; a++) {
		ARRAY_GROW(c->total, c->n_total, c->total_cap);
		c->total[c->n_total++] = (struct cover_sum){ 0, 0 };
		item_of(c, (uint32_t)(file * COVER_N + a), NULL, NULL);
	}
	return file;
}

static void
enter(struct cover *c, uint32_t account, struct cover_sum sum, const char *what,
    const char *reason)
{
	struct cover_item *item = item_of(c, account, what, reason);

	item->sum.ns += sum.ns;
	item->sum.n += sum.n;
	c->total[account].ns += sum.ns;
	c->total[account].n += sum.n;
}

/* The field as a text, "-" if it is unset; valid until the next call with the
 * same buffer. */
static const char *
field(struct buf *b, const struct rec *r, const struct rec_col *col)
{
	size_t n;
	const char *s = rec_raw(r, col, &n);

	buf_clear(b);
	buf_put(b, s != NULL ? s : "-", s != NULL ? n : 1);
	return buf_str(b);
}

/* Whether the word stands in the list of what the record lacks. */
static bool
lacks(const struct cover *c, const struct rec *r, const char *word)
{
	size_t n, len, want = strlen(word);
	const char *s = rec_raw(r, c->work.lacks, &n), *end, *comma;

	if (s == NULL)
		return false;
	for (end = s + n;; s = comma + 1) {
		comma = memchr(s, ',', (size_t)(end - s));
		len = (size_t)((comma != NULL ? comma : end) - s);
		if (len == want && memcmp(s, word, len) == 0)
			return true;
		if (comma == NULL)
			return false;
	}
}

static bool
is_set(const struct rec *r, const struct rec_col *col)
{
	return rec_raw(r, col, &(size_t){ 0 }) != NULL;
}

static const char *
why_no_flop(const struct cover *c, const struct rec *r)
{
	if (!is_set(r, c->work.op))
		return "no_op";
	if (lacks(c, r, "capture"))
		return "captured_before";
	if (lacks(c, r, "shapes"))
		return "no_sizes";
	return is_set(r, c->work.family) ? "not_in_sizes" : "no_rule";
}

/* The op and its direction, as one name. */
static const char *
op_name(struct cover *c, const struct rec *r)
{
	size_t n;
	const char *dir = rec_raw(r, c->work.dir, &n);

	if (!is_set(r, c->work.op))
		return "no op";
	field(&c->what, r, c->work.op);
	if (dir != NULL) {
		buf_putc(&c->what, ' ');
		buf_put(&c->what, dir, n);
	}
	return buf_str(&c->what);
}

static void
enter_kernels(
    struct cover *c, const struct rec *r, uint32_t first, struct cover_sum sum)
{
	const char *what = op_name(c, r);

	enter(c, first + COVER_SHAPES, sum, lacks(c, r, "shapes") ? what : NULL,
	    !lacks(c, r, "shapes")  ? NULL
	    : is_set(r, c->work.op) ? "no_sizes"
				    : "no_op");
	if (lacks(c, r, "flop"))
		enter(c, first + COVER_FLOP, sum, what, why_no_flop(c, r));
	else
		enter(c, first + COVER_FLOP, sum, NULL, NULL);
	if (rec_is(r, c->work.tc, "unknown"))
		enter(c, first + COVER_TC, sum,
		    field(&c->what, r, c->work.short_name),
		    is_set(r, c->work.tc_rule) ? "ambiguous" : "no_name_rule");
	else
		enter(c, first + COVER_TC, sum, NULL, NULL);
}

static void
read_sums(struct stage *st, struct rec *r)
{
	struct cover *c = st->ctx;
	uint32_t first = file_of(c, r) * COVER_N, a;
	struct cover_sum sum = { 0, 0 };

	(void)rec_f64(r, c->work.dur, &sum.ns);
	(void)rec_f64(r, c->work.n, &sum.n);
	enter(c, first + COVER_OP, sum,
	    is_set(r, c->work.why) ? field(&c->what, r, c->work.why) : NULL,
	    NULL);
	if (rec_is(r, c->work.tag, "kern"))
		enter_kernels(c, r, first, sum);
	else if (rec_is(r, c->work.tag, "graph"))
		for (a = COVER_SHAPES; a < COVER_N; a++)
			enter(c, first + a, sum,
			    field(&c->what, r, c->work.short_name),
			    "whole_graph");
	stage_pass(st, r);
}

/* By account; what is known, then what is missing, the longest first. */
static int
item_order(const void *pa, const void *pb)
{
	const struct cover_item *a = pa, *b = pb;

	if (a->account != b->account)
		return a->account < b->account ? -1 : 1;
	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->sum.ns != b->sum.ns)
		return a->sum.ns > b->sum.ns ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void
put_pct(double part, double all)
{
	if (all > 0)
		buf_printf(&out_buf, "\t%.2f", 100 * part / all);
	else
		out_unset();
}

static void
put_row(const struct cover *c, uint32_t account, struct mview what,
    struct cover_sum sum, struct mview reason)
{
	const struct cover_sum *total = &c->total[account];
	bool has_src = c->work.src->pos >= 0;
	const char *src;
	size_t n;

	out_rec(has_src ? c->with_src : c->without);
	if (has_src) {
		src = smap_str(&c->files, account / COVER_N, &n);
		out_raw(src, n);
	}
	out_word(account_names[account % COVER_N]);
	out_raw(what.s, what.n);
	put_pct(sum.ns, total->ns);
	buf_printf(&out_buf, "\t%.0f", sum.ns);
	put_pct(sum.n, total->n);
	buf_printf(&out_buf, "\t%.0f", sum.n);
	out_raw(reason.s, reason.n);
	out_end();
}

static void
put_item(const struct cover *c, const struct cover_item *item)
{
	struct mview what = { "(known)", 7 }, reason = { "-", 1 };
	size_t n;
	const char *s = smap_str(&c->names, item->id, &n), *end = s + n;

	if (!item->known) {
		what.s = (const char *)memchr(s, '\t', n) + 1;
		reason.s = memchr(what.s, '\t', (size_t)(end - what.s));
		what.n = (size_t)(reason.s++ - what.s);
		reason.n = (size_t)(end - reason.s);
	}
	put_row(c, item->account, what, item->sum, reason);
}

/* The rows of one account, which are the items v[0..n). */
static void
put_account(const struct cover *c, const struct cover_item *v, size_t n)
{
	struct cover_sum rest = { 0, 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		if (c->limit == 0 || i <= (size_t)c->limit) {
			put_item(c, &v[i]);
			continue;
		}
		rest.ns += v[i].sum.ns;
		rest.n += v[i].sum.n;
	}
	if (rest.n > 0)
		put_row(c, v[0].account, (struct mview){ "(rest)", 6 }, rest,
		    (struct mview){ "-", 1 });
}

static void
write_rows(struct stage *st)
{
	struct cover *c = st->ctx;
	size_t i, from = 0, n = c->names.n;

	out_legend(c->work.src->pos >= 0 ? c->with_src : c->without);
	if (n == 0)
		return;
	qsort(c->item, n, sizeof(*c->item), item_order);
	for (i = 1; i <= n; i++) {
		if (i < n && c->item[i].account == c->item[from].account)
			continue;
		put_account(c, &c->item[from], i - from);
		from = i;
	}
}

static void
forget_accounts(struct stage *st)
{
	struct cover *c = st->ctx;

	smap_clear(&c->files);
	smap_clear(&c->names);
	c->n_total = 0;
}

static void
free_cover(struct cover *c)
{
	smap_free(&c->files);
	smap_free(&c->names);
	free(c->item);
	free(c->total);
	buf_free(&c->what);
	buf_free(&c->text);
}

static void
listen_work(struct cover *c, struct stage *st)
{
	struct rec_type *t = stage_on(st, "work", read_sums, NULL, NULL);

	REC_COLS(t, REC_NEED, { &c->work.tag, "tag" }, { &c->work.op, "op" },
	    { &c->work.dir, "dir" }, { &c->work.short_name, "short" },
	    { &c->work.why, "why" }, { &c->work.lacks, "lacks" },
	    { &c->work.family, "family" }, { &c->work.tc, "tc" },
	    { &c->work.tc_rule, "tc_rule" }, { &c->work.dur, "sum_dur_ns" },
	    { &c->work.n, "n" });
	c->work.src = rec_col(t, "src", REC_OPT);
}

static void
set_limit(void *to, const char *arg)
{
	struct cover *c = to;

	c->limit = cli_i64("-n", arg, 0, INT64_MAX);
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "src", "account", "what",
		"dur_pct", "sum_dur_ns", "n_pct", "n", "reason" };
	struct cover c = { 0 };
	const struct cli_opt opts[] = {
		{ 'n', "limit", .set = set_limit, .to = &c },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-coverage", usage, opts, argc, argv);
	st.ctx = &c;
	st.section = forget_accounts;
	st.end = write_rows;
	listen_work(&c, &st);
	c.with_src = out_type("coverage", names, ARRAY_LEN(names));
	c.without = out_type("coverage", names + 1, ARRAY_LEN(names) - 1);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	free_cover(&c);
	return out_finish(rc);
}
