/*
 * Work in a second thread, beside that of the first one.
 */
#ifndef DLP_BESIDE_H
#define DLP_BESIDE_H

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

/* Whether there is more than one processor for us. */
bool beside_can(void);

/* Begins work(arg) in a thread; then done(arg), also if work() has died; done
 * may be NULL. False if there is no thread to be had: nothing has begun.
 * b stays where it is until the end. */
bool beside_begin(
    struct beside *b, void (*work)(void *), void (*done)(void *), void *arg);

void beside_end(struct beside *b); /* waits for the end */

/* Says what work() died of, and ends the process, if it did. */
void beside_say(const struct beside *b);

#endif
