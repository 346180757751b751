/* Names of kernels against comm.rules; see comm.h. */
#include <string.h>

#include "buf.h"
#include "comm.h"
#include "err.h"
#include "map.h"
#include "namerule.h"
#include "shipped.h"

enum { COMM_TYPE, COMM_ENDS, COMM_WORDS };

static struct namerules rules;
static struct comm_type *types; /* one per rule */
static struct smap names;       /* seen: rule + 1, or 0 */

static void
read_ends(size_t i)
{
	const char *s = rules.v[i].word[COMM_ENDS];

	size_t k = 0;

	while (
	    strcmp(rules.v[k].word[COMM_TYPE], rules.v[i].word[COMM_TYPE]) != 0)
		k++;
	types[i].name = rules.v[k].word[COMM_TYPE]; /* one text per type */
	types[i].together = strcmp(s, "all") == 0;
	types[i].pair = strcmp(s, "pair") == 0;
	if (!types[i].together && !types[i].pair && strcmp(s, "some") != 0)
		die("%s:%u: not all, some or pair: '%s'", rules.file,
		    rules.v[i].line, s);
}

void
comm_open(const char *path)
{
	static const char *const words[] = { "TYPE", "ENDS" };
	size_t i;

	if (path != NULL)
		namerules_load(&rules, path, words, COMM_WORDS);
	else
		namerules_parse(&rules, "comm.rules",
		    shipped_text("comm.rules"), words, COMM_WORDS);
	types = xcalloc(rules.n + 1, sizeof(*types));
	for (i = 0; i < rules.n; i++)
		read_ends(i);
}

const struct comm_type *
comm_find(const char *name, size_t n)
{
	const struct namerule *u;
	struct buf low = { 0 };
	uint32_t id;
	bool is_new;

	id = smap_put(&names, name, n, &is_new);
	if (is_new) {
		name_lower(&low, name, n);
		u = namerules_find(&rules, buf_str(&low), low.len);
		names.val[id] = u != NULL ? (uint64_t)(u - rules.v) + 1 : 0;
		buf_free(&low);
	}
	return names.val[id] > 0 ? &types[names.val[id] - 1] : NULL;
}
