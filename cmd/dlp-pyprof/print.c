/* See print.h. */
#include "out.h"
#include "print.h"
#include "pylit_json.h"

static const char *const names[] = { "idx", "seq", "altseq", "tid", "layer",
	"trace", "dir", "sub", "mod", "op", "short", "params", "dur_ns", "tc",
	"dev", "stream", "grid", "block", "flop", "bytes", "role" };

static struct out_type *type;

void
print_open(void)
{
	type = out_type("kern", names, sizeof(names) / sizeof(names[0]));
}

static void
put_text(const struct buf *b)
{
	if (b->len == 0)
		out_unset();
	else
		out_text(b->s, b->len);
}

/* The items of a list, joined. */
static void
put_list(struct mview list, char sep)
{
	static struct buf b;
	struct pylit l;
	struct pl_atom a;

	buf_clear(&b);
	for (pyrow_list(&l, list); pyrow_item(&l, &a);) {
		if (b.len > 0)
			buf_putc(&b, sep);
		pl_text(&a, &b);
	}
	put_text(&b);
}

static void
put_num(const struct kern *k, const char *key)
{
	int64_t v;
	bool has = pyrow_i64(&k->row, key, &v);

	out_opt(has, has ? v : 0);
}

/* "(1, 2, 3)" is 1,2,3. */
static void
put_dim(const struct kern *k, const char *key)
{
	put_list(pyrow_get(&k->row, key), ',');
}

/* The first of a list of names; na is PyProf's word for none. */
static void
put_first(struct mview list)
{
	static struct buf b;

	buf_clear(&b);
	if (first_text(list, &b) && b.len == 2 && memcmp(b.s, "na", 2) == 0)
		b.len = 0;
	put_text(&b);
}

static void
put_count(const struct pynum *n)
{
	buf_putc(&out_buf, '\t');
	pynum_put(&out_buf, n);
}

static void
put_op(const struct kern *k, const struct marker *m, const struct result *r)
{
	put_first(k->part[P_MOD]);
	if (r != NULL && r->op != NULL)
		out_text(r->op, strlen(r->op));
	else if (r != NULL)
		out_text(m->op.s, m->op.n);
	else
		put_first(k->part[P_OP]);
	put_text(&k->name);
}

void
print_kern(const struct kern *k, int64_t idx, const struct marker *m,
    const struct result *r, bool died)
{
	static const struct pynum zero = { false, 0, 0 };

	out_rec(type);
	out_i64(idx);
	put_list(pyrow_get(&k->row, "seqId"), ',');
	put_list(pyrow_get(&k->row, "altSeqId"), ',');
	put_num(k, "tid");
	put_list(k->part[P_LAYER], ':');
	put_list(k->part[P_TRACE], ',');
	out_text(k->bwd ? "bprop" : "fprop", 5);
	out_i64(k->sub);
	put_op(k, m, r);
	if (r != NULL && r->params.len > 0)
		out_text(r->params.s, r->params.len);
	else
		out_unset();
	put_num(k, "kDuration");
	out_raw(r == NULL ? "na" : r->tc, r == NULL ? 2 : strlen(r->tc));
	put_num(k, "device");
	put_num(k, "stream");
	put_dim(k, "grid");
	put_dim(k, "block");
	if (died) {
		out_unset();
		out_unset();
	} else {
		put_count(r != NULL ? &r->flops : &zero);
		put_count(r != NULL ? &r->bytes : &zero);
	}
	out_raw("pyprof", 6);
	out_end();
}
