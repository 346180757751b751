/*
 * The records that dlp-flops reads: strings, devices, ops, products and their
 * results are stored and passed on; kernels, copies and sets get their columns,
 * at once or when the numbers that they need have come.
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "flops.h"
#include "mview.h"
#include "num.h"
#include "pat.h"
#include "spill.h"

/* The facts of a section, by the ids of the stream. */

void
state_forget(struct flops *fl)
{
	struct flops_facts *f = &fl->facts;
	size_t i;

	fl->n_rank = fl->group = 0;
	for (i = 0; i < f->nnames; i++) {
		kname_free(f->names[i]);
		free(f->names[i]);
	}
	f->nnames = f->nops = f->nprims = 0;
	f->any_cc = false;
	smap_clear(&f->texts);
	smap_clear(&f->name_by_text);
	smap_clear(&f->files);
	map_clear(&f->str_by_id);
	map_clear(&f->dev_by_place);
	map_clear(&f->op_by_id);
	map_clear(&f->name_by_id);
	map_clear(&f->prim_by_id);
	smap_clear(&f->cell_by_seq);
	if (fl->runs.any)
		memset(&fl->runs, 0, sizeof(fl->runs));
}

const char *
state_keep(struct flops *fl, const char *s, size_t n)
{
	struct smap *texts = &fl->facts.texts;

	return smap_str(texts, smap_put(texts, s, n, NULL), NULL);
}

/* Stores a string by its id. */
static void
state_str(struct flops *fl, int64_t id, const char *s, size_t n)
{
	struct flops_facts *f = &fl->facts;

	*map_put(&f->str_by_id, (uint64_t)id, NULL) =
	    (uint64_t)smap_put(&f->texts, s, n, NULL) + 1;
}

/* The place of a device, which includes its file because devices of different
 * files have the same numbers. src: escaped; NULL if the stream names no file.
 * dev < 0 if unknown. */
static int64_t
state_place(struct flops *fl, const char *src, size_t n, int64_t dev)
{
	int64_t file = 0;

	if (src != NULL)
		file = (int64_t)smap_put(&fl->facts.files, src, n, NULL) + 1;
	return file << 32 | (dev & UINT32_MAX);
}

size_t
state_file(int64_t place)
{
	return (size_t)(place >> 32);
}

/* Stores the facts of a device; state_device() returns them. */
static void
state_dev(struct flops *fl, int64_t place, struct tc_device d)
{
	struct flops_facts *f = &fl->facts;

	f->any_cc |= d.cc > 0;
	*map_put(&f->dev_by_place, (uint64_t)place, NULL) =
	    (uint64_t)d.cc | (uint64_t)d.none << 32;
}

struct tc_device
state_device(const struct flops *fl, int64_t place)
{
	const uint64_t *v = map_get(&fl->facts.dev_by_place, (uint64_t)place);

	if (v == NULL)
		return (struct tc_device){ 0, false };
	return (struct tc_device){ (int)(*v & UINT32_MAX), *v >> 32 != 0 };
}

/* A new op, all zero, of this id. Pointers to ops are valid until the next new
 * one. state_op() finds an op by its id, with its number in *idx; it returns
 * NULL if there is none. */
static struct flops_op *
state_op_new(struct flops *fl, int64_t id)
{
	struct flops_facts *f = &fl->facts;
	size_t was = f->ops_cap;

	if (f->nops == was) {
		f->ops_cap = was == 0 ? 256 : was * 2;
		f->ops =
		    spill_realloc(f->ops, was, f->ops_cap, sizeof(*f->ops));
	}
	memset(&f->ops[f->nops], 0, sizeof(*f->ops));
	*map_put(&f->op_by_id, (uint64_t)id, NULL) = f->nops + 1;
	return &f->ops[f->nops++];
}

struct flops_op *
state_op(const struct flops *fl, int64_t id, uint32_t *idx)
{
	const uint64_t *v = map_get(&fl->facts.op_by_id, (uint64_t)id);

	if (v == NULL)
		return NULL;
	*idx = (uint32_t)(*v - 1);
	return &fl->facts.ops[*v - 1];
}

/* The same for products. */
static struct flops_prim *
state_prim_new(struct flops *fl, int64_t id)
{
	struct flops_facts *f = &fl->facts;
	size_t was = f->prims_cap;

	if (f->nprims == was) {
		f->prims_cap = was == 0 ? 64 : was * 2;
		f->prims = spill_realloc(
		    f->prims, was, f->prims_cap, sizeof(*f->prims));
	}
	memset(&f->prims[f->nprims], 0, sizeof(*f->prims));
	*map_put(&f->prim_by_id, (uint64_t)id, NULL) = f->nprims + 1;
	return &f->prims[f->nprims++];
}

static struct flops_prim *
state_prim(const struct flops *fl, int64_t id, uint32_t *idx)
{
	const uint64_t *v = map_get(&fl->facts.prim_by_id, (uint64_t)id);

	if (v == NULL)
		return NULL;
	*idx = (uint32_t)(*v - 1);
	return &fl->facts.prims[*v - 1];
}

