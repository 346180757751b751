/*
 * XLA's HLO text after its optimizations (XLA_FLAGS=--xla_dump_to=DIR, the
 * files *after_optimizations.txt): what each kernel computes, by the name of
 * its instruction.
 *
 *	%gemm_fusion_dot.8_computation (parameter_0: bf16[2048,512], ..) -> .. {
 *	  ROOT %dot.69 = bf16[2048,1536]{1,0} dot(%parameter_0, %parameter_1),
 *	      lhs_contracting_dims={1}, ..
 *	}
 *	ENTRY %main.36 (..) -> .. {
 *	  %gemm_fusion_dot.8 = bf16[2048,1536]{1,0} fusion(%bitcast.304,
 *	      %wrapped_convert), kind=kCustom,
 *calls=%gemm_fusion_dot.8_computation,
 *	      metadata={op_name="jit(f)/jvp()/dot_general" stack_frame_id=7}
 *
 * A fused computation stands before its fusion. FLOPs: 2 per multiply-add of
 * dot and convolution, and only these if the fusion has one; otherwise 1 for
 * each element of an arithmetic instruction and each summed one of a reduce.
 * If an instruction of another kind computes something (sort, scatter), they
 * are unknown. Bytes: the operands and the result, each once; unknown if only a
 * part of an operand is used (slice, gather).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "esc.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "shipped.h"
#include "side.h"

#define HLO_DIMS 16
#define HLO_OPERANDS 256

struct hlo_type { /* an array: bf16[2048,512]{1,0} */
	enum dtype dt;
	int bits; /* of an element; 0: no array */
	int nd;
	int64_t dim[HLO_DIMS];
};

struct hlo_line { /* NAME = TYPE OPCODE(OPERANDS)ATTRS */
	struct mview name, type, opcode, operands, attrs;
};

struct hlo_sum {                /* of a computation */
	int64_t product, other; /* FLOPs; -1: unknown */
	bool has_product;
	bool partial; /* it reads or writes a part of an operand only */
	enum family family;
	enum dtype dt;
	struct buf shapes, ops; /* of the product, or the ops, joined by + */
	int n_op;
	unsigned dirs; /* of its instructions */
};

struct hlo {
	struct side *side;
	struct smap types; /* instruction -> its type's text */
	struct smap comps; /* computation -> number in comp + 1 */
	struct hlo_sum *comp;
	size_t n_comp, cap_comp;
	struct smap files, locations, frames; /* id -> texts */
	struct mview *text;                   /* of these, and of types */
	size_t n_text, cap_text;
	struct smap *table; /* of these, the one whose lines are read */
	size_t n_instr;
	struct buf tmp;
};

enum { DIR_F = 1, DIR_B = 2, DIR_NO = 4 };

/* Whether vocab.tab has that flag at an opcode. */
static bool
opcode_is(struct mview opcode, char flag)
{
	struct mview flags = vocab_find("opcode", opcode.s, opcode.n);

	return flags.s != NULL && memchr(flags.s, flag, flags.n) != NULL;
}

/* The end of what begins with the bracket at s. */
static const char *
closing_of(const char *s, const char *e)
{
	int deep = 0;

	for (; s < e; s++) {
		deep += *s == '(' || *s == '{' || *s == '[';
		deep -= *s == ')' || *s == '}' || *s == ']';
		if (deep == 0)
			return s;
	}
	return e;
}

/* Reads an array's type; false if it is none. */
static bool
read_type(struct mview v, struct hlo_type *t)
{
	const char *p = v.s, *e = v.s + v.n, *q;
	struct mview name;

	memset(t, 0, sizeof(*t));
	while (p < e && isalnum((unsigned char)*p))
		p++;
	if (p == e || *p != '[')
		return false;
	name = vocab_find("hlo", v.s, (size_t)(p - v.s));
	t->dt = dt_named(name.s, name.n);
	t->bits = t->dt == DT_INT4 ? 4 : 8 * dtypes[t->dt].size;
	for (p++; p < e && *p != ']'; p = q + (q < e && *q == ',')) {
		q = side_until(p, e, ",]");
		if (*p == '<' && p < q) /* <=8: at most */
			p += 2;
		if (t->nd == HLO_DIMS || q <= p ||
		    !num_i64(p, (size_t)(q - p), &t->dim[t->nd]) ||
		    t->dim[t->nd] < 0)
			return false;
		t->nd++;
	}
	return t->bits > 0;
}

static int64_t
type_numel(const struct hlo_type *t)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < t->nd; i++)
		n = size_mul(n, t->dim[i]);
	return n;
}

