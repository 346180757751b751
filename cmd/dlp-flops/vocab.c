/* The words of vocab.tab, which is read at the first use; see kern_work.h. */
#include <string.h>

#include "kern_work.h"
#include "map.h"
#include "shipped.h"

#define VOCAB_MAX 64 /* bytes of a table's name, a blank and a word */

static void
read_vocab(struct smap *words, const char *text)
{
	const char *s, *value, *word;
	char key[VOCAB_MAX];
	size_t k, n;
	uint32_t i;

	for (s = text; *s != '\0'; s += strcspn(s, "\n") + 1) {
		if (*s == '#' || *s == '\n')
			continue;
		k = strcspn(s, " ") + 1; /* with the blank */
		value = s + k;
		word = value + strcspn(value, " ") + 1;
		n = strcspn(word, "\n");
		memcpy(key, s, k);
		memcpy(key + k, word, n);
		i = smap_put(words, key, k + n, NULL);
		words->val[i] = (uint64_t)(value - text);
	}
}

struct mview
vocab_find(const char *table, const char *s, size_t n)
{
	/* one per process, because it is constant */
	static struct smap words;
	const char *text = shipped_text("vocab.tab"), *value;
	char key[VOCAB_MAX];
	size_t k = strlen(table);
	uint32_t i = SMAP_NONE;

	if (words.n == 0)
		read_vocab(&words, text);
	if (s != NULL && n < VOCAB_MAX - k - 1) {
		memcpy(key, table, k);
		key[k] = ' ';
		memcpy(key + k + 1, s, n);
		i = smap_find(&words, key, k + 1 + n);
	}
	if (i == SMAP_NONE)
		return mv(NULL, NULL);
	value = text + words.val[i];
	return mv(value, value + strcspn(value, " "));
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
