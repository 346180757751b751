/*
 * The markers of PyProf and of nvidia_dlprof_pytorch_nvtx (DLProf), which are
 * Python dicts as str() prints them:
 *
 *	{'traceMarker': ['a.py:34', ...], 'funcStack': '/<module>/...'}
 *	{'mod': 'LSTMCell', 'strRepr': '10, 20'}
 *	{'mod': 'torch', 'op': 'add', 'args': [...], 'callid': 3}
 *
 * and DLProf's model configuration, which is JSON:
 *
 *	{"model_config": {"emit_nvtx": true}}
 *	{"num_workers": 4, "pin_memory": true}
 *	{"cudnn_benchmark_disabled": true}
 *
 * A marker cut in the middle stays what it is, without what was lost: an op
 * without arguments, a trace without a stack. One that lost its mod or op is
 * MK_BROKEN: it is no op, and no user's layer either. Source: PyProf's
 * pyprof/nvtx/nvmarker.py; nvidia_dlprof_pytorch_nvtx has markers of the same
 * form with funcStack and callid.
 */
#include "array.h"
#include "mk.h"
#include "pylit.h"

#define TRACE_MAX 1000000 /* bytes of a trace marker that is read */
#define SAME_MIN 4        /* letters that two forms of one name must share */

struct marker_dict { /* the values of the keys; s is NULL for a missing key */
	struct mview mod, op, args, repr;
	bool trace, func, callid;
};

/* A text, its escapes resolved into keep. */
static bool
dict_text(struct pylit *lit, struct mview *v, struct buf *keep)
{
	struct pl_atom a;
	char c = pl_peek(lit);

	if (c == '[' || c == '{' || c == '(')
		return pl_skip(lit);
	if (!pl_atom(lit, &a))
		return false;
	*v = a.raw;
	if (a.kind == PL_STR && a.esc) {
		buf_clear(keep);
		pl_text(&a, keep);
		*v = (struct mview){ buf_str(keep), keep->len };
	}
	return true;
}

/* The text between lit, which must be at *p, and the next quote; *p moves past
 * the quote. */
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

/* The usual argument marker, whose list reaches to the end of the text.
 * marker_args() reads the list itself. */
static bool
usual_args(struct marker *marker)
{
	static const char lit[] = ", 'args': [";
	const char *p = marker->text.s, *e = p + marker->text.n;
	size_t n = sizeof(lit) - 1;

	if (!plain(&p, e, "{'mod': '", &marker->mod) ||
	    !plain(&p, e, ", 'op': '", &marker->op) ||
	    (size_t)(e - p) < n + 2 || memcmp(p, lit, n) != 0 || e[-1] != '}' ||
	    e[-2] != ']')
		return false;
	marker->args = mv(p + n - 1, e - 1);
	marker->kind = MK_ARGS;
	marker->name = marker->op;
	marker->by = BY_PYPROF;
	return true;
}

/* True if the text began as one of these markers. */
static bool
began(struct mview v)
{
	static const char *const begin[] = {
		"{'mod': ", "{'traceMarker': ", "{u'mod': ", "{u'traceMarker': "
	};
	size_t i, n;

	for (i = 0; i < ARRAY_LEN(begin); i++) {
		n = strlen(begin[i]);
		if (v.n < n)
			n = v.n;
		if (n >= 3 && memcmp(v.s, begin[i], n) == 0)
			return true;
	}
	return false;
}

