/* The run of an op that goes on now on a thread. */
#ifndef DLP_CURRENT_H
#define DLP_CURRENT_H

struct corr;
struct inst;
struct thread;

/* What work launched now belongs to, or NULL; the thread must be swept. */
struct inst *current_inst(struct corr *c, struct thread *th);

#endif
