/*
 * Rules as text: flops.rules and a user's own files, read and applied. A line
 * goes on in lines that begin with a blank; dlp-flops-rules(7) describes it:
 *
 *	OP[|OP...] DIRECTION FAMILY KEY = VALUE [; KEY = VALUE ...]
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "flops_rules.h"
#include "kern_work.h"
#include "lines.h"
#include "pat.h"
#include "shipped.h"

struct rule_list { /* the rules of a name or pattern, in order */
	struct rule_row *head, **end;
	bool pattern;
};

enum { DIR_FPROP = 1, DIR_BPROP = 2 };

/* Adds a copy of the rule, after those of the same name or pattern, whose text
 * stays the caller's. */
static void
set_add(struct rule_set *set, const struct rule_row *row, const char *op)
{
	struct rule_row *r = xmalloc(sizeof(*r));
	struct rule_list *l;
	bool fresh;
	uint32_t id = smap_put(&set->by_op, op, strlen(op), &fresh);

	*r = *row;
	r->op = op;
	r->next = NULL;
	if (fresh) {
		ARRAY_GROW(set->lists, set->n, set->cap);
		set->lists[set->n++] = (struct rule_list){ r, &r->next,
			strpbrk(op, "*?[") != NULL };
		return;
	}
	l = &set->lists[id];
	*l->end = r;
	l->end = &r->next;
}

/* The first rule of the op: by its name, otherwise by the first pattern that
 * matches; NULL if there is none. A name with its module,
 * torch.nn.functional.linear or myext::mlp, is matched only by a pattern that
 * has a module too. */
static const struct rule_row *
set_find(const struct rule_set *set, const char *op, size_t n)
{
	uint32_t id = smap_find(&set->by_op, op, n);
	const char *p;
	char *name;
	size_t i;

	if (id != SMAP_NONE)
		return set->lists[id].head;
	name = xmemdup(op, n);
	for (i = 0; i < set->n; i++) {
		p = set->lists[i].head->op;
		if (set->lists[i].pattern &&
		    (strchr("*?[", *p) != NULL || *p == *name) &&
		    (strchr(name, '.') == NULL || strchr(p, '.') != NULL) &&
		    (strstr(name, "::") == NULL || strstr(p, "::") != NULL) &&
		    fnmatch(p, name, 0) == 0)
			break;
	}
	free(name);
	return i < set->n ? set->lists[i].head : NULL;
}

struct rules_reader {
	struct rule_set *set;
	const char *file;
	unsigned line; /* where the rule began */
};

__attribute__((noreturn)) static void
rule_die(
    const struct rules_reader *rd, const char *what, const char *s, size_t n)
{
	die("%s:%u: %s '%.*s'", rd->file, rd->line, what, (int)n, s);
}

static char *
next_word(char **p)
{
	char *s = *p + strspn(*p, " \t");
	size_t n = strcspn(s, " \t");

	*p = s + n;
	if (**p != '\0')
		*(*p)++ = '\0';
	return s;
}

static char *
trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n > 0 && strchr(" \t", s[n - 1]) != NULL; n--)
		;
	s[n] = '\0';
	return s;
}

static void
read_key(const struct rules_reader *rd, struct rule_row *row, char *text)
{
	const struct {
		const char *key;
		char **expr, **text;
		bool *yes;
	} keys[] = {
		{ "flop", .expr = &row->flop },
		{ "bytes", .expr = &row->bytes },
		{ "least", .expr = &row->least },
		{ "bus", .expr = &row->bus },
		{ "kernel", .text = &row->kern },
		{ "waits", .text = &row->waits },
		{ "once", .yes = &row->once },
		{ "aux", .yes = &row->aux },
		{ "tc", .yes = &row->tc },
	};
	char *eq = strchr(text, '='), *k, *v;
	const char *why;
	size_t at, i;

	if (eq == NULL)
		rule_die(rd, "KEY = VALUE expected, not", text, strlen(text));
	*eq = '\0';
	k = trim(text);
	v = trim(eq + 1);
	for (i = 0; i < ARRAY_LEN(keys) && strcmp(k, keys[i].key) != 0;)
		i++;
	if (i == ARRAY_LEN(keys))
		rule_die(rd, "no such key", k, strlen(k));
	if (keys[i].text != NULL) {
		*keys[i].text = v;
	} else if (keys[i].yes != NULL) {
		if (strcmp(v, "yes") != 0 && strcmp(v, "no") != 0)
			rule_die(rd, "yes or no expected, not", v, strlen(v));
		*keys[i].yes = *v == 'y';
	} else if (strcmp(v, "-") == 0) {
		*keys[i].expr = NULL;
	} else {
		why = expr_check(v, strlen(v), &at);
		if (why != NULL)
			die("%s:%u: %s: %s at '%s'", rd->file, rd->line, k, why,
			    v[at] == '\0' ? "the end" : v + at);
		*keys[i].expr = v;
	}
}

