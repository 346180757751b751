/* Pickles of plain data; see pickle.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "pickle.h"
#include "spill.h"

#define TEXT_MAX 65536       /* of longer texts the beginning is kept */
#define STACK_MAX (1u << 17) /* Python writes lists by thousands */
#define ID_MAX ((1u << 29) - 1)
#define MEMO_AHEAD 1024 /* places that a memo may leave out */

/* Opcodes that nothing here does. */
static const char *const refused[256] = {
	/* those that import, call or build something */
	['c'] = "GLOBAL",
	[0x93] = "STACK_GLOBAL",
	['R'] = "REDUCE",
	['b'] = "BUILD",
	['i'] = "INST",
	['o'] = "OBJ",
	[0x81] = "NEWOBJ",
	[0x92] = "NEWOBJ_EX",
	[0x82] = "EXT1",
	[0x83] = "EXT2",
	[0x84] = "EXT4",
	['P'] = "PERSID",
	['Q'] = "BINPERSID",
	/* plain data, but not what PyTorch writes */
	['0'] = "-POP",
	['1'] = "-POP_MARK",
	['2'] = "-DUP",
	['F'] = "-FLOAT",
	['I'] = "-INT",
	['L'] = "-LONG",
	['S'] = "-STRING",
	['T'] = "-BINSTRING",
	['U'] = "-SHORT_BINSTRING",
	['V'] = "-UNICODE",
	['B'] = "-BINBYTES",
	['C'] = "-SHORT_BINBYTES",
	[0x8e] = "-BINBYTES8",
	[0x96] = "-BYTEARRAY8",
	[0x97] = "-NEXT_BUFFER",
	[0x98] = "-READONLY_BUFFER",
	['d'] = "-DICT",
	['l'] = "-LIST",
	['g'] = "-GET",
	['p'] = "-PUT",
	[0x8f] = "-EMPTY_SET",
	[0x90] = "-ADDITEMS",
	[0x91] = "-FROZENSET",
};

static void damaged(const struct pickle *p, const char *what)
    __attribute__((noreturn));

static void
damaged(const struct pickle *p, const char *what)
{
	die("%s: damaged pickle: byte %llu: %s", p->name,
	    (unsigned long long)p->at, what);
}

static void
refuse_opcode(const struct pickle *p, unsigned char op)
{
	const char *name = refused[op];

	if (name == NULL)
		die("%s: damaged pickle: byte %llu: no opcode is 0x%02x",
		    p->name, (unsigned long long)p->at, op);
	if (*name == '-')
		die("%s: byte %llu: a snapshot of PyTorch's memory has no"
		    " opcode %s",
		    p->name, (unsigned long long)p->at, name + 1);
	die("%s: byte %llu: the opcode %s can run code, and a snapshot of"
	    " PyTorch's memory has none: not read",
	    p->name, (unsigned long long)p->at, name);
}

static void
push(struct pickle *p, enum pk_kind kind, int64_t num)
{
	if (p->n == STACK_MAX)
		damaged(p, "more values than a snapshot has at once");
	ARRAY_GROW(p->stack, p->n, p->cap);
	p->stack[p->n++] = (struct pk_val){ kind, num };
}

/* The n values on top, above the last mark. */
static const struct pk_val *
pop(struct pickle *p, size_t n)
{
	size_t least = p->n_mark > 0 ? p->mark[p->n_mark - 1] : 0;

	if (p->n < least + n)
		damaged(p, "a value is missing");
	p->n -= n;
	return p->stack + p->n;
}

static const struct pk_val *
pop_mark(struct pickle *p, size_t *n)
{
	if (p->n_mark == 0)
		damaged(p, "a mark is missing");
	*n = p->n - p->mark[--p->n_mark];
	p->n -= *n;
	return p->stack + p->n;
}

/* A list or a dict, of which nothing is left yet. */
static void
push_new(struct pickle *p, enum pk_kind kind)
{
	size_t cap = p->left_cap;

	if (p->n_left == ID_MAX)
		damaged(p, "too many objects");
	if (p->n_left == cap) {
		p->left_cap = cap > 0 ? cap * 2 : 1024;
		p->left =
		    spill_realloc(p->left, cap, p->left_cap, sizeof(*p->left));
	}
	p->left[p->n_left] = 0;
	push(p, kind, (int64_t)p->n_left++);
}

