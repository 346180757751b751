/*
 * The way in to the marker parsers: by the range's domain and the first byte
 * of its text to the producers that can have written it; see marker.h. The
 * common text, one of emit_nvtx, is recognised without a copy.
 */
#include "mk_parsers.h"

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
