/* The writer; see out.h. */
#define _GNU_SOURCE /* F_SETPIPE_SZ, memrchr() */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cols.h"
#include "drop.h"
#include "err.h"
#include "esc.h"
#include "out.h"
#include "sandbox.h"

#define FLUSH_AT (128 * 1024)
#define PIPE_SIZE (1024 * 1024)
#define MOST_TIMES 64 /* of the input, see out.h */
#define MOST_ANYWAY (UINT64_C(1) << 26)

struct out_type {
	struct out_type *next;
	char *tag;
	char *legend; /* the whole line; and the rest after --drop */
	size_t len, tag_len;
	uint64_t skip;  /* as out_skip for a record */
	int n;          /* columns of the legend, after --drop */
	bool due, less; /* due: to be written; less: --drop has been applied */
	bool gone;      /* --drop names the whole type */
	bool first;     /* no record follows the legend yet */
};

#if defined(__SANITIZE_ADDRESS__)
#define COUNT_ALL true
#elif defined(__has_feature)
#define COUNT_ALL __has_feature(address_sanitizer)
#else
#define COUNT_ALL false
#endif

struct buf out_buf;
uint64_t out_skip;
static bool unbuf;
static uint64_t count;
static bool drops;               /* --drop is given */
static size_t own_at = SIZE_MAX; /* start of a record without dropped fields */
static uint64_t bytes_read, written;
static size_t settled; /* bytes of out_buf that are ready to be written */
static struct out_type *types;
static struct { /* the current record, if its fields are counted */
	const struct out_type *type;
	size_t at; /* its start in out_buf */
} counted;
#define NOWHERE SIZE_MAX
static size_t gone_at = NOWHERE; /* start of a record that is not written */
static struct {
	void (*f)(void *);
	void *arg;
} at_finish[8];
static size_t n_at_finish;

void
out_open(bool unbuffered)
{
	sandbox_enter();
	drops = drop_any();
	unbuf = unbuffered;
	buf_reserve(&out_buf, FLUSH_AT * 2);
#ifdef F_SETPIPE_SZ
	/* fewer switches between the stages; harmless if this is not a pipe */
	(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_SIZE);
#endif
}

/* Removes from the whole lines what --drop names. */
static void
settle(void)
{
	const char *last;
	size_t end, n;
	uint64_t n_gone = 0;

	if (!drop_any()) {
		settled = out_buf.len;
		return;
	}
	last = memrchr(out_buf.s + settled, '\n', out_buf.len - settled);
	end = last != NULL ? (size_t)(last - out_buf.s) + 1 : settled;
	n = settled + drop_lines(out_buf.s + settled, end - settled, &n_gone);
	memmove(out_buf.s + n, out_buf.s + end, out_buf.len - end);
	out_buf.len -= end - n;
	settled = n;
	count -= n_gone;
}

void
out_own(void)
{
	if (!drops)
		return;
	if (settled != out_buf.len)
		settle();
	own_at = out_buf.len;
}

void
out_read(uint64_t n)
{
	bytes_read += n;
}

bool
write_all(int fd, const void *bytes, size_t n)
{
	const char *s = bytes;
	ssize_t w;

	for (; n > 0; s += w, n -= (size_t)w) {
		w = write(fd, s, n);
		if (w < 0 && errno != EINTR)
			return false;
		w = w < 0 ? 0 : w;
	}
	return true;
}

static void
out_flush(void)
{
	settle();
	written += settled;
	if (written > MOST_ANYWAY && written / MOST_TIMES > bytes_read &&
	    bytes_read > 0)
		die("the output exceeds %d times the input: long texts are in"
		    " each record",
		    MOST_TIMES);
	if (!write_all(STDOUT_FILENO, out_buf.s, settled))
		die_errno("standard output");
	out_buf.len -= settled;
	if (out_buf.len > 0)
		memmove(out_buf.s, out_buf.s + settled, out_buf.len);
	settled = 0;
}

void
out_check(void)
{
	if (out_buf.len >= FLUSH_AT || unbuf)
		out_flush();
}

void
out_at_finish(void (*f)(void *), void *arg)
{
	if (n_at_finish == sizeof(at_finish) / sizeof(at_finish[0]))
		die("out_at_finish: no room");
	at_finish[n_at_finish].f = f;
	at_finish[n_at_finish++].arg = arg;
}

int
out_finish(int status)
{
	out_flush();
	if (close(STDOUT_FILENO) != 0)
		die_errno("standard output");
	while (n_at_finish > 0) {
		n_at_finish--;
		at_finish[n_at_finish].f(at_finish[n_at_finish].arg);
	}
	return status;
}

void
out_declared(const char *tag, const char *const *names, int n)
{
	const struct type_def *t = type_find(tag);
	int i;

	if (t == NULL)
		die("record type '%s' is not declared in common/columns.tab",
		    tag);
	if (t->open)
		return;
	for (i = 0; i < n; i++)
		if (col_find(tag, names[i]) == NULL)
			die("column '%s' of %s records is not declared in"
			    " common/columns.tab",
			    names[i], tag);
}

