/*
 * An instance of NVTX in a few lines: what the headers of NVTX do in a program,
 * for machines without them. Each function calls what a tool has put into its
 * slot.
 */
#ifndef NVTX_OWN_H
#define NVTX_OWN_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#include "../../cmd/dlp-record/lib/nvtx_abi.h"

static nvtx_abi_fn *nvtx_core[16], *nvtx_core2[16];
static nvtx_abi_fn **nvtx_core_slots[16], **nvtx_core2_slots[16];
static int nvtx_tried;
/* Instances of older headers have fewer slots. */
static unsigned nvtx_slots = 16;

static int
nvtx_table(unsigned module, nvtx_abi_fn ***out, unsigned *n)
{
	nvtx_abi_fn ****table = (void *)out;
	int i;

	for (i = 0; i < 16; i++) {
		nvtx_core_slots[i] = &nvtx_core[i];
		nvtx_core2_slots[i] = &nvtx_core2[i];
	}
	if (module != NVTX_ABI_CORE && module != NVTX_ABI_CORE2)
		return 0;
	*table = (void *)(module == NVTX_ABI_CORE ? nvtx_core_slots
						  : nvtx_core2_slots);
	*n = nvtx_slots;
	return 1;
}

static const void *
nvtx_export(uint32_t id)
{
	static const struct nvtx_abi_callbacks cb = { sizeof(cb), nvtx_table };

	return id == NVTX_ABI_CALLBACKS ? &cb : NULL;
}

static nvtx_abi_fn *
nvtx_slot(nvtx_abi_fn **table, unsigned slot)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	int (*init)(nvtx_abi_export *);
	void *lib;

	if (!nvtx_tried) {
		nvtx_tried = 1;
		lib = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
		*(void **)&init =
		    lib != NULL ? dlsym(lib, "InitializeInjectionNvtx2") : NULL;
		if (init != NULL)
			init(nvtx_export);
	}
	return table[slot];
}

#define NVTX_FN(type, table, slot) ((type)nvtx_slot(nvtx_##table, slot))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtx_domain *nvtxDomainHandle_t;
typedef struct nvtx_string *nvtxStringHandle_t;

/* The structure of events, with the names that programs know. */
typedef struct {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType, reserved0;
	union {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	union {
		const char *ascii;
		const wchar_t *unicode;
		nvtxStringHandle_t registered;
	} message;
} nvtxEventAttributes_t;

enum {
	NVTX_VERSION = 3,
	NVTX_COLOR_ARGB = 1,
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_REGISTERED = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64,
	NVTX_PAYLOAD_TYPE_DOUBLE,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
	NVTX_PAYLOAD_TYPE_INT32,
	NVTX_PAYLOAD_TYPE_FLOAT,
};

/* Functions: the type of the result, the name, the table and its slot, what is
 * returned without a tool, the parameters with and without their types. */
#define NVTX_CALL(type, name, table, slot, none, params, args)                 \
	static inline type name params                                         \
	{                                                                      \
		typedef type fn params;                                        \
		fn *call = NVTX_FN(fn *, table, slot);                         \
                                                                               \
		return call != NULL ? call args : none;                        \
	}
#define NVTX_DO(name, table, slot, params, args)                               \
	static inline void name params                                         \
	{                                                                      \
		typedef void fn params;                                        \
		fn *call = NVTX_FN(fn *, table, slot);                         \
                                                                               \
		if (call != NULL)                                              \
			call args;                                             \
	}

NVTX_CALL(int, nvtxRangePushA, core, CORE_PUSH_A, -2, (const char *s), (s))
NVTX_CALL(int, nvtxRangePushW, core, CORE_PUSH_W, -2, (const wchar_t *s), (s))
NVTX_CALL(int, nvtxRangePushEx, core, CORE_PUSH_EX, -2,
    (const nvtxEventAttributes_t *e), (e))
NVTX_CALL(int, nvtxRangePop, core, CORE_POP, -2, (void), ())
NVTX_CALL(
    nvtxRangeId_t, nvtxRangeStartA, core, CORE_START_A, 0, (const char *s), (s))
NVTX_DO(nvtxRangeEnd, core, CORE_END, (nvtxRangeId_t id), (id))
NVTX_DO(nvtxMarkA, core, CORE_MARK_A, (const char *s), (s))
NVTX_DO(nvtxMarkEx, core, CORE_MARK_EX, (const nvtxEventAttributes_t *e), (e))
NVTX_DO(nvtxNameCategoryA, core, CORE_CATEGORY_A, (uint32_t id, const char *s),
    (id, s))
NVTX_DO(nvtxNameOsThreadA, core, CORE_THREAD_A, (uint32_t id, const char *s),
    (id, s))
NVTX_CALL(nvtxDomainHandle_t, nvtxDomainCreateA, core2, CORE2_DOMAIN_A, NULL,
    (const char *s), (s))
NVTX_CALL(nvtxStringHandle_t, nvtxDomainRegisterStringA, core2, CORE2_STRING_A,
    NULL, (nvtxDomainHandle_t d, const char *s), (d, s))
NVTX_CALL(int, nvtxDomainRangePushEx, core2, CORE2_PUSH_EX, -2,
    (nvtxDomainHandle_t d, const nvtxEventAttributes_t *e), (d, e))
NVTX_CALL(
    int, nvtxDomainRangePop, core2, CORE2_POP, -2, (nvtxDomainHandle_t d), (d))
NVTX_CALL(nvtxRangeId_t, nvtxDomainRangeStartEx, core2, CORE2_START_EX, 0,
    (nvtxDomainHandle_t d, const nvtxEventAttributes_t *e), (d, e))
NVTX_DO(nvtxDomainMarkEx, core2, CORE2_MARK_EX,
    (nvtxDomainHandle_t d, const nvtxEventAttributes_t *e), (d, e))

#endif
