#include "serving.h"

#include <ctype.h>
#include <string.h>

#include "num.h"

bool
serving_number(const char **p, const char *end, int64_t *v)
{
	const char *s = *p;

	while (*p < end && isdigit((unsigned char)**p))
		(*p)++;
	return num_i64(s, (size_t)(*p - s), v);
}

bool
serving_word(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

/* N(TOKENS), N(TOKENS_SQUARES) or N(sqAskBsqsqCsqskD). The squares are those of
 * the tokens or of what they attend to: one trace does not tell which. */
static bool
take_part(const char **p, const char *end, struct serving_part *t)
{
	int64_t rest;

	if (!serving_number(p, end, &t->n) || !serving_word(p, end, "("))
		return false;
	if (serving_number(p, end, &t->sq)) {
		t->sized = true;
		if (serving_word(p, end, "_") && !serving_number(p, end, &rest))
			return false;
		return serving_word(p, end, ")");
	}
	t->sized = t->detailed =
	    serving_word(p, end, "sq") && serving_number(p, end, &t->sq) &&
	    serving_word(p, end, "sk") && serving_number(p, end, &t->sk) &&
	    serving_word(p, end, "sqsq") && serving_number(p, end, &t->sqsq) &&
	    serving_word(p, end, "sqsk") && serving_number(p, end, &t->sqsk);
	return t->detailed && serving_word(p, end, ")");
}

/* vLLM: execute_context_1(512)_generation_3(3), and with sizes
 * execute_515_context_1(sq512sk...)_generation_3(...); SGLang writes the second
 * form, too. */
static bool
read_vllm(const char *p, const char *end, struct serving *s)
{
	int64_t all;

	if (!serving_word(&p, end, "execute_"))
		return false;
	if (serving_number(&p, end, &all) && !serving_word(&p, end, "_"))
		return false;
	if (!serving_word(&p, end, "context_") ||
	    !take_part(&p, end, &s->ctx) ||
	    !serving_word(&p, end, "_generation_") ||
	    !take_part(&p, end, &s->gen))
		return false;
	s->kind = s->gen.n == 0   ? "prefill"
		  : s->ctx.n == 0 ? "decode"
				  : "mixed";
	return true;
}

/* SGLang: step[DECODE bs=32], step[EXTEND bs=15 toks=15360]. A decode step
 * makes a token for each sequence. */
static bool
read_sglang(const char *p, const char *end, struct serving *s)
{
	int64_t bs, toks = -1;

	if (!serving_word(&p, end, "step["))
		return false;
	s->kind = serving_word(&p, end, "DECODE")   ? "decode"
		  : serving_word(&p, end, "EXTEND") ? "prefill"
		  : serving_word(&p, end, "MIXED")  ? "mixed"
						    : NULL;
	if (s->kind == NULL || !serving_word(&p, end, " bs=") ||
	    !serving_number(&p, end, &bs))
		return false;
	if (serving_word(&p, end, " toks=") && !serving_number(&p, end, &toks))
		return false;
	s->ctx.sized = s->gen.sized = s->kind[0] == 'd' || toks >= 0;
	if (s->kind[0] == 'd') {
		s->gen.n = bs;
		s->gen.sq = toks >= 0 ? toks : bs;
	} else {
		s->ctx.n = bs;
		s->ctx.sq = toks >= 0 ? toks : 0;
	}
	return true;
}

bool
serving_read(struct mview v, struct serving *s)
{
	const char *end = v.s + v.n;

	*s = (struct serving){ .form = SERVING_EXECUTE };
	if (v.n < 8 || (v.s[0] != 'e' && v.s[0] != 's' && v.s[0] != 'p' &&
			   v.s[0] != 'd' && v.s[0] != 'm'))
		return false;
	if (read_vllm(v.s, end, s))
		return true;
	*s = (struct serving){ .form = SERVING_STEP };
	if (read_sglang(v.s, end, s))
		return true;
	/* vLLM's NVTX ranges have the kind alone */
	*s = (struct serving){ .form = SERVING_BATCH };
	s->kind = mv_eq(v, "prefill_batch")  ? "prefill"
		  : mv_eq(v, "decode_batch") ? "decode"
		  : mv_eq(v, "mixed_batch")  ? "mixed"
					     : NULL;
	return s->kind != NULL;
}

int64_t
serving_tokens(const struct serving *s)
{
	return s->ctx.sized || s->gen.sized ? num_add(s->ctx.sq, s->gen.sq)
					    : -1;
}

int64_t
serving_times(int64_t a, int64_t b)
{
	int64_t r;

	return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r) ? -1 : r;
}

struct serving_attention
serving_attend(const struct serving *s, const int64_t h[4])
{
	const struct serving_part *c = &s->ctx, *g = &s->gen;
	struct serving_attention a = { -1, -1, -1 };
	int64_t d = num_add(h[2], h[3]), per, half, qo, kv;

	if (h[0] <= 0 || (c->n > 0 && !c->detailed) ||
	    (g->n > 0 && !g->detailed) || c->n + g->n == 0)
		return a;
	per = serving_times(serving_times(2, h[0]), d);
	a.flop = serving_times(per, num_add(c->sqsk, g->sqsk));
	/* half of sqsq is a whole number of FLOPs: per is even */
	half = serving_times(per / 2, c->sqsq);
	a.causal = a.flop >= 0 && half >= 0 ? a.flop - half : -1;
	qo = serving_times(serving_times(num_add(c->sq, g->sq), h[0]), d);
	kv = serving_times(serving_times(num_add(c->sk, g->sk), h[1]), d);
	if (qo >= 0 && kv >= 0 && qo <= INT64_MAX - kv)
		a.elements = qo + kv;
	return a;
}
