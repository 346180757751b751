/*
 * The part of NVTX's binary interface that the recorder needs: how a tool gets
 * the tables of an instance, the numbers of their slots, and the structures
 * that programs pass. abi_check.c compares it with NVTX's headers where they
 * are installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NVTX_ABI_CALLBACKS 1u /* id of an export table */

enum { /* modules: groups of functions */
	NVTX_ABI_CORE = 1,
	NVTX_ABI_CUDA = 2,
	NVTX_ABI_CUDART = 4,
	NVTX_ABI_CORE2 = 5,
};

enum { /* slots of NVTX_ABI_CORE */
	CORE_MARK_EX = 1,
	CORE_MARK_A,
	CORE_MARK_W,
	CORE_START_EX,
	CORE_START_A,
	CORE_START_W,
	CORE_END,
	CORE_PUSH_EX,
	CORE_PUSH_A,
	CORE_PUSH_W,
	CORE_POP,
	CORE_CATEGORY_A,
	CORE_CATEGORY_W,
	CORE_THREAD_A,
	CORE_THREAD_W,
};

enum { /* slots of NVTX_ABI_CORE2 */
	CORE2_MARK_EX = 1,
	CORE2_START_EX,
	CORE2_END,
	CORE2_PUSH_EX,
	CORE2_POP,
	CORE2_RESOURCE_CREATE,
	CORE2_RESOURCE_DESTROY,
	CORE2_CATEGORY_A,
	CORE2_CATEGORY_W,
	CORE2_STRING_A,
	CORE2_STRING_W,
	CORE2_DOMAIN_A,
	CORE2_DOMAIN_W,
	CORE2_DOMAIN_DESTROY,
	CORE2_INITIALIZE,
};

enum { /* slots of NVTX_ABI_CUDA and NVTX_ABI_CUDART */
	CUDA_DEVICE_A = 1,
	CUDA_CONTEXT_A = 3,
	CUDA_STREAM_A = 5,
	CUDART_DEVICE_A = 1,
	CUDART_STREAM_A = 3,
};

enum { /* slots of the payload extension, module 2 */
	NVTX_ABI_EXT_PAYLOAD = 2,
	EXT_SCHEMA = 0,
	EXT_ENUM = 1,
	EXT_MARK = 2,
	EXT_PUSH = 3,
	EXT_POP = 4,
	EXT_START = 5,
	EXT_END = 6,
	EXT_ENABLED = 7,
};

typedef void nvtx_abi_fn(void);

struct nvtx_abi_callbacks {
	size_t size;
	int (*table)(unsigned module, nvtx_abi_fn ***out, unsigned *n);
};

typedef const void *nvtx_abi_export(uint32_t table);

enum { NVTX_ABI_TEXT = 1, NVTX_ABI_WIDE = 2, NVTX_ABI_REGISTERED = 3 };

#define NVTX_ABI_PAYLOAD_EXT ((int32_t)0xDFBD0009)

struct nvtx_abi_event {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved; /* payload_type EXT: the number of payloads */
	uint64_t payload;
	int32_t message_type;
	int32_t pad;
	const void *message;
};

struct nvtx_abi_segment {
	size_t id, n;
	intptr_t *slot;
};

struct nvtx_abi_module { /* of an extension */
	uint16_t version, size, module, compat;
	size_t n_segments;
	struct nvtx_abi_segment *segments;
	void *export_fn;
	const void *info;
};

struct nvtx_abi_entry {
	uint64_t flags, type;
	const char *name, *description;
	uint64_t detail, offset;
	const void *semantics, *reserved;
};

enum { /* which fields of a schema are set */
	SCHEMA_NAME = 1 << 1,
	SCHEMA_TYPE = 1 << 2,
	SCHEMA_FLAGS = 1 << 3,
	SCHEMA_ENTRIES = 1 << 4,
	SCHEMA_N = 1 << 5,
	SCHEMA_SIZE = 1 << 6,
	SCHEMA_ALIGN = 1 << 7,
	SCHEMA_ID = 1 << 8,
	ENUM_NAME = 1 << 1,
	ENUM_ENTRIES = 1 << 2,
	ENUM_N = 1 << 3,
	ENUM_SIZE = 1 << 4,
	ENUM_ID = 1 << 5,
};

struct nvtx_abi_schema {
	uint64_t mask;
	const char *name;
	uint64_t type, flags;
	const struct nvtx_abi_entry *entries;
	size_t n, size, align;
	uint64_t id;
};

struct nvtx_abi_value {
	const char *name;
	uint64_t value;
	int8_t is_flag;
};

struct nvtx_abi_enum {
	uint64_t mask;
	const char *name;
	const struct nvtx_abi_value *entries;
	size_t n, size;
	uint64_t id;
};

struct nvtx_abi_data {
	uint64_t schema;
	size_t size;
	const void *payload;
};
