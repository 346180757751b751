/* Reports that nsys exports into the temporary file. */
#ifndef DLP_PARSE_INPUT_NSYS_H
#define DLP_PARSE_INPUT_NSYS_H

/* Runs "nsys export" on the report at path; returns the path of the
 * database. Fatal, with the command to run, if there is no nsys. */
const char *nsys_export(const char *path);

#endif
