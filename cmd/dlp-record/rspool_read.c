/* Reads spools; see rspool_read.h. */
#include "rspool_read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "err.h"

/* The least size of a record of each type, and where its lengths are. */
static const struct {
	uint16_t type;
	uint16_t size;
	uint16_t len, more; /* places of lengths of texts; 0: none */
} types[] = {
#define AT(s, member) offsetof(struct rspool_##s, member)
#define FIXED(s) sizeof(struct rspool_##s), 0, 0
#define TEXT(s) sizeof(struct rspool_##s), AT(s, len), 0
	{ RSPOOL_THREAD, FIXED(thread) },
	{ RSPOOL_FACT, TEXT(text) },
	{ RSPOOL_CLOCK, FIXED(clock) },
	{ RSPOOL_NOTE, TEXT(text) },
	{ RSPOOL_COUNT, TEXT(text) },
	{ RSPOOL_NAME, TEXT(text) },
	{ RSPOOL_TASK, TEXT(text) },
	{ RSPOOL_CALLNAME, TEXT(callname) },
	{ RSPOOL_WINDOW, FIXED(window) },
	{ RSPOOL_PUSH, TEXT(push) },
	{ RSPOOL_POP, FIXED(pop) },
	{ RSPOOL_NVTX, sizeof(struct rspool_nvtx_event), AT(nvtx_event, len),
	    AT(nvtx_event, bytes) },
	{ RSPOOL_DOMAIN, TEXT(named) },
	{ RSPOOL_STRING, TEXT(named) },
	{ RSPOOL_CATEGORY, TEXT(named) },
	{ RSPOOL_LABEL, TEXT(named) },
	{ RSPOOL_SCHEMA, TEXT(schema) },
	{ RSPOOL_FIELD, sizeof(struct rspool_field), AT(field, len),
	    AT(field, more) },
	{ RSPOOL_KERNEL, FIXED(kernel) },
	{ RSPOOL_COPY, FIXED(copy) },
	{ RSPOOL_SET, FIXED(set) },
	{ RSPOOL_CALL, FIXED(call) },
	{ RSPOOL_SYNC, FIXED(sync) },
	{ RSPOOL_EVENT, FIXED(cuevent) },
	{ RSPOOL_OVERHEAD, FIXED(overhead) },
	{ RSPOOL_CONTEXT, FIXED(context) },
	{ RSPOOL_STREAM, FIXED(stream) },
	{ RSPOOL_MEMORY, FIXED(memory) },
	{ RSPOOL_POOL, FIXED(pool) },
	{ RSPOOL_GRAPHRUN, FIXED(graphrun) },
	{ RSPOOL_NODE, FIXED(node) },
	{ RSPOOL_GRAPH, FIXED(node) },
};

/* True if the record is whole. The size itself has been checked. */
static bool
is_whole(const char *rec, uint16_t type, uint32_t size)
{
	uint32_t len = 0, more = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(types) && types[i].type != type; i++)
		continue;
	if (i == ARRAY_LEN(types))
		return true; /* of a later version */
	if (size < types[i].size)
		return false;
	if (types[i].len != 0)
		memcpy(&len, rec + types[i].len, sizeof(len));
	if (types[i].more != 0)
		memcpy(&more, rec + types[i].more, sizeof(more));
	return size >= (uint64_t)types[i].size + len + more;
}

/* The size of the record at `at`, or 0 if there is none that can be read. */
static uint32_t
record_at(const struct rspool_file *f, size_t at, size_t end)
{
	const struct rspool_rec *r;

	if (end - at < sizeof(*r))
		return 0;
	r = (const void *)(f->map + at);
	if (r->size < sizeof(*r) || r->size % 8 != 0 || r->size > end - at ||
	    !is_whole(f->map + at, r->type, r->size))
		return 0;
	return r->size;
}

const struct rspool_rec *
rspool_next(
    const struct rspool_file *f, const struct rspool_part *p, size_t *at)
{
	const struct rspool_rec *r;
	uint32_t size;

	if (*at < p->begin)
		*at = p->begin;
	size = *at < p->end ? record_at(f, *at, p->end) : 0;
	if (size == 0)
		return NULL;
	r = (const void *)(f->map + *at);
	*at += size;
	return r;
}

