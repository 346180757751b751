/*
 * Columns of records by name, including those of joined records:
 *
 *	COL: a column of the record; if there is none, an alias of cols.h.
 *	NAME, if the record has NAME_id: the text of that str record.
 *	COL, otherwise: a column of the op record that its op_id names.
 *	op.COL, op_COL: that column of the op record, even if the record has
 *	one; op_COL only where no record has a column of that name.
 *	tag: the record type, if there is no such column.
 *
 * Ids belong to a section. Memory is bounded by the distinct ops and strings of
 * a section and by the distinct texts of the input.
 */
#pragma once

#include "map.h"
#include "rec.h"

struct join {
	struct rec_reader *rd;
	struct rec_type *op, *str;
	struct join_want *want; /* columns of op records that were requested */
	int nwant;
	struct smap want_at;  /* name -> place in want */
	struct smap texts;    /* of ops and strs, escaped */
	struct map op_row;    /* op id -> row in vals */
	struct map str_at;    /* str id -> number in texts */
	uint32_t *vals;       /* row * nwant + k: number in texts, or none */
	size_t nrows, rowcap; /* rows */
	bool any_str, op_seen;
	uint64_t lost; /* records whose op or str record is missing */
};

struct join_col {
	const char *name;  /* as requested */
	const char *canon; /* the column's own name, aliases resolved */
	struct rec_type *type;
	enum { JOIN_NONE, JOIN_OWN, JOIN_STR, JOIN_OP, JOIN_TAG } how;
	bool bound, optional;
	/* ids of columns of the type, or -1: of the column itself, of its
	 * alias, of that of a string's id, of the one that values come from */
	int own, by_alias, id, src;
	int want; /* place in join.want, or -1 */
};

/* One per reader; request all columns before the first record is read. */
void join_init(struct join *j, struct rec_reader *rd);

/* A column of the type's records; name is kept, not copied. The caller owns the
 * result and frees it with free(), or keeps it to the end. A missing column is
 * fatal at the first record, with a message that names the command that adds
 * it; if optional is set afterwards, the column is unset instead. */
struct join_col *join_col(struct join *j, struct rec_type *t, const char *name);

/* Whether the name is op.COL or op_COL. */
bool join_is_op(const char *name);

/* A column that the records hold themselves: no alias, no join. */
struct join_col *join_own(struct rec_type *t, const char *name);

/* The caller passes on these events: a section begins; a legend of the type
 * that c belongs to; a record of type op or str. */
void join_section(struct join *j);
void join_op(struct join *j, const struct rec *r);
void join_str(struct join *j, const struct rec *r);

static inline void
join_legend(struct join_col *c)
{
	c->bound = false;
}

/* Called at the end: warns if records were missing. */
void join_warn(const struct join *j);

/* True if such records are needed at all. */
bool join_needs_op(const struct join *j);
bool join_needs_str(const struct join *j);

/* Finds the source of the column's values; fatal if there is none. */
void join_bind(struct join *j, const struct rec *r, struct join_col *c);

/* The escaped text of the value; NULL if unset. Valid until the next record,
 * joined ones until the end. */
const char *join_far(
    struct join *j, const struct rec *r, const struct join_col *c, size_t *n);

static inline const char *
join_raw(struct join *j, const struct rec *r, struct join_col *c, size_t *n)
{
	if (!c->bound)
		join_bind(j, r, c);
	if (c->how == JOIN_OWN) {
		struct mview v = rec_get(r, c->src);

		*n = v.n;
		return v.s;
	}
	return join_far(j, r, c, n);
}

/* The same, given the result of rec_split(): for many columns of a record. */
static inline const char *
join_fast(struct join *j, const struct rec *r, const char *const *field,
    struct join_col *c, size_t *n)
{
	const char *s;

	if (!c->bound || c->how != JOIN_OWN)
		return join_raw(j, r, c, n);
	s = field[c->type->at[c->src]];
	*n = (size_t)(field[c->type->at[c->src] + 1] - s) - 1;
	return *n == 1 && s[0] == '-' ? NULL : s;
}
