/* The facts of a section, by the ids of the stream; see flops.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "flops.h"
#include "spill.h"

void
facts_forget(struct flops *fl)
{
	struct flops_facts *f = &fl->facts;

	fl->n_rank = fl->group = 0;
	store_free(&f->name_mem);
	f->nnames = f->ops.n = f->prims.n = 0;
	f->any_cc = false;
	smap_clear(&f->texts);
	smap_clear(&f->name_by_text);
	smap_clear(&f->files);
	map_clear(&f->str_by_id);
	map_clear(&f->dev_by_place);
	map_clear(&f->ops.by_id);
	map_clear(&f->name_by_id);
	map_clear(&f->prims.by_id);
	smap_clear(&f->cell_by_seq);
	if (fl->runs.any)
		memset(&fl->runs, 0, sizeof(fl->runs));
}

struct mview
facts_keep(struct flops *fl, const char *s, size_t n)
{
	struct smap *texts = &fl->facts.texts;
	struct mview v = { NULL, 0 };

	if (s != NULL)
		v.s = smap_str(texts, smap_put(texts, s, n, NULL), &v.n);
	return v;
}

int64_t
facts_place(struct flops *fl, struct mview src, int64_t dev)
{
	int64_t file = 0;

	if (src.s != NULL)
		file =
		    (int64_t)smap_put(&fl->facts.files, src.s, src.n, NULL) + 1;
	return file << 32 | (dev & UINT32_MAX);
}

struct flops_op *
ops_new(struct flops_ops *ops, int64_t id)
{
	size_t was = ops->cap;

	if (ops->n == was) {
		ops->cap = was == 0 ? 64 : was * 2;
		ops->v = spill_realloc(ops->v, was, ops->cap, sizeof(*ops->v));
	}
	memset(&ops->v[ops->n], 0, sizeof(*ops->v));
	*map_put(&ops->by_id, (uint64_t)id, NULL) = ops->n + 1;
	return &ops->v[ops->n++];
}

struct flops_op *
ops_find(const struct flops_ops *ops, int64_t id)
{
	const uint64_t *v = map_get(&ops->by_id, (uint64_t)id);

	return v == NULL ? NULL : &ops->v[*v - 1];
}

const struct kname *
facts_name(
    struct flops *fl, const int64_t *id, struct mview brief, uint32_t *idx)
{
	struct flops_facts *f = &fl->facts;
	struct mview full = brief;
	uint64_t *at = NULL;
	const uint64_t *str;
	uint32_t t;

	if (id != NULL &&
	    (at = map_get(&f->name_by_id, (uint64_t)*id)) == NULL &&
	    (str = map_get(&f->str_by_id, (uint64_t)*id)) != NULL) {
		full.s = smap_str(&f->texts, (uint32_t)(*str - 1), &full.n);
		at = map_put(&f->name_by_id, (uint64_t)*id, NULL);
	}
	if (at == NULL) {
		if (brief.s == NULL)
			full = brief = (struct mview){ "", 0 };
		t = smap_put(&f->name_by_text, brief.s, brief.n, NULL);
		at = &f->name_by_text.val[t];
	}
	if (*at == 0) {
		ARRAY_GROW(f->names, f->nnames, f->names_cap);
		f->names[f->nnames] =
		    store_alloc(&f->name_mem, sizeof(**f->names));
		kname_set(f->names[f->nnames], &f->name_mem, &fl->names, full.s,
		    full.n, brief.s, brief.n);
		*at = ++f->nnames;
	}
	*idx = (uint32_t)(*at - 1);
	return f->names[*idx];
}

void
facts_subject(const struct flops *fl, struct flops_kern *k)
{
	size_t i = (size_t)((uint64_t)k->prim_run & (STATE_RUNS - 1));

	k->shape = NULL;
	k->op = ops_find(&fl->facts.ops, k->op_id);
	if (k->prim_run == 0)
		return;
	k->prim = ops_find(&fl->facts.prims, k->prim_id);
	if (fl->runs.results[i].run == (int64_t)((uint64_t)k->prim_run + 1))
		k->shape = fl->runs.results[i].shape;
}

unsigned
facts_mark(struct flops *fl, int64_t inst, int64_t prim_run, unsigned bits)
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
