/*
 * Opens a file as a database. A database is opened in place: as immutable if
 * nobody writes it, so that neither a lock nor a writable folder is needed;
 * with its write-ahead log if it has one. Any other file first becomes a
 * temporary copy.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "array.h"
#include "beside.h"
#include "buf.h"
#include "infile.h"
#include "magic.h"
#include "out.h"
#include "proto.h"
#include "shipped.h"
#include "sqldb.h"

static bool head_is_sqlite(const unsigned char *s, size_t n);
static void head_refuse(
    const char *path, enum zip z, const unsigned char *s, size_t n);

/*
 * Temporary copies of profiles: decompressed, or exported by nsys. SQLite reads
 * pages in any order, so a compressed database has to be unpacked; this is done
 * in pieces, in constant memory. A file of several streams or frames is read to
 * its end. A file that is not a database is refused as soon as its first bytes
 * are there, and one that grows out of all proportion as soon as it does.
 *
 * The format of reports (.nsys-rep, .qdrep) is private to nsys, so nsys has to
 * export them. It is run directly, never by a shell. Its messages go to a file;
 * if nsys fails, the last line of that file is shown.
 */

/* The one temporary folder of the process. It is private, and it is removed
 * however the process ends, except by SIGKILL. These are not in a struct
 * because a signal handler gets no argument. The handler reads them, so they
 * are complete before dir[0] is set. */
static char dir[4096], file[4096 + 16], logfile[4096 + 16];
static bool registered; /* unlink_all() is called at exit */
static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };
static struct sigaction old[ARRAY_LEN(signals)];

#define NSIGNALS (int)ARRAY_LEN(signals)

static void
unlink_all(void)
{
	if (dir[0] == '\0')
		return;
	unlink(file);
	unlink(logfile);
	rmdir(dir);
	dir[0] = '\0';
}

