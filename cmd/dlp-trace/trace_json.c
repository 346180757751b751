/* The events of a trace in JSON; see trace.h. */
#include "json_text.h"
#include "out.h"
#include "trace.h"

#define EXACT 15 /* digits that a double holds */

void
events_open(void)
{
	buf_puts(&out_buf, "{\"traceEvents\":[");
}

void
events_close(void)
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
ev_string(const char *raw, size_t n)
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
ev_begin(struct trace_events *e, char ph, const char *cat, const char *name,
    size_t n, const struct trace_row *at, int64_t ns)
{
	buf_puts(&out_buf, e->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	e->any = true;
	e->in_args = false;
	buf_putc(&out_buf, ph);
	buf_puts(&out_buf, "\",\"cat\":\"");
	buf_puts(&out_buf, cat);
	buf_puts(&out_buf, "\",\"name\":");
	ev_string(name, n);
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
put_member(const char *name)
{
	buf_putc(&out_buf, '"');
	buf_puts(&out_buf, name);
	buf_puts(&out_buf, "\":");
}

void
ev_field(const char *name, const char *json)
{
	buf_putc(&out_buf, ',');
	put_member(name);
	buf_puts(&out_buf, json);
}

void
ev_id(uint64_t id)
{
	buf_puts(&out_buf, ",\"id\":");
	buf_u64(&out_buf, id);
}

static void
arg_key(struct trace_events *e, const char *name)
{
	buf_puts(&out_buf, e->in_args ? "," : ",\"args\":{");
	e->in_args = true;
	put_member(name);
}

void
ev_arg(struct trace_events *e, const char *name, const char *v, size_t n)
{
	if (v == NULL)
		return;
	arg_key(e, name);
	if (n <= EXACT && json_is_num(v, n))
		buf_put(&out_buf, v, n);
	else
		ev_string(v, n);
}

void
ev_arg_i64(struct trace_events *e, const char *name, int64_t v)
{
	arg_key(e, name);
	buf_i64(&out_buf, v);
}

void
ev_end(struct trace_events *e)
{
	buf_puts(&out_buf, e->in_args ? "}}" : "}");
	out_check();
}

void
ev_name(struct trace_events *e, const char *what, const struct trace_row *at,
    const char *name, size_t n, int sort)
{
	static const char *const kinds[] = { "_name", "_sort_index" };
	struct buf kind = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		buf_clear(&kind);
		buf_puts(&kind, what);
		buf_puts(&kind, kinds[i]);
		ev_begin(e, 'M', "__metadata", kind.s, kind.len, at, 0);
		arg_key(e, i == 0 ? "name" : "sort_index");
		if (i == 0)
			ev_string(name, n);
		else
			buf_i64(&out_buf, sort);
		ev_end(e);
	}
	buf_free(&kind);
}
