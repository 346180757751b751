/* Facts of the session; GPUs. */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"

const char *
facts_get(const struct db_halves *d, const char *name)
{
	uint32_t no = smap_find(&d->infos, name, strlen(name));

	if (no == SMAP_NONE || d->infos.val[no] == 0)
		return NULL;
	return db_word_text(d, (uint32_t)d->infos.val[no] - 1);
}

int64_t
facts_int(const struct db_halves *d, const char *name, int64_t def)
{
	const char *s = facts_get(d, name);
	int64_t v;

	return s != NULL && num_i64(s, strlen(s), &v) ? v : def;
}

/* The versions that DLProf 1.8.0 wrote about itself. */
#define VERSION "1.8.0"
#define DLPROF_VERSION "v1.8.0"
#define DLPROF_BUILD "29839685"

static void
on_dev(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_dev *v = &d->dev[d->n_dev];
	const char *s, *dot;
	size_t n, len;

	stage_pass(st, r);
	if (d->n_dev == MAX_DEV || !rec_num(r, COL_dev, &v->dev))
		return;
	s = rec_text(r, COL_name, &d->tmp, &n);
	v->name = xmemdup(s != NULL ? s : "", s != NULL ? n : 0);
	/* "9.0"; any other text leaves 0 */
	s = rec_text(r, COL_cc, &d->tmp, &n);
	dot = s != NULL ? memchr(s, '.', n) : NULL;
	len = dot != NULL ? (size_t)(dot - s) : 0;
	if (dot != NULL && (!num_i64(s, len, &v->cc_major) ||
			       !num_i64(dot + 1, n - len - 1, &v->cc_minor)))
		v->cc_major = v->cc_minor = 0;
	rec_num(r, COL_n_sm, &v->n_sm);
	v->mem_bytes = rec_num_or(r, COL_mem_bytes, DBW_NULL);
	v->clock_hz = rec_num_or(r, COL_clock_hz, DBW_NULL);
	v->membw_bytes_s = rec_num_or(r, COL_membw_bytes_s, DBW_NULL);
	d->n_dev++;
}

void
facts_start(struct stage *st)
{
	stage_on(st, "dev", on_dev, .need = "dev",
	    .opt = "name cc n_sm mem_bytes clock_hz membw_bytes_s");
}

/* The last line of a name is used, because later stages know better. */
void
facts_meta(struct db_halves *d, const struct rec *r)
{
	struct buf b = { 0 };
	const char *w, *rest, *tab;
	size_t wlen, n;
	uint32_t no;

	w = rec_meta(r, &wlen, &rest, &n);
	if (wlen != 4 || memcmp(w, "info", 4) != 0)
		return;
	tab = n > 0 ? memchr(rest, '\t', n) : NULL;
	if (tab == NULL)
		return;
	esc_undo(&b, tab + 1, n - (size_t)(tab + 1 - rest));
	no = smap_put(&d->infos, rest, (size_t)(tab - rest), NULL);
	if (smap_find(&d->fixed, rest, (size_t)(tab - rest)) == SMAP_NONE)
		d->infos.val[no] = db_word(d, b.len ? b.s : "", b.len) + 1;
	buf_free(&b);
}

bool
facts_set(struct db_halves *d, const char *fact)
{
	const char *eq = strchr(fact, '=');
	uint32_t no;
	size_t n;

	if (eq == NULL || eq == fact)
		return false;
	n = (size_t)(eq - fact);
	if (eq[-1] == '?')
		n--;
	else
		smap_put(&d->fixed, fact, n, NULL);
	no = smap_put(&d->infos, fact, n, NULL);
	d->infos.val[no] = db_word(d, eq + 1, strlen(eq + 1)) + 1;
	return n > 0;
}

static const char *
fact_text(const struct db_halves *d, const char *name, const char *def)
{
	const char *s = facts_get(d, name);

	return s != NULL ? s : def;
}

/* Settings of the model in the order of the columns, and DLProf's default,
 * which a setting that no marker has gets. */
static void
put_model(struct db_halves *d)
{
	static const struct {
		const char *name;
		int64_t def;
	} flags[] = { { "model_num_workers", 0 }, { "model_pin_memory", 1 },
		{ "model_cudnn_benchmark_disabled", 0 },
		{ "model_detect_anomaly", 0 }, { "model_gradcheck", 0 },
		{ "model_gradgradcheck", 0 }, { "model_autograd_profile", 0 },
		{ "model_autograd_set_detect_anomaly", 0 },
		{ "model_emit_nvtx", 0 }, { "model_amp_enabled", 0 } };
	const char *s;
	int64_t v;
	size_t i;

	dbw_begin(&d->db, T_MODEL_CONFIG);
	DBW_INTS(&d->db, 1);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		s = fact_text(d, flags[i].name, "");
		if (strcmp(s, "true") == 0)
			v = 1;
		else if (strcmp(s, "false") == 0)
			v = 0;
		else
			v = facts_int(d, flags[i].name, flags[i].def);
		DBW_INTS(&d->db, v);
	}
	dbw_end(&d->db);
}

