/* Two runs, compared; see compare.h. */
#include <string.h>

#include "compare.h"
#include "err.h"
#include "print.h"
#include "stage.h"

void
compare_facts(const struct side *s)
{
	size_t i, k, at, len;

	for (i = 0; i < s[0].info.n; i++) {
		const char *a = smap_str(&s[0].info, (uint32_t)i, &len);

		if (smap_find(&s[1].info, a, len) != SMAP_NONE)
			continue;
		at = strcspn(a, "\t");
		for (k = 0; k < s[1].info.n; k++) {
			const char *b = smap_str(&s[1].info, (uint32_t)k, NULL);

			if (strncmp(a, b, at + 1) == 0)
				warn("%.*s: %s in A, %s in B", (int)at, a,
				    a + at + 1, b + at + 1);
		}
	}
}

static void
notes(const struct model *m, const struct pairs *p)
{
	static const char *const names[] = { "name", "type" };
	uint64_t n[2] = { 0 }, outside = 0, left_out = 0;
	size_t i;
	int k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < 2; k++)
			n[k] += p->v[i].by != NULL &&
				strcmp(p->v[i].by, names[k]) == 0;
	for (i = 0; i < m->n_side; i++) {
		outside += m->side[i].outside;
		left_out += m->side[i].n - m->side[i].n_used;
	}
	stage_note("diff_by_name", n[0]);
	stage_note("diff_by_type", n[1]);
	stage_note("diff_outside", outside);
	stage_note("diff_steps_left_out", left_out);
	if (n[0] + n[1] > 0)
		warn("ops without a partner of the same key: rows matched by"
		     " name: %llu, by type: %llu (column by)",
		    (unsigned long long)n[0], (unsigned long long)n[1]);
}

static int
gate(const struct model *m, const struct pair *step, const struct how *how)
{
	double a = step->side[0].mean, d = step->side[1].mean - a;

	if (!how->gate || step->change != SLOWER || d <= how->fail_over * a)
		return EXIT_OK;
	warn("the %s became %.2f %% slower; --fail-over allows %g %%",
	    model_unit(m), 100 * d / a, 100 * how->fail_over);
	return EXIT_GATE;
}

/* Where to look: the ops on the GPU do not explain what the GPU waits for. */
static void
hint(const struct model *m, const struct pair *step, const struct pair *idle)
{
	double d = step->side[1].mean - step->side[0].mean;
	double more = idle->side[1].mean - idle->side[0].mean;

	if (step->change == SLOWER && 2 * more > d && !m->cpu)
		warn("the %s takes %.3f ms longer, and in it the GPU idles"
		     " %.3f ms longer: -v cpu compares the ops on the CPU",
		    model_unit(m), d / 1e6, more / 1e6);
}

int
compare(struct model *m, const struct how *how)
{
	struct pairs pairs = { 0 };
	struct pair step, idle;
	int rc;

	print_totals(m, how->noise, &step, &idle);
	hint(m, &step, &idle);
	if (m->by == BY_ITER) {
		print_iters(m, how->noise);
	} else {
		match_rows(&pairs, m, how->noise);
		print_pairs(m, &pairs, how->limit, how->noise);
	}
	rc = gate(m, &step, how);
	notes(m, &pairs);
	stage_note("gate_fired", rc == EXIT_GATE);
	match_free(&pairs);
	return rc;
}
