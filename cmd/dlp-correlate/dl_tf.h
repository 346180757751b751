/* Input shapes of a TensorFlow marker as DLProf prints them. */
#ifndef DLP_DL_TF_H
#define DLP_DL_TF_H

#include "buf.h"
#include "mview.h"

/* Appends "x: <64, 512>, y: <512>"; nothing if the marker has no details. */
void dl_tf_shapes(struct mview text, struct buf *out);

#endif