/* The largest amount of memory that was allocated on the device at one time; 0
 * if there were no memory events. */
static int64_t
memory_peak(struct db_halves *d, int64_t dev)
{
	sqlite3_stmt *st = dbw_prepare(&d->db,
	    "SELECT max(used) FROM (SELECT sum(CASE (SELECT string FROM"
	    " dictionary s WHERE s.id = m.op_id) WHEN 'alloc' THEN num_bytes"
	    " WHEN 'free' THEN -num_bytes END) OVER (ORDER BY id) AS used"
	    " FROM dlp_memory m WHERE ifnull(device_id, 0) = ?1 AND"
	    " kind_id IN (SELECT id FROM dictionary WHERE string IN"
	    " ('', 'device')))");
	int64_t peak = 0;

	sqlite3_bind_int64(st, 1, dev);
	if (sqlite3_step(st) == SQLITE_ROW)
		peak = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return peak;
}

void
facts_write(struct db_halves *d)
{
	const char *s, *mode;
	uint32_t no;
	/* in the order of the guide; only pytorch's number is known for
	 * certain */
	static const char *const modes[] = { "", "simple", "tensorflow1",
		"tensorflow2", "pytorch", "tensorrt" };
	/* these are dlp-iter's choice, and do not describe the profile */
	static const char *const chosen[] = { "iter_start", "iter_stop",
		"key_op", "key_op_found", "n_iter", "n_iter_aggregated" };
	int64_t mode_no, used, total, i;
	char n[32];
	const struct db_dev *v;

	dbw_put(&d->db, T_DOMAINS, DOMAIN_ID, "i", db_str_id(d, d->domain));
	dbw_put(&d->db, T_MODEL_INFO, 1, "itt", DOMAIN_ID, d->domain,
	    fact_text(d, "profile_name", ""));
	mode = fact_text(d, "mode", "");
	mode_no = ARRAY_LEN(modes) - 1;
	while (mode_no > 0 && strcmp(mode, modes[mode_no]) != 0)
		mode_no--;

	snprintf(n, sizeof(n), "%zu", d->n_dev);
	dbw_put(&d->db, T_SYSTEM_CONFIG, 1, "ittttttttttitt", INT64_C(1),
	    fact_text(d, "n_gpu", n), fact_text(d, "cpu", ""),
	    fact_text(d, "driver", ""), fact_text(d, "framework", ""),
	    fact_text(d, "cuda", ""), fact_text(d, "cudnn", ""),
	    fact_text(d, "nsys_version", fact_text(d, "recorder", "")),
	    fact_text(d, "dlprof_version", DLPROF_VERSION),
	    fact_text(d, "dlprof_build", DLPROF_BUILD),
	    fact_text(d, "profile_name", ""), mode_no, mode,
	    fact_text(d, "command", ""));
	dbw_put(&d->db, T_DB_VERSION, 1, "tt", VERSION,
	    fact_text(d, "schema_original", VERSION));
	put_model(d);
	/* The amount of memory used is known only if it was recorded; otherwise
	 * both values are 0, as in DLProf. */
	for (i = 1; i <= (int64_t)d->n_dev; i++) {
		v = &d->dev[i - 1];
		dbw_put(&d->db, T_GPU_INFOS, i, "itiii", v->dev, v->name,
		    v->cc_major, v->cc_minor, v->n_sm);
		used = memory_peak(d, v->dev);
		total = v->mem_bytes;
		if (used <= 0 || total == DBW_NULL) {
			total = facts_int(d, "gpu_mem_total_bytes", 0);
			used = facts_int(d, "gpu_mem_used_bytes", 0);
		}
		dbw_put(&d->db, T_GPU_MEMORIES, i, "ii", total, used);
		DBW_ADD(&d->db, T_DLP_DEVICES, 0, v->dev, v->clock_hz,
		    v->mem_bytes, v->membw_bytes_s);
	}
	for (no = 0; no < d->infos.n; no++) {
		s = smap_str(&d->infos, no, NULL);
		if (d->infos.val[no] != 0 &&
		    !mv_listed(mv(s, s + strlen(s)), chosen, ARRAY_LEN(chosen)))
			dbw_put(&d->db, T_DLP_FACTS, 0, "tt", s,
			    db_word_text(d, (uint32_t)d->infos.val[no] - 1));
	}
}
