/* DLProf's Iteration Report, a sink; see sink_dlprof.c. */
#ifndef FMT_SINK_DLPROF_H
#define FMT_SINK_DLPROF_H

#include "fmt.h"

extern const struct sink sink_dlprof;
#define DLPROF_COLS                                                            \
	"iter,op.dl_id,op.name,op.dir,op.op,short,dev,start_ns,dur_ns,"        \
	"api_start_ns,api_dur_ns,tc,grid,block,op.dtype,op.dl_in,op.dl_out,"   \
	"op_id"

/* Once, before the first record. */
void sink_dlprof_listen(struct fmt *f);
/* Each line of metadata. */
void sink_dlprof_meta(const struct rec *r);

#endif
