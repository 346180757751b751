/*
 * DLProf's Iteration Report: a row per kernel. Most bytes of the rows of one
 * kernel of an op are the same; they are formatted once for rows that follow
 * each other. An op has one long name per short one, that of the last launch,
 * which opkern records give before the kernels come.
 */
#include "array.h"
#include "fmt.h"

#define DLPROF_COLS                                                            \
	"iter,op.dl_id,op.name,op.dir,op.op,short,dev,start_ns,dur_ns,"        \
	"api_start_ns,api_dur_ns,tc,grid,block,op.dtype,op.dl_in,op.dl_out,"   \
	"op_id"

/* The columns, in that order. */
enum { C_ITER, C_ID, C_NAME, C_DIR, C_TYPE, C_SHORT, C_DEV, C_START, C_DUR };
enum { C_API = C_DUR + 1, C_API_DUR, C_TC, C_GRID, C_BLOCK, C_DTYPE, C_IN };
enum { C_OUT = C_IN + 1, C_OP };

static const char header[] =
    "Iteration,Op ID,Op Name,%sOp Type,Kernel Name,Device ID,"
    "GPU Start Time (ns),GPU Duration (ns),API Call Start (ns),"
    "API Call Time (ns),Uses TC,Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,"
    "Data Types,Input Shapes,Parameters,Output Shapes,Long Kernel Name\n";

struct iteration_report {
	int last_name_id;    /* of a column */
	struct smap long_of; /* "op id TAB short"; value: id of a str + 1 */
	struct buf key;      /* key of the row before */
	struct buf head, tail, now;
	bool no_dir; /* only PyTorch's report has the direction */
};

static void
dlprof_meta(struct fmt *f, const struct rec *r)
{
	struct iteration_report *d = f->state;

	d->no_dir |= text_starts(r->line, r->len, "##info\tmode\ttensor");
}

static void
make_key(struct buf *b, struct writer_cell op, struct writer_cell name)
{
	buf_clear(b);
	buf_put(b, op.s, op.s != NULL ? op.n : 0);
	buf_putc(b, '\t');
	buf_put(b, name.s, name.s != NULL ? name.n : 0);
}

static void
on_opkern(struct stage *st, struct rec *r)
{
	struct iteration_report *d = ((struct fmt *)st->ctx)->state;
	struct mview op = rec_get(r, COL_op_id), name = rec_get(r, COL_short);
	int64_t id;
	uint32_t no;

	if (!rec_num(r, d->last_name_id, &id))
		return;
	make_key(&d->now, (struct writer_cell){ op.s, op.n },
	    (struct writer_cell){ name.s, name.n });
	no = smap_put(&d->long_of, buf_str(&d->now), d->now.len, NULL);
	d->long_of.val[no] = (uint64_t)id + 1;
}

static void
dlprof_listen(struct fmt *f)
{
	struct iteration_report *d = f->state;

	d->last_name_id = col_id("last_name_id");
	stage_on(
	    &f->st, "opkern", on_opkern, .need = "op_id short last_name_id");
	f->join.any_str = true;
}

/* Appends a quoted value, which is empty if it is unset, and what follows. */
static void
put_quoted(struct buf *b, struct writer_cell c, const char *then)
{
	writer_quote(b, c.s != NULL ? c.s : "", c.s != NULL ? c.n : 0);
	buf_puts(b, then);
}

/* Unset is empty. */
static void
put_bare(struct buf *b, struct writer_cell c)
{
	buf_put(b, c.s, c.s != NULL ? c.n : 0);
}

/* The part that is the same in many consecutive rows: the op's and the kernel's
 * columns. */
static void
common(struct fmt *f, const struct writer_cell *v)
{
	struct iteration_report *d = f->state;
	static const struct writer_cell none;
	struct writer_cell name = none;
	const uint64_t *at;
	uint32_t no;

	make_key(&d->now, v[C_OP], v[C_SHORT]);
	if (d->key.len == d->now.len &&
	    memcmp(d->key.s, d->now.s, d->now.len) == 0)
		return;
	buf_clear(&d->key);
	buf_put(&d->key, d->now.s, d->now.len);
	buf_clear(&d->head);
	put_quoted(&d->head, v[C_ID], ",");
	put_quoted(&d->head, v[C_NAME], ",");
	if (!d->no_dir) {
		put_bare(&d->head, v[C_DIR]);
		buf_putc(&d->head, ',');
	}
	put_quoted(&d->head, v[C_TYPE], ",");
	put_quoted(&d->head, v[C_SHORT], "");
	buf_clear(&d->tail);
	put_bare(&d->tail, v[C_DTYPE]);
	buf_putc(&d->tail, ',');
	put_quoted(&d->tail, v[C_IN], ",");
	put_quoted(&d->tail, none, ",");
	put_quoted(&d->tail, v[C_OUT], ",");
	no = smap_find(&d->long_of, d->key.s, d->key.len);
	at = no != SMAP_NONE ? map_get(&f->join.str_at, d->long_of.val[no] - 1)
			     : NULL;
	if (at != NULL)
		name.s = smap_str(&f->join.texts, (uint32_t)*at, &name.n);
	put_quoted(&d->tail, name, "");
}

static void
dlprof_begin(struct fmt *f)
{
	const struct iteration_report *d = f->state;
	buf_puts(&out_buf, f->title != NULL ? f->title : "Iteration Report");
	buf_putc(&out_buf, '\n');
	buf_printf(&out_buf, header, d->no_dir ? "" : "Direction,");
}

static void
dlprof_row(struct fmt *f, const struct writer_cell *v)
{
	const struct iteration_report *d = f->state;
	struct buf *b = &out_buf;
	bool tc = text_is(v[C_TC].s, v[C_TC].n, "yes");
	int i;

	common(f, v);
	put_bare(b, v[C_ITER]);
	buf_putc(b, ',');
	buf_put(b, d->head.s, d->head.len);
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
	buf_put(b, d->tail.s, d->tail.len);
	buf_putc(b, '\n');
}

const struct sink sink_dlprof = {
	.option = "--dlprof",
	.state = sizeof(struct iteration_report),
	.reports = true,
	.cols = DLPROF_COLS,
	.listen = dlprof_listen,
	.meta = dlprof_meta,
	.begin = dlprof_begin,
	.row = dlprof_row,
};
