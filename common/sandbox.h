/*
 * What a process can no longer do once it reads what strangers wrote, so that a
 * fault in a reader is worth little to them. The kernel enforces it: seccomp
 * for system calls, Landlock for files. Where the kernel has neither, and in
 * builds with sanitizers, nothing happens. DLP_SANDBOX=off in the environment
 * turns it off.
 */
#pragma once

/* No further process or program, no network, no other process's memory. Every
 * command does this when it opens its output; a second call does nothing. */
void sandbox_enter(void);

/* In addition: opens nothing but these n files (NULL and "-" are skipped), the
 * write-ahead logs beside them, and temporary files. Call it before the first
 * byte is read, and before a thread is started. */
void sandbox_files(char *const *paths, int n);

/* In place of sandbox_files(): reads nothing but files in the folder `from`,
 * and writes nothing but files in the folder of `to`, which need not exist, and
 * temporary ones. */
void sandbox_folders(const char *from, const char *to);