/* The row points into text, which is not freed. */
static void
read_rule(const struct rules_reader *rd, char *text)
{
	struct rule_row row = { .op = NULL };
	char *ops, *dir, *fam, *item, *next, *op;

	ops = next_word(&text);
	dir = next_word(&text);
	fam = next_word(&text);
	if (*fam == '\0')
		rule_die(
		    rd, "OP DIRECTION FAMILY expected, not", ops, strlen(ops));
	row.dirs = strcmp(dir, "fprop") == 0   ? DIR_FPROP
		   : strcmp(dir, "bprop") == 0 ? DIR_BPROP
					       : DIR_FPROP | DIR_BPROP;
	if (row.dirs == (DIR_FPROP | DIR_BPROP) && strcmp(dir, "any") != 0)
		rule_die(rd, "direction is fprop, bprop or any, not", dir,
		    strlen(dir));
	row.family = family_named(fam, strlen(fam));
	if (row.family == FAM_NONE)
		rule_die(rd, "no such family", fam, strlen(fam));
	for (item = text; item != NULL; item = next) {
		next = strchr(item, ';');
		if (next != NULL)
			*next++ = '\0';
		item = trim(item);
		if (*item != '\0')
			read_key(rd, &row, item);
	}
	for (op = strtok(ops, "|"); op != NULL; op = strtok(NULL, "|"))
		set_add(rd->set, &row, op);
}

static void
end_rule(const struct rules_reader *rd, struct buf *rule)
{
	struct rule_set *set = rd->set;

	if (rule->len > 0) {
		set->text = xrealloc(set->text, set->ntext + 1, sizeof(char *));
		set->text[set->ntext] = xmemdup(rule->s, rule->len);
		read_rule(rd, set->text[set->ntext++]);
	}
	buf_clear(rule);
}

static void
read_text(struct rule_set *set, const char *file, const char *s)
{
	struct rules_reader rd = { set, file, 0 };
	struct buf rule = { 0 };
	unsigned line = 0;
	size_t n;

	for (; *s != '\0'; s += n + (s[n] == '\n')) {
		line++;
		n = strcspn(s, "\n");
		if (*s == '#')
			continue;
		if (*s != ' ' && *s != '\t') {
			end_rule(&rd, &rule);
			rd.line = line;
		} else if (rule.len == 0 && strspn(s, " \t") < n) {
			rd.line = line;
			rule_die(&rd, "continuation of nothing", s, n);
		}
		buf_put(&rule, s, n);
	}
	end_rule(&rd, &rule);
	buf_free(&rule);
}

void
rows_load(void *to, const char *path)
{
	struct flops_rules *rules = to;
	struct buf b = { 0 };

	if (!lines_all(&b, path))
		die_errno("%s", path);
	if (b.len > 0 && memchr(b.s, '\0', b.len) != NULL)
		die("%s: not a file of rules: it has a zero byte", path);
	read_text(&rules->user, path, buf_str(&b));
	buf_free(&b);
}

const struct rule_row *
rows_of(struct flops_rules *rules, bool users, const char *op, size_t n)
{
	if (users)
		return set_find(&rules->user, op, n);
	if (!rules->has_shipped) {
		rules->has_shipped = true;
		read_text(&rules->shipped, "flops.rules",
		    shipped_text("flops.rules"));
	}
	return set_find(&rules->shipped, op, n);
}

/* Kernels that prepare or finish the work of an op's own kernel: sorting and
 * scans of CUB (void cub::DeviceRadixSortOnesweepKernel<...>), and those of
 * at/native/cuda/{Sort,EmbeddingBackwardKernel}.cu. */
