/*
 * --drop of the filters: record types, or columns of theirs, that are not
 * written, as nobody behind reads them. What out.h writes is asked for here
 * legend by legend; what is passed on as lines goes through here when it
 * leaves.
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
	"                    leave out these records, or these columns of "    \
	"them;\n"                                                              \
	"                    can be given again\n"

/* Whether there is anything to drop. */
bool drop_any(void);

/* Takes out of a legend, a whole line, the columns that are dropped: *len
 * becomes less. Which of them, the first the lowest bit; the 65th and on are
 * not looked at. */
uint64_t drop_legend(char *line, size_t *len);

/* The same of columns of records of that type, "\ta\tb\n". */
uint64_t drop_columns(const char *tag, char *s, size_t *len);

/* Takes it out of whole lines; what is left stands at s, its length is
 * returned. Adds to *n_gone the records that are gone. */
size_t drop_lines(char *s, size_t n, uint64_t *n_gone);

#endif
