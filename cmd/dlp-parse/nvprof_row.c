/*
 * How nvprof writes a row, whatever it is of; see nvprof_row.h. A value of
 * the wrong type reads as unset.
 */
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "nvprof_cbid.h"
#include "nvprof_row.h"
#include "schema.h"

bool
nvprof_string(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	const void *s;
	bool has = false;

	if (id < 0) {
		nvprof_api_name(id, out);
		return true;
	}
	if (nv->string == NULL)
		return false;
	sqlite3_bind_int64(nv->string, 1, id);
	if (db_step(nv->string) &&
	    (s = sqlite3_column_text(nv->string, 0)) != NULL) {
		buf_put(out, s, (size_t)sqlite3_column_bytes(nv->string, 0));
		has = true;
	}
	sqlite3_reset(nv->string);
	return has;
}

const char *
nvprof_domain(struct nvprof *nv, int64_t name_id)
{
	struct buf b = { NULL, 0, 0 };
	uint64_t *no;
	bool is_new;

	if (name_id <= 0)
		return "";
	no = map_put(&nv->domain, (uint64_t)name_id, &is_new);
	if (is_new) {
		if (!nvprof_string(nv, name_id, &b))
			buf_i64(&b, name_id);
		if (nv->n_domains == nv->cap_domains) {
			nv->cap_domains += nv->cap_domains + 8;
			nv->domains = xrealloc(
			    nv->domains, nv->cap_domains, sizeof(*nv->domains));
		}
		nv->domains[nv->n_domains++] = xstrdup(buf_str(&b));
		*no = nv->n_domains;
		buf_free(&b);
	}
	return nv->domains[*no - 1];
}

int64_t
nvprof_num(sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return EV_UNSET;
	return sqlite3_value_int64(v);
}

/* A string's id; negative ones are not the file's: see nvprof_api_id(). */
int64_t
nvprof_name(sqlite3_value *v)
{
	int64_t n = nvprof_num(v);

	return n < 0 ? EV_UNSET : n;
}

bool
nvprof_times(struct nvprof *nv, sqlite3_value **col, struct event *ev)
{
	int64_t start = nvprof_num(col[0]), end = nvprof_num(col[1]);

	if (start == EV_UNSET) {
		source_bad_row();
		return false;
	}
	/* CUPTI's word for a time that it could not record */
	if (start == 0) {
		nv->untimed++;
		ev->start = 0;
		ev->end = end == 0 ? 0 : EV_UNSET;
		return true;
	}
	ev->start = num_sub(start, nv->t0);
	if (end != EV_UNSET)
		ev->end = num_sub(end, nv->t0);
	return true;
}

static int64_t
le32(const unsigned char *s)
{
	return (int64_t)s[0] | (int64_t)s[1] << 8 | (int64_t)s[2] << 16 |
	       (int64_t)s[3] << 24;
}

void
nvprof_object(
    sqlite3_value *kind, sqlite3_value *id, int64_t *pid, int64_t *tid)
{
	const unsigned char *s;
	int64_t k = nvprof_num(kind);

	if (sqlite3_value_type(id) != SQLITE_BLOB ||
	    sqlite3_value_bytes(id) < 8 ||
	    (k != OBJECT_PROCESS && k != OBJECT_THREAD))
		return;
	s = sqlite3_value_blob(id);
	*pid = le32(s);
	if (k == OBJECT_THREAD)
		*tid = le32(s + 4);
}

/* Nsight's exports have numbers one lower. */
const char *
nvprof_mem_kind(int64_t kind)
{
	static const char *const mem_kinds[] = { NULL, "pageable", "pinned",
		"device", "array", "managed", "device-static",
		"managed-static" };

	return NVPROF_PICK(mem_kinds, kind);
}

struct source *
nvprof_source(struct nvprof *nv, struct sources *ss, enum ev_kind kind,
    const char *table, row_fn *row, const char *const *cols)
{
	struct source *s;

	if (!db_has_table(nv->db, table) ||
	    !db_has_column(nv->db, table, "start"))
		return NULL;
	s = source_add(ss, kind, table, row);
	s->from = xstrdup(table);
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("start");
	s->end = db_col(nv->db, table, "end");
	return s;
}