static void
on_signal(int sig)
{
	unlink_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A path for a new file in a private folder under TMPDIR; valid until
 * copy_remove(). */
static const char *
tmp_make(void)
{
	char path[sizeof(dir)];
	const char *base = getenv("TMPDIR");
	struct sigaction sa;
	int i;

	if (base == NULL || base[0] == '\0')
		base = "/tmp";
	if (strlen(base) > sizeof(path) - 32)
		die("TMPDIR: path too long");
	snprintf(path, sizeof(path), "%s/dlp-parse.XXXXXX", base);
	if (!registered && atexit(unlink_all) == 0)
		registered = true;
	if (mkdtemp(path) == NULL)
		die_errno("%s: cannot make a temporary folder", base);
	snprintf(file, sizeof(file), "%s/p.sqlite", path);
	snprintf(logfile, sizeof(logfile), "%s/log", path);
	memcpy(dir, path, sizeof(dir));
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < NSIGNALS; i++) {
		sigaction(signals[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
	return file;
}

/* Removes the copy's name. Also called at exit, and by a handler when a signal
 * ends the process. */
static void
copy_remove(void)
{
	int i;

	if (dir[0] == '\0')
		return;
	unlink_all();
	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &old[i], NULL);
}

/* In the child: becomes nsys, or reports errno through the pipe. */
static void
become_nsys(const char *path, const char *out, int report)
{
	const char *argv[] = { "nsys", "export", "--type", "sqlite",
		"--force-overwrite", "true", "-o", out, path, NULL };
	int log, null, e;

	log = open(logfile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (log >= 0 && null >= 0 && dup2(null, 0) >= 0 && dup2(log, 1) >= 0 &&
	    dup2(log, 2) >= 0)
		execvp("nsys", (char *const *)(uintptr_t)argv);
	e = errno;
	if (write(report, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

/* Runs "nsys export" on the report at path; returns the path of the database,
 * as above. Fatal, with the command to run, if there is no nsys. */
static const char *
copy_export(const char *path)
{
	const char *out = tmp_make();
	struct buf name = { 0 };
	char said[512] = "", line[512];
	int p[2], status, e = 0;
	ssize_t n;
	pid_t pid;
	FILE *log;

	if (path[0] == '-')
		buf_puts(&name, "./");
	buf_puts(&name, path);
	if (pipe(p) != 0 || fcntl(p[1], F_SETFD, FD_CLOEXEC) != 0 ||
	    (pid = fork()) < 0)
		die_errno("%s: cannot run nsys", path);
	if (pid == 0) {
		close(p[0]);
		become_nsys(buf_str(&name), out, p[1]);
	}
	close(p[1]);
	do /* the errno with which exec failed */
		n = read(p[0], &e, sizeof(e));
	while (n < 0 && errno == EINTR);
	close(p[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	errno = n == (ssize_t)sizeof(e) ? e : 0;
	if (errno == ENOENT || errno == ENOTDIR) {
		buf_clear(&name);
		magic_word(&name, path);
		die("%s: a report that only nsys can read, and nsys is not on"
		    " PATH; where it is, run: nsys export --type sqlite %s",
		    path, buf_str(&name));
	}
	if (errno != 0)
		die_errno("%s: cannot run nsys", path);
	log = fopen(logfile, "r");
	while (log != NULL && fgets(line, sizeof(line), log) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] != '\0')
			memcpy(said, line, sizeof(said));
	}
	if (log != NULL)
		fclose(log);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
	    access(out, R_OK) != 0)
		die("%s: nsys export failed: %s", path,
		    said[0] != '\0' ? said : "it said nothing");
	buf_free(&name);
	return out;
}

#define PIECE (1 << 18)
#define KIND_SIZE 4096 /* unpacked bytes that tell what a file is */

/* Profiles shrink by a factor of 4 to 40. The limit applies above a size for
 * which any disk has room. */
#define MOST_TIMES 256
#define MOST_ANYWAY (UINT64_C(1) << 26)

/* The memory that the decoders may use: 1 GiB. */
#define WINDOW_LOG 30

struct unpacking {
	/* takes the unpacked bytes; NULL: they go to the file out */
	void (*put)(void *ctx, const unsigned char *s, size_t n);
	void *ctx;
	bool partial; /* what is broken ends the data, with a message */
	bool broken;  /* it did */
	const char *name;
	enum zip kind;
	uint64_t n_in, n_out;
	int in, out;
	const unsigned char *head; /* bytes read before; they come first */
	size_t nhead;
	unsigned char *ibuf, *obuf;
	unsigned char *peek; /* zip_peek(): the first bytes, and how many */
	size_t size, npeek;
	bool full;
};

static const struct {
	enum zip kind;
	unsigned char magic[6];
	size_t len;
	const char *tool;
} magics[] = {
	{ ZIP_XZ, { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, "xz" },
	{ ZIP_ZSTD, { 0x28, 0xb5, 0x2f, 0xfd }, 4, "zstd" },
	{ ZIP_GZIP, { 0x1f, 0x8b }, 2, "gzip" },
};

static const char *
zip_tool(enum zip kind)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(magics); i++)
		if (magics[i].kind == kind)
			return magics[i].tool;
	return NULL;
}

enum zip
zip_kind(const unsigned char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(magics); i++)
		if (n >= magics[i].len &&
		    memcmp(s, magics[i].magic, magics[i].len) == 0)
			return magics[i].kind;
	return ZIP_NONE;
}

static void
copy_put(struct unpacking *c, const unsigned char *s, size_t n)
{
	if (c->kind != ZIP_NONE) {
		if (c->put == NULL && c->n_out == 0 && n >= KIND_SIZE &&
		    !head_is_sqlite(s, n) && !head_is_dict(s, n) &&
		    !head_is_json(s, n) && !head_is_pftrace(s, n))
			head_refuse(c->name, c->kind, s, n);
		c->n_out += n;
		if (c->n_out > MOST_ANYWAY && c->n_out / MOST_TIMES > c->n_in)
			die("%s: unpacks to more than %d times its size: not"
			    " unpacked",
			    c->name, MOST_TIMES);
	}
	if (c->put != NULL) {
		out_read(n);
		c->put(c->ctx, s, n);
		return;
	}
	if (!write_all(c->out, s, n))
		die_errno("%s: cannot write the temporary copy (set"
			  " TMPDIR to a larger place)",
		    c->name);
}

/* The next piece of the input; 0 at the end. */
static size_t
copy_get(struct unpacking *c, const unsigned char **s)
{
	ssize_t n;

	if (c->nhead > 0) {
		*s = c->head;
		n = (ssize_t)c->nhead;
		c->nhead = 0;
		c->n_in += (uint64_t)n;
		return (size_t)n;
	}
	if (c->in < 0)
		return 0;
	do
		n = read(c->in, c->ibuf, PIECE);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		die_errno("%s: cannot read", c->name);
	c->n_in += (uint64_t)n;
	*s = c->ibuf;
	return (size_t)n;
}

/* Compressed data that are truncated or corrupt; left: bytes of the piece that
 * the decoder has not taken. Returns if what was unpacked is to be used. */
static void
broken_data(struct unpacking *c, const char *how, size_t left)
{
	unsigned long long at = c->n_in - left;

	c->broken = true;
	if (c->in < 0) /* only a look at the first bytes */
		return;
	if (!c->partial)
		die("%s: %s %s data at byte %llu%s", c->name, how,
		    zip_tool(c->kind), at,
		    c->put != NULL ? " (dlp-parse --resync FILE | dlp - reads "
				     "what is before it)"
				   : "");
	warn("%s: %s %s data at byte %llu: only what is before it is read",
	    c->name, how, zip_tool(c->kind), at);
}

static void
copy_xz(struct unpacking *c)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r;

	if (lzma_stream_decoder(
		&z, UINT64_C(1) << WINDOW_LOG, LZMA_CONCATENATED) != LZMA_OK)
		die("out of memory");
	do {
		if (z.avail_in == 0)
			z.avail_in = copy_get(c, &z.next_in);
		z.next_out = c->obuf;
		z.avail_out = PIECE;
		r = lzma_code(&z, z.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
		copy_put(c, c->obuf, PIECE - z.avail_out);
	} while (r == LZMA_OK && !c->full);
	if (c->full)
		r = LZMA_STREAM_END;
	if (r == LZMA_MEMLIMIT_ERROR && c->peek == NULL)
		die("%s: xz data that needs more than 1 GiB of memory",
		    c->name);
	if (r != LZMA_STREAM_END)
		broken_data(c, r == LZMA_BUF_ERROR ? "truncated" : "corrupt",
		    z.avail_in);
	lzma_end(&z);
}

static void
copy_zstd(struct unpacking *c)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { NULL, 0, 0 };
	ZSTD_outBuffer out = { c->obuf, PIECE, 0 };
	const unsigned char *s;
	size_t r = 0;

	if (z == NULL)
		die("out of memory");
	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG);
	for (;;) {
		/* If the output buffer is full, the decoder may hold more. */
		if (in.pos == in.size && out.pos < out.size) {
			in.size = copy_get(c, &s);
			in.src = s;
			in.pos = 0;
			if (in.size == 0)
				break;
		}
		out.pos = 0;
		r = ZSTD_decompressStream(z, &out, &in);
		if (c->peek == NULL &&
		    ZSTD_getErrorCode(r) ==
			ZSTD_error_frameParameter_windowTooLarge)
			die("%s: zstd data that needs more than 1 GiB of"
			    " memory",
			    c->name);
		if (ZSTD_isError(r))
			break;
		copy_put(c, c->obuf, out.pos);
		if (c->full)
			break;
	}
	if (r != 0 && !c->full)
		broken_data(c, ZSTD_isError(r) ? "corrupt" : "truncated",
		    in.size - in.pos);
	ZSTD_freeDStream(z);
}

/* At the end of a gzip member: true if more follows; zeros used as padding do
 * not count. */
static bool
next_member(struct unpacking *c, z_stream *z)
{
	const unsigned char *s;

	for (;;) {
		while (z->avail_in > 0 && *z->next_in == 0) {
			z->next_in++;
			z->avail_in--;
		}
		if (z->avail_in > 0)
			break;
		z->avail_in = (uInt)copy_get(c, &s);
		z->next_in = (Bytef *)(uintptr_t)s;
		if (z->avail_in == 0)
			return false;
	}
	return inflateReset(z) == Z_OK;
}

static void
copy_gzip(struct unpacking *c)
{
	z_stream z;
	const unsigned char *s;
	int r;

	memset(&z, 0, sizeof(z));
	/* 32: also zlib's own header, as parts of files have it */
	if (inflateInit2(&z, 15 + 32) != Z_OK)
		die("out of memory");
	do {
		if (z.avail_in == 0) {
			z.avail_in = (uInt)copy_get(c, &s);
			z.next_in = (Bytef *)(uintptr_t)s;
		}
		z.next_out = c->obuf;
		z.avail_out = PIECE;
		r = inflate(&z, Z_NO_FLUSH);
		copy_put(c, c->obuf, PIECE - z.avail_out);
	} while (!c->full &&
		 (r == Z_OK || (r == Z_STREAM_END && next_member(c, &z))));
	if (r != Z_STREAM_END && !c->full)
		broken_data(
		    c, r == Z_BUF_ERROR ? "truncated" : "corrupt", z.avail_in);
	inflateEnd(&z);
}

static void
decompress(struct unpacking *c)
{
	const unsigned char *s;
	size_t n;

	c->ibuf = xmalloc(PIECE);
	c->obuf = xmalloc(PIECE);
	if (c->kind == ZIP_XZ)
		copy_xz(c);
	else if (c->kind == ZIP_ZSTD)
		copy_zstd(c);
	else if (c->kind == ZIP_GZIP)
		copy_gzip(c);
	else
		while ((n = copy_get(c, &s)) > 0)
			copy_put(c, s, n);
	free(c->ibuf);
	free(c->obuf);
}

/* Keeps the first bytes. */
static void
put_peek(void *ctx, const unsigned char *s, size_t n)
{
	struct unpacking *c = ctx;

	if (n > c->size - c->npeek)
		n = c->size - c->npeek;
	memcpy(c->peek + c->npeek, s, n);
	c->npeek += n;
	c->full = c->npeek == c->size;
}

size_t
zip_peek(enum zip kind, const unsigned char *s, size_t n, unsigned char *out,
    size_t size)
{
	struct unpacking c = { .put = put_peek,
		.name = "",
		.kind = kind,
		.in = -1,
		.head = s,
		.nhead = n,
		.peek = out,
		.size = size };

	c.ctx = &c;
	if (kind != ZIP_NONE)
		decompress(&c);
	return c.npeek;
}

bool
unpack_to(enum zip kind, const char *name, int fd, const unsigned char *head,
    size_t n, bool partial,
    void (*put)(void *ctx, const unsigned char *s, size_t n), void *ctx)
{
	struct unpacking c = { .put = put,
		.ctx = ctx,
		.partial = partial,
		.name = name,
		.kind = kind,
		.in = fd,
		.head = head,
		.nhead = n };

	decompress(&c);
	return !c.broken;
}

/* Writes the n bytes in head and then everything from fd into the temporary
 * file, decompressed. name is for messages; failures are fatal. Returns the
 * path, which is valid until copy_remove(). */
static const char *
copy_unpack(enum zip kind, const char *name, int fd, const unsigned char *head,
    size_t n)
{
	struct unpacking c = {
		.name = name, .kind = kind, .in = fd, .head = head, .nhead = n
	};
	const char *path = tmp_make();

	c.out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (c.out < 0)
		die_errno("%s: cannot make the temporary copy", name);
	decompress(&c);
	if (close(c.out) != 0)
		die_errno("%s: cannot write the temporary copy", name);
	return path;
}

/* The file itself. */

/* A file that is read without a lock. */
struct watched {
	const char *path; /* kept, not copied */
	struct stat st;   /* as it was opened */
};

void
infile_init(struct infile *in)
{
	memset(in, 0, sizeof(*in));
	in->pushed.fd = -1;
}

void
infile_check_unchanged(const struct infile *in)
{
	const struct watched *w;
	struct stat is;

	/* a new file under the same name is no reason to complain */
	for (w = in->watched; w < in->watched + in->nwatched; w++)
		if (stat(w->path, &is) == 0 && w->st.st_dev == is.st_dev &&
		    w->st.st_ino == is.st_ino &&
		    (w->st.st_size != is.st_size ||
			w->st.st_mtim.tv_sec != is.st_mtim.tv_sec ||
			w->st.st_mtim.tv_nsec != is.st_mtim.tv_nsec))
			die("%s: was written while it was read", w->path);
}

static const char compressed[][6] = { ".xz", ".zst", ".zstd", ".gz" };

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n >= m && strncasecmp(s + n - m, end, m) == 0;
}

