/* Ops of DLProf's database, written before their first use. */
#ifndef DLP_PARSE_DLDB_OP_H
#define DLP_PARSE_DLDB_OP_H

#include "dldb_db.h"
#include "event.h"
#include "out.h"

void dldb_op_open(struct dldb *d);
void dldb_op_close(struct dldb *d);

/* The op of that row; its record has been written. run: its first run, which
 * tells the shapes; NULL if it is not at hand. Valid until the next call. */
struct dldb_op *dldb_op(struct dldb *d, int64_t row, const struct event *run);

/* Escaped; NULL if unset. */
const char *dldb_op_type(const struct dldb *d, const struct dldb_op *op);
const char *dldb_op_dir(const struct dldb *d, const struct dldb_op *op);

/* A record type of these columns, with src where there are several files,
 * declared at its first record. */
struct dldb_type {
	const char *tag;
	const char *const *cols;
	int n;
	struct out_type *type;
};
void dldb_rec(struct dldb_type *t);

#endif
