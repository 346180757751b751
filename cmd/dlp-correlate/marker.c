/*
 * The way in to the marker parsers: by the range's domain and the first byte
 * of its text to the producers that can have written it; see marker.h. The
 * common text, one of emit_nvtx, is recognised without a copy.
 */
#include "mk_impl.h"

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

/* Domains whose texts can only be read knowing the domain. */
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

const char *
mv_find(struct mview v, const char *lit)
{
	size_t n = strlen(lit);
	const char *p = v.s, *e = v.s + v.n;

	while ((size_t)(e - p) >= n &&
	       (p = memchr(p, lit[0], (size_t)(e - p) - n + 1)) != NULL) {
		if (memcmp(p, lit, n) == 0)
			return p;
		p++;
	}
	return NULL;
}

static bool
by_domain(struct marker *m, const char *domain)
{
	size_t i;

	for (i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
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
marker_parse(struct marker *m, const char *text, size_t n, const char *domain)
{
	memset(m, 0, sizeof(*m));
	m->seq = m->op_id = m->step = -1;
	m->text = (struct mview){ text != NULL ? text : "", n };
	m->name = m->text;
	if (domain != NULL && domain[0] != '\0' && by_domain(m, domain))
		return;
	if (n > 0 && by_text(m))
		return;
	mk_user(m);
}
