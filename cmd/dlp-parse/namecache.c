/* Texts of a profile's string ids and short names of its kernels, read from the
 * database once and kept for the next records that have them. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "emit.h"
#include "esc.h"
#include "namecache.h"
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

static struct name *
new_name(struct name_cache *n, uint64_t *slot)
{
	ARRAY_GROW(n->v, n->n, n->cap);
	*slot = n->n + 1;
	memset(&n->v[n->n], 0, sizeof(*n->v));
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

static uint64_t *
cache_slot(struct name_cache *n, struct map *m, int64_t id, bool *is_new)
{
	const uint64_t *has;

	has = map_get(m, (uint64_t)id);
	if (has != NULL) {
		*is_new = false;
		return (uint64_t *)has;
	}
	if (n->bytes > MAX_BYTES || n->n > MAX_NAMES)
		empty_cache(n);
	return map_put(m, (uint64_t)id, is_new);
}

struct name
names_text(struct profile *p, int64_t id)
{
	struct name_cache *n = &p->names;
	struct name *m;
	uint64_t *slot;
	bool is_new;

	slot = cache_slot(n, &n->text, id, &is_new);
	if (!is_new)
		return n->v[*slot - 1];
	m = new_name(n, slot);
	buf_clear(&n->tmp);
	if (p->dialect->string(p->ctx, id, &n->tmp))
		set_text(n, m, n->tmp.len ? n->tmp.s : "", n->tmp.len);
	else
		n->unknown++;
	return *m;
}

/* Reads the full name into p->names.full. */
static bool
full_name(struct profile *p, int64_t id)
{
	struct buf *full = &p->names.full;

	buf_clear(full);
	if (id == EV_UNSET)
		return false;
	if (p->dialect->kernel != NULL)
		return p->dialect->kernel(p->ctx, id, full);
	return p->dialect->string(p->ctx, id, full);
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

/* Ids of strings are small numbers. */
static int64_t
pair_of_ids(int64_t id, int64_t mangled_id)
{
	if (mangled_id == EV_UNSET)
		return id;
	return (int64_t)((uint64_t)id ^ (uint64_t)(mangled_id + 1) << 32);
}

struct name
names_kernel(
    struct profile *p, int64_t id, int64_t short_id, int64_t mangled_id)
{
	struct buf out = { 0 }, mangled = { 0 };
	struct name_cache *n = &p->names;
	const char *given;
	struct name *m;
	uint64_t *slot;
	bool is_new, full;

	slot = cache_slot(n, &n->kernel,
	    id != EV_UNSET ? pair_of_ids(id, mangled_id) : ~short_id, &is_new);
	if (!is_new)
		return n->v[*slot - 1];
	m = new_name(n, slot);
	full = full_name(p, id);
	given = text_of(p, short_id, &n->tmp);
	if (!full && given == NULL) {
		n->unknown++;
		return *m;
	}
	if (full) {
		m->str_id = emit_str(p, n->full.len ? n->full.s : "",
		    n->full.len, given, text_of(p, mangled_id, &mangled));
		buf_free(&mangled);
		kernname_short(buf_str(&n->full), given, &out);
	} else
		buf_puts(&out, given);
	set_text(n, m, out.len ? out.s : "", out.len);
	buf_free(&out);
	return *m;
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
	memset(n, 0, sizeof(*n));
}
