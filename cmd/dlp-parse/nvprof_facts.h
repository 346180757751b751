/* The facts of the session; see dialect.facts. */
#ifndef DLP_PARSE_NVPROF_FACTS_H
#define DLP_PARSE_NVPROF_FACTS_H

void nvprof_facts(void *ctx);

#endif
