/* Rules by op; see rows_set.h. */
#include "rows_set.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

static struct list *
list_of(struct set *set, const char *op)
{
	bool fresh;
	uint32_t id = smap_put(&set->by_op, op, strlen(op), &fresh);

	if (!fresh)
		return &set->lists[id];
	if (set->n == set->cap) {
		set->cap = set->cap == 0 ? 64 : set->cap * 2;
		set->lists =
		    xrealloc(set->lists, set->cap, sizeof(*set->lists));
	}
	memset(&set->lists[set->n], 0, sizeof(*set->lists));
	return &set->lists[set->n++]; /* its number is id */
}

void
set_add(struct set *set, const struct row *row, const char *op)
{
	struct list *l = list_of(set, op);
	struct row *r = xmalloc(sizeof(*r));

	*r = *row;
	r->op = xstrdup(op);
	r->next = NULL;
	if (l->head == NULL)
		l->head = r;
	else
		*l->end = r;
	l->end = &r->next;
}

static bool
is_pattern(const char *op)
{
	return strpbrk(op, "*?[") != NULL;
}

/* Of a name with its module, torch.nn.functional.linear or myext::mlp, only a
 * pattern that has a module too. */
static bool
matches(const char *pattern, const char *name)
{
	return is_pattern(pattern) &&
	       (strchr(name, '.') == NULL || strchr(pattern, '.') != NULL) &&
	       (strstr(name, "::") == NULL || strstr(pattern, "::") != NULL) &&
	       fnmatch(pattern, name, 0) == 0;
}

const struct row *
set_find(const struct set *set, const char *op, size_t n)
{
	uint32_t id = smap_find(&set->by_op, op, n);
	char *name;
	size_t i;

	if (id != SMAP_NONE)
		return set->lists[id].head;
	name = xmemdup(op, n);
	for (i = 0; i < set->n; i++)
		if (matches(set->lists[i].head->op, name))
			break;
	free(name);
	return i < set->n ? set->lists[i].head : NULL;
}
