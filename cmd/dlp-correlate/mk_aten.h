/* The names of ATen's ops, for texts without a namespace. */
#ifndef DLP_MK_ATEN_H
#define DLP_MK_ATEN_H

#include "mview.h"

enum aten_name {
	ATEN_NO,
	ATEN_WORD,    /* an op's, but a program may well use it, too: linear */
	ATEN_TELLING, /* addmm, masked_fill_: nothing but an op */
};

enum aten_name mk_aten(struct mview v);

#endif
