/* The phase of what happens now. */
#ifndef DLP_PHASE_H
#define DLP_PHASE_H

#include <stdbool.h>

struct proc;
struct thread;
struct threads;

/* The phase of work launched now on a thread (NULL: none), or 0; *guess: it
 * is that of another thread's range. */
int phase_now(
    struct threads *ts, struct proc *p, struct thread *th, bool *guess);

#endif
