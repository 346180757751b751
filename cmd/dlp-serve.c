/*
 * dlp-serve: the steps of an engine that serves a language model: prefill,
 * decode, mixed. vLLM and SGLang write the sizes of a step into the text of a
 * range around it; the work that is launched inside is the step's.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "err.h"
#include "ivl.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "serving.h"
#include "stage.h"
#include "steps.h"
#include "workrec.h"

struct serve_step {
	struct serving text;
	int64_t start, end, layers;
	struct ivl gpu;
	uint64_t n_kern;
	bool live;
};

struct serve_proc { /* a process: its steps follow each other */
	struct buf src;
	int64_t pid, no, gpu_end, decode_end;
	bool has_end, has_decode;
	struct steps_earlier earlier;
	struct serve_step step;
};

struct serve_capture { /* a graph as it was captured, for up to size tokens */
	int64_t size, end, layers;
};

struct serve {
	struct serve_capture *cap_v;
	size_t cap_n, cap_cap;
	struct serve_proc *proc;
	size_t n, cap;
	int64_t heads[4], layers, params, elem; /* 0: unknown */
	int64_t seen[4], seen_layers;           /* the same, as ops show */
	bool any, in_section;                   /* steps */
	struct out_src_type type;
};

/* The sizes of vllm::unified_attention_with_output: queries, keys and values as
 * [tokens, heads, size]. */
static bool
read_heads(struct mview v, int64_t heads[4])
{
	const char *p = mv_find(v, "sizes = [["), *end = v.s + v.n;
	int64_t d[9];
	int i;

	if (mv_find(v, "unified_attention") == NULL || p == NULL)
		return false;
	p += strlen("sizes = [");
	for (i = 0; i < 9; i++)
		if (!serving_word(&p, end,
			i == 0       ? "["
			: i % 3 == 0 ? "], ["
				     : ", ") ||
		    !serving_number(&p, end, &d[i]))
			return false;
	if (!serving_word(&p, end, "]"))
		return false;
	heads[0] = d[1];
	heads[1] = d[4];
	heads[2] = d[2];
	heads[3] = d[8];
	return true;
}

/* capture_32_FULL is around the launches of the graph for up to 32 tokens. */
static bool
read_capture(struct serve *sv, struct mview v, const struct workrec *w)
{
	const char *p = v.s, *end = v.s + v.n;
	int64_t size;

	if (!serving_word(&p, end, "capture_") ||
	    !serving_number(&p, end, &size))
		return false;
	ARRAY_GROW(sv->cap_v, sv->cap_n, sv->cap_cap);
	sv->cap_v[sv->cap_n++] = (struct serve_capture){ size, w->end, 0 };
	return true;
}

/* The layers of the smallest graph for so many tokens; 0: there is none. */
static int64_t
captured_layers(const struct serve *sv, int64_t tokens)
{
	const struct serve_capture *c, *best = NULL;

	for (c = sv->cap_v; c < sv->cap_v + sv->cap_n; c++)
		if (c->size >= tokens && (best == NULL || c->size < best->size))
			best = c;
	return best != NULL ? best->layers : 0;
}

/* Records. */

static const char *const serve_cols[] = { "step", "kind", "start_ns", "dur_ns",
	"n_ctx", "n_gen", "ctx_tokens", "gen_tokens", "tokens", "kv_tokens",
	"n_kern", "gpu_start_ns", "gpu_end_ns", "gpu_ns", "bubble_ns",
	"step_ns", "tokens_s", "tpot_ns", "attn_flop", "attn_causal_flop",
	"attn_bytes", "gemm_flop", "batch_to", "context_to", "src" };

/* The power of two from v up; 0 if v is not above 0. */
static int64_t
power_from(int64_t v)
{
	int64_t n = 1;

	while (n < v && n <= INT64_MAX / 2)
		n *= 2;
	return v > 0 ? n : 0;
}

/* See dlp-serve(1), Attention. */
static void
put_attention(const struct serve *sv, const struct serve_step *s)
{
	const int64_t *h = sv->heads[0] > 0 ? sv->heads : sv->seen;
	int64_t layers = sv->layers > 0        ? sv->layers
			 : s->layers > 0       ? s->layers
			 : sv->seen_layers > 0 ? sv->seen_layers
					       : 1;
	struct serving_attention a = serving_attend(&s->text, h);
	int64_t flop = serving_times(a.flop, layers);
	int64_t causal = serving_times(a.causal, layers);
	int64_t bytes =
	    serving_times(serving_times(a.elements, sv->elem), layers);

	out_opt(flop >= 0, flop);
	out_opt(causal >= 0, causal);
	out_opt(bytes >= 0, bytes);
}

