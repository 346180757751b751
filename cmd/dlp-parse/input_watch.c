/* See input_watch.h. */
#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "input_watch.h"

static struct watched {
	const char *path;
	struct stat st;
} * files;
static size_t nfiles;

void
watch_add(const char *path, const struct stat *st)
{
	files = xrealloc(files, nfiles + 1, sizeof(*files));
	files[nfiles].path = path;
	files[nfiles++].st = *st;
}

/* A file of that name that took its place is none of our business. */
static bool
written(const struct stat *was, const struct stat *is)
{
	return was->st_dev == is->st_dev && was->st_ino == is->st_ino &&
	       (was->st_size != is->st_size ||
		   was->st_mtim.tv_sec != is->st_mtim.tv_sec ||
		   was->st_mtim.tv_nsec != is->st_mtim.tv_nsec);
}

void
watch_check(void)
{
	const struct watched *w;
	struct stat st;

	for (w = files; w < files + nfiles; w++)
		if (stat(w->path, &st) == 0 && written(&w->st, &st))
			die("%s: was written while it was read", w->path);
}
