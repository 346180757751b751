/*
 * The scanner of torch.profiler's traces; see kineto.h. It is a pushdown
 * automaton over bytes, so that pieces can end anywhere, and so that an error
 * has a place. Texts are checked to be UTF-8 without control characters,
 * because traces with neither were seen, and other programs refuse them, too.
 */
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "kineto.h"

#define DEPTH_MOST 512 /* of brackets; real traces have less than 10 */

/* KEPT_MOST bytes of one event or value are kept. */
#define KEPT_MOST ((size_t)32 << 20)
#define KEY_MOST 256 /* bytes of an outermost key; no known key has so many */

enum { /* what comes next */
	S_VALUE,
	S_VALUE_OR_END, /* after [ */
	S_KEY_OR_END,   /* after { */
	S_KEY,          /* after , in an object */
	S_COLON,
	S_COMMA,  /* or the bracket that closes */
	S_STRING, /* within a text */
	S_ESCAPE, /* after a backslash; sub: hex digits to come */
	S_NUMBER,
	S_WORD,
	S_END, /* blanks only */
	S_BOM, /* at the first byte; sub: bytes of a byte order mark */
};

enum { /* within a number: what was read last */
	N_MINUS,
	N_ZERO,
	N_INT,
	N_POINT,
	N_FRAC,
	N_E,
	N_E_SIGN,
	N_EXP,
};

static const char *
wanted(int state)
{
	static const char *const what[] = {
		[S_VALUE] = "a value",
		[S_VALUE_OR_END] = "a value or ]",
		[S_KEY_OR_END] = "a key or }",
		[S_KEY] = "a key",
		[S_COLON] = ":",
		[S_COMMA] = ", or a closing bracket",
		[S_STRING] = "UTF-8 without control characters",
		[S_ESCAPE] = "an escape",
		[S_NUMBER] = "the rest of a number or word",
		[S_WORD] = "the rest of a number or word",
		[S_END] = "the end",
		[S_BOM] = "the rest of a number or word",
	};

	return what[state];
}

static bool
is_blank_byte(unsigned char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* After a value: the state that follows in the bracket around it. */
static void
value_over(struct kineto_scan *k)
{
	k->state = k->depth > 0 ? S_COMMA : S_END;
	k->over = true;
}

static bool
close_bracket(struct kineto_scan *k, char open)
{
	if (k->depth == 0 || k->stack.s[k->depth - 1] != open)
		return false;
	k->stack.len = --k->depth;
	value_over(k);
	return true;
}

static bool
begin_value(struct kineto_scan *k, unsigned char c)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;

	if (c == '{' || c == '[') {
		if (k->depth == DEPTH_MOST)
			return false;
		buf_putc(&k->stack, (char)c);
		k->depth++;
		k->state = c == '{' ? S_KEY_OR_END : S_VALUE_OR_END;
		return true;
	}
	if (c == '"') {
		k->state = S_STRING;
		k->sub = 0;
		return true;
	}
	if (c == '-' || (c >= '0' && c <= '9')) {
		k->state = S_NUMBER;
		k->sub = c == '-' ? N_MINUS : c == '0' ? N_ZERO : N_INT;
		return true;
	}
	for (i = 0; i < 3; i++)
		if (c == (unsigned char)words[i][0]) {
			k->state = S_WORD;
			k->word = words[i] + 1;
			return true;
		}
	return false;
}

/* 1: the byte belongs to the number; 0: the number ended before it; -1: it
 * cannot stand here. */
static int
number_byte(struct kineto_scan *k, unsigned char c)
{
	bool digit = c >= '0' && c <= '9';
	int was = k->sub;

	if (digit && was != N_ZERO) {
		k->sub = was == N_MINUS   ? (c == '0' ? N_ZERO : N_INT)
			 : was == N_POINT ? N_FRAC
			 : was == N_E || was == N_E_SIGN ? N_EXP
							 : was;
		return 1;
	}
	if (c == '.' && (was == N_ZERO || was == N_INT)) {
		k->sub = N_POINT;
		return 1;
	}
	if ((c == 'e' || c == 'E') &&
	    (was == N_ZERO || was == N_INT || was == N_FRAC)) {
		k->sub = N_E;
		return 1;
	}
	if ((c == '+' || c == '-') && was == N_E) {
		k->sub = N_E_SIGN;
		return 1;
	}
	if (digit || was == N_MINUS || was == N_POINT || was == N_E ||
	    was == N_E_SIGN)
		return -1;
	return 0;
}

