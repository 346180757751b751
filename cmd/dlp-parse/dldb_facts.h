/* What DLProf's database says beside its events. */
#ifndef DLP_PARSE_DLDB_FACTS_H
#define DLP_PARSE_DLDB_FACTS_H

struct dldb;

void dldb_facts(struct dldb *d);

#endif
