/* needs: cmd/dlp-iter/spool.o */
/* Items and their lines come out of the spool as they went in: from memory and
 * from files, looked at and played, again and again. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/dlp-iter/spool.h"
#include "err.h"

static uint64_t seed;

static uint64_t
draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Most times are near each other, some anywhere. */
static int64_t
some_time(void)
{
	switch (draw() % 8) {
	case 0:
		return NO_TIME;
	case 1:
		return INT64_MAX;
	case 2:
		return INT64_MIN + 1;
	case 3:
		return (int64_t)draw();
	}
	return 1700000000000000000 + (int64_t)(draw() % 100000);
}

/* Item number i, and its line. */
static void
make(struct iter_item *m, char *line, size_t i, size_t most)
{
	seed = 88172645463325252u + i * 2685821657736338717u;
	draw();
	memset(m, 0, sizeof(*m));
	m->kind = (enum iter_kind)(draw() % (IT_RANGEKERN + 1));
	m->len = m->iter_off = (uint32_t)(draw() % most);
	memset(line, 'a' + (int)(i % 26), m->len);
	if (m->len > 0)
		m->iter_off -= (uint32_t)(draw() % 3 == 0);
	if (m->iter_off != m->len)
		m->iter_len = (uint32_t)(draw() % 9);
	m->src = draw() % 9 == 0 ? SRC_NONE : (uint32_t)(draw() % 2);
	m->lane = (uint32_t)(draw() % 3);
	m->has_gpu = draw() % 2;
	m->t = some_time();
	m->now = draw() % 2 ? m->t : some_time();
	if (m->has_gpu) {
		m->lo = some_time();
		m->hi = some_time();
	}
}

struct check {
	size_t n, most;
};

static void
same(void *ctx, const struct iter_item *m, const char *line)
{
	static char want[1 << 20];
	struct check *c = ctx;
	struct iter_item x;

	make(&x, want, c->n++, c->most);
	assert(m->kind == x.kind && m->len == x.len);
	assert(m->iter_off == x.iter_off && m->iter_len == x.iter_len);
	assert(m->src == x.src && m->lane == x.lane);
	assert(m->t == x.t && m->now == x.now && m->has_gpu == x.has_gpu);
	assert(!m->has_gpu || (m->lo == x.lo && m->hi == x.hi));
	assert(line == NULL || memcmp(line, want, m->len) == 0);
}

static void
round_trip(struct spool *s, size_t n, size_t most)
{
	static char line[1 << 20];
	struct check c = { 0, most };
	struct iter_item m;
	size_t i;

	for (i = 0; i < n; i++) {
		make(&m, line, i, most);
		spool_put(s, &m, line);
	}
	for (i = 0; i < 2; i++) {
		c.n = 0;
		spool_play(s, true, same, &c);
		assert(c.n == n);
	}
	c.n = 0;
	spool_play(s, false, same, &c);
	assert(c.n == n);
}

int
main(void)
{
	struct spool *s = spool_new();

	err_prog("spool");
	round_trip(s, 0, 1);
	round_trip(s, 1000, 300);    /* memory */
	round_trip(s, 100, 1 << 20); /* lines in a file, longer than reads */
	round_trip(s, 1000000, 20);  /* both in files */
	round_trip(s, 10, 300);
	free(s);
	return 0;
}
