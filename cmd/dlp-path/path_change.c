/* The changes that a replay makes, and how much longer work takes by them. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "path.h"

/* Work with so few bytes takes the latency of its kind and hardly more. */
#define SMALL 4096

#define MOST 1e15 /* ns that work can take by a change */

#define PCIE_5                                                                 \
	50.0 /* bytes a ns, of GPUs from Hopper on; those before have a        \
	      * half, those before Ampere a quarter */

static struct path_change *
new_change(struct path *p)
{
	if (p->n_change == PATH_CHANGES)
		die("more than %d of --scale and --remove", PATH_CHANGES);
	return &p->change[p->n_change++];
}

void
path_scale(void *path, const char *arg)
{
	struct path_change *c = new_change(path);
	const char *eq = strrchr(arg, '=');
	char *re, *end;

	if (eq == NULL || eq == arg)
		die("--scale: '%s' is not REGEX=FACTOR", arg);
	c->factor = strtod(eq + 1, &end);
	if (end == eq + 1 || *end != '\0' || !(c->factor >= 0) ||
	    c->factor > 1e6)
		die("--scale: bad factor '%s'", eq + 1);
	re = xmemdup(arg, (size_t)(eq - arg));
	if (regcomp(&c->re, re, REG_EXTENDED | REG_NOSUB) != 0)
		die("--scale: bad regular expression '%s'", re);
	free(re);
}

void
path_remove(void *path, const char *arg)
{
	struct path_change *c = new_change(path);

	if (regcomp(&c->re, arg, REG_EXTENDED | REG_NOSUB) != 0)
		die("--remove: bad regular expression '%s'", arg);
	c->factor = 0;
	c->gone = true;
}

void
path_bandwidth(void *path, const char *arg)
{
	struct path *p = path;
	char *end;

	p->bandwidth = strtod(arg, &end);
	if (end == arg || *end != '\0' || !(p->bandwidth > 0) ||
	    p->bandwidth > 1e9)
		die("--bandwidth: bad number of GB/s '%s'", arg);
}

void
path_set_workers(void *path, const char *arg)
{
	struct path *p = path;

	if (!num_i64(arg, strlen(arg), &p->workers) || p->workers < 1 ||
	    p->workers > 4096)
		die("--workers: bad number of workers '%s'", arg);
}

/*
 * --dtype: work takes as long as the same work of the profile in that type,
 * otherwise by the roofline of its device.
 */

/* Types, and which peaks of a device products and other work in them have. */
static const struct path_dtype {
	const char *name;
	double size; /* of an element */
	const char *product, *plain;
} types[] = {
	{ "fp64", 8, "fp64t", "fp64" },
	{ "fp32", 4, "fp32", "fp32" },
	{ "tf32", 4, "tf32", "fp32" },
	{ "fp16", 2, "fp16", "fp32" },
	{ "bf16", 2, "bf16", "fp32" },
};

static const struct path_dtype *
type_named(struct mview v)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++)
		if (mv_eq(v, types[i].name))
			return &types[i];
	return NULL;
}

void
path_dtype(void *path, const char *arg)
{
	struct path_retype *y = &((struct path *)path)->retype;
	const char *eq = strchr(arg, '=');

	if (eq == NULL)
		die("--dtype: '%s' is not FROM=TO", arg);
	if (y->of[0] != NULL)
		die("--dtype: given twice");
	y->of[0] = type_named(mv(arg, eq));
	y->of[1] = type_named(mv(eq + 1, arg + strlen(arg)));
	if (y->of[0] == NULL || y->of[1] == NULL || y->of[0] == y->of[1])
		die("--dtype: '%s' are not two of fp64, fp32, tf32, fp16 and "
		    "bf16",
		    arg);
	/* fp32 to a type of Tensor Cores */
	y->tensor = y->of[0] == &types[1] && y->of[1] > &types[1];
}

/* Of "fp64=34,fp32=67"; 0: it is not there. */
static double
peak_of(struct mview list, const char *name)
{
	const char *s = list.s, *end, *comma, *eq;
	double v;

	if (s == NULL)
		return 0;
	for (end = s + list.n; s < end; s = comma + 1) {
		comma = memchr(s, ',', (size_t)(end - s));
		if (comma == NULL)
			comma = end;
		eq = memchr(s, '=', (size_t)(comma - s));
		if (eq != NULL && text_is(s, (size_t)(eq - s), name) &&
		    num_f64(eq + 1, (size_t)(comma - eq - 1), &v))
			return v;
	}
	return 0;
}

