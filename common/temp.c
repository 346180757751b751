/* Temporary files; see temp.h. */
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "temp.h"

int
temp_fd(void)
{
	const char *dir = getenv("TMPDIR");
	struct buf b = { 0 };
	int fd;

	buf_puts(&b, dir != NULL && *dir != '\0' ? dir : "/tmp");
	buf_putc(&b, '/');
	buf_puts(&b, err_prog_name());
	buf_puts(&b, ".XXXXXX");
	buf_str(&b);
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", b.s);
	unlink(b.s);
	buf_free(&b);
	return fd;
}
