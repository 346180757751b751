/*
 * The markers of PyProf and of nvidia_dlprof_pytorch_nvtx, which are Python
 * dicts as str() prints them:
 *
 *	{'traceMarker': ['a.py:34', ...], 'funcStack': '/...'}
 *	{'mod': 'LSTMCell', 'strRepr': '10, 20'}
 *	{'mod': 'torch', 'op': 'add', 'args': [...], 'callid': 3}
 *
 * A marker cut in the middle stays what it is, without what was lost: an op
 * without arguments, a trace without a stack. One that lost its mod or op is
 * MK_BROKEN: it is no op, and no user's layer either.
 */
#include "mk_parsers.h"
#include "pylit.h"
#include "pylit_json.h"

struct dict { /* what the keys say; s NULL: not there */
	struct mview mod, op, args, repr;
	bool trace, func, callid, bad;
};

/* A text, its escapes resolved into one of the buffers that live on. */
static bool
text(struct pylit *l, struct mview *v, struct buf *keep)
{
	struct pl_atom a;
	char c = pl_peek(l);

	if (c == '[' || c == '{' || c == '(')
		return pl_skip(l);
	if (!pl_atom(l, &a))
		return false;
	*v = a.raw;
	if (a.kind == PL_STR && a.esc) {
		buf_clear(keep);
		pl_text(&a, keep);
		*v = (struct mview){ buf_str(keep), keep->len };
	}
	return true;
}

static void
value(struct pylit *l, struct dict *d, struct mview key)
{
	static struct buf mod, op, repr;
	const char *s;

	if (mv_eq(key, "mod")) {
		text(l, &d->mod, &mod);
	} else if (mv_eq(key, "op")) {
		text(l, &d->op, &op);
	} else if (mv_eq(key, "strRepr")) {
		text(l, &d->repr, &repr);
	} else if (mv_eq(key, "args")) {
		pl_peek(l);
		s = l->p;
		if (pl_skip(l))
			d->args = mv(s, l->p);
	} else {
		d->trace |= mv_eq(key, "traceMarker");
		d->func |= mv_eq(key, "funcStack");
		d->callid |= mv_eq(key, "callid");
		pl_skip(l);
	}
}

static void
read_dict(struct mview v, struct dict *d)
{
	struct pylit l;
	struct mview key;

	memset(d, 0, sizeof(*d));
	pl_init(&l, v.s, v.n);
	if (pl_enter(&l, '{'))
		while (pl_key(&l, &key))
			value(&l, d, key);
	d->bad = l.bad || pl_peek(&l) != '\0';
}

/* The text between *p, which must be at lit, and the next quote; *p goes
 * behind the quote. */
static bool
plain(const char **p, const char *e, const char *lit, struct mview *v)
{
	size_t n = strlen(lit);
	const char *q;

	if ((size_t)(e - *p) < n || memcmp(*p, lit, n) != 0)
		return false;
	*p += n;
	q = memchr(*p, '\'', (size_t)(e - *p));
	if (q == NULL || memchr(*p, '\\', (size_t)(q - *p)) != NULL)
		return false;
	*v = mv(*p, q);
	*p = q + 1;
	return true;
}

/* The usual argument marker, whose list reaches to the end of the text; the
 * list itself is read when it is asked for. */
static bool
usual_args(struct marker *m)
{
	static const char lit[] = ", 'args': [";
	const char *p = m->text.s, *e = p + m->text.n;
	size_t n = sizeof(lit) - 1;

	if (!plain(&p, e, "{'mod': '", &m->mod) ||
	    !plain(&p, e, ", 'op': '", &m->op) || (size_t)(e - p) < n + 2 ||
	    memcmp(p, lit, n) != 0 || e[-1] != '}' || e[-2] != ']')
		return false;
	m->args = mv(p + n - 1, e - 1);
	m->by = BY_PYPROF;
	return true;
}

static bool
usual_trace(struct marker *m)
{
	if (!mv_starts(m->text, "{'traceMarker': [") || !mv_ends(m->text, "}"))
		return false;
	m->kind = MK_TRACE;
	m->by =
	    mv_find(m->text, "'funcStack': ") != NULL ? BY_DLPROF : BY_PYPROF;
	return true;
}

static bool
set_args(struct marker *m)
{
	m->kind = MK_ARGS;
	m->name = m->op;
	if (mv_eq(m->mod, "torch.utils.data.dataloader"))
		m->flags |= MK_DATALOADER;
	return true;
}

/* Whether the text began as one of these markers. */
static bool
began(struct mview v)
{
	static const char *const begin[] = {
		"{'mod': ", "{'traceMarker': ", "{u'mod': ", "{u'traceMarker': "
	};
	size_t i, n;

	for (i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
		n = strlen(begin[i]);
		if (v.n < n)
			n = v.n;
		if (n >= 3 && memcmp(v.s, begin[i], n) == 0)
			return true;
	}
	return false;
}

static bool
any_dict(struct marker *m)
{
	struct dict d;

	read_dict(m->text, &d);
	if (d.bad)
		m->flags |= MK_DAMAGED;
	m->by = d.callid || d.func ? BY_DLPROF : BY_PYPROF;
	m->mod = d.mod;
	if (d.mod.s != NULL && d.op.s != NULL) {
		m->op = d.op;
		m->args = d.args;
		return set_args(m);
	}
	if (d.trace) {
		m->kind = MK_TRACE;
	} else if (d.mod.s != NULL && d.repr.s != NULL) {
		m->kind = MK_REPR;
		m->name = d.repr;
	} else if (began(m->text)) {
		m->kind = MK_BROKEN;
	} else {
		m->flags = 0;
		m->by = BY_USER;
		m->mod.s = NULL;
		return false;
	}
	return true;
}

bool
mk_dict(struct marker *m)
{
	char c = m->text.n > 1 ? m->text.s[1] : '\0';

	if (c != '\'' && c != 'u' && c != '"')
		return false;
	if (usual_args(m))
		return set_args(m);
	return usual_trace(m) || (c != '"' && any_dict(m));
}
