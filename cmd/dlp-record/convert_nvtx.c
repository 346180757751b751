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

/* A range that is open when the recording ends has the end p->off. */
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
	ARRAY_GROW(s->open, s->n, s->cap);
	s->open[s->n++] = (struct conv_open){ domain, at, t };
}

void
conv_start(struct conv *c, struct conv_proc *p, uint32_t tid, uint64_t at,
    const struct rspool_nvtx_event *r)
{
	const uint64_t *end = map_get(&p->ends, r->id), *by;
	const struct rspool_nvtx_event *e;

	if (end == NULL && conv_wait_end(c, p, tid, at))
		return;
	/* the last batch was asked for, and there was none: no step */
	if (end == NULL && c->markers &&
	    text_starts(r->text, r->len, "iteration "))
		return;
	if (end == NULL) {
		put_range(c, p, tid, at, r->t, p->off, 0);
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

void
conv_nvtx(struct conv *c, struct conv_proc *p, struct conv_stack *s,
    uint32_t tid, uint64_t at, const struct rspool_rec *r)
{
	const struct rspool_nvtx_event *e = (const void *)r;
	const struct rspool_push *text = (const void *)r;

	if (r->type == RSPOOL_PUSH) {
		push(s, 0, at, text->t);
		/* What the markers of --markers cost: 3.7 us for each op and 4
		 * us for each layer, phase or step. Measured with PyTorch 2.11
		 * beside an H200, ops on and off in turn: 2.8 us for each op
		 * with ResNet-50, 3.7 and 3.8 with two GPTs, of which recording
		 * is 0.2; 4.6 where CUDA was recorded, too. */
		if (c->markers)
			c->marker_ns +=
			    is_op(text->text, text->len) ? 3700 : 4000;
	} else if (r->type == RSPOOL_POP)
		pop(c, p, s, tid, (const void *)r);
	else if (e->what == NVTX_IS_PUSH)
		push(s, e->domain, at, e->t);
	else if (e->what == NVTX_IS_MARK)
		put_range(c, p, tid, at, e->t, DBW_NULL, 0);
	else if (e->what == NVTX_IS_START)
		conv_start(c, p, tid, at, e);
}

void
conv_end_thread(
    struct conv *c, struct conv_proc *p, struct conv_stack *s, uint32_t tid)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		put_range(c, p, tid, s->open[i].at, s->open[i].t, p->off, 0);
	s->n = 0;
}

/* The six columns of a payload; the one of its type has the value. */
static void
put_payload(struct dbw *db, uint32_t type, uint64_t v)
{
	uint32_t low = (uint32_t)v;
	double d;
	float f;

	if (type < 1 || type > 6) {
		dbw_nulls(db, 6);
		return;
	}
	dbw_nulls(db, (int)type - 1);
	if (type == 3) {
		memcpy(&d, &v, sizeof(d));
		dbw_f64(db, d);
	} else if (type == 6) {
		memcpy(&f, &low, sizeof(f));
		dbw_f64(db, (double)f);
	} else if (type == 4)
		DBW_INTS(db, low);
	else if (type == 5)
		DBW_INTS(db, (int32_t)low);
	else if ((int64_t)v == DBW_NULL)
		dbw_str(db, "-9223372036854775808");
	else
		DBW_INTS(db, (int64_t)v);
	dbw_nulls(db, 6 - (int)type);
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
	dbw_text(db, e->len > 0 ? e->text : NULL, e->len);
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

/* An empty text is none, as in nsys. */
void
conv_nvtx_row(struct conv *c, const struct conv_ref *ref)
{
	struct conv_proc *p = &c->proc[ref->proc];
	const struct rspool_rec *r = conv_rec(c, ref);
	const struct rspool_push *text = (const void *)r;
	const struct rspool_named *named = (const void *)r;
	bool category = r->type == RSPOOL_CATEGORY;
	struct dbw *db = &c->db;

	dbw_begin(db, RT_NVTX);
	DBW_INTS(db, ref->start - c->t0);
	if (r->type == RSPOOL_PUSH || r->type == RSPOOL_NVTX)
		DBW_INTS(
		    db, ref->end != DBW_NULL ? ref->end - c->t0 : DBW_NULL);
	else
		dbw_nulls(db, 1);
	if (r->type == RSPOOL_NVTX) {
		event_row(c, ref, p);
	} else if (r->type == RSPOOL_PUSH) {
		DBW_INTS(db, ROW_PUSHPOP, DBW_NULL, DBW_NULL, DBW_NULL);
		dbw_text(db, text->len > 0 ? text->text : NULL, text->len);
		DBW_INTS(db, conv_gtid(p, ref->tid), DBW_NULL, DBW_NULL, 0);
	} else { /* names a domain, a category or a thread */
		DBW_INTS(db,
		    category                   ? ROW_CATEGORY
		    : r->type == RSPOOL_DOMAIN ? ROW_DOMAIN
					       : ROW_THREAD,
		    DBW_NULL, category ? (int64_t)named->id : DBW_NULL,
		    DBW_NULL);
		dbw_text(db, named->text, named->len);
		DBW_INTS(db,
		    conv_gtid(
			p, r->type == RSPOOL_LABEL ? named->id : ref->tid),
		    DBW_NULL, DBW_NULL, named->domain);
	}
	dbw_end(db);
}

static void
schema_row(struct dbw *db, const struct rspool_schema *s)
{
	dbw_begin(db, s->is_enum ? RT_ENUMS : RT_SCHEMAS);
	DBW_INTS(db, s->domain, (int64_t)s->id);
	dbw_text(db, s->text, s->len);
	if (s->is_enum)
		DBW_INTS(db, or_null(s->n), or_null(s->size));
	else
		DBW_INTS(db, or_null(s->type), or_null(s->flags), or_null(s->n),
		    or_null(s->size), or_null(s->align));
	dbw_end(db);
}

static void
field_row(struct dbw *db, const struct rspool_field *f)
{
	dbw_begin(db, f->is_enum ? RT_ENUM_ENTRIES : RT_ENTRIES);
	DBW_INTS(db, f->domain, (int64_t)f->schema, f->idx);
	if (f->is_enum) {
		dbw_text(db, f->text, f->len);
		DBW_INTS(db, or_null(f->type), or_null(f->flags));
	} else {
		DBW_INTS(db, or_null(f->flags), or_null(f->type));
		dbw_text(db, f->text, f->len);
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
			schema_row(&c->db, (const void *)r);
		else
			field_row(&c->db, (const void *)r);
	}
}
