/*
 * Other profilers' ways, entered through the hooks of struct corr: the rest of
 * dlp-correlate does not know of them. Each fills in its hooks, before
 * corr_init(), and frees what it keeps.
 */
#ifndef DLP_COMPAT_H
#define DLP_COMPAT_H

#include <stdbool.h>

struct corr;
struct stage;

/*
 * PyProf's columns of kernels: seq, altseq and sub. names: where a profile
 * has PyProf's markers and nothing newer than PyProf can read, direction,
 * module and op are by PyProf's rules too, and so are the pairs of forward and
 * backward.
 */
void compat_pyprof(struct corr *c, bool names);
void compat_pyprof_free(struct corr *c);

/* --dlprof: DLProf's ops. */
void compat_dlprof(struct corr *c, struct stage *st);
void compat_dlprof_free(struct corr *c);

/* Writes the mode, DLProf's word for the framework, as ##info of a section.
 * mode NULL: as the markers say. */
void compat_dlprof_mode(struct corr *c, const char *mode);

#endif
