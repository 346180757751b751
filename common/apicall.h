/*
 * API calls of CUDA and HIP: which make the thread that calls wait for a GPU.
 */
#pragma once

#include <stddef.h>

enum apicall_kind {
	APICALL_OTHER,
	APICALL_WAITS,     /* returns only when a GPU has done its work */
	APICALL_ALLOCATES, /* memory; waits too, while work runs */
	APICALL_LOADS,     /* code */
};

/* The length of a name without the suffixes of its version (_v2, _v10000) and
 * of its stream (_ptds, _ptsz, _spt). */
size_t apicall_base(const char *s, size_t n);

enum apicall_kind apicall_kind(const char *s, size_t n);

/* The kind of the synchronization that a call makes, as sync records have it,
 * NULL if it makes none. */
const char *apicall_sync(const char *s, size_t n);
