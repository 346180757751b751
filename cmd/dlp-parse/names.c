/* The cache of names; see names.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "kernname.h"
#include "names.h"

#define MAX_BYTES (8u << 20)
#define MAX_NAMES (1u << 17)

static void
forget(struct names *n)
{
	size_t i;

	for (i = 0; i < n->n; i++)
		free(n->v[i].text);
	n->n = n->bytes = 0;
	map_clear(&n->text);
	map_clear(&n->kernel);
}

static struct name *
new_name(struct names *n, uint64_t *slot)
{
	if (n->n == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 256;
		n->v = xrealloc(n->v, n->cap, sizeof(*n->v));
	}
	*slot = n->n + 1;
	memset(&n->v[n->n], 0, sizeof(*n->v));
	return &n->v[n->n++];
}

static void
set_text(struct names *n, struct name *m, const char *s, size_t len)
{
	struct buf b = { 0 };

	esc_put(&b, s, len);
	m->len = (uint32_t)b.len;
	buf_putc(&b, '\0');
	m->text = b.s;
	n->bytes += b.len;
}

static uint64_t *
find(struct names *n, struct map *m, int64_t id, bool *is_new)
{
	const uint64_t *has;

	has = map_get(m, (uint64_t)id);
	if (has != NULL) {
		*is_new = false;
		return (uint64_t *)has;
	}
	if (n->bytes > MAX_BYTES || n->n > MAX_NAMES)
		forget(n);
	return map_put(m, (uint64_t)id, is_new);
}

const struct name *
names_text(struct names *n, int64_t id)
{
	struct name *m;
	uint64_t *slot;
	bool is_new;

	slot = find(n, &n->text, id, &is_new);
	if (!is_new)
		return &n->v[*slot - 1];
	m = new_name(n, slot);
	buf_clear(&n->tmp);
	if (n->dialect->string(n->ctx, id, &n->tmp))
		set_text(n, m, n->tmp.len ? n->tmp.s : "", n->tmp.len);
	else
		n->unknown++;
	return m;
}

/* Reads the full name into n->full. */
static bool
full_name(struct names *n, int64_t id)
{
	buf_clear(&n->full);
	if (id == EV_UNSET)
		return false;
	if (n->dialect->kernel != NULL)
		return n->dialect->kernel(n->ctx, id, &n->full);
	return n->dialect->string(n->ctx, id, &n->full);
}

static const char *
given_short(struct names *n, int64_t id)
{
	buf_clear(&n->tmp);
	if (id == EV_UNSET || !n->dialect->string(n->ctx, id, &n->tmp))
		return NULL;
	return buf_str(&n->tmp);
}

/* Ids of strings are small numbers. */
static int64_t
both(int64_t id, int64_t mangled_id)
{
	if (mangled_id == EV_UNSET)
		return id;
	return (int64_t)((uint64_t)id ^ (uint64_t)(mangled_id + 1) << 32);
}

static const char *
mangled(struct names *n, int64_t id, struct buf *b)
{
	if (id == EV_UNSET || !n->dialect->string(n->ctx, id, b))
		return NULL;
	return buf_str(b);
}

const struct name *
names_kernel(struct names *n, int64_t id, int64_t short_id, int64_t mangled_id,
    str_fn *put)
{
	struct buf out = { 0 }, raw = { 0 };
	const char *given;
	struct name *m;
	uint64_t *slot;
	bool is_new, full;

	slot = find(n, &n->kernel,
	    id != EV_UNSET ? both(id, mangled_id) : ~short_id, &is_new);
	if (!is_new)
		return &n->v[*slot - 1];
	m = new_name(n, slot);
	full = full_name(n, id);
	given = given_short(n, short_id);
	if (!full && given == NULL) {
		n->unknown++;
		return m;
	}
	if (full) {
		m->str_id = put(n->full.len ? n->full.s : "", n->full.len,
		    given, mangled(n, mangled_id, &raw));
		buf_free(&raw);
		kernname_short(buf_str(&n->full), given, &out);
	} else
		buf_puts(&out, given);
	set_text(n, m, out.len ? out.s : "", out.len);
	buf_free(&out);
	return m;
}

void
names_free(struct names *n)
{
	forget(n);
	free(n->v);
	map_free(&n->text);
	map_free(&n->kernel);
	buf_free(&n->tmp);
	buf_free(&n->full);
	memset(n, 0, sizeof(*n));
}
