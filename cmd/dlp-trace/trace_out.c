/* The events of a timeline, as they are written; see trace_out.h. */
#include <string.h>
#include <zlib.h>

#include "cli.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "proto.h"
#include "text_out.h"
#include "trace_out.h"

#define PACKETS ((size_t)1 << 18) /* bytes that are compressed at once */

#define EXACT 15 /* digits that a double holds */

static bool
is_json_as_it_is(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] - 0x20u >= 0x5fu || s[i] == '"' ||
		    s[i] == '\\')
			return false;
	return true;
}

/* The string of a value as records hold it (escaped); what is no UTF-8 is
 * replaced. */
static void
ev_string(const char *raw, size_t n)
{
	if (is_json_as_it_is(raw, n)) {
		buf_putc(&out_buf, '"');
		buf_put(&out_buf, raw, n);
		buf_putc(&out_buf, '"');
		return;
	}
	json_quote_field(&out_buf, raw, n, TEXT_JSON_TRACE);
}

/* JSON counts in microseconds: all digits of the nanoseconds. */
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

/* Packets. The names of their fields are those of Perfetto's own schema. */

enum { TABLE_CAT = 1, TABLE_NAME, TABLE_ARG, TABLE_TEXT = 29 };
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };

static void
put_message(struct buf *to, unsigned no, const struct buf *m)
{
	proto_put_bytes(to, no, m->len > 0 ? m->s : "", m->len);
}

/* The number of a text in the table of a packet; a new one is put there. */
static uint64_t
iid_of(struct trace_out *o, unsigned table, const char *s, size_t n)
{
	struct buf entry = { 0 };
	bool is_new;
	uint64_t id;

	buf_clear(&o->text);
	buf_putc(&o->text, (char)table);
	buf_put(&o->text, s, n);
	id = smap_put(&o->iids, o->text.s, o->text.len, &is_new) + UINT64_C(1);
	if (is_new) {
		buf_clear(&o->text);
		text_put_field(&o->text, s, n, TEXT_RAW);
		proto_put(&entry, 1, id);
		put_message(&entry, 2, &o->text);
		put_message(&o->words, table, &entry);
		buf_free(&entry);
	}
	return id;
}

/* Packets are written many at a time, as one that holds them compressed. */
static void
put_packets(struct trace_out *o)
{
	uLongf n = compressBound(o->packets.len);

	if (o->packets.len == 0)
		return;
	buf_clear(&o->b);
	buf_reserve(&o->b, n);
	if (compress((Bytef *)o->b.s, &n, (const Bytef *)o->packets.s,
		o->packets.len) != Z_OK)
		die("out of memory");
	o->b.len = n;
	buf_clear(&o->text);
	put_message(&o->text, 50, &o->b);
	put_message(&out_buf, 1, &o->text);
	buf_clear(&o->packets);
}

static void
put_packet(struct trace_out *o)
{
	put_message(&o->packets, 1, &o->b);
	if (o->packets.len >= PACKETS)
		put_packets(o);
}

#define HOUR 3600000000000

/* Perfetto's times are not negative, as those of a rank can be that started
 * before the first one: then all move, by more than the order of records can
 * be wrong. */
static void
begin_packet(struct trace_out *o, int64_t ns)
{
	if (!o->any && ns < 0)
		o->base = num_sub(HOUR, ns);
	ns = num_add(ns, o->base);
	ns = ns > 0 ? ns : 0;
	buf_clear(&o->b);
	proto_put(&o->b, 8, (uint64_t)ns);
	proto_put(&o->b, 10, 1);                  /* the sequence */
	proto_put(&o->b, 13, o->any ? 2 : 1 | 2); /* the first empties it */
	o->any = true;
}

static void
put_event(struct trace_out *o, int type, int64_t ns, const struct buf *more)
{
	struct buf event = { 0 };

	begin_packet(o, ns);
	if (o->words.len > 0)
		put_message(&o->b, 12, &o->words);
	buf_clear(&o->words);
	proto_put(&event, 9, (uint64_t)type);
	proto_put(&event, 11, o->track);
	if (more != NULL)
		buf_put(&event, more->s, more->len);
	put_message(&o->b, 11, &event);
	put_packet(o);
	buf_free(&event);
}

