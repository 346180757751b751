/* Devices, names, ops and runs by their ids; see state.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "map.h"
#include "spill.h"
#include "state.h"

#define N_RUN (1 << 16)

struct counts counts;
struct run_counts run_counts;

static struct smap texts;    /* all kept strings */
static bool any_cc;          /* of a device */
static struct map str_by_id; /* id -> number in texts, + 1 */
static struct smap files;    /* texts of src */
static struct map dev_by_id; /* place -> cc, | 1 << 32 if no Tensor Cores */
static struct map op_by_id;  /* id -> index + 1 */
static struct op *ops;
static size_t nops, ops_cap;
static struct map name_by_id;    /* name_id -> index + 1 */
static struct smap name_by_text; /* short names without an id */
static struct kname **names;
static size_t nnames, names_cap;
static struct map prim_by_id; /* id -> index + 1 */
static struct prim *prims;
static size_t nprims, prims_cap;
static struct {
	int64_t inst, prim_run;
	unsigned bits;
} runs[N_RUN];
static struct {
	int64_t run; /* + 1 */
	const char *shape;
} results[N_RUN];

void
state_forget(void)
{
	size_t i;

	for (i = 0; i < nnames; i++) {
		kname_free(names[i]);
		free(names[i]);
	}
	nnames = nops = nprims = 0;
	smap_clear(&texts);
	smap_clear(&name_by_text);
	map_clear(&str_by_id);
	smap_clear(&files);
	map_clear(&dev_by_id);
	any_cc = false;
	map_clear(&op_by_id);
	map_clear(&name_by_id);
	map_clear(&prim_by_id);
	memset(runs, 0, sizeof(runs));
	memset(results, 0, sizeof(results));
	memset(&counts, 0, sizeof(counts));
}

const char *
state_keep(const char *s, size_t n)
{
	return smap_str(&texts, smap_put(&texts, s, n, NULL), NULL);
}

void
state_str(int64_t id, const char *s, size_t n)
{
	*map_put(&str_by_id, (uint64_t)id, NULL) =
	    (uint64_t)smap_put(&texts, s, n, NULL) + 1;
}

int64_t
state_place(const char *src, size_t n, int64_t dev)
{
	int64_t file =
	    src == NULL ? 0 : (int64_t)smap_put(&files, src, n, NULL) + 1;

	return file << 32 | (dev & UINT32_MAX);
}

size_t
state_file(int64_t place)
{
	return (size_t)(place >> 32);
}

void
state_dev(int64_t place, int cc, bool no_tensor_cores)
{
	any_cc |= cc > 0;
	*map_put(&dev_by_id, (uint64_t)place, NULL) =
	    (uint64_t)cc | (no_tensor_cores ? (uint64_t)1 << 32 : 0);
}

bool
state_any_cc(void)
{
	return any_cc;
}

int
state_cc(int64_t place, bool *none)
{
	const uint64_t *v = map_get(&dev_by_id, (uint64_t)place);

	*none = v != NULL && *v >> 32 != 0;
	return v == NULL ? 0 : (int)(*v & 0xffffffff);
}

struct op *
state_op_new(int64_t id)
{
	size_t was = ops_cap;

	if (nops == was) {
		ops_cap = was == 0 ? 256 : was * 2;
		ops = spill_realloc(ops, was, ops_cap, sizeof(*ops));
	}
	memset(&ops[nops], 0, sizeof(*ops));
	*map_put(&op_by_id, (uint64_t)id, NULL) = nops + 1;
	return &ops[nops++];
}

struct op *
state_op(int64_t id, uint32_t *idx)
{
	const uint64_t *v = map_get(&op_by_id, (uint64_t)id);

	if (v == NULL)
		return NULL;
	*idx = (uint32_t)(*v - 1);
	return &ops[*v - 1];
}

struct prim *
state_prim_new(int64_t id)
{
	size_t was = prims_cap;

	if (nprims == was) {
		prims_cap = was == 0 ? 64 : was * 2;
		prims = spill_realloc(prims, was, prims_cap, sizeof(*prims));
	}
	memset(&prims[nprims], 0, sizeof(*prims));
	*map_put(&prim_by_id, (uint64_t)id, NULL) = nprims + 1;
	return &prims[nprims++];
}

struct prim *
state_prim(int64_t id, uint32_t *idx)
{
	const uint64_t *v = map_get(&prim_by_id, (uint64_t)id);

	if (v == NULL)
		return NULL;
	*idx = (uint32_t)(*v - 1);
	return &prims[*v - 1];
}

void
state_result(int64_t run, const char *shape)
{
	size_t i = (size_t)((uint64_t)run & (N_RUN - 1));

	results[i].run = run + 1;
	results[i].shape = shape;
}

const char *
state_result_of(int64_t run)
{
	size_t i = (size_t)((uint64_t)run & (N_RUN - 1));

	return results[i].run == run + 1 ? results[i].shape : NULL;
}

void
state_ops(void (*fn)(struct op *op))
{
	size_t i;

	for (i = 0; i < nops; i++)
		fn(&ops[i]);
}

static uint32_t
name_new(const char *full, size_t n, const char *brief, size_t nbrief)
{
	if (nnames == names_cap) {
		names_cap = names_cap == 0 ? 256 : names_cap * 2;
		names = xrealloc(names, names_cap, sizeof(*names));
	}
	names[nnames] = xmalloc(sizeof(**names));
	kname_set(names[nnames], full, n, brief, nbrief);
	return (uint32_t)nnames++;
}

const struct kname *
state_name(bool has_id, int64_t id, const char *brief, size_t n, uint32_t *idx)
{
	const uint64_t *v;
	uint64_t *slot;
	const char *full;
	size_t len;
	uint32_t t;
	bool fresh;

	if (has_id && (v = map_get(&name_by_id, (uint64_t)id)) != NULL) {
		*idx = (uint32_t)(*v - 1);
		return names[*idx];
	}
	if (has_id && (v = map_get(&str_by_id, (uint64_t)id)) != NULL) {
		full = smap_str(&texts, (uint32_t)(*v - 1), &len);
		*idx = name_new(full, len, brief, n);
		slot = map_put(&name_by_id, (uint64_t)id, NULL);
		*slot = (uint64_t)*idx + 1;
		return names[*idx];
	}
	if (brief == NULL)
		brief = "", n = 0;
	t = smap_put(&name_by_text, brief, n, &fresh);
	if (fresh)
		name_by_text.val[t] = name_new(brief, n, brief, n);
	*idx = (uint32_t)name_by_text.val[t];
	return names[*idx];
}

unsigned
state_mark(int64_t inst, int64_t prim_run, unsigned bits)
{
	size_t i =
	    (size_t)(((uint64_t)inst + (uint64_t)prim_run * 7) & (N_RUN - 1));
	unsigned was;

	if (runs[i].inst != inst + 1 || runs[i].prim_run != prim_run) {
		runs[i].inst = inst + 1; /* 0 is an empty slot */
		runs[i].prim_run = prim_run;
		runs[i].bits = 0;
	}
	was = runs[i].bits;
	runs[i].bits |= bits;
	return was;
}
