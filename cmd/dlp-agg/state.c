/* A group as bytes; see state.h. */
#include "state.h"

#include <stdlib.h>

#include "err.h"

struct head {
	uint64_t no, n;
	size_t nkey, npart;
	int64_t union_ns;
	bool has_ivl, found;
};

struct acc_head {
	bool more, ends, has_first, has_last;
	size_t nfirst, nlast;
};

static void
put(struct buf *b, const void *p, size_t n)
{
	buf_put(b, p, n);
}

static void
get(const char **p, void *to, size_t n)
{
	memcpy(to, *p, n);
	*p += n;
}

static void
put_acc(struct buf *b, const struct acc *c)
{
	const struct acc_ends *e = c->ends;
	struct acc_head h;

	memset(&h, 0, sizeof(h));
	h.more = c->more != NULL;
	h.ends = e != NULL;
	if (e != NULL) {
		h.has_first = e->has_first;
		h.has_last = e->has_last;
		h.nfirst = e->first.len;
		h.nlast = e->last.len;
	}
	put(b, &h, sizeof(h));
	put(b, c, sizeof(*c));
	if (h.more)
		put(b, c->more, sizeof(*c->more));
	if (e != NULL) {
		put(b, e->first.s, h.nfirst);
		put(b, e->last.s, h.nlast);
	}
}

static void
get_ends(const char **p, struct acc *c, const struct acc_head *h)
{
	if (h->has_first)
		acc_first(c, *p, h->nfirst);
	*p += h->nfirst;
	if (h->has_last)
		acc_last(c, *p, h->nlast);
	*p += h->nlast;
}

static void
get_acc(const char **p, struct acc *c)
{
	struct acc_head h;

	get(p, &h, sizeof(h));
	get(p, c, sizeof(*c));
	c->ends = NULL;
	c->more = NULL;
	if (h.more) {
		get(p, acc_more(c), sizeof(*c->more));
		c->more->val = NULL;
		c->more->nval = c->more->cap = 0;
	}
	if (h.ends)
		get_ends(p, c, &h);
}

void
state_put(const struct groups *a, struct buf *b, const struct state *s)
{
	const struct found *f = s->g.found;
	size_t nstat = (size_t)a->spec->nstat;
	struct head h;
	int i;

	memset(&h, 0, sizeof(h));
	h.no = s->no;
	h.n = s->g.n;
	h.nkey = s->nkey;
	h.npart = f != NULL ? f->part.len : 0;
	h.union_ns = s->g.union_ns;
	h.has_ivl = s->g.has_ivl;
	h.found = f != NULL;
	put(b, &h, sizeof(h));
	put(b, s->key, s->nkey);
	for (i = 0; i < a->spec->nfield; i++)
		put_acc(b, &s->g.acc[i]);
	if (f == NULL)
		return;
	put(b, f->p, nstat * sizeof(*f->p));
	put(b, f->has, nstat * sizeof(*f->has));
	put(b, f->part.s, f->part.len);
}

void
state_get(const struct groups *a, const char *p, struct state *s)
{
	size_t nstat = (size_t)a->spec->nstat;
	struct head h;
	int i;

	get(&p, &h, sizeof(h));
	group_new(a, &s->g);
	s->no = h.no;
	s->key = p;
	s->nkey = h.nkey;
	s->g.n = h.n;
	s->g.union_ns = h.union_ns;
	s->g.has_ivl = h.has_ivl;
	p += h.nkey;
	for (i = 0; i < a->spec->nfield; i++)
		get_acc(&p, &s->g.acc[i]);
	if (!h.found)
		return;
	s->g.found = found_new(a);
	get(&p, s->g.found->p, nstat * sizeof(*s->g.found->p));
	get(&p, s->g.found->has, nstat * sizeof(*s->g.found->has));
	buf_put(&s->g.found->part, p, h.npart);
}

void
state_free(const struct groups *a, struct state *s)
{
	found_free(s->g.found);
	group_free(a, &s->g);
}

struct found *
found_new(const struct groups *a)
{
	struct found *f = xcalloc(1, sizeof(*f));
	size_t n = (size_t)a->spec->nstat + 1;

	f->p = xcalloc(n, sizeof(*f->p));
	f->has = xcalloc(n, sizeof(*f->has));
	return f;
}

void
found_free(struct found *f)
{
	if (f == NULL)
		return;
	free(f->p);
	free(f->has);
	buf_free(&f->part);
	free(f);
}
