/*
 * The columns of calls and GPU work that say which op they belong to, where
 * the database tells: then they stand in every record of work.
 */
#ifndef DLP_PARSE_EMIT_OP_H
#define DLP_PARSE_EMIT_OP_H

#include <stdbool.h>

struct event;
struct profile;

/* Before emit_open(): whether there are such columns. */
void emit_op_open(bool with_ops);

#define EMIT_OP_MAX 16

/* Appends the names of those of the record type, at most EMIT_OP_MAX; how
 * many. */
int emit_op_names(const char *tag, const char **names);

/* Asks the dialect which op the event belongs to: the records written next
 * are of it. */
void emit_op_of(struct profile *p, const struct event *ev);

/* Their values. */
void emit_op_cols(const struct event *ev);

/* Ranges there are placed already, too: the values of their columns. */
void emit_op_range(const struct event *ev);

#endif
