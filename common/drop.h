/*
 * --drop of the filters: record types, or columns of theirs, that are not
 * written, as nobody behind reads them. What out.h writes goes through here
 * when it leaves.
 */
#ifndef DLP_DROP_H
#define DLP_DROP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "TYPE" or "TYPE:COLUMN,COLUMN..."; one that nobody writes is fatal, one
 * that the stream has not is none. For a table of options (cli.h). */
void drop_add(const char *arg);
#define DROP_OPTION                                                            \
	{                                                                      \
		0, "drop", .call = drop_add                                    \
	}
#define DROP_USAGE                                                             \
	"      --drop TYPE[:COLUMNS]\n"                                        \
	"                    records of that type, or these columns of "       \
	"them,\n"                                                              \
	"                    are not written; can be given again\n"

/* Whether there is anything to drop. */
bool drop_any(void);

/* Takes it out of whole lines; what is left stands at s, its length is
 * returned. Adds to *n_gone the records that are gone. */
size_t drop_lines(char *s, size_t n, uint64_t *n_gone);

#endif
