/*
 * The texts of ranges around the steps of engines that serve language models:
 * vLLM's and SGLang's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mview.h"

/* What the text of a step says. Sums over its sequences: of new tokens (sq), of
 * tokens to attend to (sk), of sq * sq and sq * sk. */
struct serving_part {
	int64_t n, sq, sk, sqsq, sqsk;
	bool sized;    /* sq is known */
	bool detailed; /* the others are */
};

struct serving {
	enum {
		SERVING_EXECUTE, /* execute_context_..._generation_... */
		SERVING_STEP,    /* step[DECODE bs=32] */
		SERVING_BATCH    /* decode_batch */
	} form;
	const char *kind; /* prefill, decode, mixed */
	struct serving_part ctx, gen;
};

/* False: it is not the text of a step. */
bool serving_read(struct mview v, struct serving *s);

/* Attention of a layer in a step; -1: unknown. */
struct serving_attention {
	int64_t flop, causal; /* without a mask, and with a causal one */
	int64_t elements;     /* queries, keys, values and results */
};

/* heads: of queries, of keys and values; their sizes. See dlp-serve(1). */
struct serving_attention serving_attend(
    const struct serving *s, const int64_t heads[4]);

/* The product; -1 if it does not fit, or one of them is unknown. */
int64_t serving_times(int64_t a, int64_t b);

/* The tokens of a step; -1: unknown. */
int64_t serving_tokens(const struct serving *s);

/* Words and numbers at *p, which is moved past them. */
bool serving_word(const char **p, const char *end, const char *word);
bool serving_number(const char **p, const char *end, int64_t *v);
