/*
 * NCCL's ranges (domain NCCL). Their text is the name of the API function:
 * ncclAllReduce is the op AllReduce of the module nccl.
 * Source: NCCL's src/collectives.cc.
 */
#include "mk.h"

bool
mk_nccl(struct marker *m)
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