void
path_dtype_dev(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_retype *y = &p->retype;
	struct mview list = rec_get(r, COL_peaks);
	struct path_peaks *k;
	double cc = 0;
	bool fresh;
	uint32_t no;
	int i;

	stage_pass(st, r);
	no = smap_put_pair(&y->devs,
	    smap_put_view(&p->texts, rec_get(r, COL_src)),
	    rec_num_or(r, COL_dev, -1), &fresh);
	if (fresh) {
		ARRAY_GROW(y->peaks, y->n_peaks, y->peaks_cap);
		y->n_peaks++;
	}
	k = &y->peaks[no];
	memset(k, 0, sizeof(*k));
	(void)rec_real(r, COL_cc, &cc);
	k->pinned = cc >= 9 ? PCIE_5 : cc >= 8 ? PCIE_5 / 2 : PCIE_5 / 4;
	k->tensor = peak_of(list, "tf32");
	if (k->tensor == 0)
		k->tensor = peak_of(list, "fp16");
	for (i = 0; i < 2 && y->of[0] != NULL; i++) {
		k->product[i] = peak_of(list, y->of[i]->product);
		if (k->product[i] == 0) /* no Tensor Cores for it */
			k->product[i] = peak_of(list, y->of[i]->plain);
		k->plain[i] = peak_of(list, y->of[i]->plain);
	}
	if (!rec_real(r, COL_peak_gb_s, &k->gb_s))
		k->gb_s = 0;
}

const struct path_peaks *
path_peaks_of(struct path *p, const struct rec *r)
{
	uint32_t no = smap_find_pair(&p->retype.devs,
	    smap_put_view(&p->texts, rec_get(r, COL_src)),
	    rec_num_or(r, COL_dev, -1));

	return no < p->retype.n_peaks ? &p->retype.peaks[no] : NULL;
}

/* The least time of work in ns, times 1000; 0: unknown. */
static double
roof(double flop, double tflops, double bytes, double gb_s)
{
	double by_flop = 0, by_bytes = 0;

	if (flop > 0 && tflops == 0)
		return 0;
	if (flop > 0)
		by_flop = flop / tflops;
	if (bytes > 0 && gb_s > 0)
		by_bytes = 1000 * bytes / gb_s;
	return by_flop > by_bytes ? by_flop : by_bytes;
}

/* Works that differ in the type only have this number. */
static uint32_t
same_no(struct path *p, const struct rec *r, double amount)
{
	static const int cols[] = { COL_op, COL_dir, COL_role };
	struct path_retype *y = &p->retype;
	struct mview v;
	bool fresh;
	uint32_t no;
	size_t i;

	buf_clear(&p->key);
	for (i = 0; i < ARRAY_LEN(cols); i++) {
		v = rec_get(r, cols[i]);
		buf_put(&p->key, v.s, v.n);
		buf_putc(&p->key, '\t');
	}
	buf_put(&p->key, (const char *)&amount, sizeof(amount));
	no = smap_put(&y->sames, p->key.s, p->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(y->same, y->n_same, y->same_cap);
		memset(&y->same[y->n_same++], 0, sizeof(*y->same));
	}
	return no;
}

void
path_dtype_read(struct path *p, const struct rec *r, struct path_work *w)
{
	struct path_retype *y = &p->retype;
	struct mview fam = rec_get(r, COL_family), type;
	const struct path_dtype *d;
	const struct path_peaks *k;
	const double *tflops;
	double flop = 0, bytes = 0, was, now;
	bool product = fam.s != NULL && kind_is_product(fam.s, fam.n);
	int i;

	w->by_roof = -1;
	w->same = PATH_NONE;
	if (y->of[0] == NULL || w->tag != TAG_KERNEL)
		return;
	type = rec_get(r, COL_dtype);
	d = type.s != NULL ? type_named(type) : NULL;
	y->no_type += type.s == NULL;
	if (d == NULL || (d != y->of[0] && d != y->of[1]))
		return;
	i = d == y->of[1];
	(void)(rec_real(r, COL_exec_flop, &flop) ||
	       rec_real(r, COL_flop, &flop));
	(void)rec_real(r, COL_bytes, &bytes);
	if (rec_get(r, COL_op).s != NULL && (flop > 0 || bytes > 0)) {
		w->same = same_no(
		    p, r, product && flop > 0 ? flop : -bytes / d->size);
		y->same[w->same].ns[i] += (double)(w->end - w->start);
		y->same[w->same].n[i]++;
	}
	if (i == 1)
		return;
	w->by_roof = 0; /* unknown */
	k = path_peaks_of(p, r);
	if (k == NULL)
		return;
	tflops = product ? k->product : k->plain;
	was = roof(flop, tflops[0], bytes, k->gb_s);
	now = roof(flop, tflops[1], bytes * (y->of[1]->size / y->of[0]->size),
	    k->gb_s);
	if (was > 0)
		w->by_roof = (float)(now / was);
}

