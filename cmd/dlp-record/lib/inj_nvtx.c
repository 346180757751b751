/*
 * NVTX: every instance (each shared library has its own) calls
 * InitializeInjectionNvtx2() and gets our functions in its slots. Domains and
 * registered strings are structs of ours, which are never freed: a program may
 * use a handle after it has destroyed it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "inj.h"
#include "nvtx_abi.h"

#define NO_TRACKING (-2) /* what push returns without a tool */

struct nvtx_handle { /* a domain, or a registered string */
	uint32_t id;
	uint32_t len;
	uint32_t domain; /* of a string */
	struct nvtx_handle *next;
	char text[];
};

/* All of them, for names, and for children that are recorded, too. */
static struct nvtx_handle *_Atomic domains, *_Atomic strings;

static uint32_t
clamp_len(size_t n)
{
	return (uint32_t)(n < RSPOOL_TEXT_MAX ? n : RSPOOL_TEXT_MAX);
}

/* wchar_t is a code point here. Returns the bytes, at most 4. */
static size_t
put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18 & 7));
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* A wide text as UTF-8, in memory that the caller frees; NULL if there is none.
 */
static char *
from_wide(const wchar_t *w, size_t *n)
{
	size_t max = w != NULL ? 4 * wcslen(w) : 0;
	char *s;

	*n = 0;
	if (max > RSPOOL_TEXT_MAX)
		max = RSPOOL_TEXT_MAX;
	s = w != NULL ? malloc(max + 4) : NULL;
	if (s == NULL)
		return NULL;
	for (; *w != 0 && *n < max; w++)
		*n += put_utf8(s + *n, (uint32_t)*w);
	return s;
}

static struct nvtx_handle *
new_handle(uint32_t id, const char *s, size_t n)
{
	struct nvtx_handle *h = malloc(sizeof(*h) + n + 1);

	if (h == NULL)
		return NULL;
	h->id = id;
	h->len = (uint32_t)n;
	h->domain = 0;
	h->next = NULL;
	memcpy(h->text, s, n);
	h->text[n] = '\0';
	return h;
}

static void
chain(struct nvtx_handle *_Atomic *list, struct nvtx_handle *h)
{
	h->next = atomic_load(list);
	while (!atomic_compare_exchange_weak(list, &h->next, h))
		continue;
}

uint32_t
nvtx_domain_id(const void *handle)
{
	const struct nvtx_handle *h = handle;

	return h != NULL ? h->id : 0;
}

const char *
nvtx_domain_name(uint32_t id, char *out, size_t n)
{
	const struct nvtx_handle *h;

	out[0] = '\0';
	for (h = atomic_load(&domains); h != NULL; h = h->next)
		if (h->id == id && h->len < n)
			return memcpy(out, h->text, h->len + 1);
	return out;
}

static void
put_named(enum rspool_type type, uint32_t what, uint32_t domain, uint32_t id,
    const char *s, size_t n)
{
	struct rspool_named r = { .t = inj_now(),
		.domain = domain,
		.id = id,
		.what = what,
		.dev = UINT32_MAX,
		.ctx = UINT32_MAX,
		.len = clamp_len(n) };

	if (inj_ready())
		spool_record(type, &r, sizeof(r), s, r.len, NULL, 0);
}

void
nvtx_again(void)
{
	const struct nvtx_handle *h;

	for (h = atomic_load(&domains); h != NULL; h = h->next)
		put_named(RSPOOL_DOMAIN, 0, h->id, h->id, h->text, h->len);
	for (h = atomic_load(&strings); h != NULL; h = h->next)
		put_named(RSPOOL_STRING, 0, h->domain, h->id, h->text, h->len);
	payload_again();
}

/* The text of an event's message; registered strings also have an id. The
 * caller frees *wide. */
static size_t
message(const struct nvtx_abi_event *e, char **wide, const char **text,
    uint32_t *string)
{
	const struct nvtx_handle *h;
	size_t n;

	*text = NULL;
	*string = 0;
	if (e == NULL || e->message == NULL)
		return 0;
	switch (e->message_type) {
	case NVTX_ABI_TEXT:
		*text = e->message;
		return clamp_len(strlen(*text));
	case NVTX_ABI_WIDE:
		*text = *wide = from_wide(e->message, &n);
		return n;
	case NVTX_ABI_REGISTERED:
		h = e->message;
		*string = h->id;
		*text = h->text;
		return h->len;
	default:
		return 0;
	}
}

#define PAYLOAD_MAX 4096 /* larger ones are left out */

