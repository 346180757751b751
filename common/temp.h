/* Temporary files without a name, so that nothing is left over. */
#ifndef DLP_TEMP_H
#define DLP_TEMP_H

/* A new file in TMPDIR (/tmp), named after the program, open for reading and
 * writing and already unlinked. The descriptor is the caller's. Failure is
 * fatal. */
int temp_fd(void);

#endif
