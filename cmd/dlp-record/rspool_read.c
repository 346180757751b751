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
	uint16_t len[2]; /* places of lengths of texts; 0: none */
} types[] = {
#define FIXED(t, s)                                                            \
	{                                                                      \
		t, sizeof(struct s),                                           \
		{                                                              \
			0, 0                                                   \
		}                                                              \
	}
#define TEXT(t, s)                                                             \
	{                                                                      \
		t, sizeof(struct s),                                           \
		{                                                              \
			offsetof(struct s, len), 0                             \
		}                                                              \
	}
#define TWO(t, s, more)                                                        \
	{                                                                      \
		t, sizeof(struct s),                                           \
		{                                                              \
			offsetof(struct s, len), offsetof(struct s, more)      \
		}                                                              \
	}
	FIXED(RSPOOL_THREAD, rspool_thread),
	TEXT(RSPOOL_FACT, rspool_text),
	FIXED(RSPOOL_CLOCK, rspool_clock),
	TEXT(RSPOOL_NOTE, rspool_text),
	TEXT(RSPOOL_COUNT, rspool_text),
	TEXT(RSPOOL_NAME, rspool_text),
	TEXT(RSPOOL_TASK, rspool_text),
	TEXT(RSPOOL_CALLNAME, rspool_callname),
	FIXED(RSPOOL_WINDOW, rspool_window),
	TEXT(RSPOOL_PUSH, rspool_push),
	FIXED(RSPOOL_POP, rspool_pop),
	TWO(RSPOOL_NVTX, rspool_nvtx_event, bytes),
	TEXT(RSPOOL_DOMAIN, rspool_named),
	TEXT(RSPOOL_STRING, rspool_named),
	TEXT(RSPOOL_CATEGORY, rspool_named),
	TEXT(RSPOOL_LABEL, rspool_named),
	TEXT(RSPOOL_SCHEMA, rspool_schema),
	TWO(RSPOOL_FIELD, rspool_field, more),
	FIXED(RSPOOL_KERNEL, rspool_kernel),
	FIXED(RSPOOL_COPY, rspool_copy),
	FIXED(RSPOOL_SET, rspool_set),
	FIXED(RSPOOL_CALL, rspool_call),
	FIXED(RSPOOL_SYNC, rspool_sync),
	FIXED(RSPOOL_EVENT, rspool_cuevent),
	FIXED(RSPOOL_OVERHEAD, rspool_overhead),
	FIXED(RSPOOL_CONTEXT, rspool_context),
	FIXED(RSPOOL_STREAM, rspool_stream),
	FIXED(RSPOOL_MEMORY, rspool_memory),
	FIXED(RSPOOL_POOL, rspool_pool),
	FIXED(RSPOOL_GRAPHRUN, rspool_graphrun),
	FIXED(RSPOOL_NODE, rspool_node),
	FIXED(RSPOOL_GRAPH, rspool_node),
};

static uint32_t
length_at(const char *rec, uint16_t place)
{
	uint32_t n;

	if (place == 0)
		return 0;
	memcpy(&n, rec + place, sizeof(n));
	return n;
}

/* True if the record is whole. The size itself has been checked. */
static bool
is_whole(const char *rec, uint16_t type, uint32_t size)
{
	uint64_t need;
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		if (types[i].type != type)
			continue;
		need = types[i].size;
		need += length_at(rec, size >= need ? types[i].len[0] : 0);
		need +=
		    length_at(rec, size >= types[i].size ? types[i].len[1] : 0);
		return size >= need;
	}
	return true; /* of a later version */
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

/* Divides a chunk into parts. Records before the first thread's are lost; so is
 * what follows a damaged record. False if something is. */
static bool
read_chunk(struct rspool_file *f, size_t at)
{
	const struct rspool_chunk *c = (const void *)(f->map + at);
	size_t end = at + c->used, i = at + sizeof(*c);
	const struct rspool_rec *r;
	bool any = false;
	uint32_t size;

	for (; i < end; i += size) {
		size = record_at(f, i, end);
		if (size == 0)
			return false;
		r = (const void *)(f->map + i);
		if (r->type == RSPOOL_THREAD) {
			add_part(f, (const void *)r, i + size);
			any = true;
		} else if (any)
			f->part[f->n_parts - 1].end = i + size;
	}
	return any || end == at + sizeof(*c);
}

static int
by_thread(const void *va, const void *vb)
{
	const struct rspool_part *a = va, *b = vb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->serial != b->serial)
		return a->serial < b->serial ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* A chunk that was mapped and never signed is zero. */
static void
read_chunks(struct rspool_dir *d, struct rspool_file *f)
{
	const struct rspool_chunk *c;
	size_t at;

	for (at = 0; f->size - at >= sizeof(*c); at += RSPOOL_CHUNK) {
		c = (const void *)(f->map + at);
		if (c->magic == 0 && c->used == 0)
			continue;
		if (c->magic != RSPOOL_MAGIC || c->version != RSPOOL_VERSION ||
		    c->used < sizeof(*c) || c->used > RSPOOL_CHUNK ||
		    c->used > f->size - at || !read_chunk(f, at))
			d->bad++;
		if (f->size - at <= RSPOOL_CHUNK)
			break;
	}
	if (f->n_parts > 0)
		qsort(f->part, f->n_parts, sizeof(*f->part), by_thread);
}

