/* TensorFlow's arguments. */
#ifndef DLP_MK_TFARGS_H
#define DLP_MK_TFARGS_H

#include "buf.h"
#include "mview.h"

/* Appends the shapes and the type that the details of an op tell, and sets
 * *n_tensor if there are shapes. false: damaged. */
bool tf_args(const struct mview *json, struct buf *shapes, struct buf *dtype,
    int *n_tensor);

#endif
