/* The key of an iteration: texts with their numbers dropped, and the table
 * of the frameworks' own step ranges. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "key.h"

/* Words whose number may stand right behind them: "step12". Others keep it:
 * conv1 and conv2 are two things. */
static const char *const counted[] = { "iteration", "iter", "step", "batch" };

/* What frameworks and their users' habits call a step, best first; compared
 * without numbers and case. prefix: only the beginning counts. cuts: it ends
 * a step instead of spanning it. */
static const struct {
	const char *text;
	bool prefix, cuts;
} own[] = {
	{ "profilerstep", false, false },
	{ "[pl][profile]run_training_batch", false, false },
	{ "body of iteration", false, false },
	{ "prof start iteration", false, false },
	{ "train iteration", false, false },
	{ "training iteration", false, false },
	{ "iteration", false, false },
	{ "iter", false, false },
	{ "train_step", false, false },
	{ "train step", false, false },
	{ "training_step", false, false },
	{ "training step", false, false },
	{ "global_step", false, false },
	{ "step", false, false },
	{ "train_batch", false, false },
	{ "batch", false, false },
	{ "Optimizer.step#", true, true },
};

int
key_own_count(void)
{
	return (int)(sizeof(own) / sizeof(own[0]));
}

bool
key_own_cuts(int row)
{
	return own[row].cuts;
}

const char *
key_own_text(int row)
{
	return own[row].text;
}

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) != 0;
}

static bool
is_sep(char c)
{
	return c != '\0' && strchr(" #:=_-.,/", c) != NULL;
}

/* Whether a number right behind the word that ends b[from..] is its number:
 * the word is one of those above. */
static bool
counts(const struct buf *b, size_t from)
{
	size_t i, n, at = b->len;

	while (at > from && isalpha((unsigned char)b->s[at - 1]))
		at--;
	n = b->len - at;
	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (strlen(counted[i]) == n &&
		    strncasecmp(counted[i], b->s + at, n) == 0)
			return true;
	return false;
}

/* Drops what stood between a word and its number; whether it was an opening
 * bracket. */
static bool
strip(struct buf *b, size_t from)
{
	bool open = false;

	if (b->len > from && strchr("([{", b->s[b->len - 1]) != NULL) {
		b->len--;
		open = true;
	}
	while (b->len > from && is_sep(b->s[b->len - 1]))
		b->len--;
	return open;
}

void
key_norm(struct buf *b, const char *s, size_t n)
{
	size_t from = b->len, i = 0, j;

	while (i < n) {
		for (j = i; j < n && isdigit((unsigned char)s[j]); j++)
			;
		if (j == i || (j < n && is_word(s[j])) ||
		    (i > 0 && is_word(s[i - 1]) && !counts(b, from))) {
			do
				buf_putc(b, s[i++]);
			while (i < j);
			continue;
		}
		if (strip(b, from) && j < n && strchr(")]}", s[j]) != NULL)
			j++;
		i = j;
	}
	while (b->len > from && is_sep(b->s[b->len - 1]))
		b->len--;
}

size_t
key_trim(const char *s, size_t n)
{
	static const char *const tail[] = { "seq", "op_id", "sizes",
		"input_op_ids" };
	size_t i, k, m;

	for (i = 0; i + 2 < n; i++) {
		if (s[i] != ',' || s[i + 1] != ' ')
			continue;
		for (k = 0; k < sizeof(tail) / sizeof(tail[0]); k++) {
			m = strlen(tail[k]);
			if (n - i > m + 4 &&
			    memcmp(s + i + 2, tail[k], m) == 0 &&
			    memcmp(s + i + 2 + m, " = ", 3) == 0)
				return i;
		}
	}
	return n;
}

int
key_own(struct key *k, const char *s, size_t n)
{
	size_t i, len;

	buf_clear(&k->tmp);
	key_norm(&k->tmp, s, n);
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		len = strlen(own[i].text);
		if (own[i].prefix ? n < len : k->tmp.len != len)
			continue;
		if (strncasecmp(
			own[i].prefix ? s : k->tmp.s, own[i].text, len) == 0)
			return (int)i;
	}
	return -1;
}

void
key_init(struct key *k, const char *arg, bool exact, bool cut)
{
	buf_free(&k->norm);
	buf_free(&k->tmp);
	buf_free(&k->text);
	memset(k, 0, sizeof(*k));
	k->arg = arg;
	k->exact = exact;
	k->cut = cut;
	if (arg == NULL)
		return;
	key_norm(&k->norm, arg, strlen(arg));
	if (key_own(k, arg, strlen(arg)) >= 0 &&
	    own[key_own(k, arg, strlen(arg))].cuts)
		k->cut = true;
}

int
key_range(struct key *k, const char *s, size_t n)
{
	int hit = k->cut ? STEP_CUT : STEP_RANGE;

	if (k->exact)
		return strlen(k->arg) == n && memcmp(k->arg, s, n) == 0 ? hit
									: 0;
	if (k->norm.len == 0 || n == 0 ||
	    (s[0] != k->norm.s[0] && !isdigit((unsigned char)s[0]) &&
		!is_sep(s[0])))
		return 0;
	buf_clear(&k->tmp);
	key_norm(&k->tmp, s, n);
	return k->tmp.len == k->norm.len &&
		       memcmp(k->tmp.s, k->norm.s, k->tmp.len) == 0
		   ? hit
		   : 0;
}
