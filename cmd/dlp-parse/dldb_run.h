/* Runs of ops, as they pass; see dialect.h. */
#ifndef DLP_PARSE_DLDB_RUN_H
#define DLP_PARSE_DLDB_RUN_H

#include "dialect.h"

struct dldb;

void dldb_run_open(struct dldb *d);
void dldb_run_close(struct dldb *d);

void dldb_run(void *ctx, const struct event *ev, bool wanted);
void dldb_run_end(void *ctx, const struct event *ev);
bool dldb_work(void *ctx, const struct event *ev, struct work_op *op);

#endif