/* The name without an ending for compression. */
static size_t
plain_length(const char *path)
{
	size_t i, n = strlen(path);

	for (i = 0; i < ARRAY_LEN(compressed); i++)
		if (ends_with(path, n, compressed[i]))
			return n - strlen(compressed[i]);
	return n;
}

/* Appends a pattern of refuse.tab up to the next blank, without its escapes;
 * returns what follows. */
static const char *
read_pattern(const char *s, struct buf *b)
{
	char hex[3] = "";

	for (; *s != ' '; s++) {
		if (*s != '\\') {
			buf_putc(b, *s);
		} else if (*++s == 's') {
			buf_putc(b, ' ');
		} else {
			memcpy(hex, s + 1, 2);
			buf_putc(b, (char)strtol(hex, NULL, 16));
			s += 2;
		}
	}
	return s + 1;
}

/* True if the beginning of s[0..n) holds the bytes of b. */
static bool
begins_with_text(const unsigned char *s, size_t n, const struct buf *b)
{
	size_t i;

	for (i = 0; i + b->len <= n && i < 512; i++)
		if (memcmp(s + i, b->s, b->len) == 0)
			return true;
	return false;
}

void
refuse_known(
    const char *name, const char *like, const unsigned char *s, size_t n)
{
	const char *line = shipped_text("refuse.tab"), *end, *text;
	struct buf b = { 0 };

	for (; *line != '\0'; line = end + 1) {
		end = line + strcspn(line, "\n");
		if (*line == '#')
			continue;
		buf_clear(&b);
		text = read_pattern(line + strcspn(line, " ") + 1, &b);
		if (*line == 'h' ? begins_with_text(s, n, &b)
		    : *line == 's'
			? n >= b.len && memcmp(s, b.s, b.len) == 0
			: ends_with(like, plain_length(like), buf_str(&b)))
			die("%s: %.*s", name, (int)(end - text), text);
	}
	buf_free(&b);
}

