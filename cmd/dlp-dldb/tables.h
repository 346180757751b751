/* The tables of DLProf 1.8.0's database, as data. */
#ifndef DLP_DLDB_TABLES_H
#define DLP_DLDB_TABLES_H

struct table {
	const char *name, *cols; /* cols: see tables.c */
};

extern const struct table tables[]; /* ends with a name that is NULL */

/* The next word of the columns, of *n bytes, from *p on, which is moved; NULL
 * at their end. */
const char *table_word(const char **p, int *n);

/* Columns of a table, id among them; fatal if there is no such table. */
int table_ncols(const char *name);

#endif
