/*
 * Products inside ops. An op is what the program called; below it the
 * framework calls products that have sizes of their own: aten::mm in an LSTM
 * cell, in einsum, in a compiled graph, in the backward of a linear. What
 * arithmetic was done, those sizes tell best.
 */
#ifndef DLP_PRIM_H
#define DLP_PRIM_H

#include "map.h"
#include "marker.h"
#include "thread.h"

#define PRIM_WAIT 256 /* convolutions whose result nobody has taken yet */

struct prims {             /* zeroed: empty */
	struct smap ident; /* name and sizes -> number + 1 */
	struct buf key;
	uint64_t n_run;
	struct prim_wait {
		const struct proc *p;
		int64_t op_id; /* of a range whose result it may be; -1: not
				  known; 0: free */
		uint64_t run;
	} wait[PRIM_WAIT];
	size_t next, n_wait;
};

/* If o, the top of the thread with that text, is a product with sizes, it is
 * the primitive of what is launched under it; writes its record if it is a
 * new one. up: the range under o. */
void prim_begin(struct prims *t, struct thread *th, struct open *o,
    const struct open *up, const struct marker *m);

/* The inputs of a range of the process: one may be the result of a
 * convolution, which its own sizes do not tell. */
void prim_inputs(struct prims *t, const struct proc *p, const struct marker *m);

/* A backward of the run: its first input has the size of the result. */
void prim_backward(struct prims *t, uint64_t run, const struct marker *m);

void prims_free(struct prims *t);

#endif
