/*
 * NVTX's payload extension without its headers: what they do to load a tool,
 * and one event of each kind.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvtx_own.h"

#define SLOTS 64

static intptr_t slot[SLOTS];

static int
load(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	struct nvtx_abi_segment segment = { 0, SLOTS, slot };
	struct nvtx_abi_module m = { 3, sizeof(m), NVTX_ABI_EXT_PAYLOAD, 257, 1,
		&segment, NULL, NULL };
	void *lib = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(struct nvtx_abi_module *);

	*(void **)&init =
	    lib != NULL ? dlsym(lib, "InitializeInjectionNvtxExtension") : NULL;
	return init != NULL && init(&m);
}

/* NOLINTNEXTLINE(bugprone-macro-parentheses) types */
#define CALL(type, i, params, args) ((type(*) params)slot[i]) args

/* struct { uint64_t size; int32_t op; } */
static uint64_t
register_schema(nvtxDomainHandle_t d, uint64_t op)
{
	const struct nvtx_abi_entry entries[] = {
		{ 0, 18, "Message size", "in bytes", 0, 0, NULL, NULL },
		{ 0, op, "Operation", NULL, 0, 8, NULL, NULL }
	};
	struct nvtx_abi_schema s = { SCHEMA_NAME | SCHEMA_TYPE |
					 SCHEMA_ENTRIES | SCHEMA_N |
					 SCHEMA_SIZE,
		"AllReduce", 1, 0, entries, 2, 16, 0, 0 };

	return CALL(uint64_t, EXT_SCHEMA,
	    (nvtxDomainHandle_t, const struct nvtx_abi_schema *), (d, &s));
}

static uint64_t
register_enum(nvtxDomainHandle_t d)
{
	const struct nvtx_abi_value values[] = { { "Sum", 0, 0 },
		{ "Max", 2, 0 } };
	struct nvtx_abi_enum e = { ENUM_NAME | ENUM_ENTRIES | ENUM_N |
				       ENUM_SIZE | ENUM_ID,
		"Operations", values, 2, 4, 16777236 };

	return CALL(uint64_t, EXT_ENUM,
	    (nvtxDomainHandle_t, const struct nvtx_abi_enum *), (d, &e));
}

/* sleep: with --arm the schemas come before what is recorded. */
int
main(int argc, char **argv)
{
	nvtxDomainHandle_t d = nvtxDomainCreateA("NCCL");
	struct {
		uint64_t size;
		int32_t op, pad;
	} value = { 4096, 2, 0 };
	struct nvtx_abi_data data = { 0, sizeof(value), &value };
	nvtxEventAttributes_t e;
	uint64_t id;

	if (!load())
		return 1;
	data.schema = register_schema(d, register_enum(d));
	if (argc > 1)
		sleep((unsigned)atoi(argv[1]));
	CALL(int, EXT_PUSH,
	    (nvtxDomainHandle_t, const struct nvtx_abi_data *, size_t),
	    (d, &data, 1));
	CALL(int, EXT_POP,
	    (nvtxDomainHandle_t, const struct nvtx_abi_data *, size_t),
	    (d, &data, 1));
	CALL(void, EXT_MARK,
	    (nvtxDomainHandle_t, const struct nvtx_abi_data *, size_t),
	    (d, &data, 1));
	id = CALL(uint64_t, EXT_START,
	    (nvtxDomainHandle_t, const struct nvtx_abi_data *, size_t),
	    (d, &data, 1));
	CALL(void, EXT_END,
	    (nvtxDomainHandle_t, uint64_t, const struct nvtx_abi_data *,
		size_t),
	    (d, id, &data, 1));
	memset(&e, 0, sizeof(e));
	e.version = NVTX_VERSION;
	e.size = sizeof(e);
	e.messageType = NVTX_MESSAGE_TYPE_ASCII;
	e.message.ascii = "ncclAllReduce";
	e.payloadType = NVTX_ABI_PAYLOAD_EXT;
	e.reserved0 = 1;
	e.payload.ullValue = (uint64_t)(uintptr_t)&data;
	nvtxDomainRangePushEx(d, &e);
	nvtxDomainRangePop(d);
	printf("schema %llu, enabled %d\n", (unsigned long long)data.schema,
	    CALL(uint8_t, EXT_ENABLED, (nvtxDomainHandle_t), (d)));
	return 0;
}
