/* PyProf's .dict, a sink; see sink_dict.c. */
#ifndef FMT_SINK_DICT_H
#define FMT_SINK_DICT_H

#include "fmt.h"

extern const struct sink sink_dict;
#define DICT_COLS "name,dur_ns,tid,dev,stream,grid,block,markers"
/* of dlp-markers -a: with our keys, in profiles that PyProf could not read */
#define DICT_OWN_COLS                                                          \
	",marker_ns,idx,short,loose_markers,pid,start_ns,api_start_ns,"        \
	"api_dur_ns,node_from"

/* Sees each ##info line: a profile that PyProf could read has its keys only. */
void sink_dict_meta(const struct rec *r);

#endif
