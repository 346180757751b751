/* What the original's tables have no place for; see own.h. */
#include "own.h"

#include <string.h>

#include "err.h"
#include "num.h"

static struct {
	struct rec_col *id, *start, *dur, *pid, *tid, *end_tid, *domain, *mode,
	    *text, *level, *layer;
} rc;
static struct {
	struct rec_col *id, *start, *dur, *pid, *tid, *name;
} oc;
static struct {
	struct rec_col *id, *start, *pid, *dev, *op, *bytes, *addr, *kind,
	    *pool, *pool_bytes;
} mc;

static int64_t
number(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) ? v : DB_NULL;
}

static int64_t
end(const struct rec *r, const struct rec_col *start, const struct rec_col *dur)
{
	int64_t a, b;

	if (!rec_i64(r, start, &a) || !rec_i64(r, dur, &b))
		return DB_NULL;
	return num_add(a, b);
}

/* The dictionary's id of a field; that of "" if it is unset. */
static int64_t
text(struct dldb *d, const struct rec *r, const struct rec_col *c)
{
	static struct buf b;
	const char *s;
	size_t n;

	s = rec_str(r, c, &b, &n);
	return word_id(d, s != NULL ? word(d, s, n) : word(d, "", 0));
}

/* The number of the record; 0 if it has none. */
static int64_t
row_id(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) ? v : 0;
}

static void
on_range(struct stage *st, struct rec *r)
{
	static struct ins in = { .table = "dlp_ranges" };
	struct dldb *d = st->ctx;

	if (d->raw && number(r, rc.start) != DB_NULL)
		DB_ADD(&d->db, &in, row_id(r, rc.id), number(r, rc.start),
		    end(r, rc.start, rc.dur), number(r, rc.pid),
		    number(r, rc.tid), number(r, rc.end_tid),
		    text(d, r, rc.domain), text(d, r, rc.mode),
		    text(d, r, rc.text), number(r, rc.level),
		    text(d, r, rc.layer));
	stage_pass(st, r);
}

static void
on_os(struct stage *st, struct rec *r)
{
	static struct ins in = { .table = "dlp_os_calls" };
	struct dldb *d = st->ctx;

	if (d->raw && number(r, oc.start) != DB_NULL)
		DB_ADD(&d->db, &in, row_id(r, oc.id), number(r, oc.start),
		    end(r, oc.start, oc.dur), number(r, oc.pid),
		    number(r, oc.tid), text(d, r, oc.name));
	stage_pass(st, r);
}

static void
on_mem(struct stage *st, struct rec *r)
{
	static struct ins in = { .table = "dlp_memory" };
	struct dldb *d = st->ctx;

	if (d->raw && number(r, mc.start) != DB_NULL)
		DB_ADD(&d->db, &in, row_id(r, mc.id), number(r, mc.start),
		    number(r, mc.pid), number(r, mc.dev), text(d, r, mc.op),
		    number(r, mc.bytes), number(r, mc.addr),
		    text(d, r, mc.kind), number(r, mc.pool),
		    number(r, mc.pool_bytes));
	stage_pass(st, r);
}

void
own_op(struct dldb *d, int64_t op_id, const char *by, size_t n)
{
	static struct ins in = { .table = "dlp_ops" };

	DB_ADD(&d->db, &in, op_id, word_id(d, word(d, by, n)));
}

void
own_dev(struct dldb *d, const struct own_dev *dev)
{
	static struct ins in = { .table = "dlp_devices" };

	DB_ADD(&d->db, &in, INT64_C(0), dev->dev, dev->clock_hz, dev->mem_bytes,
	    dev->membw_bytes_s);
}

/* Of all that was allocated on the device, the most at a time. */
int64_t
own_mem_peak(struct dldb *d, int64_t dev)
{
	struct buf b = { 0 };
	int64_t peak;

	buf_printf(&b,
	    "SELECT max(used) FROM (SELECT sum(CASE (SELECT string FROM"
	    " dictionary s WHERE s.id = m.op_id) WHEN 'alloc' THEN num_bytes"
	    " WHEN 'free' THEN -num_bytes END) OVER (ORDER BY id) AS used"
	    " FROM dlp_memory m WHERE ifnull(device_id, 0) = %lld AND"
	    " kind_id IN (SELECT id FROM dictionary WHERE string IN"
	    " ('', 'device')))",
	    (long long)dev);
	peak = db_int(&d->db, buf_str(&b), 0);
	buf_free(&b);
	return peak;
}

/* What dlp-iter says is of a choice, not of the profile. */
static bool
is_choice(const char *s, size_t n)
{
	static const char *const names[] = { "key_op", "key_op_found", "n_iter",
		"n_iter_aggregated", "iter_start", "iter_stop" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0)
			return true;
	return false;
}

void
own_facts(struct dldb *d)
{
	static struct ins in = { .table = "dlp_facts" };
	const char *s;
	uint32_t no;
	size_t n;

	for (no = 0; no < d->infos.n; no++) {
		s = smap_str(&d->infos, no, &n);
		if (d->infos.val[no] == 0 || is_choice(s, n))
			continue;
		db_put(&d->db, &in, 0, "tt", s,
		    word_text(d, (uint32_t)d->infos.val[no] - 1));
	}
}

static void
bind_range(struct stage *st)
{
	struct rec_type *t = stage_on(st, "range", on_range, NULL);

	rc.id = rec_col(t, "id", REC_OPT);
	rc.start = rec_col(t, "start_ns", REC_NEED);
	rc.dur = rec_col(t, "dur_ns", REC_NEED);
	rc.pid = rec_col(t, "pid", REC_OPT);
	rc.tid = rec_col(t, "tid", REC_OPT);
	rc.end_tid = rec_col(t, "end_tid", REC_OPT);
	rc.domain = rec_col(t, "domain", REC_OPT);
	rc.mode = rec_col(t, "mode", REC_OPT);
	rc.text = rec_col(t, "text", REC_OPT);
	rc.level = rec_col(t, "level", REC_OPT);
	rc.layer = rec_col(t, "layer", REC_OPT);
}

static void
bind_os(struct stage *st)
{
	struct rec_type *t = stage_on(st, "os", on_os, NULL);

	oc.id = rec_col(t, "id", REC_OPT);
	oc.start = rec_col(t, "start_ns", REC_NEED);
	oc.dur = rec_col(t, "dur_ns", REC_NEED);
	oc.pid = rec_col(t, "pid", REC_OPT);
	oc.tid = rec_col(t, "tid", REC_OPT);
	oc.name = rec_col(t, "name", REC_OPT);
}

void
own_start(struct stage *st)
{
	struct rec_type *t = stage_on(st, "mem", on_mem, NULL);

	mc.id = rec_col(t, "id", REC_OPT);
	mc.start = rec_col(t, "start_ns", REC_OPT);
	mc.pid = rec_col(t, "pid", REC_OPT);
	mc.dev = rec_col(t, "dev", REC_OPT);
	mc.op = rec_col(t, "op", REC_OPT);
	mc.bytes = rec_col(t, "bytes", REC_OPT);
	mc.addr = rec_col(t, "addr", REC_OPT);
	mc.kind = rec_col(t, "kind", REC_OPT);
	mc.pool = rec_col(t, "pool", REC_OPT);
	mc.pool_bytes = rec_col(t, "pool_bytes", REC_OPT);
	bind_range(st);
	bind_os(st);
}
