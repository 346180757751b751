/* The profile as a record; what the record and the screen share; sums by name.
 */
#include <math.h>
#include <string.h>

#include "err.h"
#include "overview.h"
#include "out.h"

double *
tally_at(struct tally *t, const char *name, size_t n)
{
	bool is_new;
	uint32_t i = smap_put(&t->name, name, n, &is_new);

	if (i >= t->cap) {
		t->cap = t->cap > 0 ? 2 * t->cap : 16;
		t->sum = xrealloc(t->sum, t->cap, sizeof(*t->sum));
	}
	if (is_new)
		t->sum[i] = (struct tally_sum){ 0 };
	return &t->sum[i].ns;
}

/* The place of the greatest sum that is left, or SMAP_NONE. */
static uint32_t
greatest(const struct tally *t)
{
	uint32_t i, best = SMAP_NONE;

	for (i = 0; i < t->name.n; i++) {
		if (t->sum[i].taken)
			continue;
		if (best == SMAP_NONE || t->sum[i].ns > t->sum[best].ns ||
		    (t->sum[i].ns == t->sum[best].ns &&
			strcmp(smap_str(&t->name, i, NULL),
			    smap_str(&t->name, best, NULL)) < 0))
			best = i;
	}
	return best;
}

static const char *
sum_at(const struct tally *t, uint32_t i, double *ns)
{
	if (i == SMAP_NONE)
		return NULL;
	*ns = t->sum[i].ns;
	return smap_str(&t->name, i, NULL);
}

const char *
tally_best(const struct tally *t, double *ns)
{
	return sum_at(t, greatest(t), ns);
}

const char *
tally_take(struct tally *t, double *ns)
{
	uint32_t i = greatest(t);

	if (i != SMAP_NONE)
		t->sum[i].taken = true;
	return sum_at(t, i, ns);
}

const char *
overview_fact(const struct overview *o, enum overview_info i)
{
	return o->info[i] != NULL ? o->info[i] : "-";
}

void
overview_gpus(const struct overview *o, struct buf *text)
{
	uint32_t i;
	size_t n;
	const char *name;

	buf_clear(text);
	for (i = 0; i < o->dev_name.n; i++) {
		name = smap_str(&o->dev_name, i, &n);
		if (i > 0)
			buf_puts(text, ", ");
		if (o->dev_name.val[i] > 1)
			buf_printf(text, "%llu x ",
			    (unsigned long long)o->dev_name.val[i]);
		if (n == 1 && name[0] == '-')
			buf_puts(text, "of unknown name");
		else
			buf_put(text, name, n);
	}
	if (i == 0)
		buf_puts(text, "-");
}

bool
overview_std(const struct overview *o, double *ns)
{
	*ns = 0;
	if (o->no_std || o->n_used < 2)
		return false;
	*ns = rint(sqrt(o->sq / (o->n_used - 1)));
	return true;
}

/* A number, if it is known. */
static void
put_if(bool known, double v)
{
	out_opt(known, known ? (int64_t)rint(v) : 0);
}

/* A text that is escaped already; "-" is unset. */
static void
put_word(const char *s)
{
	out_raw(s, strlen(s));
}

static void
put_session(const struct overview *o)
{
	struct buf gpus = { 0 };

	out_text(o->file, strlen(o->file));
	put_word("ok");
	overview_gpus(o, &gpus);
	put_word(buf_str(&gpus));
	buf_free(&gpus);
	put_if(o->any_work, o->n_gpu);
	put_word(overview_fact(o, OV_DIALECT));
	put_word(overview_fact(o, OV_RECORDER));
}

static void
put_times(const struct overview *o)
{
	double std;
	bool has_std = overview_std(o, &std);

	put_if(true, o->n_used);
	put_if(true, o->n_all - o->n_used);
	put_if(o->n_all > 0, o->mean);
	put_if(o->n_all > 0 && has_std, std);
	put_if(o->n_marked > 0, o->n_marked > 0 ? o->marked / o->n_marked : 0);
	put_if(o->timed, o->n_gpu > 0 ? o->wall / o->n_gpu : 0);
	put_if(o->timed, o->ns[OV_TC]);
	put_if(o->timed || o->comm_work == 0, o->ns[OV_COMM]);
	put_if(o->timed, o->ns[OV_KERN]);
	put_if(o->timed, o->ns[OV_GRAPH]);
	put_if(o->timed, o->ns[OV_MEM]);
	put_if(o->timed, o->ns[OV_IDLE]);
	put_if(o->timed, o->ns[OV_DATALOAD]);
	put_if(o->timed, o->between);
	put_if(o->timed, o->between_idle);
	if (o->timed && o->wall > 0)
		buf_printf(&out_buf, "\t%.2f",
		    100 * (o->wall - o->ns[OV_IDLE]) / o->wall);
	else
		out_unset();
}

static void
put_work(const struct overview *o)
{
	bool any = o->any_work;

	put_if(any, o->n_kern);
	put_if(any, o->work);
	put_if(any, o->work - o->no_op);
	put_if(true, o->comm_work);
	put_if(any, o->kern_ns);
	put_if(any, o->kern_ns - o->no_shapes);
	put_if(any, o->kern_ns - o->no_flop);
	put_if(any, o->kern_ns - o->no_verdict);
	put_if(any && (o->n_judged > 0 || o->n_kern == 0), o->eligible);
}

/* The rules that fired, in the order of the first files. */
static void
put_rules(const struct overview *o)
{
	uint32_t i;

	if (o->fired.n == 0) {
		out_unset();
		return;
	}
	for (i = 0; i < o->fired.n; i++) {
		buf_putc(&out_buf, i > 0 ? ',' : '\t');
		buf_puts(&out_buf, smap_str(&o->fired, i, NULL));
	}
}

void
overview_fields(const struct overview *o)
{
	double ns;
	const char *op = tally_best(&o->op, &ns);

	put_session(o);
	put_times(o);
	put_work(o);
	put_word(op != NULL ? op : "-");
}

void
overview_row(const struct overview *o)
{
	out_rec(out_type_reg("overview", NULL));
	overview_fields(o);
	put_rules(o);
	out_unset();
	out_end();
}

void
overview_row_failed(const char *file, const char *error)
{
	out_rec(out_type_reg("overview", NULL));
	out_text(file, strlen(file));
	put_word("failed");
	out_unsets(31);
	out_text(error, error != NULL ? strlen(error) : 0);
	out_end();
}
