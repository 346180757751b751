/* Texts as numbers and as ids of the dictionary; facts of the session; GPUs. */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"

uint32_t
db_word(struct db_halves *d, const char *s, size_t n)
{
	return smap_put(&d->words, s, n, NULL);
}

const char *
db_word_text(const struct db_halves *d, uint32_t w)
{
	return smap_str(&d->words, w, NULL);
}

int64_t
db_text_id(struct db_halves *d, const char *s, size_t n)
{
	return db_put_text(&d->db, s, n);
}

int64_t
db_str_id(struct db_halves *d, const char *s)
{
	return db_word_id(d, db_word(d, s, strlen(s)));
}

int64_t
db_word_id(struct db_halves *d, uint32_t w)
{
	const char *s;
	size_t n;

	if (d->words.val[w] == 0) {
		s = smap_str(&d->words, w, &n);
		d->words.val[w] = (uint64_t)db_text_id(d, s, n);
	}
	return (int64_t)d->words.val[w];
}

uint32_t
db_col_word(struct db_halves *d, const struct rec *r, const struct rec_col *c)
{
	const char *s;
	size_t n;

	s = rec_str(r, c, &d->tmp, &n);
	return s != NULL ? db_word(d, s, n) : db_word(d, "", 0);
}

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

#define MAX_DEV 1024

/* The versions that DLProf 1.8.0 wrote about itself. */
#define VERSION "1.8.0"
#define DLPROF_VERSION "v1.8.0"
#define DLPROF_BUILD "29839685"

struct fact_dev {
	int64_t dev, n_sm, cc_major, cc_minor;
	struct db_dev own;
	char *name;
};

struct db_facts {
	struct fact_dev dev[MAX_DEV];
	size_t n_dev;
	struct smap fixed; /* facts that --set gave */
	struct {
		struct rec_col *dev, *name, *cc, *n_sm, *mem, *clock, *membw;
	} col;
};

struct db_facts *
facts_new(void)
{
	return xcalloc(1, sizeof(struct db_facts));
}

/* "9.0"; any other text leaves 0. */
static void
read_version(const char *s, size_t n, int64_t *major, int64_t *minor)
{
	const char *dot = memchr(s, '.', n);
	size_t len;

	if (dot == NULL)
		return;
	len = (size_t)(dot - s);
	if (!num_i64(s, len, major) || !num_i64(dot + 1, n - len - 1, minor))
		*major = *minor = 0;
}

static void
on_dev(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_facts *f = rec_arg(r);
	struct fact_dev *v = &f->dev[f->n_dev];
	const char *s;
	size_t n;

	if (f->n_dev == MAX_DEV || !rec_i64(r, f->col.dev, &v->dev)) {
		stage_pass(st, r);
		return;
	}
	s = rec_str(r, f->col.name, &d->tmp, &n);
	v->name = xmemdup(s != NULL ? s : "", s != NULL ? n : 0);
	s = rec_str(r, f->col.cc, &d->tmp, &n);
	if (s != NULL)
		read_version(s, n, &v->cc_major, &v->cc_minor);
	rec_i64(r, f->col.n_sm, &v->n_sm);
	v->own.dev = v->dev;
	v->own.mem_bytes = rec_int(r, f->col.mem, DB_NULL);
	v->own.clock_hz = rec_int(r, f->col.clock, DB_NULL);
	v->own.membw_bytes_s = rec_int(r, f->col.membw, DB_NULL);
	f->n_dev++;
	stage_pass(st, r);
}

void
facts_start(struct db_halves *d, struct stage *st)
{
	struct db_facts *f = d->facts;
	struct rec_type *t = stage_on(st, "dev", on_dev, NULL, f);

	f->col.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &f->col.name, "name" }, { &f->col.cc, "cc" },
	    { &f->col.n_sm, "n_sm" }, { &f->col.mem, "mem_bytes" },
	    { &f->col.clock, "clock_hz" }, { &f->col.membw, "membw_bytes_s" });
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
	if (smap_find(&d->facts->fixed, rest, (size_t)(tab - rest)) ==
	    SMAP_NONE)
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
		smap_put(&d->facts->fixed, fact, n, NULL);
	no = smap_put(&d->infos, fact, n, NULL);
	d->infos.val[no] = db_word(d, eq + 1, strlen(eq + 1)) + 1;
	return n > 0;
}

size_t
facts_ndev(const struct db_halves *d)
{
	return d->facts->n_dev;
}

int64_t
facts_dev(const struct db_halves *d, size_t i)
{
	return d->facts->dev[i].dev;
}

