/* The merge; what the input's metadata becomes. */
#ifndef MERGE_RUN_H
#define MERGE_RUN_H

#include <stdbool.h>

#include "out.h"

struct run {
	int argc; /* for our ##cmd */
	char *const *argv;
	char **paths;
	int n;
	bool ranks; /* number them, align by collectives */
};

/* The exit status. */
int run_merge(const struct run *run);

#endif
