/* Messages of protobuf; see proto.h. */
#include "proto.h"
#include "varint.h"

bool
proto_long_number(const char **p, const char *e, uint64_t *v)
{
	int shift;

	*v = 0;
	for (shift = 0; shift < 70 && *p < e; shift += 7) {
		*v |= (uint64_t)(**p & 0x7f) << shift;
		if ((*(*p)++ & 0x80) == 0)
			return true;
	}
	return false;
}

bool
proto_head(struct proto *m)
{
	int n, i;

	if (m->p == m->e || m->bad)
		return false;
	if (!proto_number(&m->p, m->e, &m->no))
		goto broken;
	m->wire = (int)(m->no & 7);
	m->no >>= 3;
	switch (m->wire) {
	case PROTO_VARINT:
	case PROTO_BYTES:
		if (m->no == 0 || !proto_number(&m->p, m->e, &m->v))
			goto broken;
		return true;
	case PROTO_FIX64:
	case PROTO_FIX32:
		n = m->wire == PROTO_FIX64 ? 8 : 4;
		if (m->no == 0 || m->e - m->p < n)
			goto broken;
		for (m->v = 0, i = n; i > 0;)
			m->v = m->v << 8 | (unsigned char)m->p[--i];
		m->p += n;
		return true;
	default:
		break;
	}
broken:
	m->bad = true;
	return false;
}

void
proto_put(struct buf *b, unsigned no, uint64_t v)
{
	varint_add(b, (uint64_t)no << 3 | PROTO_VARINT);
	varint_add(b, v);
}

void
proto_put_bytes(struct buf *b, unsigned no, const char *s, size_t n)
{
	varint_add(b, (uint64_t)no << 3 | PROTO_BYTES);
	varint_add(b, n);
	buf_put(b, s, n);
}

void
proto_put_fix64(struct buf *b, unsigned no, uint64_t v)
{
	int i;

	varint_add(b, (uint64_t)no << 3 | PROTO_FIX64);
	for (i = 0; i < 8; i++, v >>= 8)
		buf_putc(b, (char)v);
}
