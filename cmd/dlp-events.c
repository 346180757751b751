/*
 * dlp-events: writes Python code that runs an op of the profile again, alone,
 * with the sizes and types that it had: to be given to Nsight Compute, or to
 * try changes on. A case is an op with its arguments; all runs of it are one
 * case, whatever layer they are in.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "out.h"
#include "shipped.h"
#include "stage.h"
#include "dlp-events/events.h"

#define NAMES 12 /* kernels that a case names */
#define TYPES 8

enum { FWD, BWD, DIRS };

enum { MOD, OP, ARGS, SHAPES, PARTS }; /* of what a case is made */

struct ev_runs { /* of a case, in one direction */
	uint64_t n;
	int64_t gpu_ns;
	int64_t flop;
	uint64_t casts; /* kernels that cast float32 */
	struct {
		uint32_t name;
		uint64_t n;
	} kern[NAMES];
	size_t nkern;
	uint64_t more; /* launches of other kernels */
};

struct ev_group {             /* a case, and what was seen of it */
	uint32_t part[PARTS]; /* in texts, + 1; 0: unset */
	uint32_t layer;
	uint32_t result; /* in texts, + 1 */
	int64_t out[2];
	struct ev_runs runs[DIRS];
	int64_t type_ns[TYPES]; /* of its kernels, by number type */
	bool dgrad, wgrad, tf32, fp32, nchw, nhwc;
};

struct events {
	const char *op;
	const char *limit;
	struct smap texts;
	struct map by_op;  /* op_id -> number in groups * 2 + direction, + 1 */
	struct smap keys;  /* parts of groups */
	struct map by_key; /* number in keys -> number in groups + 1 */
	struct ev_group *group;
	size_t ngroup, cap;
	const char *types[TYPES];
	int64_t type_ns[TYPES]; /* of all kernels of the profile */
	size_t ntypes;
	bool nhwc;          /* some kernels work on channels_last */
	bool nchw;          /* and some turn tensors into that */
	struct smap others; /* ops that are not the one */
	struct buf tmp;
};

static struct ev_group *
group_of_op(struct events *v, const struct rec *r)
{
	static const int cols[PARTS] = { COL_mod, COL_op, COL_args,
		COL_shapes };
	struct ev_group x = { 0 };
	uint64_t *at;
	uint32_t key;
	size_t n;
	const char *s;
	struct mview value;
	int i;

	for (i = 0; i < PARTS; i++) {
		value = rec_get(r, cols[i]);
		if (value.s == NULL)
			continue;
		buf_clear(&v->tmp);
		esc_undo(&v->tmp, value.s, value.n);
		x.part[i] = 1 + smap_put(&v->texts, v->tmp.s, v->tmp.len, NULL);
	}
	key = smap_put(&v->keys, (const char *)x.part, sizeof(x.part), NULL);
	at = map_put(&v->by_key, key, NULL);
	if (*at != 0)
		return &v->group[*at - 1];
	s = rec_text(r, COL_layer, &v->tmp, &n);
	x.layer = smap_put(&v->texts, s != NULL ? s : "", n, NULL);
	ARRAY_GROW(v->group, v->ngroup, v->cap);
	v->group[v->ngroup++] = x;
	*at = v->ngroup;
	return &v->group[v->ngroup - 1];
}

static void
read_op(struct stage *st, struct rec *r)
{
	struct events *v = st->ctx;
	struct mview op = rec_get(r, COL_op), out = rec_get(r, COL_bwd_shapes);
	struct ev_group *g;
	int64_t id;

	if (!rec_num(r, COL_op_id, &id) || op.s == NULL)
		return;
	if (!mv_eq(strchr(v->op, '/') != NULL ? rec_get(r, COL_name) : op,
		v->op)) {
		if (v->others.n < 4096)
			smap_put(&v->others, op.s, op.n, NULL);
		*map_put(&v->by_op, (uint64_t)id, NULL) = 0;
		return;
	}
	g = group_of_op(v, r);
	/* AccumulateGrad's sizes are those of a parameter */
	if (out.s != NULL && !mv_has(rec_get(r, COL_text), "AccumulateGrad"))
		g->result = smap_put(&v->texts, out.s, out.n, NULL) + 1;
	*map_put(&v->by_op, (uint64_t)id, NULL) =
	    (uint64_t)(g - v->group) * DIRS +
	    (mv_eq(rec_get(r, COL_dir), "bprop") ? BWD : FWD) + 1;
}

