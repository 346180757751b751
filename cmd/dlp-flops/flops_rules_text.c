/*
 * Rules as text: flops.rules and a user's own files, read and applied. A line
 * goes on in lines that begin with a blank; dlp-flops-rules(7) describes it:
 *
 *	OP[|OP...] DIRECTION FAMILY KEY = VALUE [; KEY = VALUE ...]
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "flops_rules.h"
#include "kern_work.h"
#include "pat.h"
#include "shipped.h"

struct rule_list { /* the rules of a name or pattern, in order */
	struct rule_row *head, **end;
	bool pattern;
};

enum { DIR_FPROP = 1, DIR_BPROP = 2 };

/* The list of a name or pattern, which is created if it does not exist. */
static struct rule_list *
list_of(struct rule_set *set, const char *op)
{
	struct rule_list *l;
	bool fresh;
	uint32_t id = smap_put(&set->by_op, op, strlen(op), &fresh);

	if (!fresh)
		return &set->lists[id];
	ARRAY_GROW(set->lists, set->n, set->cap);
	l = &set->lists[set->n++]; /* its number is id */
	memset(l, 0, sizeof(*l));
	l->pattern = strpbrk(op, "*?[") != NULL;
	return l;
}

/* Adds a copy of the rule, after those of the same op, whose name stays the
 * caller's. */
static void
set_add(struct rule_set *set, const struct rule_row *row, const char *op)
{
	struct rule_list *l = list_of(set, op);
	struct rule_row *r = xmalloc(sizeof(*r));

	*r = *row;
	r->op = op;
	r->next = NULL;
	if (l->head == NULL)
		l->head = r;
	else
		*l->end = r;
	l->end = &r->next;
}

/* A name with its module, torch.nn.functional.linear or myext::mlp, is matched
 * only by a pattern that has a module too. */
static bool
matches(const char *pattern, const char *name)
{
	return (strchr(name, '.') == NULL || strchr(pattern, '.') != NULL) &&
	       (strstr(name, "::") == NULL || strstr(pattern, "::") != NULL) &&
	       fnmatch(pattern, name, 0) == 0;
}

/* The first rule of the op: by its name, otherwise by the first pattern that
 * matches; NULL if there is none. */
static const struct rule_row *
set_find(const struct rule_set *set, const char *op, size_t n)
{
	uint32_t id = smap_find(&set->by_op, op, n);
	char *name;
	size_t i;

	if (id != SMAP_NONE)
		return set->lists[id].head;
	name = xmemdup(op, n);
	for (i = 0; i < set->n; i++)
		if (set->lists[i].pattern &&
		    matches(set->lists[i].head->op, name))
			break;
	free(name);
	return i < set->n ? set->lists[i].head : NULL;
}

struct rules_reader {
	struct rule_set *set;
	const char *file;
	unsigned line; /* where the rule began */
};

static void
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

static unsigned
read_direction(const struct rules_reader *rd, const char *s)
{
	if (strcmp(s, "fprop") == 0)
		return DIR_FPROP;
	if (strcmp(s, "bprop") == 0)
		return DIR_BPROP;
	if (strcmp(s, "any") != 0)
		rule_die(
		    rd, "direction is fprop, bprop or any, not", s, strlen(s));
	return DIR_FPROP | DIR_BPROP;
}

static enum family
read_family(const struct rules_reader *rd, const char *s)
{
	enum family f = family_named(s, strlen(s));

	if (f == FAM_NONE)
		rule_die(rd, "no such family", s, strlen(s));
	return f;
}

static bool
read_yes(const struct rules_reader *rd, const char *v)
{
	if (strcmp(v, "yes") != 0 && strcmp(v, "no") != 0)
		rule_die(rd, "yes or no expected, not", v, strlen(v));
	return *v == 'y';
}

static char *
read_expression(const struct rules_reader *rd, const char *key, char *v)
{
	const char *why;
	size_t at;

	if (strcmp(v, "-") == 0)
		return NULL;
	why = expr_check(v, strlen(v), &at);
	if (why != NULL)
		die("%s:%u: %s: %s at '%s'", rd->file, rd->line, key, why,
		    v[at] == '\0' ? "the end" : v + at);
	return v;
}

static void
read_key(const struct rules_reader *rd, struct rule_row *row, char *text)
{
	char *eq = strchr(text, '='), *k, *v;

	if (eq == NULL)
		rule_die(rd, "KEY = VALUE expected, not", text, strlen(text));
	*eq = '\0';
	k = trim(text);
	v = trim(eq + 1);
	if (strcmp(k, "flop") == 0)
		row->flop = read_expression(rd, k, v);
	else if (strcmp(k, "bytes") == 0)
		row->bytes = read_expression(rd, k, v);
	else if (strcmp(k, "bus") == 0)
		row->bus = read_expression(rd, k, v);
	else if (strcmp(k, "kernel") == 0)
		row->kern = v;
	else if (strcmp(k, "once") == 0)
		row->once = read_yes(rd, v);
	else if (strcmp(k, "aux") == 0)
		row->aux = read_yes(rd, v);
	else if (strcmp(k, "tc") == 0)
		row->tc = read_yes(rd, v);
	else if (strcmp(k, "waits") == 0)
		row->waits = v;
	else
		rule_die(rd, "no such key", k, strlen(k));
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
	row.dirs = read_direction(rd, dir);
	row.family = read_family(rd, fam);
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
rows_load(struct flops_rules *rules, const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b = { 0 };
	char part[4096];
	size_t n;

	if (f == NULL)
		die_errno("%s", path);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_put(&b, part, n);
	if (ferror(f))
		die_errno("%s", path);
	fclose(f);
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

/* A backward sums over the dimensions that the forward broadcast: one addition
 * for each element of the gradient, which is read once. */
static bool
sum_count(const struct kern_work *w, struct answer *r)
{
	int64_t n = w->bprop ? work_grad(w) : -1;

	if (n < 0 && w->bprop && r->family == FAM_POINTWISE)
		n = operand_out(w); /* the gradient has the result's size */
	if (n < 0 || !pat_match("reduce_kernel<", w->k->lower, w->k->len))
		return false;
	r->role = ROLE_MAIN;
	r->each = true;
	r->flop = n;
	r->bytes = size_mul(n, operand_esize(w));
	return true;
}

/* Families whose ops are one element-wise kernel. */
static bool
elementwise(enum family f)
{
	return f == FAM_POINTWISE || f == FAM_ACTIVATION || f == FAM_COPY ||
	       f == FAM_DROPOUT || f == FAM_OPTIMIZER;
}

void
rows_count(
    const struct rule_row *list, const struct kern_work *w, struct answer *r)
{
	const struct rule_row *row = rows_match(list, w),
			      *all = general(list, w);

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
	if (elem_count(w, r)) {
		if (r->flop < 0 && all != NULL)
			r->flop = value_of(all->flop, w);
		if (r->family == FAM_NONE)
			r->family = FAM_POINTWISE;
	} else if (sum_count(w, r)) {
		if (r->family == FAM_NONE)
			r->family = FAM_REDUCE;
	} else if (list != NULL && pat_match(helpers, w->k->lower, w->k->len)) {
		r->role = ROLE_AUX;
		r->flop = helper_flop(all, w);
	} else if (r->family == FAM_NONE && w->op.s != NULL && w->k->elem.is) {
		r->family = FAM_POINTWISE; /* size unknown */
	} else if (all != NULL &&
		   (!w->k->elem.is || elementwise(all->family))) {
		row_apply(all, w, r);
	}
}
