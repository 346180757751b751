/*
 * dlp-carry: gives GPU work without an op that of its counterpart, the same
 * launch in a step that was recorded with ranges of ops. The input is read
 * twice: first the launches, then, with what was found for them, the records.
 */
#define _GNU_SOURCE /* splice() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "dlp-carry/carry.h"
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "spill.h"
#include "stage.h"

#define UNMARKED_LEAST                                                         \
	8 /* launches without an op that are a step without                    \
	   * them, not what a step does outside of ops */

/* What kernels name: an op, a product inside it, and the result of its run. */
enum carry_kind { OP, PRIM, RESULT, KINDS };
static const struct {
	const char *tag;
	int id;
} kinds[KINDS] = { { "op", COL_op_id }, { "prim", COL_prim_id },
	{ "result", COL_prim_run } };

struct carry_as {     /* what an op is in this stream */
	uint32_t sec; /* the section that it was written in, + 1 */
	int64_t id;   /* its own; as written */
};

struct carry_op { /* such a record, its legend, and what became of it */
	struct mview line;
	uint32_t legend;
	struct carry_as as;
	enum carry_kind kind;
	int64_t place;
};

/* What is carried over, escaped, as views into texts; and the columns of it. */
static const int texts_of[] = { COL_mod, COL_op, COL_dir, COL_layer,
	COL_phase };

struct carry_cols {
	uint32_t op, plain; /* the op; the same one whatever its sizes are */
	struct mview v[ARRAY_LEN(texts_of)];
};

struct carry_plain { /* an op whatever its sizes are */
	uint32_t op; /* one with sizes */
	bool many;   /* there are others */
	struct carry_as as;
};

struct carry_side { /* a stream, read for its launches */
	uint32_t n_sec;
	struct smap threads; /* section, file, process, thread */
	struct carry_seq *seq;
	size_t n_seq, seq_cap;
	int64_t max_op, max_run;
};

struct carry_pos {       /* on a thread */
	size_t next;     /* launch */
	uint32_t mate;   /* of the last one that has one */
	struct map runs; /* of the template -> their new ids, on the way through
			  * a step */
};

struct carry {
	const char *from;
	struct carry_side self, other, *marked;
	struct smap words;  /* names, and grids with blocks */
	struct smap texts;  /* fields of what is carried */
	struct smap tuples; /* what is carried, as text */
	struct carry_cols *cols;
	size_t n_cols, cols_cap;
	struct smap op_at; /* section and kind, and id */
	struct carry_op *op;
	size_t n_op, op_cap;
	struct smap legends;
	struct smap plain_at;
	struct carry_plain *plain;
	size_t n_plain, plain_cap;
	struct store lines;
	struct carry_template tmpl;
	/* the second time */
	uint32_t sec;
	struct carry_pos *pos; /* by thread */
	size_t n_pos;
	int64_t next_id, next_run;
	struct rec_type *type[KINDS]; /* of this stream */
	uint32_t legend_of[KINDS];    /* the section that it was written in */
	uint32_t own_legend[KINDS];   /* the section that has one of its own */
	uint64_t n_carried, n_without;
	int64_t ns, range_ns, carried_ns; /* of GPU work */
	struct buf key;
};

/* The sequence of the thread that launched the record's work. */
static uint32_t
thread_of(
    struct carry *c, struct carry_side *s, const struct rec *r, uint32_t sec)
{
	struct mview src = rec_get(r, COL_src);
	bool fresh;
	uint32_t i;

	buf_clear(&c->key);
	buf_i64(&c->key, sec);
	buf_c_i64(&c->key, ' ', rec_num_or(r, COL_pid, -1));
	buf_c_i64(&c->key, ' ', rec_num_or(r, COL_tid, -1));
	if (src.s != NULL)
		buf_put(&c->key, src.s, src.n);
	i = smap_put(&s->threads, c->key.s, c->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(s->seq, s->n_seq, s->seq_cap);
		s->seq[s->n_seq++] = (struct carry_seq){ 0 };
		s->threads.val[i] = sec;
	}
	return i;
}

static void
add_field(struct buf *b, struct mview v)
{
	buf_putc(b, '\t');
	buf_put(b, v.s != NULL ? v.s : "-", v.s != NULL ? v.n : 1);
}

/* The number of an op whatever its sizes are: of its names, as they are in the
 * record of the op. */
