/* Fields of records. */
#ifndef DLP_PARSE_EMIT_FIELD_H
#define DLP_PARSE_EMIT_FIELD_H

#include <stdint.h>

void emit_num(int64_t v);      /* unset if EV_UNSET */
void emit_word(const char *s); /* unset if NULL; needs no escape */

#endif
