/*
 * The keys that pyprof-parse adds to PyProf's in lines of profiles that PyProf
 * could not read: 'dlp': [idx, pid, start, launch, its duration, short name,
 * then start, end and text of each range around the launch] and 'dlpRanges':
 * pid, tid, start, end and text of ranges around no launch. With them the
 * times are the profile's own; since the lines stand in the order of the
 * kernel table, all is sorted in a temporary database.
 */
#ifndef DLP_PARSE_DICT_OWN_H
#define DLP_PARSE_DICT_OWN_H

#include "dict_line.h"
#include "map.h"

struct profile;

/* Keeps a line that has them; false if the first is not as above. */
bool dict_own_add(const struct dict_line *d);

/* Writes all, in the order of time, moved by `from` ns; string ids are those
 * of names. Frees what was kept. */
void dict_own_emit(struct profile *p, struct smap *names, int64_t from);

#endif
