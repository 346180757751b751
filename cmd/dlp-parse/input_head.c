/* What a file is; see input_head.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "err.h"
#include "input_head.h"
#include "input_zip.h"
#include "magic.h"

#define OF_DLPROF                                                              \
	"a report of DLProf: give its database (dlprof_dldb.sqlite), or the"   \
	" profile that it was made from"
#define OF_PYPROF                                                              \
	"a table of PyProf: give the .dict, or the profile that it was made"   \
	" from"
#define OF_STATS "a table of nsys stats: give the profile that it was made from"

/* What people hand over that is no database, by its first bytes. */
static const struct {
	const char *magic, *what;
} others[] = {
	{ "##dlp",
	    "a dlp stream, not a database: the next filter and dlp REPORT"
	    " read it as it is, from a file or standard input" },
	{ "{'", "a .dict of PyProf: give it alone" },
	{ "{", "JSON, not a profile database" },
	{ "[", "JSON, not a profile database" },
	{ "Salted__", "encrypted (openssl)" },
	{ "age-encryption.org", "encrypted (age)" },
	{ "-----BEGIN PGP", "encrypted (pgp)" },
	{ "PK\003\004", "a zip archive: unpack it first" },
	{ "BZh", "bzip2 data: unpack it first" },
	{ "\177ELF", "a program, not a profile database" },
	{ "==", "text of a profiler, not its database" },
	{ "All Iterations", OF_DLPROF },
	{ "System Config", OF_DLPROF },
	{ "Kernel Report", OF_DLPROF },
	{ "Iteration Report", OF_DLPROF },
	{ "Op Type Summary Report", OF_DLPROF },
	{ "Tensor Core Report", OF_DLPROF },
	{ "Group Op Report", OF_DLPROF },
	{ "Expert Systems Feedback", OF_DLPROF },
	{ "\"Idx\",\"", OF_PYPROF },
	{ "Idx ", OF_PYPROF },
	{ "Idx,", OF_PYPROF },
	{ "Time (%),Total Time (ns),", OF_STATS },
	{ "Total (MB),Count,", OF_STATS },
};

/* The same by the end of the name, for formats that are private. */
static const struct {
	const char *end, *what;
} named[] = {
	{ ".qdstrm", "an unfinished report: QdstrmImporter makes a .nsys-rep"
		     " of it" },
	{ ".ncu-rep", "a report of Nsight Compute: dlp-ncu reads what ncu"
		      " --import FILE --csv --page raw makes of it" },
	{ ".nvvp", "a session of the Visual Profiler: give the database that"
		   " nvprof -o wrote" },
};

static const char compressed[][6] = { ".xz", ".zst", ".zstd", ".gz" };

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n >= m && strncasecmp(s + n - m, end, m) == 0;
}

/* Whether the name says that the file is a report for nsys to export, once
 * an ending for compression is taken off. */
bool
head_is_report(const char *path)
{
	size_t i, n = strlen(path);

	for (i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++)
		if (ends_with(path, n, compressed[i])) {
			n -= strlen(compressed[i]);
			break;
		}
	return ends_with(path, n, ".nsys-rep") || ends_with(path, n, ".qdrep");
}

bool
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

/* A stream that was unpacked here, if it is one. */
static void
refuse_packed(const char *name, const unsigned char *s, size_t n)
{
	const char *tool = zip_tool(name);
	struct buf b = { 0 };

	if (tool == NULL || n < 5 || memcmp(s, "##dlp", 5) != 0)
		return;
	buf_puts(&b, tool);
	buf_puts(&b, " -dc ");
	if (strcmp(name, head_name(NULL)) != 0) {
		magic_word(&b, name);
		buf_putc(&b, ' ');
	}
	die("%s: a dlp stream that is compressed: it goes in by %s| dlp top -,"
	    " or another report or filter",
	    name, buf_str(&b));
}

void
head_refuse(const char *name, const unsigned char *s, size_t n)
{
	size_t i, m;

	if (n == 0)
		die("%s: empty file", name);
	refuse_packed(name, s, n);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		m = strlen(others[i].magic);
		if (n >= m && memcmp(s, others[i].magic, m) == 0)
			die("%s: %s", name, others[i].what);
	}
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (ends_with(name, strlen(name), named[i].end))
			die("%s: %s", name, named[i].what);
	die("%s: not a database, or an encrypted one", name);
}

static struct {
	const char *path;
	int fd; /* -1: none */
	unsigned char s[HEAD_SIZE];
	size_t n;
} pushed = { .fd = -1 };

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
head_open(const char *path)
{
	if (is_std(path))
		return STDIN_FILENO;
	if (pushed.fd >= 0 && pushed.path == path)
		return pushed.fd;
	return open(path, O_RDONLY | O_CLOEXEC);
}

void
head_close(int fd)
{
	if (fd > STDIN_FILENO)
		close(fd);
}

void
head_push(const char *path, int fd, const unsigned char *s, size_t n)
{
	memcpy(pushed.s, s, n);
	pushed.n = n;
	pushed.path = path;
	pushed.fd = fd;
}

size_t
head_read(const char *name, int fd, unsigned char *s, size_t size)
{
	size_t n = 0;
	ssize_t r;

	if (fd == pushed.fd && pushed.n <= size) {
		memcpy(s, pushed.s, pushed.n);
		n = pushed.n;
		pushed.fd = -1;
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

/* A file shorter than its own header says was cut off on its way. */
void
head_check_length(
    const char *name, const unsigned char *s, size_t n, off_t size)
{
	unsigned long long page, want;

	if (n < 100)
		die("%s: truncated: %zu bytes of a database", name, n);
	page = (unsigned long long)s[16] << 8 | s[17];
	if (page == 1)
		page = 65536;
	want = be32(s + 28) * page;
	/* The count holds only if the last writer knew of it. */
	if (be32(s + 24) != be32(s + 92) || want <= (unsigned long long)size)
		return;
	die("%s: truncated: %lld of %llu bytes", name, (long long)size, want);
}
