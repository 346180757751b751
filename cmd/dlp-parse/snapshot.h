/*
 * Snapshots of PyTorch's memory (torch.cuda.memory._dump_snapshot()), which are
 * pickles. pickle.c reads them, snapshot.c makes records of their segments,
 * blocks and events as they go by, snapshot_stack.c places of their stacks.
 */
#pragma once

#include <stdint.h>

#include "map.h"

struct parse;
struct profile;

/* True if the file is a pickle. Its records are then written, from ##dlp to
 * ##end. Otherwise the bytes that were read from a pipe are put back. */
bool snapshot_run(struct parse *run, const char *path, bool unbuffered,
    int argc, char *const *argv);

/* Stacks: frames that are the same are one, and so are stacks. */

struct stacks { /* zeroed, except for texts */
	const struct smap *texts;
	struct smap frames, stacks;
	struct stack_frame *frame; /* by number in frames */
	size_t n_frame, frame_cap;
	struct stack_rule {
		struct mview file, name;
		int kind;
	} * rule;
	size_t n_rule, rule_cap;
	struct buf key, text;
};

#define STACK_NONE UINT32_MAX

/* A frame; file and name are numbers in texts or STACK_NONE. */
uint32_t stacks_frame(
    struct stacks *k, uint32_t file, uint32_t name, int64_t line);

/* The stack that has these frames below those of stack (STACK_NONE: none). */
uint32_t stacks_add(
    struct stacks *k, uint32_t stack, const uint32_t *frames, size_t n);

/* The stack without frames; backward: of a thread without Python. */
uint32_t stacks_empty(struct stacks *k, bool backward);

/* Writes the fields of a place record: file, line, function, kind, stack. */
void stacks_put(struct stacks *k, uint32_t stack);
