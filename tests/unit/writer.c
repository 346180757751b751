/* The formats of writer.h, and the table of rules for text in text_out.c. */
#include <stdio.h>
#include <string.h>

#include "writer.h"

static int bad;

static void
same(const char *what, const struct buf *got, const char *want)
{
	if (got->len == strlen(want) && memcmp(got->s, want, got->len) == 0)
		return;
	printf("%s: '%.*s', not '%s'\n", what, (int)got->len, got->s, want);
	bad = 1;
}

/* TAB, LF, ESC, DEL, a quote, a backslash, U+202E, a byte that is no UTF-8. */
static const char odd[] = "\t\n\033\177\"\\\xe2\x80\xae\xff";

static void
rule(enum text_rule r, const char *what, const char *want)
{
	struct buf b = { 0 };

	text_put(&b, odd, strlen(odd), r);
	same(what, &b, want);
	buf_free(&b);
}

/* Unset, "-", and text with escapes, a comma and a quote. */
static void
format(const struct writer_format *f, const char *what, const char *want)
{
	static const struct writer_col col[] = { { "a", WRITER_NUM, false },
		{ "b", WRITER_TEXT, false }, { "c", WRITER_JSON, true } };
	static const struct writer_cell rows[][3] = {
		{ { "1.5", 3 }, { "\\x2d", 4 }, { "[1, 2]", 6 } },
		{ { NULL, 0 }, { "x,\\t\"", 5 }, { NULL, 0 } },
	};
	struct buf b = { 0 };
	struct writer w = { .format = f, .to = &b, .col = col, .ncol = 3 };

	writer_begin(&w);
	writer_row(&w, rows[0]);
	writer_row(&w, rows[1]);
	writer_end(&w);
	same(what, &b, want);
	buf_free(&b);
}

int
main(void)
{
	rule(TEXT_RAW, "csv with --guard",
	    "\t\n\\x1b\\x7f\"\\\\xe2\\x80\\xae\\xff");
	rule(TEXT_JSON, "json",
	    "\\t\\n\\u001b\\u007f\\\"\\\\\\u202e\xef\xbf\xbd");
	rule(TEXT_JSON_STATS, "json of dlp-stats",
	    "\\u0009\\u000a\\u001b\\u007f\\\"\\\\\\u202e\xef\xbf\xbd");
	rule(TEXT_JSON_TRACE, "json of dlp-trace",
	    "\\u0009\\u000a\\u001b\\u007f\\\"\\\\\xef\xbf\xbd\xef\xbf\xbd");
	rule(TEXT_JSON_BYTES, "json of dlp-markers",
	    "\\u0009\\u000a\\u001b\\u007f\\\"\\\\\xe2\x80\xae\xff");
	rule(TEXT_TSV_STATS, "tsv of dlp-stats",
	    " \\n\\x1b\\x7f\"\\\\xe2\\x80\\xae\\xff");
	rule(
	    TEXT_COLUMN_STATS, "columns of dlp-stats", "    \"\\ \xef\xbf\xbd");
	format(&writer_csv, "csv",
	    "a,b,c\n1.5,\"-\",\"[1, 2]\"\n-,\"x,\t\"\"\",-\n");
	format(&writer_csv_quoting, "csv with quotes",
	    "a,b,c\n1.5,\"-\",\"[1, 2]\"\n,\"x,\t\"\"\",\"\"\n");
	format(
	    &writer_tsv, "tsv", "a\tb\tc\n1.5\t\\x2d\t[1, 2]\n-\tx,\\t\"\t-\n");
	format(&writer_json, "json",
	    "[\n{\"a\":1.5,\"b\":\"-\",\"c\":[1, 2]},"
	    "\n{\"a\":null,\"b\":\"x,\\t\\\"\",\"c\":null}\n]");
	format(&writer_jsonl, "jsonl",
	    "{\"a\":1.5,\"b\":\"-\",\"c\":[1, 2]}\n"
	    "{\"a\":null,\"b\":\"x,\\t\\\"\",\"c\":null}\n");
	return bad;
}
