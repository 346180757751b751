/*
 * A trace of Perfetto (.pftrace), as PyTorch's monitor, rocprofv3 and programs
 * with Perfetto's own library write it. Its slices and stages become events of
 * torch.profiler's traces, see kineto.h: the same rows are made of both.
 *
 * pftrace.c reads packets and keeps the state of their sequences,
 * pftrace_event.c reads what a packet holds, and pftrace_slice.c finds the ends
 * of slices and loads them.
 */
#pragma once

#include "kineto.h"
#include "proto.h"
#include "tape.h"

/* Interned texts: the tables of a sequence, by their fields in InternedData. */
enum pf_table {
	PT_CATEGORY,
	PT_EVENT,
	PT_ARG,
	PT_TEXT,
	PT_SPEC,
	PT_KERNEL,
	PT_LAUNCH_ARG,
	PT_N
};

struct pf_seq { /* a sequence of packets */
	uint64_t id;
	uint32_t generation;   /* of its tables; a new one empties them */
	bool valid;            /* they are complete */
	uint64_t clock, track; /* defaults */
	struct {
		uint64_t id;
		int64_t now, multiplier;
		bool incremental;
		uint64_t on;       /* the clock of the machine */
		int64_t at, on_at; /* both at the same time */
	} own;                     /* its own clock */
};

#define PF_NONE UINT32_MAX

struct pf_track {
	uint64_t parent;
	int64_t pid, tid;
	uint32_t process, thread; /* names; SMAP_NONE: it is none */
	uint32_t seq;             /* the first sequence that writes it */
	bool several;             /* others do, too */
	uint32_t top;             /* its open slices, as a stack */
	char pid_text[24], tid_text[24];
};

struct pf_lane {             /* a track in a sequence */
	uint32_t head, tail; /* its open slices, the first first */
	int64_t last;
};

/* How a slice or stage ends: as the first that is open in its lane, or as the
 * innermost of its track. EV_UNSET: it does not. */
struct pf_end {
	int64_t fifo, stack;
	uint32_t next, below; /* in the lane, in the track's stack */
};

enum pf_what { PF_BEGIN, PF_END, PF_STAGE };

struct pf_slice { /* on the tape, before its fields */
	int64_t start;
	uint32_t track;
	uint32_t n; /* bytes of the fields: number, length, value in JSON */
	unsigned char what, clock;
};

#define PF_CLOCKS 12 /* of the machine; 0: that of the trace */

struct pf_snapshot {
	int64_t at[PF_CLOCKS];
};

struct pftrace {
	const char *name; /* of the file, for messages */
	struct kineto_loader *l;
	struct pf_frame {
		struct buf rest; /* the beginning of a packet */
		uint64_t at;     /* bytes before it */
		bool broken;     /* the rest of it is not read */
	} frame[2]; /* of the file, and of packets that are compressed */
	int depth;
	uint64_t unpacked; /* bytes */
	struct smap words; /* names, and interned texts */
	struct smap iids;  /* sequence, table and id: generation, word */
	struct map seqs;   /* id -> number + 1 */
	struct pf_seq *seq;
	size_t nseq, seq_cap;
	struct map tracks; /* id -> number + 1 */
	struct pf_track *track;
	size_t ntrack, track_cap;
	struct smap lanes; /* sequence, track; val: number in lane */
	struct pf_lane *lane;
	size_t nlane, lane_cap;
	struct tape tape;   /* slices, as they come */
	struct pf_end *end; /* of all but PF_END, by their number */
	size_t nend, end_cap;
	bool columns; /* ends are in the order of their begins */
	struct pf_snapshot *snapshot;
	size_t nsnapshot, snapshot_cap;
	uint64_t clock; /* of the trace */
	int64_t agents[64];
	int nagents;
	struct buf fields; /* of the slice that is read, */
	struct buf text;   /* and one value */
	bool shapes;       /* ops have sizes */
	/* counted for notes */
	uint64_t damaged, dropped, no_begin[2];
};

/* An interned text of sequence q, as JSON has it; empty if there is none. */
struct mview pftrace_word(const struct pftrace *p, const struct pf_seq *q,
    enum pf_table t, uint64_t iid);
/* The number of a track; UINT32_MAX if there are too many. */
uint32_t pftrace_track(struct pftrace *p, uint64_t uuid);

/* Appends text as JSON has it between its quotes. */
void pftrace_put_text(struct buf *b, struct mview v);

/* What a packet holds: false if it is damaged. */
bool pftrace_event(struct pftrace *p, struct pf_seq *q, struct mview v,
    int64_t ts, uint64_t clock);
bool pftrace_stage(struct pftrace *p, struct pf_seq *q, struct mview v,
    int64_t ts, uint64_t clock);

/* Takes a begin or stage with the fields in p->fields, or an end. dur: of a
 * stage. */
void pftrace_take(struct pftrace *p, const struct pf_seq *q, enum pf_what what,
    uint64_t track, int64_t ts, int64_t dur, uint64_t clock);
/* Loads all that was taken, and the names of tracks. */
void pftrace_load_slices(struct pftrace *p);

/* Feeds pieces of the file; its end, where it is loaded. True if all was read
 * (otherwise only with --resync). */
void pftrace_feed(void *ctx, const unsigned char *s, size_t n);
bool pftrace_end(struct pftrace *p);
