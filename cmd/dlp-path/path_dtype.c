/*
 * What work would take in another number type: as long as the same work of the
 * profile in that type, otherwise by the roofline of its device.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "cols.h"
#include "mview.h"
#include "num.h"
#include "path.h"

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

struct path_peaks { /* of a device: TFLOP/s before and after; 0: unknown */
	double product[2], plain[2];
	double gb_s;
};

struct path_same { /* works that differ in the type only */
	double ns[2];
	uint64_t n[2];
};

static const struct path_dtype *
type_named(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++)
		if (text_is(s, n, types[i].name))
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
	y->of[0] = type_named(arg, (size_t)(eq - arg));
	y->of[1] = type_named(eq + 1, strlen(eq + 1));
	if (y->of[0] == NULL || y->of[1] == NULL || y->of[0] == y->of[1])
		die("--dtype: '%s' are not two of fp64, fp32, tf32, fp16 and "
		    "bf16",
		    arg);
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

static void
dev_key(struct buf *key, const struct rec *r, const struct rec_col *src,
    const struct rec_col *dev)
{
	struct mview s = rec_view(r, src);

	buf_clear(key);
	buf_put(key, s.s, s.s != NULL ? s.n : 0);
	buf_c_i64(key, '\t', rec_int(r, dev, -1));
}

static void
read_dev(struct stage *st, struct rec *r)
{
	struct path *p = st->ctx;
	struct path_retype *y = &p->retype;
	struct mview list;
	struct path_peaks *k;
	bool fresh;
	uint32_t no;
	int i;

	stage_pass(st, r);
	if (y->of[0] == NULL)
		return;
	dev_key(&p->key, r, y->dev_src, y->dev);
	no = smap_put(&y->devs, p->key.s, p->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(y->peaks, y->n_peaks, y->peaks_cap);
		y->n_peaks++;
	}
	k = &y->peaks[no];
	memset(k, 0, sizeof(*k));
	list = rec_view(r, y->dev_peaks);
	for (i = 0; i < 2; i++) {
		k->product[i] = peak_of(list, y->of[i]->product);
		if (k->product[i] == 0) /* no Tensor Cores for it */
			k->product[i] = peak_of(list, y->of[i]->plain);
		k->plain[i] = peak_of(list, y->of[i]->plain);
	}
	if (!rec_f64(r, y->dev_gb_s, &k->gb_s))
		k->gb_s = 0;
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

/* How many times as long the work takes by the roofline; 0: unknown. */
static double
roof_ratio(const struct path_retype *y, const struct path_peaks *k,
    bool product, double flop, double bytes)
{
	const double *tflops = product ? k->product : k->plain;
	double now = y->of[1]->size / y->of[0]->size;
	double was = roof(flop, tflops[0], bytes, k->gb_s);

	now = roof(flop, tflops[1], bytes * now, k->gb_s);
	return was > 0 ? now / was : 0;
}

static struct path_same *
same_work(struct path *p, const struct rec *r, const struct path_type *t,
    double amount, uint32_t *no)
{
	struct path_retype *y = &p->retype;
	const struct rec_col *const cols[] = { t->op, t->name_op, y->role };
	struct mview v;
	bool fresh;
	size_t i;

	buf_clear(&p->key);
	for (i = 0; i < ARRAY_LEN(cols); i++) {
		v = rec_view(r, cols[i]);
		buf_put(&p->key, v.s, v.s != NULL ? v.n : 0);
		buf_putc(&p->key, '\t');
	}
	buf_put(&p->key, (const char *)&amount, sizeof(amount));
	*no = smap_put(&y->sames, p->key.s, p->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(y->same, y->n_same, y->same_cap);
		memset(&y->same[y->n_same++], 0, sizeof(*y->same));
	}
	return &y->same[*no];
}

void
path_dtype_read(struct path *p, const struct rec *r, const struct path_type *t,
    struct path_work *w)
{
	struct path_retype *y = &p->retype;
	struct mview type, fam;
	const struct path_dtype *d;
	struct path_same *s;
	double flop = 0, bytes = 0;
	bool product;
	uint32_t dev;
	int i;

	w->by_roof = -1;
	w->same = PATH_NONE;
	if (y->of[0] == NULL || w->tag != TAG_KERNEL)
		return; /* the columns are those of kernels */
	type = rec_view(r, y->dtype);
	fam = rec_view(r, y->family);
	product = fam.s != NULL && kind_is_product(fam.s, fam.n);
	d = type.s != NULL ? type_named(type.s, type.n) : NULL;
	y->no_type += type.s == NULL;
	if (d == NULL || (d != y->of[0] && d != y->of[1]))
		return;
	i = d == y->of[1];
	(void)(rec_f64(r, y->exec_flop, &flop) || rec_f64(r, y->flop, &flop));
	(void)rec_f64(r, t->bytes, &bytes);
	if (rec_view(r, t->op).s != NULL && (flop > 0 || bytes > 0)) {
		s = same_work(p, r, t,
		    product && flop > 0 ? flop : -bytes / d->size, &w->same);
		s->ns[i] += (double)(w->end - w->start);
		s->n[i]++;
	}
	if (i == 1)
		return;
	dev_key(&p->key, r, t->src, t->dev);
	dev = smap_find(&y->devs, p->key.s, p->key.len);
	w->by_roof = dev < y->n_peaks ? (float)roof_ratio(y, &y->peaks[dev],
					    product, flop, bytes)
				      : 0;
}

double
path_dtype_factor(const struct path *p, const struct path_work *w)
{
	const struct path_same *s;

	if (w->by_roof < 0)
		return 1;
	if (w->same != PATH_NONE) {
		s = &p->retype.same[w->same];
		if (s->n[1] > 0 && s->ns[0] > 0)
			return s->ns[1] / (double)s->n[1] /
			       (s->ns[0] / (double)s->n[0]);
	}
	return w->by_roof > 0 ? w->by_roof : 1;
}

uint64_t
path_dtype_unknown(const struct path *p)
{
	const struct path_retype *y = &p->retype;
	const struct path_work *w;
	uint64_t n = y->no_type;
	size_t i;

	for (i = 0; y->of[0] != NULL && i < p->works.n; i++) {
		w = path_work_at(p, (int64_t)i);
		n += w->by_roof == 0 &&
		     (w->same == PATH_NONE || y->same[w->same].n[1] == 0);
	}
	return n;
}

void
path_dtype_clear(struct path_retype *y)
{
	smap_clear(&y->devs);
	smap_clear(&y->sames);
	y->n_peaks = y->n_same = 0;
	y->no_type = 0;
}

void
path_dtype_free(struct path_retype *y)
{
	smap_free(&y->devs);
	smap_free(&y->sames);
	free(y->peaks);
	free(y->same);
}

void
path_dtype_listen(struct stage *st, struct path *p)
{
	struct path_retype *y = &p->retype;
	struct rec_type *t;

	REC_COLS(p->kern.type, REC_OPT, { &y->dtype, "dtype" },
	    { &y->family, "family" }, { &y->role, "role" },
	    { &y->flop, "flop" }, { &y->exec_flop, "exec_flop" });
	t = stage_on(st, "dev", read_dev, NULL, NULL);
	REC_COLS(t, REC_OPT, { &y->dev, "dev" }, { &y->dev_src, "src" },
	    { &y->dev_peaks, "peaks" }, { &y->dev_gb_s, "peak_gb_s" });
}
