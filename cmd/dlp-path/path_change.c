/* The changes that a replay makes, and how much longer work takes by them. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "path.h"

/* Work with so few bytes takes the latency of its kind and hardly more. */
#define SMALL 4096

#define MOST 1e15 /* ns that work can take by a change */

void
path_scale(void *path, const char *arg)
{
	struct path *p = path;
	struct path_change *c = &p->change[p->n_change];
	const char *eq = strrchr(arg, '=');
	char *re, *end;

	if (p->n_change == PATH_CHANGES)
		die("more than %d of --scale and --remove", PATH_CHANGES);
	if (eq == NULL || eq == arg)
		die("--scale: '%s' is not REGEX=FACTOR", arg);
	c->factor = strtod(eq + 1, &end);
	if (end == eq + 1 || *end != '\0' || !(c->factor >= 0) ||
	    c->factor > 1e6)
		die("--scale: bad factor '%s'", eq + 1);
	re = xstrdup(arg);
	re[eq - arg] = '\0';
	if (regcomp(&c->re, re, REG_EXTENDED | REG_NOSUB) != 0)
		die("--scale: bad regular expression '%s'", re);
	free(re);
	p->n_change++;
}

void
path_remove(void *path, const char *arg)
{
	struct path *p = path;
	struct path_change *c = &p->change[p->n_change];

	if (p->n_change == PATH_CHANGES)
		die("more than %d of --scale and --remove", PATH_CHANGES);
	if (regcomp(&c->re, arg, REG_EXTENDED | REG_NOSUB) != 0)
		die("--remove: bad regular expression '%s'", arg);
	c->factor = 0;
	c->gone = true;
	p->n_change++;
}

void
path_changes_free(struct path *p)
{
	while (p->n_change > 0)
		regfree(&p->change[--p->n_change].re);
}

void
path_bandwidth(void *path, const char *arg)
{
	struct path *p = path;
	char *end;

	p->bandwidth = strtod(arg, &end);
	if (end == arg || *end != '\0' || !(p->bandwidth > 0) ||
	    p->bandwidth > 1e9)
		die("--bandwidth: bad number of GB/s '%s'", arg);
}

static void
match_texts(const struct path *p, struct path_effect *e)
{
	uint32_t i;
	int k;

	e->match = xcalloc(p->texts.n + 1, sizeof(*e->match));
	for (i = 0; i < p->texts.n; i++)
		for (k = 0; k < p->n_change; k++)
			if (regexec(&p->change[k].re,
				smap_str(&p->texts, i, NULL), 0, NULL, 0) == 0)
				e->match[i] |= (uint64_t)1 << k;
}

/* It goes over a link between devices. */
static bool
on_link(const struct path *p, const struct path_work *w)
{
	if (w->tag == TAG_COMM)
		return true;
	return w->tag == TAG_COPY && w->name != PATH_NONE &&
	       strcmp(smap_str(&p->texts, w->name, NULL), "DtoD") != 0;
}

/* The shortest small work of each name. */
static void
find_latency(struct path *p, struct path_effect *e)
{
	const struct path_work *w;
	int64_t len, *l;
	size_t i;

	e->latency = xcalloc(p->texts.n + 1, sizeof(*e->latency));
	for (i = 0; i < p->works.n; i++) {
		w = path_work_at(p, (int64_t)i);
		if (!on_link(p, w))
			continue;
		p->no_bytes += w->bytes < 0;
		if (w->bytes < 0 || w->bytes > SMALL || w->name == PATH_NONE)
			continue;
		l = &e->latency[w->name];
		len = w->end - w->start;
		*l = *l == 0 || len < *l ? len : *l;
	}
}

void
path_effect_open(struct path *p, struct path_effect *e)
{
	memset(e, 0, sizeof(*e));
	match_texts(p, e);
	if (p->bandwidth > 0)
		find_latency(p, e);
}

void
path_effect_free(struct path_effect *e)
{
	free(e->match);
	free(e->latency);
}

bool
path_removed(const struct path *p, const struct path_effect *e, uint32_t text)
{
	int k;

	if (text == PATH_NONE)
		return false;
	for (k = 0; k < p->n_change; k++)
		if (p->change[k].gone && (e->match[text] >> k & 1) != 0)
			return true;
	return false;
}

/* Its latency and its bytes at the new bandwidth. A byte per ns is 1 GB/s. */
static double
by_bandwidth(const struct path *p, const struct path_effect *e,
    const struct path_work *w)
{
	double len = (double)(w->end - w->start), now;

	if (p->bandwidth == 0 || w->bytes < 0 || len == 0 || !on_link(p, w))
		return 1;
	now = (double)w->bytes / p->bandwidth;
	if (w->name != PATH_NONE)
		now += (double)e->latency[w->name];
	return now / len;
}

double
path_factor(const struct path *p, const struct path_effect *e,
    const struct path_work *w, bool *gone)
{
	double f = by_bandwidth(p, e, w) * path_dtype_factor(p, w), len;
	uint64_t m = 0;
	int k;

	if (w->name != PATH_NONE)
		m |= e->match[w->name];
	if (w->op != PATH_NONE)
		m |= e->match[w->op];
	for (k = 0; k < p->n_change; k++) {
		if ((m >> k & 1) == 0)
			continue;
		*gone = *gone || p->change[k].gone;
		f *= p->change[k].factor;
	}
	len = (double)(w->end - w->start);
	if (*gone || len == 0)
		return 0;
	return f * len <= MOST ? f : MOST / len;
}
