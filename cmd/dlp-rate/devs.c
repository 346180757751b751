/* The devices of a section; see devs.h. */
#include "devs.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "map.h"

/* The devices of a file, or of all. */
struct scope {
	struct map at; /* device -> its number in gpus, + 1; 0: files differ */
	size_t first;  /* the first, + 1 */
	bool differ;   /* not all are alike */
};

static struct smap srcs;     /* the files of the section */
static struct scope *scopes; /* all, then each file */
static size_t n_scope;       /* that were ever used */
static struct gpu *gpus;
static size_t ngpus;

static bool
same_rates(const struct gpu *a, const struct gpu *b)
{
	int i;

	for (i = 0; i < PK_N; i++)
		if (a->tflops[i] != b->tflops[i])
			return false;
	return a->gb_s == b->gb_s;
}

static struct scope *
scope_of(const char *src, size_t n)
{
	size_t i = 0;

	if (src != NULL)
		i = smap_put(&srcs, src, n, NULL) + (size_t)1;
	if (i >= n_scope) {
		scopes = xrealloc(scopes, i + 1, sizeof(*scopes));
		memset(
		    scopes + n_scope, 0, (i + 1 - n_scope) * sizeof(*scopes));
		n_scope = i + 1;
	}
	return &scopes[i];
}

/* The newest of gpus is that device. Of all files a number can be several. */
static void
scope_add(struct scope *p, int64_t dev, bool of_all)
{
	bool is_new;
	uint64_t *at = map_put(&p->at, (uint64_t)dev, &is_new);
	const struct gpu *g = &gpus[ngpus - 1];

	if (is_new || !of_all)
		*at = ngpus;
	else if (*at > 0 && !same_rates(g, &gpus[*at - 1]))
		*at = 0;
	if (p->first == 0)
		p->first = ngpus;
	else if (!same_rates(g, &gpus[p->first - 1]))
		p->differ = true;
}

void
devs_add(const char *src, size_t n, int64_t dev, const struct gpu *g)
{
	struct scope *p = scope_of(src, n);

	gpus = xrealloc(gpus, ngpus + 1, sizeof(*gpus));
	gpus[ngpus++] = *g;
	scope_add(p, dev, false);
	if (p != &scopes[0])
		scope_add(&scopes[0], dev, true);
}

/* Where no device names the file all are its. */
static const struct scope *
known(const char *src, size_t n)
{
	const struct scope *p = scope_of(src, n);

	return p->first > 0 ? p : &scopes[0];
}

const struct gpu *
devs_find(const char *src, size_t n, int64_t dev)
{
	const uint64_t *at = map_get(&known(src, n)->at, (uint64_t)dev);

	return at != NULL && *at > 0 ? &gpus[*at - 1] : NULL;
}

const struct gpu *
devs_all(const char *src, size_t n)
{
	const struct scope *p = known(src, n);

	return p->first > 0 && !p->differ ? &gpus[p->first - 1] : NULL;
}

void
devs_forget(void)
{
	size_t i;

	for (i = 0; i < n_scope; i++) {
		map_clear(&scopes[i].at);
		scopes[i].first = 0;
		scopes[i].differ = false;
	}
	smap_clear(&srcs);
	ngpus = 0;
}
