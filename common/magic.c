/* Files that are given in place of a stream; see magic.h. */
#include <string.h>

#include "magic.h"

#define UNPACK(by)                                                             \
	by "-compressed: a stream goes in by '" by " -dc FILE |', a profile"   \
	   " by dlp-parse"

static const struct {
	const char *magic;
	size_t n;
	const char *what;
} not_streams[] = {
	{ "SQLite format 3\0", 16, "a SQLite database: dlp-parse reads it" },
	{ "\xfd"
	  "7zXZ",
	    5, UNPACK("xz") },
	{ "\x28\xb5\x2f\xfd", 4, UNPACK("zstd") },
	{ "\x1f\x8b", 2, UNPACK("gzip") },
	{ "PK\x03\x04", 4, "a zip archive: unpack it first" },
};

const char *
magic_what(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(not_streams) / sizeof(not_streams[0]); i++)
		if (n >= not_streams[i].n &&
		    memcmp(s, not_streams[i].magic, not_streams[i].n) == 0)
			return not_streams[i].what;
	return NULL;
}
