/* Texts that are wider than their column. */
#ifndef CUT_H
#define CUT_H

#include "buf.h"

#define CUT_MARK ".." /* stands for what was cut */

/* Appends the shown text s[0..n) in just width columns: as many as fit of
 * head columns of its beginning, the mark, and of its end. head < 0: what
 * suits the text. */
void cut_put(struct buf *b, const char *s, size_t n, int width, int head);

/* Where the texts of a column are cut. A text that fits takes no part. */
struct cut_col;

struct cut_col *cut_new(int width);
void cut_add(struct cut_col *c, const char *s, size_t n, int text_width);
/* After all were added: chooses the places so that texts that differ look
 * different where that can be. */
void cut_choose(struct cut_col *c);
/* Appends the text, cut there; also one that was not added. */
void cut_text(const struct cut_col *c, struct buf *b, const char *s, size_t n);
void cut_free(struct cut_col *c); /* NULL too */

#endif
