/* PyProf's .dict, a sink; see sink_dict.c. */
#ifndef FMT_SINK_DICT_H
#define FMT_SINK_DICT_H

#include "fmt.h"

extern const struct sink sink_dict;
#define DICT_COLS "name,dur_ns,tid,dev,stream,grid,block,markers"

#endif
