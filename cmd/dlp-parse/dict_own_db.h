/*
 * The temporary database of dict_own.h: in it lines become rows of ranges (r),
 * nodes of graphs (n) and kernels (k). All failures are fatal.
 */
#ifndef DLP_PARSE_DICT_OWN_DB_H
#define DLP_PARSE_DICT_OWN_DB_H

#include <sqlite3.h>
#include <stdbool.h>

/* The columns of k. */
enum {
	K_T,
	K_PID,
	K_TID,
	K_IDX,
	K_START,
	K_DUR,
	K_API,
	K_API_DUR,
	K_DEV,
	K_STREAM,
	K_GRID,
	K_BLOCK = K_GRID + 3,
	K_SHORT = K_BLOCK + 3,
	K_NAME,
	K_NODE
};

/* The statements that add a row; NULL before own_db_open(). */
extern sqlite3_stmt *own_db_r, *own_db_n, *own_db_k;

/* Makes it, at the first call. */
void own_db_open(void);
bool own_db_is_open(void);
void own_db_close(void);

/* Ends with the database's message if rc is a failure. */
void own_db_ok(int rc);
sqlite3_stmt *own_db_statement(const char *sql);

#endif
