/* Texts in the order that people expect: rank9 before rank10. */
#ifndef DLP_NATURAL_H
#define DLP_NATURAL_H

/* As strcmp(), but digits are compared as numbers; texts that differ only in
 * leading zeros are compared byte by byte. */
int natural_cmp(const char *a, const char *b);

#endif