/* True if the name, without an ending for compression, is that of a report that
 * nsys can export. */
bool
head_is_report(const char *path)
{
	size_t n = plain_length(path);

	return ends_with(path, n, ".nsys-rep") || ends_with(path, n, ".qdrep");
}

/* Two formats are protobuf, and begin with field 1, a message: XSpace with an
 * XPlane, which begins with its number (1) or name (2, "/host:CPU"), and
 * Perfetto's Trace with a TracePacket, whose fields have other numbers. */
static bool
head_is_proto(const unsigned char *s, size_t n, struct proto *m)
{
	*m = (struct proto){ .p = (const char *)s, .e = (const char *)s + n };
	if (n < 4 || s[0] != 0x0a || !proto_head(m) || m->v < 2)
		return false;
	if (m->v < (uint64_t)(m->e - m->p))
		m->e = m->p + m->v;
	return proto_head(m);
}

static bool
head_is_xplane(const unsigned char *s, size_t n)
{
	struct proto m;

	if (!head_is_proto(s, n, &m))
		return false;
	if (m.no == 1 && m.wire == PROTO_VARINT && !proto_head(&m))
		return false;
	return m.no == 2 && m.wire == PROTO_BYTES && m.p < m.e && *m.p == '/';
}

/* The fields of the packets that traces begin with; a number and a message
 * cannot be mistaken for each other. */
