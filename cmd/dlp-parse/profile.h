/* A profile from opening to closing. */
#ifndef DLP_PARSE_PROFILE_H
#define DLP_PARSE_PROFILE_H

struct profile;

void profile_open(struct profile *p, const char *path, int no);
void profile_begin(struct profile *p); /* the first pass */
void profile_alone(struct profile *p); /* no thread from now on */
void profile_start(struct profile *p); /* the merge may begin */
void profile_close(struct profile *p);

#endif
