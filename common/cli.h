/*
 * What all commands share on the command line: -h, -V, -u, one optional
 * file operand, and their messages.
 */
#ifndef DLP_CLI_H
#define DLP_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DLP_VERSION "0.1.0"

/* Call first: program name, SIGPIPE default, C locale, closed descriptors
 * 0-2 reopened so that files do not land on them. */
void cli_init(const char *name);

/* The default of the getopt_long loop: -u sets *unbuffered; -h and -V print
 * and exit 0; all else is cli_usage(). */
void cli_shared(int c, const char *usage, bool *unbuffered);

/* Its parts:
 *	case 'h': cli_help(usage);    prints to stdout, exits 0
 *	case 'V': cli_version();      "dlp-x 0.1.0", exits 0
 *	default:  cli_usage(usage);   first line of usage to stderr, unless
 *				      getopt said what is wrong; exits 2
 */
void cli_help(const char *usage) __attribute__((noreturn));
void cli_version(void) __attribute__((noreturn));
void cli_usage(const char *usage) __attribute__((noreturn));

/*
 * Options by a table, which ends with a name that is NULL. Each has exactly
 * one of flag (it takes no argument and sets this), arg (the last argument
 * given is left here) and call (called with each argument, in order).
 */
struct cli_opt {
	char ch; /* its letter; 0: it has none */
	const char *name;
	bool *flag;
	const char **arg;
	void (*call)(const char *arg);
};

/* Goes through the options; opts may be NULL: only -h, -V and -u. Whether -u
 * was given. */
bool cli_options(
    int argc, char **argv, const char *usage, const struct cli_opt *opts);

/* getopt_long, remembering whether it has complained: then cli_usage adds
 * nothing, so that there is one line in either case. */
int cli_getopt(int argc, char *const *argv, const char *shortopts,
    const struct option *longopts, int *index);
#define getopt_long cli_getopt

/* "-" or NULL for standard input; more than one operand, or none with a
 * terminal on standard input, is cli_usage(). */
const char *cli_operand(int argc, char **argv, const char *usage);

/* An option's argument as a number; fatal: "-n: bad number 'x'". */
int64_t cli_i64(const char *opt, const char *arg, int64_t min, int64_t max);

/* -S's: bytes, or with K, M or G behind the number units of 1024; at least
 * 4K. Fatal: "-S: bad size 'x'". */
size_t cli_size(const char *opt, const char *arg);

/* The shared long options' entries for getopt_long. */
#define CLI_LONGOPTS                                                           \
	{ "help", no_argument, NULL, 'h' },                                    \
	    { "version", no_argument, NULL, 'V' },                             \
	{                                                                      \
		"unbuffered", no_argument, NULL, 'u'                           \
	}
#define CLI_SHORTOPTS "hVu"

/* A comma list "a,b,c" split in place; *n items; free() the result only. */
char **cli_list(char *arg, int *n);

#endif
