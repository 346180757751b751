/* The making of ops, shared by ops*.c only. */
#ifndef DLP_OPS_IMPL_H
#define DLP_OPS_IMPL_H

#include "ops.h"

/* An op in the making: texts lie one behind the other in a buffer. */
struct draft {
	struct op op;
	size_t at[OF_N];
};

/* One is made at a time. Texts are copied: raw ones are escaped already, the
 * others are escaped here; NULL leaves the field unset. */
void draft_begin(struct draft *d);
void draft_raw(struct draft *d, enum op_field f, const char *s, size_t n);
void draft_text(struct draft *d, enum op_field f, const char *s, size_t n);
void draft_view(struct draft *d, enum op_field f, struct mview v);
void draft_layer(struct draft *d, struct text layer);
/* OF_LAYER: the layer path and the modules that DLProf's name for the op goes
 * through; func is not escaped. */
void draft_module(
    struct draft *d, struct text layer, const char *func, size_t n);
void draft_by(struct draft *d, const struct marker *m);

/* OF_NAME: the layer path (or a prefix) and the type. */
void draft_name(struct draft *d, struct text layer, const char *s, size_t n);
void draft_name_raw(
    struct draft *d, struct text layer, const char *prefix, struct text what);

/* The op gets the number that ident_find() left a place for; its record is
 * written. */
uint32_t draft_done(struct ops *t, struct draft *d, uint32_t ident);

/* The same without an identity: an op of its own. */
uint32_t draft_once(struct ops *t, struct draft *d);

/* What makes an op the same: parts put into ops.key. */
void key_begin(struct buf *k, char what, const char *layer, size_t n);
void key_put(struct buf *k, const char *s, size_t n);
/* The op with the identity in t->key; 0 if it is new, with its place. */
uint32_t ident_find(struct ops *t, uint32_t *at);

#endif