/* Item i of a list with commas; s is NULL if it is missing. */
static struct mview
list_item(const char *p, const char *e, int64_t i)
{
	const char *q;

	for (; p < e; p = q + 1) {
		while (p < e && (*p == ' ' || *p == ','))
			p++;
		if (e - p > 2 && p[0] == '/' && p[1] == '*') {
			p = side_until(p + 1, e, "/");
			p += p < e;
		}
		q = p;
		while ((q = side_until(q, e, ",)([{")) < e && *q != ',' &&
		       *q != ')')
			q = closing_of(q, e - 1) + 1;
		if (i-- == 0)
			return q > p ? mv(p, q) : mv(NULL, NULL);
	}
	return mv(NULL, NULL);
}

/* Part i of a tuple's type, or the type itself; s is NULL if it is missing. */
static struct mview
type_part(struct mview v, int64_t i)
{
	if (v.n == 0 || *v.s != '(')
		return i == 0 ? v : mv(NULL, NULL);
	return list_item(v.s + 1, v.s + v.n, i);
}

/* The bytes of a type, all parts of a tuple; -1 if unknown. */
static int64_t
type_bytes(struct mview v)
{
	struct hlo_type t;
	struct mview part;
	int64_t sum = 0, i, bits;

	for (i = 0; (part = type_part(v, i)).s != NULL; i++) {
		if (!read_type(part, &t))
			return -1;
		bits = size_mul(type_numel(&t), t.bits);
		sum = size_add(sum, bits < 0 ? -1 : (bits + 7) / 8);
		if (v.s[0] != '(')
			break;
	}
	return i == 0 && v.s[0] == '(' ? -1 : sum;
}

static void
keep_text(struct hlo *h, struct smap *map, struct mview id, struct mview v)
{
	uint32_t i = smap_put(map, id.s, id.n, NULL);

	ARRAY_GROW(h->text, h->n_text, h->cap_text);
	h->text[h->n_text] = v;
	map->val[i] = ++h->n_text;
}

static struct mview
kept_text(const struct hlo *h, const struct smap *map, struct mview id)
{
	uint32_t i = id.s == NULL ? SMAP_NONE : smap_find(map, id.s, id.n);

	if (i == SMAP_NONE || map->val[i] == 0)
		return mv(NULL, NULL);
	return h->text[map->val[i] - 1];
}

/* The type of operand i: by its name (%x, %x#1 for a part of a tuple), or as
 * older versions write it, before the name. */
static bool
operand_type(
    const struct hlo *h, const struct hlo_line *l, int i, struct mview *type)
{
	const char *p, *hash, *e = l->operands.s + l->operands.n;
	struct mview v = list_item(l->operands.s, e, i);
	int64_t part = 0;

	if (v.s == NULL)
		return false;
	e = v.s + v.n;
	for (p = e; p > v.s && p[-1] != ' ';)
		p--;
	if (p > v.s) {
		*type = mv(v.s, p - 1);
		return true;
	}
	p += p < e && *p == '%';
	hash = memchr(p, '#', (size_t)(e - p));
	if (hash != NULL && !num_i64(hash + 1, (size_t)(e - hash - 1), &part))
		return false;
	*type = kept_text(h, &h->types, mv(p, hash != NULL ? hash : e));
	if (hash != NULL && type->s != NULL)
		*type = type_part(*type, part);
	return type->s != NULL;
}

/* The text after KEY in the attributes, up to the end of a number, or between
 * brackets or quotes. */
static struct mview
attr(struct mview attrs, const char *key)
{
	const char *s = mv_find(attrs, key), *e = attrs.s + attrs.n, *p;

	if (s == NULL)
		return mv(NULL, NULL);
	s += strlen(key);
	if (s < e && *s == '"') {
		p = memchr(s + 1, '"', (size_t)(e - s - 1));
		return p != NULL ? mv(s + 1, p) : mv(NULL, NULL);
	}
	if (s < e && (*s == '{' || *s == '[')) {
		p = closing_of(s, e);
		return mv(s + 1, p);
	}
	return mv(s, side_until(s, e, ", }"));
}

/* 2 * result * contracted dimensions of the left operand, in a list such as 1,2
 * or "1","2"; -1 if unknown. */
static int64_t
dot_flop(
    const struct hlo_type *out, const struct hlo_type *lhs, struct mview dims)
{
	int64_t f = size_mul(2, type_numel(out)), d;
	const char *p, *q, *e = dims.s + dims.n;

	if (dims.s == NULL)
		return -1;
	for (p = dims.s;; p = q) {
		while (p < e && !isdigit((unsigned char)*p))
			p++;
		for (q = p; q < e && isdigit((unsigned char)*q);)
			q++;
		if (q == p || !num_i64(p, (size_t)(q - p), &d))
			return f;
		if (d >= lhs->nd)
			return -1;
		f = size_mul(f, lhs->dim[d]);
	}
}

