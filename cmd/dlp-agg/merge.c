/* The run of --merge; see merge.h. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "merge_type.h"
#include "meta.h"
#include "part.h"
#include "plan.h"
#include "result.h"
#include "stage.h"

struct merge {
	struct plan *plan;
	struct merge_type **v;
	int n;
	struct metas meta;
	bool whole, complete;   /* sections, not fragments; and ended */
	uint64_t lost, surplus; /* records, by the ##end lines */
};

/* The options of the type: those of its -T, else of the only set. */
static struct spec *
options(const struct plan *p, const char *tag)
{
	int i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->spec[i]->in.ntypes; k++)
			if (strcmp(p->spec[i]->in.tag[k], tag) == 0)
				return p->spec[i];
	for (i = 0; i < p->n; i++)
		if (p->spec[i]->in.tag == NULL)
			return p->spec[i];
	return NULL;
}

static struct merge_type *
find_type(const struct merge *g, const char *tag, size_t n)
{
	int i;

	for (i = 0; i < g->n; i++)
		if (strlen(g->v[i]->spec.as) == n &&
		    memcmp(g->v[i]->spec.as, tag, n) == 0)
			return g->v[i];
	return NULL;
}

static bool
is_partial(const struct rec *r)
{
	const char *s = r->line, *end = s + r->len;
	size_t n = strlen(PART_N);

	while ((s = memchr(s, '\t', (size_t)(end - s))) != NULL) {
		s++;
		if ((size_t)(end - s) >= n && memcmp(s, PART_N, n) == 0 &&
		    (s + n == end || s[n] == '\t'))
			return true;
	}
	return false;
}

/* A type of results: partial, asked for, or agg. */
static struct merge_type *
add_type(struct merge *g, const struct rec *r)
{
	const char *tag = r->line + 1, *end = r->line + r->len, *tab;
	size_t n;
	char *name;
	const struct spec *o;
	struct merge_type *m;

	tab = memchr(tag, '\t', (size_t)(end - tag));
	n = (size_t)((tab != NULL ? tab : end) - tag);
	m = find_type(g, tag, n);
	if (m != NULL)
		return m;
	name = xmemdup(tag, n);
	o = options(g->plan, name);
	if (o == NULL ||
	    (o->in.tag == NULL && strcmp(name, "agg") != 0 && !is_partial(r))) {
		free(name);
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->spec.as = name;
	m->spec.limit = o->limit;
	m->spec.rest = o->rest;
	m->spec.partial = o->partial;
	m->want = o->groups;
	m->nwant = o->ngroups;
	m->spec.sort = o->sort;
	m->spec.sort.key = xcalloc((size_t)o->sort.n + 1, sizeof(*o->sort.key));
	if (o->sort.n > 0)
		memcpy(m->spec.sort.key, o->sort.key,
		    (size_t)o->sort.n * sizeof(*o->sort.key));
	g->v = xrealloc(g->v, (size_t)g->n + 1, sizeof(struct merge_type *));
	g->v[g->n++] = m;
	return m;
}

/* The reader of this file knows its types by their tags. */
static void
on_legend(struct merge *g, struct rec_reader *rd, const struct rec *r)
{
	struct merge_type *m = add_type(g, r);

	if (m == NULL)
		return;
	m->type = rec_type(rd, m->spec.as);
	if (r->type == NULL) { /* it was read before that */
		size_t head = 1 + strlen(m->spec.as);

		rec_type_legend(m->type, r->line + head, r->len - head);
	}
	rec_set_arg(m->type, m);
	merge_legend(m, r);
}

static void
one_file(struct merge *g, const char *path)
{
	struct rec_reader *rd = rec_open(path);
	struct rec r = { 0 };
	bool any = false;

	while (rec_next(rd, &r)) {
		any = true;
		if (r.kind == REC_END) {
			g->lost += rec_lost(rd);
			g->surplus += rec_surplus(rd);
		} else if (r.kind == REC_META)
			meta_keep(&g->meta, &r);
		else if (r.kind == REC_LEGEND)
			on_legend(g, rd, &r);
		else if (r.kind == REC_DATA && r.type != NULL)
			merge_record(rec_arg(&r), &r);
	}
	if (!any)
		die("%s: empty input", rec_input_name(rd));
	g->whole |= !rec_is_fragment(rd);
	if (!rec_complete(rd)) {
		warn("%s: input ended without ##end: the command before failed"
		     " or was cut off",
		    rec_where(rd));
		g->complete = false;
	}
	rec_close(rd);
}

static void
put_results(struct merge *g, int argc, char *const *argv)
{
	uint64_t rounded = 0;
	int i;

	meta_head(&g->meta, g->whole, argc, argv);
	for (i = 0; i < g->n; i++) {
		merge_finish(g->v[i]);
		result_put(&g->v[i]->groups);
		rounded += g->v[i]->rounded;
	}
	buf_put(&out_buf, g->meta.notes.s, g->meta.notes.len);
	for (i = 0; i < g->n; i++)
		result_notes(&g->v[i]->groups);
	stage_note("agg_parts_rounded", rounded);
	if (g->whole)
		stage_note_count(g->lost, g->surplus);
	if (g->whole && g->complete)
		stage_end_section();
}

int
merge_run(struct plan *plan, char **paths, int n, int argc, char *const *argv)
{
	static struct merge g; /* to the end of the process, as plan is */
	int i;

	g.plan = plan;
	g.complete = true;

	for (i = 0; i < n; i++)
		one_file(&g, paths[i]);
	if (n == 0)
		one_file(&g, NULL);
	if (g.n == 0)
		die("no results of dlp-agg in the input: -T names their type");
	put_results(&g, argc, argv);
	return g.complete ? EXIT_OK : EXIT_TROUBLE;
}
