/* The rank that a profile itself tells. */
#ifndef DLP_PARSE_RANKS_FIND_H
#define DLP_PARSE_RANKS_FIND_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* From MPI's table, from the environment or command line of the recorder, or
 * from a text of NVTX ("rank 3"). local: it is only the rank on its host.
 * False if it tells none, or several. */
bool ranks_find(sqlite3 *db, int64_t *rank, bool *local);

#endif