/* name NULL: d->path itself. */
static void
read_file(struct rspool_dir *d, const char *name)
{
	struct rspool_file *f;
	struct buf path = { 0 };
	struct stat st;
	void *map;
	int fd;

	buf_puts(&path, d->path);
	if (name != NULL)
		buf_printf(&path, "/%s", name);
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s", buf_str(&path));
	ARRAY_GROW(d->file, d->n, d->cap);
	f = &d->file[d->n++];
	memset(f, 0, sizeof(*f));
	if (S_ISREG(st.st_mode) && st.st_size > 0) {
		map = mmap(
		    NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED)
			die_errno("%s", buf_str(&path));
		f->map = map;
		f->size = (size_t)st.st_size;
		read_chunks(d, f);
	}
	close(fd);
	buf_free(&path);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_spool(const char *name)
{
	size_t n = strlen(name), k = sizeof(RSPOOL_SUFFIX) - 1;

	return n > k && strcmp(name + n - k, RSPOOL_SUFFIX) == 0;
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

static void
read_folder(struct rspool_dir *d, DIR *dir)
{
	char **names = NULL;
	size_t n = 0, cap = 0, i;
	struct dirent *e;

	while ((e = readdir(dir)) != NULL) {
		if (!is_spool(e->d_name))
			continue;
		ARRAY_GROW(names, n, cap);
		names[n++] = xstrdup(e->d_name);
	}
	if (n > 0)
		qsort(names, n, sizeof(*names), by_name);
	for (i = 0; i < n; i++) {
		read_file(d, names[i]);
		free(names[i]);
	}
	free(names);
}

/* Where the file has grown, it is mapped again. */
static void
map_more(struct rspool_dir *d, struct rspool_file *f)
{
	struct buf path = { 0 };
	struct stat st;
	void *map;
	int fd;

	buf_printf(&path, "%s/%s", d->path, f->name);
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	buf_free(&path);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (size_t)st.st_size > f->size) {
		map = mmap(
		    NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED) {
			if (f->map != NULL)
				munmap((void *)(uintptr_t)f->map, f->size);
			f->map = map;
			f->size = (size_t)st.st_size;
		}
	}
	close(fd);
}

/* The records of a chunk from seen->used to seen->now. */
static void
read_more(struct rspool_dir *d, struct rspool_file *f, size_t at,
    struct rspool_seen *seen)
{
	const struct rspool_thread *r;
	size_t i, end = at + seen->now;
	uint32_t size;

	i = at + (seen->used > 0 ? seen->used : sizeof(struct rspool_chunk));
	if (seen->used > 0 && seen->serial != RSPOOL_UNSET) {
		struct rspool_thread t = { .serial = seen->serial,
			.tid = seen->tid };

		add_part(f, &t, i);
	}
	for (; i < end; i += size) {
		size = record_at(f, i, end);
		if (size == 0) {
			d->bad++;
			break;
		}
		r = (const void *)(f->map + i);
		if (r->rec.type == RSPOOL_THREAD) {
			add_part(f, r, i + size);
			seen->tid = r->tid;
			seen->serial = r->serial;
		} else if (f->n_parts > 0)
			f->part[f->n_parts - 1].end = i + size;
	}
	seen->used = seen->now;
}

/* A thread goes on in a later chunk: how far the later ones are filled is read
 * first, so that what comes before is complete. */
static void
more_chunks(struct rspool_dir *d, struct rspool_file *f)
{
	size_t n = f->size / RSPOOL_CHUNK, i;
	const struct rspool_chunk *c;

	if (n > f->n_seen) {
		f->seen = xrealloc(f->seen, n, sizeof(*f->seen));
		for (i = f->n_seen; i < n; i++)
			f->seen[i] =
			    (struct rspool_seen){ 0, 0, 0, RSPOOL_UNSET };
		f->n_seen = n;
	}
	f->n_parts = 0;
	for (i = n; i-- > 0;) {
		c = (const void *)(f->map + i * RSPOOL_CHUNK);
		f->seen[i].now = __atomic_load_n(&c->used, __ATOMIC_ACQUIRE);
		if (c->magic != RSPOOL_MAGIC || c->version != RSPOOL_VERSION ||
		    f->seen[i].now > RSPOOL_CHUNK)
			f->seen[i].now = 0;
	}
	for (i = 0; i < n; i++)
		if (f->seen[i].now > f->seen[i].used)
			read_more(d, f, i * RSPOOL_CHUNK, &f->seen[i]);
	if (f->n_parts > 0)
		qsort(f->part, f->n_parts, sizeof(*f->part), by_thread);
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

void
rspool_more(struct rspool_dir *d, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t i;

	if (d->path == NULL) {
		d->path = xstrdup(path);
		d->session = read_session(d);
	}
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (!is_spool(e->d_name) || is_known(d, e->d_name))
			continue;
		ARRAY_GROW(d->file, d->n, d->cap);
		memset(&d->file[d->n], 0, sizeof(*d->file));
		d->file[d->n++].name = xstrdup(e->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	for (i = 0; i < d->n; i++) {
		map_more(d, &d->file[i]);
		more_chunks(d, &d->file[i]);
	}
}

void
rspool_read(struct rspool_dir *d, const char *path)
{
	DIR *dir = opendir(path);

	memset(d, 0, sizeof(*d));
	d->path = xstrdup(path);
	if (dir == NULL && errno == ENOTDIR) {
		read_file(d, NULL);
		return;
	}
	if (dir == NULL)
		die_errno("%s", path);
	read_folder(d, dir);
	closedir(dir);
	d->session = read_session(d);
	if (d->session == NULL && d->n == 0)
		die("%s: not a recording: it has neither the file '%s' nor "
		    "files that end in %s",
		    path, RSPOOL_SESSION, RSPOOL_SUFFIX);
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
