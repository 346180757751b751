/*
 * dlp-coverage: how much of the GPU time is understood. dlp-agg sums up the
 * work by what is known of it; these sums come as work records, and each is
 * entered into four accounts, as known or under what is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "map.h"
#include "stage.h"

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
	struct rec_type *work;
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
	struct mview src = rec_get_raw(r, COL_src);
	bool is_new;
	uint32_t file = smap_put(&c->files, src.s, src.n, &is_new);
	size_t a;

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

/* The field as a text, "-" if it is unset; valid until the next call. */
static const char *
field(struct cover *c, const struct rec *r, int col)
{
	struct mview v = rec_get_raw(r, col);

	buf_clear(&c->what);
	buf_put(&c->what, v.s, v.n);
	return buf_str(&c->what);
}

/* Whether the word stands in the list of what the record lacks. */
static bool
lacks(const struct rec *r, const char *word)
{
	struct mview list = rec_get(r, COL_lacks);
	const char *s, *end = list.s + list.n, *comma;

	for (s = list.s; s != NULL; s = comma != NULL ? comma + 1 : NULL) {
		comma = memchr(s, ',', (size_t)(end - s));
		if (mv_eq(mv(s, comma != NULL ? comma : end), word))
			return true;
	}
	return false;
}

static void
enter_kernels(
    struct cover *c, const struct rec *r, uint32_t first, struct cover_sum sum)
{
	bool has_op = rec_get(r, COL_op).s != NULL;
	bool no_sizes = lacks(r, "shapes"), no_flop = lacks(r, "flop");
	struct mview dir = rec_get(r, COL_dir);
	const char *what = "no op", *why = has_op ? "no_sizes" : "no_op";

	if (has_op) { /* the op and its direction, as one name */
		field(c, r, COL_op);
		if (dir.s != NULL) {
			buf_putc(&c->what, ' ');
			buf_put(&c->what, dir.s, dir.n);
		}
		what = buf_str(&c->what);
	}
	enter(c, first + COVER_SHAPES, sum, no_sizes ? what : NULL,
	    no_sizes ? why : NULL);
	if (has_op && lacks(r, "capture"))
		why = "captured_before";
	else if (has_op && !no_sizes)
		why = rec_get(r, COL_family).s != NULL ? "not_in_sizes"
						       : "no_rule";
	enter(c, first + COVER_FLOP, sum, no_flop ? what : NULL,
	    no_flop ? why : NULL);
	if (mv_eq(rec_get(r, COL_tc), "unknown"))
		enter(c, first + COVER_TC, sum, field(c, r, COL_short),
		    rec_get(r, COL_tc_rule).s != NULL ? "ambiguous"
						      : "no_name_rule");
	else
		enter(c, first + COVER_TC, sum, NULL, NULL);
}

static void
read_sums(struct stage *st, struct rec *r)
{
	struct cover *c = st->ctx;
	uint32_t first = file_of(c, r) * COVER_N, a;
	struct cover_sum sum = { 0, 0 };

	(void)rec_real(r, COL_sum_dur_ns, &sum.ns);
	(void)rec_real(r, COL_n, &sum.n);
	enter(c, first + COVER_OP, sum,
	    rec_get(r, COL_why).s != NULL ? field(c, r, COL_why) : NULL, NULL);
	if (mv_eq(rec_get(r, COL_tag), "kern"))
		enter_kernels(c, r, first, sum);
	else if (mv_eq(rec_get(r, COL_tag), "graph"))
		for (a = COVER_SHAPES; a < COVER_N; a++)
			enter(c, first + a, sum, field(c, r, COL_short),
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
	bool has_src = rec_has(c->work, COL_src);
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

/* The rows of one account, which are the items v[0..n). */
static void
put_account(const struct cover *c, const struct cover_item *v, size_t n)
{
	const struct mview none = { "-", 1 };
	struct mview what, reason;
	struct cover_sum rest = { 0, 0 };
	const char *s;
	size_t i, len;

	for (i = 0; i < n; i++) {
		if (c->limit > 0 && i > (size_t)c->limit) {
			rest.ns += v[i].sum.ns;
			rest.n += v[i].sum.n;
			continue;
		}
		what = (struct mview){ "(known)", 7 };
		reason = none;
		if (!v[i].known) {
			s = smap_str(&c->names, v[i].id, &len);
			what.s = (const char *)memchr(s, '\t', len) + 1;
			reason = mv(strchr(what.s, '\t') + 1, s + len);
			what.n = (size_t)(reason.s - what.s) - 1;
		}
		put_row(c, v[i].account, what, v[i].sum, reason);
	}
	if (rest.n > 0)
		put_row(
		    c, v[0].account, (struct mview){ "(rest)", 6 }, rest, none);
}

static void
write_rows(struct stage *st)
{
	struct cover *c = st->ctx;
	size_t i, from = 0, n = c->names.n;

	out_legend(rec_has(c->work, COL_src) ? c->with_src : c->without);
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
set_limit(void *limit, const char *arg)
{
	*(int64_t *)limit = cli_i64("-n", arg, 0, INT64_MAX);
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "src", "account", "what",
		"dur_pct", "sum_dur_ns", "n_pct", "n", "reason" };
	static struct cover c;
	const struct cli_opt opts[] = {
		{ 'n', "limit", .set = set_limit, .to = &c.limit },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-coverage", opts, argc, argv);
	st.ctx = &c;
	st.section = forget_accounts;
	st.end = write_rows;
	c.work = stage_on(&st, "work", read_sums, .opt = "src",
	    .need = "tag op dir short why lacks family tc tc_rule sum_dur_ns"
		    " n");
	c.with_src = out_type("coverage", names, ARRAY_LEN(names));
	c.without = out_type("coverage", names + 1, ARRAY_LEN(names) - 1);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	return out_finish(rc);
}