/* The group of a record's op; NULL if it is another op. */
static struct ev_group *
group_at(struct events *v, const struct rec *r, int *dir)
{
	const uint64_t *at;
	int64_t id;

	if (!rec_num(r, COL_op_id, &id) ||
	    (at = map_get(&v->by_op, (uint64_t)id)) == NULL || *at == 0)
		return NULL;
	*dir = (int)((*at - 1) % DIRS);
	return &v->group[(*at - 1) / DIRS];
}

static void
read_inst(struct stage *st, struct rec *r)
{
	struct events *v = st->ctx;
	struct ev_group *g;
	int64_t ns;
	int dir;

	if ((g = group_at(v, r, &dir)) == NULL)
		return;
	if (!rec_num(r, COL_gpu_ns, &ns) || ns <= 0)
		return; /* as AccumulateGrad often is */
	g->runs[dir].n++;
	g->runs[dir].gpu_ns = num_add(g->runs[dir].gpu_ns, ns);
}

static void
count_kernel(struct ev_runs *x, uint32_t name)
{
	size_t i;

	for (i = 0; i < x->nkern && x->kern[i].name != name; i++)
		;
	if (i == NAMES) {
		x->more++;
		return;
	}
	if (i == x->nkern) {
		x->nkern++;
		x->kern[i].name = name;
		x->kern[i].n = 0;
	}
	x->kern[i].n++;
}

/* The number type of a kernel that does the op's own work; g: NULL for other
 * ops. */
static void
note_type(struct events *v, struct ev_group *g, struct mview dtype, int64_t ns)
{
	const char *type = ev_dtype(dtype);
	size_t i;

	for (i = 0; type != NULL && i < v->ntypes && v->types[i] != type; i++)
		;
	if (type == NULL || i == TYPES)
		return;
	v->types[i] = type;
	v->ntypes += i == v->ntypes;
	v->type_ns[i] = num_add(v->type_ns[i], ns);
	if (g != NULL) {
		g->type_ns[i] = num_add(g->type_ns[i], ns);
		g->tf32 |= mv_eq(dtype, "tf32");
		g->fp32 |= mv_eq(dtype, "fp32");
	}
}

static void
read_kern(struct stage *st, struct rec *r)
{
	struct events *v = st->ctx;
	struct mview name = rec_get(r, COL_short), role = rec_get(r, COL_role),
		     params = rec_get(r, COL_params);
	struct ev_group *g;
	const char *s;
	int64_t ns = 0;
	int dir, i;

	/* runs are those of steps with ranges of ops */
	if (mv_eq(rec_get(r, COL_op_from), "carried"))
		return;
	if (!rec_num(r, COL_dur_ns, &ns) || ns < 0)
		ns = 0;
	g = group_at(v, r, &dir);
	if (!mv_eq(role, "aux") && !mv_eq(role, "bias"))
		note_type(v, g, rec_get(r, COL_dtype), ns);
	v->nhwc |= mv_has(name, "nhwc");
	v->nchw |= mv_has(name, "nchwToNhwc");
	if (g == NULL)
		return;
	g->runs[dir].casts += mv_eq(role, "aux") &&
			      mv_eq(rec_get(r, COL_dtype), "fp32") &&
			      mv_has(name, "elementwise_kernel");
	g->runs[dir].flop =
	    num_add(g->runs[dir].flop, rec_num_or(r, COL_flop, 0));
	if (name.s != NULL)
		count_kernel(
		    &g->runs[dir], smap_put(&v->texts, name.s, name.n, NULL));
	/* names of normalisation and interpolation say channels_last or nhwc
	 * if tensors are */
	g->nchw |=
	    mv_has(name, "nchw") || mv_has(name, "NCHW") ||
	    ((mv_starts(name, "batch_norm_") || mv_starts(name, "upsample_")) &&
		!mv_has(name, "channels_last") && !mv_has(name, "nhwc"));
	g->nhwc |= mv_has(name, "nhwc") || mv_has(name, "channels_last");
	g->dgrad |= mv_eq(role, "dgrad");
	g->wgrad |= mv_eq(role, "wgrad");
	/* "N=32,...,P=112,Q=112,": the sizes of a convolution's result */
	for (i = 0; i < 2 && params.s != NULL; i++) {
		s = mv_find(params, i == 0 ? ",P=" : ",Q=");
		if (s != NULL &&
		    !num_i64(s + 3, strspn(s + 3, "0123456789"), &g->out[i]))
			g->out[i] = 0;
	}
}

