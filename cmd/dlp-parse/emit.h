/*
 * Writes the facts of a profile, then its events, as records of dlp-records(5)
 * to standard output.
 */
#pragma once

#include <stddef.h>

#include "dialect.h"
#include "event.h"
#include "map.h"
#include "out.h"

struct profile;
struct json_doc;

struct emit {                /* the output of a run; all zero except the
			      * options */
	bool with_src;       /* records have the file's name, */
	bool with_rank;      /* their rank, */
	bool with_ops;       /* and work records their op: databases that hold
			      * ops */
	bool with_allocator; /* memory has allocated_bytes and tid */
	unsigned with_code;  /* CODE_*: which records have the place in the
			      * user's code */
	bool rows;           /* --rows: places in the file, which break ties
			      * between equal events */
	bool kernel_names;   /* --kernel-names: str records have all columns */
	struct out_type *types[EV_KINDS], *str_type;
	struct emit_field *fields[EV_KINDS]; /* those that records have */
	struct out_type *dev_type, *proc_type, *thread_type;
	/* databases that hold ops; declared at their first record */
	struct out_type *op_type, *inst_type, *finding_type;
	int64_t ids, op_ids, inst_ids; /* given so far, over all files */
	uint32_t strs;
	struct smap stacks; /* text -> id of its str record, as value */
	struct buf code;
	uint64_t end_before_start, never_closed;
	struct work_op op; /* the op of the calls and work that are written
			    * next */
};

/* Declares the record types. The options must be set before. */
void emit_open(struct emit *o);

/* Every event except GPU work. n_gpu: of a call, how many activities it
 * launched. */
void emit_event(struct profile *p, const struct event *ev, uint64_t n_gpu);

/* GPU work. call is NULL if it is unknown. own: the call has a record of its
 * own. */
void emit_gpu(struct profile *p, const struct event *ev,
    const struct event *call, bool own);

/* Asks the dialect which op the event belongs to; the records written next get
 * that op. */
void emit_op_of(struct profile *p, const struct event *ev);

void emit_notes(const struct emit *o);

/* Fields of records. */
static inline void
emit_num(int64_t v) /* unset if EV_UNSET */
{
	out_opt(v != EV_UNSET, v);
}

static inline void
emit_text(const char *s) /* unset if NULL */
{
	out_text(s, s != NULL ? strlen(s) : 0);
}

void emit_dur(struct emit *o, int64_t start, int64_t end);
void emit_src(const struct profile *p); /* file and rank, if the output has
					 * them */

struct dev_fact {
	int64_t dev;
	const char *name;           /* NULL: unset */
	int64_t cc_major, cc_minor; /* EV_UNSET: unset, as all below */
	int64_t n_sm, clock_hz, mem_bytes, membw_bytes_s;
	const char *uuid;
};

/* Writes an ##info line. With --ranks the first rank's origin of time applies
 * to all, so the other ranks' origins are left out. */
void fact_info(const struct profile *p, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A number that the outermost object of a JSON text has; EV_UNSET: none. */
int64_t fact_member(const struct json_doc *d, const char *key);
void fact_dev(const struct profile *p, const struct dev_fact *d);
void fact_proc(const struct profile *p, int64_t pid, const char *name);
/* prio: EV_UNSET for none; written with --rows. */
void fact_thread(const struct profile *p, int64_t pid, int64_t tid,
    const char *name, int64_t prio);

/* True if the process has calls or GPU work. */
bool pid_used(const struct profile *p, int64_t pid);