/* 2 * elements of the output * elements of the kernel / its output features.
 * labels: b01f_01io->b01f */
static int64_t
hlo_conv_flop(const struct hlo_type *out, const struct hlo_type *kern,
    struct mview labels)
{
	const char *s = labels.s == NULL ? NULL : mv_find(labels, "_"), *o;
	int64_t n;

	if (s == NULL)
		return -1;
	s++;
	o = memchr(s, 'o', (size_t)(labels.s + labels.n - s));
	if (o == NULL || o - s >= kern->nd || kern->dim[o - s] <= 0)
		return -1;
	n = type_numel(kern);
	if (n < 0)
		return -1;
	return size_mul(2, size_mul(type_numel(out), n / kern->dim[o - s]));
}

static void
put_dims(struct buf *b, const struct hlo_type *t)
{
	int i;

	buf_putc(b, '[');
	for (i = 0; i < t->nd; i++)
		buf_printf(b, "%s%lld", i > 0 ? "," : "", (long long)t->dim[i]);
	buf_putc(b, ']');
}

static void
add_product(struct hlo_sum *c, const char *what, enum family family,
    const struct hlo_type *x, const struct hlo_type *y, int64_t flop)
{
	c->has_product = true;
	c->family = family;
	c->dt = x->dt;
	c->product = size_add(c->product, flop);
	buf_printf(&c->shapes, "%s%s [", c->shapes.len > 0 ? "; " : "", what);
	put_dims(&c->shapes, x);
	buf_putc(&c->shapes, ',');
	put_dims(&c->shapes, y);
	buf_putc(&c->shapes, ']');
}

/* A library's product: __cublas$gemm, __cublas$lt$matmul, __cudnn$conv.. */
static void
add_custom_call(struct hlo_sum *c, const struct hlo_line *l,
    const struct hlo_type *out, const struct hlo_type *x,
    const struct hlo_type *y)
{
	struct mview target = attr(l->attrs, "custom_call_target=");
	struct mview labels = attr(l->attrs, "dim_labels=");
	const struct hlo_type *big = out, *kern = y;

	c->other = -1;
	if (target.s == NULL)
		return;
	if (mv_starts(target, "__cublas")) {
		add_product(c, "dot", FAM_GEMM, x, y,
		    dot_flop(out, x,
			attr(l->attrs, "\"lhs_contracting_dimensions\":")));
	} else if (mv_starts(target, "__cudnn$conv")) {
		if (mv_find(target, "BackwardInput") != NULL)
			big = x;
		if (mv_find(target, "BackwardFilter") != NULL) {
			big = y;
			kern = out;
		}
		add_product(c, "convolution", FAM_CONV, x, y,
		    hlo_conv_flop(big, kern, labels));
	}
}

/* Adds the opcode to those that are named. */
static void
add_op_name(struct hlo_sum *c, struct mview opcode)
{
	char one[64];

	snprintf(one, sizeof(one), "%.*s", (int)opcode.n, opcode.s);
	if (c->n_op == 6 ||
	    (c->ops.len > 0 && strstr(buf_str(&c->ops), one) != NULL))
		return;
	buf_printf(&c->ops, "%s%.*s", c->ops.len > 0 ? "+" : "", (int)opcode.n,
	    opcode.s);
	c->n_op++;
}

/* Adds operations, one for each element of t. */
static void
add_elements(
    struct hlo_sum *c, const struct hlo_line *l, const struct hlo_type *t)
{
	add_op_name(c, l->opcode);
	c->other = size_add(c->other, t->bits > 0 ? type_numel(t) : -1);
	if (c->dt == DT_NONE && t->dt < DT_INT64) /* floating-point */
		c->dt = t->dt;
}

static unsigned
dir_of(struct mview op_name)
{
	if (op_name.s == NULL)
		return 0;
	if (mv_find(op_name, "transpose(") != NULL)
		return DIR_B;
	return mv_find(op_name, "jvp(") != NULL ? DIR_F : DIR_NO;
}