/* Stores the size of the result of a product's run, as JSON that is stored;
 * state_result_of() returns it, or NULL if it is unknown. The newest STATE_RUNS
 * are remembered. In the tables, run + 1 stands for a run, and 0 for none. */
static void
state_result(struct flops *fl, int64_t run, const char *shape)
{
	size_t i = (size_t)((uint64_t)run & (STATE_RUNS - 1));

	fl->runs.any = true;
	fl->runs.results[i].run = (int64_t)((uint64_t)run + 1);
	fl->runs.results[i].shape = shape;
}

static const char *
state_result_of(const struct flops *fl, int64_t run)
{
	size_t i = (size_t)((uint64_t)run & (STATE_RUNS - 1));

	return fl->runs.results[i].run == (int64_t)((uint64_t)run + 1)
		   ? fl->runs.results[i].shape
		   : NULL;
}

static uint32_t
name_new(struct flops *fl, const char *full, size_t n, const char *brief,
    size_t nbrief)
{
	struct flops_facts *f = &fl->facts;
	struct kname *k = xmalloc(sizeof(*k));

	kname_set(k, &fl->names, full, n, brief, nbrief);
	ARRAY_GROW(f->names, f->nnames, f->names_cap);
	f->names[f->nnames] = k;
	return (uint32_t)f->nnames++;
}

/* The facts about a kernel's name, by the id of its full name; by its short
 * name if has_id is false or the id is unknown. *idx counts from 0. */
static const struct kname *
state_name(struct flops *fl, bool has_id, int64_t id, const char *brief,
    size_t n, uint32_t *idx)
{
	struct flops_facts *f = &fl->facts;
	const uint64_t *v;
	const char *full;
	size_t len;
	uint32_t t;
	bool fresh;

	if (has_id && (v = map_get(&f->name_by_id, (uint64_t)id)) != NULL) {
		*idx = (uint32_t)(*v - 1);
		return f->names[*idx];
	}
	if (has_id && (v = map_get(&f->str_by_id, (uint64_t)id)) != NULL) {
		full = smap_str(&f->texts, (uint32_t)(*v - 1), &len);
		*idx = name_new(fl, full, len, brief, n);
		*map_put(&f->name_by_id, (uint64_t)id, NULL) =
		    (uint64_t)*idx + 1;
		return f->names[*idx];
	}
	if (brief == NULL)
		brief = "", n = 0;
	t = smap_put(&f->name_by_text, brief, n, &fresh);
	if (fresh)
		f->name_by_text.val[t] = name_new(fl, brief, n, brief, n);
	*idx = (uint32_t)f->name_by_text.val[t];
	return f->names[*idx];
}

unsigned
state_mark(struct flops *fl, int64_t inst, int64_t prim_run, unsigned bits)
{
	uint64_t hash = (uint64_t)inst + (uint64_t)prim_run * 7;
	size_t i = (size_t)(hash & (STATE_RUNS - 1));
	unsigned was;

	if (fl->runs.marks[i].inst != inst + 1 ||
	    fl->runs.marks[i].prim_run != prim_run) {
		fl->runs.any = true;
		fl->runs.marks[i].inst = inst + 1;
		fl->runs.marks[i].prim_run = prim_run;
		fl->runs.marks[i].bits = 0;
	}
	was = fl->runs.marks[i].bits;
	fl->runs.marks[i].bits |= bits;
	return was;
}

struct seq_key { /* of a map: processes count their sequence ids alone */
	int64_t file, pid, seq;
};

/* Stores which of a recurrent cell's two products has that sequence id: 0 is
 * the product with the input, 1 the one with the hidden state. state_cell_of()
 * returns it, or 2 if it is unknown. */
static void
state_cell(struct flops *fl, const struct seq_key *k, int64_t which)
{
	struct smap *m = &fl->facts.cell_by_seq;
	uint32_t i;

	if (which > 1)
		return;
	i = smap_put(m, (const char *)k, sizeof(*k), NULL);
	m->val[i] = (uint64_t)which;
}

static int64_t
state_cell_of(const struct flops *fl, const struct seq_key *k)
{
	const struct smap *m = &fl->facts.cell_by_seq;
	uint32_t i = smap_find(m, (const char *)k, sizeof(*k));

	return i == SMAP_NONE ? 2 : (int64_t)m->val[i];
}

/*
 * Holds kernels until their numbers are known. Their records, and all records
 * after them, are held back in order. Two kinds of kernels wait:
 *
 *	a convolution or einsum by emit_nvtx, which gives neither stride and
 *	padding nor the equation. The size of the result comes with a record
 *	result, or with the gradient, when the backward's op record arrives
 *
 *	a kernel that shares the work of its run with the run's other kernels.
 *	Nothing tells how much each does, so the work is divided by their time,
 *	which is known when the run closes
 *
 * What is held is the text of the lines, with gaps where kernels wait for
 * their columns.
 */

/* A run of an op with many kernels, where nothing shows how much of the work
 * each does. The work is divided among the kernels by their time. */
