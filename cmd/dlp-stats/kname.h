/* The names of kernels: in full, their short ones, mangled. */
#ifndef STATS_KNAME_H
#define STATS_KNAME_H

#include <stddef.h>
#include <stdint.h>

enum kname { KN_FULL, KN_BASE, KN_MANGLED, KN_N };

/* ":base" and the like; -1 if it is none. */
int kname_mode(const char *s);

void kname_section(void);

/* A str record: escaped texts, NULL if unset. */
struct kname_text {
	const char *s;
	size_t n;
};
void kname_str(int64_t id, const struct kname_text t[KN_N]);

/* A kernel's number by name_id, or by the name that its record has itself. */
uint32_t kname_kernel(int64_t id, const char *s, size_t n);

/* Its name, as a number that is the same for the same text, and as text. */
uint32_t kname_id(uint32_t kernel, enum kname mode);
const char *kname_text(uint32_t name, size_t *n);

#endif
