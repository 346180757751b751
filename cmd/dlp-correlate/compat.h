/*
 * The conventions of other profilers, entered through the hooks of struct corr,
 * so that the rest of dlp-correlate does not know about them. Each function
 * below sets its hooks before corr_init() and frees its own state.
 */
#ifndef DLP_COMPAT_H
#define DLP_COMPAT_H

#include <stdbool.h>

struct corr;
struct stage;

/*
 * PyProf's columns of kernels: seq, altseq and sub. names: if a profile has
 * PyProf's markers and nothing newer than PyProf can read, PyProf's rules also
 * decide direction, module, op and the pairs of forward and backward.
 */
void compat_pyprof(struct corr *c, bool names);
void compat_pyprof_free(struct corr *c);

/* --dlprof: DLProf's ops. */
void compat_dlprof(struct corr *c, struct stage *st);
void compat_dlprof_free(struct corr *c);

/* Writes the mode, DLProf's word for the framework, as ##info of a section.
 * mode NULL: the markers decide. */
void compat_dlprof_mode(struct corr *c, const char *mode);

#endif