int64_t
facts_gpu_id(const struct db_halves *d, int64_t dev)
{
	size_t i;

	for (i = 0; i < d->facts->n_dev; i++)
		if (d->facts->dev[i].dev == dev)
			return (int64_t)i + 1;
	return 0;
}

static const char *
fact_text(const struct db_halves *d, const char *name, const char *def)
{
	const char *s = facts_get(d, name);

	return s != NULL ? s : def;
}

/* The numbers in the order of the guide; only pytorch's is known for certain.
 */
static int64_t
mode_number(const char *mode)
{
	static const char *const modes[] = { "simple", "tensorflow1",
		"tensorflow2", "pytorch", "tensorrt" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(modes); i++)
		if (strcmp(mode, modes[i]) == 0)
			return (int64_t)i + 1;
	return 0;
}

static void
put_system(struct db_halves *d)
{
	const char *mode = fact_text(d, "mode", "");
	char n[32];

	snprintf(n, sizeof(n), "%zu", d->facts->n_dev);
	db_put(&d->db, T_SYSTEM_CONFIG, 1, "ittttttttttitt", INT64_C(1),
	    fact_text(d, "n_gpu", n), fact_text(d, "cpu", ""),
	    fact_text(d, "driver", ""), fact_text(d, "framework", ""),
	    fact_text(d, "cuda", ""), fact_text(d, "cudnn", ""),
	    fact_text(d, "nsys_version", fact_text(d, "recorder", "")),
	    fact_text(d, "dlprof_version", DLPROF_VERSION),
	    fact_text(d, "dlprof_build", DLPROF_BUILD),
	    fact_text(d, "profile_name", ""), mode_number(mode), mode,
	    fact_text(d, "command", ""));
	db_put(&d->db, T_DB_VERSION, 1, "tt", VERSION,
	    fact_text(d, "schema_original", VERSION));
}

static int64_t
fact_flag(const struct db_halves *d, const char *name, int64_t def)
{
	const char *s = facts_get(d, name);

	if (s == NULL)
		return def;
	if (strcmp(s, "true") == 0)
		return 1;
	return strcmp(s, "false") == 0 ? 0 : facts_int(d, name, def);
}

/* A setting that no marker has gets DLProf's default. */
static void
put_model(struct db_halves *d)
{

	db_put(&d->db, T_MODEL_CONFIG, 1, "iiiiiiiiii",
	    fact_flag(d, "model_num_workers", 0),
	    fact_flag(d, "model_pin_memory", 1),
	    fact_flag(d, "model_cudnn_benchmark_disabled", 0),
	    fact_flag(d, "model_detect_anomaly", 0),
	    fact_flag(d, "model_gradcheck", 0),
	    fact_flag(d, "model_gradgradcheck", 0),
	    fact_flag(d, "model_autograd_profile", 0),
	    fact_flag(d, "model_autograd_set_detect_anomaly", 0),
	    fact_flag(d, "model_emit_nvtx", 0),
	    fact_flag(d, "model_amp_enabled", 0));
}

/* Writes one row of memory per GPU. The amount used is known only if it was
 * recorded; otherwise both values are 0, as in DLProf. */
static void
put_memory(struct db_halves *d, size_t i)
{
	int64_t used = own_mem_peak(d, d->facts->dev[i].dev);

	if (used > 0 && d->facts->dev[i].own.mem_bytes != DB_NULL)
		db_put(&d->db, T_GPU_MEMORIES, (int64_t)i + 1, "ii",
		    d->facts->dev[i].own.mem_bytes, used);
	else
		db_put(&d->db, T_GPU_MEMORIES, (int64_t)i + 1, "ii",
		    facts_int(d, "gpu_mem_total_bytes", 0),
		    facts_int(d, "gpu_mem_used_bytes", 0));
}

static void
put_gpus(struct db_halves *d)
{
	size_t i;

	for (i = 0; i < d->facts->n_dev; i++) {
		db_put(&d->db, T_GPU_INFOS, (int64_t)i + 1, "itiii",
		    d->facts->dev[i].dev, d->facts->dev[i].name,
		    d->facts->dev[i].cc_major, d->facts->dev[i].cc_minor,
		    d->facts->dev[i].n_sm);
		put_memory(d, i);
		own_dev(d, &d->facts->dev[i].own);
	}
}

void
facts_write(struct db_halves *d)
{

	db_put(&d->db, T_DOMAINS, DOMAIN_ID, "i", db_str_id(d, d->domain));
	db_put(&d->db, T_MODEL_INFO, 1, "itt", DOMAIN_ID, d->domain,
	    fact_text(d, "profile_name", ""));
	put_system(d);
	put_model(d);
	put_gpus(d);
	own_facts(d);
}
