/* The tables dlp_*; see dldb_own.h. */
#include "dldb_own.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "schema.h"
#include "source.h"

/* A text of the dictionary that lives as long as the dialect. */
static const char *
kept(struct dldb *d, int64_t id)
{
	bool is_new;
	uint64_t *no = map_put(&d->kept_at, (uint64_t)id, &is_new);
	struct buf b = { 0 };

	if (is_new) {
		if (id != EV_UNSET)
			dldb_string(d, id, &b);
		*no = smap_put(&d->kept, buf_str(&b), b.len, NULL);
		buf_free(&b);
	}
	return smap_str(&d->kept, (uint32_t)*no, NULL);
}

static const char *
kept_word(struct dldb *d, int64_t id)
{
	const char *s = kept(d, id);

	return *s != '\0' ? s : NULL;
}

/* start_time, stop_time, process_id, thread_id */
static bool
span(sqlite3_value **col, struct event *ev)
{
	ev->start = db_value(col[1]);
	ev->end = db_value(col[2]);
	ev->pid = db_value(col[3]);
	ev->tid = db_value(col[4]);
	if (ev->start == EV_UNSET)
		source_bad_row();
	return ev->start != EV_UNSET;
}

static bool
range_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb *d = ctx;

	(void)s;
	if (!span(col, ev))
		return false;
	ev->range.end_tid = db_value(col[5]);
	ev->range.domain = kept(d, db_value(col[6]));
	ev->range.push = strcmp(kept(d, db_value(col[7])), "push") == 0;
	ev->name = db_value(col[8]);
	ev->range.level = db_value(col[9]);
	ev->range.layer = kept_word(d, db_value(col[10]));
	return true;
}

static bool
os_row(void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	(void)ctx;
	(void)s;
	if (!span(col, ev))
		return false;
	ev->name = db_value(col[5]);
	return true;
}

static bool
mem_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	struct dldb *d = ctx;

	(void)s;
	ev->start = db_value(col[1]);
	if (ev->start == EV_UNSET) {
		source_bad_row();
		return false;
	}
	ev->pid = db_value(col[2]);
	ev->mem.dev = db_value(col[3]);
	ev->mem.op = kept_word(d, db_value(col[4]));
	ev->mem.bytes = db_value(col[5]);
	ev->mem.addr = db_value(col[6]);
	ev->mem.kind = kept_word(d, db_value(col[7]));
	ev->mem.corr = EV_UNSET;
	ev->mem.pool = db_value(col[8]);
	ev->mem.pool_bytes = db_value(col[9]);
	return true;
}

static const char *const range_cols[] = { "start_time", "stop_time",
	"process_id", "thread_id", "end_thread_id", "domain_id", "mode_id",
	"text_id", "level", "layer_id", NULL };
static const char *const os_cols[] = { "start_time", "stop_time", "process_id",
	"thread_id", "name_id", NULL };
static const char *const mem_cols[] = { "time", "process_id", "device_id",
	"op_id", "num_bytes", "address", "kind_id", "pool_address",
	"pool_bytes", NULL };

static const struct {
	const char *table;
	enum ev_kind kind;
	row_fn *row;
	const char *const *cols;
	const char *end;
} tables[] = {
	{ "dlp_ranges", EV_RANGE, range_row, range_cols, "stop_time" },
	{ "dlp_os_calls", EV_OS, os_row, os_cols, "stop_time" },
	{ "dlp_memory", EV_MEM, mem_row, mem_cols, NULL },
};

void
dldb_own_rows(struct dldb *d, struct sources *ss)
{
	struct source *s;
	size_t i;

	if (d->string == NULL)
		return;
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!db_has_table(d->db, tables[i].table) ||
		    !db_has_column(d->db, tables[i].table, tables[i].cols[0]))
			continue;
		s = source_add(
		    ss, tables[i].kind, tables[i].table, tables[i].row);
		s->from = xstrdup(tables[i].table);
		s->cols = dldb_cols(d, tables[i].table, tables[i].cols);
		s->start = xstrdup(tables[i].cols[0]);
		if (tables[i].end != NULL)
			s->end = xstrdup(tables[i].end);
	}
}

void
dldb_own_close(struct dldb *d)
{
	sqlite3_finalize(d->marker);
	map_free(&d->kept_at);
	smap_free(&d->kept);
}

bool
dldb_own_facts(struct dldb *d, bool (*known)(const char *name))
{
	sqlite3_stmt *st;
	const char *name, *value;

	if (!db_has_column(d->db, "dlp_facts", "name") ||
	    !db_has_column(d->db, "dlp_facts", "value"))
		return false;
	st = db_prepare(d->db, "SELECT name, value FROM dlp_facts ORDER BY id");
	while (db_step(st)) {
		name = (const char *)sqlite3_column_text(st, 0);
		value = (const char *)sqlite3_column_text(st, 1);
		if (name != NULL && value != NULL && !known(name))
			fact_info(name, "%s", value);
	}
	sqlite3_finalize(st);
	return true;
}

void
dldb_own_dev(struct dldb *d, struct dev_fact *f)
{
	static const char *const cols[] = { "clock_hz", "mem_bytes",
		"membw_bytes_s", NULL };
	sqlite3_stmt *st;
	char *names;

	if (!db_has_column(d->db, "dlp_devices", "device_id"))
		return;
	names = dldb_cols(d, "dlp_devices", cols);
	st = db_prepare(
	    d->db, "SELECT %s FROM dlp_devices WHERE device_id = ?1", names);
	sqlite3_bind_int64(st, 1, f->dev);
	if (db_step(st)) {
		f->clock_hz = db_i64(st, 0);
		f->mem_bytes = db_i64(st, 1);
		f->membw_bytes_s = db_i64(st, 2);
	}
	sqlite3_finalize(st);
	free(names);
}

const char *
dldb_own_marker(struct dldb *d, int64_t op_row)
{
	const char *s = NULL;

	if (d->marker == NULL) {
		if (d->string == NULL ||
		    !db_has_column(d->db, "dlp_ops", "marker_id"))
			return NULL;
		d->marker = db_prepare(
		    d->db, "SELECT marker_id FROM dlp_ops WHERE id = ?1");
	}
	sqlite3_bind_int64(d->marker, 1, op_row);
	if (db_step(d->marker))
		s = kept_word(d, db_i64(d->marker, 0));
	sqlite3_reset(d->marker);
	return s;
}
