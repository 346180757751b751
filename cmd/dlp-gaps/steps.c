/* Where the steps lie; see steps.h. */
#include "steps.h"

#include "err.h"

void
steps_cut(struct steps *s, int64_t at, int64_t iter, bool dropped)
{
	struct step *last = s->n > 0 ? &s->v[s->n - 1] : NULL;
	struct step x = { .at = at, .iter = iter, .where = W_STEP };

	if (iter < 0 && !dropped && last != NULL && last->where != W_OUT) {
		x.where = W_BEHIND;
		x.iter = last->iter;
	} else if (iter < 0)
		x.where = W_OUT;
	if (s->v == NULL || s->n == s->cap) {
		s->cap = s->cap > 0 ? 2 * s->cap : 64;
		s->v = xrealloc(s->v, s->cap, sizeof(*s->v));
	}
	s->v[s->n++] = x;
}

void
steps_work(struct steps *s, int64_t t)
{
	if (!s->any_work || t > s->work_end)
		s->work_end = t;
	s->any_work = true;
}

struct part
steps_at(const struct steps *s, int64_t t)
{
	struct part p = { W_OUT, -1, INT64_MAX };
	size_t i = s->n;

	while (i > 0 && s->v[i - 1].at > t)
		p.end = s->v[--i].at;
	if (i == 0)
		return p;
	p.where = s->v[i - 1].where;
	p.iter = s->v[i - 1].iter;
	if (p.where != W_BEHIND)
		return p;
	if (i < s->n) /* something of the loop follows */
		p.where = W_STEP;
	else if (s->any_work && s->work_end > t) {
		p.where = W_STEP;
		p.end = s->work_end;
	}
	return p;
}

bool
steps_begin(const struct steps *s, int64_t *t)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].where != W_OUT) {
			*t = s->v[i].at;
			return *t != INT64_MIN;
		}
	return false;
}

bool
steps_end(const struct steps *s, int64_t *t, int64_t *iter)
{
	size_t i = s->n;

	while (i > 0 && s->v[i - 1].where == W_OUT)
		i--;
	if (i == 0 || (i == s->n && s->v[i - 1].where == W_STEP))
		return false;
	*iter = s->v[i - 1].iter;
	*t = s->v[i < s->n ? i : i - 1].at;
	if (i == s->n && s->any_work && s->work_end > *t)
		*t = s->work_end;
	return true;
}
