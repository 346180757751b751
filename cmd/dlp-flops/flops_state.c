/* The facts of a section, by the ids of the stream; see flops.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "flops.h"
#include "spill.h"

void
state_forget(struct flops *fl)
{
	struct flops_facts *f = &fl->facts;
	size_t i;

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
	map_clear(&f->cell_by_seq);
	memset(&fl->runs, 0, sizeof(fl->runs));
}

const char *
state_keep(struct flops *fl, const char *s, size_t n)
{
	struct smap *texts = &fl->facts.texts;

	return smap_str(texts, smap_put(texts, s, n, NULL), NULL);
}

void
state_str(struct flops *fl, int64_t id, const char *s, size_t n)
{
	struct flops_facts *f = &fl->facts;

	*map_put(&f->str_by_id, (uint64_t)id, NULL) =
	    (uint64_t)smap_put(&f->texts, s, n, NULL) + 1;
}

int64_t
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

void
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

struct flops_op *
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

struct flops_prim *
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

struct flops_prim *
state_prim(const struct flops *fl, int64_t id, uint32_t *idx)
{
	const uint64_t *v = map_get(&fl->facts.prim_by_id, (uint64_t)id);

	if (v == NULL)
		return NULL;
	*idx = (uint32_t)(*v - 1);
	return &fl->facts.prims[*v - 1];
}

void
state_result(struct flops *fl, int64_t run, const char *shape)
{
	size_t i = (size_t)((uint64_t)run & (STATE_RUNS - 1));

	fl->runs.results[i].run = run + 1;
	fl->runs.results[i].shape = shape;
}

const char *
state_result_of(const struct flops *fl, int64_t run)
{
	size_t i = (size_t)((uint64_t)run & (STATE_RUNS - 1));

	return fl->runs.results[i].run == run + 1 ? fl->runs.results[i].shape
						  : NULL;
}

static uint32_t
name_new(struct flops *fl, const char *full, size_t n, const char *brief,
    size_t nbrief)
{
	struct flops_facts *f = &fl->facts;
	struct kname *k = xmalloc(sizeof(*k));

	kname_set(k, &fl->tc_rules, full, n, brief, nbrief);
	ARRAY_GROW(f->names, f->nnames, f->names_cap);
	f->names[f->nnames] = k;
	return (uint32_t)f->nnames++;
}

const struct kname *
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
		fl->runs.marks[i].inst = inst + 1;
		fl->runs.marks[i].prim_run = prim_run;
		fl->runs.marks[i].bits = 0;
	}
	was = fl->runs.marks[i].bits;
	fl->runs.marks[i].bits |= bits;
	return was;
}

void
state_cell(struct flops *fl, int64_t seq, int64_t which)
{
	if (which <= 1)
		*map_put(&fl->facts.cell_by_seq, (uint64_t)seq, NULL) =
		    (uint64_t)which + 1;
}

int64_t
state_cell_of(const struct flops *fl, int64_t seq)
{
	const uint64_t *v = map_get(&fl->facts.cell_by_seq, (uint64_t)seq);

	return v == NULL ? 2 : (int64_t)*v - 1;
}
