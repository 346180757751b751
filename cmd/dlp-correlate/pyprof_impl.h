/* What PyProf looks at around a launch; shared by pyprof*.c only. */
#ifndef DLP_PYPROF_IMPL_H
#define DLP_PYPROF_IMPL_H

#include "names.h"
#include "pyprof.h"
#include "thread.h"

#define SEQ_MAX 48 /* markers with sequence ids around one launch */

struct pyk {
	int64_t seq[SEQ_MAX]; /* ascending, each once */
	int n_seq;
	struct pyname {
		int64_t seq;
		uint32_t id;
		const char *s; /* of struct names */
		size_t n;
	} name[SEQ_MAX]; /* in PyProf's order, pruned */
	int n_name;
	const struct open *args; /* outermost argument marker */
	const struct open *other;
	uint64_t op; /* hash of the list of ops */
	bool bwd, cell;
};

void pyk_add_seq(struct pyk *k, int64_t seq);

/* The markers open on the thread, in PyProf's order and pruned as it does. */
void pyk_gather(
    const struct names *names, const struct thread *th, struct pyk *k);

/* Direction and list of ops (as a hash) of what was gathered. */
void pyk_judge(struct pyk *k);

/* The columns seq, altseq and sub of what was gathered, and of a kernel whose
 * texts are newer than PyProf: its op's own, the others around the launch
 * beside it. */
void pyk_number(const struct names *names, struct proc *p, struct pyk *k,
    struct pycols *o, const struct place *pl);
void pyk_by_run(const struct work *w, const struct place *pl, struct pyk *k,
    struct pycols *o);

/* A name that ends in Backward or backward. */
bool pyk_is_bwd(const struct pyname *x);

#endif
