/*
 * --dlprof. The key is that of -k, else that of a DLProf database, else the
 * framework's: global_step, but for PyTorch, JAX and simple mode, which have
 * none. The mode is known from the database, from the first op of PyTorch, or
 * at the end.
 */
#include <string.h>

#include "dl.h"
#include "esc.h"
#include "num.h"
#include "out.h"

#define DEFAULT_KEY "global_step"

static const char *const with_key[] = { "tensorflow1", "tensorflow2",
	"tensorrt" };
static const char *const without_key[] = { "pytorch", "pyprof", "dlprof" };

#define N(a) (sizeof(a) / sizeof((a)[0]))

void
dl_section(struct run *g)
{
	buf_clear(&g->dl.key);
	g->dl.tensorflow = g->dl.without = g->dl.no_key = false;
	g->dl.by_default = g->asked.key == NULL && !g->asked_one;
	g->dl.decided = !g->dl.by_default;
	g->from = g->asked.from;
	g->to = g->asked.to;
	g->filter = g->asked.filter;
	key_init(&g->key,
	    g->asked_one           ? NULL
	    : g->asked.key != NULL ? g->asked.key
				   : DEFAULT_KEY,
	    g->key.exact, true);
	g->key.dlprof = true;
}

static void
no_key(struct run *g)
{
	g->dl.decided = g->dl.no_key = true;
}

/* The key of a database, which can be none. */
static void
stored_key(struct run *g, const char *s, size_t n)
{
	if (g->dl.decided)
		return;
	if (n == 0 || (n == 1 && *s == '-')) {
		no_key(g);
		return;
	}
	buf_put(&g->dl.key, s, n);
	key_init(&g->key, buf_str(&g->dl.key), false, true);
	g->key.dlprof = true;
	g->dl.decided = true;
	g->dl.by_default = false;
}

static void
mode(struct run *g, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < N(with_key); i++)
		if (strlen(with_key[i]) == n && memcmp(with_key[i], s, n) == 0)
			g->dl.tensorflow = true;
	g->dl.without = !g->dl.tensorflow;
}

/* The range of a database holds if none and no other key is asked for. */
static void
stored_range(struct run *g, int64_t *v, const char *s, size_t n)
{
	int64_t x;

	if (g->asked.filter || g->asked.key != NULL || g->asked_one ||
	    !num_i64(s, n, &x) || x < 0)
		return;
	*v = x;
	g->filter = true;
}

bool
dl_meta(struct run *g, const char *line, size_t n)
{
	static const char *const own[] = { "key_op", "key_op_found",
		"iter_start", "iter_stop", "n_iter", "n_iter_aggregated" };
	const char *e = line + n, *s, *name = line + 7;
	size_t k, i;

	if (n < 7 || memcmp(line, "##info\t", 7) != 0)
		return false;
	s = memchr(name, '\t', (size_t)(e - name));
	if (s == NULL)
		return false;
	k = (size_t)(s++ - name);
	if (k == 4 && memcmp(name, "mode", 4) == 0)
		mode(g, s, (size_t)(e - s));
	for (i = 0; i < N(own); i++)
		if (strlen(own[i]) == k && memcmp(own[i], name, k) == 0)
			break;
	if (i == 0)
		stored_key(g, s, (size_t)(e - s));
	else if (i == 2)
		stored_range(g, &g->from, s, (size_t)(e - s));
	else if (i == 3)
		stored_range(g, &g->to, s, (size_t)(e - s));
	return i < N(own);
}

void
dl_op(struct run *g, const char *by)
{
	size_t i;

	if (g->dl.decided)
		return;
	for (i = 0; by != NULL && i < N(without_key); i++)
		g->dl.without |= strcmp(by, without_key[i]) == 0;
	if (g->dl.without)
		no_key(g);
}

bool
dl_has_key(struct run *g)
{
	return !g->one && (!g->dl.by_default || g->dl.tensorflow);
}

void
dl_infos(struct run *g, size_t n_iter)
{
	int64_t last = n_iter > 0 ? (int64_t)n_iter - 1 : 0;
	int64_t to = g->to < last ? g->to : last;
	int64_t from = g->filter ? g->from : 0;
	static struct buf key;
	bool found = false;
	size_t i;

	for (i = 0; i < g->files.n; i++)
		found |= g->files.v[i].found;
	buf_clear(&key);
	if (dl_has_key(g))
		esc_put(&key, g->key.arg, strlen(g->key.arg));
	out_meta("info", "key_op\t%s", buf_str(&key));
	out_meta("info", "key_op_found\t%s", found ? "yes" : "no");
	out_meta("info", "n_iter\t%zu", n_iter);
	out_meta("info", "n_iter_aggregated\t%lld",
	    (long long)(n_iter > 0 && to >= from ? to - from + 1 : 0));
	out_meta("info", "iter_start\t%lld", (long long)from);
	out_meta("info", "iter_stop\t%lld", (long long)to);
}
