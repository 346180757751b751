/*
 * PyProf's .dict as a profile: a text file with a Python dict per kernel. It
 * has the markers around each launch but no times other than the kernels'
 * durations, so dlp-parse makes up times, one kernel after the other.
 *
 * pydict_line.c reads a line; pydict.c joins lines into calls of ops and writes
 * them, and reads the lines that hold the profile's own times.
 */
#pragma once

#include "lines.h"
#include "map.h"
#include "pylit.h"

struct parse;
struct profile;

#define DICT_PATH 64 /* the most ranges around one launch */

struct dict_line {       /* zeroed by the caller; its buffers are used again */
	struct buf name; /* the kernel's full name */
	int64_t row;     /* place in the file, from 1 */
	int64_t dur, tid, dev, stream, grid[3], block[3];
	int64_t seq; /* first sequence id, or EV_UNSET */
	bool bwd;
	/* The ranges around its launch, outermost first, as their texts. */
	struct buf path[DICT_PATH];
	int n, first_marker, n_marker;  /* argument markers among them */
	bool numbered;                  /* has a sequence id other than 0 */
	struct mview own, node, ranges; /* the values of our keys, views into
					 * the line; s is NULL if the key is
					 * missing */
};

/* Reads a line; false if it is not a dict, or its name or duration is missing.
 * r is scratch memory for keys and values, and can be used again. */
bool dict_line(struct dict_line *d, struct pyrow *r, const char *s, size_t n);

/*
 * The keys that pyprof-parse adds to PyProf's in lines of profiles that PyProf
 * could not read: 'dlp': [idx, pid, start, launch, its duration, short name,
 * then start, end and text of each range around the launch] and 'dlpRanges':
 * pid, tid, start, end and text of ranges without a launch. With them the times
 * are the profile's own. The lines are in the order of the kernel table, so a
 * temporary database sorts them.
 */
struct dict_own {           /* zeroed */
	struct sqlite3 *db; /* NULL until the first such line */
	struct sqlite3_stmt *range, *node, *kernel; /* each adds a row */
	struct buf text;
};

struct dict_file { /* zeroed */
	struct lines in;
	struct profile *prof;
	struct smap names; /* full names: the string ids */
	int64_t now;       /* of the made-up clock */
	bool said;         /* the message that times are made up was printed */
	/* lines with the same ranges, until their calls are known */
	struct dict_line *run, *next;
	int nrun, cap;
	int64_t last_seq; /* of the run before; EV_UNSET if it had none */
	int *common;      /* for each line of a call, the number of ranges
			   * that it shares with the next */
	struct pyrow row;
	struct dict_own own;
	uint64_t bad; /* lines that are not a dict */
};

/* True if the file is a .dict; then f reads it. Otherwise the bytes that were
 * read from a pipe are put back. */
bool dict_is(struct dict_file *f, struct parse *run, const char *path);

/* Writes all its records, from ##dlp to ##end, and frees f. */
void dict_run(struct dict_file *f, struct parse *run, const char *path,
    int argc, char *const *argv);