struct shared_run {
	enum { SHARED_OPEN, SHARED_CLOSED, SHARED_GIVEN_UP } state;
	bool begun;
	int64_t left_ns, left_flop;
};

#define HOLD_MAX (1 << 17) /* the most lines; beyond it values stay unknown */

struct held_kern {
	size_t at; /* the place for its columns in the held text */
	int64_t op_id, inst, sub, dev, dur_ns;
	char grid[40]; /* as in the record; empty if it is too long */
	int64_t prim_id, prim_run; /* prim_run is 0 if there is none */
	uint32_t name_idx;
	struct kern_told told;
	const struct kname *name;
};

static struct shared_run *
shared_run_of(const struct flops_hold *h, int64_t inst)
{
	const uint64_t *v = map_get(&h->shared_by_inst, (uint64_t)inst);

	return v == NULL ? NULL : &h->shared[*v - 1];
}

static void
shared_forget(struct flops_hold *h)
{
	map_clear(&h->shared_by_inst);
	h->nshared = 0;
}

void
hold_forget(struct flops *fl)
{
	shared_forget(&fl->hold);
}

/* Adds a kernel to its run; *is_first is set for the run's first kernel. False
 * if the run's work was already divided among other kernels. */
static bool
shared_add(struct flops_hold *h, int64_t inst, int64_t dur_ns, bool *is_first)
{
	struct shared_run *r = shared_run_of(h, inst);

	*is_first = r == NULL;
	if (r == NULL) {
		ARRAY_GROW(h->shared, h->nshared, h->shared_cap);
		r = &h->shared[h->nshared++];
		*r = (struct shared_run){ .state = SHARED_OPEN };
		*map_put(&h->shared_by_inst, (uint64_t)inst, NULL) = h->nshared;
	}
	r->left_ns = num_add(r->left_ns, dur_ns);
	return r->state == SHARED_OPEN;
}

/* The kernel's share of total, the work of the run; called in the order of
 * shared_add. False if the kernels had to be written before the run was closed.
 */
static bool
shared_take(struct flops_hold *h, int64_t inst, int64_t total, int64_t dur_ns,
    int64_t *flop)
{
	struct shared_run *r = shared_run_of(h, inst);

	if (r == NULL || r->state != SHARED_CLOSED)
		return false;
	if (!r->begun)
		r->left_flop = total;
	r->begun = true;
	*flop = r->left_flop;
	if (dur_ns < r->left_ns) /* otherwise it is the last, or has no time */
		*flop = (int64_t)((double)r->left_flop * (double)dur_ns /
				  (double)r->left_ns);
	r->left_flop = num_sub(r->left_flop, *flop);
	r->left_ns = num_sub(r->left_ns, dur_ns);
	return true;
}

/* All kernels so far have been written, so a run that is still open cannot be
 * shared. */
static void
shared_give_up(struct flops_hold *h)
{
	bool any = false;
	size_t i;

	for (i = 0; i < h->nshared; i++) {
		if (h->shared[i].state == SHARED_OPEN)
			h->shared[i].state = SHARED_GIVEN_UP;
		any |= h->shared[i].state == SHARED_GIVEN_UP;
	}
	if (!any)
		shared_forget(h);
}

static void
hold_text(struct flops_hold *h, const char *s, size_t n, bool is_record)
{
	buf_put(&h->text, s, n);
	buf_putc(&h->text, '\n');
	h->nlines++;
	h->nrecords += is_record;
}

/* Appends the columns of a kernel that waited. */
static void
write_held(struct flops *fl, const struct held_kern *h)
{
	const struct kname *k = h->name;
	const struct flops_result *res;
	struct subject s = { 0 };
	struct flops_result one;
	enum role role;

	s.op = state_op(fl, h->op_id, &s.op_idx);
	if (h->prim_run != 0) {
		s.prim = state_prim(fl, h->prim_id, &s.prim_idx);
		s.shape = state_result_of(fl, h->prim_run);
	}
	res = answer_of(fl, &s, k, h->name_idx, h->sub,
	    h->grid[0] == '\0' ? NULL : h->grid, strlen(h->grid));
	write_count(fl, res, k, h->dev, h->dur_ns, h->told.tc);
	one = *res;
	if (one.a.shared && shared_take(&fl->hold, h->inst, res->a.flop,
				h->dur_ns, &one.a.flop))
		role = ROLE_MAIN;
	else
		role = write_role(fl, &one.a, true, h->inst, h->prim_run);
	write_columns(fl, &one, k, role, h->dev, h->told);
}

/* Writes a part of the text in pieces, because it can be long. */
static void
write_text(const struct buf *text, size_t from, size_t to)
{
	size_t n;

	for (; from < to; from += n) {
		n = to - from < 65536 ? to - from : 65536;
		buf_put(&out_buf, text->s + from, n);
		out_check();
	}
}

