/* The facts of the session; see dialect.facts. */
#ifndef DLP_PARSE_NSYS_FACTS_H
#define DLP_PARSE_NSYS_FACTS_H

void nsys_facts(void *ctx);

#endif
