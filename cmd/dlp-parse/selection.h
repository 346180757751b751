/*
 * What the options select: devices, processes, streams, domains, record types,
 * a time window, the inside of named ranges. Whole events are selected after
 * the join, so that counts and joins do not depend on the options.
 */
#pragma once

#include "buf.h"
#include "dialect.h"
#include "event.h"

struct profile;

struct asked_list {
	char **v;
	int64_t *num; /* of devices, processes and streams */
	bool *seen;   /* something matched it */
	int n;
};

struct selection {
	struct asked_list devices, pids, streams, domains, types;
	struct asked_list unasked;        /* -T ^TYPES */
	int64_t from, until;              /* ns */
	bool any;                         /* anything but types is selected */
	bool no_calls;                    /* not even to place GPU work */
	signed char kind_known[EV_KINDS]; /* by type: 1 wanted, -1 not, 0 not
					     looked up */
	/* --range: the arguments, and where such ranges are */
	struct range_want *wants;
	size_t nwants;
	struct range_span *spans;
	size_t nspans, cap_spans;
	struct buf text; /* the text of the range at hand */
};

void select_init(struct selection *sel);

/* The options, each with its argument, which is kept; fatal if the argument is
 * invalid. sel is a struct selection: these functions have the form of
 * cli_opt.set. */
void asked_device(void *sel, const char *arg);
void asked_pid(void *sel, const char *arg);
void asked_stream(void *sel, const char *arg);
void asked_domain(void *sel, const char *arg);
void asked_type(void *sel, const char *arg);
void asked_start(void *sel, const char *arg);
void asked_end(void *sel, const char *arg);
/* "TEXT", "TEXT@DOMAIN", "TEXT/N", "TEXT@DOMAIN/N" */
void asked_range(void *sel, const char *arg);

/* True if records of a type are wanted (str records: where they are used). */
bool select_type(struct selection *sel, const char *type);
bool select_kind(struct selection *sel, enum ev_kind kind);
const char *select_name(enum ev_kind kind); /* the type's name */

bool select_device(struct selection *sel, int64_t dev);
bool select_pid(struct selection *sel, int64_t pid);

/* select_source: true if the source has wanted events; select_scan: true if
 * the first pass has to read it. */
bool select_source(struct selection *sel, const struct ev_source *s);
bool select_scan(struct selection *sel, const struct ev_source *s);

/* True if the type was selected by name. */
bool select_asked(struct selection *sel, enum ev_kind kind);

/* Called at the end: warns about devices, processes, streams and domains that
 * were selected and that no event has. */
void select_say_unseen(struct selection *sel);

/* Applies the options of the profile's run. call: the call that launched the
 * event; NULL if unknown or none. */
bool select_event(
    const struct profile *p, const struct event *ev, const struct event *call);

/* Finds the named ranges in a profile. Called before the merge. */
void range_find(struct profile *p);

/* Fatal if no profile has a named range. */
void range_check(struct selection *sel);
