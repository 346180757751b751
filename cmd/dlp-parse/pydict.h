/*
 * PyProf's .dict as a profile: a text file with a Python dict per kernel. It
 * has the markers around each launch but no times other than the kernels'
 * durations; so times are made up, one kernel after the other.
 *
 * pydict_line.c reads a line; pydict.c puts lines together to calls of ops and
 * writes them; pydict_own.c has the lines that keep the profile's own times.
 */
#ifndef DLP_PARSE_PYDICT_H
#define DLP_PARSE_PYDICT_H

#include "lines.h"
#include "map.h"
#include "pyrow.h"

struct parse;
struct profile;

#define DICT_PATH 64 /* ranges around one launch, at most */

struct dict_line {       /* zeroed; its buffers are used again */
	struct buf name; /* full */
	int64_t row;     /* place in the file, from 1 */
	int64_t dur, tid, dev, stream, grid[3], block[3];
	int64_t seq; /* first sequence id, or EV_UNSET */
	bool bwd;
	/* The ranges around its launch, outermost first, as their texts. */
	struct buf path[DICT_PATH];
	int n, first_marker, n_marker;  /* argument markers among them */
	bool numbered;                  /* it has a sequence id other than 0 */
	struct mview own, node, ranges; /* the values of our keys, views into
					   the line; s NULL: none */
};

/* Reads a line; false if it is no dict, or its name or duration is missing.
 * r holds its keys and values while it is read, and can be used again. */
bool dict_line(struct dict_line *d, struct pyrow *r, const char *s, size_t n);
void dict_line_free(struct dict_line *d);

/*
 * The keys that pyprof-parse adds to PyProf's in lines of profiles that PyProf
 * could not read: 'dlp': [idx, pid, start, launch, its duration, short name,
 * then start, end and text of each range around the launch] and 'dlpRanges':
 * pid, tid, start, end and text of ranges around no launch. With them the
 * times are the profile's own; since the lines stand in the order of the
 * kernel table, all is sorted in a temporary database.
 */
struct dict_own {           /* zeroed */
	struct sqlite3 *db; /* NULL until the first such line */
	struct sqlite3_stmt *range, *node, *kernel; /* each adds a row */
	struct buf text;
};

/* Keeps a line that has them; false if the first is not as above. */
bool dict_own_add(struct dict_own *o, const struct dict_line *d);

/* Writes all, in the order of time, moved by `from` ns; string ids are those
 * of names. Frees o. */
void dict_own_emit(
    struct dict_own *o, struct profile *p, struct smap *names, int64_t from);

struct dict_file { /* zeroed */
	struct lines in;
	struct profile *prof;
	struct smap names; /* full names: the string ids */
	int64_t now;       /* of the made-up clock */
	bool said;         /* that the times are made up */
	/* lines with the same ranges, until their calls are known */
	struct dict_line *run, *next;
	int nrun, cap;
	int64_t last_seq; /* of the run before; EV_UNSET: none */
	int *common;      /* of each line of a call, how many ranges it has in
			     common with the next */
	struct pyrow row;
	struct dict_own own;
	uint64_t bad; /* lines that are no dict */
};

/* Whether the file is one; then f reads it. The bytes that were looked at of a
 * pipe that is none are put back. */
bool dict_is(struct dict_file *f, struct parse *run, const char *path);

/* Writes the records of all of it, from ##dlp to ##end, and frees f. */
void dict_run(struct dict_file *f, struct parse *run, const char *path,
    int argc, char *const *argv);

#endif