static void
add_part(struct rspool_file *f, const struct rspool_thread *t, size_t begin)
{
	struct rspool_part *p;

	ARRAY_GROW(f->part, f->n_parts, f->parts_cap);
	p = &f->part[f->n_parts++];
	p->tid = t->tid;
	p->serial = t->serial;
	p->begin = p->end = begin;
}

/* The records of a chunk that came since the last time. Those before the first
 * thread's are lost; so is what follows a damaged record. False if something
 * is. */
static bool
read_chunk(struct rspool_file *f, size_t at, struct rspool_seen *seen)
{
	size_t i =
	    at + (seen->used > 0 ? seen->used : sizeof(struct rspool_chunk));
	size_t end = at + seen->now;
	struct rspool_thread t = { .serial = seen->serial, .tid = seen->tid };
	bool any = seen->serial != RSPOOL_UNSET, empty = i == end;
	const struct rspool_thread *r;
	uint32_t size;

	if (any)
		add_part(f, &t, i);
	seen->used = seen->now;
	for (; i < end; i += size) {
		size = record_at(f, i, end);
		if (size == 0)
			return false;
		r = (const void *)(f->map + i);
		if (r->rec.type == RSPOOL_THREAD) {
			add_part(f, r, i + size);
			seen->tid = r->tid;
			seen->serial = r->serial;
			any = true;
		} else if (any)
			f->part[f->n_parts - 1].end = i + size;
	}
	return any || empty;
}

static int
by_thread(const void *va, const void *vb)
{
	const struct rspool_part *a = va, *b = vb;

	return CMP3(a, b, tid, serial, begin);
}

/* A thread goes on in a later chunk: how far the later ones are filled is read
 * first, so that what comes before is complete. A chunk that was mapped and
 * never signed is zero; one that is being signed is not yet whole. */
static void
read_chunks(struct rspool_dir *d, struct rspool_file *f, bool live)
{
	size_t n = (f->size + RSPOOL_CHUNK - 1) / RSPOOL_CHUNK, i, left;
	const struct rspool_chunk *c;
	struct rspool_seen *seen;

	if (n > f->n_seen)
		f->seen = xrealloc(f->seen, n, sizeof(*f->seen));
	for (; f->n_seen < n; f->n_seen++)
		f->seen[f->n_seen] =
		    (struct rspool_seen){ 0, 0, 0, RSPOOL_UNSET };
	f->n_parts = 0;
	for (i = n; i-- > 0;) {
		seen = &f->seen[i];
		seen->now = 0;
		left = f->size - i * RSPOOL_CHUNK;
		c = (const void *)(f->map + i * RSPOOL_CHUNK);
		if (left < sizeof(*c))
			continue;
		seen->now = __atomic_load_n(&c->used, __ATOMIC_ACQUIRE);
		if (c->magic == 0 && seen->now == 0)
			continue;
		if (c->magic != RSPOOL_MAGIC || c->version != RSPOOL_VERSION ||
		    seen->now < sizeof(*c) || seen->now > RSPOOL_CHUNK ||
		    seen->now > left) {
			seen->now = 0;
			d->bad += !live;
		}
	}
	for (i = 0; i < n; i++)
		if (f->seen[i].now > f->seen[i].used &&
		    !read_chunk(f, i * RSPOOL_CHUNK, &f->seen[i]))
			d->bad++;
	if (f->n_parts > 0)
		qsort(f->part, f->n_parts, sizeof(*f->part), by_thread);
}

/* Maps a file, and again where it has grown. If it cannot be read, it is fatal,
 * unless the recording goes on. */
