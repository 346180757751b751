/* Texts in the order that a reader expects: rank9 before rank10. */
#ifndef DLP_NATURAL_H
#define DLP_NATURAL_H

/* As strcmp(), but digits are compared as the number they are; texts that
 * differ in leading zeros only are compared byte by byte. */
int natural_cmp(const char *a, const char *b);

#endif
