/* Which types of ops could use Tensor Cores. */
#ifndef DLP_DL_TC_H
#define DLP_DL_TC_H

#include <stdbool.h>

#include "text.h"

bool dl_tc(struct text type);

#endif