static void
put_event(enum rspool_nvtx what, uint32_t domain,
    const struct nvtx_abi_event *e, uint64_t id, const char *text, size_t n,
    uint32_t string, const struct nvtx_abi_data *data, int64_t t)
{
	struct rspool_nvtx_event r = { .t = t,
		.id = id,
		.what = what,
		.domain = domain,
		.string = string,
		.len = string == 0 ? (uint32_t)n : 0 };

	if (e != NULL) {
		r.category = e->category;
		r.ptype = (uint32_t)e->payload_type;
		r.payload = e->payload;
	}
	if (e != NULL && e->color_type != 0) {
		r.color = e->color;
		r.rec.flags = RSPOOL_HAS_COLOR;
	}
	if (string != 0)
		r.rec.flags |= RSPOOL_HAS_STRING;
	if (data != NULL) {
		r.schema = data->schema;
		if (data->payload != NULL && data->size <= PAYLOAD_MAX)
			r.bytes = (uint32_t)data->size;
	}
	spool_record(RSPOOL_NVTX, &r, sizeof(r), text, r.len,
	    r.bytes > 0 ? data->payload : NULL, r.bytes);
}

void
nvtx_event(enum rspool_nvtx what, uint32_t domain,
    const struct nvtx_abi_event *e, uint64_t id,
    const struct nvtx_abi_data *data, size_t n_data)
{
	int bits = atomic_load_explicit(&inj.nvtx, memory_order_relaxed);
	char *wide = NULL;
	const char *text;
	uint32_t string;
	int64_t t;
	size_t n;

	if (bits == 0)
		return;
	t = inj_now();
	n = message(e, &wide, &text, &string);
	if (e != NULL && e->payload_type == NVTX_ABI_PAYLOAD_EXT) {
		data = (const void *)(uintptr_t)e->payload;
		n_data = (size_t)e->reserved;
	}
	if ((bits & NVTX_WATCH) != 0 && what != NVTX_IS_MARK) {
		window_begins(text, n, domain, id, t);
		bits = atomic_load(&inj.nvtx);
	}
	if ((bits & NVTX_RECORD) != 0)
		put_event(what, domain, e, id, text, n, string,
		    n_data > 0 ? data : NULL, t);
	free(wide);
}

static void
push_text(const char *s)
{
	int bits = atomic_load_explicit(&inj.nvtx, memory_order_relaxed);
	struct rspool_push r = { 0 };

	if (bits == 0)
		return;
	r.t = inj_now();
	if (s == NULL)
		s = "";
	r.len = clamp_len(strlen(s));
	if ((bits & NVTX_WATCH) != 0) {
		window_begins(s, r.len, 0, 0, r.t);
		bits = atomic_load(&inj.nvtx);
	}
	if ((bits & NVTX_RECORD) != 0)
		spool_record(RSPOOL_PUSH, &r, sizeof(r), s, r.len, NULL, 0);
}

void
nvtx_pop(uint32_t domain)
{
	int bits = atomic_load_explicit(&inj.nvtx, memory_order_relaxed);
	struct rspool_pop r = { .domain = domain };

	if (bits == 0)
		return;
	r.t = inj_now();
	if ((bits & NVTX_RECORD) != 0)
		SPOOL(RSPOOL_POP, &r);
	if ((bits & NVTX_WATCH) != 0)
		window_pops(domain, r.t);
}

void
nvtx_range_end(uint64_t id)
{
	int bits = atomic_load_explicit(&inj.nvtx, memory_order_relaxed);
	int64_t t;

	if (bits == 0)
		return;
	t = inj_now();
	if ((bits & NVTX_RECORD) != 0)
		put_event(NVTX_IS_END, 0, NULL, id, NULL, 0, 0, NULL, t);
	if ((bits & NVTX_WATCH) != 0)
		window_ends(id, t);
}

static uint64_t
range_start(uint32_t domain, const struct nvtx_abi_event *e)
{
	uint64_t id = atomic_fetch_add(&inj.next_range, 1) + 1;

	nvtx_event(NVTX_IS_START, domain, e, id, NULL, 0);
	return id;
}

/* An event that has a text only. */
#define PLAIN(type, text)                                                      \
	&(struct nvtx_abi_event)                                               \
	{                                                                      \
		.message_type = NVTX_ABI_##type, .message = (text)             \
	}

/* The functions of the core module. */

static void
mark_ex(const struct nvtx_abi_event *e)
{
	nvtx_event(NVTX_IS_MARK, 0, e, 0, NULL, 0);
}

static void
mark_a(const char *s)
{
	mark_ex(PLAIN(TEXT, s));
}

static void
mark_w(const wchar_t *s)
{
	mark_ex(PLAIN(WIDE, s));
}