static const char helpers[] =
    "cub::|thrust::|kernel_with_index<|init_kernel|compact_init";

static bool
dir_fits(const struct rule_row *row, const struct kern_work *w)
{
	return (row->dirs & (w->bprop ? DIR_BPROP : DIR_FPROP)) != 0;
}

/* The row for any kernel, in this direction. */
static const struct rule_row *
general(const struct rule_row *row, const struct kern_work *w)
{
	for (; row != NULL; row = row->next)
		if (dir_fits(row, w) && row->kern == NULL)
			return row;
	return NULL;
}

/* A row whose pattern fits is better than one for any kernel, wherever they
 * stand: the rows of an op can lie far apart. */
const struct rule_row *
rows_match(const struct rule_row *rows, const struct kern_work *w)
{
	const struct rule_row *row;

	for (row = rows; row != NULL; row = row->next)
		if (dir_fits(row, w) && row->kern != NULL &&
		    pat_match(row->kern, w->k->lower, w->k->len))
			return row;
	return general(rows, w);
}

static int64_t
value_of(const char *e, const struct kern_work *w)
{
	return e == NULL ? -1 : expr_eval(e, strlen(e), w);
}

void
row_apply(
    const struct rule_row *row, const struct kern_work *w, struct answer *r)
{
	r->family = row->family;
	r->eligible = row->tc;
	r->role = row->aux ? ROLE_AUX : ROLE_MAIN;
	r->each = row->kern != NULL && !row->once;
	r->flop = row->aux ? 0 : value_of(row->flop, w);
	r->bytes = value_of(row->bytes, w);
	r->least = value_of(row->least, w);
	r->bus = value_of(row->bus, w);
}

/* A helper's FLOPs: 0 if those of the kernel that it helps are known. */
static int64_t
helper_flop(const struct rule_row *all, const struct kern_work *w)
{
	if (all == NULL || all->flop == NULL)
		return 0;
	return value_of(all->flop, w) < 0 ? -1 : 0;
}

void
rows_count(
    const struct rule_row *list, const struct kern_work *w, struct answer *r)
{
	const struct rule_row *row = rows_match(list, w),
			      *all = general(list, w);
	const char *name = w->k->lower;
	int64_t sum;
	bool one_kernel; /* ops of the family are one element-wise kernel */

	if (list != NULL)
		r->family = list->family;
	else if (r->family == FAM_NONE)
		r->family = w->k->family;
	if (row != NULL && row->kern != NULL) {
		row_apply(row, w, r);
		if (row->aux)
			r->flop = helper_flop(all, w);
		return;
	}
	if (all != NULL)
		r->family = all->family;
	one_kernel =
	    all != NULL &&
	    (all->family == FAM_POINTWISE || all->family == FAM_ACTIVATION ||
		all->family == FAM_COPY || all->family == FAM_DROPOUT ||
		all->family == FAM_OPTIMIZER);
	/* A backward sums over the dimensions that the forward broadcast: one
	 * addition for each element of the gradient, which is read once. A
	 * pointwise gradient has the result's size. */
	sum = w->bprop ? work_grad(w) : -1;
	if (sum < 0 && w->bprop && r->family == FAM_POINTWISE)
		sum = operand_out(w);
	if (elem_count(w, r)) {
		if (r->flop < 0 && all != NULL)
			r->flop = value_of(all->flop, w);
		if (r->family == FAM_NONE)
			r->family = FAM_POINTWISE;
	} else if (sum >= 0 && pat_match("reduce_kernel<", name, w->k->len)) {
		r->role = ROLE_MAIN;
		r->each = true;
		r->flop = sum;
		r->bytes = size_mul(sum, operand_esize(w));
		if (r->family == FAM_NONE)
			r->family = FAM_REDUCE;
	} else if (list != NULL && pat_match(helpers, name, w->k->len)) {
		r->role = ROLE_AUX;
		r->flop = helper_flop(all, w);
	} else if (r->family == FAM_NONE && w->op.s != NULL && w->k->elem.is) {
		r->family = FAM_POINTWISE; /* size unknown */
	} else if (all != NULL && (!w->k->elem.is || one_kernel)) {
		row_apply(all, w, r);
	}
}