static void
begin_events(struct stage *st)
{
	struct events *v = st->ctx;

	map_clear(&v->by_op); /* the numbers of ops are those of a section */
}

static struct mview
part(const struct events *v, const struct ev_group *g, int i)
{
	struct mview x = { NULL, 0 };

	if (g->part[i] > 0)
		x.s = smap_str(&v->texts, g->part[i] - 1, &x.n);
	return x;
}

/* The type in which most of the time was spent; NULL if none is known. */
static const char *
most_used(const struct events *v, const int64_t *ns)
{
	size_t i, best = 0;

	for (i = 1; i < v->ntypes; i++)
		if (ns[i] > ns[best])
			best = i;
	return v->ntypes > 0 && ns[best] > 0 ? v->types[best] : NULL;
}

static void
put_runs(struct buf *b, const struct events *v, const struct ev_runs *x,
    const char *word)
{
	const char *s;
	size_t i, n;

	if (x->n == 0)
		return;
	buf_printf(b, "    # %s: %llu runs, ", word, (unsigned long long)x->n);
	buf_f64(b, (double)x->gpu_ns / 1e6, 3);
	buf_puts(b, " ms on the GPU in all; the kernels:\n");
	for (i = 0; i < x->nkern; i++) {
		s = smap_str(&v->texts, x->kern[i].name, &n);
		buf_printf(
		    b, "    #   %llu x ", (unsigned long long)x->kern[i].n);
		ev_comment(b, s, n);
		buf_putc(b, '\n');
	}
	if (x->more > 0)
		buf_printf(b, "    #   %llu launches of others\n",
		    (unsigned long long)x->more);
}

/* Appends a case; NULL, or why it is none. */
static const char *
put_case(struct buf *b, const struct events *v, const struct ev_group *g,
    struct ev_args *a, int no)
{
	struct ev_case c = { .mod = part(v, g, MOD),
		.op = part(v, g, OP),
		.args = part(v, g, ARGS),
		.shapes = part(v, g, SHAPES),
		.out = { g->out[0], g->out[1] },
		.bwd = g->runs[BWD].n > 0,
		.no_dgrad = g->wgrad && !g->dgrad,
		.nhwc = ((v->nhwc && !v->nchw) || g->nhwc) && !g->nchw,
		.dtype = most_used(v, g->type_ns),
		.usual = most_used(v, v->type_ns) };
	struct buf code = { 0 }, assumed = { 0 };
	const char *why, *layer;
	size_t n, i;

	for (i = 0; i < v->ntypes; i++) {
		if (g->type_ns[i] > 0 && strstr(v->types[i], "float16"))
			c.half = v->types[i];
		c.single |=
		    g->type_ns[i] > 0 && strcmp(v->types[i], "float32") == 0;
	}
	if (g->runs[FWD].n > 0) {
		c.casts = g->runs[FWD].casts / g->runs[FWD].n;
		c.flop = g->runs[FWD].flop / (int64_t)g->runs[FWD].n;
	}
	if (g->result > 0)
		c.result.s = smap_str(&v->texts, g->result - 1, &c.result.n);
	if (g->runs[FWD].nkern + g->runs[BWD].nkern == 0)
		why = "it launched copies or memsets, no kernels";
	else
		why = ev_call(&code, a, &c, no, &assumed);

	if (why != NULL)
		goto done;
	buf_printf(b, "\n\ndef case_%d():\n", no);
	layer = smap_str(&v->texts, g->layer, &n);
	buf_puts(b, "    # first in: ");
	ev_comment(b, layer, n);
	buf_putc(b, '\n');
	put_runs(b, v, &g->runs[FWD], "forward");
	put_runs(b, v, &g->runs[BWD], "backward");
	if (assumed.len > 0) {
		buf_puts(b, "    # not recorded, assumed: ");
		ev_comment(b, assumed.s, assumed.len);
		buf_putc(b, '\n');
	}
	if (g->tf32 && g->fp32)
		buf_puts(b, "    # recorded both with TF32 and without it\n");
	if (g->tf32)
		buf_printf(b, "    tf32(True)\n%s", buf_str(&code));
	if (!g->tf32 || g->fp32)
		buf_printf(b, "    tf32(False)\n%s", buf_str(&code));
done:
	buf_free(&code);
	buf_free(&assumed);
	return why;
}

static int
by_cost(const void *a, const void *b)
{
	const struct ev_group *x = a, *y = b;
	int64_t p = num_add(x->runs[FWD].gpu_ns, x->runs[BWD].gpu_ns),
		q = num_add(y->runs[FWD].gpu_ns, y->runs[BWD].gpu_ns);

	if (p != q)
		return p < q ? 1 : -1;
	return memcmp(x->part, y->part, sizeof(x->part));
}

