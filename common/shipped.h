/*
 * Data files of the commands (*.rules, *.tab), compiled in: the program
 * needs no file at run time, and what it says by default is the file that is
 * shipped.
 */
#ifndef DLP_SHIPPED_H
#define DLP_SHIPPED_H

struct shipped {
	const char *name; /* "tc.rules" */
	const char *text;
};

extern const struct shipped shipped_files[]; /* ends with name NULL */

/* The text of a file; fatal if there is none of that name. */
const char *shipped_text(const char *name);

#endif
