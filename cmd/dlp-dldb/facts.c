/* Session facts and GPUs; see facts.h. */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "num.h"
#include "own.h"
#include "work.h"

#define MAX_DEV 1024

/* What DLProf 1.8.0 said of itself. */
#define VERSION "1.8.0"
#define DLPROF_VERSION "v1.8.0"
#define DLPROF_BUILD "29839685"

static struct {
	int64_t dev, n_sm, cc_major, cc_minor;
	struct own_dev own;
	char *name;
} devs[MAX_DEV];
static size_t ndev;
static struct smap fixed; /* the facts that --set gave */

static struct {
	struct rec_col *dev, *name, *cc, *n_sm, *mem, *clock, *membw;
} dc;

/* "9.0"; what is none stays 0. */
static void
version(const char *s, size_t n, int64_t *major, int64_t *minor)
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
	static struct buf b;
	const char *s;
	size_t n;

	if (ndev == MAX_DEV || !rec_i64(r, dc.dev, &devs[ndev].dev)) {
		stage_pass(st, r);
		return;
	}
	s = rec_str(r, dc.name, &b, &n);
	devs[ndev].name = xmemdup(s != NULL ? s : "", s != NULL ? n : 0);
	s = rec_str(r, dc.cc, &b, &n);
	if (s != NULL)
		version(s, n, &devs[ndev].cc_major, &devs[ndev].cc_minor);
	rec_i64(r, dc.n_sm, &devs[ndev].n_sm);
	devs[ndev].own.dev = devs[ndev].dev;
	devs[ndev].own.mem_bytes = rec_int(r, dc.mem, DB_NULL);
	devs[ndev].own.clock_hz = rec_int(r, dc.clock, DB_NULL);
	devs[ndev].own.membw_bytes_s = rec_int(r, dc.membw, DB_NULL);
	ndev++;
	stage_pass(st, r);
}

void
facts_start(struct stage *st)
{
	struct rec_type *t = stage_on(st, "dev", on_dev, NULL, NULL);

	dc.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &dc.name, "name" }, { &dc.cc, "cc" },
	    { &dc.n_sm, "n_sm" }, { &dc.mem, "mem_bytes" },
	    { &dc.clock, "clock_hz" }, { &dc.membw, "membw_bytes_s" });
}

/* The last line of a name counts: later stages know better. */
void
facts_meta(struct dldb *d, const struct rec *r)
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
	if (smap_find(&fixed, rest, (size_t)(tab - rest)) == SMAP_NONE)
		d->infos.val[no] = word(d, b.len ? b.s : "", b.len) + 1;
	buf_free(&b);
}

bool
facts_set(struct dldb *d, const char *fact)
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
		smap_put(&fixed, fact, n, NULL);
	no = smap_put(&d->infos, fact, n, NULL);
	d->infos.val[no] = word(d, eq + 1, strlen(eq + 1)) + 1;
	return n > 0;
}

size_t
facts_ndev(void)
{
	return ndev;
}

int64_t
facts_dev(size_t i)
{
	return devs[i].dev;
}

int64_t
facts_gpu_id(int64_t dev)
{
	size_t i;

	for (i = 0; i < ndev; i++)
		if (devs[i].dev == dev)
			return (int64_t)i + 1;
	return 0;
}

static const char *
text(const struct dldb *d, const char *name, const char *def)
{
	const char *s = info(d, name);

	return s != NULL ? s : def;
}

/* As the guide lists them; that of pytorch is known. */
static int64_t
mode_number(const char *mode)
{
	static const char *const modes[] = { "simple", "tensorflow1",
		"tensorflow2", "pytorch", "tensorrt" };
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(mode, modes[i]) == 0)
			return (int64_t)i + 1;
	return 0;
}

static void
put_system(struct dldb *d)
{
	static struct ins sys = { .table = "read_only_system_config" },
			  ver = { .table = "db_version" };
	const char *mode = text(d, "mode", "");
	char n[32];

	snprintf(n, sizeof(n), "%zu", ndev);
	db_put(&d->db, &sys, 1, "ittttttttttitt", INT64_C(1),
	    text(d, "n_gpu", n), text(d, "cpu", ""), text(d, "driver", ""),
	    text(d, "framework", ""), text(d, "cuda", ""), text(d, "cudnn", ""),
	    text(d, "nsys_version", text(d, "recorder", "")),
	    text(d, "dlprof_version", DLPROF_VERSION),
	    text(d, "dlprof_build", DLPROF_BUILD), text(d, "profile_name", ""),
	    mode_number(mode), mode, text(d, "command", ""));
	db_put(&d->db, &ver, 1, "tt", VERSION,
	    text(d, "schema_original", VERSION));
}

static int64_t
setting(const struct dldb *d, const char *name, int64_t def)
{
	const char *s = info(d, name);

	if (s == NULL)
		return def;
	if (strcmp(s, "true") == 0)
		return 1;
	return strcmp(s, "false") == 0 ? 0 : info_int(d, name, def);
}

/* What no marker set is as DLProf has it. */
static void
put_model(struct dldb *d)
{
	static struct ins in = { .table = "read_only_model_config" };

	db_put(&d->db, &in, 1, "iiiiiiiiii", setting(d, "model_num_workers", 0),
	    setting(d, "model_pin_memory", 1),
	    setting(d, "model_cudnn_benchmark_disabled", 0),
	    setting(d, "model_detect_anomaly", 0),
	    setting(d, "model_gradcheck", 0),
	    setting(d, "model_gradgradcheck", 0),
	    setting(d, "model_autograd_profile", 0),
	    setting(d, "model_autograd_set_detect_anomaly", 0),
	    setting(d, "model_emit_nvtx", 0),
	    setting(d, "model_amp_enabled", 0));
}

/* One row of memory per GPU. Only what was recorded says how much was used;
 * else both are 0, as DLProf has it. */
static void
put_memory(struct dldb *d, size_t i)
{
	static struct ins mem = { .table = "gpu_memories" };
	int64_t used = own_mem_peak(d, devs[i].dev);

	if (used > 0 && devs[i].own.mem_bytes != DB_NULL)
		db_put(&d->db, &mem, (int64_t)i + 1, "ii",
		    devs[i].own.mem_bytes, used);
	else
		db_put(&d->db, &mem, (int64_t)i + 1, "ii",
		    info_int(d, "gpu_mem_total_bytes", 0),
		    info_int(d, "gpu_mem_used_bytes", 0));
}

static void
put_gpus(struct dldb *d)
{
	static struct ins gpu = { .table = "read_only_gpu_infos" };
	size_t i;

	for (i = 0; i < ndev; i++) {
		db_put(&d->db, &gpu, (int64_t)i + 1, "itiii", devs[i].dev,
		    devs[i].name, devs[i].cc_major, devs[i].cc_minor,
		    devs[i].n_sm);
		put_memory(d, i);
		own_dev(d, &devs[i].own);
	}
}

void
facts_write(struct dldb *d)
{
	static struct ins dom = { .table = "read_only_domains" },
			  model = { .table = "read_only_model_info" };

	db_put(&d->db, &dom, DOMAIN_ID, "i", text0_id(d, d->domain));
	db_put(&d->db, &model, 1, "itt", DOMAIN_ID, d->domain,
	    text(d, "profile_name", ""));
	put_system(d);
	put_model(d);
	put_gpus(d);
	own_facts(d);
}
