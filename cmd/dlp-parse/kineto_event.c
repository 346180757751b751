/*
 * One event of a trace: checked to be JSON, and its known keys found, in one
 * pass over the text. Nearly all text of a trace is read here. The automaton of
 * the scanner reads only what this function refuses: events that are not whole
 * in a piece of the file, and what is broken, to say where.
 */
#include <string.h>

#include "array.h"
#include "kineto.h"
#include "utf8.h"

#define DEPTH_MOST 600 /* of brackets; the scanner allows fewer */

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

struct reader {
	struct kineto_event *ev;
	const char *e; /* the end of the text */
	unsigned depth;
};

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

/* The highest bit of each byte of w that is a quote, a backslash, a control
 * character or not ASCII; the lowest such bit is exact. */
static uint64_t
special_bits(uint64_t w)
{
	uint64_t quote = w ^ EACH('"'), slash = w ^ EACH('\\');

	return (((quote - EACH(1)) & ~quote) | ((slash - EACH(1)) & ~slash) |
		   ((w - EACH(0x20)) & ~w) | w) &
	       EACH(0x80);
}

const char *
kineto_event_plain(const char *p, const char *e)
{
	uint64_t w, bits;

	for (; e - p >= 8; p += 8) {
		memcpy(&w, p, 8);
		bits = special_bits(w);
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

/* After a backslash at p; NULL if it is no escape. */
static const char *
escape_end(const char *p, const char *e)
{
	int i;

	if (e - p < 2 || p[1] == '\0' || strchr("\"\\/bfnrtu", p[1]) == NULL)
		return NULL;
	if (p[1] != 'u')
		return p + 2;
	if (e - p < 6)
		return NULL;
	for (i = 2; i < 6; i++)
		if (p[i] == '\0' ||
		    strchr("0123456789abcdefABCDEF", p[i]) == NULL)
			return NULL;
	return p + 6;
}

/* The closing quote of the text whose first byte is at p; NULL: none, or the
 * text is broken. */
static const char *
text_end(const char *p, const char *e)
{
	long cp;

	for (;;) {
		p = kineto_event_plain(p, e);
		if (p == e)
			return NULL;
		if (*p == '"')
			return p;
		if (*p == '\\') {
			p = escape_end(p, e);
			if (p == NULL)
				return NULL;
			continue;
		}
		if ((unsigned char)*p < 0x80)
			return NULL;
		p += utf8_next(p, (size_t)(e - p), &cp);
		if (cp < 0)
			return NULL;
	}
}

static const char *
skip_blanks(const char *p, const char *e)
{
	while (p < e && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

static const char *
digits_end(const char *p, const char *e)
{
	const char *s = p;

	while (p < e && *p >= '0' && *p <= '9')
		p++;
	return p > s ? p : NULL;
}

static const char *
number_end(const char *p, const char *e)
{
	p += *p == '-';
	if (p < e && *p == '0')
		p++;
	else
		p = digits_end(p, e);
	if (p != NULL && p < e && *p == '.')
		p = digits_end(p + 1, e);
	if (p == NULL || p == e || (*p != 'e' && *p != 'E'))
		return p;
	p++;
	p += p < e && (*p == '+' || *p == '-');
	return digits_end(p, e);
}

static const char *value_end(
    struct reader *r, const char *p, enum level level, struct mview *v);

/* Reads KEY: VALUE. Of a key that is there twice the last one counts, and of
 * args all of the last. */
static const char *
member_end(struct reader *r, const char *p, enum level level)
{
	const char *q;
	struct mview v = { NULL, 0 };
	enum level next = OF_OTHERS;
	int f;

	if (p == r->e || *p != '"' || (q = text_end(p + 1, r->e)) == NULL)
		return NULL;
	f = field_of(r->ev, p + 1, (size_t)(q - p - 1), level);
	p = skip_blanks(q + 1, r->e);
	if (p == r->e || *p != ':')
		return NULL;
	if (f == KF_ARGS) {
		memset(r->ev->field + KF_ARGS, 0,
		    (KF_N - KF_ARGS) * sizeof(*r->ev->field));
		next = OF_ARGS;
	}
	p = value_end(r, skip_blanks(p + 1, r->e), next, &v);
	if (f != KF_N)
		r->ev->field[f] = v;
	return p;
}

/* The members of an object, or the elements of an array, from the first byte
 * after the bracket to after the one that closes. */
static const char *
list_end(struct reader *r, const char *p, char close, enum level level)
{
	struct mview v;

	p = skip_blanks(p, r->e);
	if (p < r->e && *p == close)
		return p + 1;
	for (;;) {
		p = close == '}' ? member_end(r, p, level)
				 : value_end(r, p, OF_OTHERS, &v);
		if (p == NULL)
			return NULL;
		p = skip_blanks(p, r->e);
		if (p == r->e || (*p != ',' && *p != close))
			return NULL;
		if (*p == close)
			return p + 1;
		p = skip_blanks(p + 1, r->e);
	}
}

/* Reads a value; *v is its text, without the quotes of a text, and unchanged if
 * it is null. */
static const char *
value_end(struct reader *r, const char *p, enum level level, struct mview *v)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *from = p;
	size_t i = 0;

	if (p == r->e)
		return NULL;
	if (*p == '"') {
		p = text_end(p + 1, r->e);
		if (p == NULL)
			return NULL;
		*v = mv(from + 1, p);
		return p + 1;
	}
	if (*p == '{' || *p == '[') {
		if (++r->depth > DEPTH_MOST)
			return NULL;
		p = list_end(r, p + 1, *p == '{' ? '}' : ']',
		    *p == '{' ? level : OF_OTHERS);
		r->depth--;
	} else if (*p == '-' || (*p >= '0' && *p <= '9')) {
		p = number_end(p, r->e);
	} else {
		while (i < 3 && !mv_starts(mv(p, r->e), words[i]))
			i++;
		p = i < 3 ? p + strlen(words[i]) : NULL;
	}
	if (p != NULL && *from != 'n')
		*v = mv(from, p);
	return p;
}

const char *
kineto_event_read(struct kineto_event *ev, const char *s, const char *e)
{
	struct reader r = { .ev = ev, .e = e };
	struct mview v;

	memset(ev->field, 0, sizeof(ev->field));
	return value_end(&r, s, OF_EVENT, &v);
}