static uint64_t
start_ex(const struct nvtx_abi_event *e)
{
	return range_start(0, e);
}

static uint64_t
start_a(const char *s)
{
	return range_start(0, PLAIN(TEXT, s));
}

static uint64_t
start_w(const wchar_t *s)
{
	return range_start(0, PLAIN(WIDE, s));
}

static int
push_ex(const struct nvtx_abi_event *e)
{
	nvtx_event(NVTX_IS_PUSH, 0, e, 0, NULL, 0);
	return NO_TRACKING;
}

static int
push_a(const char *s)
{
	push_text(s);
	return NO_TRACKING;
}

static int
push_w(const wchar_t *s)
{
	return push_ex(PLAIN(WIDE, s));
}

static int
pop_default(void)
{
	nvtx_pop(0);
	return NO_TRACKING;
}

/* Names as narrow and as wide text; NULL is none. */
static void
name_a(enum rspool_type type, uint32_t what, uint32_t domain, uint32_t id,
    const char *s)
{
	if (s != NULL)
		put_named(type, what, domain, id, s, strlen(s));
}

static void
name_w(enum rspool_type type, uint32_t what, uint32_t domain, uint32_t id,
    const wchar_t *w)
{
	size_t n;
	char *s = from_wide(w, &n);

	if (s != NULL)
		put_named(type, what, domain, id, s, n);
	free(s);
}

static void
category_a(uint32_t id, const char *s)
{
	name_a(RSPOOL_CATEGORY, 0, 0, id, s);
}

static void
category_w(uint32_t id, const wchar_t *w)
{
	name_w(RSPOOL_CATEGORY, 0, 0, id, w);
}

static void
thread_a(uint32_t tid, const char *s)
{
	name_a(RSPOOL_LABEL, LABEL_THREAD, 0, tid, s);
}

static void
thread_w(uint32_t tid, const wchar_t *w)
{
	name_w(RSPOOL_LABEL, LABEL_THREAD, 0, tid, w);
}

/* The functions with a domain. */

static void
domain_mark(void *d, const struct nvtx_abi_event *e)
{
	nvtx_event(NVTX_IS_MARK, nvtx_domain_id(d), e, 0, NULL, 0);
}

static uint64_t
domain_start(void *d, const struct nvtx_abi_event *e)
{
	return range_start(nvtx_domain_id(d), e);
}

static void
domain_end(void *d, uint64_t id)
{
	(void)d;
	nvtx_range_end(id);
}

static int
domain_push(void *d, const struct nvtx_abi_event *e)
{
	nvtx_event(NVTX_IS_PUSH, nvtx_domain_id(d), e, 0, NULL, 0);
	return NO_TRACKING;
}

static int
domain_pop(void *d)
{
	nvtx_pop(nvtx_domain_id(d));
	return NO_TRACKING;
}

static void
domain_category_a(void *d, uint32_t id, const char *s)
{
	name_a(RSPOOL_CATEGORY, 0, nvtx_domain_id(d), id, s);
}

static void
domain_category_w(void *d, uint32_t id, const wchar_t *w)
{
	name_w(RSPOOL_CATEGORY, 0, nvtx_domain_id(d), id, w);
}

static void *
register_string(void *d, const char *s, size_t n)
{
	uint32_t id = atomic_fetch_add(&inj.next_string, 1) + 1;

	struct nvtx_handle *h;

	n = clamp_len(n);
	h = new_handle(id, s, n);
	if (h == NULL)
		return NULL;
	h->domain = nvtx_domain_id(d);
	put_named(RSPOOL_STRING, 0, h->domain, id, s, n);
	chain(&strings, h);
	return h;
}

static void *
string_a(void *d, const char *s)
{
	return s != NULL ? register_string(d, s, strlen(s)) : NULL;
}

static void *
string_w(void *d, const wchar_t *w)
{
	size_t n;
	char *s = from_wide(w, &n);
	void *h = s != NULL ? register_string(d, s, n) : NULL;

	free(s);
	return h;
}

/* A second domain of the same name is the same domain. */
static void *
create_domain(const char *s, size_t n)
{
	struct nvtx_handle *h, *first = atomic_load(&domains);

	n = clamp_len(n);
	for (h = first; h != NULL; h = h->next)
		if (h->len == n && memcmp(h->text, s, n) == 0)
			return h;
	h = new_handle(atomic_fetch_add(&inj.next_domain, 1) + 1, s, n);
	if (h == NULL)
		return NULL;
	chain(&domains, h);
	put_named(RSPOOL_DOMAIN, 0, h->id, h->id, s, n);
	return h;
}

