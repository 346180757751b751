/*
 * Finds the rule of an op: the way from its name to a row of ops.tab, which has
 * the ops that are counted by a function, and to the rules in text.
 */
#define _DEFAULT_SOURCE /* strsep */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "flops_rules.h"
#include "shipped.h"

/* The functions that ops.tab names. */
static const struct {
	const char *name;
	count_fn *count;
} counters[] = {
	{ "gemm", gemm_count },
	{ "grouped", grouped_count },
	{ "einsum", einsum_count },
	{ "triton", triton_count },
	{ "conv", conv_count },
	{ "attention", attention_count },
	{ "paged", paged_count },
	{ "cell", cell_count },
	{ "rnn", rnn_count },
};

static const struct {
	const char *name;
	params_fn *params;
} printers[] = {
	{ "linear", linear_params },
	{ "mm", mm_params },
	{ "addmm", addmm_params },
	{ "bmm", bmm_params },
	{ "conv", conv_params },
	{ "cell", cell_params },
};

/* Takes a line of ops.tab, FAMILY COUNT ARG WAITS PARAMS OP...: the same rule
 * for each OP. The rule keeps views of the text. */
static void
take_line(struct flops_rules *rules, char *line)
{
	enum { FAMILY, COUNT, ARG, WAITS, PARAMS, WORDS };
	struct flops_rule *rule = xcalloc(1, sizeof(*rule));
	char *word[WORDS], *op, *rest;
	size_t i;

	for (i = 0; i < WORDS; i++)
		word[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
	rule->family = family_named(word[FAMILY], strlen(word[FAMILY]));
	for (i = 0; i < ARRAY_LEN(counters); i++)
		if (strcmp(word[COUNT], counters[i].name) == 0)
			rule->count = counters[i].count;
	rule->arg = atoi(word[ARG]);
	if (strcmp(word[WAITS], "-") != 0)
		rule->bwd = word[WAITS];
	for (i = 0; i < ARRAY_LEN(printers); i++)
		if (strcmp(word[PARAMS], printers[i].name) == 0)
			rule->params = printers[i].params;
	if (rule->params == NULL && strcmp(word[PARAMS], "-") != 0)
		rule->spec = word[PARAMS];
	while ((op = strtok_r(NULL, " ", &rest)) != NULL) {
		i = smap_put(&rules->table, op, strlen(op), NULL);
		rules->table.val[i] = (uint64_t)(uintptr_t)rule;
	}
}

/* The row of an op type in ops.tab; NULL if it has none. */
static const struct flops_rule *
built_in(struct flops_rules *rules, const char *op, size_t n)
{
	char *text, *line, *rest = NULL;
	uint32_t i;

	if (rules->table.n == 0) { /* the text lives as long as the rules */
		text = rest = xstrdup(shipped_text("ops.tab"));
		while ((line = strsep(&rest, "\n")) != NULL)
			if (*line != '#' && *line != '\0')
				take_line(rules, line);
		rules->text = text;
	}
	i = smap_find(&rules->table, op, n);
	return i == SMAP_NONE
		   ? NULL
		   : (const struct flops_rule *)(uintptr_t)rules->table.val[i];
}

/* The rows of an op; an in-place op, add_, has those of add if it has none of
 * its own. */
static const struct rule_row *
rows_or_in_place(struct flops_rules *rules, bool user, const char *op, size_t n)
{
	const struct rule_row *r = rows_of(rules, user, op, n);

	if (r == NULL && n > 1 && op[n - 1] == '_')
		r = rows_of(rules, user, op, n - 1);
	return r;
}

static void
take_waits(struct flops_rule *rule, const struct rule_row *rows)
{
	for (; rows != NULL; rows = rows->next)
		if (rows->waits != NULL)
			rule->bwd = rows->waits;
}

/* Joins a row of the table, or NULL, with the rules in text; NULL if there is
 * neither. */
static struct flops_rule *
combine(struct flops_rules *rules, const struct flops_rule *base,
    const char *op, size_t n)
{
	const struct rule_row *user = rows_or_in_place(rules, true, op, n);
	const struct rule_row *rows = rows_or_in_place(rules, false, op, n);
	struct flops_rule *rule;

	if (base == NULL && user == NULL && rows == NULL)
		return NULL;
	rule = xcalloc(1, sizeof(*rule));
	if (base != NULL)
		*rule = *base;
	else
		rule->family = user != NULL ? user->family : rows->family;
	rule->user = user;
	rule->rows = rows;
	take_waits(rule, rows);
	take_waits(rule, user);
	return rule;
}

/* The rule of an op together with its module: torch.nn.functional.embedding,
 * LSTMCell.forward, myext::fused_mlp; NULL if there is none. */
static struct flops_rule *
find_in_module(struct flops_rules *rules, struct mview mod, const char *sep,
    struct mview op)
{
	struct buf *full = &rules->name;
	struct flops_rule *r;
	const struct flops_rule *b;

	if (mod.n == 0)
		return NULL;
	buf_clear(full);
	buf_put(full, mod.s, mod.n);
	buf_puts(full, sep);
	buf_put(full, op.s, op.n);
	b = built_in(rules, full->s, full->len);
	if (b == NULL && rows_of(rules, true, full->s, full->len) == NULL &&
	    rows_of(rules, false, full->s, full->len) == NULL)
		return NULL;
	/* the rules of the plain name apply where it has none */
	r = combine(rules, b != NULL ? b : built_in(rules, op.s, op.n), full->s,
	    full->len);
	if (b == NULL) /* comm::gather is communication, gather indexing */
		r->family = r->user != NULL ? r->user->family : r->rows->family;
	if (r->user == NULL)
		r->user = rows_or_in_place(rules, true, op.s, op.n);
	if (r->rows == NULL)
		r->rows = rows_or_in_place(rules, false, op.s, op.n);
	return r;
}

static struct flops_rule *
find_plain(struct flops_rules *rules, const char *op, size_t n)
{
	return combine(rules, built_in(rules, op, n), op, n);
}

/* The rule of an op with its module or without; otherwise of the op that it is
 * the in-place variant of, or of the forward that a backward's name contains.
 */
static struct flops_rule *
find_any(struct flops_rules *rules, struct mview mod, struct mview op)
{
	struct buf *b = &rules->name;
	struct flops_rule *r;
	size_t i;
	char c;

	if (mv_starts(op, "triton_tem_"))
		op.n = 10; /* the rest names the op and its number */
	r = find_in_module(rules, mod, ".", op);
	if (r == NULL)
		r = find_in_module(rules, mod, "::", op);
	if (r == NULL)
		r = find_plain(rules, op.s, op.n);
	if (r == NULL && op.n > 1 && op.s[op.n - 1] == '_')
		r = find_plain(rules, op.s, op.n - 1);
	if (r != NULL || op.n == 0 || *op.s < 'A' || *op.s > 'Z')
		return r;
	/* the forward's name for that of a backward whose forward was not
	 * found: native_layer_norm for NativeLayerNorm */
	buf_clear(b);
	for (i = 0; i < op.n; i++) {
		c = op.s[i];
		if (c >= 'A' && c <= 'Z') {
			if (i > 0 && op.s[i - 1] >= 'a' && op.s[i - 1] <= 'z')
				buf_putc(b, '_');
			c = (char)(c - 'A' + 'a');
		}
		buf_putc(b, c);
	}
	return find_plain(rules, b->s, b->len);
}

/* The same ops occur with many sizes, so each name is looked up once. */
const struct flops_rule *
rule_find(struct flops_rules *rules, struct mview mod, struct mview op)
{
	uint32_t id;
	bool fresh;

	buf_clear(&rules->key);
	buf_put(&rules->key, mod.s, mod.n);
	buf_putc(&rules->key, '\0');
	buf_put(&rules->key, op.s, op.n);
	id = smap_put(&rules->by_op, rules->key.s, rules->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(rules->found, rules->nfound, rules->cap);
		rules->found[rules->nfound] = find_any(rules, mod, op);
		rules->by_op.val[id] = ++rules->nfound;
	}
	return rules->found[rules->by_op.val[id] - 1];
}