bool
head_is_pftrace(const unsigned char *s, size_t n)
{
	static const struct {
		unsigned char no, wire;
	} fields[] = { { 3, PROTO_VARINT }, { 6, PROTO_BYTES },
		{ 8, PROTO_VARINT }, { 10, PROTO_VARINT }, { 11, PROTO_BYTES },
		{ 12, PROTO_BYTES }, { 13, PROTO_VARINT }, { 33, PROTO_BYTES },
		{ 35, PROTO_BYTES }, { 36, PROTO_BYTES }, { 41, PROTO_VARINT },
		{ 42, PROTO_VARINT }, { 43, PROTO_BYTES }, { 45, PROTO_BYTES },
		{ 50, PROTO_BYTES }, { 52, PROTO_BYTES }, { 53, PROTO_BYTES },
		{ 58, PROTO_VARINT }, { 59, PROTO_BYTES }, { 60, PROTO_BYTES },
		{ 79, PROTO_VARINT }, { 87, PROTO_VARINT }, { 89, PROTO_BYTES },
		{ 98, PROTO_VARINT }, { 128, PROTO_BYTES },
		{ 133, PROTO_BYTES } };
	struct proto m;
	size_t i;

	if (!head_is_proto(s, n, &m))
		return false;
	for (i = 0; i < ARRAY_LEN(fields); i++)
		if (m.no == fields[i].no && m.wire == fields[i].wire)
			return true;
	return false;
}

static bool
head_is_sqlite(const unsigned char *s, size_t n)
{
	return n >= 16 && memcmp(s, "SQLite format 3", 16) == 0;
}

bool
head_is_dict(const unsigned char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r'))
		i++;
	if (i == n || s[i++] != '{')
		return false;
	return i < n &&
	       (s[i] == '\'' || (s[i] == 'u' && i + 1 < n && s[i + 1] == '\''));
}

