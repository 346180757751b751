/* What dlp-dldb keeps beside DLProf's tables, in tables dlp_*: events, facts,
 * devices. Databases of DLProf itself have none of them. */
#ifndef DLP_PARSE_DLDB_OWN_H
#define DLP_PARSE_DLDB_OWN_H

#include <stdbool.h>

#include "dldb_db.h"
#include "facts.h"

struct sources;

void dldb_own_rows(struct dldb *d, struct sources *ss);
void dldb_own_close(struct dldb *d);

/* Whether there are facts; writes those that known() does not know. */
bool dldb_own_facts(struct dldb *d, bool (*known)(const char *name));

/* Adds what DLProf's tables do not have of a device. */
void dldb_own_dev(struct dldb *d, struct dev_fact *f);

/* How an op was recognized; escaped, NULL if the database does not tell. */
const char *dldb_own_marker(struct dldb *d, int64_t op_row);

#endif
