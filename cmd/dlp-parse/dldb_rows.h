/* The tables with events of DLProf's database. */
#ifndef DLP_PARSE_DLDB_ROWS_H
#define DLP_PARSE_DLDB_ROWS_H

struct dldb;
struct sources;

void dldb_rows(struct dldb *d, struct sources *ss);

#endif
