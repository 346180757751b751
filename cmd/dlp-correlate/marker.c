/*
 * The entry to the marker parsers; see marker.h. The range's domain and the
 * first byte of its text choose the producers that can have written it. The
 * most frequent text, that of emit_nvtx, is recognised without a copy.
 *
 * A text that no producer claims is a range of the program: "Conv1", a layer;
 * "layer:fc1", a layer as PyProf's users name them; "iteration 12" and "step
 * 3/100", which number steps.
 */
#include "marker.h"

#include "array.h"
#include "err.h"
#include "mk.h"

#include <stdlib.h>

struct markers *
markers_new(void)
{
	return xcalloc(1, sizeof(struct markers));
}

/* The word before the number that makes a range a step of a loop. */
static const char *const step_words[] = { "iteration", "iter", "itr", "step",
	"batch", "minibatch", "microbatch", "profilerstep", "step_num",
	"global_step", "train_step", "training_step" };

/* True if the text before the number, without the separators between, ends in
 * such a word. */
static bool
is_step_word(const char *s, const char *e)
{
	char word[32];
	size_t i, n = 0;
	char c;

	while (e > s && e[-1] != '\0' && strchr(" #_:=-[(/", e[-1]) != NULL)
		e--;
	for (; e > s; e--) {
		c = e[-1] >= 'A' && e[-1] <= 'Z' ? (char)(e[-1] | 0x20) : e[-1];
		if ((c < 'a' || c > 'z') && c != '_')
			break;
		if (++n > sizeof(word))
			return false;
		word[sizeof(word) - n] = c;
	}
	for (i = 0; i < ARRAY_LEN(step_words); i++)
		if (text_is(word + sizeof(word) - n, n, step_words[i]))
			return true;
	return false;
}

/* True if the text numbers steps; after the number, closing brackets or a total
 * can follow ("step 3/100"). */
static bool
is_step(struct mview v)
{
	const char *s = v.s, *e = s + v.n, *p;

	while (e > s && e[-1] != '\0' && strchr(" ])#", e[-1]) != NULL)
		e--;
	for (p = e; p > s && mk_is_digit(p[-1]);)
		p--;
	if (p < e && p > s + 1 && p[-1] == '/' && mk_is_digit(p[-2]))
		for (e = --p; p > s && mk_is_digit(p[-1]);)
			p--;
	return p < e && e - p <= 18 && is_step_word(s, p);
}

/* A text that no framework wrote; m->name is set. */
static void
user_range(struct marker *m)
{
	const char *e = m->name.s + m->name.n, *p, *c;

	m->kind = MK_USER;
	if (m->name.n == 0)
		return;
	p = mv_find(m->name, "layer:");
	if (p != NULL) { /* layer:NAME, to the next colon, as PyProf reads it */
		p += 6;
		c = memchr(p, ':', (size_t)(e - p));
		m->kind = MK_LAYER;
		m->name = mv(p, c != NULL ? c : e);
		return;
	}
	if (is_step(m->name))
		m->flags |= MK_STEP;
	else if (mv_ends(m->name, "DataParallel.forward"))
		m->flags |= MK_GROUP; /* torch's own around the model */
}

/* NCCL's ranges (domain NCCL). Their text is the name of the API function:
 * ncclAllReduce is the op AllReduce of the module nccl. Source: NCCL's
 * src/collectives.cc. */
static bool
nccl(struct marker *m)
{
	if (!mv_starts(m->text, "nccl"))
		return false;
	m->kind = MK_OP;
	m->by = BY_NCCL;
	m->mod = (struct mview){ "nccl", 4 };
	m->op = m->text;
	if (m->text.n > 4)
		m->op = mv(m->text.s + 4, m->text.s + m->text.n);
	return true;
}

/* Domains whose texts can be read only if the domain is known; those of the
 * ones without a parser are all ranges of the framework's runtime. */
static const struct {
	const char *domain;
	bool (*parse)(struct marker *m);
	enum marker_by by;
} domains[] = {
	{ "tensorflow-core", mk_tf_op, BY_TENSORFLOW },
	{ "tensorflow-memalloc", NULL, BY_TENSORFLOW },
	{ "TensorRT", mk_tensorrt, BY_TENSORRT },
	{ "myelin-exec", NULL, BY_TENSORRT },
	{ "TSL", mk_tsl, BY_XLA },
	{ "NCCL", nccl, BY_NCCL },
};

void
marker_parse(struct markers *ms, struct marker *m, const char *text, size_t n,
    const char *domain)
{
	bool found = false;
	char first;
	size_t i;

	memset(m, 0, sizeof(*m));
	m->in = ms;
	m->seq = m->op_id = -1;
	m->text = (struct mview){ text != NULL ? text : "", n };
	m->name = m->text;
	if (domain != NULL && domain[0] != '\0')
		for (i = 0; i < ARRAY_LEN(domains) && !found; i++)
			found = strcmp(domain, domains[i].domain) == 0 &&
				(domains[i].parse != NULL
					? domains[i].parse(m)
					: mk_group(m, domains[i].by));
	if (!found && n > 0) {
		first = m->text.s[0];
		if (first == '{')
			found = mk_dict(m) || mk_config(m) || mk_tf_op(m);
		else if (first == 'T' || first == 'X')
			found = mk_xla(m) || mk_pytorch(m);
		else
			found = mk_pytorch(m);
	}
	if (!found)
		user_range(m);
}

const char *const marker_by_words[BY_NWORDS] = {
	[BY_USER] = "user",
	[BY_PYTORCH] = "pytorch",
	[BY_PYPROF] = "pyprof",
	[BY_DLPROF] = "dlprof",
	[BY_TENSORFLOW] = "tensorflow",
	[BY_TENSORRT] = "tensorrt",
	[BY_XLA] = "xla",
	[BY_NCCL] = "nccl",
};