/* The first byte of a character of several; false if it cannot be one. */
static bool
utf8_first(struct kineto_scan *k, unsigned char c)
{
	if (c < 0xc2 || c > 0xf4)
		return false;
	k->more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	k->low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	k->high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	return true;
}

/* A byte of a text that is not plain; sub is 1 in a key. */
static bool
string_byte(struct kineto_scan *k, unsigned char c)
{
	if (k->more > 0) {
		if (c < k->low || c > k->high)
			return false;
		k->more--;
		k->low = 0x80;
		k->high = 0xbf;
		return true;
	}
	if (c == '"') {
		if (k->sub == 1)
			k->state = S_COLON;
		else
			value_over(k);
		return true;
	}
	if (c == '\\') {
		k->state = S_ESCAPE;
		k->sub <<= 4;
		return true;
	}
	return c >= 0x80 ? utf8_first(k, c) : c >= 0x20;
}

/* sub: whether the text is a key in its high half, hex digits to come in the
 * low one. */
static bool
escape_byte(struct kineto_scan *k, unsigned char c)
{
	int digits = k->sub & 15;

	if (digits == 0 && c == 'u') {
		k->sub |= 4;
		return true;
	}
	if (c == '\0' ||
	    strchr(digits > 0 ? "0123456789abcdefABCDEF" : "\"\\/bfnrt", c) ==
		NULL)
		return false;
	if (digits > 1) {
		k->sub--;
		return true;
	}
	k->sub >>= 4;
	k->state = S_STRING;
	return true;
}

/* A byte between values that is not blank. */
static bool
structure_byte(struct kineto_scan *k, unsigned char c)
{
	switch (k->state) {
	case S_VALUE_OR_END:
		if (c == ']')
			return close_bracket(k, '[');
		/* fall through */
	case S_VALUE:
		return begin_value(k, c);
	case S_KEY_OR_END:
		if (c == '}')
			return close_bracket(k, '{');
		/* fall through */
	case S_KEY:
		if (c != '"')
			return false;
		k->state = S_STRING;
		k->sub = 1;
		if (k->depth == 1)
			buf_clear(&k->key);
		return true;
	case S_COLON:
		k->state = S_VALUE;
		return c == ':';
	case S_COMMA:
		if (c == ',') {
			k->state =
			    k->stack.s[k->depth - 1] == '{' ? S_KEY : S_VALUE;
			return true;
		}
		return c == ']' ? close_bracket(k, '[')
				: c == '}' && close_bracket(k, '{');
	default:
		return false;
	}
}

/* One byte; false if it cannot stand here. */
static bool
scan_byte(struct kineto_scan *k, unsigned char c)
{
	int r;

	switch (k->state) {
	case S_STRING:
		return string_byte(k, c);
	case S_ESCAPE:
		return escape_byte(k, c);
	case S_WORD:
		if ((unsigned char)*k->word != c)
			return false;
		if (*++k->word == '\0')
			value_over(k);
		return true;
	case S_NUMBER:
		if ((r = number_byte(k, c)) != 0)
			return r > 0;
		value_over(k);
		break;
	default:
		break;
	}
	return is_blank_byte(c) || structure_byte(k, c);
}

/* The outermost brackets: the events are in the array of the key traceEvents,
 * or in the array that is the whole text. */
static bool
at_event(const struct kineto_scan *k)
{
	return k->events_depth > 0 && k->depth == k->events_depth;
}

static bool
at_head(const struct kineto_scan *k)
{
	return k->depth == 1 && k->stack.s[0] == '{';
}

