/* Messages of protobuf: their fields one after the other, and as they are
 * written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "mview.h"

enum { PROTO_VARINT, PROTO_FIX64, PROTO_BYTES, PROTO_FIX32 = 5 };

struct proto { /* a message that is read: zeroed but for p and e */
	const char *p, *e;
	bool bad; /* it is broken at p, or ends too early */
	/* the field at hand */
	uint64_t no;
	int wire;
	uint64_t v;     /* unless it is bytes */
	struct mview s; /* of those */
};

static inline struct proto
proto_of(struct mview v)
{
	return (struct proto){ .p = v.s, .e = v.s + v.n };
}

/* Reads a number of up to ten bytes, which need not be the fewest; false if it
 * has more, or is not whole before e. *p is behind what was read. */
bool proto_long_number(const char **p, const char *e, uint64_t *v);

static inline bool
proto_number(const char **p, const char *e, uint64_t *v)
{
	if (*p < e && (**p & 0x80) == 0) {
		*v = (unsigned char)*(*p)++;
		return true;
	}
	return proto_long_number(p, e, v);
}

/* Reads a field's number and wire type, and the value, or, of bytes, their
 * length into v. False at the end, and where the message is broken. */
bool proto_head(struct proto *m);

/* The next field with its value; the same. Most are small. */
static inline bool
proto_next(struct proto *m)
{
	const unsigned char *p = (const unsigned char *)m->p;

	if (m->e - m->p >= 2 && p[0] >= 8 && ((p[0] | p[1]) & 0x80) == 0 &&
	    (p[0] & 5) == 0 && !m->bad) {
		m->no = p[0] >> 3;
		m->wire = p[0] & 7;
		m->v = p[1];
		m->p += 2;
	} else if (!proto_head(m)) {
		return false;
	}
	if (m->wire != PROTO_BYTES)
		return true;
	if (m->v > (uint64_t)(m->e - m->p)) {
		m->bad = true;
		return false;
	}
	m->s = mv(m->p, m->p + m->v);
	m->p += m->v;
	return true;
}

/* Appends a field to the message in b. */
void proto_put(struct buf *b, unsigned no, uint64_t v);
void proto_put_bytes(struct buf *b, unsigned no, const char *s, size_t n);
void proto_put_fix64(struct buf *b, unsigned no, uint64_t v);
