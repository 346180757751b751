/*
 * A trace of torch.profiler: JSON as Kineto writes it. The scanner checks the
 * text and cuts it into events, the loader puts the events into a temporary
 * database, and the dialect reads that database as any other.
 */
#ifndef DLP_PARSE_KINETO_H
#define DLP_PARSE_KINETO_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "dialect.h"
#include "infile.h"
#include "map.h"

/*
 * The scanner. It takes the text in pieces of any size, checks that it is JSON,
 * and calls event() for each element of traceEvents (or of the array that is
 * the whole file), and head() for every other key of the outermost object. s
 * and n are the value's text; it is valid until the function returns.
 */
struct kineto_scan {
	const char *name; /* of the file, for messages */
	void (*event)(void *ctx, const char *s, size_t n);
	void (*head)(
	    void *ctx, const struct buf *key, const char *s, size_t n);
	void *ctx;
	bool resync;   /* --resync: go on at the next event after an error */
	uint64_t lost; /* bytes that were skipped so */
	uint64_t breaks; /* places where bytes were skipped */
	/* the scanner's own */
	uint64_t at; /* bytes before the piece at hand */
	int state, sub;
	unsigned more; /* bytes that a character of UTF-8 still needs, */
	unsigned char low, high; /* and the range of the next one */
	const char *word;        /* the rest of true, false or null */
	unsigned depth, events_depth; /* events_depth 0: not found yet */
	bool over;                    /* a value ended at this byte */
	bool keeping;                 /* inside of a value for the caller: */
	bool kept_event, kept_number;
	unsigned kept_depth;
	bool skipping, begun;
	bool plain[256]; /* bytes of a text that need no attention */
	struct buf stack; /* the open brackets */
	struct buf key;   /* the last key of the outermost object */
	struct buf kept;  /* a value that began in an earlier piece */
};

void kineto_scan_feed(struct kineto_scan *k, const char *s, size_t n);
/* At the end of the text; fatal if it is incomplete. */
void kineto_scan_end(struct kineto_scan *k);
void kineto_scan_free(struct kineto_scan *k);

/* What the loader found beside the events. */
struct kineto {
	struct profile *prof;
	sqlite3 *db;
	struct smap texts;   /* names, lists of sizes, ...: string ids */
	struct smap devs;    /* deviceProperties, as they are written */
	struct map threads;  /* pid << 32 ^ tid -> text + 1 */
	struct map procs;    /* pid -> text + 1 */
	int64_t base;        /* baseTimeNanoseconds; EV_UNSET: none */
	int64_t first;       /* the earliest start; EV_UNSET: no event */
	struct buf head;     /* the header's facts: key TAB value LF */
	struct buf text;     /* of the range at hand */
	uint64_t other;      /* events of categories that are not read */
	uint64_t bad;        /* events without a usable time or thread */
	uint64_t lost, breaks;
	bool python;         /* keep all frames of Python */
};

/* Loads a trace into a temporary database; NULL if the file is not JSON. path:
 * as infile_open() takes it. Failures are fatal. */
struct kineto *kineto_begin(
    struct infile *in, const char *path, bool python, bool resync);

/* The key of a thread in kineto.threads. */
uint64_t kineto_thread_key(int64_t pid, int64_t tid);

void kineto_free(struct kineto *k);

extern const struct dialect dialect_kineto;

#endif
