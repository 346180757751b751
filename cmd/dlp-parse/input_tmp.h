/*
 * What the parts of input share: the one temporary file, and the ways to
 * fill it.
 */
#ifndef DLP_INPUT_TMP_H
#define DLP_INPUT_TMP_H

#include <stddef.h>

/* A path for a new file in a private folder under TMPDIR; it is removed by
 * tmp_remove(), at exit, and when a signal ends the process. Valid until
 * tmp_remove(); one at a time. */
const char *tmp_make(void);

/* A second path beside it, for messages of nsys. */
const char *tmp_log(void);
void tmp_remove(void);

enum zip { ZIP_NONE, ZIP_XZ, ZIP_ZSTD, ZIP_GZIP };

/* The compression by the first bytes of a file. */
enum zip zip_kind(const unsigned char *s, size_t n);

/* Copies the n bytes in head and then everything from fd into the file at
 * tmp_make()'s path, decompressed. name is for messages; failures are
 * fatal. Returns the path. */
const char *zip_copy(enum zip kind, const char *name, int fd,
    const unsigned char *head, size_t n);

/* Runs "nsys export" on the report at path; returns the path of the
 * database. Fatal, with the command to run, if there is no nsys. */
const char *nsys_export(const char *path);

#endif
