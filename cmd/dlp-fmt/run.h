/* The way of a stream through dlp-fmt. */
#ifndef FMT_RUN_H
#define FMT_RUN_H

#include "fmt.h"

/* Reads the stream, which is open, to its end; the exit status. */
int fmt_run(struct fmt *f);

#endif
