/* Names in, verdicts out. */
#ifndef TC_NAMES_H
#define TC_NAMES_H

#include "judge.h"

/* Writes a line for each line of the file; path NULL or "-": standard
 * input. Trouble is fatal. */
void names_judge(const struct namerules *rules, const char *path);

#endif
