/* Lines of a .dict that belong together, as calls of ops. */
#ifndef DLP_PARSE_DICT_CALL_H
#define DLP_PARSE_DICT_CALL_H

#include "dict_line.h"

#define DICT_RUN 4096 /* lines that are held back at most */

/* Whether a line goes on with what is around the one before: the same
 * outermost argument marker, or, without one, the same ranges. */
bool dict_same_run(const struct dict_line *a, const struct dict_line *b);

/* Such lines, first to last: how many of them, from the first, are one call.
 * The file does not say where a call ends and the next one, with the same
 * arguments, begins. Calls that autograd follows have a sequence id each; of
 * others, whose id is that of their neighbours (shared), it is told by the
 * first kernel coming again. */
int dict_call(const struct dict_line *v, int n, bool shared);

/* The path that two lines have in common, in ranges. */
int dict_common(const struct dict_line *a, const struct dict_line *b);

#endif
