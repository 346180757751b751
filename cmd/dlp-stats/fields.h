/* The record types that are read, and their columns. */
#ifndef STATS_FIELDS_H
#define STATS_FIELDS_H

#include "report.h"
#include "stage.h"

enum type {
	T_KERN,
	T_COPY,
	T_SET,
	T_SYNC,
	T_GRAPH,
	T_CALL,
	T_RANGE,
	T_OS,
	T_STR,
	T_DEV,
	T_THREAD,
	T_N
};

enum col {
	C_ID,
	C_START,
	C_DUR,
	C_PID,
	C_TID,
	C_DEV,
	C_CTX,
	C_STREAM,
	C_CORR,
	C_API,
	C_API_START,
	C_API_DUR,
	C_SHORT,
	C_NAME_ID,
	C_GRID,
	C_BLOCK,
	C_REGS,
	C_SMEM,
	C_DYNSMEM,
	C_KIND,
	C_BYTES,
	C_SRC_MEM,
	C_DST_MEM,
	C_MEM,
	C_N_GPU,
	C_END_TID,
	C_DOMAIN,
	C_MODE,
	C_TEXT,
	C_NAME,
	C_BASE,
	C_MANGLED,
	C_SRC,
	C_IDX,
	C_NAME_NO,
	C_CALL_IDX,
	C_CALL_RET,
	C_RET,
	C_PRIO,
	C_N
};

void fields_open(struct stage *st, stage_fn *fn);
enum type fields_type(const struct rec *r);

struct text field_text(const struct rec *r, enum type t, enum col c);
bool field_i64(const struct rec *r, enum type t, enum col c, int64_t *v);
int64_t field_num(const struct rec *r, enum type t, enum col c, int64_t unset);

#endif
