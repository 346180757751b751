/*
 * The entry to the marker parsers; see marker.h. The range's domain and the
 * first byte of its text choose the producers that can have written it. The
 * most frequent text, that of emit_nvtx, is recognised without a copy.
 *
 * A text that no producer claims is a range of the program: "Conv1", a layer;
 * "layer:fc1", a layer as PyProf's users name them; "iteration 12" and "step
 * 3/100", which number steps; "enumerate(DataLoader)#..." of PyTorch and
 * "[pl][profile]...dataloader_next" of Lightning, which wait for data.
 */
#include "marker.h"

#include "array.h"
#include "err.h"
#include "mk.h"

#include <stdlib.h>

#define JSON_TOKENS 2048 /* the most JSON tokens in a marker */
#define JSON_BYTES 1000000

struct markers *
markers_new(void)
{
	struct markers *ms = xcalloc(1, sizeof(*ms));

	ms->args = mk_args_new();
	return ms;
}

void
markers_free(struct markers *ms)
{
	buf_free(&ms->sizes);
	buf_free(&ms->mod);
	buf_free(&ms->op);
	buf_free(&ms->repr);
	buf_free(&ms->func);
	buf_free(&ms->path);
	json_free(&ms->json);
	mk_args_free(ms->args);
	free(ms);
}

const struct json_doc *
mk_json(struct markers *ms, struct mview text)
{
	struct json_doc *j = &ms->json;

	if (text.n > JSON_BYTES ||
	    !json_parse(j, text.s, text.n, JSON_TOKENS) || !json_is_strict(j) ||
	    json_type(j, 0) != JSON_OBJECT)
		return NULL;
	return j;
}

bool
mk_group(struct marker *m, enum marker_by by)
{
	m->kind = MK_USER;
	m->by = by;
	m->flags |= MK_GROUP;
	return true;
}

/* The word before the number that makes a range a step of a loop. */
static const char *const step_words[] = { "iteration", "iter", "itr", "step",
	"batch", "minibatch", "microbatch", "profilerstep", "step_num",
	"global_step", "train_step", "training_step" };

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool
is_word_char(char c)
{
	c = lower(c);
	return (c >= 'a' && c <= 'z') || c == '_';
}

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* The end of the text before the number, without the separators. */
static const char *
word_end(const char *s, const char *e)
{
	while (e > s && is_one_of(e[-1], " #_:=-[(/"))
		e--;
	return e;
}

static bool
is_step_word(const char *s, const char *e)
{
	const char *p = e;
	size_t i, k, n;

	while (p > s && is_word_char(p[-1]))
		p--;
	n = (size_t)(e - p);
	for (i = 0; i < ARRAY_LEN(step_words); i++) {
		if (strlen(step_words[i]) != n)
			continue;
		for (k = 0; k < n && lower(p[k]) == step_words[i][k]; k++)
			;
		if (k == n)
			return true;
	}
	return false;
}

/* The end of the number of a step range: before the closing brackets or the
 * total after it ("step 3/100"). */
static const char *
number_end(const char *s, const char *e)
{
	const char *p;

	while (e > s && is_one_of(e[-1], " ])#"))
		e--;
	for (p = e; p > s && mk_is_digit(p[-1]);)
		p--;
	if (p < e && p > s + 1 && p[-1] == '/' && mk_is_digit(p[-2]))
		return p - 1;
	return e;
}

static void
user_step(struct marker *marker)
{
	const char *s = marker->name.s, *end = s + marker->name.n;
	const char *e = number_end(s, end), *p = e;
	int64_t v = 0;

	while (p > s && mk_is_digit(p[-1]))
		p--;
	if (p == e || e - p > 18 || !is_step_word(s, word_end(s, p)))
		return;
	marker->step_pre = mv(s, p);
	marker->step_post = mv(e, end);
	for (; p < e; p++)
		v = v * 10 + (*p - '0');
	marker->step = v;
	marker->flags |= MK_STEP;
}

/* layer:NAME, to the next colon, as PyProf reads it. */
static bool
user_layer(struct marker *m)
{
	const char *e = m->name.s + m->name.n, *p, *c;

	p = mv_find(m->name, "layer:");
	if (p == NULL)
		return false;
	p += 6;
	c = memchr(p, ':', (size_t)(e - p));
	m->kind = MK_LAYER;
	m->name = mv(p, c != NULL ? c : e);
	return true;
}

/* A text that no framework wrote; m->name is set. */
static void
user_range(struct marker *m)
{
	m->kind = MK_USER;
	if (m->name.n == 0 || user_layer(m))
		return;
	if (mv_starts(m->name, "enumerate(DataLoader)#") ||
	    (mv_starts(m->name, "[pl][") &&
		mv_find(m->name, "dataloader_next") != NULL))
		m->flags |= MK_DATALOADER;
	user_step(m);
}

/* Domains whose texts can be read only if the domain is known. */
static const struct {
	const char *domain;
	bool (*parse)(struct marker *m);
} domains[] = {
	{ "tensorflow-core", mk_tf_op },
	{ "tensorflow-memalloc", mk_tf_mem },
	{ "TensorRT", mk_tensorrt },
	{ "myelin-exec", mk_myelin },
	{ "TSL", mk_tsl },
	{ "NCCL", mk_nccl },
};

static bool
by_domain(struct marker *m, const char *domain)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(domains); i++)
		if (strcmp(domain, domains[i].domain) == 0)
			return domains[i].parse(m);
	return false;
}

static bool
by_text(struct marker *m)
{
	switch (m->text.s[0]) {
	case '{':
		return mk_dict(m) || mk_config(m) || mk_tf_op(m);
	case 'T':
	case 'X':
		return mk_xla(m) || mk_pytorch(m);
	default:
		return mk_pytorch(m);
	}
}

void
marker_parse(struct markers *ms, struct marker *m, const char *text, size_t n,
    const char *domain)
{
	memset(m, 0, sizeof(*m));
	m->in = ms;
	m->seq = m->op_id = m->step = -1;
	m->text = (struct mview){ text != NULL ? text : "", n };
	m->name = m->text;
	if (domain != NULL && domain[0] != '\0' && by_domain(m, domain))
		return;
	if (n > 0 && by_text(m))
		return;
	user_range(m);
}

static const char *const by_words[BY_NWORDS] = {
	[BY_USER] = "user",
	[BY_PYTORCH] = "pytorch",
	[BY_PYPROF] = "pyprof",
	[BY_DLPROF] = "dlprof",
	[BY_TENSORFLOW] = "tensorflow",
	[BY_TENSORRT] = "tensorrt",
	[BY_XLA] = "xla",
	[BY_NCCL] = "nccl",
};

static const char *const kind_words[MK_NKINDS] = {
	[MK_USER] = "user",
	[MK_LAYER] = "layer",
	[MK_OP] = "op",
	[MK_BWD_FRAME] = "frame",
	[MK_BWD] = "bwd",
	[MK_ARGS] = "args",
	[MK_TRACE] = "trace",
	[MK_REPR] = "repr",
	[MK_CONFIG] = "config",
	[MK_BROKEN] = "broken",
};

const char *
marker_by_word(enum marker_by by)
{
	return by_words[by];
}

const char *
marker_kind_word(enum marker_kind kind)
{
	return kind_words[kind];
}
