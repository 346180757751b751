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

#define VOCAB_MAX 64 /* bytes of a table's name, a blank and a word */

static void
read_vocab(struct smap *words, char *text)
{
	char key[VOCAB_MAX], *s, *value, *word;
	size_t k, n;
	uint32_t i;

	for (s = text; *s != '\0'; s += n + (s[n] != '\0')) {
		n = strcspn(s, "\n");
		if (*s == '#' || n == 0)
			continue;
		k = strcspn(s, " ") + 1; /* with the blank */
		value = s + k;
		word = value + strcspn(value, " ") + 1;
		n = strcspn(word, "\n");
		memcpy(key, s, k);
		memcpy(key + k, word, n);
		i = smap_put(words, key, k + n, NULL);
		words->val[i] = (uint64_t)(value - text);
		word[-1] = '\0';
		s = word;
	}
}

struct mview
vocab_find(const char *table, const char *s, size_t n)
{
	/* one per process, because it is constant */
	static struct smap words;
	static char *text;
	const char *value;
	char key[VOCAB_MAX];
	size_t k = strlen(table);
	uint32_t i = SMAP_NONE;

	if (text == NULL) {
		text = xstrdup(shipped_text("vocab.tab"));
		read_vocab(&words, text);
	}
	if (s != NULL && n < VOCAB_MAX - k - 1) {
		memcpy(key, table, k);
		key[k] = ' ';
		memcpy(key + k + 1, s, n);
		i = smap_find(&words, key, k + 1 + n);
	}
	if (i == SMAP_NONE)
		return mv(NULL, NULL);
	value = text + words.val[i];
	return mv(value, value + strlen(value));
}

struct mview
vocab_longest(const char *table, struct mview s, bool whole, size_t *n)
{
	struct mview v = { NULL, 0 };

	for (*n = s.n < VOCAB_MAX ? s.n : VOCAB_MAX; *n > 0; --*n) {
		/* one letter, t, must always be a word of its own */
		if ((whole || *n == 1) && *n < s.n && s.s[*n] != '_')
			continue;
		v = vocab_find(table, s.s, *n);
		if (v.s != NULL)
			break;
	}
	return v;
}
