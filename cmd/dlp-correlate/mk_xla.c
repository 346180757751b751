/*
 * XLA's and JAX's ranges (domain TSL). Their texts come from XLA's TraceMe, a
 * name with fields between two #:
 *
 *	Thunk:#hlo_op=fusion.3,hlo_module=jit_step,name=jit(step)/dot#
 *	XlaModule:#hlo_module=jit_step,program_id=5#
 *
 * A Thunk is an op. Its direction is what JAX's transforms around it say: a
 * gradient is transpose(jvp(..)), the forward of a gradient jvp(..), and
 * without either it is unknown, because the same text stands for the loss
 * alone, for the optimizer and for what XLA merged of several.
 *
 * Thunk:#hlo_op=command_buffer_1# groups the Thunks that a CUDA graph
 * replaces. An XlaModule is a part of the layer path, as a range of the program
 * is (MK_USER). All others are the runtime's own (MK_GROUP), except those that
 * number steps.
 * Source: GetThunkInfo() in xla/service/gpu and the texts in
 * tests/data/markers.tab.
 */
#include "array.h"
#include "mk.h"

static const char *const fields[] = { "hlo_op=", "hlo_module=", "program_id=",
	"unique_hlo_op_id=", "name=", "prefix=", "module=" };

/* The value of a field; s is NULL if the field is missing. A value can contain
 * commas, so it ends only at a comma before a known key. */
static struct mview
field(struct mview v, const char *key)
{
	const char *e = v.s + v.n, *s, *p;
	size_t n = strlen(key), i;

	for (s = v.s; (s = mv_find(mv(s, e), key)) != NULL; s++)
		if (s > v.s && (s[-1] == '#' || s[-1] == ','))
			break;
	if (s == NULL)
		return mv(NULL, NULL);
	for (p = s += n; p < e; p++) {
		for (i = 0; *p == ',' && i < ARRAY_LEN(fields); i++)
			if (mv_starts(mv(p + 1, e), fields[i]))
				return mv(s, p);
	}
	if (p > s && p[-1] == '#')
		p--;
	return mv(s, p);
}

static bool
thunk(struct marker *marker)
{
	struct buf *path = &marker->in->path;
	struct mview op = field(marker->text, "hlo_op=");
	size_t n = op.n;

	marker->by = BY_XLA;
	if (op.s == NULL) {
		marker->kind = MK_BROKEN;
		return true;
	}
	marker->kind = MK_OP;
	marker->name = marker->op = op;
	/* fusion.3 and fusion_3 are of type fusion */
	while (n > 0 && mk_is_digit(op.s[n - 1]))
		n--;
	if (n > 1 && n < op.n && (op.s[n - 1] == '.' || op.s[n - 1] == '_'))
		marker->op.n = n - 1;
	marker->mod = field(marker->text, "hlo_module=");
	marker->path = field(marker->text, "name=");
	marker->dir = !mv_has(marker->path, "jvp(") ? MDIR_NONE : MDIR_FPROP;
	if (mv_has(marker->path, "transpose("))
		marker->dir = MDIR_BPROP;
	if (mv_eq(marker->op, "command_buffer"))
		marker->flags |= MK_GROUP;
	if (marker->path.s == NULL) { /* MODULE/OP is its path */
		buf_clear(path);
		buf_put(path, marker->mod.s, marker->mod.n);
		if (marker->mod.n > 0)
			buf_putc(path, '/');
		buf_put(path, op.s, op.n);
		marker->path = (struct mview){ path->s, path->len };
	}
	if (!mv_ends(marker->text, "#")) /* the text was cut */
		marker->flags |= MK_DAMAGED;
	return true;
}

/* Texts that only XLA writes, so they are recognised in any domain. */
bool
mk_xla(struct marker *marker)
{
	struct mview mod;

	if (mv_starts(marker->text, "Thunk:#"))
		return thunk(marker);
	if (!mv_starts(marker->text, "XlaModule:#"))
		return false;
	mod = field(marker->text, "hlo_module=");
	marker->by = BY_XLA;
	marker->kind = MK_USER;
	if (mod.s != NULL)
		marker->name = mod;
	else
		marker->flags |= MK_DAMAGED | MK_GROUP;
	return true;
}

/* All texts of the domain TSL. A range that numbers steps returns false, with
 * only its producer set: the rules for the program's own ranges then find the
 * number. */
bool
mk_tsl(struct marker *marker)
{
	const char *p;

	if (mk_xla(marker))
		return true;
	marker->by = BY_XLA;
	if (mv_find(marker->text, "step_num=") != NULL)
		return false;
	p = marker->text.n > 0 ? memchr(marker->text.s, '#', marker->text.n)
			       : NULL;
	if (p != NULL && p > marker->text.s && p[-1] == ':')
		p--;
	if (p != NULL && p > marker->text.s)
		marker->name = mv(marker->text.s, p);
	marker->kind = MK_USER;
	marker->flags |= MK_GROUP;
	return true;
}
