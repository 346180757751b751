/*
 * Makes the database that dlp-parse reads from the spool of the recorded
 * program: the order of the steps, and what they share, such as names and the
 * clock.
 */
#include "convert.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "err.h"
#include "sandbox.h"

const void *
conv_rec(const struct conv *c, const struct conv_ref *ref)
{
	return c->dir.file[ref->proc].map + ref->at;
}

int64_t
conv_text(struct conv *c, const char *s, size_t n)
{
	return (int64_t)smap_put(&c->text, s, n, NULL) + 1;
}

int64_t
conv_known(
    struct conv *c, const struct map *m, uint64_t key, const char *otherwise)
{
	const uint64_t *id = map_get(m, key);
	const char *s = otherwise;
	size_t n = strlen(s);

	if (id != NULL)
		s = smap_str(&c->own, (uint32_t)*id, &n);
	return conv_text(c, s, n);
}

static void
put_time(unsigned char *to, int64_t t)
{
	uint64_t u = (uint64_t)t ^ (uint64_t)1 << 63;
	int i;

	for (i = 7; i >= 0; i--, u >>= 8)
		to[i] = (unsigned char)u;
}

void
conv_put(struct conv *c, enum recdb_table t, struct conv_ref *ref)
{
	unsigned char key[9];

	if (conv_holds(c)) {
		conv_hold(c, t, ref);
		return;
	}
	key[0] = (unsigned char)t;
	put_time(key + 1, ref->start);
	ref->table = t;
	xsort_put(&c->rows, key, sizeof(key), ref, sizeof(*ref));
	c->n_rows++;
	if (c->first == RECDB_NULL || ref->start < c->first)
		c->first = ref->start;
	if (ref->start > c->last)
		c->last = ref->start;
	if (ref->end > c->last)
		c->last = ref->end;
}

int64_t
conv_gpid(const struct conv_proc *p)
{
	return CONV_VM + p->pid * ((int64_t)1 << 24);
}

int64_t
conv_gtid(const struct conv_proc *p, uint32_t tid)
{
	return conv_gpid(p) + (int64_t)(tid & 0xffffff);
}

/* Between the two pairs of clocks the difference changes evenly. */
int64_t
conv_time(const struct conv_proc *p, int64_t t)
{
	double slope;
	int64_t span;

	if (!p->real_clock || p->n_clocks == 0)
		return t;
	span = p->real[1] - p->real[0];
	if (p->n_clocks < 2 || span <= 0)
		return t - p->real[0] + p->mono[0];
	slope = (double)(p->mono[1] - p->mono[0]) / (double)span;
	return p->mono[0] + (int64_t)((double)(t - p->real[0]) * slope);
}

/* What the session says. */
void
conv_session(struct conv *c)
{
	char *s = rspool_session(&c->dir, "duration");

	c->first = c->last = RECDB_NULL;
	c->duration = s != NULL ? strtoll(s, NULL, 10) : 0;
	free(s);
	s = rspool_session(&c->dir, "markers");
	c->markers = s != NULL;
	free(s);
}

void
conv_procs(struct conv *c, size_t known)
{
	size_t i;

	c->proc = xrealloc(c->proc, c->dir.n + 1, sizeof(*c->proc));
	for (i = known; i < c->dir.n; i++) {
		memset(&c->proc[i], 0, sizeof(*c->proc));
		c->proc[i].no = (uint32_t)i;
		c->proc[i].start = c->proc[i].stop = RECDB_NULL;
		c->proc[i].on = c->proc[i].off = RECDB_NULL;
		c->proc[i].last = RECDB_NULL;
	}
	for (i = 0; i < c->dir.n; i++)
		c->proc[i].file = &c->dir.file[i];
}

void
conv_finish(struct conv *c)
{
	size_t i;

	for (i = 0; i < c->dir.n; i++) {
		struct conv_proc *p = &c->proc[i];

		map_free(&p->names);
		map_free(&p->calls);
		map_free(&p->strings);
		map_free(&p->tasks);
		map_free(&p->graphs);
		map_free(&p->ends);
		map_free(&p->end_tids);
		map_free(&p->live);
		map_free(&p->covered);
		free(p->schemas.at);
		free(p->name);
	}
	free(c->proc);
	smap_free(&c->text);
	smap_free(&c->own);
	smap_free(&c->warned);
	map_free(&c->kernel);
	map_free(&c->said);
	xsort_close(&c->gpu);
	xsort_close(&c->rows);
	buf_free(&c->buf);
	rspool_free(&c->dir);
}

/* What is missing or was changed, for the user. */
static void
say_counts(const struct conv *c)
{
	static const char *const what[CONV_COUNTERS] = {
		[CONV_UNTIMED] = "GPU records without times, left out",
		[CONV_DROPPED] = "GPU records that CUPTI dropped",
		[CONV_LOST] = "records for which the spool had no room",
		[CONV_BAD] = "records of CUPTI that cannot be read",
		[CONV_DAMAGED] = "damaged parts of the spool, left out",
	};
	int i;

	for (i = 0; i < CONV_COUNTERS; i++)
		if (c->count[i] > 0 && what[i] != NULL)
			warn("%s: %llu", what[i],
			    (unsigned long long)c->count[i]);
}

/* The spool of a process could not grow: the file says why. */
static void
say_full(const char *folder)
{
	char why[200];
	struct dirent *e;
	struct buf b = { 0 };
	ssize_t n;
	DIR *d = opendir(folder);
	int fd;

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
}

/* Nothing was recorded: the reason, as far as it is known. */
static void
say_nothing(const struct conv *c)
{
	char *capture = rspool_session(&c->dir, "capture");

	if (c->dir.n == 0)
		warn("nothing was recorded: the program used neither CUDA "
		     "nor NVTX");
	else if (!c->has_window && capture != NULL)
		warn("nothing was recorded: the range never began (-c %s)",
		    capture);
	free(capture);
}

void
conv_say(struct conv *c, const char *folder)
{
	say_counts(c);
	say_full(folder);
	say_nothing(c);
}

void
conv_run(const char *folder, const char *path, bool force)
{
	struct conv *c = xcalloc(1, sizeof(*c));

	tzset(); /* reads a file that is out of reach afterwards */
	sandbox_enter();
	sandbox_folders(folder, path);
	rspool_read(&c->dir, folder);
	conv_session(c);
	conv_procs(c, 0);
	recdb_create(&c->db, path, force);
	xsort_open(&c->gpu, runs_bytes, NULL, CONV_SORT_BYTES);
	xsort_open(&c->rows, runs_bytes, NULL, CONV_SORT_BYTES);
	conv_read(c);
	conv_gpu(c);
	conv_rows(c);
	conv_facts(c);
	recdb_finish(&c->db);
	conv_say(c, folder);
	conv_finish(c);
	free(c);
}
