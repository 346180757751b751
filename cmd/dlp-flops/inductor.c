/*
 * Inductor's output code: output_code.py of torch_compile_debug, or the log of
 * TORCH_LOGS=output_code, whose lines have a prefix up to [__output_code].
 *
 *	triton_poi_fused_gelu_3 =
 *async_compile.triton('triton_poi_fused_gelu_3', triton_meta={'signature':
 *{'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK':
 *'constexpr'}, .. xnumel = 16777216 tmp0 = tl.load(in_ptr0 + (x0), None)
 *	..
 *	    triton_poi_fused_gelu_3.run(buf2, buf3, 16777216, stream=stream0)
 *
 * Before it stand the nodes of the graph that it computes, as comments:
 *
 *	#   %add_1 : Tensor "f32[4, 256, 512]"[..] = call_function[target=..
 *
 * fx_graph_readable.py beside output_code.py has the source line of each node,
 * and the last node's is that of the kernel.
 *
 * A kernel reads and writes at most as many elements of an argument as it has
 * loads and stores of it, times its elements (xnumel, ynumel, r0_numel). The
 * size of the argument, which its range has, is the other bound.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "esc.h"
#include "lines.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "shipped.h"
#include "side.h"

struct graph_nodes { /* of fx_graph_readable.py */
	struct buf text;
	struct smap lines; /* FILE:LINE */
	struct smap nodes; /* name -> number in lines + 1 */
};

struct triton_kern { /* the kernel whose code is being read */
	struct mview name;
	struct side_arg arg[SIDE_ARGS];
	struct mview arg_name[SIDE_ARGS];
	int n;
	int64_t numel;
	bool bad;      /* not all is known */
	uint64_t line; /* its source line; 0 if unknown */
};

/*	# File: train.py:79 in forward, code: ..
 *	embedding: "f32[4, 256, 512]" = torch.ops.aten.embedding.default(.. */
static void
read_nodes(struct graph_nodes *g, const char *path)
{
	const char *q, *s, *end;
	char *beside;
	bool found;
	uint64_t line = 0;
	struct mview rest, v;
	uint32_t i;

	q = strrchr(path, '/');
	if (q != NULL)
		buf_put(&g->text, path, (size_t)(q - path) + 1);
	buf_puts(&g->text, "fx_graph_readable.py");
	beside = xmemdup(g->text.s, g->text.len);
	found = lines_all(&g->text, beside);
	free(beside);
	if (!found)
		return;
	rest = (struct mview){ g->text.s, g->text.len };
	while (side_line(&rest, &v)) {
		q = v.s + v.n;
		if ((s = mv_find(v, "# File: ")) != NULL) {
			end = mv_find(mv(s + 8, q), " in ");
			if (end == NULL)
				end = q;
			line = (uint64_t)smap_put(&g->lines, s + 8,
				   (size_t)(end - s - 8), NULL) +
			       1;
			continue;
		}
		s = side_blanks(v.s, q);
		for (end = s;
		     end < q && (isalnum((unsigned char)*end) || *end == '_');)
			end++;
		if (end == s || mv_find(v, " = ") == NULL)
			continue;
		i = smap_put(&g->nodes, s, (size_t)(end - s), NULL);
		g->nodes.val[i] = line;
	}
}

/* The text in the next pair of quotes; false if there is none. */
static bool
quoted(const char **p, const char *e, struct mview *v)
{
	const char *s = memchr(*p, '\'', (size_t)(e - *p)), *q;

	if (s == NULL || (q = memchr(s + 1, '\'', (size_t)(e - s - 1))) == NULL)
		return false;
	*v = mv(s + 1, q);
	*p = q + 1;
	return true;
}

/* 'signature': {'in_ptr0': '*fp32', .., 'xnumel': 'i32'} */
static void
take_signature(struct triton_kern *k, const char *p, const char *e)
{
	const char *end = memchr(p, '}', (size_t)(e - p));
	struct mview name, type, bytes;

	if (end == NULL)
		end = e;
	while (quoted(&p, end, &name) && quoted(&p, end, &type)) {
		if (k->n == SIDE_ARGS) {
			k->bad = true;
			return;
		}
		k->arg_name[k->n] = name;
		bytes = vocab_find("triton", type.s, type.n);
		k->arg[k->n].size = bytes.s != NULL ? atoi(bytes.s) : 0;
		k->bad |=
		    type.n > 0 && *type.s == '*' && k->arg[k->n].size == 0;
		k->n++;
	}
}

