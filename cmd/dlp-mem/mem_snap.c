/* Snapshots of PyTorch's memory; see mem_snap.h. */
#include "mem_snap.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "text_out.h"

/* In use, or, if it fails, asked for: addr is then what the device has free;
 * mapped as a segment, or as a part of one that grows. */
enum snap_what { SNAP_USE, SNAP_FAIL, SNAP_SEGMENT, SNAP_PART };

struct snap_event { /* on the tape */
	int64_t dev, t, bytes, place, addr;
	enum snap_what what;
};

#define MIB ((uint64_t)1 << 20)
#define EDGES_MOST 100000000 /* that are sorted, of all failures */

/* Free memory. A device's map has the edges of what is mapped and of what is in
 * use: the key is twice the address, and 1 more unless it ends a segment, as
 * the neighbour is a segment of its own. The value counts what begins there
 * less what ends: in use in the lower 32 bits, mapped in the upper ones. */

struct snap_edge {
	uint64_t at, n;
};

static void
put_edge(struct map *m, uint64_t at, uint64_t n)
{
	uint64_t *v = map_put(m, at, NULL);

	*v += n;
	if (*v == 0)
		map_del(m, at);
}

/* The event happens, or, times -1, is undone. */
static void
put_edges(struct map *m, const struct snap_event *e, int64_t times)
{
	uint64_t bytes =
	    e->bytes < 0 ? 0 - (uint64_t)e->bytes : (uint64_t)e->bytes;
	uint64_t n = (uint64_t)(e->bytes < 0 ? -times : times);
	uint64_t at = (uint64_t)e->addr * 2 + 1;

	if (e->what != SNAP_USE)
		n <<= 32;
	else
		bytes = (bytes + 511) / 512 * 512;
	put_edge(m, at, n);
	put_edge(m, at + bytes * 2 - (e->what == SNAP_SEGMENT), 0 - n);
}

