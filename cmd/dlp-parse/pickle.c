/* Pickles of plain data; see pickle.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "pickle.h"
#include "shipped.h"
#include "spill.h"

#define TEXT_MAX 8192        /* of longer texts the beginning is kept */
#define STACK_MAX (1u << 17) /* Python writes lists by thousands */
#define ID_MAX ((1u << 29) - 1)
#define MEMO_AHEAD 1024 /* places that a memo may leave out */

/* pickle.tab, read once. */
static void
read_opcodes(struct pickle *p)
{
	const char *s = shipped_text("pickle.tab");
	struct pickle_op op;
	unsigned no;

	for (; *s != '\0'; s += strcspn(s, "\n"), s += *s == '\n')
		if (sscanf(s, "%x %23s %zu %c", &no, op.name, &op.arg,
			&op.what) == 4)
			p->op[no & 0xff] = op;
}

__attribute__((noreturn)) static void
damaged(const struct pickle *p, const char *what)
{
	die("%s: damaged pickle: byte %llu: %s", p->name,
	    (unsigned long long)p->at, what);
}

static void
refuse_opcode(const struct pickle *p, unsigned char no)
{
	const struct pickle_op *op = &p->op[no];

	if (op->what == '\0')
		die("%s: damaged pickle: byte %llu: no opcode is 0x%02x",
		    p->name, (unsigned long long)p->at, no);
	die("%s: byte %llu: the opcode %s %s", p->name,
	    (unsigned long long)p->at, op->name,
	    op->what == 'x' ? "can run code, and a snapshot of PyTorch's"
			      " memory has none: not read"
			    : "is not in snapshots of PyTorch's memory");
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
	const struct pk_val *v = pop(p, 1);
	size_t cap = p->memo_cap;

	p->n++; /* it stays */
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

/* Carries out an opcode: arg is the number after it, s its text of n bytes. */
static void
carry_out(struct pickle *p, unsigned char no, uint64_t arg,
    const unsigned char *s, size_t n)
{
	const char what = p->op[no].what;
	const struct pk_val *v;
	size_t cap;

	if (what == 'P' && (arg < 2 || arg > 5))
		damaged(p, "no protocol from 2 to 5");
	else if (what == 'P' || what == '.')
		return;
	else if (what == '(') {
		if (p->n_mark == (int)ARRAY_LEN(p->mark))
			damaged(p, "deeper than a snapshot is");
		p->mark[p->n_mark++] = p->n;
	} else if (what == 'D' || what == 'l') {
		/* A list or a dict, of which nothing is left yet. */
		cap = p->left_cap;
		if (p->n_left == ID_MAX)
			damaged(p, "too many objects");
		if (p->n_left == cap) {
			p->left_cap = cap > 0 ? cap * 2 : 1024;
			p->left = spill_realloc(
			    p->left, cap, p->left_cap, sizeof(*p->left));
		}
		p->left[p->n_left] = 0;
		push(p, what == 'D' ? PK_DICT : PK_LIST, (int64_t)p->n_left++);
	} else if (what >= '0' && what <= '3')
		push_tuple(p, pop(p, (size_t)what - '0'), (size_t)what - '0');
	else if (what == 's')
		set_items(p, pop(p, 2), 2);
	else if (what == 'a')
		append_items(p, pop(p, 1), 1);
	else if (what == 'T' || what == 'S' || what == 'A') {
		v = pop_mark(p, &n);
		(what == 'T'      ? push_tuple
		    : what == 'S' ? set_items
				  : append_items)(p, v, n);
	} else if (what == 'X')
		push(p, PK_TEXT,
		    smap_put(&p->text, (const char *)s, n, NULL) & ID_MAX);
	else if (what == 'L')
		push(p, PK_NUM, long_of(p, s, n));
	else if (what == 'i' || what == 'n' || what == 't')
		push(p, PK_NUM,
		    what == 'i'   ? (int32_t)arg
		    : what == 't' ? 1
				  : (int64_t)arg);
	else if (what == 'N')
		push(p, PK_OTHER, 0);
	else if (what == 'M' || what == 'p')
		memo_put(p, what == 'M' ? p->n_put : arg);
	else if (what == 'g') {
		if (arg >= p->n_memo || p->memo[arg] == UINT32_MAX)
			damaged(p, "the memo has nothing at that place");
		push(p, (enum pk_kind)(p->memo[arg] & 7), p->memo[arg] >> 3);
	} else if (what == 'E')
		p->done = pop(p, 1) != NULL;
	else
		refuse_opcode(p, no);
}

/* Carries out the opcode at s, if all of the n bytes it needs are there.
 * Returns how many it had, 0 if there are too few. */
static size_t
step(struct pickle *p, const unsigned char *s, size_t n)
{
	const struct pickle_op *op = &p->op[*s];
	uint64_t arg = 0, body = 0;
	size_t i;

	if (n < 1 + op->arg)
		return 0;
	for (i = op->arg; i-- > 0;)
		arg = arg << 8 | s[1 + i];
	if (op->what == 'X' || op->what == 'L')
		body = arg < TEXT_MAX ? arg : TEXT_MAX;
	if (op->what == 'L' && body > 9)
		damaged(p, "a number of more than 64 bits");
	if (n < 1 + op->arg + body)
		return 0;
	if (op->what == 'X')
		p->skip = arg - body;
	carry_out(p, *s, arg, s + 1 + op->arg, body);
	return 1 + op->arg + (size_t)body;
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

	if (p->op[0x80].what == '\0') {
		read_opcodes(p);
		ARRAY_GROW(p->stack, p->n, p->cap);
	}
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