static void
put_times(struct serve_proc *p, const struct serve_step *s, int64_t tokens)
{
	bool any = s->gpu.n > 0, decode = s->text.kind[0] == 'd';
	int64_t from = any ? s->gpu.v[0].lo : 0;
	int64_t to = any ? s->gpu.v[s->gpu.n - 1].hi : 0;
	int64_t begin = p->has_end ? p->gpu_end : from, step;

	if (any && !p->has_end && p->earlier.end > from &&
	    steps_earlier_delays(&p->earlier, ivl_len(&s->gpu), to))
		begin = p->earlier.end;
	step = num_sub(to, begin);
	out_i64((int64_t)s->n_kern);
	out_opt(any, from);
	out_opt(any, to);
	out_opt(any, ivl_len(&s->gpu));
	out_opt(any && p->has_end,
	    from > p->gpu_end ? num_sub(from, p->gpu_end) : 0);
	out_opt(any && step > 0, step);
	out_f64(any && step > 0 && tokens >= 0,
	    (double)tokens * 1e9 / (double)step, 1);
	out_opt(any && decode && p->has_decode && to > p->decode_end,
	    num_sub(to, p->decode_end));
	if (!any)
		return;
	p->gpu_end = p->has_end && p->gpu_end > to ? p->gpu_end : to;
	p->has_end = true;
	if (decode) {
		p->decode_end = to;
		p->has_decode = true;
	}
}

/* Writes the step, and forgets it. */
static void
close_step(struct serve *sv, struct serve_proc *p)
{
	struct serve_step *s = &p->step;
	int64_t gemm, tokens = serving_tokens(&s->text);
	int64_t kv = num_add(s->text.ctx.sk, s->text.gen.sk);
	int64_t batch = num_add(s->text.ctx.n, s->text.gen.n);
	bool several = p->src.len > 0;
	bool detailed = s->text.ctx.detailed || s->text.gen.detailed;

	if (!s->live)
		return;
	s->live = false;
	if (s->layers == 0)
		s->layers = captured_layers(sv, tokens);
	if (s->layers > sv->seen_layers)
		sv->seen_layers = s->layers;
	out_rec_src(
	    &sv->type, "serve", serve_cols, ARRAY_LEN(serve_cols), several);
	out_i64(p->no++);
	out_raw(s->text.kind, strlen(s->text.kind));
	out_i64(s->start);
	out_i64(num_sub(s->end, s->start));
	out_opt(tokens >= 0, s->text.ctx.n);
	out_opt(tokens >= 0, s->text.gen.n);
	out_opt(tokens >= 0, s->text.ctx.sq);
	out_opt(tokens >= 0, s->text.gen.sq);
	out_opt(tokens >= 0, tokens);
	out_opt(detailed, kv);
	put_times(p, s, tokens);
	put_attention(sv, s);
	gemm = serving_times(serving_times(2, sv->params), tokens);
	out_opt(sv->params > 0 && tokens >= 0 && gemm >= 0, gemm);
	out_opt(batch > 0, power_from(batch));
	out_opt(detailed && batch > 0,
	    power_from(batch > 0 ? num_add(kv, batch - 1) / batch : 0));
	if (several)
		out_raw(p->src.s, p->src.len);
	out_end();
	ivl_clear(&s->gpu);
}

static struct serve_proc *
proc_of(struct serve *sv, const struct workrec *w, bool make)
{
	struct serve_proc *p;
	size_t n = w->src.s != NULL ? w->src.n : 0;

	for (p = sv->proc; p < sv->proc + sv->n; p++)
		if (p->pid == w->pid && p->src.len == n &&
		    (n == 0 || memcmp(p->src.s, w->src.s, n) == 0))
			return p;
	if (!make)
		return NULL;
	ARRAY_GROW(sv->proc, sv->n, sv->cap);
	p = &sv->proc[sv->n++];
	memset(p, 0, sizeof(*p));
	p->pid = w->pid;
	buf_put(&p->src, w->src.s, n);
	return p;
}

/* A step inside of a step says the same again: SGLang's step[] is inside of
 * execute_...(). */
