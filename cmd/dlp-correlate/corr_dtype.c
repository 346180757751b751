/*
 * The type of the elements that a collective moves. Names of NCCL's kernels
 * have it only where the kernel adds up: ncclDevKernel_AllGather_RING_LL moves
 * bytes.
 *
 * torch.profiler writes the types of the inputs of c10d's ranges. emit_nvtx
 * does not, but writes which range made each input (input_op_ids). If a kernel
 * that copies elements was launched in that range, its name has their type:
 * FSDP copies the shards of a layer's parameters into one buffer, in
 * fsdp::all_gather_copy_in, before it gathers them. Each thread keeps its
 * latest copies for that.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define COPIES 16 /* kept for each thread */
#define DEEP 8    /* ranges around each */

struct copied {
	struct {
		int64_t op_id[DEEP]; /* of the ranges that were open; 0: none */
		unsigned dtype;      /* what the kernel wrote; see types[] */
	} v[COPIES];
	size_t next;
};

/* As C++ calls it, and as markers do. */
static const struct {
	const char *cpp, *name;
} types[] = {
	{ "", NULL },
	{ "float", "float32" },
	{ "c10::BFloat16", "bfloat16" },
	{ "c10::Half", "float16" },
	{ "double", "float64" },
	{ "long", "int64" },
	{ "long int", "int64" },
	{ "int", "int32" },
	{ "short", "int16" },
	{ "short int", "int16" },
	{ "signed char", "int8" },
	{ "unsigned char", "uint8" },
	{ "bool", "bool" },
	{ "c10::complex<float>", "complex64" },
	{ "c10::complex<double>", "complex128" },
	{ "c10::Float8_e4m3fn", "float8_e4m3fn" },
	{ "c10::Float8_e4m3fnuz", "float8_e4m3fnuz" },
	{ "c10::Float8_e5m2", "float8_e5m2" },
	{ "c10::Float8_e5m2fnuz", "float8_e5m2fnuz" },
};

static unsigned
type_of(const char *s, size_t n)
{
	unsigned i;

	for (i = 1; i < ARRAY_LEN(types); i++)
		if (n == strlen(types[i].cpp) &&
		    memcmp(s, types[i].cpp, n) == 0)
			return i;
	return 0;
}

const char *
dtype_name(unsigned dtype)
{
	return types[dtype].name;
}

/* The type that follows word in a kernel's name; 0 if there is none. */
static unsigned
type_after(struct mview name, const char *word)
{
	const char *s = mv_find(name, word), *e = name.s + name.n;

	if (s == NULL)
		return 0;
	s += strlen(word);
	for (name.s = s; s < e && strchr(",>)", *s) == NULL; s++)
		;
	return type_of(name.s, (size_t)(s - name.s));
}

/*
 * Copy<c10::BFloat16, float> writes the first of its types; the lambda of
 * direct_copy_kernel_cuda(...)::[lambda(float) (instance 1)] gets and returns
 * what is written.
 */
void
dtype_string(struct dtypes *t, int64_t id, struct mview name)
{
	const char *copy = mv_find(name, "direct_copy_kernel_cuda(");
	const char *end = name.s + name.n;
	unsigned dtype = type_after(name, "at::native::Copy<");

	if (copy != NULL) {
		name = mv(copy, end);
		while (
		    dtype == 0 && (copy = mv_find(name, "[lambda(")) != NULL) {
			name = mv(copy, end);
			dtype = type_after(name, "[lambda(");
			name = mv(copy + 1, end);
		}
	}
	if (dtype != 0)
		*map_put(&t->by_id, (uint64_t)id, NULL) = dtype;
}

void
dtype_copy(struct dtypes *t, struct corr_thread *th, int64_t name_id)
{
	const uint64_t *dtype =
	    t->by_id.n > 0 ? map_get(&t->by_id, (uint64_t)name_id) : NULL;
	struct copied *c;
	int64_t id;
	size_t i, k = 0;

	if (dtype == NULL || th == NULL || th->open.n == 0)
		return;
	if (th->copied == NULL)
		th->copied = xcalloc(1, sizeof(*th->copied));
	c = th->copied;
	memset(&c->v[c->next], 0, sizeof(c->v[0]));
	c->v[c->next].dtype = (unsigned)*dtype;
	for (i = th->open.n; i > 0 && k < DEEP; i--) {
		id = thread_at(th, i - 1)->op_id;
		if (id > 0)
			c->v[c->next].op_id[k++] = id;
	}
	c->next = (c->next + 1) % COPIES;
}

/* What was written in the range; 0 if nothing or different types were. */
static unsigned
written_in(const struct copied *c, int64_t op_id)
{
	unsigned dtype = 0;
	size_t i, k;

	for (i = 0; i < COPIES; i++)
		for (k = 0; k < DEEP; k++) {
			if (c->v[i].op_id[k] != op_id)
				continue;
			if (dtype != 0 && dtype != c->v[i].dtype)
				return 0;
			dtype = c->v[i].dtype;
		}
	return dtype;
}

/* The type of the first input that is a tensor; lists of tensors and scalars
 * have none. */
unsigned
dtype_first(const struct marker *m)
{
	const char *s = m->types.s, *end, *e;
	unsigned dtype = 0;

	if (s == NULL)
		return 0;
	end = s + m->types.n;
	for (s++; s < end && dtype == 0; s = e + 2) {
		for (e = s; e < end && *e != ',' && *e != ']'; e++)
			;
		dtype = type_of(s, (size_t)(e - s));
	}
	return dtype;
}

unsigned
dtype_moved(const struct corr_thread *th, const struct marker *m)
{
	const char *s = m->types.s, *e;
	unsigned dtype = 0;
	int64_t id, out;
	size_t at = 0;

	if (s != NULL) {
		for (e = ++s;
		     e < m->types.s + m->types.n && *e != ',' && *e != ']'; e++)
			;
		return type_of(s, (size_t)(e - s));
	}
	while (
	    dtype == 0 && th->copied != NULL && marker_input(m, &at, &id, &out))
		if (id > 0)
			dtype = written_in(th->copied, id);
	return dtype;
}
