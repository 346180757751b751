/* needs: */
/* Escapes of values, as dlp-records(5) has them: each byte, and back. */
#include <stdio.h>

#include "esc.h"

static int failed;

static void
check(const char *in, size_t n, const char *want)
{
	struct buf out = { 0 }, back = { 0 };

	esc_put(&out, in, n);
	esc_undo(&back, out.s, out.len);
	if (want != NULL && strcmp(buf_str(&out), want) != 0) {
		printf("got %s, want %s\n", buf_str(&out), want);
		failed = 1;
	}
	if (back.len != n || (n > 0 && memcmp(back.s, in, n) != 0)) {
		printf("%s does not come back\n", buf_str(&out));
		failed = 1;
	}
	buf_free(&out);
	buf_free(&back);
}

static void
check_all_bytes(void)
{
	char s[3];
	int a, b;

	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++) {
			s[0] = (char)a;
			s[1] = (char)b;
			check(s, 2, NULL);
		}
}

static void
check_undo(const char *in, const char *want)
{
	struct buf out = { 0 };

	esc_undo(&out, in, strlen(in));
	if (strcmp(buf_str(&out), want) != 0) {
		printf("%s gives %s, want %s\n", in, buf_str(&out), want);
		failed = 1;
	}
	buf_free(&out);
}

int
main(void)
{
	check("", 0, "");
	check("-", 1, "\\x2d");
	check("--", 2, "--");
	check("a\\b\tc\nd\re", 9, "a\\\\b\\tc\\nd\\re");
	check("\0\x1f\x7f", 3, "\\x00\\x1f\\x7f");
	check("\xff\xc3\xa9", 3, "\xff\xc3\xa9");
	check_all_bytes();
	check_undo("\\q\\x4", "\\q\\x4");
	check_undo("\\x41\\", "A\\");
	return failed;
}