static void
write_all(struct flops *fl)
{
	struct flops_hold *h = &fl->hold;
	size_t i, from = 0;

	for (i = 0; i < h->nkern; i++) {
		write_text(&h->text, from, h->kern[i].at);
		write_held(fl, &h->kern[i]);
		from = h->kern[i].at;
	}
	write_text(&h->text, from, h->text.len);
	buf_clear(&h->text);
	out_counted(h->nrecords);
	h->nlines = h->nrecords = h->nkern = 0;
	h->on = false;
}

static void
give_up_ops(struct flops_facts *f)
{
	size_t i;

	for (i = 0; i < f->nops; i++) {
		if (f->ops[i].waits)
			f->ops[i].given_up = true;
		f->ops[i].waits = false;
	}
}

void
hold_drain(struct stage *st)
{
	struct flops *fl = st->ctx;

	if (!fl->hold.on)
		return;
	st->hold = NULL;
	write_all(fl);
	if (fl->hold.due > 0)
		give_up_ops(&fl->facts);
	map_clear(&fl->hold.due_runs);
	shared_give_up(&fl->hold);
	fl->hold.due = 0;
}

/* A value that kernels waited for has come; if it was the last one, they are
 * written. */
static void
one_less_due(struct stage *st)
{
	struct flops *fl = st->ctx;

	if (--fl->hold.due == 0)
		hold_drain(st);
}

static void
drain_if_full(struct stage *st)
{
	const struct flops *fl = st->ctx;

	if (fl->hold.nlines >= HOLD_MAX)
		hold_drain(st);
}

/* Writes a finished line, given without its end, or holds it if others wait. */
static void
hold_line(struct stage *st, const struct buf *line, bool is_record)
{
	struct flops *fl = st->ctx;

	if (fl->hold.on) {
		hold_text(&fl->hold, line->s, line->len, is_record);
		drain_if_full(st);
		return;
	}
	buf_put(&out_buf, line->s, line->len);
	if (is_record) {
		out_end();
		return;
	}
	buf_putc(&out_buf, '\n');
	out_check();
}

/* A line that the stage passes on while others wait. */
static void
hold_passed(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	hold_text(&fl->hold, r->line, r->len, r->kind == REC_DATA);
	drain_if_full(st);
}

static void
hold_kern(struct stage *st, const struct rec *r, const struct flops_kern *k)
{
	struct flops *fl = st->ctx;
	struct flops_hold *h = &fl->hold;
	struct held_kern *w;

	ARRAY_GROW(h->kern, h->nkern, h->cap);
	w = &h->kern[h->nkern++];
	*w = (struct held_kern){ .op_id = k->op_id,
		.inst = k->inst,
		.sub = k->sub,
		.dev = k->dev,
		.dur_ns = k->dur_ns,
		.prim_id = k->prim_id,
		.prim_run = k->prim_run,
		.name_idx = k->name_idx,
		.told = k->told,
		.name = k->k };
	if (k->grid != NULL && k->ngrid < sizeof(w->grid))
		memcpy(w->grid, k->grid, k->ngrid);
	h->on = true;
	st->hold = hold_passed;
	buf_clear(&h->line);
	rest_put(&fl->kern_rest, &h->line, r);
	w->at = h->text.len + h->line.len;
	hold_text(h, h->line.s, h->line.len, true);
	drain_if_full(st);
}

/* True if the kernel must wait for the size of its result, because it is part
 * of a forward convolution or einsum without PyProf's arguments. The size comes
 * for the product inside the op, or with a later backward. */
static bool
must_wait(const struct flops_kern *k)
{
	const struct flops_op *op = k->s.op;

	if (!k->has_inst || op == NULL)
		return false;
	if (k->s.prim != NULL)
		return k->s.prim->rule != NULL &&
		       k->s.prim->rule->bwd != NULL && k->s.shape == NULL;
	return op->rule != NULL && op->rule->bwd != NULL && k->has_seq &&
	       !op->bprop && op->args == NULL && op->shapes != NULL &&
	       op->grad == NULL && !op->given_up;
}

/* If the kernel must wait for the size of its op's result (hold_size), or for
 * the other kernels of its run (hold_share), its record is held and the result
 * is true. */
static bool
hold_size(struct stage *st, const struct rec *r, const struct flops_kern *k)
{
	struct flops *fl = st->ctx;
	bool is_new;

	if (!must_wait(k))
		return false;
	if (k->s.prim != NULL) {
		map_put(&fl->hold.due_runs, (uint64_t)k->prim_run, &is_new);
		fl->hold.due += is_new;
	} else {
		fl->hold.due += !k->s.op->waits;
		k->s.op->waits = true;
	}
	hold_kern(st, r, k);
	return true;
}

static bool
hold_share(struct stage *st, const struct rec *r, const struct flops_kern *k,
    const struct flops_result *res)
{
	struct flops *fl = st->ctx;
	bool is_first;

	if (!k->has_inst || !res->a.shared ||
	    !shared_add(&fl->hold, k->inst, k->dur_ns, &is_first))
		return false;
	fl->hold.due += is_first;
	hold_kern(st, r, k);
	return true;
}

/* Takes a backward's op, which brings the size that its forward op waits for;
 * text is the framework's name of it, or NULL. */