static uint32_t
plain_of(struct carry *c, const struct rec *r, uint32_t op)
{
	struct carry_plain *p;
	bool fresh;
	uint32_t i;
	size_t k;

	buf_clear(&c->key);
	for (k = 0; k < ARRAY_LEN(texts_of) && texts_of[k] != COL_phase; k++)
		add_field(&c->key, rec_get(r, texts_of[k]));
	i = smap_put(&c->plain_at, c->key.s, c->key.len, &fresh);
	if (fresh) {
		ARRAY_GROW(c->plain, c->n_plain, c->plain_cap);
		c->plain[c->n_plain++] = (struct carry_plain){ .op = op };
	}
	p = &c->plain[i];
	p->many = p->many || p->op != op;
	return i;
}

static int64_t
place(uint32_t sec, enum carry_kind kind)
{
	return (int64_t)sec * KINDS + kind;
}

/* The number + 1 of what is carried from this record; 0 if it has no op. */
static uint32_t
columns_of(struct carry *c, const struct rec *r, uint32_t sec)
{
	struct carry_cols x = { 0 };
	int64_t id;
	bool fresh;
	uint32_t i;
	size_t k;

	if (rec_get(r, COL_why).s != NULL || rec_get(r, COL_op).s == NULL ||
	    !rec_num(r, COL_op_id, &id))
		return 0;
	x.op = smap_find_pair(&c->op_at, place(sec, OP), id);
	if (x.op == SMAP_NONE)
		return 0;
	buf_clear(&c->key);
	buf_i64(&c->key, x.op);
	for (k = 0; k < ARRAY_LEN(texts_of); k++)
		add_field(&c->key, rec_get(r, texts_of[k]));
	i = smap_put(&c->tuples, c->key.s, c->key.len, &fresh);
	if (!fresh)
		return i + 1;
	x.plain = plain_of(c, r, x.op);
	for (k = 0; k < ARRAY_LEN(texts_of); k++) {
		x.v[k] = rec_get(r, texts_of[k]);
		if (x.v[k].s != NULL)
			x.v[k] = smap_view(
			    &c->texts, smap_put_view(&c->texts, x.v[k]));
	}
	ARRAY_GROW(c->cols, c->n_cols, c->cols_cap);
	c->cols[c->n_cols++] = x;
	return i + 1;
}

static uint32_t
word_of(struct carry *c, const char *tag, struct mview a, struct mview b)
{
	buf_clear(&c->key);
	buf_puts(&c->key, tag);
	add_field(&c->key, a);
	add_field(&c->key, b);
	return smap_put(&c->words, c->key.s, c->key.len, NULL);
}

static void
greatest(int64_t *max, const struct rec *r, int col)
{
	int64_t v;

	if (rec_num(r, col, &v) && v > *max)
		*max = v;
}

static void
take_launch(
    struct carry *c, struct carry_side *s, const struct rec *r, uint32_t sec)
{
	const char *tag = rec_type_tag(r->type);
	struct carry_launch x = { 0 };
	struct mview none = { NULL, 0 };
	uint32_t seq = thread_of(c, s, r, sec);
	int64_t prim;

	if (*tag == 'k') {
		x.name = word_of(c, tag, rec_get(r, COL_short), none);
		x.geo =
		    word_of(c, "", rec_get(r, COL_grid), rec_get(r, COL_block));
	} else {
		x.name = word_of(c, tag, rec_get(r, COL_kind), none);
		x.geo = word_of(c, "", rec_get(r, COL_bytes), none);
	}
	x.ops = columns_of(c, r, sec);
	if (x.ops != 0) {
		x.plain = c->cols[x.ops - 1].plain;
		x.run = (uint32_t)rec_num_or(r, COL_inst_id, 0);
	}
	if (x.ops != 0 && rec_num(r, COL_prim_id, &prim)) {
		x.prim = smap_find_pair(&c->op_at, place(sec, PRIM), prim) + 1;
		x.prim_run = (uint32_t)rec_num_or(r, COL_prim_run, 0);
	}
	greatest(&s->max_run, r, COL_prim_run);
	seq_put(&s->seq[seq], &x);
}

static void
take_op(struct carry *c, struct carry_side *s, const struct rec *r,
    enum carry_kind kind, uint32_t legend, uint32_t sec)
{
	struct carry_op *op;
	int64_t id;
	char *line;
	bool fresh;

