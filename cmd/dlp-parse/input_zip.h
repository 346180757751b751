/* Unpacking into the temporary file. */
#ifndef DLP_PARSE_INPUT_ZIP_H
#define DLP_PARSE_INPUT_ZIP_H

#include <stddef.h>

enum zip { ZIP_NONE, ZIP_XZ, ZIP_ZSTD, ZIP_GZIP };

/* The compression by the first bytes of a file. */
enum zip zip_kind(const unsigned char *s, size_t n);

/* Copies the n bytes in head and then everything from fd into the file at
 * tmp_make()'s path, decompressed. name is for messages; failures are
 * fatal. Returns the path. */
const char *zip_copy(enum zip kind, const char *name, int fd,
    const unsigned char *head, size_t n);

/* What unpacks the input of that name, if it was the last that was unpacked
 * here: xz, zstd or gzip; else NULL. */
const char *zip_tool(const char *name);

#endif
