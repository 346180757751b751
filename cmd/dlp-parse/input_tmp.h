/* The one temporary file of input. */
#ifndef DLP_PARSE_INPUT_TMP_H
#define DLP_PARSE_INPUT_TMP_H

/* A path for a new file in a private folder under TMPDIR; it is removed by
 * tmp_remove(), at exit, and when a signal ends the process. Valid until
 * tmp_remove(); one at a time. */
const char *tmp_make(void);

/* A second path beside it, for messages of nsys. */
const char *tmp_log(void);
void tmp_remove(void);

#endif