static uint64_t
track_uuid(struct trace_out *o, int64_t pid, int64_t tid)
{
	return smap_put_pair(&o->tracks, pid, tid, NULL) + UINT64_C(1);
}

/* A counter has a track below its process. */
static uint64_t
counter_uuid(struct trace_out *o, int64_t pid, const char *name, size_t n)
{
	struct buf d = { 0 };
	bool is_new;
	uint64_t id;

	buf_clear(&o->text);
	buf_i64(&o->text, pid);
	buf_putc(&o->text, ' ');
	buf_put(&o->text, name, n);
	id = smap_put(&o->tracks, o->text.s, o->text.len, &is_new) + 1u;
	if (!is_new)
		return id;
	proto_put(&d, 1, id);
	proto_put(&d, 5, track_uuid(o, pid, -1));
	buf_clear(&o->text);
	text_put_field(&o->text, name, n, TEXT_RAW);
	put_message(&d, 2, &o->text);
	proto_put_bytes(&d, 8, "", 0);
	buf_clear(&o->b);
	put_message(&o->b, 60, &d);
	put_packet(o);
	buf_free(&d);
	return id;
}

static void
name_track(struct trace_out *o, bool thread, const struct trace_row *at,
    const struct buf *name, int sort)
{
	struct buf d = { 0 }, owner = { 0 };

	proto_put(&d, 1, track_uuid(o, at->pid, thread ? at->tid : -1));
	if (thread)
		proto_put(&d, 5, track_uuid(o, at->pid, -1));
	proto_put(&owner, 1, (uint64_t)at->pid);
	if (thread)
		proto_put(&owner, 2, (uint64_t)at->tid);
	buf_clear(&o->text);
	text_put_field(&o->text, name->s, name->len, TEXT_RAW);
	put_message(&owner, thread ? 5 : 6, &o->text);
	put_message(&d, thread ? 4 : 3, &owner);
	proto_put(&d, 11, 3); /* what is below: in the order of the next */
	proto_put(&d, 12, (uint64_t)(int64_t)sort);
	buf_clear(&o->b);
	put_message(&o->b, 60, &d);
	put_packet(o);
	buf_free(&d);
	buf_free(&owner);
}

static void
begin_event(struct trace_out *o, char ph, const char *cat, const char *name,
    size_t n, const struct trace_row *at, int64_t ns)
{
	o->ph = ph;
	o->start = ns;
	o->dur = -1;
	buf_clear(&o->event);
	if (ph == 'C') {
		o->track = counter_uuid(o, at->pid, name, n);
		return;
	}
	o->track = track_uuid(o, at->pid, at->tid);
	proto_put(&o->event, 10, iid_of(o, TABLE_NAME, name, n));
	proto_put(&o->event, 3, iid_of(o, TABLE_CAT, cat, strlen(cat)));
	if (o->flow != 0)
		proto_put_fix64(&o->event, 47, o->flow);
}

/* An annotation: a whole number, another, or text. */
static void
put_annotation(
    struct trace_out *o, const char *name, const char *v, size_t n, bool text)
{
	struct buf m = { 0 };
	int64_t i;
	uint64_t bits;
	double d;

	proto_put(&m, 1, iid_of(o, TABLE_ARG, name, strlen(name)));
	if (!text && num_i64(v, n, &i)) {
		proto_put(&m, 4, (uint64_t)i);
	} else if (!text && n <= EXACT && json_is_num(v, n) &&
		   num_f64(v, n, &d)) {
		memcpy(&bits, &d, sizeof(bits));
		proto_put_fix64(&m, 5, bits);
	} else {
		proto_put(&m, 17, iid_of(o, TABLE_TEXT, v, n));
	}
	put_message(&o->event, 4, &m);
	buf_free(&m);
}

