/*
 * Snapshots of PyTorch's memory: what was in use at the peak, by places and
 * kinds, what grew from step to step, and what there was when an allocation
 * failed. dlp-mem.c replays the events.
 */
#pragma once

#include "map.h"
#include "stage.h"
#include "tape.h"

struct mem_snap { /* snap_listen() */
	struct smap *names;
	struct map places; /* id of a place record -> number in place */
	struct snap_place {
		uint32_t kind, line, stack; /* in names; file, line, function */
	} * place;
	size_t n_place, place_cap;
	struct snap_block { /* in use at the end */
		int64_t dev, addr, bytes, place;
	} * block;
	size_t n_block, block_cap;
	struct snap_stage {
		int64_t t;
		uint32_t name;
	} * stage; /* ends of steps */
	size_t n_stage, stage_cap;
	int stage_class;
	struct map *edges; /* by device, see mem_snap.c */
	size_t n_edges_of;
	uint64_t n_edges; /* that were sorted */
	bool grows;       /* segments do */
	struct tape events;
	/* what was in use at the peak of a device */
	struct smap keys;
	struct snap_sum {
		uint32_t kind, line, stack;
		int64_t bytes, count;
	} * sum;
	size_t n_sum, sum_cap;
	struct out_ext *ext;
	struct out_type *held, *grown, *step, *failed;
	struct buf json, failures;
};

struct snap_peak {                                  /* of a device */
	int64_t dev, peak, start, before, n_before; /* peak: with before */
	bool any;                                   /* an event made it */
};

void snap_listen(struct stage *st, struct mem_snap *sn, struct smap *names);

/* What a place's memory is for, in names; SMAP_NONE: no such place. */
uint32_t snap_kind(const struct mem_snap *sn, int64_t place);

/* The same as the release tells it: what the backward pass releases was kept
 * for it, and what the optimizer releases was no state. */
uint32_t snap_kind_freed(struct mem_snap *sn, uint32_t kind, int64_t place);

/* The use of a device changed, by an allocation that was made at a place. */
void snap_change(struct mem_snap *sn, int64_t dev, int64_t t, int64_t addr,
    int64_t bytes, int64_t place);

/* This was in use at the peak of the device whose memdev record is next. */
void snap_hold(struct mem_snap *sn, uint32_t kind, int64_t place, int64_t bytes,
    int64_t count);

/* Writes what is known of the device of a memdev record. */
void snap_device(
    struct mem_snap *sn, struct rec *r, const struct snap_peak *peak);

void snap_forget(struct mem_snap *sn);
