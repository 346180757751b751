/*
 * Verdicts about names by a file of ordered rules (namerule.h), whose words are
 *
 *	ID VERDICT TYPE SINCE PATTERN
 *
 * VERDICT is yes, no or unknown; TYPE and SINCE can be -.
 */
#ifndef DLP_JUDGE_H
#define DLP_JUDGE_H

#include "namerule.h"

enum ynu { YNU_UNKNOWN, YNU_NO, YNU_YES };

enum { JUDGE_ID, JUDGE_VERDICT, JUDGE_TYPE, JUDGE_SINCE, JUDGE_WORDS };

/* Reads the rules of the file, or those of the shipped file of that name if
 * path is NULL. Bad rules are fatal. path is kept, not copied. */
void judge_open(struct namerules *r, const char *path, const char *shipped);

/* YNU_UNKNOWN if u is NULL, because no rule decided. */
enum ynu judge_verdict(const struct namerule *u);

/* "yes", "no" or "unknown". */
const char *ynu_name(enum ynu v);

#endif
