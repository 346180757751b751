/*
 * DLProf's Iteration Report: a row per kernel. What the rows of a kernel of
 * an op have in common, most of their bytes, is made once for those that
 * follow each other. An op has one long name per short one, that of the last
 * launch, which opkern records tell before the kernels come.
 */
#include "sink_dlprof.h"

#include "esc.h"

enum {
	C_ITER,
	C_ID,
	C_NAME,
	C_DIR,
	C_TYPE,
	C_SHORT,
	C_DEV,
	C_START,
	C_DUR,
	C_API,
	C_API_DUR,
	C_TC,
	C_GRID,
	C_BLOCK,
	C_DTYPE,
	C_IN,
	C_OUT,
	C_OP
};

static const char header[] =
    "Iteration,Op ID,Op Name,%sOp Type,Kernel Name,Device ID,"
    "GPU Start Time (ns),GPU Duration (ns),API Call Start (ns),"
    "API Call Time (ns),Uses TC,Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,"
    "Data Types,Input Shapes,Parameters,Output Shapes,Long Kernel Name\n";

static struct {
	struct rec_col *op_id, *name, *name_id;
	struct smap long_of; /* "op id TAB short"; value: id of a str + 1 */
	struct buf key;      /* of the row before */
	struct buf head, tail, now;
	bool no_dir; /* only PyTorch's report has the direction */
} s;

void
sink_dlprof_meta(const struct rec *r)
{
	static const char mode[] = "##info\tmode\ttensor";

	s.no_dir |= r->len > sizeof(mode) - 1 &&
		    memcmp(r->line, mode, sizeof(mode) - 1) == 0;
}

static void
make_key(struct buf *b, struct writer_cell op, struct writer_cell name)
{
	buf_clear(b);
	if (op.s != NULL)
		buf_put(b, op.s, op.n);
	buf_putc(b, '\t');
	if (name.s != NULL)
		buf_put(b, name.s, name.n);
}

static void
on_opkern(struct stage *st, struct rec *r)
{
	struct writer_cell op, name;
	int64_t id;
	uint32_t no;

	(void)st;
	op.s = rec_raw(r, s.op_id, &op.n);
	name.s = rec_raw(r, s.name, &name.n);
	if (!rec_i64(r, s.name_id, &id))
		return;
	make_key(&s.now, op, name);
	no = smap_put(&s.long_of, buf_str(&s.now), s.now.len, NULL);
	s.long_of.val[no] = (uint64_t)id + 1;
}

void
sink_dlprof_listen(struct fmt *f)
{
	struct rec_type *t = stage_on(&f->st, "opkern", on_opkern, NULL, NULL);

	REC_COLS(t, REC_NEED, { &s.op_id, "op_id" }, { &s.name, "short" },
	    { &s.name_id, "last_name_id" });
	f->join.any_str = true;
}

static void
put_quoted(struct fmt *f, struct buf *b, struct writer_cell c)
{
	const char *q;
	size_t k;

	if (c.s != NULL && memchr(c.s, '\\', c.n) != NULL) {
		buf_clear(&f->tmp);
		esc_undo(&f->tmp, c.s, c.n);
		c.s = buf_str(&f->tmp);
		c.n = f->tmp.len;
	}
	buf_putc(b, '"');
	while (c.s != NULL && c.n > 0) {
		q = memchr(c.s, '"', c.n);
		k = q != NULL ? (size_t)(q - c.s) + 1 : c.n;
		buf_put(b, c.s, k);
		if (q != NULL)
			buf_putc(b, '"');
		c.s += k;
		c.n -= k;
	}
	buf_putc(b, '"');
}

/* Unset is empty. */
static void
put_bare(struct buf *b, struct writer_cell c)
{
	if (c.s != NULL)
		buf_put(b, c.s, c.n);
}

static struct writer_cell
long_name(struct fmt *f, const struct buf *key)
{
	struct writer_cell c = { NULL, 0 };
	uint32_t no = smap_find(&s.long_of, key->s, key->len);
	const uint64_t *at;

	if (no == SMAP_NONE)
		return c;
	at = map_get(&f->join.str_at, s.long_of.val[no] - 1);
	if (at != NULL)
		c.s = smap_str(&f->join.texts, (uint32_t)*at, &c.n);
	return c;
}

/* What is the same for many in a row: the op's and the kernel's. */
static void
common(struct fmt *f, const struct writer_cell *v)
{
	static const struct writer_cell none;

	make_key(&s.now, v[C_OP], v[C_SHORT]);
	if (s.key.len == s.now.len && memcmp(s.key.s, s.now.s, s.now.len) == 0)
		return;
	buf_clear(&s.key);
	buf_put(&s.key, s.now.s, s.now.len);
	buf_clear(&s.head);
	put_quoted(f, &s.head, v[C_ID]);
	buf_putc(&s.head, ',');
	put_quoted(f, &s.head, v[C_NAME]);
	buf_putc(&s.head, ',');
	if (!s.no_dir) {
		put_bare(&s.head, v[C_DIR]);
		buf_putc(&s.head, ',');
	}
	put_quoted(f, &s.head, v[C_TYPE]);
	buf_putc(&s.head, ',');
	put_quoted(f, &s.head, v[C_SHORT]);
	buf_clear(&s.tail);
	put_bare(&s.tail, v[C_DTYPE]);
	buf_putc(&s.tail, ',');
	put_quoted(f, &s.tail, v[C_IN]);
	buf_putc(&s.tail, ',');
	put_quoted(f, &s.tail, none);
	buf_putc(&s.tail, ',');
	put_quoted(f, &s.tail, v[C_OUT]);
	buf_putc(&s.tail, ',');
	put_quoted(f, &s.tail, long_name(f, &s.key));
}

static void
dlprof_begin(struct fmt *f)
{
	buf_puts(&out_buf, f->title != NULL ? f->title : "Iteration Report");
	buf_putc(&out_buf, '\n');
	buf_printf(&out_buf, header, s.no_dir ? "" : "Direction,");
}

static void
dlprof_row(struct fmt *f, const struct writer_cell *v)
{
	struct buf *b = &out_buf;
	bool tc = v[C_TC].s != NULL && v[C_TC].n == 3 &&
		  memcmp(v[C_TC].s, "yes", 3) == 0;
	int i;

	common(f, v);
	put_bare(b, v[C_ITER]);
	buf_putc(b, ',');
	buf_put(b, s.head.s, s.head.len);
	for (i = C_DEV; i <= C_API_DUR; i++) {
		buf_putc(b, ',');
		put_bare(b, v[i]);
	}
	buf_puts(b, tc ? ",yes" : ",no");
	for (i = C_GRID; i <= C_BLOCK; i++) {
		buf_putc(b, ',');
		if (v[i].s != NULL) /* x,y,z is three columns */
			buf_put(b, v[i].s, v[i].n);
		else
			buf_puts(b, ",,");
	}
	buf_putc(b, ',');
	buf_put(b, s.tail.s, s.tail.len);
	buf_putc(b, '\n');
}

static void
dlprof_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_dlprof = { "dlprof", dlprof_begin, dlprof_row,
	dlprof_end };
