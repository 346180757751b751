/* See json.h. */
#include <stdbool.h>
#include <string.h>

#include "json.h"
#include "json_text.h"
#include "out.h"

#define EXACT 15 /* digits that a double holds */

static bool any;     /* an event stands before */
static bool in_args; /* of the event being written */

void
json_open(void)
{
	buf_puts(&out_buf, "{\"traceEvents\":[");
	any = false;
}

void
json_close(void)
{
	buf_puts(&out_buf, "\n]");
}

static bool
is_plain(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] - 0x20u >= 0x5fu || s[i] == '"' ||
		    s[i] == '\\')
			return false;
	return true;
}

void
json_value(const char *raw, size_t n)
{
	if (is_plain(raw, n)) {
		buf_putc(&out_buf, '"');
		buf_put(&out_buf, raw, n);
		buf_putc(&out_buf, '"');
		return;
	}
	json_quote_field(&out_buf, raw, n, TEXT_JSON_TRACE);
}

/* The format counts in microseconds: all digits of the nanoseconds. */
static void
put_us(int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	unsigned rest = (unsigned)(v % 1000);

	if (ns < 0)
		buf_putc(&out_buf, '-');
	buf_u64(&out_buf, v / 1000);
	if (rest == 0)
		return;
	buf_putc(&out_buf, '.');
	buf_putc(&out_buf, (char)('0' + rest / 100));
	buf_putc(&out_buf, (char)('0' + rest / 10 % 10));
	buf_putc(&out_buf, (char)('0' + rest % 10));
}

void
ev_begin(char ph, const char *cat, const char *name, size_t n,
    const struct place *at, int64_t ns)
{
	buf_puts(&out_buf, any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	any = true;
	in_args = false;
	buf_putc(&out_buf, ph);
	buf_puts(&out_buf, "\",\"cat\":\"");
	buf_puts(&out_buf, cat);
	buf_puts(&out_buf, "\",\"name\":");
	json_value(name, n);
	buf_puts(&out_buf, ",\"pid\":");
	buf_i64(&out_buf, at->pid);
	buf_puts(&out_buf, ",\"tid\":");
	buf_i64(&out_buf, at->tid);
	buf_puts(&out_buf, ",\"ts\":");
	put_us(ns);
}

void
ev_dur(int64_t ns)
{
	buf_puts(&out_buf, ",\"dur\":");
	put_us(ns);
}

static void
put_key(const char *name)
{
	buf_putc(&out_buf, '"');
	buf_puts(&out_buf, name);
	buf_puts(&out_buf, "\":");
}

void
ev_field(const char *name, const char *json)
{
	buf_putc(&out_buf, ',');
	put_key(name);
	buf_puts(&out_buf, json);
}

void
ev_id(uint64_t id)
{
	buf_puts(&out_buf, ",\"id\":");
	buf_u64(&out_buf, id);
}

static void
arg_key(const char *name)
{
	buf_puts(&out_buf, in_args ? "," : ",\"args\":{");
	in_args = true;
	put_key(name);
}

void
ev_arg(const char *name, const char *v, size_t n)
{
	if (v == NULL)
		return;
	arg_key(name);
	if (n <= EXACT && json_is_num(v, n))
		buf_put(&out_buf, v, n);
	else
		json_value(v, n);
}

void
ev_arg_i64(const char *name, int64_t v)
{
	arg_key(name);
	buf_i64(&out_buf, v);
}

void
ev_end(void)
{
	buf_puts(&out_buf, in_args ? "}}" : "}");
	out_check();
}

void
ev_name(const char *what, const struct place *at, const char *name, size_t n,
    int sort)
{
	static const char *const kinds[] = { "_name", "_sort_index" };
	struct buf kind = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		buf_clear(&kind);
		buf_puts(&kind, what);
		buf_puts(&kind, kinds[i]);
		ev_begin('M', "__metadata", kind.s, kind.len, at, 0);
		arg_key(i == 0 ? "name" : "sort_index");
		if (i == 0)
			json_value(name, n);
		else
			buf_i64(&out_buf, sort);
		ev_end();
	}
	buf_free(&kind);
}