	greatest(kind == RESULT ? &s->max_run : &s->max_op, r, kinds[kind].id);
	if (s != c->marked || !rec_num(r, kinds[kind].id, &id))
		return;
	smap_put_pair(&c->op_at, place(sec, kind), id, &fresh);
	if (!fresh)
		return;
	line = store_text(&c->lines, r->len);
	memcpy(line, r->line, r->len);
	ARRAY_GROW(c->op, c->n_op, c->op_cap);
	op = &c->op[c->n_op++];
	*op = (struct carry_op){ { line, r->len }, legend, { 0, id }, kind,
		place(sec, kind) };
}

static const char *const tags[] = { "kern", "copy", "set" };

/* What is read of a launch. */
#define LAUNCH_NEED "op_id op why"
#define LAUNCH_OPT                                                             \
	"short grid block kind bytes pid tid src inst_id mod dir layer phase"  \
	" prim_id prim_run"

/* Reads a stream for its launches. Only the ops of the marked one count. */
static void
read_side(struct carry *c, struct carry_side *s, const char *path)
{
	struct rec_reader *rd = rec_open(path);
	struct rec_type *inst = rec_type(rd, "inst");
	struct rec_type *type[KINDS];
	uint32_t legend[KINDS] = { 0 };
	struct rec r;
	size_t i;

	rec_quiet(rd);
	for (i = 0; i < ARRAY_LEN(tags); i++) {
		rec_want(rec_type(rd, tags[i]), REC_NEED, LAUNCH_NEED);
		rec_want(rec_type(rd, tags[i]), REC_OPT, LAUNCH_OPT);
	}
	for (i = 0; i < KINDS; i++) {
		type[i] = rec_type(rd, kinds[i].tag);
		rec_want(type[i], REC_NEED, col_name(kinds[i].id));
	}
	rec_want(inst, REC_OPT, "inst_id");
	while (rec_next(rd, &r)) {
		if (r.kind == REC_SECTION || s->n_sec == 0)
			s->n_sec++;
		for (i = 0; i < KINDS && r.type != type[i]; i++)
			continue;
		if (i < KINDS && r.kind == REC_LEGEND)
			legend[i] = smap_put(&c->legends, r.line, r.len, NULL);
		else if (i < KINDS && r.kind == REC_DATA)
			take_op(c, s, &r, i, legend[i], s->n_sec);
		else if (r.type == inst && r.kind == REC_DATA)
			greatest(&s->max_run, &r, COL_inst_id);
		else if (r.type != NULL && r.kind == REC_DATA)
			take_launch(c, s, &r, s->n_sec);
	}
	rec_close(rd);
}

/* How many launches from i on have no op, if they are a step without ops. */
static size_t
unmarked(const struct carry_seq *q, size_t i)
{
	size_t end;

	for (end = i; end < q->n && q->v[end].ops == 0; end++)
		;
	return end - i >= UNMARKED_LEAST || end - i == q->n ? end - i : 0;
}

/* The template of a section: what has ops on each of its threads. sec 0: of all
 * sections. */
static void
make_template(struct carry *c, uint32_t sec)
{
	const struct carry_seq *q;
	size_t i, k, end;

	template_free(&c->tmpl);
	for (k = 0; k < c->marked->n_seq; k++) {
		q = &c->marked->seq[k];
		if (sec != 0 && c->marked->threads.val[k] != sec)
			continue;
		for (i = 0; i < q->n; i = end) {
			end = i + unmarked(q, i);
			if (end > i)
				continue;
			for (; end < q->n && unmarked(q, end) == 0; end++)
				;
			template_add(&c->tmpl, q->v + i, end - i);
		}
	}
	template_ready(&c->tmpl);
}

static void
begin_carry(struct stage *st)
{
	struct carry *c = st->ctx;
	struct carry_seq *q;
	size_t i, k, n;

	c->sec++;
	c->n_carried = c->n_without = 0;
	c->ns = c->range_ns = c->carried_ns = 0;
	c->next_id = num_add(c->self.max_op, 1);
	c->next_run = num_add(c->self.max_run, 1);
	if (c->marked == &c->self || c->sec == 1)
		make_template(c, c->marked == &c->self ? c->sec : 0);
	for (k = 0; k < c->self.n_seq; k++) {
		q = &c->self.seq[k];
		if (c->self.threads.val[k] != c->sec)
			continue;
		for (i = 0; i<q->n; i += n> 0 ? n : 1) {
			n = q->v[i].ops == 0 ? unmarked(q, i) : 0;
			if (n > 0)
				carry_align(&c->tmpl, q->v, i, i + n);
		}
	}
}