/* Adds an instruction to the sum of a computation. */
static void
add_instr(const struct hlo *h, struct hlo_sum *c, const struct hlo_line *l)
{
	struct hlo_type out = { 0 }, x = { 0 }, y = { 0 };
	struct mview v;

	c->dirs |= dir_of(attr(l->attrs, "op_name="));
	c->partial |= opcode_is(l->opcode, 'p');
	read_type(type_part(l->type, 0), &out);
	if (operand_type(h, l, 0, &v))
		read_type(v, &x);
	if (operand_type(h, l, 1, &v))
		read_type(v, &y);
	if (mv_eq(l->opcode, "dot")) {
		add_product(c, "dot", FAM_GEMM, &x, &y,
		    dot_flop(
			&out, &x, attr(l->attrs, "lhs_contracting_dims=")));
	} else if (mv_eq(l->opcode, "convolution")) {
		add_product(c, "convolution", FAM_CONV, &x, &y,
		    hlo_conv_flop(&out, &y, attr(l->attrs, "dim_labels=")));
	} else if (mv_eq(l->opcode, "custom-call")) {
		add_custom_call(c, l, &out, &x, &y);
	} else if (mv_eq(l->opcode, "reduce")) {
		add_elements(c, l, &x);
	} else if (opcode_is(l->opcode, 'a')) {
		add_elements(c, l, &out);
	} else if (!opcode_is(l->opcode, 'm')) {
		add_op_name(c, l->opcode);
		c->other = -1;
	} else if (opcode_is(l->opcode, 'n')) {
		add_op_name(c, l->opcode);
	}
}

/* FILE:LINE of an instruction, by its frame or, in older files, directly. */
static char *
source_line(struct hlo *h, const struct hlo_line *l)
{
	struct mview file = attr(l->attrs, "source_file="), line, at;

	line = attr(l->attrs, "source_line=");
	if (file.s == NULL) {
		at =
		    kept_text(h, &h->frames, attr(l->attrs, "stack_frame_id="));
		if (at.s != NULL)
			at = kept_text(
			    h, &h->locations, attr(at, "file_location_id="));
		if (at.s == NULL)
			return NULL;
		file = kept_text(h, &h->files, attr(at, "file_name_id="));
		line = attr(at, "{line=");
		if (line.s == NULL)
			line = attr(at, " line=");
	}
	if (file.s == NULL || line.s == NULL)
		return NULL;
	buf_clear(&h->tmp);
	esc_put(&h->tmp, file.s, file.n);
	buf_putc(&h->tmp, ':');
	esc_put(&h->tmp, line.s, line.n);
	return xstrdup(buf_str(&h->tmp));
}

/* Bytes of the operands and the result; of a library's call without the scratch
 * space at the result's end. Also puts the sizes of the operands. */
static int64_t
instr_bytes(const struct hlo *h, const struct hlo_line *l, struct buf *sizes)
{
	bool call = mv_eq(l->opcode, "custom-call");
	int64_t n = type_bytes(call ? type_part(l->type, 0) : l->type);
	struct hlo_type t;
	struct mview v;
	int i;

	for (i = 0; i < HLO_OPERANDS && operand_type(h, l, i, &v); i++) {
		n = size_add(n, type_bytes(v));
		if (i < 8 && read_type(v, &t)) {
			if (sizes->len > 0)
				buf_putc(sizes, ',');
			put_dims(sizes, &t);
		}
	}
	return n;
}

static void
sum_free(struct hlo_sum *c)
{
	buf_free(&c->shapes);
	buf_free(&c->ops);
}

/* An instruction that can be a kernel becomes a fact. */
static void
instr_fact(struct hlo *h, const struct hlo_line *l)
{
	struct mview calls = attr(l->attrs, "calls=%");
	struct hlo_sum own = { 0 };
	const struct hlo_sum *c = &own;
	struct buf sizes = { 0 };
	struct side_fact *f;
	unsigned dirs;
	uint32_t i;

	if (opcode_is(l->opcode, 'm') && !opcode_is(l->opcode, 'k'))
		return;
	if (calls.s == NULL)
		calls = attr(l->attrs, "calls=");
	i = calls.s != NULL ? smap_find(&h->comps, calls.s, calls.n)
			    : SMAP_NONE;
	if (i != SMAP_NONE)
		c = &h->comp[h->comps.val[i] - 1];
	else
		add_instr(h, &own, l);
	f = side_put(h->side, l->name.s, l->name.n);
	f->each = !mv_eq(l->opcode, "custom-call");
	f->bytes = instr_bytes(h, l, &sizes);
	if (c->partial)
		f->bytes = -1;
	f->flop = c->has_product ? c->product : c->other;
	f->family = c->family;
	f->dt = c->dt;
	dirs = c->dirs | dir_of(attr(l->attrs, "op_name="));
	f->dir = dirs == DIR_F ? "fprop" : dirs == DIR_B ? "bprop" : NULL;
	free(f->line);
	f->line = source_line(h, l);
	/* the product, or the ops with the sizes of their operands */
	buf_clear(&h->tmp);
	if (c->has_product)
		esc_put(&h->tmp, c->shapes.s, c->shapes.len);
	else if (c->ops.len > 0)
		esc_put(&h->tmp, c->ops.s, c->ops.len);
	else
		esc_put(&h->tmp, l->opcode.s, l->opcode.n);
	if (!c->has_product)
		buf_printf(&h->tmp, " [%s]", buf_str(&sizes));
	free(f->prim);
	f->prim = xstrdup(buf_str(&h->tmp));
	buf_free(&sizes);
	sum_free(&own);
	h->n_instr++;
}

