/*
 * What the options select (asked.h). All of it is decided on whole events after
 * the join, so that counts and joins do not depend on the selection.
 */
#ifndef DLP_PARSE_SELECT_H
#define DLP_PARSE_SELECT_H

#include "event.h"
#include "source.h"

struct profile;

/* Whether records of a type are wanted (str: where they are used). */
bool select_type(const char *type);
bool select_kind(enum ev_kind kind);
const char *select_name(enum ev_kind kind); /* the type's name */

bool select_device(int64_t dev);
bool select_pid(int64_t pid);

/* Whether a source has anything that is wanted; and whether the first pass
 * wants to see it. */
bool select_source(const struct source *s);
bool select_scan(const struct source *s);

/* Whether the type was asked for by name. */
bool select_asked(enum ev_kind kind);

/* At the end: a warning that names the devices, processes, streams and domains
 * that were asked for and that nothing has. */
void select_say_unseen(void);

/* call: what launched it, NULL if unknown or none. */
bool select_event(
    const struct profile *p, const struct event *ev, const struct event *call);

#endif
