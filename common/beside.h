/* Runs work in a second thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "err.h"

struct beside {
	void (*work)(void *);
	void (*done)(void *);
	void *arg;
	pthread_t id;
	struct err_kept kept;
};

/* True if the process can use more than one processor. */
bool beside_can(void);

/* Begins work(arg) in a thread; then calls done(arg), even if work() has died;
 * done may be NULL. False if no thread can be started: nothing has begun. b
 * must stay valid until the end. */
bool beside_begin(
    struct beside *b, void (*work)(void *), void (*done)(void *), void *arg);

void beside_end(struct beside *b); /* waits for the end */

/* If work() died, prints its message and ends the process. */
void beside_say(const struct beside *b);
