/* Names that differ only in a number. */
#ifndef DLP_STEM_H
#define DLP_STEM_H

#include <stddef.h>

/* The length of s[0..n) without the text after a comma ("aten::to, op_id = 7")
 * and without a number at the end after a blank or a # ("iteration 3"); n if
 * nothing would be left. */
size_t stem_len(const char *s, size_t n);

#endif
