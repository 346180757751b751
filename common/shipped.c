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

static void
read_words(struct shipped_words *w)
{
	const char *s, *line;
	uint32_t no;
	size_t n;
	int i;

	for (line = shipped_text(w->file); *line != '\0';
	     line += strcspn(line, "\n") + 1) {
		n = strcspn(line, " \n");
		for (i = 0; w->classes[i] != NULL; i++)
			if (text_is(line, n, w->classes[i]))
				break;
		if (w->classes[i] == NULL)
			continue;
		for (s = line + n; *s == ' '; s += n) {
			s += strspn(s, " ");
			n = strcspn(s, " \n");
			no = smap_put(&w->map, s, n, NULL);
			w->map.val[no] |= 1u << i;
		}
	}
}

unsigned
shipped_class(struct shipped_words *w, struct mview word)
{
	uint32_t i;

	if (w->map.n == 0)
		read_words(w);
	i = word.s != NULL ? smap_find(&w->map, word.s, word.n) : SMAP_NONE;
	return i != SMAP_NONE ? (unsigned)w->map.val[i] : 0;
}
