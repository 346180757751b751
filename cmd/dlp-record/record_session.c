/*
 * The session file: options for the library in the recorded processes, and
 * facts of the machine for the conversion. The names of the host and the user,
 * the environment and the command line are not stored.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"
#include "rspool.h"

/* key=value, on one line. */
static void
put_line(struct buf *b, const char *key, const char *value)
{
	buf_puts(b, key);
	buf_putc(b, '=');
	for (; *value != '\0'; value++)
		buf_putc(b, *value == '\n' ? ' ' : *value);
	buf_putc(b, '\n');
}

static void
put_number(struct buf *b, const char *key, int64_t v)
{
	buf_printf(b, "%s=%lld\n", key, (long long)v);
}

/* What follows a key in a file of lines, up to the end of the line or a quote.
 */
static void
put_from(struct buf *b, const char *key, const char *file, const char *mark)
{
	char line[1024], *s;
	FILE *f = fopen(file, "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, mark, strlen(mark)) != 0)
			continue;
		s = line + strlen(mark);
		s += strspn(s, " \t:=\"");
		s[strcspn(s, "\"\n")] = '\0';
		put_line(b, key, s);
		break;
	}
	if (f != NULL)
		fclose(f);
}

/* The driver's version is the first word with digits and a dot. */
static void
put_driver(struct buf *b)
{
	char line[1024], *word, *at = NULL;
	FILE *f = fopen("/proc/driver/nvidia/version", "re");

	if (f == NULL)
		return;
	word = fgets(line, sizeof(line), f) != NULL
		   ? strtok_r(line, " \t\n", &at)
		   : NULL;
	for (; word != NULL; word = strtok_r(NULL, " \t\n", &at))
		if (isdigit((unsigned char)word[0]) &&
		    strchr(word, '.') != NULL) {
			put_line(b, "driver", word);
			break;
		}
	fclose(f);
}

static void
put_options(struct buf *b, const struct record *r, int64_t now)
{
	put_number(b, "nvtx", r->nvtx);
	put_number(b, "cuda", r->cuda);
	put_number(b, "graph_level", r->graph_level);
	put_number(b, "memory", r->memory);
	put_number(b, "sync", r->sync);
	put_number(b, "all_calls", r->all_calls);
	put_number(b, "fork", r->fork);
	put_line(b, "capture", r->arm ? "arm" : r->capture);
	if (r->text != NULL)
		put_line(b, "capture_text", r->text);
	if (r->domain != NULL)
		put_line(b, "capture_domain", r->domain);
	put_number(b, "first", r->first);
	put_number(b, "last", r->last);
	put_number(b, "begin_at", r->delay > 0 ? now + r->delay : 0);
	put_number(b, "duration", r->duration);
	put_number(b, "flush_ns", r->flush);
	put_number(b, "max_bytes", (int64_t)r->max);
	if (r->cupti != NULL)
		put_line(b, "cupti", r->cupti);
	if (r->markers != NULL)
		put_line(b, "markers", r->markers);
}

bool
record_session(
    const struct record *r, const char *folder, const char *out, int64_t now)
{
	struct buf path = { 0 }, b = { 0 };
	char *here = r->arm ? getcwd(NULL, 0) : NULL;
	bool ok;

	put_options(&b, r, now);
	if (here != NULL && out != NULL && *out != '/') {
		buf_printf(&path, "%s/%s", here, out);
		put_line(&b, "out", buf_str(&path));
		buf_clear(&path);
	} else if (r->arm && out != NULL) {
		put_line(&b, "out", out);
	}
	free(here);
	put_number(&b, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	put_from(&b, "cpu", "/proc/cpuinfo", "model name");
	put_from(&b, "os", "/etc/os-release", "PRETTY_NAME");
	put_driver(&b);
	buf_printf(&path, "%s/" RSPOOL_SESSION, folder);
	ok = record_write(buf_str(&path), b.s, b.len);
	buf_free(&path);
	buf_free(&b);
	return ok;
}
