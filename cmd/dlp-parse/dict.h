/*
 * PyProf's .dict as a profile: a text file with a Python dict per kernel. It
 * has the markers around each launch but no times other than the kernels'
 * durations; so times are made up, one kernel after the other.
 */
#ifndef DLP_PARSE_DICT_H
#define DLP_PARSE_DICT_H

#include <stdbool.h>

extern bool dict_need_times; /* to make them up is fatal */

/* Whether the file is one. What was looked at of a pipe is put back. */
bool dict_is(const char *path);

/* Writes the records of all of it, from ##dlp to ##end; after dict_is() said
 * that it is one. */
void dict_run(const char *path, int argc, char *const *argv, bool with_src);

#endif
