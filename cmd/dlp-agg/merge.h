/*
 * --merge: results of dlp-agg, read as records, become the result of all that
 * they are of. Those of --partial carry what is needed; of others only what
 * their columns tell is merged.
 */
#ifndef AGG_MERGE_H
#define AGG_MERGE_H

#include <stdbool.h>

struct plan;

/* Reads the files (NULL: standard input) to their ends and writes the
 * results; argv is for our ##cmd. The exit status. */
int merge_run(
    struct plan *plan, char **paths, int n, int argc, char *const *argv);

#endif