void
ev_begin(struct trace_out *o, char ph, const char *cat, const char *name,
    size_t n, const struct trace_row *at, int64_t ns)
{
	if (o->proto) {
		begin_event(o, ph, cat, name, n, at, ns);
		return;
	}
	buf_puts(&out_buf, o->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	o->any = true;
	o->in_args = false;
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
ev_dur(struct trace_out *o, int64_t ns)
{
	o->dur = ns;
	if (o->proto)
		return;
	buf_puts(&out_buf, ",\"dur\":");
	put_us(ns);
}

void
ev_id(struct trace_out *o, uint64_t id)
{
	ev_text(o, ",\"id\":");
	if (!o->proto)
		buf_u64(&out_buf, id);
}

void
ev_text(struct trace_out *o, const char *json)
{
	if (!o->proto)
		buf_puts(&out_buf, json);
}

static void
arg_key(struct trace_out *o, const char *name)
{
	buf_puts(&out_buf, o->in_args ? ",\"" : ",\"args\":{\"");
	o->in_args = true;
	buf_puts(&out_buf, name);
	buf_puts(&out_buf, "\":");
}

void
ev_arg_i64(struct trace_out *o, const char *name, int64_t v)
{
	if (o->proto && o->ph == 'C') {
		proto_put(&o->event, 30, (uint64_t)v);
		return;
	}
	arg_key(o, name);
	buf_i64(&out_buf, v);
}

void
ev_arg(struct trace_out *o, const char *name, const char *v, size_t n)
{
	if (o->proto) {
		put_annotation(o, name, v, n, false);
		return;
	}
	arg_key(o, name);
	if (n <= EXACT && json_is_num(v, n))
		buf_put(&out_buf, v, n);
	else
		ev_string(v, n);
}

void
ev_end(struct trace_out *o)
{
	if (o->proto)
		put_event(o,
		    o->ph == 'C'                   ? TYPE_COUNTER
		    : o->ph == 'X' || o->ph == 'B' ? TYPE_BEGIN
						   : TYPE_INSTANT,
		    o->start, &o->event);
	else
		buf_puts(&out_buf, o->in_args ? "}}" : "}");
	if (o->proto && o->ph == 'X')
		put_event(o, TYPE_END, num_add(o->start, o->dur), NULL);
	out_check();
}

void
ev_name(struct trace_out *o, bool thread, const struct trace_row *at,
    const struct buf *name, int sort)
{
	static const char *const kinds[] = { "process_name",
		"process_sort_index", "thread_name", "thread_sort_index" };
	const char *const *kind = kinds + 2 * thread;

	if (o->proto) {
		name_track(o, thread, at, name, sort);
		return;
	}
	ev_begin(o, 'M', "__metadata", kind[0], strlen(kind[0]), at, 0);
	arg_key(o, "name");
	ev_string(name->s, name->len);
	ev_end(o);
	ev_begin(o, 'M', "__metadata", kind[1], strlen(kind[1]), at, 0);
	ev_arg_i64(o, "sort_index", sort);
	ev_end(o);
}

/* In packets facts are the annotations of a point at the beginning. */
void
ev_facts(struct trace_out *o)
{
	static const struct trace_row at = { INT32_MAX, INT32_MAX };
	static char facts[] = "facts";
	const struct buf name = { facts, 5, 0 };

	ev_text(o, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\n"
		   "\"by\":\"dlp-trace " DLP_VERSION "\"");
	if (!o->proto)
		return;
	ev_name(o, true, &at, &name, 0);
	ev_begin(o, 'i', "facts", "dlp-trace " DLP_VERSION,
	    strlen("dlp-trace " DLP_VERSION), &at, 0);
}

void
ev_fact(struct trace_out *o, const char *name, size_t n, const char *v,
    size_t len, bool number)
{
	struct buf b = { 0 };

	if (o->proto) {
		buf_put(&b, name, n);
		put_annotation(o, buf_str(&b), v, len, !number);
		buf_free(&b);
		return;
	}
	buf_puts(&out_buf, ",\n");
	ev_string(name, n);
	buf_putc(&out_buf, ':');
	if (number)
		buf_put(&out_buf, v, len);
	else
		ev_string(v, len);
}

void
ev_close(struct trace_out *o)
{
	if (o->proto) {
		ev_end(o);
		put_packets(o);
	} else {
		buf_puts(&out_buf, "}}\n");
	}
	buf_free(&o->packets);
	smap_free(&o->iids);
	smap_free(&o->tracks);
	buf_free(&o->event);
	buf_free(&o->words);
	buf_free(&o->b);
	buf_free(&o->text);
}
