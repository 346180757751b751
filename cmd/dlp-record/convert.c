/*
 * Makes the database that dlp-parse reads from the spool of the recorded
 * program: the order of the steps, and what is said in the end.
 */
#include "convert.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "sandbox.h"
#include "shipped.h"

void
conv_say(struct conv *c, const char *folder)
{
	char *capture = rspool_session(&c->dir, "capture");
	int i, fd;
	char why[200];
	struct dirent *e;
	struct buf b = { 0 };
	ssize_t n;
	DIR *d;

	for (i = 0; i < CONV_COUNTERS; i++)
		if (c->count[i] > 0 && conv_counts[i].what != NULL)
			warn("%s: %llu", conv_counts[i].what,
			    (unsigned long long)c->count[i]);
	/* The spool of a process could not grow: the file says why. */
	d = opendir(folder);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "full.", 5) != 0)
			continue;
		buf_clear(&b);
		buf_printf(&b, "%s/%s", folder, e->d_name);
		fd = open(buf_str(&b), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		n = fd >= 0 ? read(fd, why, sizeof(why)) : 0;
		if (fd >= 0)
			close(fd);
		warn("process %s: the recording ended early, because the "
		     "spool cannot grow: %.*s",
		    e->d_name + 5, (int)(n > 0 ? n : 0), why);
	}
	if (d != NULL)
		closedir(d);
	buf_free(&b);
	/* nothing was recorded: the reason, as far as it is known */
	if (c->dir.n == 0)
		warn("nothing was recorded: the program used neither CUDA "
		     "nor NVTX");
	else if (!c->has_window && capture != NULL)
		warn("nothing was recorded: the range never began (-c %s)",
		    capture);
	free(capture);
}

void
conv_begin(struct conv *c, const char *path, bool force)
{
	dbw_create(&c->db, path,
	    force ? NULL : " exists already; --force writes over it");
	dbw_script(&c->db, shipped_text("nsys_enums.sql"));
	dbw_tables(&c->db, shipped_text("nsys.sql"), RT_TABLES, true);
	xsort_open(&c->gpu, runs_bytes, NULL, CONV_SORT_BYTES);
	xsort_open(&c->rows, runs_bytes, NULL, CONV_SORT_BYTES);
}

void
conv_end(struct conv *c)
{
	conv_gpu(c);
	conv_rows(c);
	conv_facts(c);
	dbw_finish(&c->db);
}

void
conv_run(const char *folder, const char *path, bool force)
{
	struct conv *c = xcalloc(1, sizeof(*c));

	tzset(); /* reads a file that is out of reach afterwards */
	sandbox_enter();
	sandbox_folders(folder, path);
	rspool_read(&c->dir, folder, false);
	conv_session(c);
	conv_procs(c, 0);
	conv_begin(c, path, force);
	conv_read(c);
	conv_end(c);
	conv_say(c, folder);
	conv_finish(c);
	free(c);
}