/* The field of this name in a line, by its legend; "-" if there is none. */
static struct mview
field_by_name(struct mview legend, struct mview line, const char *name)
{
	const char *l = legend.s, *le = l + legend.n, *v = line.s;
	const char *ve = v + line.n, *next, *end;
	size_t n = strlen(name);

	for (; l < le && v < ve; l = next + 1, v = end + 1) {
		next = memchr(l, '\t', (size_t)(le - l));
		next = next != NULL ? next : le;
		end = memchr(v, '\t', (size_t)(ve - v));
		end = end != NULL ? end : ve;
		if ((size_t)(next - l) == n && memcmp(l, name, n) == 0)
			return (struct mview){ v, (size_t)(end - v) };
	}
	return (struct mview){ "-", 1 };
}

/* Without sizes the key of an op is its name and direction. */
static void
put_plain_key(struct buf *line, struct mview legend, struct mview op)
{
	struct mview name = field_by_name(legend, op, "name");
	struct mview dir = field_by_name(legend, op, "dir");

	buf_put(line, name.s, name.n);
	buf_putc(line, '|');
	if (dir.n != 1 || dir.s[0] != '-')
		buf_put(line, dir.s, dir.n);
	buf_putc(line, '|');
}

static int64_t write_op(struct carry *c, uint32_t no, bool plain);

/* Another op that an op refers to, by its number in its own stream. */
static int64_t
write_other(struct carry *c, struct mview id)
{
	uint32_t sec, no;
	int64_t v;

	if (!num_i64(id.s, id.n, &v))
		return -1;
	for (sec = c->marked == &c->self ? c->sec : 1; sec <= c->marked->n_sec;
	     sec++) {
		no = smap_find_pair(&c->op_at, place(sec, OP), v);
		if (no != SMAP_NONE)
			return write_op(c, no, false);
	}
	return -1;
}

/* The name of a column that such records have here, NULL after the last. */
static const char *
column(struct carry *c, const struct carry_op *op, int i)
{
	const struct rec_type *type = c->type[op->kind];
	const char *at = smap_str(&c->legends, op->legend, NULL);

	if (c->own_legend[op->kind] == c->sec)
		return i < rec_ncols(type) ? rec_colname(type, i) : NULL;
	/* none yet: they get the legend of those that are carried */
	if (c->legend_of[op->kind] != c->sec)
		out_line(at, strlen(at));
	c->legend_of[op->kind] = c->sec;
	while (i-- >= 0 && (at = strchr(at, '\t')) != NULL)
		at++;
	if (at == NULL)
		return NULL;
	buf_clear(&c->key);
	buf_put(&c->key, at, strcspn(at, "\t"));
	return buf_str(&c->key);
}

static void
see_legend(struct stage *st, struct rec *r)
{
	struct carry *c = st->ctx;
	int kind = 0;

	while (r->type != c->type[kind])
		kind++;
	c->own_legend[kind] = c->sec;
	stage_pass(st, r);
}

/* The record of an op in the columns of this stream. plain: without sizes. */
static void
put_op(struct carry *c, const struct carry_op *op, int64_t id, bool plain)
{
	static const char *const sizes[] = { "args", "bwd_shapes", "fwd_op_id",
		"repr", "shapes", "trace" };
	struct mview legend = smap_view(&c->legends, op->legend), v;
	struct buf line = { 0 };
	const char *name;
	int64_t other;
	int i;

	buf_puts(&line, kinds[op->kind].tag);
	for (i = 0; (name = column(c, op, i)) != NULL; i++) {
		v = field_by_name(legend, op->line, name);
		buf_putc(&line, '\t');
		if (strcmp(name, col_name(kinds[op->kind].id)) == 0) {
			buf_i64(&line, id);
		} else if (plain && strcmp(name, "key") == 0) {
			put_plain_key(&line, legend, op->line);
		} else if (plain && mv_listed(mv(name, name + strlen(name)),
					sizes, ARRAY_LEN(sizes))) {
			buf_putc(&line, '-');
		} else if (strcmp(name, "fwd_op_id") == 0 ||
			   strcmp(name, "for_op_id") == 0) {
			other = write_other(c, v);
			if (other < 0)
				buf_putc(&line, '-');
			else
				buf_i64(&line, other);
		} else {
			buf_put(&line, v.s, v.n);
		}
	}
	out_line(line.s, line.len);
	buf_free(&line);
}

