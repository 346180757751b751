/* DLProf's ops; see dl.h. */
#include "dl.h"

#include <string.h>

#include "dl_shape.h"
#include "dl_tc.h"

#define SEP '\x1f'

static void
put(struct buf *b, struct text t)
{
	if (t.s != NULL)
		buf_put(b, t.s, t.n);
	buf_putc(b, SEP);
}

static bool
is(struct text t, const char *word)
{
	return t.s != NULL && t.n == strlen(word) &&
	       memcmp(t.s, word, t.n) == 0;
}

/* PyProf's markers have no call stack of functions, and so no name that tells
 * two layers of the same shapes apart: there the lines of the call do. */
uint32_t
dl_same(struct dl *d, const struct op *op, uint32_t *at)
{
	struct buf *k = &d->key;

	buf_clear(k);
	buf_putc(k, op->none ? 'U' : op->bwd ? 'B' : 'F');
	if (op->fwd_no != OP_NONE) { /* as its forward */
		buf_u64(k, op->fwd_no);
	} else {
		put(k, op->f[OF_NAME]);
		put(k, op->f[OF_OP]);
		put(k, op->f[OF_SHAPES]);
		if (is(op->f[OF_BY], "pyprof"))
			put(k, op->f[OF_STACK]);
	}
	*at = smap_put(&d->same, k->s, k->len, NULL);
	return (uint32_t)d->same.val[*at];
}

/* CONV2D_1; of a backward CONV2D_BPROP_1. */
static void
make_id(struct dl *d, const struct op *op)
{
	struct text type = op->f[OF_OP];
	uint32_t n;
	size_t i;

	buf_clear(&d->id);
	for (i = 0; i < type.n; i++) {
		char c = type.s[i];

		buf_putc(&d->id, c >= 'a' && c <= 'z' ? (char)(c - 32) : c);
	}
	buf_puts(&d->id, op->bwd ? "_BPROP_" : "_");
	n = smap_put(&d->types, d->id.s, d->id.len, NULL);
	buf_u64(&d->id, ++d->types.val[n]);
}

void
dl_texts(struct dl *d, struct op *op)
{
	bool markers = op->marker;

	make_id(d, op);
	buf_clear(&d->in);
	buf_clear(&d->out);
	dl_shapes(op->f[OF_OP], op->f[OF_SHAPES], markers, &d->in, &d->out);
	op->dl_tc = op->none ? NULL : dl_tc(op->f[OF_OP]) ? "yes" : "no";
}

void
dl_clear(struct dl *d)
{
	smap_clear(&d->same);
	smap_clear(&d->types);
}
