/*
 * The loader of torch.profiler's traces: what its parts share. kineto_load.c
 * reads a file, kineto_rows.c makes rows of its events, with kineto_field.c,
 * which reads fields, and kineto_text.c, which makes the texts of ops.
 */
#ifndef DLP_PARSE_KINETO_LOADER_H
#define DLP_PARSE_KINETO_LOADER_H

#include "kineto.h"

enum { /* the statements that insert rows */
	T_OP,
	T_CALL,
	T_KERN,
	T_COPY,
	T_SET,
	T_SYNC,
	T_EVENT,
	T_MEM,
	T_OVER,
	T_CODE,
	T_N
};

struct kineto_loader {
	struct kineto *k;
	int64_t capture; /* the trace is that of --capture: the process that it
			  * is for; EV_UNSET: it is not */
	struct kineto_event ev;
	sqlite3_stmt *insert[T_N];
	struct smap raws; /* sizes as they are written; value: twice the text
			   * of the range that is made of them + 1, and 1 if
			   * sizes of a list are missing */
	bool no_dur;      /* the event at hand has no usable duration */
	int64_t pid, tid; /* of the last call */
	struct kineto_span code; /* the last row of kineto_code */
	struct buf tmp, row;
};

/* A field of the event at hand as a number, also where that is written as a
 * text, or as ns; EV_UNSET and false if it is missing or is none. */
bool kineto_field_int(const struct kineto_loader *l, int f, int64_t *v);
bool kineto_field_us(const struct kineto_loader *l, int f, int64_t *ns);
/* Its text without escapes, valid until the next call; the number of that in
 * k->texts, EV_UNSET if the field is missing. */
struct mview kineto_field_text(struct kineto_loader *l, int f);
int64_t kineto_field_id(struct kineto_loader *l, int f);
bool kineto_field_is(const struct kineto_loader *l, int f, const char *text);

/* The start of a list's elements; NULL if the field is no list. The next
 * element: *p is after the list's bracket, or after the element before; false
 * at the end. The raw text of element i; it is empty if there is none. */
const char *kineto_list(const struct kineto_loader *l, int f);
bool kineto_list_next(const char **p, struct mview *v);
struct mview kineto_element(const struct kineto_loader *l, int f, int i);

/* The number of the text of an op after its name and numbers; EV_UNSET: it has
 * none. */
int64_t kineto_op_text(struct kineto_loader *l);
/* Whether a collective moves anything, among *n GPUs; a wait does not. */
bool kineto_moves(const struct kineto_loader *l, int64_t *n);

/* Makes the tables of the database; begins and ends what inserts rows. */
void kineto_rows_tables(struct kineto *k);
void kineto_rows_open(struct kineto_loader *l);
void kineto_rows_close(struct kineto_loader *l);
/* Reads the event at s, as kineto_event_read(), and makes rows of it. */
const char *kineto_rows_event(void *ctx, const char *s, const char *e);

#endif
