/* What PyProf looks at around a launch; shared by pyprof*.c only. */
#ifndef DLP_PYPROF_IMPL_H
#define DLP_PYPROF_IMPL_H

#include "corr.h"

#define SEQ_MAX 48 /* markers with sequence ids around one launch */

struct pyk {
	int64_t seq[SEQ_MAX]; /* ascending, each once */
	int n_seq;
	struct pyname {
		int64_t seq;
		uint32_t id;
		const char *s; /* of corr.names */
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
void pyk_gather(const struct corr *c, const struct thread *th, struct pyk *k);

/* Direction and list of ops (as a hash) of what was gathered. */
void pyk_judge(struct pyk *k);

/* A name that ends in Backward or backward. */
bool pyk_is_bwd(const struct pyname *x);

#endif
