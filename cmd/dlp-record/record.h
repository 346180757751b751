/* What the parts of dlp-record share: the options, and the launcher. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"

struct record {
	const char *out;         /* -o; NULL: none */
	const char *program_out; /* --stdout */
	const char *convert;     /* --convert */
	bool force, stream, live;
	bool kill;        /* the command, after duration */
	bool nvtx, cuda;  /* -t */
	bool graph_level; /* -g graph */
	bool memory, sync, all_calls, fork, power;
	bool arm;            /* --arm */
	const char *trigger; /* --trigger: a process, or the folder */
	int64_t steps;       /* of --trigger */
	const char *capture; /* -c: cudaProfilerApi, nvtx, steps, none */
	char *text, *domain; /* of -c nvtx: */
	int64_t first, last; /* --steps A-B */
	int64_t delay, duration, flush; /* ns */
	uint64_t max;
	const char *cupti;
	const char *markers; /* NULL, "alternate", "ops" or "layers" */
	int64_t op_steps;
};

/* record_run.c: runs the command and writes the recording. Returns the exit
 * status of dlp-record, which is the command's. */
int record_run(const struct record *r, char **argv);
int record_wait(pid_t pid); /* the status of a child; 128 + its signal */

/* Waits for a child; its exit status, 128 + the number of a signal. */
int record_wait(pid_t pid);

/* Makes the database of a folder, in a process of its own, because a failure
 * must not change our status. */
bool record_database(const char *folder, const char *to, bool force);

/* --convert: the database or the stream of a recording. Returns the exit
 * status. */
int record_convert(const struct record *r);

/* record_live.c: starts the process that writes the stream while the command
 * runs. It writes the rest and ends when *end is closed. */
pid_t record_live(const struct record *r, const char *folder, int *end);

/* record_power.c: starts the process that samples the energy of the GPUs, until
 * *end is closed. The first samples are there when it returns. */
pid_t record_power(const char *folder, int *end);

/* record_trigger.c: has the processes of --arm record, and converts what they
 * recorded. Returns the exit status. */
int record_trigger(const struct record *r);
/* Keeps others from using the folder of --arm, until the descriptor is closed.
 * -1 if it is gone. */
int record_lock(const char *folder);
bool record_write(const char *path, const char *s, size_t n);

/* record_path.c */
/* The file of -o with %p, %h and %q{VAR} replaced; n is that of %n. 0: the
 * result is a pattern, in which %n is left; -1: %n is wrong. The caller frees
 * it. */
char *record_out(const char *pattern, long pid, long n);
/* A file of ours beside the program: ../lib/dlp/NAME; fatal if it is missing.
 * The caller frees it. */
char *record_lib(const char *name);
/* The file of another command of dlp, beside the program. */
char *record_command(const char *name);
/* A new folder for the spool; NULL with the reason in *why if there is none.
 * The caller frees it. */
char *record_folder(const char *out, const char **why);
void record_remove(const char *folder); /* and what is in it */

/* record_session.c: writes the session file into the folder; false if it
 * cannot. */
bool record_session(
    const struct record *r, const char *folder, const char *out, int64_t now);
