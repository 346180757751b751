/*
 * A side of the comparison: the steps of one run, or of several, and which of
 * them count.
 */
#ifndef DIFF_SIDE_H
#define DIFF_SIDE_H

#include "map.h"
#include "mview.h"

#define STEP_NONE UINT32_MAX

struct step {
	uint32_t run;
	int64_t iter;
	int64_t ns, gpu_ns, n_kern; /* where has; of one piece without the
				       time before the first GPU work and
				       behind the last */
	bool has;                   /* its iter record has come */
	bool used;
	uint32_t pos; /* its number among those that are */
};

struct run {        /* a section's file: iterations of its own */
	char *key;  /* what cuts it; NULL: it is one piece */
	char *name; /* escaped, of the file; NULL: that of the side */
	int64_t n, from, to;
};

struct side {
	char *name;               /* escaped */
	size_t n_section, n_open; /* n_open: of them without an end */
	bool left_out;            /* of what is joined */
	bool by_cmd;              /* its name is taken from ##cmd */
	struct run *run;
	size_t n_run;
	struct step *step;
	size_t n, cap, n_used;
	struct map at;    /* run and iteration -> step */
	uint64_t outside; /* GPU work that lies in no step */
	bool cut;         /* it has steps, and is not one piece */
	struct smap info; /* facts, "cuda 13.0", to tell the sides apart */
};

/* A run of a file; NULL: its name is the side's. */
uint32_t side_new_run(struct side *s, struct mview file);

/* A file's name without its folder, to be freed; NULL if nothing is left. */
char *side_file_name(struct mview path);

/* The number of an iteration of a run, made if it is new. */
uint32_t side_step(struct side *s, uint32_t run, int64_t iter);

struct trim {             /* which steps count */
	bool all;         /* not only the even ones */
	int64_t from, to; /* or these; to < 0: unset */
};

/* Chooses the steps that count, of each run. */
void side_trim(struct side *s, const struct trim *how);

/* A line on standard error: which steps count, and why. */
void side_say(const struct side *s, const char *label, const struct trim *how);

#endif
