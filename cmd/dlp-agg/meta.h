/*
 * Metadata of the input where it is not passed on: the results make one
 * section, whatever the number of sections read; a fragment if the input was
 * one. Stages' and session facts of the input are then passed on once, notes
 * each time.
 */
#ifndef AGG_META_H
#define AGG_META_H

#include <stdbool.h>

#include "buf.h"
#include "map.h"
#include "rec.h"

struct metas { /* metadata that is passed on */
	struct smap seen;
	struct buf cmds, infos, notes;
};

/* A line of metadata is kept. */
void meta_keep(struct metas *m, const struct rec *r);

/* Begins a section of our own; argv is for our ##cmd. */
void meta_head(const struct metas *m, bool whole, int argc, char *const *argv);

#endif
