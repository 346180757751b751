/* Broken databases; see tables.c. */
#ifndef TABLES_H
#define TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A good database to begin with; false if it cannot be read. */
bool tables_base(const char *path);

/* What a program makes of one of them; sqlite3_free() it. */
unsigned char *tables_break(const uint8_t *s, size_t n, size_t *size);

#endif