/* Writes the op once; its id in this stream. plain: number no of those without
 * sizes, which this stream does not have. */
static int64_t
write_op(struct carry *c, uint32_t no, bool plain)
{
	struct carry_op *op = &c->op[plain ? c->plain[no].op : no];
	struct carry_as *as = plain ? &c->plain[no].as : &op->as;

	if (as->sec != c->sec) {
		as->sec = c->sec;
		if (plain || c->marked != &c->self)
			as->id = c->next_id++;
		put_op(c, op, as->id, plain);
	}
	return as->id;
}

/* A record of this stream: not again, if work has needed it before. */
static void
pass_op(struct stage *st, struct rec *r)
{
	struct carry *c = st->ctx;
	enum carry_kind kind = r->type == c->type[PRIM] ? PRIM : OP;
	uint32_t no = SMAP_NONE;
	int64_t id;

	if (c->marked == &c->self && rec_num(r, kinds[kind].id, &id))
		no = smap_find_pair(&c->op_at, place(c->sec, kind), id);
	if (no != SMAP_NONE && c->op[no].as.sec == c->sec)
		return;
	if (no != SMAP_NONE)
		c->op[no].as.sec = c->sec;
	stage_pass(st, r);
}

/* The number here of a run of the template: launches that are in one run there
 * are in one, up to where the way through the template begins again. */
static int64_t
run_of(struct carry *c, struct carry_pos *pos, uint64_t run, bool *fresh)
{
	uint64_t *id = map_put(&pos->runs, run, fresh);

	if (*fresh || (uint32_t)run == 0)
		*id = (uint64_t)c->next_run++;
	return (int64_t)*id;
}

#define OF_PRIM ((uint64_t)1 << 32) /* a run of a product */

/* The counterpart of the record's work, how it was found, and the runs that the
 * work is in; NULL if it has none with an op. */
static const struct carry_launch *
next_mate(struct carry *c, const struct rec *r, enum carry_how *how,
    int64_t *run, int64_t *prim_run)
{
	uint32_t i = thread_of(c, &c->self, r, c->sec);
	const struct carry_launch *x, *mate;
	struct carry_pos *pos;
	uint32_t no;
	bool fresh;

	if (i >= c->n_pos || c->pos[i].next >= c->self.seq[i].n)
		return NULL; /* the file has changed */
	x = &c->self.seq[i].v[c->pos[i].next++];
	if (x->mate == 0)
		return NULL;
	mate = &c->tmpl.seq.v[x->mate - 1];
	*how = x->how;
	if (mate->ops == 0)
		return NULL;
	pos = &c->pos[i];
	if (x->mate < pos->mate)
		map_clear(&pos->runs);
	pos->mate = x->mate;
	*run = run_of(c, pos, mate->run, &fresh);
	if (mate->prim == 0 || x->how != CARRY_EXACT)
		return mate;
	no = smap_find_pair(&c->op_at,
	    c->op[mate->prim - 1].place - PRIM + RESULT, mate->prim_run);
	*prim_run = run_of(c, pos, OF_PRIM | mate->prim_run, &fresh);
	if (fresh && no != SMAP_NONE)
		put_op(c, &c->op[no], *prim_run, false);
	return mate;
}