/* Says that the op is not there, and which of the others have its word. */
static void
no_such_op(const struct events *v)
{
	struct buf b = { 0 };
	const char *s;
	size_t n, k = 0;
	uint32_t i;

	for (i = 0; i < v->others.n && k < 6; i++) {
		s = smap_str(&v->others, i, &n);
		if (strstr(s, v->op) == NULL)
			continue;
		buf_puts(&b, k++ > 0 ? ", " : "; it has ");
		buf_put(&b, s, n);
	}
	die("no op '%s' in this profile%s; dlp top -g type lists them", v->op,
	    buf_str(&b));
}

static void
put_program(const struct events *v)
{
	int64_t most = cli_i64("-n", v->limit, 0, INT32_MAX);
	struct ev_args a = { 0 };
	struct buf b = { 0 }, line = { 0 };
	struct mview sizes;
	const char *why;
	size_t i;
	int no = 0;

	qsort(v->group, v->ngroup, sizeof(*v->group), by_cost);
	if (v->group[0].runs[FWD].n + v->group[0].runs[BWD].n == 0)
		die("%s cannot be run again: no run of it did work on the GPU",
		    v->op);
	buf_puts(&b, "# Runs ");
	ev_comment(&b, v->op, strlen(v->op));
	buf_puts(&b,
	    " again as it was recorded; written by dlp events.\n#\n"
	    "#\tncu --profile-from-start off python3 FILE [CASE...]\n\n");
	buf_puts(&b, shipped_text("events_head.py"));
	for (i = 0; i < v->ngroup && (most == 0 || no < most); i++) {
		if (v->group[i].runs[FWD].n + v->group[i].runs[BWD].n == 0)
			continue;
		why = put_case(&b, v, &v->group[i], &a, no + 1);
		sizes = part(v, &v->group[i], SHAPES);
		if (why == NULL) {
			no++;
			continue;
		}
		/* a line for each case that cannot be run again */
		buf_clear(&line);
		buf_printf(&line, "%s%s%.*s: cannot be run again: %s", v->op,
		    sizes.s != NULL ? " " : "",
		    sizes.n < 120 ? (int)sizes.n : 120,
		    sizes.s != NULL ? sizes.s : "", why);
		warn("%s", buf_str(&line));
		buf_puts(&b, "\n\n# ");
		ev_comment(&b, line.s, line.len);
	}
	ev_args_free(&a);
	if (no == 0)
		die("nothing of %s can be run again", v->op);
	buf_puts(&b, "\n\nfor number, case in enumerate([");
	for (i = 1; i <= (size_t)no; i++)
		buf_printf(&b, "%scase_%zu", i > 1 ? ", " : "", i);
	buf_puts(&b, "], 1):\n    if len(sys.argv) < 2 or str(number) in"
		     " sys.argv[1:]:\n        case()\n");
	buf_put(&out_buf, b.s, b.len);
	buf_free(&b);
	buf_free(&line);
	out_check();
}

int
main(int argc, char **argv)
{
	struct events v = { .limit = "5" };
	const struct cli_opt opts[] = {
		{ 'e', "op", .arg = &v.op },
		{ 'n', "limit", .arg = &v.limit },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start_sink(&st, "dlp-events", opts, argc, argv);
	if (v.op == NULL || v.op[0] == '\0')
		die("which op? -e conv2d; dlp top -g type lists them");
	if (strncmp(v.op, "aten::", 6) == 0)
		v.op += 6;
	st.result = true;
	st.ctx = &v;
	st.section = begin_events;
	stage_on(&st, "op", read_op, .need = "op_id op dir mod",
	    .opt = "name layer shapes args bwd_shapes text");
	stage_on(&st, "inst", read_inst, .need = "op_id", .opt = "gpu_ns");
	stage_on(&st, "kern", read_kern, .need = "op_id",
	    .opt = "dur_ns short dtype role params flop op_from");
	rc = stage_run(&st);
	if (rc == 0 && v.ngroup == 0)
		no_such_op(&v);
	if (v.ngroup > 0)
		put_program(&v);
	smap_free(&v.texts);
	smap_free(&v.keys);
	smap_free(&v.others);
	map_free(&v.by_op);
	map_free(&v.by_key);
	free(v.group);
	buf_free(&v.tmp);
	return out_finish(rc);
}
