/*
 * A table made ahead, on another processor, while the one before it is
 * written: by a child, into a file without a name. The child ends with us, or
 * a second later.
 *
 *	if (ahead_fork(&a)) {  in the child
 *		print the second table
 *		ahead_exit();
 *	}
 *	print the first table
 *	ahead_copy(&a);
 */
#ifndef STATS_AHEAD_H
#define STATS_AHEAD_H

#include <stdbool.h>
#include <sys/types.h>

struct ahead {
	pid_t pid; /* -1: there is no child, as fork() failed */
	int fd;
};

bool ahead_fork(struct ahead *a);
void ahead_exit(void) __attribute__((noreturn));

/* Waits for the child, and writes what it wrote; false if there was none. Its
 * failure, of which it has told, is ours. */
bool ahead_copy(struct ahead *a);

#endif
