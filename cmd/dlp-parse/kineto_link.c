/*
 * Traces without correlation ids. A flow goes from a call to its work: it
 * begins and ends where they do. Without flows a call and its work have the
 * same External id.
 */
#include <stdio.h>

#include "kineto.h"
#include "schema.h"

static const char *const tables[] = { "kineto_call", "kineto_kern",
	"kineto_copy", "kineto_set" };

/* Where an event is: its process or device, its thread or stream, its start. */
static uint32_t
place_of(struct kineto *k, int64_t pid, int64_t tid, int64_t ts, bool add)
{
	int64_t key[3] = { pid, tid, ts };

	return add ? smap_put(&k->flows, (const char *)key, sizeof(key), NULL)
		   : smap_find(&k->flows, (const char *)key, sizeof(key));
}

void
kineto_link_flow(struct kineto_loader *l)
{
	int64_t pid, tid, ts, id;
	uint32_t at;

	if (l->k->correlated ||
	    (!kineto_field_is(l, KF_CAT, "ac2g") &&
		!kineto_field_is(l, KF_CAT, "async")) ||
	    !kineto_field_int(l, KF_ID, &id) || id < 0 ||
	    !kineto_field_int(l, KF_PID, &pid) ||
	    !kineto_field_int(l, KF_TID, &tid) ||
	    !kineto_field_us(l, KF_TS, &ts))
		return;
	at = place_of(l->k, pid, tid, ts, true);
	l->k->flows.val[at] = (uint64_t)id + 1;
}

/* Gives the rows of a table the numbers of the flows at their places; notes
 * in `met` what calls have, and counts the work that has the same. */
static uint64_t
take_flows(struct kineto *k, int t, struct map *met)
{
	sqlite3_stmt *set,
	    *st = db_prepare(k->db, "SELECT rowid, ts, %s, row FROM %s",
		t == 0 ? "pid" : "0", tables[t]);
	uint64_t n = 0, id;
	sqlite3_value *row;
	uint32_t at;

	set = db_prepare(
	    k->db, "UPDATE %s SET corr = ?2 WHERE rowid = ?1", tables[t]);
	while (db_step(st)) {
		row = sqlite3_column_value(st, 3);
		at = place_of(k, t == 0 ? db_i64(st, 2) : kineto_member(row, 0),
		    kineto_member(row, t == 0 ? CALL_TID : 2), db_i64(st, 1),
		    false);
		if (at == SMAP_NONE)
			continue;
		id = k->flows.val[at] - 1;
		if (t == 0)
			*map_put(met, id, NULL) = 1;
		else
			n += map_get(met, id) != NULL;
		kineto_ok(k, sqlite3_bind_int64(set, 1, db_i64(st, 0)));
		kineto_ok(k, sqlite3_bind_int64(set, 2, (int64_t)id));
		kineto_run(k, set);
	}
	sqlite3_finalize(st);
	sqlite3_finalize(set);
	return n;
}

void
kineto_link(struct kineto *k)
{
	char sql[96];
	struct map met = { 0 };
	uint64_t n = 0;
	int t;

	if (k->by_ext == 0 && (k->correlated || k->flows.n == 0))
		return;
	kineto_sql(k, "SAVEPOINT flows");
	for (t = 0; t < 4 && !k->correlated; t++)
		n += take_flows(k, t, &met);
	if (n == 0)
		kineto_sql(k, "ROLLBACK TO flows");
	kineto_sql(k, "RELEASE flows");
	for (t = 0; t < 4; t++) {
		snprintf(sql, sizeof(sql),
		    "UPDATE %s SET corr = %s WHERE corr < -1", tables[t],
		    k->correlated || n > 0 ? "NULL" : "-2 - corr");
		kineto_sql(k, sql);
	}
	map_free(&met);
	smap_free(&k->flows);
}
