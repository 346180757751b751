/*
 * The JSON of a trace, in pieces that can end anywhere, cut into events. They
 * are checked to be JSON, and their known keys found, in one pass over the
 * text; it is remembered where this pass ends, and why, so that an error has a
 * place. Texts are checked to be UTF-8 without control characters, because
 * traces with neither were seen, and other programs refuse them, too.
 */
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "kineto.h"
#include "utf8.h"

#define DEPTH_MOST 512 /* of brackets; real traces have less than 10 */

#define KEPT_MOST ((size_t)32 << 20) /* bytes of a key or value */

#define KEY(text, field)                                                       \
	{                                                                      \
		text, sizeof(text) - 1, field                                  \
	}

#define FIELD(name, text) KEY(text, KF_##name),

static const struct {
	const char *text;
	size_t n;
	int field;
} keys[] = {
	/* clang-format off */
	KINETO_FIELDS(FIELD)
	/* clang-format on */
	/* other names of these */
	KEY("Input dims", KF_DIMS),
	KEY("external id", KF_EXT),
	KEY("Python parent id", KF_PY_ID),
	KEY("device id", KF_DEVICE),
	KEY("context id", KF_CONTEXT),
	KEY("stream id", KF_STREAM),
	KEY("registers_per_thread", KF_REGS),
	KEY("shared_mem_dynamic", KF_SMEM),
	KEY("corr_id", KF_CORR),
	KEY("src_agent", KF_AGENT),
	KEY("dst_agent", KF_AGENT),
	KEY("stream_ID", KF_STREAM),
	KEY("copy_bytes", KF_BYTES),
	KEY("VGPR_Count", KF_REGS),
	KEY("LDS_Block_Size", KF_SMEM),
};

/* Whose keys are noted. */
enum level { OF_EVENT, OF_ARGS, OF_OTHERS };

static unsigned
key_slot(const char *s, size_t n)
{
	return (unsigned)(n * 7 + (unsigned char)s[0] * 3 +
			  (unsigned char)s[n - 1] * 5 +
			  (unsigned char)s[n / 2]) %
	       KEVENT_SLOTS;
}

void
kineto_event_init(struct kineto_event *ev)
{
	unsigned at;
	size_t i;

	memset(ev, 0, sizeof(*ev));
	for (i = 0; i < ARRAY_LEN(keys); i++) {
		at = key_slot(keys[i].text, keys[i].n);
		while (ev->slot[at] != 0)
			at = (at + 1) % KEVENT_SLOTS;
		ev->slot[at] = (unsigned char)(i + 1);
	}
}

/* The field of a key; KF_N if it is not known. */
static int
field_of(const struct kineto_event *ev, const char *s, size_t n, enum level in)
{
	unsigned at, i;

	if (n == 0 || in == OF_OTHERS)
		return KF_N;
	for (at = key_slot(s, n); (i = ev->slot[at]) != 0;
	     at = (at + 1) % KEVENT_SLOTS)
		if (keys[i - 1].n == n &&
		    (keys[i - 1].field <= KF_ARGS) == (in == OF_EVENT) &&
		    memcmp(keys[i - 1].text, s, n) == 0)
			return keys[i - 1].field;
	return KF_N;
}

int
kineto_event_arg(const struct kineto_event *ev, struct mview key)
{
	return field_of(ev, key.s, key.n, OF_ARGS);
}

/* Numbers like 0x2222222222222222. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

const char *
kineto_event_plain(const char *p, const char *e)
{
	uint64_t w, quote, slash, bits;

	for (; e - p >= 8; p += 8) {
		memcpy(&w, p, 8);
		quote = w ^ EACH('"');
		slash = w ^ EACH('\\');
		/* The highest bit of each byte that is a quote, a backslash, a
		 * control character or not ASCII; the lowest such bit is exact.
		 */
		bits = (((quote - EACH(1)) & ~quote) |
			   ((slash - EACH(1)) & ~slash) |
			   ((w - EACH(0x20)) & ~w) | w) &
		       EACH(0x80);
		if (bits != 0) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			return p + __builtin_ctzll(bits) / 8;