static void
hold_op(struct stage *st, const struct flops_op *op, const char *text)
{
	struct flops *fl = st->ctx;
	struct flops_op *fwd;
	uint32_t idx;
	bool waited;

	if (!op->has_fwd || op->grad == NULL)
		return;
	fwd = state_op(fl, op->fwd_id, &idx);
	if (fwd == NULL || fwd->grad != NULL || fwd->rule == NULL ||
	    fwd->rule->bwd == NULL ||
	    (text != NULL && strstr(text, fwd->rule->bwd) == NULL))
		return;
	fwd->grad = op->grad;
	fwd->grad_len = op->grad_len;
	waited = fwd->waits;
	fwd->waits = false;
	if (waited)
		one_less_due(st);
}

/* Takes the size of a product's result. */
static void
hold_result(struct stage *st, int64_t prim_run, const char *shape)
{
	struct flops *fl = st->ctx;

	state_result(fl, prim_run, shape);
	if (map_del(&fl->hold.due_runs, (uint64_t)prim_run))
		one_less_due(st);
}

/* the run has ended */
static void
hold_closed(struct stage *st, int64_t inst)
{
	struct flops *fl = st->ctx;
	struct shared_run *r = shared_run_of(&fl->hold, inst);

	if (r == NULL || r->state != SHARED_OPEN)
		return;
	r->state = SHARED_CLOSED;
	one_less_due(st);
}

/* The callbacks of the record types. */

static const char *const kern_names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "tc_why", "lacks",
	"causal_flop", "bus_bytes", "prim", "est_flop", "est_bytes", "line" };

/* Copies and sets have no arithmetic, and their bytes are in the profile. They
 * get a family so that commands that sum by family include them. */
static const char *const memory_names[] = { "flop", "family", "prim" };
static const char *const graph_names[] = { "prim" };

static void
take_str(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t id;
	size_t n;
	const char *s = rec_str(r, fl->cols.str.text, &fl->tmp, &n);

	if (rec_i64(r, fl->cols.str.id, &id) && s != NULL)
		state_str(fl, id, s, n);
	stage_pass(st, r);
}

/* The small Turing chips have no Tensor Cores, but the same compute capability
 * as the large ones: "NVIDIA GeForce GTX 1660 Ti" (NVIDIA's list of CUDA GPUs
 * and the whitepaper of Turing, TU116 and TU117). */
static bool
is_small_turing(struct flops *fl, const char *name, size_t n)
{
	buf_clear(&fl->line);
	name_lower(&fl->line, name, n);
	return pat_match(
	    "gtx|mx450|mx550|t400|t500|t550|t600|t1000|t1200|t2000", fl->line.s,
	    fl->line.len);
}

static void
take_dev(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	size_t n, nsrc;
	int64_t dev;
	double cc;
	struct tc_device d;
	const char *name = rec_str(r, fl->cols.dev.name, &fl->tmp, &n);
	const char *src = rec_raw(r, fl->cols.dev.src, &nsrc);

	if (rec_i64(r, fl->cols.dev.dev, &dev) &&
	    rec_f64(r, fl->cols.dev.cc, &cc) && cc > 0 && cc < 1000) {
		d.cc = (int)(cc * 10 + 0.5);
		d.none =
		    d.cc == 75 && name != NULL && is_small_turing(fl, name, n);
		state_dev(fl, state_place(fl, src, nsrc, dev), d);
	}
	stage_pass(st, r);
}

/* A field stored for the section; NULL if unset. */
static const char *
keep_field(
    struct flops *fl, const struct rec *r, const struct rec_col *c, size_t *n)
{
	const char *s = rec_str(r, c, &fl->tmp, n);

	return s == NULL ? NULL : state_keep(fl, s, *n);
}

static void
take_op(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_op *op;
	int64_t id;
	size_t n;
	const char *text;

	if (!rec_i64(r, fl->cols.op.id, &id)) {
		stage_pass(st, r);
		return;
	}
	op = state_op_new(fl, id);
	op->bprop = rec_is(r, fl->cols.op.dir, "bprop");
	op->mod = keep_field(fl, r, fl->cols.op.mod, &op->mod_len);
	op->name = keep_field(fl, r, fl->cols.op.op, &op->name_len);
	op->args = keep_field(fl, r, fl->cols.op.args, &op->args_len);
	op->shapes = keep_field(fl, r, fl->cols.op.shapes, &op->shapes_len);
	op->grad = keep_field(fl, r, fl->cols.op.bwd, &op->grad_len);
	op->repr = keep_field(fl, r, fl->cols.op.repr, &n);
	op->has_fwd = rec_i64(r, fl->cols.op.fwd, &op->fwd_id);
	op->comm = rec_is(r, fl->cols.op.dir, "comm");
	op->for_id = rec_int(r, fl->cols.op.cause, -1);
	op->group = rec_int(r, fl->cols.op.group, -1);
	text = rec_str(r, fl->cols.op.dtype, &fl->tmp, &n);
	op->dt = text != NULL ? dt_marker(text, n) : DT_NONE;
	/* the results of integers often have another type: cumsum of bool */
	if (!op->comm && op->dt >= DT_INT64 && op->dt <= DT_BOOL)
		op->dt = DT_NONE;
	if (op->comm && op->name != NULL)
		op->rule =
		    rule_find(&fl->rules, "comm", 4, op->name, op->name_len);
	else if (op->name != NULL)
		op->rule = rule_find(&fl->rules, op->mod,
		    op->mod == NULL ? 0 : op->mod_len, op->name, op->name_len);
	text = rec_str(r, fl->cols.op.text, &fl->tmp, &n);
	op->sums_up =
	    text != NULL && memmem(text, n, "AccumulateGrad", 14) != NULL;
	hold_op(st, op, text);
	stage_pass(st, r);
}

