/*
 * Work that a run of an op does in many kernels, each of which has a part that
 * nothing tells: it is shared among them by their time, which is known when
 * the run closes.
 */
#ifndef FLOPS_SHARE_H
#define FLOPS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel of the run that carries a share; *is_first: the run's first.
 * False: the run's work is given already. */
bool share_add(int64_t inst, int64_t dur_ns, bool *is_first);

/* The run has no further kernels; true if it had one. */
bool share_close(int64_t inst);

/* The kernel's share, in the order of share_add; total is that of the run.
 * False: the run was not closed when its kernels had to go. */
bool share_take(int64_t inst, int64_t total, int64_t dur_ns, int64_t *flop);

/* The kernels so far have gone: what is open now will not be shared. */
void share_give_up(void);
void share_forget(void); /* a section begins */

#endif