static void
write_launch(struct stage *st, struct rec *r)
{
	struct carry *c = st->ctx;
	struct out_ext *ext = rec_arg(r);
	enum carry_how how = CARRY_NONE;
	int64_t id, run = 0, prim = 0, prim_run = 0;
	const struct carry_launch *mate =
	    next_mate(c, r, &how, &run, &prim_run);
	const struct carry_cols *x =
	    mate != NULL ? &c->cols[mate->ops - 1] : NULL;
	bool kern = *rec_type_tag(r->type) == 'k', plain;
	bool has = rec_get(r, COL_op).s != NULL;
	int64_t ns = rec_num_or(r, COL_dur_ns, 0);
	size_t k;

	c->ns = num_add(c->ns, ns);
	if (has)
		c->range_ns = num_add(c->range_ns, ns);
	else if (x != NULL)
		c->carried_ns = num_add(c->carried_ns, ns);
	if (has || x == NULL) {
		c->n_without += !has;
		out_ext_begin(ext, r);
		out_view(rec_get_raw(r, COL_op_id));
		out_view(rec_get_raw(r, COL_inst_id));
		for (k = 0; k < ARRAY_LEN(texts_of); k++)
			out_view(rec_get_raw(r, texts_of[k]));
		out_view(rec_get_raw(r, COL_why));
		if (has && rec_get(r, COL_op_from).s == NULL)
			out_word("range");
		else
			out_view(rec_get_raw(r, COL_op_from));
		if (kern) {
			out_view(rec_get_raw(r, COL_prim_id));
			out_view(rec_get_raw(r, COL_prim_run));
		}
		out_ext_end(ext, r);
		return;
	}
	c->n_carried++;
	if (prim_run > 0)
		prim = write_op(c, mate->prim - 1, false);
	plain = how != CARRY_EXACT &&
		(how != CARRY_NEAR || c->plain[x->plain].many);
	id = write_op(c, plain ? x->plain : x->op, plain);
	out_ext_begin(ext, r);
	out_i64(id);
	out_i64(run);
	for (k = 0; k < ARRAY_LEN(texts_of); k++)
		out_view(
		    x->v[k].s != NULL ? x->v[k] : rec_get_raw(r, texts_of[k]));
	out_unset();
	out_word("carried");
	if (kern) {
		out_opt(prim_run > 0, prim);
		out_opt(prim_run > 0, prim_run);
	}
	out_ext_end(ext, r);
}

static void
put_carry_notes(struct stage *st)
{
	const struct carry *c = st->ctx;

	/* less than a percent is what a program does outside of ops */
	if (st->complete && c->range_ns < c->ns &&
	    (c->from != NULL ||
		c->ns - c->range_ns - c->carried_ns > c->ns / 100))
		warn("%.1f %% of the GPU time belongs to ops by ranges, %.1f "
		     "%% by carrying them over, %.1f %% to none",
		    100.0 * (double)c->range_ns / (double)c->ns,
		    100.0 * (double)c->carried_ns / (double)c->ns,
		    100.0 * (double)(c->ns - c->range_ns - c->carried_ns) /
			(double)c->ns);
	stage_note("carried", c->n_carried);
	stage_note("not_carried", c->n_without);
	stage_note("carry_left_out", c->tmpl.left_out);
}

static void
must_write(int fd, const char *s, size_t n)
{
	if (write_all(fd, s, n))
		return;
	if (errno == EPIPE)
		exit(EXIT_OK);
	die_errno("write");
}

static ssize_t
read_some(int fd, char *s, size_t n)
{
	ssize_t k;

	do
		k = read(fd, s, n);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		die_errno("standard input");
	return k;
}

static void
copy_rest(int from, int to)
{
	char *block = xmalloc(1 << 16);
	ssize_t n;

	while ((n = read_some(from, block, 1 << 16)) > 0)
		must_write(to, block, (size_t)n);
	free(block);
}

/* Reads the lines at the beginning that tell where the stream comes from.
 * True if dlp-record marked ops in some steps. */
static bool
alternates(int fd, struct buf *head)
{
	static const char want[] = "##info\tmarkers\talternate\n";
	size_t at = 0, seen = 0;
	const char *end;
	char block[4096];
	ssize_t n;

	for (;;) {
		if (head->len - at >= 2 && memcmp(head->s + at, "##", 2) != 0)
			return false;
		end = memchr(head->s + seen, '\n', head->len - seen);
		if (end == NULL) {
			seen = head->len;
			n = read_some(fd, block, sizeof(block));
			if (n == 0)
				return false;
			buf_put(head, block, (size_t)n);
			continue;
		}
		if (text_starts(head->s + at, head->len - at, want))
			return true;
		seen = at = (size_t)(end - head->s) + 1;
	}
}