#else
			break;
#endif
		}
	}
	while (p < e && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 &&
	       (unsigned char)*p < 0x80)
		p++;
	return p;
}

static const char *
skip_blanks(const char *p, const char *e)
{
	while (p < e && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* The text cannot go on so at p; or it ends there, and may go on. */
static const char *
refuse(struct kineto_event *ev, const char *p, enum kineto_want want)
{
	ev->at = p;
	ev->want = want;
	return NULL;
}

/* After the backslash at p. */
static const char *
escape_end(struct kineto_event *ev, const char *p)
{
	const char *e = ev->e;
	int digits = 0;

	p++;
	if (p < e && *p == 'u') {
		for (p++; p < e && digits < 4 && *p != '\0' &&
			  strchr("0123456789abcdefABCDEF", *p) != NULL;
		     p++)
			digits++;
		if (digits == 4)
			return p;
	} else if (p < e && *p != '\0' && strchr("\"\\/bfnrt", *p) != NULL)
		return p + 1;
	return refuse(ev, p, WANT_ESCAPE);
}

/* The closing quote of the text whose first byte is at p. */
static const char *
text_end(struct kineto_event *ev, const char *p)
{
	const char *e = ev->e;
	unsigned char c;
	long cp;

	for (;;) {
		p = kineto_event_plain(p, e);
		if (p == e)
			return refuse(ev, p, WANT_TEXT);
		c = (unsigned char)*p;
		if (c == '"')
			return p;
		if (c == '\\') {
			p = escape_end(ev, p);
			if (p == NULL)
				return NULL;
			continue;
		}
		if (c < 0xc2 || c > 0xf4) /* no character begins so */
			return refuse(ev, p, WANT_TEXT);
		p += utf8_next(p, (size_t)(e - p), &cp);
		if (cp < 0)
			return refuse(ev, p, WANT_TEXT);
	}
}

static const char *
digits_end(const char *p, const char *e)
{
	while (p < e && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* A number goes on where the text at hand ends. */
static const char *
number_end(struct kineto_event *ev, const char *p)
{
	const char *e = ev->e, *from = p += *p == '-';
	bool whole;

	p = digits_end(p, e);
	if (p > from + 1 && *from == '0')
		return refuse(ev, from + 1, WANT_REST);
	whole = p > from;
	if (whole && p < e && *p == '.') {
		from = ++p;
		p = digits_end(p, e);
		whole = p > from;
	}
	if (whole && p < e && (*p == 'e' || *p == 'E')) {
		p++;
		from = p += p < e && (*p == '+' || *p == '-');
		p = digits_end(p, e);
		whole = p > from;
	}
	return whole && p < e ? p : refuse(ev, p, WANT_REST);
}

static const char *value_end(
    struct kineto_event *ev, const char *p, enum level level, struct mview *v);

/* Reads KEY: VALUE. Of a key that is there twice the last one counts, and of
 * args all of the last. */
static const char *
member_end(struct kineto_event *ev, const char *p, enum level level)
{
	const char *q;
	struct mview v = { NULL, 0 };
	enum level next = OF_OTHERS;
	int f;

	if (p == ev->e || *p != '"')
		return refuse(ev, p, WANT_KEY);
	q = text_end(ev, p + 1);
	if (q == NULL)
		return NULL;
	f = field_of(ev, p + 1, (size_t)(q - p - 1), level);
	p = skip_blanks(q + 1, ev->e);
	if (p == ev->e || *p != ':')
		return refuse(ev, p, WANT_COLON);
	if (f == KF_ARGS) {
		memset(ev->field + KF_ARGS, 0,
		    (KF_N - KF_ARGS) * sizeof(*ev->field));
		next = OF_ARGS;
	}
	p = value_end(ev, skip_blanks(p + 1, ev->e), next, &v);
	if (f != KF_N)
		ev->field[f] = v;
	return p;
}

/* The members of an object, or the elements of an array, from the first byte
 * after the bracket to after the one that closes. */
static const char *
list_end(struct kineto_event *ev, const char *p, char close, enum level level)
{
	const char *e = ev->e, *first = p = skip_blanks(p, e);
	struct mview v;

	if (p < e && *p == close)
		return p + 1;
	for (;;) {
		p = close == '}' ? member_end(ev, p, level)
				 : value_end(ev, p, OF_OTHERS, &v);
		if (p == NULL && ev->at == first)
			ev->want =
			    close == '}' ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
		if (p == NULL)
			return NULL;
		p = skip_blanks(p, e);
		if (p == e || (*p != ',' && *p != close))
			return refuse(ev, p, WANT_COMMA);
		if (*p == close)
			return p + 1;
		p = skip_blanks(p + 1, e);
	}
}

/* Reads a value; *v is its text, without the quotes of a text, and unchanged if
 * it is null. */
static const char *
value_end(
    struct kineto_event *ev, const char *p, enum level level, struct mview *v)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *from = p, *w;
	size_t i = 0;

	if (p == ev->e)
		return refuse(ev, p, WANT_VALUE);
	if (*p == '"') {
		p = text_end(ev, p + 1);
		if (p == NULL)
			return NULL;
		*v = mv(from + 1, p);
		return p + 1;
	}
	if (*p == '{' || *p == '[') {
		if (ev->depth == DEPTH_MOST)
			return refuse(ev, p, WANT_VALUE);
		ev->depth++;
		p = list_end(ev, p + 1, *p == '{' ? '}' : ']',
		    *p == '{' ? level : OF_OTHERS);
		if (p != NULL)
			ev->depth--;
	} else if (*p == '-' || (*p >= '0' && *p <= '9')) {
		p = number_end(ev, p);
	} else {
		while (i < 3 && *p != words[i][0])
			i++;
		if (i == 3)
			return refuse(ev, p, WANT_VALUE);
		for (w = words[i]; *w != '\0'; w++, p++)
			if (p == ev->e || *p != *w)
				return refuse(ev, p, WANT_REST);
	}
	if (p != NULL && *from != 'n')
		*v = mv(from, p);
	return p;
}

/* Goes into a bracket, or out of it. */
static const char *
nest(
    struct kineto_scan *k, const char *p, unsigned depth, enum kineto_want want)
{
	k->depth = depth;
	k->want = want;
	return p + 1;
}

/* Reads the value at p, unless it is the bracket around the events, or around
 * all. The value of an outermost key or an event goes to the caller. The events
 * are in the array of the key traceEvents, or in the array that is the whole
 * text. */
static const char *
scan_value(struct kineto_scan *k, const char *p)
{
	struct mview key = mv(k->key.s, k->key.s + k->key.len), v;
	bool event = k->depth > 0 && k->depth == k->events_depth;
	bool head = k->depth == 1 && !event;
	const char *e;

	if (*p == '[' &&
	    (k->depth == 0 || (head && mv_eq(key, "traceEvents")))) {
		k->events_depth = k->depth + 1;
		return nest(k, p, k->depth + 1, WANT_VALUE_OR_END);
	}
	if (*p == '{' && k->depth == 0)
		return nest(k, p, 1, WANT_KEY_OR_END);
	memset(k->ev->field, 0, sizeof(k->ev->field));
	e = value_end(k->ev, p, OF_EVENT, &v);
	if (e == NULL && k->ev->at == p)
		return refuse(k->ev, p, k->want);
	if (e == NULL)
		return NULL;
	/* digits are not the number that they are a part of */
	if ((*p == '-' || (*p >= '0' && *p <= '9')) &&
	    strchr(",]} \n\r\t", *e) == NULL)
		return refuse(k->ev, e, WANT_COMMA);
	k->want = k->depth > 0 ? WANT_COMMA : WANT_END;
	if (event && *p == '{')
		k->event(k->ctx);
	else if (event)
		k->odd++;
	else if (head)
		k->head(k->ctx, key, mv(p, e));
	return e;
}

/* Reads what is at p: a key, a value, or a byte around them. */
static const char *
scan_next(struct kineto_scan *k, const char *p, const char *e)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
	bool array = k->depth == 2 || k->events_depth == 1;
	size_t i;

	k->ev->e = e;
	k->ev->depth = k->depth;
	if (k->depth > 0 && *p == (array ? ']' : '}') &&
	    (k->want == WANT_VALUE_OR_END || k->want == WANT_KEY_OR_END ||
		k->want == WANT_COMMA))
		return nest(
		    k, p, k->depth - 1, k->depth > 1 ? WANT_COMMA : WANT_END);
	switch (k->want) {
	case WANT_MARK:
		for (i = 0; i < 3 && p + i < e && p[i] == mark[i];)
			i++;
		if (i == 1 || i == 2)
			return refuse(k->ev, p + i, WANT_REST);
		k->want = WANT_VALUE;
		return p + i;
	case WANT_VALUE_OR_END:
	case WANT_VALUE:
		return scan_value(k, p);
	case WANT_KEY_OR_END:
	case WANT_KEY:
		if (*p != '"')
			break;
		e = text_end(k->ev, p + 1);
		if (e == NULL)
			return NULL;
		buf_clear(&k->key);
		buf_put(&k->key, p + 1, (size_t)(e - p - 1));
		k->want = WANT_COLON;
		return e + 1;
	case WANT_COLON:
		if (*p != ':')
			break;
		k->want = WANT_VALUE;
		return p + 1;
	case WANT_COMMA:
		if (*p != ',')
			break;
		k->want = array ? WANT_VALUE : WANT_KEY;
		return p + 1;
	default:
		break;
	}
	return refuse(k->ev, p, k->want);
}

/* True if the text that is at hand is a value for the caller. */
static bool
is_kept(const struct kineto_scan *k)
{
	return k->depth > 0 &&
	       (k->want == WANT_VALUE || k->want == WANT_VALUE_OR_END);
}

/* The text is wrong at p, in the file at the byte at; p NULL: it ends there. */
static void
refuse_text(const struct kineto_scan *k, const char *p, uint64_t at)
{
	static const char *const wanted[] = {
		[WANT_MARK] = "a value",
		[WANT_VALUE] = "a value",
		[WANT_VALUE_OR_END] = "a value or ]",
		[WANT_KEY_OR_END] = "a key or }",
		[WANT_KEY] = "a key",
		[WANT_COLON] = ":",
		[WANT_COMMA] = ", or a closing bracket",
		[WANT_TEXT] = "UTF-8 without control characters",
		[WANT_ESCAPE] = "an escape",
		[WANT_REST] = "the rest of a number or word",
		[WANT_END] = "the end",
	};
	const char *want = wanted[k->ev->want];
	char byte[16];

	if (p == NULL)
		die("%s: truncated: the JSON ends at byte %llu, where %s is"
		    " expected (dlp-parse --resync FILE | dlp - reads what is "
		    "there)",
		    k->name, (unsigned long long)at, want);
	if (k->ev->depth == DEPTH_MOST && (*p == '[' || *p == '{'))
		die("%s: JSON nested more than %d deep at byte %llu", k->name,
		    DEPTH_MOST, (unsigned long long)at);
	snprintf(byte, sizeof(byte),
	    *p >= 0x20 && *p < 0x7f ? "'%c'" : "the byte 0x%02x",
	    (unsigned char)*p);
	die("%s: broken JSON at byte %llu: expected %s, found %s"
	    " (dlp-parse --resync FILE | dlp - skips what is broken)",
	    k->name, (unsigned long long)at, want, byte);
}

/* After an error bytes are skipped up to { and a key that events begin with; at
 * the end of the text this need not be complete. */
static const char *
skip_broken(struct kineto_scan *k, const char *p, const char *e)
{
	static const char *const begins[] = { "\"ph\"", "\"name\"", "\"cat\"" };
	const char *s;
	size_t i, n, have;

	for (; p < e; p++, k->lost++) {
		if (*p != '{')
			continue;
		s = skip_blanks(p + 1, e);
		for (i = 0; i < ARRAY_LEN(begins); i++) {
			n = strlen(begins[i]);
			have = (size_t)(e - s) < n ? (size_t)(e - s) : n;
			if (memcmp(s, begins[i], have) != 0)
				continue;
			k->skipping = have < n;
			if (k->skipping)
				return p;
			if (k->events_depth == 0)
				k->events_depth = 2;
			k->depth = k->events_depth;
			k->want = WANT_VALUE;
			return p;
		}
	}
	return p;
}

/* Scans the text from s to e; returns where something begins that is not whole.
 */
static const char *
scan_text(struct kineto_scan *k, const char *s, const char *e)
{
	const char *p = s, *end;

	for (;;) {
		if (k->skipping)
			p = skip_broken(k, p, e);
		else if (k->want != WANT_MARK)
			p = skip_blanks(p, e);
		if (p == e || k->skipping)
			return p;
		end = scan_next(k, p, e);
		if (end == NULL && k->ev->at == e)
			return p;
		if (end == NULL) {
			end = k->ev->at;
			if (!k->resync)
				refuse_text(
				    k, end, k->at + (uint64_t)(end - s));
			if (is_kept(k))
				k->lost += (uint64_t)(end - p);
			k->skipping = true;
			k->breaks++;
		}
		p = end;
	}
}

/* What is not whole at the end of a piece is read again with as much of the
 * next one, so that a large value is not read again for each piece of it. */
void
kineto_scan_feed(void *ctx, const unsigned char *text, size_t n)
{
	struct kineto_scan *k = ctx;
	struct buf *b = &k->kept;
	const char *s = (const char *)text, *from, *e, *p;
	size_t take, left;

	for (; n > 0; s += take, n -= take) {
		take = n;
		if (b->len > 0 && n > k->enough - b->len)
			take = k->enough - b->len;
		from = s;
		e = s + take;
		if (b->len > 0) {
			buf_put(b, s, take);
			if (b->len < k->enough && b->len <= KEPT_MOST)
				return;
			from = b->s;
			e = b->s + b->len;
		}
		p = scan_text(k, from, e);
		k->at += (uint64_t)(p - from);
		left = (size_t)(e - p);
		if (left > KEPT_MOST)
			die("%s: a key or value of more than %d MiB at byte"
			    " %llu",
			    k->name, (int)(KEPT_MOST >> 20),
			    (unsigned long long)k->at);
		if (b->len == 0) {
			buf_put(b, p, left);
		} else if (left <= take) {
			take -= left; /* the piece has it, too */
			buf_clear(b);
		} else {
			memmove(b->s, p, left);
			b->len = left;
		}
		k->enough = 2 * left + 4096;
	}
}

void
kineto_scan_end(struct kineto_scan *k)
{
	const char *s = k->kept.s, *e = s + k->kept.len, *p;

	p = scan_text(k, s, e);
	if (p < e || k->skipping || k->want != WANT_END) {
		if (p == e)
			k->ev->want = k->want;
		if (!k->resync)
			refuse_text(k, NULL, k->at + k->kept.len);
		if (k->skipping || is_kept(k))
			k->lost += (uint64_t)(e - p);
		k->breaks += !k->skipping;
	}
	buf_free(&k->key);
	buf_free(&k->kept);
}
