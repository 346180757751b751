/*
 * NVTX: the pops of a thread end its pushes, domain by domain. A pop without a
 * push belongs to a range that began before the recording.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "convert.h"

enum { /* eventType of nsys */
	ROW_CATEGORY = 33,
	ROW_MARK = 34,
	ROW_THREAD = 39,
	ROW_PUSHPOP = 59,
	ROW_STARTEND = 60,
	ROW_DOMAIN = 75,
};

int64_t
conv_open_end(const struct conv_proc *p)
{
	return p->off;
}

static void
put_range(struct conv *c, const struct conv_proc *p, uint32_t tid, uint64_t at,
    int64_t start, int64_t end, uint32_t end_tid)
{
	struct conv_ref ref = { p->no, tid, at, start, end, end_tid, 0 };

	/* what happened after the end of the recording */
	if (p->off != DBW_NULL) {
		if (start > p->off)
			return;
		if (end > p->off)
			ref.end = p->off;
	}
	conv_put(c, RT_NVTX, &ref);
}

static void
pop(struct conv *c, struct conv_proc *p, struct conv_stack *s, uint32_t tid,
    const struct rspool_pop *r)
{
	struct conv_open *o;
	size_t i;

	for (i = s->n; i-- > 0;) {
		if (s->open[i].domain != r->domain)
			continue;
		o = &s->open[i];
		put_range(c, p, tid, o->at, o->t, r->t, 0);
		memmove(o, o + 1, (s->n - i - 1) * sizeof(*o));
		s->n--;
		return;
	}
}

static void
push(struct conv_stack *s, uint32_t domain, uint64_t at, int64_t t)
{
	struct conv_open *o;

	ARRAY_GROW(s->open, s->n, s->cap);
	o = &s->open[s->n++];
	o->domain = domain;
	o->at = at;
	o->t = t;
}

void
conv_start(struct conv *c, struct conv_proc *p, uint32_t tid, uint64_t at,
    const struct rspool_nvtx_event *r)
{
	const uint64_t *end = map_get(&p->ends, r->id), *by;
	const struct rspool_nvtx_event *e;

	if (end == NULL && conv_wait_end(c, p, tid, at))
		return;
	if (end == NULL) {
		put_range(c, p, tid, at, r->t, conv_open_end(p), 0);
		return;
	}
	e = (const void *)(p->file->map + *end);
	by = map_get(&p->end_tids, r->id);
	put_range(c, p, tid, at, r->t, e->t, by != NULL ? (uint32_t)*by : 0);
}

/* A range of emit_nvtx() has the number of its op. */
static bool
is_op(const char *s, uint32_t n)
{
	static const char mark[] = "op_id = ";
	uint32_t i, k = sizeof(mark) - 1;

	for (i = 0; i + k <= n; i++)
		if (s[i] == 'o' && memcmp(s + i, mark, k) == 0)
			return true;
	return false;
}

/* What the markers of --markers cost: 3.7 us for each op and 4 us for each
 * layer, phase or step. Measured with PyTorch 2.11 beside an H200, ops on and
 * off in turn: 2.8 us for each op with ResNet-50, 3.7 and 3.8 with two GPTs,
 * of which recording is 0.2; 4.6 where CUDA was recorded, too. */
static void
count_marker(struct conv *c, const char *s, uint32_t n)
{
	if (c->markers)
		c->marker_ns += is_op(s, n) ? 3700 : 4000;
}

void
conv_push(struct conv *c, struct conv_proc *p, struct conv_stack *s,
    uint32_t tid, uint64_t at, const struct rspool_rec *r)
{
	const struct rspool_nvtx_event *e = (const void *)r;

	if (r->type == RSPOOL_PUSH) {
		push(s, 0, at, ((const struct rspool_push *)r)->t);
		count_marker(c, ((const struct rspool_push *)r)->text,
		    ((const struct rspool_push *)r)->len);
		return;
	}
	if (r->type == RSPOOL_POP) {
		pop(c, p, s, tid, (const void *)r);
		return;
	}
	switch (e->what) {
	case NVTX_IS_PUSH:
		push(s, e->domain, at, e->t);
		break;
	case NVTX_IS_MARK:
		put_range(c, p, tid, at, e->t, DBW_NULL, 0);
		break;
	case NVTX_IS_START:
		conv_start(c, p, tid, at, e);
		break;
	default:
		break;
	}
}

void
conv_end_thread(
    struct conv *c, struct conv_proc *p, struct conv_stack *s, uint32_t tid)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		put_range(c, p, tid, s->open[i].at, s->open[i].t,
		    conv_open_end(p), 0);
	s->n = 0;
}

static double
as_double(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static double
as_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;

	memcpy(&f, &low, sizeof(f));
	return (double)f;
}

/* The six columns of a payload; one of them has the value. */
static void
put_payload(struct dbw *db, uint32_t type, uint64_t v)
{
	uint32_t i;

	for (i = 1; i <= 6; i++) {
		if (i != type)
			DBW_INTS(db, DBW_NULL);
		else if (i == 3)
			dbw_f64(db, as_double(v));
		else if (i == 6)
			dbw_f64(db, as_float(v));
		else if (i == 4)
			DBW_INTS(db, (int64_t)(uint32_t)v);
		else if (i == 5)
			DBW_INTS(db, (int32_t)(uint32_t)v);
		else if ((int64_t)v == DBW_NULL)
			dbw_str(db, "-9223372036854775808");
		else
			DBW_INTS(db, (int64_t)v);
	}
}

