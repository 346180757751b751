/*
 * The devices of a section, by their file (column src), as numbers are of a
 * file; of a record that names none, or a file without devices, all count.
 */
#ifndef RATE_DEVS_H
#define RATE_DEVS_H

#include <stdint.h>

#include "gpus.h"

/* src NULL: it names no file. */
void devs_add(const char *src, size_t n, int64_t dev, const struct gpu *g);

/* The device of that number, what all are; NULL if it is not known, or they
 * differ. Valid until the next devs_add(). */
const struct gpu *devs_find(const char *src, size_t n, int64_t dev);
const struct gpu *devs_all(const char *src, size_t n);

void devs_forget(void);

#endif
