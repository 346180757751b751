/* Frames of call stacks: which are in the user's own code. */
#pragma once

#include <stdbool.h>

#include "mview.h"

/* True if the module or file at that path is not one of the system, of CUDA, of
 * the profiler or of a package. */
bool usercode_is_own(struct mview path);

/* The same for a file of Python whose path begins where Python found its
 * package, as torch.profiler writes it: torch/nn/modules/module.py. The first
 * part of the path is then all that tells. */
bool usercode_is_own_python(struct mview path);

/* The last part of a path. */
struct mview usercode_base(struct mview path);