/* It goes over a link between devices. */
static bool
on_link(const struct path *p, const struct path_work *w)
{
	if (w->tag == TAG_COMM)
		return true;
	return w->tag == TAG_COPY && w->name != PATH_NONE &&
	       strcmp(smap_str(&p->texts, w->name, NULL), "DtoD") != 0;
}

void
path_effect_open(struct path *p, struct path_effect *e)
{
	const struct path_work *w;
	int64_t len, *l;
	size_t i;
	int k;

	e->match = xcalloc(p->texts.n + 1, sizeof(*e->match));
	e->latency = xcalloc(p->texts.n + 1, sizeof(*e->latency));
	for (i = 0; i < p->texts.n; i++)
		for (k = 0; k < p->n_change; k++)
			if (regexec(&p->change[k].re,
				smap_str(&p->texts, (uint32_t)i, NULL), 0, NULL,
				0) == 0)
				e->match[i] |= (uint64_t)1 << k;
	for (i = 0; p->bandwidth > 0 && i < p->works.n; i++) {
		w = path_work_at(p, (int64_t)i);
		if (!on_link(p, w))
			continue;
		p->no_bytes += w->bytes < 0;
		if (w->bytes < 0 || w->bytes > SMALL || w->name == PATH_NONE)
			continue;
		l = &e->latency[w->name];
		len = w->end - w->start;
		*l = *l == 0 || len < *l ? len : *l;
	}
}

bool
path_removed(const struct path *p, const struct path_effect *e, uint32_t text)
{
	int k;

	if (text == PATH_NONE)
		return false;
	for (k = 0; k < p->n_change; k++)
		if (p->change[k].gone && (e->match[text] >> k & 1) != 0)
			return true;
	return false;
}

const struct path_same *
path_measured(const struct path *p, const struct path_work *w)
{
	const struct path_same *same;

	if (w->by_roof < 0 || w->same == PATH_NONE)
		return NULL;
	same = &p->retype.same[w->same];
	return same->n[1] > 0 && same->ns[0] > 0 ? same : NULL;
}

double
path_factor(const struct path *p, const struct path_effect *e,
    const struct path_work *w, bool *gone)
{
	const struct path_same *same = path_measured(p, w);
	double f = 1, len = (double)(w->end - w->start), now;
	uint64_t m = 0;
	int k;

	/* its latency and its bytes at the new bandwidth: a byte per ns is
	 * 1 GB/s */
	if (p->bandwidth > 0 && w->bytes >= 0 && len != 0 && on_link(p, w)) {
		now = (double)w->bytes / p->bandwidth;
		if (w->name != PATH_NONE)
			now += (double)e->latency[w->name];
		f = now / len;
	}
	if (same != NULL)
		f *= same->ns[1] / (double)same->n[1] /
		     (same->ns[0] / (double)same->n[0]);
	else if (w->by_roof > 0 &&
		 !(p->retype.tensor &&
		     (w->fix & FIX_BIT(FIX_TENSOR_CORES)) != 0))
		f *= w->by_roof;
	if (w->name != PATH_NONE)
		m |= e->match[w->name];
	if (w->op != PATH_NONE)
		m |= e->match[w->op];
	for (k = 0; k < p->n_change; k++) {
		if ((m >> k & 1) == 0)
			continue;
		*gone = *gone || p->change[k].gone;
		f *= p->change[k].factor;
	}
	if (*gone || len == 0)
		return 0;
	return f * len <= MOST ? f : MOST / len;
}