static void *
domain_a(const char *s)
{
	return s != NULL ? create_domain(s, strlen(s)) : NULL;
}

static void *
domain_w(const wchar_t *w)
{
	size_t n;
	char *s = from_wide(w, &n);
	void *h = s != NULL ? create_domain(s, n) : NULL;

	free(s);
	return h;
}

/* Names of devices, contexts and streams. */

static void
name_device(int dev, const char *s)
{
	name_a(RSPOOL_LABEL, LABEL_DEVICE, 0, (uint32_t)dev, s);
}

static void
name_context(void *ctx, const char *s)
{
	if (s != NULL && inj_ready())
		name_a(RSPOOL_LABEL, LABEL_CONTEXT, 0, cupti_ctx_id(ctx), s);
}

static void
name_stream(void *stream, const char *s)
{
	struct rspool_named r = { .what = LABEL_STREAM, .dev = UINT32_MAX };
	void *ctx;

	if (s == NULL || !inj_ready())
		return;
	ctx = driver_ctx();
	if (!cupti_stream_id(ctx, stream, &r.id))
		return;
	r.t = inj_now();
	r.ctx = cupti_ctx_id(ctx);
	r.len = (uint32_t)strnlen(s, 4096);
	spool_record(RSPOOL_LABEL, &r, sizeof(r), s, r.len, NULL, 0);
}

struct nvtx_slot {
	unsigned module, slot;
	nvtx_abi_fn *fn;
};

#define FN(f) ((nvtx_abi_fn *)(uintptr_t)(f))
#define CORE(slot, f)                                                          \
	{                                                                      \
		NVTX_ABI_CORE, CORE_##slot, FN(f)                              \
	}
#define CORE2(slot, f)                                                         \
	{                                                                      \
		NVTX_ABI_CORE2, CORE2_##slot, FN(f)                            \
	}

/* Gives an instance our functions. Tables of older instances are shorter. */
static void
fill_slots(const struct nvtx_abi_callbacks *cb)
{
	const struct nvtx_slot slots[] = {
		CORE(MARK_EX, mark_ex),
		CORE(MARK_A, mark_a),
		CORE(MARK_W, mark_w),
		CORE(START_EX, start_ex),
		CORE(START_A, start_a),
		CORE(START_W, start_w),
		CORE(END, nvtx_range_end),
		CORE(PUSH_EX, push_ex),
		CORE(PUSH_A, push_a),
		CORE(PUSH_W, push_w),
		CORE(POP, pop_default),
		CORE(CATEGORY_A, category_a),
		CORE(CATEGORY_W, category_w),
		CORE(THREAD_A, thread_a),
		CORE(THREAD_W, thread_w),
		CORE2(MARK_EX, domain_mark),
		CORE2(START_EX, domain_start),
		CORE2(END, domain_end),
		CORE2(PUSH_EX, domain_push),
		CORE2(POP, domain_pop),
		CORE2(CATEGORY_A, domain_category_a),
		CORE2(CATEGORY_W, domain_category_w),
		CORE2(STRING_A, string_a),
		CORE2(STRING_W, string_w),
		CORE2(DOMAIN_A, domain_a),
		CORE2(DOMAIN_W, domain_w),
		{ NVTX_ABI_CUDA, CUDA_DEVICE_A, FN(name_device) },
		{ NVTX_ABI_CUDA, CUDA_CONTEXT_A, FN(name_context) },
		{ NVTX_ABI_CUDA, CUDA_STREAM_A, FN(name_stream) },
		{ NVTX_ABI_CUDART, CUDART_DEVICE_A, FN(name_device) },
		{ NVTX_ABI_CUDART, CUDART_STREAM_A, FN(name_stream) },
	};
	nvtx_abi_fn ***table;
	unsigned n;
	size_t i;

	for (i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		table = NULL;
		n = 0;
		if (cb->table(slots[i].module, (void *)&table, &n) == 0 ||
		    table == NULL || slots[i].slot >= n ||
		    table[slots[i].slot] == NULL)
			continue;
		*table[slots[i].slot] = slots[i].fn;
	}
}

INJ_EXPORT int InitializeInjectionNvtx2(nvtx_abi_export *get);

INJ_EXPORT int
InitializeInjectionNvtx2(nvtx_abi_export *get)
{
	const struct nvtx_abi_callbacks *cb;

	if (get == NULL || !inj_ready() || !inj.opt.nvtx)
		return 0;
	cb = get(NVTX_ABI_CALLBACKS);
	if (cb == NULL || cb->size < sizeof(*cb) || cb->table == NULL)
		return 0;
	fill_slots(cb);
	return 1;
}