static void
take_prim(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_prim *p;
	int64_t id;

	if (rec_i64(r, fl->cols.prim.id, &id)) {
		p = state_prim_new(fl, id);
		p->name = keep_field(fl, r, fl->cols.prim.op, &p->name_len);
		p->shapes =
		    keep_field(fl, r, fl->cols.prim.shapes, &p->shapes_len);
		p->causal = rec_i64(r, fl->cols.prim.causal, &id) && id == 1;
		if (p->name != NULL && p->shapes != NULL)
			p->rule = rule_find(
			    &fl->rules, NULL, 0, p->name, p->name_len);
	}
	stage_pass(st, r);
}

/* The size of a product's result, as a list of one size. */
static void
take_result(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t run;
	size_t n;
	const char *s = rec_raw(r, fl->cols.result.shape, &n);

	if (rec_i64(r, fl->cols.result.run, &run) && s != NULL) {
		buf_clear(&fl->line);
		buf_putc(&fl->line, '[');
		buf_put(&fl->line, s, n);
		buf_putc(&fl->line, ']');
		hold_result(st, run, state_keep(fl, fl->line.s, fl->line.len));
	}
	stage_pass(st, r);
}

/* A run closes. */
static void
take_inst(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t id;

	stage_pass(st, r);
	if (rec_i64(r, fl->cols.inst_id, &id))
		hold_closed(st, id);
}

/* Tensor Core use in DLProf's database. If there is a tc_rule too, the value is
 * our own, from an earlier run. */
static enum tc
given_tc(const struct flops *fl, const struct rec *r)
{
	if (fl->cols.kern.tc->pos < 0 || fl->cols.kern.tc_rule->pos >= 0)
		return TC_UNKNOWN;
	if (rec_is(r, fl->cols.kern.tc, "yes"))
		return TC_YES;
	return rec_is(r, fl->cols.kern.tc, "no") ? TC_NO : TC_UNKNOWN;
}

/* The block of a gather kernel matters too, so it is appended to the grid. */
static void
add_block(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	size_t n;
	const char *block = rec_raw(r, fl->cols.kern.block, &n);

	if (k->grid == NULL || block == NULL)
		return;
	buf_clear(&fl->tmp);
	buf_put(&fl->tmp, k->grid, k->ngrid);
	buf_putc(&fl->tmp, ';');
	buf_put(&fl->tmp, block, n);
	k->grid = fl->tmp.s;
	k->ngrid = fl->tmp.len;
}

/* Finds which of a recurrent cell's products the kernel is. In forward, the
 * order decides. In backward, altseq does, because it is the product's own
 * sequence id. */
static int64_t
cell_product(struct flops *fl, const struct rec *r, const struct flops_kern *k,
    int64_t seq)
{
	struct seq_key key = { (int64_t)state_file(k->dev),
		rec_int(r, fl->cols.kern.pid, -1), seq };
	const char *s;
	size_t n;

	if (k->s.op->bprop)
		return state_cell_of(fl, &key);
	s = rec_raw(r, fl->cols.kern.altseq, &n);
	if (s != NULL)
		(void)num_i64(s, n, &key.seq);
	state_cell(fl, &key, k->sub);
	return k->sub;
}

static void
read_subject(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	if (rec_i64(r, fl->cols.kern.op_id, &k->op_id))
		k->s.op = state_op(fl, k->op_id, &k->s.op_idx);
	if (rec_i64(r, fl->cols.kern.prim_run, &k->prim_run) &&
	    k->prim_run != 0 &&
	    rec_i64(r, fl->cols.kern.prim_id, &k->prim_id)) {
		k->s.prim = state_prim(fl, k->prim_id, &k->s.prim_idx);
		k->s.shape = state_result_of(fl, k->prim_run);
	}
}