static void
map_file(const struct rspool_dir *d, struct rspool_file *f, bool live)
{
	struct buf path = { 0 };
	struct stat st;
	void *map = NULL;
	int fd;

	buf_puts(&path, d->path);
	if (f->name != NULL)
		buf_printf(&path, "/%s", f->name);
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0)
		map = MAP_FAILED;
	else if (S_ISREG(st.st_mode) && (size_t)st.st_size > f->size)
		map = mmap(
		    NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED && !live)
		die_errno("%s", buf_str(&path));
	if (map != MAP_FAILED && map != NULL) {
		if (f->map != NULL)
			munmap((void *)(uintptr_t)f->map, f->size);
		f->map = map;
		f->size = (size_t)st.st_size;
	}
	if (fd >= 0)
		close(fd);
	buf_free(&path);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_file(struct rspool_dir *d, char *name)
{
	ARRAY_GROW(d->file, d->n, d->cap);
	d->file[d->n++] = (struct rspool_file){ .name = name };
}

static bool
is_known(const struct rspool_dir *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (strcmp(d->file[i].name, name) == 0)
			return true;
	return false;
}

static char *
read_session(const struct rspool_dir *d)
{
	struct buf b = { 0 };
	char text[4096];
	ssize_t n;
	int fd;

	buf_printf(&b, "%s/" RSPOOL_SESSION, d->path);
	fd = open(buf_str(&b), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	buf_clear(&b);
	if (fd < 0) {
		buf_free(&b);
		return NULL;
	}
	while ((n = read(fd, text, sizeof(text))) > 0 && b.len < 1 << 20)
		buf_put(&b, text, (size_t)n);
	close(fd);
	buf_putc(&b, '\0');
	return b.s;
}

void
rspool_read(struct rspool_dir *d, const char *path, bool live)
{
	DIR *dir = opendir(path);
	size_t i, n, cap, len, k;
	char **names;
	struct dirent *e;

	if (dir == NULL && !live && errno != ENOTDIR)
		die_errno("%s", path);
	if (dir == NULL && !live)
		add_file(d, NULL);
	if (d->path == NULL) {
		d->path = xstrdup(path);
		d->session = dir != NULL || live ? read_session(d) : NULL;
	}
	if (dir != NULL) {
		/* Adds the files that are not known yet, by their names. */
		n = 0;
		cap = 0;
		k = sizeof(RSPOOL_SUFFIX) - 1;
		names = NULL;
		while ((e = readdir(dir)) != NULL) {
			len = strlen(e->d_name);
			if (len <= k ||
			    strcmp(e->d_name + len - k, RSPOOL_SUFFIX) != 0 ||
			    is_known(d, e->d_name))
				continue;
			ARRAY_GROW(names, n, cap);
			names[n++] = xstrdup(e->d_name);
		}
		if (n > 0)
			qsort(names, n, sizeof(*names), by_name);
		for (i = 0; i < n; i++)
			add_file(d, names[i]);
		free(names);
		closedir(dir);
	}
	if (d->session == NULL && d->n == 0 && !live)
		die("%s: not a recording: it has neither the file '%s' nor "
		    "files that end in %s",
		    path, RSPOOL_SESSION, RSPOOL_SUFFIX);
	for (i = 0; i < d->n; i++) {
		map_file(d, &d->file[i], live);
		read_chunks(d, &d->file[i], live);
	}
}

void
rspool_free(struct rspool_dir *d)
{
	size_t i;

	for (i = 0; i < d->n; i++) {
		free(d->file[i].part);
		free(d->file[i].seen);
		free(d->file[i].name);
		if (d->file[i].map != NULL)
			munmap(
			    (void *)(uintptr_t)d->file[i].map, d->file[i].size);
	}
	free(d->file);
	free(d->session);
	free(d->path);
	memset(d, 0, sizeof(*d));
}

char *
rspool_session(const struct rspool_dir *d, const char *key)
{
	size_t k = strlen(key), n;
	const char *s = d->session;

	while (s != NULL && *s != '\0') {
		n = strcspn(s, "\n");
		if (n > k && memcmp(s, key, k) == 0 && s[k] == '=')
			return xmemdup(s + k + 1, n - k - 1);
		s += n;
		if (*s == '\n')
			s++;
	}
	return NULL;
}
