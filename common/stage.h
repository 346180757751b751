/*
 * The loop that every filter shares: it reads a stream, passes on what it
 * does not know, adds its ##cmd line, keeps the rules about sections, ends
 * and fragments, and calls back for the record types that were asked for.
 *
 *	stage_open(&st, argc, argv, path, unbuffered);
 *	stage_on(&st, "kern", on_kern, .need = "start_ns");
 *				called for each record; the callback must pass
 *				the record on itself (stage_pass)
 *	st.section = forget_all; st.end = write_notes;
 *	return out_finish(stage_run(&st));
 *
 * out_finish() closes the stage and its reader.
 */
#pragma once

#include "out.h"
#include "rec.h"

struct stage;
typedef void stage_fn(struct stage *st, struct rec *r);

struct stage {
	struct rec_reader *rd;
	void *ctx;
	/* all may be NULL */
	void (*section)(struct stage *st); /* a section begins (also at the
					      first line of a fragment) */
	void (*end)(struct stage *st);     /* it ends: last records and notes
					      are written here, before ##end; also
					      at the end of a broken input */
	void (*meta)(struct stage *st, struct rec *r); /* called for each
							* ##info and ##note
							* line, after it is
							* passed on */
	stage_fn *hold; /* if set, gets every line that is passed on (not
			 * ##dlp, ##cmd, ##end) instead of the output: for
			 * stages that keep records back, in order */
	bool result;    /* what it prints is for people: says which notes
			 * qualify it */
	bool complete;  /* in end(): the section is complete */
	/* private */
	struct buf cmd;
	struct stage_type **types;
	struct rec_type **keep;
	int nkeep;
	int ntypes;
	const char *const *anew;
	bool in_section, cmd_due, quiet;
	uint64_t *doubts; /* of a sink: what its notes add up to */
};

/*
 * The beginning of main() of a filter with one operand: names the program, goes
 * through the options (cli.h), opens the stage.
 */
struct cli_opt;
void stage_start(struct stage *st, const char *name, const struct cli_opt *opts,
    int argc, char **argv);

/* The same for a command that writes no stream. */
void stage_start_sink(struct stage *st, const char *name,
    const struct cli_opt *opts, int argc, char **argv);

/* argv[0..argc) is shown in ##cmd (options and operands as given). */
void stage_open(struct stage *st, int argc, char *const *argv, const char *path,
    bool unbuffered);

/* For commands that read a stream but write none (dlp-fmt): metadata and
 * unknown records are not passed on. */
void stage_open_sink(struct stage *st, const char *path, bool unbuffered);

/*
 * Requests record types, "kern graph copy": data is called for each of their
 * records (NULL: they are dropped). The columns that it reads by their ids
 * (rec.h): those that records must have, and those that they may have.
 *
 *	stage_on(&st, "kern copy", on_work, .need = "start_ns dur_ns",
 *	    .opt = "dev src", .arg = &x);
 *
 * The result is the last of the types.
 */
struct stage_how {
	int none;               /* so that the rest can be left out */
	const char *need, *opt; /* names of columns with blanks between them */
	/* What these records are read for, "busy edge" or "kern:flop,bytes": if
	 * no stage behind reads any of that, this one does not need them. NULL:
	 * anything. */
	const char *only_for;
	const char *only_cols; /* the same, of these columns alone */
	bool all;              /* all their columns are read */
	/* NULL: a legend is passed on, with the columns of ext, if given */
	stage_fn *legend;
	struct out_ext *ext;
	void *arg; /* what rec_arg() returns for these records and legends;
		    * NULL: ext */
};
struct rec_type *stage_on_types(struct stage *st, const char *tags,
    stage_fn *data, const struct stage_how *how);
#define stage_on(st, tags, data, ...)                                          \
	stage_on_types(st, tags, data, &(struct stage_how){ 0, __VA_ARGS__ })

/* Drops the output of an earlier run of this command from the stream, because
 * this run writes it again: records of the types that are its own by the
 * registry (unless stage_on() has requested them), and the ##note and ##info
 * lines of these names (NULL at the end, kept; or NULL). */
void stage_anew(struct stage *st, const char *const *names);

/* Of the input, only metadata and records of these types are passed on. */
void stage_keep(struct stage *st, const char *const *names, int n);

/* Passes a line on unchanged. */
void stage_pass(struct stage *st, struct rec *r);

/* Drops it: the legend of records that are not passed on. */
void stage_drop(struct stage *st, struct rec *r);

/* Runs to the end of the input; returns the exit status: 2 if the input was
 * empty or broke off (its ##end is missing, so ours is not written either).
 *
 * With --needs, for drop.h, it does not return, and nothing is read but the
 * needs of the stages before, which are passed on; ours follow, the name of the
 * command, and a line for each type: TYPE COLUMN..., * for all columns, and
 * before it ?X|Y if it is only read for X and Y. */
int stage_run(struct stage *st);

/* Writes the beginning of a section: ##dlp and ##cmd (dlp-parse). */
void stage_begin_section(int argc, char *const *argv);
void stage_cmd(int argc, char *const *argv); /* our ##cmd line */
void stage_end_section(void);                /* ##end */

/* "##note NAME COUNT"; nothing if count is 0. */
void stage_note(const char *name, uint64_t count);

/* The notes of rec_lost() and rec_surplus(); stage_run() writes its own. */
void stage_note_count(uint64_t lost, uint64_t surplus);
