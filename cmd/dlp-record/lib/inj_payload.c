/*
 * NVTX's payload extension: structured data of ranges and marks, and the
 * schemas that describe it. NCCL and XLA use it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "inj.h"
#include "nvtx_abi.h"

#define DYNAMIC_IDS ((uint64_t)1 << 32) /* ids that the tool gives */

static uint64_t
schema_id(bool given, uint64_t id)
{
	if (given && id != 0)
		return id;
	return DYNAMIC_IDS + atomic_fetch_add(&inj.next_schema, 1);
}

/* For the spools that come, with --arm and of children. */
static struct kept {
	struct kept *next;
	enum rspool_type type;
	size_t size, n;
	char bytes[]; /* the record, and its texts */
} * _Atomic all_kept;

static void
put(enum rspool_type type, void *rec, size_t size, const char *name, size_t n,
    const char *more, size_t n_more)
{
	struct kept *k = malloc(sizeof(*k) + size + n + n_more);

	spool_record(type, rec, size, name, n, more, n_more);
	if (k == NULL)
		return;
	*k = (struct kept){ atomic_load(&all_kept), type, size, n + n_more };
	memcpy(k->bytes, rec, size);
	if (n > 0)
		memcpy(k->bytes + size, name, n);
	if (n_more > 0)
		memcpy(k->bytes + size + n, more, n_more);
	while (!atomic_compare_exchange_weak(&all_kept, &k->next, k))
		continue;
}

void
payload_again(void)
{
	struct kept *k;

	for (k = atomic_load(&all_kept); k != NULL; k = k->next)
		spool_record(k->type, k->bytes, k->size, k->bytes + k->size,
		    k->n, NULL, 0);
}

static uint32_t
text_len(const char *s)
{
	return s != NULL ? (uint32_t)strnlen(s, 4096) : 0;
}

static void
put_field(struct rspool_field *f, const char *name, const char *more)
{
	f->len = text_len(name);
	f->more = text_len(more);
	put(RSPOOL_FIELD, f, sizeof(*f), name, f->len, more, f->more);
}

static void
put_schema(struct rspool_schema *s, const char *name)
{
	s->len = text_len(name);
	put(RSPOOL_SCHEMA, s, sizeof(*s), name, s->len, NULL, 0);
}

static uint64_t
schema_register(void *domain, const struct nvtx_abi_schema *a)
{
	struct rspool_schema s = { 0 };
	struct rspool_field f = { 0 };
	size_t i;

	if (a == NULL || !inj_ready())
		return 0;
	s.id = f.schema = schema_id((a->mask & SCHEMA_ID) != 0, a->id);
	s.domain = f.domain = nvtx_domain_id(domain);
	s.type = (a->mask & SCHEMA_TYPE) != 0 ? a->type : 0;
	s.flags = (a->mask & SCHEMA_FLAGS) != 0 ? a->flags : 0;
	s.n = (a->mask & SCHEMA_N) != 0 ? a->n : 0;
	s.size = (a->mask & SCHEMA_SIZE) != 0 ? a->size : 0;
	s.align = (a->mask & SCHEMA_ALIGN) != 0 ? a->align : 0;
	put_schema(&s, (a->mask & SCHEMA_NAME) != 0 ? a->name : NULL);
	if ((a->mask & SCHEMA_ENTRIES) == 0 || a->entries == NULL)
		return s.id;
	for (i = 0; i < s.n && i < 1024; i++) {
		f.idx = (uint32_t)i;
		f.flags = a->entries[i].flags;
		f.type = a->entries[i].type;
		f.detail = a->entries[i].detail;
		f.offset = a->entries[i].offset;
		put_field(&f, a->entries[i].name, a->entries[i].description);
	}
	return s.id;
}

static uint64_t
enum_register(void *domain, const struct nvtx_abi_enum *a)
{
	struct rspool_schema s = { 0 };
	struct rspool_field f = { 0 };
	size_t i;

	if (a == NULL || !inj_ready())
		return 0;
	s.is_enum = f.is_enum = 1;
	s.id = f.schema = schema_id((a->mask & ENUM_ID) != 0, a->id);
	s.domain = f.domain = nvtx_domain_id(domain);
	s.n = (a->mask & ENUM_N) != 0 ? a->n : 0;
	s.size = (a->mask & ENUM_SIZE) != 0 ? a->size : 0;
	put_schema(&s, (a->mask & ENUM_NAME) != 0 ? a->name : NULL);
	if ((a->mask & ENUM_ENTRIES) == 0 || a->entries == NULL)
		return s.id;
	for (i = 0; i < s.n && i < 1024; i++) {
		f.idx = (uint32_t)i;
		f.type = a->entries[i].value;
		f.flags = (uint64_t)(a->entries[i].is_flag != 0);
		put_field(&f, a->entries[i].name, NULL);
	}
	return s.id;
}

static void
mark_payload(void *domain, const struct nvtx_abi_data *data, size_t n)
{
	nvtx_event(NVTX_IS_MARK, nvtx_domain_id(domain), NULL, 0, data, n);
}

static int
push_payload(void *domain, const struct nvtx_abi_data *data, size_t n)
{
	nvtx_event(NVTX_IS_PUSH, nvtx_domain_id(domain), NULL, 0, data, n);
	return -2;
}

static int
pop_payload(void *domain, const struct nvtx_abi_data *data, size_t n)
{
	(void)data;
	(void)n;
	nvtx_pop(nvtx_domain_id(domain));
	return -2;
}

static uint64_t
start_payload(void *domain, const struct nvtx_abi_data *data, size_t n)
{
	uint64_t id = atomic_fetch_add(&inj.next_range, 1) + 1;

	nvtx_event(NVTX_IS_START, nvtx_domain_id(domain), NULL, id, data, n);
	return id;
}

static void
end_payload(
    void *domain, uint64_t id, const struct nvtx_abi_data *data, size_t n)
{
	(void)domain;
	(void)data;
	(void)n;
	nvtx_range_end(id);
}

static uint8_t
is_enabled(void *domain)
{
	(void)domain;
	return 1;
}

INJ_EXPORT int InitializeInjectionNvtxExtension(struct nvtx_abi_module *m);

INJ_EXPORT int
InitializeInjectionNvtxExtension(struct nvtx_abi_module *m)
{
	const struct {
		size_t slot;
		intptr_t fn;
	} slots[] = {
		{ EXT_SCHEMA, (intptr_t)schema_register },
		{ EXT_ENUM, (intptr_t)enum_register },
		{ EXT_MARK, (intptr_t)mark_payload },
		{ EXT_PUSH, (intptr_t)push_payload },
		{ EXT_POP, (intptr_t)pop_payload },
		{ EXT_START, (intptr_t)start_payload },
		{ EXT_END, (intptr_t)end_payload },
		{ EXT_ENABLED, (intptr_t)is_enabled },
	};
	size_t i;

	if (m == NULL || !inj_ready() || !inj.opt.nvtx)
		return 0;
	if (m->module != NVTX_ABI_EXT_PAYLOAD || m->n_segments == 0 ||
	    m->segments == NULL || m->segments[0].slot == NULL)
		return 0;
	for (i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		if (slots[i].slot < m->segments[0].n)
			m->segments[0].slot[slots[i].slot] = slots[i].fn;
	return 1;
}
