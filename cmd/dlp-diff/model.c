/* See model.h. */
#include "model.h"

#include <string.h>

#include "err.h"
#include "out.h"

struct side *
model_side(struct model *m, size_t i)
{
	if (i >= m->n_side) {
		m->side = xrealloc(m->side, i + 1, sizeof(*m->side));
		memset(m->side + m->n_side, 0,
		    (i + 1 - m->n_side) * sizeof(*m->side));
		m->n_side = i + 1;
	}
	return &m->side[i];
}

const char *
model_unit(const struct model *m)
{
	size_t i;

	for (i = 0; i < m->n_side; i++)
		if (m->side[i].cut)
			return "step";
	return "run";
}

void
model_put_text(const struct model *m, uint32_t id)
{
	size_t n = 0;
	const char *s = NULL;

	if (id != SMAP_NONE)
		s = smap_str(&m->rows.texts, id, &n);
	out_raw(s, n);
}