static int
by_address(const void *a, const void *b)
{
	const struct snap_edge *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

struct snap_free { /* bytes; INT64_MIN: not known */
	int64_t mapped, all, largest;
};

/* What is mapped, what is not in use of that, and the largest piece. A block of
 * more than 1 MiB may have up to 1 MiB more than was asked for, unless its
 * segment can grow; segments of smaller ones are of 2 MiB. */
static struct snap_free
find_free(struct mem_snap *sn, const struct map *m)
{
	struct snap_free f = { INT64_MIN, INT64_MIN, INT64_MIN };
	struct snap_edge *e;
	uint64_t v = 0, from = 0, segment = 0, at;
	size_t it = 0, n = 0, i;
	bool open = false, now, mapped = false, tail = false;

	sn->n_edges += m->n;
	if (sn->n_edges > EDGES_MOST)
		return f;
	f.mapped = f.all = f.largest = 0;
	e = xcalloc(m->n + 1, sizeof(*e));
	while (map_next(m, &it, &e[n].at, &e[n].n))
		n++;
	qsort(e, n, sizeof(*e), by_address);
	for (i = 0; i < n; i++) {
		at = e[i].at / 2;
		v += e[i].n;
		now = (int64_t)(v + (UINT64_C(1) << 31)) >> 32 > 0;
		if (now && !mapped)
			segment = at;
		if (!now && mapped)
			f.mapped = num_add(f.mapped, (int64_t)(at - segment));
		if (!open)
			tail = mapped && !sn->grows;
		mapped = now;
		now &= (int32_t)v <= 0;
		if (open && !now &&
		    (!tail || at - from > MIB || at - segment <= 2 * MIB)) {
			f.all = num_add(f.all, (int64_t)(at - from));
			if ((int64_t)(at - from) > f.largest)
				f.largest = (int64_t)(at - from);
		}
		if (now && !open)
			from = at;
		open = now;
	}
	free(e);
	return f;
}

/* Records in. */

static uint32_t
name_of(struct mem_snap *sn, struct mview v)
{
	return smap_put_view(sn->names, v);
}

static void
read_place(struct stage *st, struct rec *r)
{
	struct mem_snap *sn = rec_arg(r);
	struct snap_place p;
	int64_t id;

	stage_pass(st, r);
	if (!rec_num(r, COL_id, &id))
		return;
	buf_clear(&sn->json);
	rec_add_raw(&sn->json, r, COL_file);
	rec_add_raw(&sn->json, r, COL_line);
	rec_add_raw(&sn->json, r, COL_function);
	p.line = smap_put(sn->names, sn->json.s, sn->json.len, NULL);
	p.kind = name_of(sn, rec_get(r, COL_kind));
	p.stack = name_of(sn, rec_get(r, COL_stack));
	*map_put(&sn->places, (uint64_t)id, NULL) = sn->n_place;
	ARRAY_GROW(sn->place, sn->n_place, sn->place_cap);
	sn->place[sn->n_place++] = p;
}

#define DEVICES_MAX 4096

static struct map *
edges_of(struct mem_snap *sn, int64_t dev)
{
	if (dev < 0 || dev >= DEVICES_MAX)
		dev = 0;
	ARRAY_REACH(sn->edges, sn->n_edges_of, dev);
	return &sn->edges[dev];
}

static void
read_block(struct stage *st, struct rec *r)
{
	struct mem_snap *sn = rec_arg(r);
	struct snap_block b;

	stage_pass(st, r);
	if (!mv_eq(rec_get(r, COL_state), "active_allocated") ||
	    !rec_num(r, COL_addr, &b.addr))
		return;
	b.dev = rec_num_or(r, COL_dev, 0);
	b.bytes =
	    rec_num_or(r, COL_requested_bytes, rec_num_or(r, COL_bytes, 0));
	b.place = rec_num_or(r, COL_place, 0);
	ARRAY_GROW(sn->block, sn->n_block, sn->block_cap);
	sn->block[sn->n_block++] = b;
	put_edges(edges_of(sn, b.dev),
	    &(struct snap_event){ .addr = b.addr, .bytes = b.bytes }, 1);
}

/* What happens is undone at once, so that with what there is at the end the
 * edges are those of the beginning. */
static void
put_event(struct mem_snap *sn, const struct snap_event *e)
{
	tape_put(&sn->events, (const char *)e, sizeof(*e));
	if (e->what != SNAP_FAIL)
		put_edges(edges_of(sn, e->dev), e, -1);
}

/* A change of what is mapped, or, without op, what is mapped at the end. */
static void
read_segment(struct stage *st, struct rec *r)
{
	struct mem_snap *sn = rec_arg(r);
	struct mview op = rec_get(r, COL_op);
	bool grows = rec_num_or(r, COL_expandable, 0) != 0;
	struct snap_event e = { .dev = rec_num_or(r, COL_dev, 0),
		.bytes = rec_num_or(r, COL_bytes, 0),
		.addr = rec_num_or(r, COL_addr, 0),
		.what =
		    grows || mv_ends(op, "map") ? SNAP_PART : SNAP_SEGMENT };

	stage_pass(st, r);
	sn->grows |= grows;
	if (mv_eq(op, "free") || mv_eq(op, "unmap"))
		e.bytes = num_sub(0, e.bytes);
	if (op.s != NULL)
		put_event(sn, &e);
	else
		put_edges(edges_of(sn, e.dev), &e, 1);
}

static void
read_oom(struct stage *st, struct rec *r)
{
	struct mem_snap *sn = rec_arg(r);

	(void)st;
	if (sn->failed == NULL)
		sn->failed = out_type_reg("oom", NULL);
	put_event(
	    sn, &(struct snap_event){ rec_num_or(r, COL_dev, 0),
		    rec_num_or(r, COL_start_ns, INT64_MIN),
		    rec_num_or(r, COL_bytes, 0), rec_num_or(r, COL_place, 0),
		    rec_num_or(r, COL_free_bytes, INT64_MIN), SNAP_FAIL });
}

/* The ends of steps: those of the profiler, otherwise of an optimizer, which is
 * the first one if there are several. */
static void
read_stage(struct stage *st, struct rec *r)
{
	static const char *const steps[] = { "Optimizer.step#",
		"ProfilerStep#" };
	struct mem_snap *sn = rec_arg(r);
	struct mview text = rec_get(r, COL_text);
	struct snap_stage g = { .name = name_of(sn, text) };
	int class = 2;

	stage_pass(st, r);
	while (class > 0 && !mv_starts(text, steps[class - 1]))
		class --;
	if (class == 0 || class < sn->stage_class ||
	    !mv_eq(rec_get(r, COL_stage), "END") ||
	    !rec_num(r, COL_start_ns, &g.t))
		return;
	if (class > sn->stage_class)
		sn->n_stage = 0;
	sn->stage_class = class;
	if (class == 1 && sn->n_stage > 0 && sn->stage[0].name != g.name)
		return;
	ARRAY_GROW(sn->stage, sn->n_stage, sn->stage_cap);
	sn->stage[sn->n_stage++] = g;
}

void
snap_listen(struct stage *st, struct mem_snap *sn, struct smap *names)
{
	static const char *const added[] = { "peak_bytes", "peak_ns",
		"before_bytes", "n_before", "held", "oom" };

	sn->names = names;
	sn->events = TAPE_NEW;
	sn->ext = out_ext(added, (int)ARRAY_LEN(added));
	sn->held = out_type_reg("held", NULL);
	sn->grown = out_type_reg("grown", NULL);
	sn->step = out_type_reg("memstep", NULL);
	stage_on(st, "place", read_place, .need = "id",
	    .opt = "file line function kind stack", .arg = sn);
	stage_on(st, "block", read_block, .need = "addr",
	    .opt = "dev bytes requested_bytes state place", .arg = sn);
	stage_on(st, "segmem seg", read_segment, .need = "bytes",
	    .opt = "op dev addr expandable", .arg = sn);
	stage_on(st, "oom", read_oom, .need = "bytes",
	    .opt = "start_ns dev free_bytes place", .legend = stage_drop,
	    .arg = sn);
	stage_on(st, "memstage", read_stage, .need = "start_ns stage text",
	    .arg = sn);
}

static const struct snap_place *
place_at(const struct mem_snap *sn, int64_t place)
{
	const uint64_t *no = map_get(&sn->places, (uint64_t)place);

	return no != NULL ? &sn->place[*no] : NULL;
}

uint32_t
snap_kind(const struct mem_snap *sn, int64_t place)
{
	const struct snap_place *p = place_at(sn, place);

	return p != NULL ? p->kind : SMAP_NONE;
}

uint32_t
snap_kind_freed(struct mem_snap *sn, uint32_t kind, int64_t place)
{
	struct mview v = smap_view(sn->names, kind);
	struct mview by = smap_view(sn->names, snap_kind(sn, place));

	if (mv_eq(v, "optimizer state") && mv_eq(by, "optimizer state"))
		return name_of(sn, (struct mview){ "other", 5 });
	if (mv_eq(v, "other") && mv_eq(by, "gradients"))
		return name_of(sn, (struct mview){ "activations", 11 });
	return kind;
}

void
snap_change(struct mem_snap *sn, int64_t dev, int64_t t, int64_t addr,
    int64_t bytes, int64_t place)
{
	struct snap_event e = { dev, t, bytes, place, addr, SNAP_USE };

	put_event(sn, &e);
}

/* What was in use at the peak. */

static void
add_up(struct mem_snap *sn, uint32_t kind, uint32_t line, uint32_t stack,
    int64_t bytes, int64_t count)
{
	uint32_t key[3] = { kind, line, stack }, no;
	bool fresh;

	no = smap_put(&sn->keys, (const char *)key, sizeof(key), &fresh);
	if (fresh) {
		ARRAY_GROW(sn->sum, sn->n_sum, sn->sum_cap);
		sn->sum[sn->n_sum++] =
		    (struct snap_sum){ kind, line, stack, 0, 0 };
	}
	sn->sum[no].bytes = num_add(sn->sum[no].bytes, bytes);
	sn->sum[no].count += count;
}

void
snap_hold(struct mem_snap *sn, uint32_t kind, int64_t place, int64_t bytes,
    int64_t count)
{
	const struct snap_place *p = place_at(sn, place);

	add_up(sn, kind, p != NULL ? p->line : SMAP_NONE,
	    p != NULL ? p->stack : SMAP_NONE, bytes, count);
}

static int
by_bytes(const void *a, const void *b)
{
	const struct snap_sum *x = a, *y = b;

	if (x->bytes != y->bytes)
		return (x->bytes < y->bytes) - (x->bytes > y->bytes);
	return (x->line > y->line) - (x->line < y->line);
}

static void
put_line(const struct mem_snap *sn, uint32_t line)
{
	struct mview v = smap_view(sn->names, line);

	if (v.s != NULL)
		out_fields(v.s, v.n);
	else
		out_unsets(3);
}

static void
put_kind(const struct mem_snap *sn, uint32_t kind)
{
	if (kind == SMAP_NONE)
		out_word("other");
	else
		out_view(smap_view(sn->names, kind));
}

static void
add_line(struct buf *b, struct mview line)
{
	static const char *const part[] = { "file", "line", "function" };
	const char *s = line.s, *e;
	size_t i;

	for (i = 0; i < ARRAY_LEN(part); i++, s = e) {
		buf_printf(b, ",\"%s\":", part[i]);
		e = s;
		if (s != NULL)
			for (e = ++s; e < line.s + line.n && *e != '\t'; e++)
				;
		if (s == NULL || (e - s == 1 && *s == '-'))
			buf_puts(b, "null");
		else if (i == 1)
			buf_put(b, s, (size_t)(e - s));
		else
			json_quote_field(
			    b, s, (size_t)(e - s), TEXT_JSON_BYTES);
	}
}

/* A row of the column held. */
static void
add_row(struct mem_snap *sn, const struct snap_sum *u)
{
	struct mview kind = smap_view(sn->names, u->kind);
	struct buf *b = &sn->json;

	buf_puts(b, b->len > 1 ? ",{\"kind\":" : "{\"kind\":");
	json_quote(b, kind.s != NULL ? kind.s : "other",
	    kind.s != NULL ? kind.n : 5, TEXT_JSON_BYTES);
	add_line(b, smap_view(sn->names, u->line));
	buf_printf(b, ",\"bytes\":%lld,\"count\":%lld}", (long long)u->bytes,
	    (long long)u->count);
}

/* The rows of held, by stack, and the sums by line as JSON. */
static void
put_held(struct mem_snap *sn, struct rec *r, const struct snap_peak *p,
    struct snap_sum *all, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		add_up(sn, all[i].kind, all[i].line, SMAP_NONE, all[i].bytes,
		    all[i].count);
	if (sn->n_sum > 0)
		qsort(sn->sum, sn->n_sum, sizeof(*sn->sum), by_bytes);
	buf_clear(&sn->json);
	buf_putc(&sn->json, '[');
	for (i = 0; i < sn->n_sum; i++)
		add_row(sn, &sn->sum[i]);
	buf_putc(&sn->json, ']');
	out_ext_begin(sn->ext, r);
	out_opt(p->any, p->peak); /* what only ends has no history */
	out_opt(p->any && p->start != INT64_MIN, p->start);
	out_i64(p->before);
	out_i64(p->n_before);
	out_text(sn->json.s, sn->json.len);
	out_text(sn->failures.s, sn->failures.len);
	out_ext_end(sn->ext, r);
	if (n > 0)
		qsort(all, n, sizeof(*all), by_bytes);
	for (i = 0; i < n; i++) {
		out_rec(sn->held);
		out_i64(p->dev);
		put_kind(sn, all[i].kind);
		put_line(sn, all[i].line);
		out_i64(all[i].bytes);
		out_i64(all[i].count);
		out_view(smap_view(sn->names, all[i].stack));
		out_end();
	}
	free(all);
	sn->n_sum = 0;
	smap_clear(&sn->keys);
}

/* Steps. */

struct snap_grow { /* of a place, at the ends of steps */
	int64_t now, last, second;
	int64_t grew; /* steps */
};

struct snap_walk {              /* through the events of a device */
	struct snap_grow *grow; /* by place */
	int64_t used, last, peak, step;
	bool optimizer; /* the newest allocation is of one */
};

static void
end_step(struct mem_snap *sn, struct snap_walk *w, int64_t dev, int64_t t,
    uint32_t name)
{
	struct snap_grow *g;
	int64_t most = 0;
	uint32_t line = SMAP_NONE;
	size_t i;

	for (i = 0; i < sn->n_place; i++) {
		g = &w->grow[i];
		if (w->step > 0 && num_sub(g->now, g->last) > most) {
			most = g->now - g->last;
			line = sn->place[i].line;
		}
		g->grew += w->step > 1 && g->now > g->last;
		if (w->step == 1)
			g->second = g->now;
		g->last = g->now;
	}
	out_rec(sn->step);
	out_i64(dev);
	out_i64(w->step++);
	out_view(smap_view(sn->names, name));
	out_opt(t != INT64_MIN, t);
	out_i64(w->peak);
	out_i64(w->used);
	out_opt(w->step > 1, num_sub(w->used, w->last));
	put_line(sn, line);
	out_end();
	w->last = w->peak = w->used;
}

/* An allocation that failed: its record, and a row of the column oom. */
static void
put_failure(struct mem_snap *sn, const struct snap_event *e, int64_t used)
{
	static const char *const part[] = { "start_ns", "dev", "bytes",
		"free_bytes", "place", "reserved_bytes", "used_bytes",
		"cached_bytes", "largest_bytes" };
	struct snap_free f = find_free(sn, edges_of(sn, e->dev));
	const int64_t v[] = { e->t, e->dev, e->bytes, e->addr, e->place,
		f.mapped, used, f.all, f.largest };
	const struct snap_place *p = place_at(sn, e->place);
	uint32_t line = p != NULL ? p->line : SMAP_NONE;
	struct buf *b = &sn->failures;
	size_t i;

	buf_puts(b, b->len > 1 ? ",{" : "{");
	out_rec(sn->failed);
	for (i = 0; i < ARRAY_LEN(part); i++) {
		buf_printf(b, i > 0 ? ",\"%s\":" : "\"%s\":", part[i]);
		out_opt(v[i] != INT64_MIN, v[i]);
		if (v[i] != INT64_MIN)
			buf_i64(b, v[i]);
		else
			buf_puts(b, "null");
	}
	put_line(sn, line);
	out_end();
	add_line(b, smap_view(sn->names, line));
	buf_putc(b, '}');
}

static void
put_steps(struct mem_snap *sn, const struct snap_peak *p)
{
	struct snap_walk w = { .used = p->before, .peak = p->before };
	struct snap_event e;
	size_t next = 0, n, i;
	char *s;
	uint64_t *no;
	bool optimizer;
	const struct snap_sum *u;

	w.grow = xcalloc(sn->n_place + 1, sizeof(*w.grow));
	tape_rewind(&sn->events);
	for (;;) {
		s = tape_at(&sn->events, sizeof(e), &n);
		if (n < sizeof(e))
			break;
		memcpy(&e, s, sizeof(e));
		tape_skip(&sn->events, sizeof(e));
		if (e.dev != p->dev)
			continue;
		if (e.what == SNAP_FAIL)
			put_failure(sn, &e, w.used);
		else if (sn->failed != NULL)
			put_edges(edges_of(sn, e.dev), &e, 1);
		if (e.what != SNAP_USE)
			continue;
		for (; next < sn->n_stage && sn->stage[next].t < e.t; next++)
			end_step(sn, &w, p->dev, sn->stage[next].t,
			    sn->stage[next].name);
		no = map_get(&sn->places, (uint64_t)e.place);
		if (sn->n_stage == 0 && no != NULL && e.bytes > 0) {
			/* without annotations a step ends with its optimizer */
			optimizer =
			    mv_eq(smap_view(sn->names, sn->place[*no].kind),
				"optimizer state");
			if (w.optimizer && !optimizer)
				end_step(sn, &w, e.dev, e.t, SMAP_NONE);
			w.optimizer = optimizer;
		}
		w.used = num_add(w.used, e.bytes);
		w.peak = w.used > w.peak ? w.used : w.peak;
		if (no != NULL)
			w.grow[*no].now = num_add(w.grow[*no].now, e.bytes);
	}
	for (; w.step > 0 && next < sn->n_stage; next++)
		end_step(
		    sn, &w, p->dev, sn->stage[next].t, sn->stage[next].name);
	if (w.step > 2) {
		for (i = 0; i < sn->n_place; i++)
			if (w.grow[i].grew > 0)
				add_up(sn, sn->place[i].kind, sn->place[i].line,
				    SMAP_NONE,
				    w.grow[i].last - w.grow[i].second,
				    w.grow[i].grew);
		if (sn->n_sum > 0)
			qsort(sn->sum, sn->n_sum, sizeof(*sn->sum), by_bytes);
		for (i = 0; i < sn->n_sum; i++) {
			u = &sn->sum[i];
			if (u->bytes <= 0 || u->count * 2 < w.step - 2)
				continue;
			out_rec(sn->grown);
			out_i64(p->dev);
			put_kind(sn, u->kind);
			put_line(sn, u->line);
			out_i64(u->bytes);
			out_i64(u->count < w.step - 2 ? u->count : w.step - 2);
			out_i64(w.step - 2);
			out_end();
		}
		sn->n_sum = 0;
		smap_clear(&sn->keys);
	}
	free(w.grow);
}

void
snap_device(struct mem_snap *sn, struct rec *r, const struct snap_peak *peak)
{
	struct snap_sum *held = sn->sum;
	size_t n = sn->n_sum;

	sn->sum = NULL;
	sn->n_sum = sn->sum_cap = 0;
	smap_clear(&sn->keys);
	buf_clear(&sn->failures);
	buf_putc(&sn->failures, '[');
	put_steps(sn, peak);
	buf_putc(&sn->failures, ']');
	put_held(sn, r, peak, held, n);
}

void
snap_forget(struct mem_snap *sn)
{
	while (sn->n_edges_of > 0)
		map_free(&sn->edges[--sn->n_edges_of]);
	map_free(&sn->places);
	smap_free(&sn->keys);
	free(sn->place);
	free(sn->block);
	free(sn->stage);
	free(sn->edges);
	buf_free(&sn->failures);
	free(sn->sum);
	buf_free(&sn->json);
	tape_free(&sn->events);
	*sn = (struct mem_snap){ .names = sn->names,
		.events = TAPE_NEW,
		.ext = sn->ext,
		.held = sn->held,
		.grown = sn->grown,
		.step = sn->step,
		.failed = sn->failed };
}
