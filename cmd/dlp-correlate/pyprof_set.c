/*
 * The set of markers around a launch, as PyProf sees it: each text once,
 * sorted by its sequence id as a text and its name, neighbours of the same
 * id whose names are alike dropped.
 */
#include <stdio.h>

#include "pyprof_impl.h"

void
pyk_add_seq(struct pyk *k, int64_t seq)
{
	int i, j;

	for (i = 0; i < k->n_seq && k->seq[i] < seq; i++)
		;
	if ((i < k->n_seq && k->seq[i] == seq) || k->n_seq == SEQ_MAX)
		return;
	for (j = k->n_seq++; j > i; j--)
		k->seq[j] = k->seq[j - 1];
	k->seq[i] = seq;
}

/* As PyProf sorts them: by the text "SEQNAME, seq". */
static int
name_cmp(const struct pyname *a, const struct pyname *b)
{
	char x[32], y[32];
	size_t n = a->n < b->n ? a->n : b->n;
	int r;

	if (a->seq != b->seq) {
		snprintf(x, sizeof(x), "%lld", (long long)a->seq);
		snprintf(y, sizeof(y), "%lld", (long long)b->seq);
		r = strncmp(
		    x, y, strlen(x) < strlen(y) ? strlen(x) : strlen(y));
		if (r != 0)
			return r;
	}
	r = memcmp(a->s, b->s, n);
	if (r != 0 || a->n == b->n)
		return r;
	return a->n < b->n ? ',' - (unsigned char)b->s[n]
			   : (unsigned char)a->s[n] - ',';
}

static void
add_name(struct pyk *k, const struct pyname *x)
{
	int i, j;

	for (i = 0; i < k->n_name && name_cmp(&k->name[i], x) < 0; i++)
		;
	if (k->n_name == SEQ_MAX ||
	    (i < k->n_name && name_cmp(&k->name[i], x) == 0))
		return;
	for (j = k->n_name++; j > i; j--)
		k->name[j] = k->name[j - 1];
	k->name[i] = *x;
}

static bool
within(const struct pyname *a, const struct pyname *b)
{
	size_t i;

	for (i = 0; i + a->n <= b->n; i++)
		if (memcmp(b->s + i, a->s, a->n) == 0)
			return true;
	return false;
}

/* Neighbours of the same id of which one's name is a part of the other's. */
static void
prune(struct pyk *k)
{
	struct pyname prev;
	int i, n = 0;

	for (i = 0; i < k->n_name; i++) {
		struct pyname x = k->name[i];

		if (i == 0 || x.seq != prev.seq ||
		    (!within(&x, &prev) && !within(&prev, &x)))
			k->name[n++] = x;
		prev = x;
	}
	k->n_name = n;
}

static bool
ends(const struct pyname *x, const char *tail)
{
	size_t n = strlen(tail);

	return x->n >= n && memcmp(x->s + x->n - n, tail, n) == 0;
}

bool
pyk_is_bwd(const struct pyname *x)
{
	return ends(x, "Backward") || ends(x, "backward");
}

void
pyk_gather(const struct names *names, const struct thread *th, struct pyk *k)
{
	const struct open *o;
	size_t i;

	for (i = 0; i < th->n; i++) {
		struct pyname x;

		o = &th->v[i];
		if (o->dead || o->hidden)
			continue;
		if (o->kind == MK_ARGS) {
			if (k->args == NULL)
				k->args = o;
			k->op = hash_mix(k->op ^ o->name) + 1;
		} else if (o->seq >= 0) {
			x.seq = o->seq;
			x.id = o->name;
			x.s = "";
			x.n = 0;
			if (names_has(names, o->name))
				x.s = names_get(names, o->name, &x.n);
			pyk_add_seq(k, o->seq);
			add_name(k, &x);
		} else if (k->other == NULL && o->kind != MK_TRACE &&
			   o->kind != MK_REPR && o->kind != MK_LAYER) {
			k->other = o;
		}
	}
	prune(k);
}

void
pyk_judge(struct pyk *k)
{
	bool named_bwd = false;
	int i;

	for (i = 0; i < k->n_name; i++) {
		named_bwd |= pyk_is_bwd(&k->name[i]);
		k->bwd |= ends(&k->name[i], "Backward0");
	}
	k->bwd |= named_bwd;
	for (i = 0; i < k->n_name && k->args == NULL; i++)
		if (!named_bwd || pyk_is_bwd(&k->name[i]))
			k->op = hash_mix(k->op ^ hash_bytes(k->name[i].s,
						     k->name[i].n)) +
				1;
	if (k->n_seq > 1 && k->seq[0] == 0) {
		k->n_seq--;
		memmove(
		    k->seq, k->seq + 1, (size_t)k->n_seq * sizeof(k->seq[0]));
	}
}