/* Before a byte at which a value begins: true if the value is to be kept. */
static bool
begins_kept(struct kineto_scan *k, unsigned char c)
{
	if (k->keeping || (k->state != S_VALUE && k->state != S_VALUE_OR_END) ||
	    is_blank_byte(c) || c == ']')
		return false;
	if (k->depth == 0 && c == '[') {
		k->events_depth = 1;
		return false;
	}
	if (at_head(k) && c == '[' && k->key.len == 11 &&
	    memcmp(k->key.s, "traceEvents", 11) == 0) {
		k->events_depth = 2;
		return false;
	}
	return at_event(k) || at_head(k);
}

static void
kept_over(struct kineto_scan *k, const char *s, size_t n)
{
	if (k->kept.len > 0) {
		buf_put(&k->kept, s, n);
		s = k->kept.s;
		n = k->kept.len;
	}
	k->keeping = false;
	if (k->kept_event)
		k->odd += k->event(k->ctx, s, s + n) == NULL;
	else
		k->head(k->ctx, &k->key, s, n);
	buf_clear(&k->kept);
}

static void
refuse_byte(struct kineto_scan *k, unsigned char c, uint64_t at)
{
	char byte[16];

	if (k->depth == DEPTH_MOST && (c == '[' || c == '{'))
		die("%s: JSON nested more than %d deep at byte %llu", k->name,
		    DEPTH_MOST, (unsigned long long)at);
	snprintf(byte, sizeof(byte),
	    c >= 0x20 && c < 0x7f ? "'%c'" : "the byte 0x%02x", c);
	die("%s: broken JSON at byte %llu: expected %s, found %s"
	    " (--resync skips what is broken)",
	    k->name, (unsigned long long)at, wanted(k->state), byte);
}

/* After an error bytes are skipped up to { and a key that events begin with.
 * True if b can be such a beginning; *whole: it is a complete one. */
static bool
is_beginning(const struct buf *b, bool *whole)
{
	static const char *const keys[] = { "\"ph\"", "\"name\"", "\"cat\"" };
	size_t i, k, n = 1;

	*whole = false;
	if (b->s[0] != '{')
		return false;
	while (n < b->len && is_blank_byte((unsigned char)b->s[n]))
		n++;
	for (i = 0; i < 3; i++) {
		k = b->len - n;
		if (k > strlen(keys[i]))
			k = strlen(keys[i]);
		if (memcmp(b->s + n, keys[i], k) != 0)
			continue;
		*whole = k == strlen(keys[i]);
		return true;
	}
	return false;
}

static void
resume(struct kineto_scan *k)
{
	struct buf again = k->kept;
	uint64_t at = k->at;

	memset(&k->kept, 0, sizeof(k->kept));
	k->skipping = false;
	if (k->events_depth == 0)
		k->events_depth = 2;
	buf_clear(&k->stack);
	buf_puts(&k->stack, k->events_depth == 2 ? "{[" : "[");
	k->depth = k->events_depth;
	k->state = S_VALUE;
	k->more = 0;
	kineto_scan_feed(k, again.s, again.len);
	k->at = at;
	buf_free(&again);
}

static void
skip_byte(struct kineto_scan *k, char c)
{
	bool whole;

	buf_putc(&k->kept, c);
	while (k->kept.len > 0 && !is_beginning(&k->kept, &whole)) {
		k->lost++;
		k->kept.len--;
		memmove(k->kept.s, k->kept.s + 1, k->kept.len);
	}
	if (k->kept.len > 0 && whole)
		resume(k);
}

/* Scans the byte s[i]; false if it cannot stand here. *from is where the value
 * that is kept begins in s. */
static bool
scan_one(struct kineto_scan *k, const char *s, size_t i, size_t *from)
{
	unsigned char c = (unsigned char)s[i];
	bool key = k->depth == 1 && k->state == S_STRING && k->sub == 1;

	if (begins_kept(k, c)) {
		k->keeping = true;
		k->kept_event = at_event(k);
		k->kept_number = c == '-' || (c >= '0' && c <= '9');
		k->kept_depth = k->depth;
		*from = i;
	}
	k->over = false;
	if (!scan_byte(k, c))
		return false;
	if (key && k->state == S_STRING && k->key.len < KEY_MOST)
		buf_putc(&k->key, (char)c);
	if (!k->over || !k->keeping)
		return true;
	/* a number ends before the byte that ends it */
	if (k->kept_number)
		kept_over(k, s + *from, i - *from);
	else if (k->depth == k->kept_depth)
		kept_over(k, s + *from, i + 1 - *from);
	return true;
}