/* Structured data, as the hexadecimal digits of its bytes. */
static void
put_binary(struct conv *c, const struct rspool_nvtx_event *e)
{
	static const char digit[] = "0123456789abcdef";
	uint32_t i;
	unsigned char b;

	dbw_nulls(&c->db, 2); /* jsonTextId, jsonText */
	if (e->bytes == 0)
		return;
	buf_clear(&c->buf);
	for (i = 0; i < e->bytes; i++) {
		b = (unsigned char)e->text[e->len + i];
		buf_putc(&c->buf, digit[b >> 4]);
		buf_putc(&c->buf, digit[b & 15]);
	}
	dbw_text(&c->db, c->buf.s, c->buf.len);
}

static int64_t
or_null(uint64_t v)
{
	return v != 0 ? (int64_t)v : DBW_NULL;
}

/* An empty text is none, as in nsys. */
static void
put_text(struct dbw *db, const char *s, uint32_t n)
{
	dbw_text(db, n > 0 ? s : NULL, n);
}

static void
event_row(struct conv *c, const struct conv_ref *ref, struct conv_proc *p)
{
	static const int64_t types[] = { ROW_MARK, ROW_PUSHPOP, ROW_STARTEND };
	const struct rspool_nvtx_event *e = conv_rec(c, ref);
	struct dbw *db = &c->db;

	DBW_INTS(db, types[e->what < 3 ? e->what : 0],
	    or_null(e->what == NVTX_IS_START ? e->id : 0), or_null(e->category),
	    (e->rec.flags & RSPOOL_HAS_COLOR) != 0 ? (int64_t)e->color
						   : DBW_NULL);
	put_text(db, e->text, e->len);
	DBW_INTS(db, conv_gtid(p, ref->tid),
	    ref->end_tid != 0 && ref->end_tid != ref->tid
		? conv_gtid(p, ref->end_tid)
		: DBW_NULL,
	    (e->rec.flags & RSPOOL_HAS_STRING) != 0
		? conv_known(c, &p->strings, e->string, "")
		: DBW_NULL,
	    e->domain);
	put_payload(db, e->ptype, e->payload);
	put_binary(c, e);
}

/* Rows that name a domain, a category or a thread. */
static void
named_row(struct conv *c, const struct conv_ref *ref, struct conv_proc *p)
{
	const struct rspool_named *r = conv_rec(c, ref);
	bool label = r->rec.type == RSPOOL_LABEL;
	struct dbw *db = &c->db;

	DBW_INTS(db,
	    r->rec.type == RSPOOL_DOMAIN     ? ROW_DOMAIN
	    : r->rec.type == RSPOOL_CATEGORY ? ROW_CATEGORY
					     : ROW_THREAD,
	    DBW_NULL,
	    r->rec.type == RSPOOL_CATEGORY ? (int64_t)r->id : DBW_NULL,
	    DBW_NULL);
	dbw_text(db, r->text, r->len);
	DBW_INTS(db, conv_gtid(p, label ? r->id : ref->tid));
	dbw_nulls(db, 2);
	DBW_INTS(db, r->domain);
}

void
conv_nvtx_row(struct conv *c, const struct conv_ref *ref)
{
	struct conv_proc *p = &c->proc[ref->proc];
	const struct rspool_rec *r = conv_rec(c, ref);
	const struct rspool_push *push_rec = (const void *)r;
	bool mark = r->type != RSPOOL_PUSH && r->type != RSPOOL_NVTX;
	struct dbw *db = &c->db;

	dbw_begin(db, RT_NVTX);
	DBW_INTS(db, ref->start - c->t0,
	    ref->end != DBW_NULL && !mark ? ref->end - c->t0 : DBW_NULL);
	if (r->type == RSPOOL_NVTX) {
		event_row(c, ref, p);
	} else if (r->type == RSPOOL_PUSH) {
		DBW_INTS(db, ROW_PUSHPOP);
		dbw_nulls(db, 3);
		put_text(db, push_rec->text, push_rec->len);
		DBW_INTS(db, conv_gtid(p, ref->tid));
		dbw_nulls(db, 2);
		DBW_INTS(db, 0);
	} else {
		named_row(c, ref, p);
	}
	dbw_end(db);
}

static void
schema_row(struct conv *c, const struct rspool_schema *s)
{
	struct dbw *db = &c->db;

	dbw_begin(db, s->is_enum ? RT_ENUMS : RT_SCHEMAS);
	DBW_INTS(db, s->domain, (int64_t)s->id);
	dbw_text(db, s->text, s->len);
	if (!s->is_enum) {
		DBW_INTS(db, or_null(s->type), or_null(s->flags));
	}
	DBW_INTS(db, or_null(s->n), or_null(s->size));
	if (!s->is_enum)
		DBW_INTS(db, or_null(s->align));
	dbw_end(db);
}

static void
field_row(struct conv *c, const struct rspool_field *f)
{
	struct dbw *db = &c->db;

	dbw_begin(db, f->is_enum ? RT_ENUM_ENTRIES : RT_ENTRIES);
	DBW_INTS(db, f->domain, (int64_t)f->schema, f->idx);
	if (!f->is_enum) {
		DBW_INTS(db, or_null(f->flags), or_null(f->type));
	}
	dbw_text(db, f->text, f->len);
	if (f->is_enum) {
		DBW_INTS(db, or_null(f->type), or_null(f->flags));
	} else {
		dbw_text(db, f->more > 0 ? f->text + f->len : NULL, f->more);
		DBW_INTS(db, or_null(f->detail), or_null(f->offset));
	}
	dbw_end(db);
}

void
conv_schemas(struct conv *c, struct conv_proc *p)
{
	const struct rspool_rec *r;
	size_t i;

	for (i = 0; i < p->schemas.n; i++) {
		r = (const void *)(p->file->map + p->schemas.at[i]);
		if (r->type == RSPOOL_SCHEMA)
			schema_row(c, (const void *)r);
		else
			field_row(c, (const void *)r);
	}
}
