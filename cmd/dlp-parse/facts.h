/* Records of devices, processes and threads: see dialect.h for the rest. */
#ifndef DLP_PARSE_FACTS_H
#define DLP_PARSE_FACTS_H

#include <stdbool.h>

void facts_open(bool with_src);

#endif
