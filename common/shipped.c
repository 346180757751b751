/* Data files of the commands; see shipped.h. The table is made at build. */
#include <string.h>

#include "err.h"
#include "shipped.h"

const char *
shipped_text(const char *name)
{
	const struct shipped *f;

	for (f = shipped_files; f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return f->text;
	die("no data file '%s' was compiled in", name);
}
