/*
 * The registry of record types and columns, columns.tab, as C. columns.h has
 * an id for each name of a column: COL_dur_ns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "columns.h"
#include "num.h"

enum col_kind {
	COL_INT,  /* decimal integer; the unit is the suffix of the name */
	COL_NUM,  /* decimal number with a fraction */
	COL_TEXT, /* text */
	COL_JSON, /* JSON text in one field */
	COL_STR,  /* id of a str record; the column is NAME_id, and dlp-fmt
		     shows the text as NAME */
	COL_YNU,  /* yes, no or unknown */
};

struct col_def {
	const char *type; /* record type, "kern" */
	const char *name; /* column name, "start_ns" */
	const char *by;   /* the command that writes it, "dlp-parse" */
	enum col_kind kind;
	const char *help; /* one line: meaning, unit */
};

struct type_def {
	const char *type;
	const char *by;
	const char *help;
	bool open; /* records of that type may have any column */
	const struct col_def *cols; /* n_col of them, in order */
	int n_col;
};

struct col_alias {
	const char *alias, *name;
};

extern const struct col_def col_defs[]; /* ends with type NULL */
extern const struct type_def type_defs[];
extern const struct col_alias col_aliases[]; /* ends with alias NULL */
extern const char *const col_names[];        /* by id; sorted */

/* The columns that every type of record has if a section has several files;
 * their type is "*". The table ends with type NULL. */
extern const struct col_def cols_all[];

/* NULL if unknown. */
const struct col_def *col_find(const char *type, const char *name);
const struct type_def *type_find(const char *type);

/* Fatal: an option asks for a record type that neither the registry nor the
 * input has; the message names the nearest one, or all. */
void type_die(const char *opt, const char *tag) __attribute__((noreturn));

/* PyProf's column names and other aliases: "sil" is "dur_ns". Returns the
 * column's name, or the argument itself if it is not an alias. */
const char *col_alias(const char *alias);

/* The id of a column's name, also of one that the registry does not have; the
 * other: -1 if nobody asked for such a name. */
int col_id(const char *name);
int col_known(const char *name);

/* The name of an id. */
const char *col_name(int id);

/* The name of a whole CUDA graph run, in the place of a kernel's name. */
#define GRAPH_NAME "[CUDA graph]"

/* The kind of a column's values. */
/* By the registry if it knows the column (its alias, op.COL, or any type's
 * column of that name), otherwise by the name: statistics, units. Ids of
 * strings are integers. */
enum col_kind kind_of(const char *type, const char *name);

/* True if the values are numbers. */
bool kind_is_number(enum col_kind k);

/* The unit of a column by the end of its name: dur_ns, bytes. */
enum num_unit kind_unit(const char *name);

/* True for the length of an event: never negative, unless it ends before it
 * starts. */
bool kind_is_length(const char *name);

/* Whether kernels of that family compute products, so that they can use Tensor
 * Cores, as dlp-flops names families (column family). */
bool kind_is_product(const char *family, size_t n);