bool
head_is_json(const unsigned char *s, size_t n)
{
	size_t i = 0;

	if (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < n &&
	       (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t'))
		i++;
	return i < n && (s[i] == '{' || s[i] == '[') && !head_is_dict(s, n);
}

/* Fatal: says that the file is not a database, and what it is. zip: dlp-parse
 * unpacked it. */
static void
head_refuse(const char *name, enum zip zip, const unsigned char *s, size_t n)
{
	const char *tool = zip_tool(zip);
	struct buf b = { 0 };
	size_t i = 0;

	if (n == 0)
		die("%s: empty file", name);
	if (tool != NULL && n >= 5 && memcmp(s, "##dlp", 5) == 0) {
		buf_printf(&b, "%s -dc ", tool);
		if (strcmp(name, head_name(NULL)) != 0) {
			magic_word(&b, name);
			buf_putc(&b, ' ');
		}
		die("%s: a compressed dlp stream: it goes in by %s| dlp top -,"
		    " or another report or filter",
		    name, buf_str(&b));
	}
	refuse_known(name, name, s, n);
	if (head_is_xplane(s, n))
		refuse_known(name, "xplane.pb", s, 0);
	while (i < n && (s[i] >= ' ' || memchr("\t\n\f\r", s[i], 4) != NULL))
		i++;
	die("%s: %s; databases of Nsight Systems, dlp-record, nvprof,"
	    " rocprofv3 and DLProf are read, traces of torch.profiler (JSON,"
	    " .pftrace), snapshots of PyTorch's memory and .dict of PyProf",
	    name,
	    i == n ? "text, not a profile"
		   : "not a database, or an encrypted one");
}

static bool
is_std(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0;
}

const char *
head_name(const char *path)
{
	return is_std(path) ? "standard input" : path;
}

int
head_open(const struct infile *in, const char *path)
{
	if (is_std(path))
		return STDIN_FILENO;
	if (in->pushed.fd >= 0 && in->pushed.path == path)
		return in->pushed.fd;
	return open(path, O_RDONLY | O_CLOEXEC);
}

void
head_close(int fd)
{
	if (fd > STDIN_FILENO)
		close(fd);
}

void
head_push(struct infile *in, const char *path, int fd, const unsigned char *s,
    size_t n)
{
	free(in->pushed.s);
	in->pushed.s = xmemdup(s, n);
	in->pushed.n = n;
	in->pushed.path = path;
	in->pushed.fd = fd;
}

bool
head_of_database(int fd, const struct stat *st, unsigned char *s)
{
	return S_ISREG(st->st_mode) &&
	       pread(fd, s, DB_HEAD_SIZE, 0) == DB_HEAD_SIZE &&
	       head_is_sqlite(s, DB_HEAD_SIZE);
}

size_t
head_read(
    struct infile *in, const char *name, int fd, unsigned char *s, size_t size)
{
	size_t n = 0;
	ssize_t r;

	if (fd == in->pushed.fd && in->pushed.n <= size) {
		memcpy(s, in->pushed.s, in->pushed.n);
		n = in->pushed.n;
		in->pushed.fd = -1;
		free(in->pushed.s);
		in->pushed.s = NULL;
	}
	while (n < size) {
		r = read(fd, s + n, size - n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			die_errno("%s: cannot read", name);
		if (r == 0)
			break;
		n += (size_t)r;
	}
	return n;
}

static uint32_t
be32(const unsigned char *s)
{
	return (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 |
	       (uint32_t)s[2] << 8 | s[3];
}

/* A file shorter than its own header says was cut off while it was copied. */
static void
check_length(const char *name, const unsigned char *s, size_t n, off_t size)
{
	unsigned long long page, want;

	if (n < 100)
		die("%s: truncated: %zu bytes of a database", name, n);
	page = (unsigned long long)s[16] << 8 | s[17];
	if (page == 1)
		page = 65536;
	want = be32(s + 28) * page;
	/* The count holds only if the last writer kept it up to date. */
	if (be32(s + 24) != be32(s + 92) || want <= (unsigned long long)size)
		return;
	die("%s: truncated: %lld of %llu bytes", name, (long long)size, want);
}

/* Fatal: SQLite's error, in words that help the owner of the file. */
static void
refuse(sqlite3 *db, const char *name, bool wal)
{
	switch (sqlite3_errcode(db)) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		die("%s: locked: another process is writing it", name);
	case SQLITE_NOTADB:
		die("%s: not a database, or an encrypted one", name);
	case SQLITE_CORRUPT:
		die("%s: corrupt database: %s", name, sqldb_error(db));
	default:
		if (wal)
			die("%s: its write-ahead log cannot be read here (%s);"
			    " copy both files to a writable folder",
			    name, sqldb_error(db));
		die("%s: cannot open the database: %s", name, sqldb_error(db));
	}
}

#define BEGIN_READING "BEGIN; SELECT count(*) FROM sqlite_master"

/* Opens the database at path, of size bytes including its log; name is for
 * messages, failures are fatal. immutable: nobody writes it, and it has no
 * write-ahead log. */
static sqlite3 *
open_db(const char *path, const char *name, bool immutable, off_t size)
{
	/* A schema is refused whose entry of a table is the text of something
	 * else, or that has a table in the place of one of SQLite's own
	 * functions. */
	static const char odd[] =
	    "SELECT name FROM sqlite_master WHERE type = 'table' AND"
	    " (sql NOT LIKE 'CREATE%TABLE%' OR name LIKE 'pragma!_%' ESCAPE "
	    "'!')";
	sqlite3_stmt *st;
	sqlite3 *db = NULL;
	int r;

	r = sqldb_read(&db, path, immutable, size);
	if (db == NULL)
		die("out of memory");
	/* SQLite reads the file only now. The file is read several times;
	 * additions to its write-ahead log from now on are not seen. */
	if (r != SQLITE_OK ||
	    sqlite3_exec(db, BEGIN_READING, NULL, NULL, NULL) != SQLITE_OK)
		refuse(db, name, !immutable);
	if (sqlite3_prepare_v2(db, odd, -1, &st, NULL) != SQLITE_OK)
		return db;
	if (sqlite3_step(st) == SQLITE_ROW)
		die("%s: no profiler writes a table such as %s", name,
		    (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return db;
}

#ifndef SECOND_AT
#define SECOND_AT                                                              \
	(8 << 20) /* bytes: a thread does not pay for smaller files            \
		   */
#endif

/* A second connection, for a thread, to the database that was just opened as
 * immutable; st describes the file. NULL if that fails, or does not pay. */
static sqlite3 *
open_second(const char *path, const struct stat *st)
{
	sqlite3 *db = NULL;
	struct stat now;

	if (st->st_size < SECOND_AT || !beside_can())
		return NULL;
	if (sqldb_read(&db, path, true, 0) == SQLITE_OK &&
	    sqlite3_exec(db, BEGIN_READING, NULL, NULL, NULL) == SQLITE_OK &&
	    stat(path, &now) == 0 && now.st_dev == st->st_dev &&
	    now.st_ino == st->st_ino)
		return db;
	sqlite3_close(db);
	return NULL;
}

/* SQLite's locks are on these bytes of a file (its file format, 1.9). */
#define LOCK_FIRST 0x40000000
#define LOCK_BYTES 512

/* SQLite puts such a file next to the file itself, not next to a link. */
static void
put_beside(struct buf *b, const char *path, const char *suffix)
{
	char *real = realpath(path, NULL);

	buf_puts(b, real != NULL ? real : path);
	buf_puts(b, suffix);
	buf_putc(b, '\0');
	free(real);
}

/* The size of a file that SQLite keeps next to a database, with *first its
 * first byte; 0 if it does not exist. */
static off_t
file_beside(const char *path, const char *suffix, char *first)
{
	struct buf b = { NULL, 0, 0 };
	struct stat st;
	off_t size = 0;
	int fd;

	put_beside(&b, path, suffix);
	*first = 1;
	if (stat(b.s, &st) == 0 && S_ISREG(st.st_mode)) {
		size = st.st_size;
		fd = open(b.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && read(fd, first, 1) != 1)
			*first = 1;
		if (fd >= 0)
			close(fd);
	}
	buf_free(&b);
	return size;
}

/* Fatal if SQLite would leave out some of the log without a word. */
static void
check_log(const char *path)
{
	struct buf b = { NULL, 0, 0 };
	const char *fault;
	int64_t at;

	put_beside(&b, path, "-wal");
	fault = wal_fault(b.s, &at);
	if (fault != NULL)
		die("%s: its write-ahead log (PATH-wal) %s at byte %lld, so"
		    " rows are missing: copy both files again, or open the"
		    " database once with sqlite3 to do without these rows",
		    path, fault, (long long)at);
	buf_free(&b);
}

/* The header says so, if the last writer kept it up to date: from there on,
 * another database can stand, as in two compressed files joined by cat. */
static void
check_single(const char *path, const char *name, const unsigned char *s)
{
	unsigned long long page = (unsigned long long)s[16] << 8 | s[17];
	unsigned char head[DB_HEAD_SIZE];
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (page == 1)
		page = 65536;
	if (fd >= 0 && be32(s + 24) == be32(s + 92) && be32(s + 28) > 0)
		n = pread(fd, head, sizeof(head), (off_t)(be32(s + 28) * page));
	if (fd >= 0)
		close(fd);
	if (n > 0 && head_is_sqlite(head, (size_t)n))
		die("%s: more than one database in it: give each as a file",
		    name);
}

/* A database in write-ahead mode has its newest rows in a file of its own. */
static void
say_log_missing(const char *name, const unsigned char *s, size_t n)
{
	if (n >= 20 && (s[18] == 2 || s[19] == 2))
		warn("%s: the database had a write-ahead log, which is not"
		     " here: rows that were only in the log (PATH-wal) are"
		     " missing",
		    name);
}

/* Opens a copy made by dlp-parse or nsys: checks it, opens it and removes its
 * name. */
static sqlite3 *
open_copy(struct infile *in, const char *path, const char *name, enum zip zip,
    sqlite3 **second)
{
	unsigned char head[HEAD_SIZE];
	struct stat st;
	sqlite3 *db;
	size_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot read the temporary copy", name);
	n = head_read(in, name, fd, head, sizeof(head));
	close(fd);
	if (!head_is_sqlite(head, n))
		head_refuse(name, zip, head, n);
	check_length(name, head, n, st.st_size);
	check_single(path, name, head);
	say_log_missing(name, head, n);
	db = open_db(path, name, true, st.st_size);
	*second = open_second(path, &st);
	copy_remove();
	return db;
}

static sqlite3 *
open_in_place(struct infile *in, const char *path, int fd,
    const unsigned char *head, size_t n, const struct stat *st,
    sqlite3 **second)
{
	char first;
	off_t wal = file_beside(path, "-wal", &first);
	sqlite3 *db;
	struct flock l;

	memset(&l, 0, sizeof(l));
	l.l_type = F_RDLCK;
	l.l_whence = SEEK_SET;
	l.l_start = LOCK_FIRST;
	l.l_len = LOCK_BYTES;
	if (fcntl(fd, F_GETLK, &l) == 0 && l.l_type == F_WRLCK)
		die("%s: locked: process %ld is writing it", path,
		    (long)l.l_pid);
	if (wal == 0) {
		check_length(path, head, n, st->st_size);
		check_single(path, path, head);
		say_log_missing(path, head, n);
		in->watched = xrealloc(
		    in->watched, in->nwatched + 1, sizeof(*in->watched));
		in->watched[in->nwatched++] = (struct watched){ path, *st };
		/* SQLite may keep a finished journal and zero its header */
		if (file_beside(path, "-journal", &first) > 0 && first != 0)
			die("%s: was left in the middle of a change"
			    " (PATH-journal): open it once with sqlite3",
			    path);
	} else {
		check_log(path);
	}
	close(fd);
	db = open_db(path, path, wal == 0, st->st_size + wal);
	if (wal == 0)
		*second = open_second(path, st);
	return db;
}

const char *
infile_unpack(struct infile *in, const char *name, int fd,
    const unsigned char *head, size_t n)
{
	in->unpacked_zip = zip_kind(head, n);
	in->unpacked = copy_unpack(in->unpacked_zip, name, fd, head, n);
	return in->unpacked;
}

void
infile_forget(struct infile *in)
{
	in->unpacked = NULL;
	copy_remove();
}

/* What is neither a database in a file of its own nor a copy. Not inlined: the
 * stack has its pages only where it is used. */
__attribute__((noinline)) static sqlite3 *
open_other(struct infile *in, const char *path, int fd, const struct stat *st,
    sqlite3 **second)
{
	bool std = is_std(path);
	const char *name = head_name(path), *copy;
	unsigned char head[HEAD_SIZE];
	size_t n = head_read(in, name, fd, head, sizeof(head));
	enum zip zip = zip_kind(head, n);
	sqlite3 *db;

	if (n == 0)
		head_refuse(name, ZIP_NONE, head, n);
	if (!std && !head_is_sqlite(head, n) && head_is_report(path)) {
		close(fd);
		if (zip != ZIP_NONE)
			die("%s: unpack the report first", path);
		return open_copy(in, copy_export(path), path, ZIP_NONE, second);
	}
	if (zip == ZIP_NONE && !head_is_sqlite(head, n))
		head_refuse(name, ZIP_NONE, head, n);
	if (!std && zip == ZIP_NONE && S_ISREG(st->st_mode))
		return open_in_place(in, path, fd, head, n, st, second);
	copy = copy_unpack(zip, name, fd, head, n);
	db = open_copy(in, copy, name, zip, second);
	head_close(fd);
	return db;
}

sqlite3 *
infile_open(struct infile *in, const char *path, sqlite3 **second)
{
	const char *name = head_name(path), *copy = in->unpacked;
	unsigned char head[DB_HEAD_SIZE];
	struct stat st;
	int fd;

	*second = NULL;
	if (copy != NULL) {
		in->unpacked = NULL;
		return open_copy(in, copy, name, in->unpacked_zip, second);
	}
	fd = head_open(in, path);
	if (fd < 0 || fstat(fd, &st) != 0)
		die_errno("%s: cannot open", name);
	if (S_ISDIR(st.st_mode)) {
		refuse_known(name, name, NULL, 0);
		die("%s: is a directory", name);
	}
	if (fd != STDIN_FILENO && head_of_database(fd, &st, head))
		return open_in_place(
		    in, path, fd, head, sizeof(head), &st, second);
	return open_other(in, path, fd, &st, second);
}
