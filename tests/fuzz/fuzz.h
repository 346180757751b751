/* Between the parts of the fuzzed command: see command.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the command's input file out of the fuzzer's bytes. */
void fuzz_input(int fd, const uint8_t *data, size_t n);

/* What the command allocated and did not free. */
void memory_free_all(void);

/* In the place of the C library's, in the command. */
void dlp_exit(int status) __attribute__((noreturn));
int dlp_atexit(void (*f)(void));
void *dlp_malloc(size_t n);
void *dlp_calloc(size_t n, size_t size);
void *dlp_realloc(void *p, size_t n);
void dlp_free(void *p);

#endif
