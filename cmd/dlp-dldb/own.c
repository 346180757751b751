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

static void
on_range(struct stage *st, struct rec *r)
{
	static struct ins in = { .table = "dlp_ranges" };
	struct dldb *d = st->ctx;

	if (d->raw && rec_int(r, rc.start, DB_NULL) != DB_NULL)
		DB_ADD(&d->db, &in, rec_int(r, rc.id, 0),
		    rec_int(r, rc.start, DB_NULL), end(r, rc.start, rc.dur),
		    rec_int(r, rc.pid, DB_NULL), rec_int(r, rc.tid, DB_NULL),
		    rec_int(r, rc.end_tid, DB_NULL), text(d, r, rc.domain),
		    text(d, r, rc.mode), text(d, r, rc.text),
		    rec_int(r, rc.level, DB_NULL), text(d, r, rc.layer));
	stage_pass(st, r);
}

static void
on_os(struct stage *st, struct rec *r)
{
	static struct ins in = { .table = "dlp_os_calls" };
	struct dldb *d = st->ctx;

	if (d->raw && rec_int(r, oc.start, DB_NULL) != DB_NULL)
		DB_ADD(&d->db, &in, rec_int(r, oc.id, 0),
		    rec_int(r, oc.start, DB_NULL), end(r, oc.start, oc.dur),
		    rec_int(r, oc.pid, DB_NULL), rec_int(r, oc.tid, DB_NULL),
		    text(d, r, oc.name));
	stage_pass(st, r);
}

static void
on_mem(struct stage *st, struct rec *r)
{
	static struct ins in = { .table = "dlp_memory" };
	struct dldb *d = st->ctx;

	if (d->raw && rec_int(r, mc.start, DB_NULL) != DB_NULL)
		DB_ADD(&d->db, &in, rec_int(r, mc.id, 0),
		    rec_int(r, mc.start, DB_NULL), rec_int(r, mc.pid, DB_NULL),
		    rec_int(r, mc.dev, DB_NULL), text(d, r, mc.op),
		    rec_int(r, mc.bytes, DB_NULL), rec_int(r, mc.addr, DB_NULL),
		    text(d, r, mc.kind), rec_int(r, mc.pool, DB_NULL),
		    rec_int(r, mc.pool_bytes, DB_NULL));
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
	struct rec_type *t = stage_on(st, "range", on_range, NULL, NULL);

	REC_COLS(t, REC_NEED, { &rc.start, "start_ns" }, { &rc.dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &rc.id, "id" }, { &rc.pid, "pid" },
	    { &rc.tid, "tid" }, { &rc.end_tid, "end_tid" },
	    { &rc.domain, "domain" }, { &rc.mode, "mode" },
	    { &rc.text, "text" }, { &rc.level, "level" },
	    { &rc.layer, "layer" });
}

static void
bind_os(struct stage *st)
{
	struct rec_type *t = stage_on(st, "os", on_os, NULL, NULL);

	REC_COLS(t, REC_NEED, { &oc.start, "start_ns" }, { &oc.dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &oc.id, "id" }, { &oc.pid, "pid" },
	    { &oc.tid, "tid" }, { &oc.name, "name" });
}

void
own_start(struct stage *st)
{
	struct rec_type *t = stage_on(st, "mem", on_mem, NULL, NULL);

	REC_COLS(t, REC_OPT, { &mc.id, "id" }, { &mc.start, "start_ns" },
	    { &mc.pid, "pid" }, { &mc.dev, "dev" }, { &mc.op, "op" },
	    { &mc.bytes, "bytes" }, { &mc.addr, "addr" }, { &mc.kind, "kind" },
	    { &mc.pool, "pool" }, { &mc.pool_bytes, "pool_bytes" });
	bind_range(st);
	bind_os(st);
}