static void
take_range(struct stage *st, struct rec *r)
{
	struct serve *sv = st->ctx;
	struct serve_proc *p;
	struct serving text;
	struct workrec w;
	struct mview v;
	struct ivl gpu;

	work_read(&w, r);
	v = rec_get(r, COL_text);
	if (v.s == NULL || !w.has_dur) {
		stage_pass(st, r);
		return;
	}
	if (read_heads(v, sv->seen)) {
		p = proc_of(sv, &w, false);
		if (p != NULL && p->step.live && w.start < p->step.end)
			p->step.layers++;
		else if (sv->cap_n > 0 &&
			 w.start < sv->cap_v[sv->cap_n - 1].end)
			sv->cap_v[sv->cap_n - 1].layers++;
	} else if (read_capture(sv, v, &w)) {
		/* steps follow */
	} else if (serving_read(v, &text)) {
		p = proc_of(sv, &w, true);
		if (!p->step.live || w.start >= p->step.end) {
			close_step(sv, p);
			gpu = p->step.gpu;
			p->step = (struct serve_step){ .text = text,
				.start = w.start,
				.end = w.end,
				.gpu = gpu,
				.live = true };
			sv->any = sv->in_section = true;
		}
	}
	stage_pass(st, r);
}

static void
take_work(struct stage *st, struct rec *r)
{
	struct serve *sv = st->ctx;
	bool kern = rec_type_tag(r->type)[0] == 'k';
	struct serve_proc *p;
	struct workrec w;

	work_read(&w, r);
	p = proc_of(sv, &w, true);
	if (w.has_dur)
		steps_earlier_add(&p->earlier, &w, true);
	if (w.has_api && w.has_dur && p->step.live && w.api >= p->step.start &&
	    w.api < p->step.end) {
		ivl_add(&p->step.gpu, w.start, w.end);
		p->step.n_kern += kern;
	}
	stage_pass(st, r);
}

static void
forget_procs(struct serve *sv)
{
	struct serve_proc *p;

	for (p = sv->proc; p < sv->proc + sv->n; p++) {
		ivl_free(&p->step.gpu);
		buf_free(&p->src);
	}
	sv->n = sv->cap_n = 0;
	memset(sv->seen, 0, sizeof(sv->seen));
	sv->seen_layers = 0;
}

static void
finish_serve(struct stage *st)
{
	struct serve *sv = st->ctx;
	struct serve_proc *p;

	for (p = sv->proc; p < sv->proc + sv->n; p++)
		close_step(sv, p);
	if (!sv->in_section)
		out_src_legend(
		    &sv->type, "serve", serve_cols, ARRAY_LEN(serve_cols));
	sv->in_section = false;
	forget_procs(sv);
}

static void
read_count(const char *option, const char *s, int64_t *v)
{
	if (s != NULL && (!num_i64(s, strlen(s), v) || *v <= 0))
		die("%s: '%s' is not a number above 0", option, s);
}

/* HQ,HKV,D[,DV] */
static void
read_head_list(const char *s, int64_t heads[4])
{
	const char *p = s, *end;
	int i;

	if (s == NULL)
		return;
	end = s + strlen(s);
	for (i = 0; i < 4; i++)
		if ((i > 0 && !serving_word(&p, end, ",")) ||
		    !serving_number(&p, end, &heads[i]) || heads[i] <= 0)
			break;
	if (i == 3)
		heads[3] = heads[2];
	if (i < 3 || p != end)
		die("--heads: '%s' is not HQ,HKV,D or HQ,HKV,D,DV", s);
}

int
main(int argc, char **argv)
{
	static const char *heads, *layers, *params, *elem, *warn_as;
	static const struct cli_opt opts[] = {
		{ 0, "heads", .arg = &heads },
		{ 0, "layers", .arg = &layers },
		{ 0, "params", .arg = &params },
		{ 0, "elem", .arg = &elem },
		{ 0, "warn-as", .arg = &warn_as },
		{ 0 },
	};
	static struct serve sv = { .elem = 2 };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-serve", opts, argc, argv);
	read_head_list(heads, sv.heads);
	read_count("--layers", layers, &sv.layers);
	read_count("--params", params, &sv.params);
	read_count("--elem", elem, &sv.elem);
	st.ctx = &sv;
	st.end = finish_serve;
	stage_on(&st, "range", take_range, .need = "start_ns dur_ns text",
	    .opt = "pid src");
	stage_on(&st, "kern copy set graph", take_work,
	    .need = "start_ns dur_ns",
	    .opt = "api_start_ns api_dur_ns pid src");
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	if (rc == EXIT_OK && !sv.any && warn_as != NULL) {
		err_prog(warn_as);
		warn("no steps of vLLM or SGLang: record an engine whose ranges"
		     " have their texts, see dlp-serve(1)");
		err_prog("dlp-serve");
	}
	forget_procs(&sv);
	return out_finish(rc);
}