static void
read_kern(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	int64_t name_id = 0, seq;
	bool has_name = rec_i64(r, fl->cols.kern.name_id, &name_id);
	const char *brief, *src;
	size_t n;

	memset(k, 0, sizeof(*k));
	brief = rec_raw(r, fl->cols.kern.brief, &n);
	k->k = state_name(fl, has_name, name_id, brief, n, &k->name_idx);
	read_subject(fl, r, k);
	k->sub = rec_int(r, fl->cols.kern.sub, 0);
	src = rec_raw(r, fl->cols.kern.src, &n);
	k->dev = state_place(fl, src, n, rec_int(r, fl->cols.kern.dev, -1));
	rec_dur(r, fl->cols.kern.dur, &k->dur_ns);
	k->has_inst = rec_i64(r, fl->cols.kern.inst_id, &k->inst);
	k->has_seq = rec_i64(r, fl->cols.kern.seq, &seq);
	k->told.tc = given_tc(fl, r);
	k->told.uncaptured = rec_is(r, fl->cols.kern.captured, "no");
	k->grid = rec_raw(r, fl->cols.kern.grid, &k->ngrid);
	if (k->has_seq && k->s.op != NULL && k->s.op->rule != NULL &&
	    k->s.op->rule->count == cell_count)
		k->sub = cell_product(fl, r, k, seq);
	if (k->k->gather > 0)
		add_block(fl, r, k);
}

/* Holds the line of a kernel while others wait: the line was written at the end
 * of the output buffer, and is taken from there. */
static void
hold_written(struct stage *st, size_t mark)
{
	struct flops *fl = st->ctx;

	buf_clear(&fl->line);
	buf_put(&fl->line, out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
	hold_line(st, &fl->line, true);
}

/* The columns that the kernel had. A compiler's file can give the direction if
 * the profile does not. */
static void
put_kern_rest(
    struct flops *fl, const struct rec *r, const struct flops_result *res)
{
	const char *dir = res->fact != NULL ? res->fact->dir : NULL;
	const struct rec_col *col = fl->cols.kern.dir;
	size_t n;

	if (dir != NULL && rec_raw(r, col, &n) != NULL)
		dir = NULL;
	rest_put_as(&fl->kern_rest, &out_buf, r, col->pos, dir);
}

static void
put_flops_kern(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	const struct flops_result *res;
	struct flops_kern k;
	size_t mark = out_buf.len;

	read_kern(fl, r, &k);
	if (hold_size(st, r, &k))
		return;
	res = answer_of(fl, &k.s, k.k, k.name_idx, k.sub, k.grid, k.ngrid);
	if (hold_share(st, r, &k, res))
		return;
	write_count(fl, res, k.k, k.dev, k.dur_ns, k.told.tc);
	put_kern_rest(fl, r, res);
	write_columns(fl, res, k.k,
	    write_role(fl, &res->a, k.has_inst, k.inst, k.prim_run), k.dev,
	    k.told);
	if (fl->hold.on)
		hold_written(st, mark);
	else
		out_end();
}

static void
put_legend_of(struct stage *st, struct rest *x, const struct rec *r)
{
	struct flops *fl = st->ctx;

	buf_clear(&fl->line);
	rest_legend(x, &fl->line, r);
	hold_line(st, &fl->line, false);
}

static void
put_kern_legend(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	if (fl->cols.kern.op_id->pos < 0 && !fl->no_ops_said && !fl->quiet) {
		/* without ops, only Tensor Core use is known, by the name */
		warn("%s: kern records have no op_id, so FLOPs and bytes are"
		     " unknown: dlp-correlate before dlp-flops adds it",
		    rec_where(r->rd));
		fl->no_ops_said = true;
	}
	put_legend_of(st, &fl->kern_rest, r);
}

/* Writes a record that is no kernel: mid are its columns before prim. */
static void
put_other(struct stage *st, const struct rec *r, const struct rec_col *op_id,
    const char *mid, const char *kind)
{
	struct flops *fl = st->ctx;
	const struct flops_op *op = NULL;
	uint32_t idx;
	int64_t id;

	if (rec_i64(r, op_id, &id))
		op = state_op(fl, id, &idx);
	buf_clear(&fl->line);
	rest_put(rec_arg(r), &fl->line, r);
	buf_puts(&fl->line, mid);
	compiled_put_prim(&fl->line, op, kind);
	hold_line(st, &fl->line, true);
}

static void
put_copy(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	fl->run_counts.other_ns += (double)rec_int(r, fl->cols.copy_dur, 0);
	put_other(st, r, fl->cols.copy_op, "\t0\tmemory\t", "copy");
}

static void
put_set(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	fl->run_counts.other_ns += (double)rec_int(r, fl->cols.set_dur, 0);
	put_other(st, r, fl->cols.set_op, "\t0\tmemory\t", "memset");
}

static void
put_graph(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	if (fl->cols.graph_op->pos < 0) {
		fl->run_counts.graphs++;
		fl->run_counts.graph_ns +=
		    (double)rec_int(r, fl->cols.graph_dur, 0);
	}
	put_other(st, r, fl->cols.graph_op, "\t", "graph");
}

static void
put_other_legend(struct stage *st, struct rec *r)
{
	put_legend_of(st, rec_arg(r), r);
}

/* The ranks of a run, which take part in its collectives. */
static void
take_rank(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	fl->n_rank++;
	stage_pass(st, r);
}

static void
bind_facts(struct stage *st, struct flops_cols *c)
{
	struct rec_type *t;

	stage_on(st, "rank", take_rank, NULL, NULL);
	t = stage_on(st, "str", take_str, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->str.id, "id" }, { &c->str.text, "text" });
	t = stage_on(st, "dev", take_dev, NULL, NULL);
	c->dev.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &c->dev.cc, "cc" }, { &c->dev.name, "name" },
	    { &c->dev.src, "src" });
	t = stage_on(st, "op", take_op, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->op.id, "op_id" }, { &c->op.op, "op" });
	REC_COLS(t, REC_OPT, { &c->op.mod, "mod" }, { &c->op.dir, "dir" },
	    { &c->op.shapes, "shapes" }, { &c->op.args, "args" },
	    { &c->op.text, "text" }, { &c->op.bwd, "bwd_shapes" },
	    { &c->op.fwd, "fwd_op_id" }, { &c->op.repr, "repr" },
	    { &c->op.cause, "for_op_id" }, { &c->op.dtype, "dtype" },
	    { &c->op.group, "group_size" });
	t = stage_on(st, "prim", take_prim, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->prim.id, "prim_id" }, { &c->prim.op, "op" },
	    { &c->prim.shapes, "shapes" });
	REC_COLS(t, REC_OPT, { &c->prim.causal, "causal" });
	t = stage_on(st, "result", take_result, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->result.run, "prim_run" },
	    { &c->result.shape, "shape" });
}