/* Skips what is broken, or refuses it. */
static void
scan_error(struct kineto_scan *k, const char *s, size_t i, size_t from)
{
	if (!k->resync)
		refuse_byte(k, (unsigned char)s[i], k->at + i);
	if (k->keeping)
		k->lost += k->kept.len + i - from;
	k->keeping = false;
	k->skipping = true;
	k->breaks++;
	buf_clear(&k->kept);
	skip_byte(k, s[i]);
}

/* The end of a run of bytes that change no state, from i on: within texts,
 * between values, and the digits of numbers. Nearly all bytes are in such runs.
 */
static size_t
skip_run(const struct kineto_scan *k, const char *s, size_t i, size_t n)
{
	if (k->state == S_STRING) {
		if (k->more == 0 && k->depth > 1)
			while (i < n && k->plain[(unsigned char)s[i]])
				i++;
	} else if (k->state == S_NUMBER) {
		if (k->sub == N_INT || k->sub == N_FRAC || k->sub == N_EXP)
			while (i < n && s[i] >= '0' && s[i] <= '9')
				i++;
	} else if (k->state < S_STRING) {
		while (i < n && is_blank_byte((unsigned char)s[i]))
			i++;
	}
	return i;
}

/* True for a byte of the mark that some programs write before UTF-8. */
static bool
bom_byte(struct kineto_scan *k, unsigned char c)
{
	static const unsigned char bom[] = { 0xef, 0xbb, 0xbf };

	if (c == bom[k->sub]) {
		if (++k->sub == 3)
			k->state = S_VALUE;
		return true;
	}
	if (k->sub == 0)
		k->state = S_VALUE;
	return false;
}

/* Hands an event that begins at s[i] to the caller. Returns the place of its
 * last byte; i if the event is not whole in s, or is broken. */
static size_t
whole_event(struct kineto_scan *k, const char *s, size_t i, size_t n)
{
	const char *end;

	if (!at_event(k) || k->keeping || s[i] != '{' ||
	    (k->state != S_VALUE && k->state != S_VALUE_OR_END))
		return i;
	end = k->event(k->ctx, s + i, s + n);
	if (end == NULL)
		return i;
	k->state = S_COMMA;
	return (size_t)(end - s) - 1;
}

void
kineto_scan_feed(struct kineto_scan *k, const char *s, size_t n)
{
	size_t i, last, from = 0;

	if (!k->begun) {
		for (i = 0x20; i < 0x80; i++)
			k->plain[i] = i != '"' && i != '\\';
		k->begun = true;
		k->state = S_BOM;
	}
	for (i = 0; i < n; i++) {
		if (k->skipping) {
			skip_byte(k, s[i]);
			from = i + 1;
			continue;
		}
		if (k->state == S_BOM && bom_byte(k, (unsigned char)s[i]))
			continue;
		i = skip_run(k, s, i, n);
		if (i < n && (last = whole_event(k, s, i, n)) > i) {
			i = last;
			continue;
		}
		if (i < n && !scan_one(k, s, i, &from)) {
			scan_error(k, s, i, from);
			from = i + 1;
		}
	}
	if (k->keeping && n > from) {
		if (k->kept.len + n - from > KEPT_MOST)
			die("%s: a value of more than %d MiB at byte %llu",
			    k->name, (int)(KEPT_MOST >> 20),
			    (unsigned long long)k->at);
		buf_put(&k->kept, s + from, n - from);
	}
	k->at += n;
}

void
kineto_scan_end(struct kineto_scan *k)
{
	if (k->state == S_END && !k->skipping)
		return;
	if (!k->resync)
		die("%s: truncated: the JSON ends at byte %llu, where %s is"
		    " expected (--resync reads what is there)",
		    k->name, (unsigned long long)k->at, wanted(k->state));
	k->lost += k->kept.len;
	k->breaks += !k->skipping;
}

void
kineto_scan_free(struct kineto_scan *k)
{
	buf_free(&k->stack);
	buf_free(&k->key);
	buf_free(&k->kept);
}