static void
push_tuple(struct pickle *p, const struct pk_val *v, size_t n)
{
	int64_t k[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < 2 && i < n; i++) {
		if (v[i].kind == PK_NUM)
			k[i] = v[i].num;
		if (k[i] < 0 || k[i] > PK_PAIR_MAX)
			k[i] = PK_PAIR_MAX;
	}
	push(p, PK_TUPLE, PK_PAIR(k[0], k[1]));
}

static void
memo_put(struct pickle *p, uint64_t i)
{
	const struct pk_val *v = p->stack + p->n - 1;
	size_t cap = p->memo_cap;

	if (p->n == 0)
		damaged(p, "a value is missing");
	if (i > p->n_put + MEMO_AHEAD || i > ID_MAX)
		damaged(p, "a place far behind the end of the memo");
	p->n_put++;
	while (p->memo_cap <= i)
		p->memo_cap = p->memo_cap > 0 ? p->memo_cap * 2 : 1024;
	if (p->memo_cap > cap)
		p->memo =
		    spill_realloc(p->memo, cap, p->memo_cap, sizeof(*p->memo));
	for (; p->n_memo <= i; p->n_memo++)
		p->memo[p->n_memo] = UINT32_MAX;
	/* a number is never referred to */
	p->memo[i] = v->kind == PK_NUM
			 ? PK_OTHER
			 : (uint32_t)v->kind | (uint32_t)v->num << 3;
}

static void
memo_get(struct pickle *p, uint64_t i)
{
	if (i >= p->n_memo || p->memo[i] == UINT32_MAX)
		damaged(p, "the memo has nothing at that place");
	push(p, (enum pk_kind)(p->memo[i] & 7), p->memo[i] >> 3);
}

/* The dict or list below the values. */
static int64_t
below(const struct pickle *p, enum pk_kind kind)
{
	if (p->n == 0 || p->stack[p->n - 1].kind != kind)
		damaged(p, "no dict or list for these values");
	return p->stack[p->n - 1].num;
}

static void
set_items(struct pickle *p, const struct pk_val *v, size_t n)
{
	int64_t dict = below(p, PK_DICT);
	size_t i;

	if (n % 2 != 0)
		damaged(p, "a key without a value");
	for (i = 0; i < n; i += 2)
		if (v[i].kind == PK_TEXT)
			p->set(p->ctx, dict, (uint32_t)v[i].num, v[i + 1]);
}

static void
append_items(struct pickle *p, const struct pk_val *v, size_t n)
{
	p->append(p->ctx, below(p, PK_LIST), v, n, p->n - 1);
}

/* A number of up to 8 bytes, the lowest first, with a sign. */
static int64_t
long_of(const struct pickle *p, const unsigned char *s, size_t n)
{
	uint64_t v = n > 0 && s[n - 1] >= 0x80 ? UINT64_MAX : 0;
	size_t i;

	if (n > 9 || (n == 9 && s[8] != 0))
		damaged(p, "a number of more than 64 bits");
	for (i = n < 8 ? n : 8; i-- > 0;)
		v = v << 8 | s[i];
	return (int64_t)v;
}

static void
take_mark(struct pickle *p)
{
	if (p->n_mark == (int)ARRAY_LEN(p->mark))
		damaged(p, "deeper than a snapshot is");
	p->mark[p->n_mark++] = p->n;
}

/* Carries out an opcode: arg is the number after it, s its text of n bytes. */
static void
carry_out(struct pickle *p, unsigned char op, uint64_t arg,
    const unsigned char *s, size_t n)
{
	const struct pk_val *v;

	switch (op) {
	case 0x80: /* PROTO */
		if (arg < 2 || arg > 5)
			damaged(p, "no protocol from 2 to 5");
		return;
	case 0x95: /* FRAME */
		return;
	case '(':
		take_mark(p);
		return;
	case '}':
		push_new(p, PK_DICT);
		return;
	case ']':
		push_new(p, PK_LIST);
		return;
	case ')':
		push_tuple(p, NULL, 0);
		return;
	case 't':
		v = pop_mark(p, &n);
		push_tuple(p, v, n);
		return;
	case 0x85: /* TUPLE1 */
	case 0x86:
	case 0x87:
		n = op - 0x84u;
		push_tuple(p, pop(p, n), n);
		return;
	case 's':
		set_items(p, pop(p, 2), 2);
		return;
	case 'u':
		v = pop_mark(p, &n);
		set_items(p, v, n);
		return;
	case 'a':
		append_items(p, pop(p, 1), 1);
		return;
	case 'e':
		v = pop_mark(p, &n);
		append_items(p, v, n);
		return;
	case 'X':
	case 0x8c:
	case 0x8d: /* BINUNICODE, SHORT_, 8 */
		push(p, PK_TEXT,
		    smap_put(&p->text, (const char *)s, n, NULL) & ID_MAX);
		return;
	case 'J':
		push(p, PK_NUM, (int32_t)arg);
		return;
	case 'K':
	case 'M':
		push(p, PK_NUM, (int64_t)arg);
		return;
	case 0x8a:
	case 0x8b: /* LONG1, LONG4 */
		push(p, PK_NUM, long_of(p, s, n));
		return;
	case 'G':
	case 'N':
		push(p, PK_OTHER, 0);
		return;
	case 0x88:
	case 0x89: /* NEWTRUE, NEWFALSE */
		push(p, PK_NUM, op == 0x88);
		return;
	case 0x94: /* MEMOIZE */
		memo_put(p, p->n_put);
		return;
	case 'q':
	case 'r':
		memo_put(p, arg);
		return;
	case 'h':
	case 'j':
		memo_get(p, arg);
		return;
	case '.':
		(void)pop(p, 1);
		p->done = true;
		return;
	default:
		refuse_opcode(p, op);
	}
}

