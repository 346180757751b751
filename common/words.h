/* Names as people see them: their order, similar ones, ones with a number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Our texts in the words of AMD, in place: Tensor Cores are matrix cores, and
 * CUDA is HIP. Returns the new length, which is not larger; the text need not
 * end in NUL. */
size_t words_amd(char *s, size_t n);

/* As strcmp(), but digits are compared as numbers; texts that differ only in
 * leading zeros are compared byte by byte. */
int natural_cmp(const char *a, const char *b);
void natural_sort(char **v, int n);

#define NEAR_LONGEST 32 /* the longest known word */

/* The number of letters that must be added, dropped or changed to turn a into
 * b; b has at most NEAR_LONGEST letters. */
size_t near_distance(const char *a, const char *b);

/* The length of s[0..n) without the text after a comma ("aten::to, op_id = 7")
 * and without a number at the end after a blank or a # ("iteration 3"); n if
 * nothing would be left. */
size_t stem_len(const char *s, size_t n);

/* Whether a layer of the path s[0..n) ends at s[i], at a '/' that is not one
 * inside a name: "Torch-Compiled Region: 0/0". */
bool is_layer_end(const char *s, size_t n, size_t i);
