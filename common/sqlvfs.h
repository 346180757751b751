/*
 * A way for SQLite to read a file that nobody writes: where pages are asked
 * for one after the other, as in a pass over a table, several come with one
 * call of the system; for each of them alone it would cost more than the
 * page.
 */
#ifndef DLP_SQLVFS_H
#define DLP_SQLVFS_H

/* Its name, to open with; NULL, which is SQLite's own way, if there is
 * trouble. Connections to be opened as immutable only. */
const char *sqlvfs_ahead(void);

#endif
