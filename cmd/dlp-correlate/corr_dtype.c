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

#include <string.h>

#include "array.h"
#include "shipped.h"

#define COPIES 16 /* kept for each thread */
#define DEEP 8    /* ranges around each */

struct copied {
	struct {
		int64_t op_id[DEEP]; /* of the ranges that were open; 0: none */
		unsigned dtype;      /* what the kernel wrote */
	} v[COPIES];
	size_t next;
};

/* As markers have them; vocab.tab says how C++ calls them. */
const char *const dtype_names[] = { NULL, "float32", "bfloat16", "float16",
	"float64", "int64", "int32", "int16", "int8", "uint8", "bool",
	"complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz",
	"float8_e5m2", "float8_e5m2fnuz", "float4_e2m1fn_x2",
	"float8_e8m0fnu" };

static unsigned
type_of(const char *s, size_t n)
{
	struct mview v = vocab_find("cpp-type", s, n);
	unsigned i = ARRAY_LEN(dtype_names) - 1;

	while (i > 0 && !mv_eq(v, dtype_names[i]))
		i--;
	return i;
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

/* The type at that place of the list of types, which becomes the next. */
static unsigned
type_at(const struct marker *m, size_t *at)
{
	const char *s = m->types.s + 1 + *at, *e = s;

	while (e < m->types.s + m->types.n && *e != ',' && *e != ']')
		e++;
	*at += (size_t)(e - s) + 2;
	return type_of(s, (size_t)(e - s));
}

/* The type of the first input that is a tensor; lists of tensors and scalars
 * have none. */
unsigned
dtype_first(const struct marker *m)
{
	unsigned dtype = 0;
	size_t at = 0;

	while (m->types.s != NULL && dtype == 0 && at + 1 < m->types.n)
		dtype = type_at(m, &at);
	return dtype;
}

bool
dtype_list(const struct marker *m, struct buf *b)
{
	unsigned dtype, first = dtype_first(m);
	bool differ = false;
	size_t at = 0;

	buf_clear(b);
	while (first != 0 && at + 1 < m->types.n) {
		dtype = type_at(m, &at);
		differ |= dtype != 0 && dtype != first;
		buf_printf(b, "%s%s", b->len > 0 ? "," : "",
		    dtype != 0 ? dtype_names[dtype] : "-");
	}
	return differ;
}

unsigned
dtype_moved(const struct corr_thread *th, const struct marker *m)
{
	const struct copied *c = th->copied;
	unsigned dtype = 0;
	int64_t id, out;
	size_t at = 0, i;
	bool mixed = false;

	if (m->types.s != NULL)
		return type_at(m, &at);
	while (dtype == 0 && c != NULL && marker_input(m, &at, &id, &out)) {
		/* what was written in that range, if it was of one type */
		for (i = 0; id > 0 && i < COPIES * DEEP; i++) {
			if (c->v[i / DEEP].op_id[i % DEEP] != id)
				continue;
			mixed |= dtype != 0 && dtype != c->v[i / DEEP].dtype;
			dtype = c->v[i / DEEP].dtype;
		}
		if (mixed)
			dtype = 0;
		mixed = false;
	}
	return dtype;
}