static void
bind_kern(struct stage *st, struct flops_cols *c)
{
	struct rec_type *t =
	    stage_on(st, "kern", put_flops_kern, put_kern_legend, NULL);

	REC_COLS(t, REC_OPT, { &c->kern.op_id, "op_id" },
	    { &c->kern.dir, "dir" }, { &c->kern.inst_id, "inst_id" },
	    { &c->kern.name_id, "name_id" }, { &c->kern.brief, "short" },
	    { &c->kern.sub, "sub" }, { &c->kern.dev, "dev" },
	    { &c->kern.grid, "grid" }, { &c->kern.block, "block" },
	    { &c->kern.pid, "pid" }, { &c->kern.seq, "seq" },
	    { &c->kern.dur, "dur_ns" }, { &c->kern.tc, "tc" },
	    { &c->kern.tc_rule, "tc_rule" }, { &c->kern.src, "src" },
	    { &c->kern.altseq, "altseq" }, { &c->kern.prim_id, "prim_id" },
	    { &c->kern.prim_run, "prim_run" },
	    { &c->kern.captured, "captured" });
	t = stage_on(st, "inst", take_inst, NULL, NULL);
	c->inst_id = rec_col(t, "inst_id", REC_OPT);
}

/* Rules of AMD's names count unless the GPU is known to be NVIDIA's. */
static void
take_info(struct stage *st, struct rec *r)
{
	static const char group[] = "group_size\t";
	struct flops *fl = st->ctx;
	size_t wlen, n;
	const char *rest, *word = rec_meta(r, &wlen, &rest, &n);
	int64_t size;

	if (!text_is(word, wlen, "info"))
		return;
	if (text_is(rest, n, "dialect\tnsys") ||
	    text_is(rest, n, "dialect\tnvprof") ||
	    text_is(rest, n, "dialect\tdldb") || text_starts(rest, n, "cuda\t"))
		fl->names.tc.without = "amd";
	if (text_starts(rest, n, group)) {
		if (!num_i64(
			rest + sizeof(group) - 1, n - sizeof(group) + 1, &size))
			size = -1;
		fl->group = fl->group == 0 || fl->group == size ? size : -1;
	}
	if (text_is(rest, n, "vendor\tamd") || text_starts(rest, n, "hip\t"))
		fl->names.tc.without = NULL;
}

void
read_attach(struct stage *st, struct flops *fl)
{
	const struct rest memory = { .names = memory_names,
		.n = ARRAY_LEN(memory_names) };
	struct flops_cols *c = &fl->cols;
	struct rec_type *t;

	st->ctx = fl;
	fl->kern_rest =
	    (struct rest){ .names = kern_names, .n = ARRAY_LEN(kern_names) };
	fl->copy_rest = fl->set_rest = memory;
	st->meta = take_info;
	bind_facts(st, &fl->cols);
	bind_kern(st, &fl->cols);
	fl->graph_rest =
	    (struct rest){ .names = graph_names, .n = ARRAY_LEN(graph_names) };
	t = stage_on(st, "copy", put_copy, put_other_legend, &fl->copy_rest);
	c->copy_op = rec_col(t, "op_id", REC_OPT);
	c->copy_dur = rec_col(t, "dur_ns", REC_OPT);
	t = stage_on(st, "set", put_set, put_other_legend, &fl->set_rest);
	c->set_op = rec_col(t, "op_id", REC_OPT);
	c->set_dur = rec_col(t, "dur_ns", REC_OPT);
	t = stage_on(st, "graph", put_graph, put_other_legend, &fl->graph_rest);
	c->graph_op = rec_col(t, "op_id", REC_OPT);
	c->graph_dur = rec_col(t, "dur_ns", REC_OPT);
}
