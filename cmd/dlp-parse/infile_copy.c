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
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "array.h"
#include "buf.h"
#include "infile.h"
#include "magic.h"

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

static void
catch_signals(void)
{
	struct sigaction sa;
	int i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < NSIGNALS; i++) {
		sigaction(signals[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
}

/* A path for a new file in a private folder under TMPDIR; valid until
 * copy_remove(). */
static const char *
tmp_make(void)
{
	char path[sizeof(dir)];
	const char *base = getenv("TMPDIR");

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
	catch_signals();
	return file;
}

void
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

/* The errno with which exec failed, or 0 if it succeeded. */
static int
exec_errno(int fd)
{
	int e = 0;
	ssize_t n;

	do
		n = read(fd, &e, sizeof(e));
	while (n < 0 && errno == EINTR);
	close(fd);
	return n == (ssize_t)sizeof(e) ? e : 0;
}

static void
last_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "r");
	char s[512];

	line[0] = '\0';
	if (f == NULL)
		return;
	while (fgets(s, sizeof(s), f) != NULL) {
		s[strcspn(s, "\r\n")] = '\0';
		if (s[0] != '\0')
			snprintf(line, size, "%s", s);
	}
	fclose(f);
}

static void
no_nsys(const char *path, int e)
{
	struct buf b = { 0 };

	if (e == ENOENT || e == ENOTDIR) {
		magic_word(&b, path);
		die("%s: a report that only nsys can read, and nsys is not on"
		    " PATH; where it is, run: nsys export --type sqlite %s",
		    path, buf_str(&b));
	}
	errno = e;
	die_errno("%s: cannot run nsys", path);
}

const char *
copy_export(const char *path)
{
	const char *out = tmp_make();
	char said[512];
	struct buf name = { NULL, 0, 0 };
	int p[2], status, e;
	pid_t pid;

	if (path[0] == '-')
		buf_puts(&name, "./");
	buf_puts(&name, path);
	buf_putc(&name, '\0');
	if (pipe(p) != 0 || fcntl(p[1], F_SETFD, FD_CLOEXEC) != 0 ||
	    (pid = fork()) < 0)
		die_errno("%s: cannot run nsys", path);
	if (pid == 0) {
		close(p[0]);
		become_nsys(name.s, out, p[1]);
	}
	close(p[1]);
	e = exec_errno(p[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (e != 0)
		no_nsys(path, e);
	last_line(logfile, said, sizeof(said));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
	    access(out, R_OK) != 0)
		die("%s: nsys export failed: %s", path,
		    said[0] != '\0' ? said : "it said nothing");
	buf_free(&name);
	return out;
}

#define PIECE (1 << 18)

/* Profiles shrink by a factor of 4 to 40. The limit applies above a size for
 * which any disk has room. */
#define MOST_TIMES 256
#define MOST_ANYWAY (UINT64_C(1) << 26)

/* The memory that the decoders may use: 1 GiB. */
#define WINDOW_LOG 30

struct unpacking {
	const char *name;
	enum zip kind;
	uint64_t n_in, n_out;
	int in, out;
	const unsigned char *head; /* bytes read before; they come first */
	size_t nhead;
	unsigned char *ibuf, *obuf;
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

const char *
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

/* Called before the next n bytes, at s, are written. */
static void
check_growth(struct unpacking *c, const unsigned char *s, size_t n)
{
	if (c->n_out == 0 && n >= HEAD_SIZE && !head_is_sqlite(s, n) &&
	    !head_is_dict(s, n))
		head_refuse(c->name, c->kind, s, n);
	c->n_out += n;
	if (c->n_out > MOST_ANYWAY && c->n_out / MOST_TIMES > c->n_in)
		die("%s: unpacks to more than %d times its size: not unpacked",
		    c->name, MOST_TIMES);
}

static void
copy_put(struct unpacking *c, const unsigned char *s, size_t n)
{
	ssize_t w;

	if (c->kind != ZIP_NONE)
		check_growth(c, s, n);
	while (n > 0) {
		w = write(c->out, s, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			die_errno("%s: cannot write the temporary copy (set"
				  " TMPDIR to a larger place)",
			    c->name);
		s += w;
		n -= (size_t)w;
	}
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
	do
		n = read(c->in, c->ibuf, PIECE);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		die_errno("%s: cannot read", c->name);
	c->n_in += (uint64_t)n;
	*s = c->ibuf;
	return (size_t)n;
}

static void
copy_plain(struct unpacking *c)
{
	const unsigned char *s;
	size_t n;

	while ((n = copy_get(c, &s)) > 0)
		copy_put(c, s, n);
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
	} while (r == LZMA_OK);
	if (r == LZMA_BUF_ERROR)
		die("%s: truncated xz data", c->name);
	if (r == LZMA_MEMLIMIT_ERROR)
		die("%s: xz data that needs more than 1 GiB of memory",
		    c->name);
	if (r != LZMA_STREAM_END)
		die("%s: corrupt xz data", c->name);
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
		if (ZSTD_getErrorCode(r) ==
		    ZSTD_error_frameParameter_windowTooLarge)
			die("%s: zstd data that needs more than 1 GiB of"
			    " memory",
			    c->name);
		if (ZSTD_isError(r))
			die("%s: corrupt zstd data", c->name);
		copy_put(c, c->obuf, out.pos);
	}
	if (r != 0)
		die("%s: truncated zstd data", c->name);
	ZSTD_freeDStream(z);
}

/* At the end of a gzip member: true if another member follows; zeros used as
 * padding are not a member. */
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
	if (inflateReset(z) != Z_OK)
		die("%s: corrupt gzip data", c->name);
	return true;
}

static void
copy_gzip(struct unpacking *c)
{
	z_stream z;
	const unsigned char *s;
	int r;

	memset(&z, 0, sizeof(z));
	if (inflateInit2(&z, 15 + 16) != Z_OK)
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
		if (r == Z_BUF_ERROR)
			die("%s: truncated gzip data", c->name);
		if (r != Z_OK && r != Z_STREAM_END)
			die("%s: corrupt gzip data", c->name);
	} while (r != Z_STREAM_END || next_member(c, &z));
	inflateEnd(&z);
}

const char *
copy_unpack(enum zip kind, const char *name, int fd, const unsigned char *head,
    size_t n)
{
	static void (*const how[])(struct unpacking *) = {
		[ZIP_NONE] = copy_plain,
		[ZIP_XZ] = copy_xz,
		[ZIP_ZSTD] = copy_zstd,
		[ZIP_GZIP] = copy_gzip,
	};
	struct unpacking c = {
		.name = name, .kind = kind, .in = fd, .head = head, .nhead = n
	};
	const char *path = tmp_make();

	c.out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (c.out < 0)
		die_errno("%s: cannot make the temporary copy", name);
	c.ibuf = xmalloc(PIECE);
	c.obuf = xmalloc(PIECE);
	how[kind](&c);
	if (close(c.out) != 0)
		die_errno("%s: cannot write the temporary copy", name);
	free(c.ibuf);
	free(c.obuf);
	return path;
}
