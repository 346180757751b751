/* Files and folders of a recording. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "record.h"
#include "rspool.h"

/* %q{VAR}; returns the bytes that were read. */
static size_t
put_variable(struct buf *b, const char *s)
{
	const char *end = strchr(s, '}'), *value;
	char *name;

	if (s[0] != '{' || end == NULL)
		die("-o: %%q must be followed by {VARIABLE}");
	name = xmemdup(s + 1, (size_t)(end - s - 1));
	value = getenv(name);
	if (value == NULL)
		die("-o: %%q{%s}: the variable is not set", name);
	buf_puts(b, value);
	free(name);
	return (size_t)(end - s) + 1;
}

char *
record_out(const char *pattern, long pid, long n)
{
	struct buf b = { 0 };
	char host[256] = "";
	const char *s;

	for (s = pattern; *s != '\0'; s++) {
		if (*s != '%') {
			buf_putc(&b, *s);
			continue;
		}
		switch (*++s) {
		case 'n':
			if (n < 0)
				die("-o: %%n is for --arm");
			if (n > 0)
				buf_printf(&b, "%ld", n);
			else
				buf_puts(&b, "%n");
			break;
		case 'p':
			buf_printf(&b, "%ld", pid);
			break;
		case 'h':
			if (gethostname(host, sizeof(host) - 1) != 0)
				die_errno("-o: %%h");
			buf_puts(&b, host);
			break;
		case 'q':
			s += put_variable(&b, s + 1);
			break;
		case '%':
			buf_puts(&b, n != 0 ? "%" : "%%");
			break;
		default:
			die("-o: '%%%c' is not one of %%n, %%p, %%h, "
			    "%%q{VAR}, %%%%",
			    *s != '\0' ? *s : ' ');
		}
	}
	buf_putc(&b, '\0');
	return b.s;
}

/* The folder of this program, with a slash. */
static void
own_folder(struct buf *b)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n <= 0)
		die_errno("/proc/self/exe");
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	buf_put(b, exe, slash != NULL ? (size_t)(slash - exe) + 1 : 0);
}

char *
record_lib(const char *name)
{
	struct buf b = { 0 };
	char *path;

	own_folder(&b);
	buf_printf(&b, "../lib/dlp/%s", name);
	path = realpath(buf_str(&b), NULL);
	if (path == NULL)
		die_errno("%s", buf_str(&b));
	buf_free(&b);
	return path;
}

char *
record_command(const char *name)
{
	struct buf b = { 0 };

	own_folder(&b);
	buf_puts(&b, name);
	buf_putc(&b, '\0');
	return b.s;
}

static char *
try_folder(const char *parent, size_t n)
{
	struct buf b = { 0 };
	char *path;

	buf_put(&b, parent, n);
	buf_puts(&b, "/dlp-record.XXXXXX");
	buf_putc(&b, '\0');
	if (mkdtemp(b.s) == NULL) {
		buf_free(&b);
		return NULL;
	}
	path = realpath(b.s, NULL);
	buf_free(&b);
	return path;
}

char *
record_folder(const char *out, const char **why)
{
	static const char *const usual[] = { "/tmp", "/dev/shm", "/var/tmp" };
	const char *tmp = getenv("TMPDIR");
	const char *slash = out != NULL ? strrchr(out, '/') : NULL;
	char *path = NULL;
	size_t i;

	if (tmp != NULL && *tmp != '\0')
		path = try_folder(tmp, strlen(tmp));
	*why = path == NULL && tmp != NULL ? strerror(errno) : NULL;
	for (i = 0; path == NULL && i < sizeof(usual) / sizeof(usual[0]); i++)
		path = try_folder(usual[i], strlen(usual[i]));
	if (path == NULL && out != NULL)
		path = slash != NULL ? try_folder(out, (size_t)(slash - out))
				     : try_folder(".", 1);
	if (path == NULL && *why == NULL)
		*why = strerror(errno);
	return path;
}

void
record_remove(const char *folder)
{
	struct buf b = { 0 };
	struct dirent *e;
	DIR *d = opendir(folder);

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		buf_clear(&b);
		buf_printf(&b, "%s/%s", folder, e->d_name);
		if (unlink(buf_str(&b)) != 0 && errno == EISDIR)
			record_remove(buf_str(&b));
	}
	if (d != NULL)
		closedir(d);
	rmdir(folder);
	buf_free(&b);
}
