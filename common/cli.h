/*
 * The command line that all commands share: -h, -V, -u, one optional file
 * operand, and their messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h> /* optind */

#define DLP_VERSION "0.3.0"

/* Call first: program name, SIGPIPE default, C locale, closed descriptors
 * 0-2 reopened so that files do not land on them. */
void cli_init(const char *name);

/* What -h prints: cmd/NAME.usage, for the name that cli_init() has. */
const char *cli_help(void);

/* Its first line to stderr; exits 2. */
void cli_usage(void) __attribute__((noreturn));

/*
 * Options by a table, which ends with a name that is NULL. Each has exactly one
 * of these:
 *	flag: takes no argument and sets this;
 *	act: takes no argument and calls this;
 *	arg: the last argument given is stored here;
 *	call: called with each argument, in order (NULL if it is optional and
 *	missing);
 *	set: as call, with a struct of the command that it changes.
 * A table whose rows point into the command's own struct is built where that
 * struct is.
 */
struct cli_opt {
	char ch; /* its letter; 0 if it has none */
	const char *name;
	bool *flag;
	void (*act)(void);
	const char **arg;
	void (*call)(const char *arg);
	void (*set)(void *to, const char *arg);
	void *to;
	bool optional; /* --name or --name=ARG */
};

/* All commands take --as-stage, which dlp REPORT gives each command of its
 * pipeline: err_as_stage(). It is not shown in ##cmd. */
#define CLI_AS_STAGE "as-stage"

/* True with --needs: a filter then says what it reads (stage_run()). */
bool cli_needs(void);

/* Goes through the options. If opts is NULL, only -h and -V (which print and
 * exit 0) and -u are known. Returns true if -u was given. optind is the first
 * operand. */
bool cli_options(int argc, char **argv, const struct cli_opt *opts);

/* "-" or NULL for standard input; more than one operand, or none with a
 * terminal on standard input, is cli_usage(). */
const char *cli_operand(int argc, char **argv);

/* An option's argument as a number; fatal: "-n: bad number 'x'". */
int64_t cli_i64(const char *opt, const char *arg, int64_t min, int64_t max);

/* The argument of -S: bytes, or with K, M or G after the number units of 1024;
 * at least 4K. Fatal: "-S: bad size 'x'". */
size_t cli_size(const char *opt, const char *arg);

/* -S sets spill_bound(). */
#define SPILL_OPTION                                                           \
	{                                                                      \
		'S', "memory", .call = cli_spill                               \
	}
void cli_spill(const char *arg);

/* The items of a comma list "a,b,c", *n of them; one free() for all. */
char **cli_list(const char *arg, int *n);