/* --auto: standard input as it is, if there is nothing to carry over. */
static void
pass_on(struct buf *head)
{
	ssize_t n;

	buf_putc(head, '\0');
	head->len = 0;
	if (alternates(STDIN_FILENO, head))
		return;
	/* as out_open(): fewer switches between the stages */
	(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
	must_write(STDOUT_FILENO, head->s, head->len);
	while ((n = splice(STDIN_FILENO, NULL, STDOUT_FILENO, NULL, 1 << 20,
		    SPLICE_F_MOVE)) > 0)
		;
	if (n < 0) /* one of them is no pipe */
		copy_rest(STDIN_FILENO, STDOUT_FILENO);
	exit(EXIT_OK);
}

/* Lets standard input, or a pipe, be read twice: by way of a file. head: what
 * was read of it. */
static const char *
readable_twice(const char *path, const struct buf *head)
{
	bool given = path != NULL && strcmp(path, "-") != 0;
	int from = given ? open(path, O_RDONLY) : STDIN_FILENO, to;
	struct stat st;

	if (from < 0)
		die_errno("%s", path);
	if (fstat(from, &st) == 0 && (S_ISDIR(st.st_mode) || given)) {
		if (!S_ISFIFO(st.st_mode) && given) {
			close(from);
			return path;
		}
		if (S_ISDIR(st.st_mode))
			return "-";
	}
	to = temp_fd();
	must_write(to, head->s, head->len);
	copy_rest(from, to);
	if (dup2(to, STDIN_FILENO) < 0 || lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
		die_errno("temporary file");
	close(to);
	return "-";
}

/* Reads the launches that take ops, and those that have them; then where the
 * first are to be read again. */
static const char *
read_sides(struct carry *c, const char *path, struct buf *head)
{
	path = readable_twice(path, head);
	buf_free(head);
	c->marked = c->from != NULL ? &c->other : &c->self;
	if (c->from != NULL)
		read_side(c, &c->other, c->from);
	read_side(c, &c->self, path);
	if (strcmp(path, "-") == 0)
		lseek(STDIN_FILENO, 0, SEEK_SET);
	return path;
}

/* Products are read only where something reads them of kernels. */
#define PRIMS "kern:prim_id,prim_run"

int
main(int argc, char **argv)
{
	static const char *const names[] = { "op_id", "inst_id", "mod", "op",
		"dir", "layer", "phase", "why", "op_from", "prim_id",
		"prim_run" };
	static struct carry c;
	static bool automatic;
	const struct cli_opt opts[] = {
		{ 'a', "auto", .flag = &automatic },
		{ 'f', "from", .arg = &c.from },
		SPILL_OPTION,
		{ 0 },
	};
	const char *path;
	struct stage st;
	bool unbuffered;
	struct buf head = { 0 };
	size_t i;

	cli_init("dlp-carry");
	unbuffered = cli_options(argc, argv, opts);
	path = cli_operand(argc, argv);
	if (automatic && (path != NULL || c.from != NULL))
		die("--auto: only standard input, without -f");
	if (!cli_needs()) {
		if (automatic)
			pass_on(&head);
		path = read_sides(&c, path, &head);
	}
	c.n_pos = c.self.n_seq;
	c.pos = xcalloc(c.n_pos + 1, sizeof(*c.pos));
	stage_open(&st, argc, argv, path, unbuffered);
	st.ctx = &c;
	st.section = begin_carry;
	st.end = put_carry_notes;
	for (i = 0; i < ARRAY_LEN(tags); i++)
		stage_on(&st, tags[i], write_launch, .need = LAUNCH_NEED,
		    .opt = LAUNCH_OPT " op_from dur_ns",
		    .only_for = i == 0 ? PRIMS : NULL,
		    .only_cols = i == 0 ? "prim_id prim_run" : NULL,
		    .ext = out_ext(names, ARRAY_LEN(names) - (i > 0 ? 2 : 0)));
	c.type[OP] =
	    stage_on(&st, "op", pass_op, .need = "op_id", .legend = see_legend);
	c.type[PRIM] = stage_on(&st, "prim", pass_op, .need = "prim_id",
	    .only_for = PRIMS, .legend = see_legend);
	c.type[RESULT] = stage_on(&st, "result", stage_pass, .opt = "prim_run",
	    .only_for = PRIMS, .legend = see_legend);
	stage_on(&st, "inst", stage_pass, .opt = "inst_id");
	return out_finish(stage_run(&st));
}