/* tl.load(in_ptr0 + (x0), ..), tl.store(out_ptr0 + (x0), ..) */
static void
take_access(struct triton_kern *k, const char *p, const char *e)
{
	const char *s = p, *end = e, *q;
	int i, deep = 0;

	p = side_until(p, e, " ,)");
	for (q = p; q < e; q++) { /* the address: up to its comma */
		deep += *q == '(';
		deep -= *q == ')';
		if ((*q == ',' && deep == 0) || deep < 0) {
			end = q;
			break;
		}
	}
	for (i = 0; i < k->n; i++)
		if (k->arg_name[i].n == (size_t)(p - s) &&
		    memcmp(k->arg_name[i].s, s, (size_t)(p - s)) == 0) {
			k->arg[i].n_access++;
			/* which part it is depends on data */
			k->bad |= mv_find(mv(p, end), "tmp") != NULL;
		}
}

/* xnumel = 1024 */
static void
take_numel(struct triton_kern *k, struct mview v)
{
	const char *p = mv_find(v, "numel = "), *q, *e = v.s + v.n;
	const char *s = side_blanks(v.s, e);
	int64_t n;

	if (p == NULL || p - s > 3 || p == s)
		return;
	p += 8;
	for (q = p; q < e && *q >= '0' && *q <= '9';)
		q++;
	if (q > p && num_i64(p, (size_t)(q - p), &n))
		k->numel = size_mul(k->numel, n);
}

static void
kern_done(struct side *side, const struct graph_nodes *g, struct triton_kern *k)
{
	struct side_fact *f;
	struct buf b = { 0 };
	const char *s;
	size_t n;

	if (k->name.s == NULL)
		return;
	if (k->bad)
		k->n = 0;
	f = side_put(side, k->name.s, k->name.n);
	/* Forward and backward graph, or two models, can have kernels of one
	 * name with different code: nothing tells which one ran. */
	if (f->numel != 0 && (f->numel != k->numel || f->n_arg != k->n ||
				 memcmp(f->arg, k->arg, sizeof(f->arg)) != 0)) {
		k->n = 0;
		k->line = 0;
	}
	free(f->line);
	f->line = NULL;
	if (k->line != 0) {
		s = smap_str(&g->lines, (uint32_t)(k->line - 1), &n);
		esc_put(&b, s, n);
		f->line = xstrdup(buf_str(&b));
		buf_free(&b);
	}
	f->n_arg = k->n;
	f->numel = k->numel;
	memcpy(f->arg, k->arg, sizeof(f->arg));
	k->name = mv(NULL, NULL);
}

static void
take_code_line(struct side *s, const struct graph_nodes *g,
    struct triton_kern *k, uint64_t *line, struct mview v)
{
	const char *e = v.s + v.n, *p = mv_find(v, "#   %"), *q;
	uint32_t i;

	if (p != NULL && mv_find(v, "= call_function[") != NULL) {
		p += 5; /* the name of a node, in a comment */
		q = memchr(p, ' ', (size_t)(e - p));
		i = smap_find(&g->nodes, p, (size_t)((q != NULL ? q : e) - p));
		if (i != SMAP_NONE && g->nodes.val[i] != 0)
			*line = g->nodes.val[i];
	}
	if ((p = mv_find(v, "async_compile.triton(")) != NULL) {
		kern_done(s, g, k);
		memset(k, 0, sizeof(*k));
		k->numel = 1;
		k->line = *line;
		if (!quoted(&p, e, &k->name))
			k->name = mv(NULL, NULL);
		*line = 0;
		return;
	}
	if (k->name.s == NULL)
		return;
	if (mv_starts(v, "''', device_str") || mv_starts(v, "def call(")) {
		kern_done(s, g, k);
		return;
	}
	if ((p = mv_find(v, "'signature': {")) != NULL)
		take_signature(k, p + 14, e);
	take_numel(k, v);
	for (p = v.s; (p = mv_find(mv(p, e), "tl.load(")) != NULL; p += 8)
		take_access(k, p + 8, e);
	for (p = v.s; (p = mv_find(mv(p, e), "tl.store(")) != NULL; p += 9)
		take_access(k, p + 9, e);
	if (mv_find(v, "tl.atomic_") != NULL)
		k->bad = true;
}

static void
take_code(struct side *s, const char *path, struct buf *text)
{
	static const char mark[] = "[__output_code] ";
	const char *m;
	struct triton_kern k = { 0 };
	struct graph_nodes g = { 0 };
	uint64_t line = 0;
	size_t was = s->n;
	struct mview all = { text->s, text->len }, rest = all, v;

	read_nodes(&g, path);
	while (side_line(&rest, &v)) {
		if ((m = mv_find(v, mark)) != NULL)
			v = mv(m + sizeof(mark) - 1, v.s + v.n);
		take_code_line(s, &g, &k, &line, v);
	}
	kern_done(s, &g, &k);
	buf_free(&g.text);
	smap_free(&g.lines);
	smap_free(&g.nodes);
	if (s->n == was && mv_find(all, "AsyncCompile") == NULL)
		die("%s: no output code of Inductor in it; the file that is"
		    " needed is output_code.py of torch_compile_debug, or the"
		    " log of TORCH_LOGS=output_code",
		    path);
}

void
side_inductor(void *to, const char *path)
{
	side_files(to, path, "output_code.py", take_code);
}
