/*
 * Texts of a profile's string ids and short names of its kernels, escaped, read
 * from the database once and kept for the next records that have them: a
 * profile has few distinct names and millions of uses. When the texts have
 * grown too large, they are forgotten and read again when needed.
 */
#include <stdlib.h>

#include "array.h"
#include "esc.h"
#include "kernname.h"
#include "profile.h"

#define MAX_BYTES (8u << 20)
#define MAX_NAMES (1u << 17)

/* A record that is being written holds texts, and asks for more of them, which
 * may empty the cache. So the texts live until names_written(), which is called
 * after each record. */
static void
empty_cache(struct name_cache *n)
{
	size_t i;

	for (i = 0; i < n->n; i++) {
		ARRAY_GROW(n->old, n->n_old, n->cap_old);
		n->old[n->n_old++] = (char *)n->v[i].text;
	}
	n->n = n->bytes = 0;
	map_clear(&n->text);
	map_clear(&n->kernel);
}

/* The name with that key; *is_new: it has no text yet. */
static struct name *
find_name(struct name_cache *n, struct map *m, int64_t key, bool *is_new)
{
	uint64_t *at = map_get(m, (uint64_t)key);

	*is_new = at == NULL;
	if (at != NULL)
		return &n->v[*at];
	if (n->bytes > MAX_BYTES || n->n > MAX_NAMES)
		empty_cache(n);
	*map_put(m, (uint64_t)key, NULL) = n->n;
	ARRAY_GROW(n->v, n->n, n->cap);
	n->v[n->n] = (struct name){ 0 };
	return &n->v[n->n++];
}

static void
set_text(struct name_cache *n, struct name *m, const char *s, size_t len)
{
	struct buf b = { 0 };

	esc_put(&b, s, len);
	m->len = (uint32_t)b.len;
	buf_putc(&b, '\0');
	m->text = b.s;
	n->bytes += b.len;
}

struct name
names_text(struct profile *p, int64_t id)
{
	struct name_cache *n = &p->names;
	struct name *m;
	bool is_new;

	m = find_name(n, &n->text, id, &is_new);
	if (!is_new)
		return *m;
	buf_clear(&n->tmp);
	if (p->dialect->string(p->ctx, id, &n->tmp))
		set_text(n, m, n->tmp.len ? n->tmp.s : "", n->tmp.len);
	else
		n->unknown++;
	return *m;
}

/* The text of a string id in b; NULL if the id has no text. */
static const char *
text_of(struct profile *p, int64_t id, struct buf *b)
{
	buf_clear(b);
	if (id == EV_UNSET || !p->dialect->string(p->ctx, id, b))
		return NULL;
	return buf_str(b);
}

struct name *
names_kernel(struct profile *p, int64_t id, int64_t short_id,
    int64_t mangled_id, struct kernel_texts *fresh)
{
	bool (*full)(void *, int64_t, struct buf *) = p->dialect->kernel != NULL
							  ? p->dialect->kernel
							  : p->dialect->string;
	struct name_cache *n = &p->names;
	int64_t key = id != EV_UNSET ? id : ~short_id;
	struct buf out = { 0 };
	struct name *m;
	bool is_new;

	if (id != EV_UNSET && mangled_id != EV_UNSET) /* small numbers */
		key =
		    (int64_t)((uint64_t)id ^ (uint64_t)(mangled_id + 1) << 32);
	*fresh = (struct kernel_texts){ 0 };
	m = find_name(n, &n->kernel, key, &is_new);
	if (!is_new)
		return m;
	buf_clear(&n->full);
	if (id != EV_UNSET && full(p->ctx, id, &n->full)) {
		fresh->full = buf_str(&n->full);
		fresh->n = n->full.len;
	}
	fresh->given = text_of(p, short_id, &n->tmp);
	if (fresh->full != NULL) {
		fresh->mangled = text_of(p, mangled_id, &n->mangled);
		kernname_short(fresh->full, fresh->given, &out);
	} else if (fresh->given != NULL) {
		buf_puts(&out, fresh->given);
	} else {
		n->unknown++;
		return m;
	}
	set_text(n, m, out.len ? out.s : "", out.len);
	buf_free(&out);
	return m;
}

void
names_written(struct name_cache *n)
{
	while (n->n_old > 0)
		free(n->old[--n->n_old]);
}

void
names_free(struct name_cache *n)
{
	empty_cache(n);
	names_written(n);
	free(n->old);
	free(n->v);
	map_free(&n->text);
	map_free(&n->kernel);
	buf_free(&n->tmp);
	buf_free(&n->full);
	buf_free(&n->mangled);
}
