/* Words that name a phase. */
#ifndef DLP_PHASE_TEXT_H
#define DLP_PHASE_TEXT_H

#include <stddef.h>

/* The phase that a range's text names, or 0. */
int phase_of_text(const char *s, size_t n);

const char *phase_word(int phase); /* NULL for 0 */

#endif