static bool
any_dict(struct marker *marker)
{
	struct marker_dict d = { 0 };
	struct pylit l;
	struct mview key;
	const char *s;

	pl_init(&l, marker->text.s, marker->text.n);
	if (pl_enter(&l, '{'))
		while (pl_key(&l, &key)) {
			if (mv_eq(key, "mod")) {
				dict_text(&l, &d.mod, &marker->in->mod);
			} else if (mv_eq(key, "op")) {
				dict_text(&l, &d.op, &marker->in->op);
			} else if (mv_eq(key, "strRepr")) {
				dict_text(&l, &d.repr, &marker->in->repr);
			} else {
				d.trace |= mv_eq(key, "traceMarker");
				d.func |= mv_eq(key, "funcStack");
				d.callid |= mv_eq(key, "callid");
				pl_peek(&l);
				s = l.p;
				if (pl_skip(&l) && mv_eq(key, "args"))
					d.args = mv(s, l.p);
			}
		}
	if (l.bad || pl_peek(&l) != '\0')
		marker->flags |= MK_DAMAGED;
	marker->by = d.callid || d.func ? BY_DLPROF : BY_PYPROF;
	marker->mod = d.mod;
	if (d.mod.s != NULL && d.op.s != NULL) {
		marker->kind = MK_ARGS;
		marker->name = marker->op = d.op;
		marker->args = d.args;
		return true;
	}
	if (d.trace) {
		marker->kind = MK_TRACE;
	} else if (d.mod.s != NULL && d.repr.s != NULL) {
		marker->kind = MK_REPR;
		marker->name = d.repr;
	} else if (began(marker->text)) {
		marker->kind = MK_BROKEN;
	} else {
		marker->flags = 0;
		marker->by = BY_USER;
		marker->mod.s = NULL;
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
		return true;
	if (mv_starts(m->text, "{'traceMarker': [") && mv_ends(m->text, "}")) {
		m->kind = MK_TRACE;
		m->by = mv_find(m->text, "'funcStack': ") != NULL ? BY_DLPROF
								  : BY_PYPROF;
		return true;
	}
	return c != '"' && any_dict(m);
}

/* /<module>/A::f(2) becomes /module/A::f[2]. */
static void
put_func(struct buf *out, const char *s, size_t n)
{
	const char *e = s + n, *p;

	for (; s < e; s++) {
		for (p = s + 1; *s == '(' && p < e && mk_is_digit(*p);)
			p++;
		if (*s == '(' && p > s + 1 && p < e && *p == ')') {
			buf_putc(out, '[');
			buf_put(out, s + 1, (size_t)(p - s) - 1);
			buf_putc(out, ']');
			s = p;
		} else if (*s != '<' && *s != '>') {
			buf_putc(out, *s);
		}
	}
}

static void
trace_list(struct pylit *lit, struct buf *stack)
{
	struct pl_atom a;
	bool first = true;

	if (!pl_enter(lit, '\0'))
		return;
	while (pl_item(lit)) {
		if (!pl_atom(lit, &a))
			return;
		if (!first)
			buf_putc(stack, ',');
		first = false;
		pl_text(&a, stack);
	}
}

bool
marker_trace(const struct marker *marker, struct buf *stack, struct buf *func)
{
	size_t ns = stack->len, nf = func->len;
	struct buf *tmp = &marker->in->func;
	struct mview key;
	struct pl_atom a;
	struct pylit lit;

	pl_init(&lit, marker->text.s, marker->text.n);
	if (marker->kind != MK_TRACE || marker->text.n > TRACE_MAX ||
	    !pl_enter(&lit, '{'))
		return false;
	while (pl_key(&lit, &key)) {
		if (mv_eq(key, "traceMarker")) {
			trace_list(&lit, stack);
		} else if (!mv_eq(key, "funcStack")) {
			pl_skip(&lit);
		} else if (pl_atom(&lit, &a)) {
			buf_clear(tmp);
			pl_text(&a, tmp);
			put_func(func, tmp->s, tmp->len);
		}
	}
	if (!lit.bad && pl_peek(&lit) == '\0')
		return true;
	stack->len = ns;
	func->len = nf;
	return false;
}

/*
 * Modules in a call stack: the frames CLASS::forward, outermost first. Frames
 * that were entered more than once have a counter, which separates the second
 * Conv2d of a network from the first. The counter is at one of three places: at
 * the call of the module (Conv2d::_call_impl[2]/Conv2d::forward), at its
 * forward, or only at the function that does a module's work and has its name
 * (MaxPool2d::forward/max_pool2d[2]). A counter of any other function is the
 * number of calls of that function, and says nothing about the module.
 */

struct stack_frame { /* CLASS::NAME[COUNT]; all parts but NAME can be missing */
	struct mview cls, name, count;
};

/* Cuts the next frame off the stack. */
static bool
next_frame(const char **p, const char *e, struct stack_frame *f)
{
	const char *s, *end, *q;

	while (*p < e && **p == '/')
		++*p;
	if ((s = *p) == e)
		return false;
	end = memchr(s, '/', (size_t)(e - s));
	*p = end = end != NULL ? end : e;
	memset(f, 0, sizeof(*f));
	if (end[-1] == ']') {
		for (q = end - 1; q > s && *q != '[';)
			q--;
		if (*q == '[') {
			f->count = mv(q, end);
			end = q;
		}
	}
	for (q = end; q > s && q[-1] != ':';)
		q--;
	f->name = mv(q, end);
	if (q - s > 2 && q[-2] == ':')
		f->cls = mv(s, q - 2);
	return true;
}

static bool
same_part(struct mview a, struct mview b)
{
	return a.n > 0 && a.n == b.n && b.s != NULL &&
	       memcmp(a.s, b.s, a.n) == 0;
}

/* The next letter of a name in lower case, without underscores; 0 at the end.
 */
static char
letter(struct mview v, size_t *i)
{
	char c;

	while (*i < v.n && v.s[*i] == '_')
		++*i;
	if (*i == v.n)
		return '\0';
	c = v.s[(*i)++];
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* max_pool2d and MaxPool2d; batch_norm and BatchNorm2d. */
static bool
is_named_after(struct mview fn, struct mview cls)
{
	size_t i = 0, k = 0, n = 0;
	char a, b;

	for (;; n++) {
		a = letter(fn, &i);
		b = letter(cls, &k);
		if (a != b || a == '\0')
			break;
	}
	return a == b ? n > 0 : n >= SAME_MIN && (a == '\0' || b == '\0');
}

void
marker_modules(struct buf *out, const char *func, size_t n)
{
	struct mview cls = { 0 }, count = { 0 }; /* of the latest frames */
	struct mview mod = { 0 };                /* the last module */
	bool bare = false;                       /* which has no counter yet */
	bool forward = false; /* the last frame was its forward */
	const char *p = func;
	struct stack_frame f;

	while (n > 0 && next_frame(&p, func + n, &f)) {
		if (!same_part(f.cls, cls))
			count.n = 0;
		cls = f.cls;
		if (f.count.n > 0)
			count = f.count;
		if (f.cls.n == 0 || !mv_eq(f.name, "forward")) {
			forward = false;
			if (bare && f.count.n > 0 &&
			    is_named_after(f.name, mod)) {
				buf_put(out, f.count.s, f.count.n);
				bare = false;
			}
			continue;
		}
		if (forward && same_part(f.cls, mod))
			continue; /* the forward of a base class */
		if (out->len > 0)
			buf_putc(out, '/');
		buf_put(out, f.cls.s, f.cls.n);
		buf_put(out, count.s, count.n);
		mod = f.cls;
		bare = count.n == 0;
		count.n = 0;
		forward = true;
	}
}

bool
mk_config(struct marker *m)
{
	if (!mv_starts(m->text, "{\"model_config\"") &&
	    !mv_starts(m->text, "{\"num_workers\"") &&
	    !mv_starts(m->text, "{\"cudnn_benchmark_disabled\""))
		return false;
	m->by = BY_DLPROF;
	m->kind = mk_json(m->in, m->text) != NULL ? MK_CONFIG : MK_BROKEN;
	return true;
}

bool
marker_config(const struct marker *marker, size_t *at, struct mview *key,
    struct mview *value)
{
	const struct json_doc *j;
	int obj, i, end;
	size_t k;

	if (marker->kind != MK_CONFIG ||
	    (j = mk_json(marker->in, marker->text)) == NULL)
		return false;
	obj = json_get(j, 0, "model_config");
	if (obj < 0)
		obj = 0;
	if (json_type(j, obj) != JSON_OBJECT)
		return false;
	end = json_next(j, obj);
	i = obj + 1;
	for (k = 0; k < *at && i + 1 < end; k++)
		i = json_next(j, i + 1);
	if (i + 1 >= end)
		return false;
	*key = json_raw(j, i);
	*value = json_raw(j, i + 1);
	++*at;
	return true;
}
