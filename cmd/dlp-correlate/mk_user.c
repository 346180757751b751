/*
 * The program's own ranges: layer names, step ranges, data loaders. Nothing
 * is an op here; every text is somebody's.
 */
#include "mk_parsers.h"

/* The word before the number that makes a range a step of a loop. */
static const char *const step_words[] = { "iteration", "iter", "itr", "step",
	"batch", "minibatch", "microbatch", "profilerstep", "step_num",
	"global_step", "train_step", "training_step" };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool
is_word(char c)
{
	c = lower(c);
	return (c >= 'a' && c <= 'z') || c == '_';
}

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* The text before the number without what separates the two. */
static const char *
word_end(const char *s, const char *e)
{
	while (e > s && is_one_of(e[-1], " #_:=-[(/"))
		e--;
	return e;
}

static bool
is_step_word(const char *s, const char *e)
{
	const char *p = e;
	size_t i, k, n;

	while (p > s && is_word(p[-1]))
		p--;
	n = (size_t)(e - p);
	for (i = 0; i < sizeof(step_words) / sizeof(step_words[0]); i++) {
		if (strlen(step_words[i]) != n)
			continue;
		for (k = 0; k < n && lower(p[k]) == step_words[i][k]; k++)
			;
		if (k == n)
			return true;
	}
	return false;
}

/* Where the number of a step range ends: before the closing brackets or the
 * total ("step 3/100") behind it. */
static const char *
number_end(const char *s, const char *e)
{
	const char *p;

	while (e > s && is_one_of(e[-1], " ])#"))
		e--;
	for (p = e; p > s && is_digit(p[-1]);)
		p--;
	if (p < e && p > s + 1 && p[-1] == '/' && is_digit(p[-2]))
		return p - 1;
	return e;
}

static void
step(struct marker *m)
{
	const char *s = m->name.s, *end = s + m->name.n;
	const char *e = number_end(s, end), *p = e;
	int64_t v = 0;

	while (p > s && is_digit(p[-1]))
		p--;
	if (p == e || e - p > 18 || !is_step_word(s, word_end(s, p)))
		return;
	m->step_pre = mv(s, p);
	m->step_post = mv(e, end);
	for (; p < e; p++)
		v = v * 10 + (*p - '0');
	m->step = v;
	m->flags |= MK_STEP;
}

/* layer:NAME, to the next colon, as PyProf reads it. */
static bool
layer(struct marker *m)
{
	const char *e = m->name.s + m->name.n, *p, *c;

	p = mv_find(m->name, "layer:");
	if (p == NULL)
		return false;
	p += 6;
	c = memchr(p, ':', (size_t)(e - p));
	m->kind = MK_LAYER;
	m->name = mv(p, c != NULL ? c : e);
	return true;
}

void
mk_user(struct marker *m)
{
	m->kind = MK_USER;
	if (m->name.n == 0 || layer(m))
		return;
	if (mv_starts(m->name, "enumerate(DataLoader)#") ||
	    (mv_starts(m->name, "[pl][") &&
		mv_find(m->name, "dataloader_next") != NULL))
		m->flags |= MK_DATALOADER;
	step(m);
}