int
out_tabs(const char *s, size_t n)
{
	int tabs = 0;
	size_t i;

	for (i = 0; i < n; i++)
		tabs += s[i] == '\t';
	return tabs;
}

struct out_type *
out_type(const char *tag, const char *const *names, int n)
{
	struct out_type *t = xcalloc(1, sizeof(*t));
	struct buf b = { 0 };
	int i;

	out_declared(tag, names, n);
	buf_putc(&b, '#');
	buf_puts(&b, tag);
	for (i = 0; i < n; i++) {
		buf_putc(&b, '\t');
		buf_puts(&b, names[i]);
	}
	buf_putc(&b, '\n');
	t->tag = xstrdup(tag);
	t->tag_len = strlen(tag);
	t->legend = b.s;
	t->len = b.len;
	t->due = true;
	t->next = types;
	types = t;
	return t;
}

struct out_type *
out_type_reg(const char *tag, const char *by)
{
	const char *names[128];
	const struct type_def *t = type_find(tag);
	int n = 0, i;

	for (i = 0; t != NULL && i < t->n_col && n < 128; i++)
		if (by == NULL || strcmp(t->cols[i].by, by) == 0)
			names[n++] = t->cols[i].name;
	return out_type(tag, names, n);
}

void
out_legends_again(void)
{
	struct out_type *t;

	settle();
	for (t = types; t != NULL; t = t->next)
		t->due = true;
	count = 0;
}

uint64_t
out_count(void)
{
	settle();
	return count;
}

void
out_counted(uint64_t n)
{
	count += n;
}

void
out_legend(struct out_type *t)
{
	if (!t->due)
		return;
	if (!t->less) {
		t->skip = drop_legend(t->legend, &t->len);
		t->gone = drop_type(t->tag);
	}
	t->less = true;
	t->due = false;
	if (t->gone)
		return;
	t->n = out_tabs(t->legend, t->len);
	buf_put(&out_buf, t->legend, t->len);
	t->first = true;
}

void
out_rec(struct out_type *t)
{
	out_own();
	out_legend(t);
	if (t->gone) {
		gone_at = out_buf.len;
		out_skip = UINT64_MAX;
		return;
	}
	counted.type = t->first || COUNT_ALL ? t : NULL;
	counted.at = out_buf.len;
	t->first = false;
	buf_put(&out_buf, t->tag, t->tag_len);
	out_skip = t->skip;
}

static struct out_type *
src_type(struct out_src_type *t, const char *tag, const char *const *names,
    size_t n, bool has_src)
{
	struct out_type **one = has_src ? &t->with : &t->without;

	if (*one == NULL)
		*one = out_type(tag, names, (int)n - !has_src);
	return *one;
}

void
out_rec_src(struct out_src_type *t, const char *tag, const char *const *names,
    size_t n, bool has_src)
{
	out_rec(src_type(t, tag, names, n, has_src));
}

void
out_src_legend(
    struct out_src_type *t, const char *tag, const char *const *names, size_t n)
{
	out_legend(src_type(t, tag, names, n, false));
}

void
out_end(void)
{
	const struct out_type *t = counted.type;
	int n;

	if (gone_at != NOWHERE) {
		out_buf.len = gone_at;
		gone_at = own_at = NOWHERE;
		out_skip = 0;
		return;
	}
	if (t != NULL) {
		n = out_tabs(out_buf.s + counted.at, out_buf.len - counted.at);
		counted.type = NULL;
		if (n != t->n)
			die("a record has %d fields, its legend %d: %.*s", n,
			    t->n, (int)t->len - 1, t->legend);
	}
	out_skip = 0;
	buf_putc(&out_buf, '\n');
	count++;
	if (own_at == settled)
		settled = out_buf.len;
	own_at = NOWHERE;
	out_check();
}

void
out_unsets(int n)
{
	while (n-- > 0)
		out_unset();
}

void
out_fields(const char *s, size_t n)
{
	const char *end = s + n, *tab;

	while (s < end) {
		tab = memchr(s + 1, '\t', (size_t)(end - s - 1));
		if (tab == NULL)
			tab = end;
		out_raw(s + 1, (size_t)(tab - s - 1));
		s = tab;
	}
}

void
out_text(const char *s, size_t n)
{
	if (s == NULL) {
		out_unset();
		return;
	}
	if (!out_next())
		return;
	buf_putc(&out_buf, '\t');
	esc_put(&out_buf, s, n);
}

void
out_line(const char *s, size_t n)
{
	buf_reserve(&out_buf, n + 1);
	buf_put(&out_buf, s, n);
	buf_putc(&out_buf, '\n');
	count += n > 0 && s[0] != '#';
	out_check();
}

void
out_meta(const char *word, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_puts(&out_buf, "##");
	buf_puts(&out_buf, word);
	buf_putc(&out_buf, '\t');
	buf_puts(&out_buf, text);
	buf_putc(&out_buf, '\n');
	out_check();
}