/* The bytes of the number after an opcode; *text: it is the length of a text
 * or a number that follows. */
static size_t
arg_size(unsigned char op, bool *text)
{
	*text = op == 'X' || (op >= 0x8a && op <= 0x8d);
	switch (op) {
	case 0x80:
	case 'K':
	case 'q':
	case 'h':
	case 0x8a:
	case 0x8c:
		return 1;
	case 'M':
		return 2;
	case 'J':
	case 'r':
	case 'j':
	case 'X':
	case 0x8b:
		return 4;
	case 'G':
	case 0x8d:
	case 0x95:
		return 8;
	default:
		return 0;
	}
}

/* Carries out the opcode at s, if all of the n bytes it needs are there.
 * Returns how many it had, 0 if there are too few. */
static size_t
step(struct pickle *p, const unsigned char *s, size_t n)
{
	uint64_t arg = 0, body = 0;
	bool text;
	size_t k = arg_size(*s, &text), i;

	if (n < 1 + k)
		return 0;
	for (i = k; i-- > 0;)
		arg = arg << 8 | s[1 + i];
	if (text) {
		body = arg;
		if (*s != 'X' && *s < 0x8c && body > 16)
			damaged(p, "a number of more than 64 bits");
		if (body > TEXT_MAX) {
			p->skip = body - TEXT_MAX;
			body = TEXT_MAX;
		}
		if (n < 1 + k + body) {
			p->skip = 0;
			return 0;
		}
	}
	carry_out(p, *s, arg, s + 1 + k, body);
	return 1 + k + (size_t)body;
}

bool
pickle_is(const unsigned char *s, size_t n)
{
	return n >= 2 && s[0] == 0x80 && s[1] >= 2 && s[1] <= 5;
}

void
pickle_feed(void *pickle, const unsigned char *s, size_t n)
{
	struct pickle *p = pickle;
	size_t pos = 0, k;

	buf_put(&p->in, (const char *)s, n);
	while (!p->done && pos < p->in.len) {
		if (p->skip > 0) {
			k = p->in.len - pos;
			if (k > p->skip)
				k = (size_t)p->skip;
			p->skip -= k;
		} else {
			k = step(
			    p, (unsigned char *)p->in.s + pos, p->in.len - pos);
			if (k == 0)
				break;
		}
		pos += k;
		p->at += k;
	}
	if (p->done)
		pos = p->in.len;
	memmove(p->in.s, p->in.s + pos, p->in.len - pos);
	p->in.len -= pos;
}

void
pickle_end(struct pickle *p)
{
	if (!p->done)
		die("%s: truncated: the pickle has no end after %llu bytes",
		    p->name, (unsigned long long)(p->at + p->in.len));
}

/* Its neighbours in the list around it are below it, down to their mark;
 * without a mark it is the only one. */
int64_t
pickle_index(const struct pickle *p, size_t at)
{
	int m = p->n_mark;
	size_t i;

	while (m > 0 && p->mark[m - 1] > at)
		m--;
	for (i = at; i > 0 && p->stack[i - 1].kind == PK_LIST; i--)
		if (m > 0 && p->mark[m - 1] == i)
			return (int64_t)(at - i);
	return 0;
}

void
pickle_free(struct pickle *p)
{
	smap_free(&p->text);
	buf_free(&p->in);
	free(p->stack);
	spill_free(p->left, p->left_cap, sizeof(*p->left));
	spill_free(p->memo, p->memo_cap, sizeof(*p->memo));
}
