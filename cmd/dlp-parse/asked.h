/*
 * What the options ask for: devices, processes, streams, domains, record
 * types, a time window, the inside of named ranges. Each function is an
 * option, with its argument, which is kept; fatal if it makes no sense.
 */
#ifndef DLP_PARSE_ASKED_H
#define DLP_PARSE_ASKED_H

#include <stdbool.h>
#include <stdint.h>

struct asked_list {
	char **v;
	int64_t *num; /* of devices, processes and streams */
	bool *seen;   /* something matched it */
	int n;
};

extern struct asked {
	struct asked_list devices, pids, streams, domains, types;
	int64_t from, until; /* ns */
	bool any;            /* anything but types */
} asked;

void asked_device(const char *arg);
void asked_pid(const char *arg);
void asked_stream(const char *arg);
void asked_domain(const char *arg);
void asked_type(const char *arg);
void asked_start(const char *arg);
void asked_end(const char *arg);
void asked_range(const char *arg);

#endif
