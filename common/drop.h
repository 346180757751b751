/*
 * --drop of the filters: record types, or columns of theirs, that are not
 * written because no later stage reads them. Records that out.h writes are
 * filtered legend by legend; lines that are passed on are filtered when they
 * leave.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "TYPE" or "TYPE:COLUMN,COLUMN...". It is fatal if no command writes it, but
 * not if this stream does not have it. For a table of options (cli.h). */
void drop_add(const char *arg);
#define DROP_OPTION                                                            \
	{                                                                      \
		0, "drop", .call = drop_add                                    \
	}

/* Without --drop, drops what a report does not read behind a command. The
 *report is DLP_READERS in the environment; the file awk/unread.tab of the
 * folder DLP_REPORTS, which tests/bin/needs makes of what the commands say they
 *read
 * (--needs), has lines
 *
 *	REPORT TAB COMMAND TAB arguments of --drop, with blanks between them */
void drop_unread(const char *command);

/* True if that drops the whole type: it need not even be worked out. */
bool drop_is_unread(const char *tag);

/* True if there is anything to drop. */
bool drop_any(void);

/* True if the whole type is dropped, or this column of it. */
bool drop_type(const char *tag);
bool drop_column(const char *tag, const char *column);

/* Removes the dropped columns from a legend, a whole line, and reduces *len.
 * Returns the removed columns, a bit each, the first the lowest bit; columns
 * from the 65th on are kept. */
uint64_t drop_legend(char *line, size_t *len);

/* The same for the columns of that type's records, TAB a TAB b LF. */
uint64_t drop_columns(const char *tag, char *s, size_t *len);

/* Removes dropped types and columns from whole lines; returns the length of the
 * rest, which begins at s. Adds the number of removed records to *n_gone. */
size_t drop_lines(char *s, size_t n, uint64_t *n_gone);