/* NAME = TYPE OPCODE(OPERANDS)ATTRS, with or without ROOT and %. */
static bool
read_instr(struct mview v, struct hlo_line *l)
{
	const char *p = v.s, *e = v.s + v.n, *q;

	p = side_blanks(p, e);
	if (mv_starts(mv(p, e), "ROOT "))
		p += 5;
	p += p < e && *p == '%';
	q = mv_find(mv(p, e), " = ");
	if (q == NULL)
		return false;
	l->name = mv(p, q);
	p = q + 3;
	q = p < e && *p == '(' ? closing_of(p, e) : side_until(p, e, " ");
	q += q < e && *q == ')';
	l->type = mv(p, q);
	p = side_blanks(q, e);
	q = side_until(p, e, "(");
	if (q == e)
		return false;
	l->opcode = mv(p, q);
	p = closing_of(q, e);
	l->operands = mv(q + 1, p);
	l->attrs = mv(p, e);
	return l->name.n > 0 && l->type.n > 0 && l->opcode.n > 0;
}

/* A computation begins: %NAME (..) -> .. {. False if the line is none. */
static bool
take_head(struct hlo *h, struct mview v)
{
	const char *p = v.s, *e = v.s + v.n, *q;
	uint32_t i;

	if (v.s[0] == ' ' || !mv_ends(v, "{") || mv_find(v, "->") == NULL)
		return false;
	if (mv_starts(v, "ENTRY "))
		p += 6;
	p += p < e && *p == '%';
	q = side_until(p, e, " (");
	if (q == p)
		return false;
	i = smap_put(&h->comps, p, (size_t)(q - p), NULL);
	ARRAY_GROW(h->comp, h->n_comp, h->cap_comp);
	h->comp[h->n_comp] = (struct hlo_sum){ 0 };
	h->comps.val[i] = ++h->n_comp;
	return true;
}

static void
take_line(struct hlo *h, struct mview v)
{
	const char *p = v.n > 0 ? memchr(v.s, ' ', v.n) : NULL;
	struct hlo_line l;
	struct mview text;

	if (mv_eq(v, "FileNames")) {
		h->table = &h->files;
	} else if (mv_eq(v, "FileLocations")) {
		h->table = &h->locations;
	} else if (mv_eq(v, "StackFrames")) {
		h->table = &h->frames;
	} else if (mv_eq(v, "FunctionNames") || v.n == 0) {
		h->table = NULL;
	} else if (take_head(h, v)) {
		return;
	} else if (v.s[0] == ' ' && read_instr(v, &l)) {
		keep_text(h, &h->types, l.name, l.type);
		if (h->n_comp > 0)
			add_instr(h, &h->comp[h->n_comp - 1], &l);
		instr_fact(h, &l);
	} else if (h->table != NULL && p != NULL) {
		/* ID TEXT, below a line with the table's name */
		text = mv(p + 1, v.s + v.n);
		if (h->table == &h->files && text.n > 1 && *text.s == '"')
			text = mv(text.s + 1, text.s + text.n - 1);
		keep_text(h, h->table, mv(v.s, p), text);
	}
}

static void
take_module(struct side *s, const char *path, struct buf *text)
{
	struct hlo h = { .side = s };
	struct mview rest = { text->s, text->len }, line;
	size_t i;

	while (side_line(&rest, &line))
		take_line(&h, line);
	if (h.n_instr == 0)
		die("%s: no HLO instruction in it; the file that is needed is"
		    " *after_optimizations.txt of --xla_dump_to",
		    path);
	for (i = 0; i < h.n_comp; i++)
		sum_free(&h.comp[i]);
	free(h.comp);
	free(h.text);
	smap_free(&h.types);
	smap_free(&h.comps);
	smap_free(&h.files);
	smap_free(&h.locations);
	smap_free(&h.frames);
	buf_free(&h.tmp);
}

void
side_hlo(void *to, const char *path)
{
	side_files(to, path, "after_optimizations.txt", take_module);
}
