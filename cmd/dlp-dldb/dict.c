/* Texts: numbers in memory, ids in the dictionary; and ##info lines. */
#include <string.h>

#include "dldb.h"
#include "err.h"
#include "num.h"

uint32_t
word(struct dldb *d, const char *s, size_t n)
{
	return smap_put(&d->words, s, n, NULL);
}

const char *
word_text(const struct dldb *d, uint32_t w)
{
	return smap_str(&d->words, w, NULL);
}

int64_t
text_id(struct dldb *d, const char *s, size_t n)
{
	static struct ins in = { .table = "dictionary" };

	return db_text_id(&d->db, &in, s, n);
}

int64_t
text0_id(struct dldb *d, const char *s)
{
	return word_id(d, word(d, s, strlen(s)));
}

int64_t
word_id(struct dldb *d, uint32_t w)
{
	const char *s;
	size_t n;

	if (d->words.val[w] == 0) {
		s = smap_str(&d->words, w, &n);
		d->words.val[w] = (uint64_t)text_id(d, s, n);
	}
	return (int64_t)d->words.val[w];
}

const char *
info(const struct dldb *d, const char *name)
{
	uint32_t no = smap_find(&d->infos, name, strlen(name));

	if (no == SMAP_NONE || d->infos.val[no] == 0)
		return NULL;
	return word_text(d, (uint32_t)d->infos.val[no] - 1);
}

int64_t
info_int(const struct dldb *d, const char *name, int64_t def)
{
	const char *s = info(d, name);
	int64_t v;

	return s != NULL && num_i64(s, strlen(s), &v) ? v : def;
}
