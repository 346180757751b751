/*
 * Decompression of xz, zstd and gzip into a temporary file. SQLite reads
 * pages in any order, so a compressed database has to be unpacked; it is
 * done in pieces, in constant memory. Files of several streams or frames
 * put behind each other are read whole. What is no database is refused when
 * its first bytes are there, and what grows out of all proportion when it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "err.h"
#include "input_head.h"
#include "input_tmp.h"
#include "input_zip.h"

#define PIECE (1 << 18)

/* Profiles shrink by 4 to 40; the limit counts from a size on that any disk
 * has room for. */
#define MOST_TIMES 256
#define MOST_ANYWAY (UINT64_C(1) << 26)

/* The memory of the decoders: 1 GiB. */
#define WINDOW_LOG 30

struct copy {
	const char *name;
	bool packed;
	uint64_t n_in, n_out;
	int in, out;
	const unsigned char *head; /* read before; comes first */
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

static struct {
	const char *name;
	enum zip kind;
} last;

const char *
zip_tool(const char *name)
{
	size_t i;

	if (last.name == NULL || strcmp(last.name, name) != 0)
		return NULL;
	for (i = 0; magics[i].kind != last.kind; i++)
		;
	return magics[i].tool;
}

enum zip
zip_kind(const unsigned char *s, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (n >= magics[i].len &&
		    memcmp(s, magics[i].magic, magics[i].len) == 0)
			return magics[i].kind;
	return ZIP_NONE;
}

/* Before the next n bytes, at s, are written. */
static void
check_growth(struct copy *c, const unsigned char *s, size_t n)
{
	if (c->n_out == 0 && n >= HEAD_SIZE && !head_is_sqlite(s, n) &&
	    !head_is_dict(s, n))
		head_refuse(c->name, s, n);
	c->n_out += n;
	if (c->n_out > MOST_ANYWAY && c->n_out / MOST_TIMES > c->n_in)
		die("%s: unpacks to more than %d times its size: not unpacked",
		    c->name, MOST_TIMES);
}

static void
put(struct copy *c, const unsigned char *s, size_t n)
{
	ssize_t w;

	if (c->packed)
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
get(struct copy *c, const unsigned char **s)
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
copy_plain(struct copy *c)
{
	const unsigned char *s;
	size_t n;

	while ((n = get(c, &s)) > 0)
		put(c, s, n);
}

static void
copy_xz(struct copy *c)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r;

	if (lzma_stream_decoder(
		&z, UINT64_C(1) << WINDOW_LOG, LZMA_CONCATENATED) != LZMA_OK)
		die("out of memory");
	do {
		if (z.avail_in == 0)
			z.avail_in = get(c, &z.next_in);
		z.next_out = c->obuf;
		z.avail_out = PIECE;
		r = lzma_code(&z, z.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
		put(c, c->obuf, PIECE - z.avail_out);
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
copy_zstd(struct copy *c)
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
		/* A full output buffer can mean that more is inside. */
		if (in.pos == in.size && out.pos < out.size) {
			in.size = get(c, &s);
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
		put(c, c->obuf, out.pos);
	}
	if (r != 0)
		die("%s: truncated zstd data", c->name);
	ZSTD_freeDStream(z);
}

/* A gzip member ended: true if another one follows; padding with zeros is
 * no member. */
static bool
next_member(struct copy *c, z_stream *z)
{
	const unsigned char *s;

	for (;;) {
		while (z->avail_in > 0 && *z->next_in == 0) {
			z->next_in++;
			z->avail_in--;
		}
		if (z->avail_in > 0)
			break;
		z->avail_in = (uInt)get(c, &s);
		z->next_in = (Bytef *)(uintptr_t)s;
		if (z->avail_in == 0)
			return false;
	}
	if (inflateReset(z) != Z_OK)
		die("%s: corrupt gzip data", c->name);
	return true;
}

static void
copy_gzip(struct copy *c)
{
	z_stream z;
	const unsigned char *s;
	int r;

	memset(&z, 0, sizeof(z));
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		die("out of memory");
	do {
		if (z.avail_in == 0) {
			z.avail_in = (uInt)get(c, &s);
			z.next_in = (Bytef *)(uintptr_t)s;
		}
		z.next_out = c->obuf;
		z.avail_out = PIECE;
		r = inflate(&z, Z_NO_FLUSH);
		put(c, c->obuf, PIECE - z.avail_out);
		if (r == Z_BUF_ERROR)
			die("%s: truncated gzip data", c->name);
		if (r != Z_OK && r != Z_STREAM_END)
			die("%s: corrupt gzip data", c->name);
	} while (r != Z_STREAM_END || next_member(c, &z));
	inflateEnd(&z);
}

const char *
zip_copy(enum zip kind, const char *name, int fd, const unsigned char *head,
    size_t n)
{
	static void (*const how[])(struct copy *) = {
		[ZIP_NONE] = copy_plain,
		[ZIP_XZ] = copy_xz,
		[ZIP_ZSTD] = copy_zstd,
		[ZIP_GZIP] = copy_gzip,
	};
	struct copy c = { .name = name,
		.packed = kind != ZIP_NONE,
		.in = fd,
		.head = head,
		.nhead = n };
	const char *path = tmp_make();

	if (c.packed) {
		last.name = name;
		last.kind = kind;
	}
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
