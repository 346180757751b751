/*
 * Data files of the commands (*.rules, *.tab), compiled in, so that the program
 * needs no file at run time, and its defaults are exactly the shipped files.
 */
#ifndef DLP_SHIPPED_H
#define DLP_SHIPPED_H

struct shipped {
	const char *name; /* "tc.rules" */
	const char *text;
};

extern const struct shipped shipped_files[]; /* ends with name NULL */

/* The text of a file; fatal if there is no file of that name. */
const char *shipped_text(const char *name);

#endif
