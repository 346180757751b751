/* How the rule of an op is found; see rules.h. */
#include <string.h>

#include "builtin.h"
#include "cell.h"
#include "err.h"
#include "map.h"
#include "params.h"
#include "rules.h"

static struct smap by_op; /* val: the rule's number in made, + 1 */
static struct made {
	struct rule rule; /* first: rule_user() goes back */
	const struct row *user, *rows;
} * *made; /* NULL: no rule */
static size_t nmade, made_cap;

/* The texts about an op; one in place, add_, has those of add where it has none
 * of its own. */
static const struct row *
texts(bool user, const char *op, size_t n)
{
	const struct row *r = rows_of(user, op, n);

	if (r == NULL && n > 1 && op[n - 1] == '_')
		r = rows_of(user, op, n - 1);
	return r;
}

/* A rule with what the texts say besides; NULL if nothing is said. */
static struct made *
combine(const struct rule *base, const char *op, size_t n)
{
	const struct row *user = texts(true, op, n);
	const struct row *rows = texts(false, op, n), *r;
	struct made *m;
	struct rule *rule;

	if (base == NULL && user == NULL && rows == NULL)
		return NULL;
	m = xcalloc(1, sizeof(*m));
	rule = &m->rule;
	if (base != NULL)
		*rule = *base;
	else
		rule->family = user != NULL ? user->family : rows->family;
	m->user = user;
	m->rows = rows;
	for (r = rows; r != NULL; r = r->next)
		if (r->waits != NULL)
			rule->bwd = r->waits;
	for (r = user; r != NULL; r = r->next)
		if (r->waits != NULL)
			rule->bwd = r->waits;
	return m;
}

const struct row *
rule_user(const struct rule *rule)
{
	return ((const struct made *)rule)->user;
}

const struct row *
rule_rows(const struct rule *rule)
{
	return ((const struct made *)rule)->rows;
}

/* The name of a backward whose forward was not found, NativeLayerNorm, as that
 * of the forward: native_layer_norm. */
static void
snake(struct buf *b, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] < 'A' || s[i] > 'Z') {
			buf_putc(b, s[i]);
		} else {
			if (i > 0 && s[i - 1] >= 'a' && s[i - 1] <= 'z')
				buf_putc(b, '_');
			buf_putc(b, (char)(s[i] - 'A' + 'a'));
		}
}

/* A rule can be that of an op in its module only,
 * torch.nn.functional.embedding, LSTMCell.forward, myext::fused_mlp; an op in
 * place, add_, has the rule of add where it has none of its own. */
static struct made *
qualified(
    const char *mod, size_t nmod, const char *sep, const char *op, size_t n)
{
	static struct buf full;
	struct made *r;
	const struct rule *b;

	if (nmod == 0)
		return NULL;
	buf_clear(&full);
	buf_put(&full, mod, nmod);
	buf_puts(&full, sep);
	buf_put(&full, op, n);
	b = built_in(full.s, full.len);
	if (b == NULL && rows_of(true, full.s, full.len) == NULL &&
	    rows_of(false, full.s, full.len) == NULL)
		return NULL;
	/* what it does not say, the rules of the plain name do */
	r = combine(b != NULL ? b : built_in(op, n), full.s, full.len);
	if (r->user == NULL)
		r->user = texts(true, op, n);
	if (r->rows == NULL)
		r->rows = texts(false, op, n);
	return r;
}

static struct made *
look_up(const char *mod, size_t nmod, const char *op, size_t n)
{
	static struct buf name;
	struct made *r;

	if (n > 11 && memcmp(op, "triton_tem_", 11) == 0)
		n = 10; /* the rest names the op and its number */
	r = qualified(mod, nmod, ".", op, n);
	if (r == NULL)
		r = qualified(mod, nmod, "::", op, n);
	if (r == NULL)
		r = combine(built_in(op, n), op, n);
	if (r == NULL && n > 1 && op[n - 1] == '_')
		r = combine(built_in(op, n - 1), op, n - 1);
	if (r == NULL && n > 0 && *op >= 'A' && *op <= 'Z') {
		buf_clear(&name);
		snake(&name, op, n);
		r = combine(built_in(name.s, name.len), name.s, name.len);
	}
	return r;
}

/* Ops repeat with other sizes: each name is looked up once. */
const struct rule *
rule_find(const char *mod, size_t nmod, const char *op, size_t nop)
{
	static struct buf key;
	const struct made *m;
	uint32_t id;
	bool fresh;

	buf_clear(&key);
	if (nmod > 0)
		buf_put(&key, mod, nmod);
	buf_putc(&key, '\0');
	buf_put(&key, op, nop);
	id = smap_put(&by_op, key.s, key.len, &fresh);
	if (fresh) {
		if (nmade == made_cap) {
			made_cap = made_cap == 0 ? 64 : made_cap * 2;
			made = xrealloc(made, made_cap, sizeof(*made));
		}
		made[nmade++] = look_up(mod, nmod, op, nop);
		by_op.val[id] = nmade;
	}
	m = made[by_op.val[id] - 1];
	return m == NULL ? NULL : &m->rule;
}

bool
rule_by_grid(const struct rule *rule)
{
	return rule != NULL && rule->params == cell_params;
}

bool
rule_params(const struct rule *rule, const struct work *w, struct buf *b)
{
	size_t was = b->len;

	/* PyProf's word for an element-wise op of numbers alone */
	if (rule != NULL && rule->family == FAM_POINTWISE && w->a->typed &&
	    w->a->n > 0 && arg_tensor(w->a, 0) == NULL) {
		buf_puts(b, "T=[(1,)],fp32,");
		return true;
	}
	if (rule != NULL && rule->params != NULL) {
		if (rule->params(w, b))
			return true;
	} else if (rule != NULL && rule->spec != NULL) {
		if (w->a->typed && params_spec(w, rule->spec, b))
			return true;
	}
	b->len = was;
	return params_any(w, b);
}
