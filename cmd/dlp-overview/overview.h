/*
 * What the overview knows of a profile. The facts are gathered from a stream
 * (overview_read), then written as a record (overview_row) or as text for
 * people (overview_screen).
 *
 * Times are in ns. They are doubles, as shares and means of them follow; sums
 * are exact below 2^53 ns, which is 104 days.
 */
#pragma once

#include "map.h"
#include "stage.h"

/* Sums by name. */
struct tally {
	struct smap name;
	struct tally_sum {
		double ns;
		bool taken; /* tally_take() has given it already */
	} * sum;
	size_t cap;
};

/* The sum of a name, 0 at first; valid until the next name. */
double *tally_at(struct tally *t, const char *name, size_t n);

/* The name with the greatest sum, the first in the alphabet of equals; NULL if
 * there is none. tally_take() does not find it a second time. */
const char *tally_best(const struct tally *t, double *ns);
const char *tally_take(struct tally *t, double *ns);

/* The classes that a busy record's time is shown by. */
enum overview_class {
	OV_TC,
	OV_KERN,
	OV_GRAPH,
	OV_COMM,
	OV_MEM,
	OV_IDLE,
	OV_DATALOAD, /* a part of OV_IDLE */
	OV_CLASSES,
};

struct overview_device { /* of a file */
	bool used;
	uint32_t src; /* the file, a place in steps */
	double ns[OV_CLASSES];
	double between, between_idle; /* between two steps */
};

struct overview_steps { /* of a file: those that count */
	bool known;     /* a stable record came */
	bool all;       /* no two are alike, so all count */
	double from, to;
	double n; /* how many */
};

struct overview_op {
	double longest; /* of its kernels, by name */
	char *kernel;
	bool tc; /* the kernel uses Tensor Cores */
};

struct overview_finding {
	char *id, *problem, *evidence, *advice;
	char *share; /* in percent; "-": unknown */
	double pct;  /* of a step, that mending it gains, or share, or -1 */
	double step, fixed; /* ns of a step, and if it is mended; 0: unknown */
	double gain;        /* ns of a step; -1: unknown */
	bool little;        /* that gains hardly anything */
	char *where;        /* the view that shows it */
	char *src;          /* the file where the share is greatest */
	int n_file;
};

enum overview_info {
	OV_DIALECT,
	OV_RECORDER,
	OV_DLPROF,
	OV_SCHEMA,
	OV_DRIVER,
	OV_CUDA,
	OV_TIMES,
	OV_HIP,
	OV_FRAMEWORK,
	OV_PRODUCT,
	OV_MARKER_NS,
	OV_STEP,
	OV_STEP_BARE,
	OV_STEP_ALL,
	OV_PATTERN, /* every N OF NS CLASS, as dlp-advise has it */
	OV_MEMORY,  /* bytes */
	OV_VENDOR,
	OV_ACTIVITIES,
	OV_OPTIONS,
	OV_SERVING,
	OV_WORLD,
	OV_INFOS,
};

extern const char *const overview_infos[OV_INFOS]; /* their names */

#define OVERVIEW_SEP "\034" /* between two names that make one */

struct overview {
	struct buf both;  /* overview_read.c */
	const char *file; /* the profile's name; NULL: unknown */
	char *cmd_file;   /* as dlp-parse was given it */
	bool ended;       /* a section was whole */
	char *info[OV_INFOS];
	int n_src; /* files that the stream names */
	bool amd;  /* AMD's GPUs */
	bool no_tf32;

	/* GPUs */
	struct smap dev_name; /* its value: how many devices have it */
	struct smap uuid;     /* number and uuid of devices */
	struct smap dev_key;  /* file and device: a place in dev */
	struct overview_device *dev;
	size_t dev_cap;
	int n_gpu; /* devices that are used; overview_total() */
	bool any_work;

	/* steps */
	struct smap src; /* its value: a place in steps */
	struct overview_steps *steps;
	size_t steps_cap;
	double n_cut; /* all steps that the profile has */
	double n_all, n_used, mean, sq;
	double n_marked, marked; /* steps with ranges of ops, where others have
				  * none, and the sum of their lengths */
	int n_stable;            /* files with steps */
	bool no_std, differ;
	char *first, *last, *within, *agree; /* of the last file */
	bool tf32;            /* products use it, as dlp-advise says */
	bool replays;         /* graphs, as dlp-advise says */
	double n_once;        /* steps left out because of work done once */
	double all_ns, all_n; /* steps after warm-up, slow ones as well */
	double n_slow;
	double n_warm; /* steps left out as warm-up, if knows_warm */
	bool knows_warm;

	/* time of the steps that count; overview_total() */
	double ns[OV_CLASSES], wall, between, between_idle;
	double mfu, mfu_ns; /* of steps of that length; NAN: unknown */
	bool timed;
	double n_device_step; /* steps, of each device that is used */

	/* work launched in them */
	struct tally op, no_op_why, kern, why, slow_why, why_op;
	struct overview_op *ops; /* by the number of their name in op */
	size_t ops_cap;
	double n_kern, work, comm_work, no_op, kern_ns, graph_ns, no_shapes,
	    opless, no_flop, no_capture, no_verdict, tc_dark, eligible, slow;
	double n_judged;
	struct tally gap, phase;
	double before, behind; /* all work of the GPU */
	char *edge_api;
	double edge_api_ns;
	char *try_key; /* what could be a step */

	struct overview_finding *found;
	int n_found, found_cap;
	struct smap fired, unjudged; /* rules */
};

/* Asks the stage for the records that count. */
void overview_read(struct overview *o, struct stage *st);

/* At the end of the input: what the devices have together. */
void overview_total(struct overview *o);
void overview_free(struct overview *o);

/* A fact of the session, "-" if it is not known. */
const char *overview_fact(const struct overview *o, enum overview_info i);

/* The GPUs by name, with their number; "-" if there is none. */
void overview_gpus(const struct overview *o, struct buf *text);

/* The standard deviation of the steps' length; false if it is not known. */
bool overview_std(const struct overview *o, double *ns);

/* A section with the record of the profile; and with that of one that could
 * not be analysed. */
void overview_row(const struct overview *o);
/* Its fields up to top_op, as records have them, to out_buf. */
void overview_fields(const struct overview *o);
void overview_row_failed(const char *file, const char *error);

struct overview_how { /* how the commands on the screen are to be typed */
	int width;
	const char *key, *iters; /* the options that chose steps, or NULL */
	bool piped;              /* the profile came from standard input */
	bool verbose;            /* all that is known, not 30 lines */
	bool color;
	bool json; /* an object for programs in the place of the screen */
};

void overview_screen(struct overview *o, const struct overview_how *how);
/* The object of JSON of a profile that could not be analysed. */
void overview_json_failed(const char *file, const char *error);
