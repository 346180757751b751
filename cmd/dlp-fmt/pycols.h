/* PyProf's columns: its names, headers, widths and words. */
#ifndef FMT_PYCOLS_H
#define FMT_PYCOLS_H

#include "fmt.h"

struct pycol {
	const char *option, *header, *ours;
	int width;
	bool num;          /* right-aligned, never cut */
	const char *unset; /* PyProf's word */
	/* Appends the value in PyProf's words; NULL: as it is. */
	void (*put)(struct fmt *f, struct buf *b, const struct writer_cell *v);
};
extern const struct pycol pycols[]; /* ends with option NULL */
#define PY_DEFAULT "idx,dir,sub,mod,op,kernel,params,sil"

#endif
