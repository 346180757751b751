/*
 * What a packet of a trace of Perfetto holds: slices of threads, with their
 * annotations, and stages of a GPU. Fields of events are made of it, with
 * values as JSON has them.
 */
#include <string.h>

#include "array.h"
#include "num.h"
#include "pftrace.h"
#include "text_out.h"

#define NESTED_MOST 16 /* values in values; sizes of lists of tensors: 3 */

static void
put_field(struct pftrace *p, int f, struct mview v)
{
	uint32_t n = (uint32_t)v.n;

	buf_putc(&p->fields, (char)f);
	buf_put(&p->fields, (const char *)&n, sizeof(n));
	buf_put(&p->fields, v.s, v.n);
}

void
pftrace_put_text(struct buf *b, struct mview v)
{
	if (kineto_event_plain(v.s, v.s + v.n) == v.s + v.n)
		buf_put(b, v.s, v.n);
	else
		text_put(b, v.s, v.n, TEXT_JSON);
}

/* The value that was made in p->text. */
static struct mview
made(struct pftrace *p)
{
	struct mview v = { buf_str(&p->text), p->text.len };

	return v;
}

static void
put_text_field(struct pftrace *p, int f, struct mview v)
{
	buf_clear(&p->text);
	pftrace_put_text(&p->text, v);
	put_field(p, f, made(p));
}

static void
put_number_field(struct pftrace *p, int f, uint64_t v)
{
	buf_clear(&p->text);
	buf_i64(&p->text, (int64_t)v);
	put_field(p, f, made(p));
}

/* Appends the value of an annotation; one without a value is an empty list. A
 * text has quotes inside a list only. False if it is damaged. */
static bool
put_value(struct pftrace *p, const struct pf_seq *q, struct mview v, int depth)
{
	struct proto m = proto_of(v);
	struct buf *b = &p->text;
	const char *quote = depth > 0 ? "\"" : "";
	bool list = false, any = false;
	struct mview word;
	double d;

	if (depth > NESTED_MOST)
		return false;
	while (proto_next(&m)) {
		any |= (m.no >= 2 && m.no <= 9) || m.no == 17;
		if (m.no == 2)
			buf_puts(b, m.v != 0 ? "true" : "false");
		else if (m.no == 3 || m.no == 4 || m.no == 7)
			buf_i64(b, (int64_t)m.v);
		else if (m.no == 5) {
			memcpy(&d, &m.v, sizeof(d));
			buf_printf(b, "%.17g", d);
		} else if (m.no == 17 || ((m.no == 6 || m.no == 9) &&
					     m.wire == PROTO_BYTES)) {
			buf_puts(b, quote);
			word = pftrace_word(p, q, PT_TEXT, m.v);
			if (m.no == 17)
				buf_put(b, word.s, word.n);
			else
				pftrace_put_text(b, m.s);
			buf_puts(b, quote);
		} else if (m.no == 12 && m.wire == PROTO_BYTES) {
			buf_putc(b, list ? ',' : '[');
			any = list = true;
			if (!put_value(p, q, m.s, depth + 1))
				return false;
		}
	}
	buf_puts(b, list ? "]" : any ? "" : "[]");
	return !m.bad;
}

/* The number of a GPU among those of the file; agents are also CPUs. */
static void
put_agent(struct pftrace *p, struct mview v)
{
	const char *s = v.s + v.n;
	int64_t n;
	int i = 0;

	while (s > v.s && s[-1] >= '0' && s[-1] <= '9')
		s--;
	if (mv_starts(v, "CPU") || !num_i64(s, (size_t)(v.s + v.n - s), &n))
		return;
	while (i < p->nagents && p->agents[i] != n)
		i++;
	if (i == (int)ARRAY_LEN(p->agents))
		return;
	p->agents[i] = n;
	p->nagents += i == p->nagents;
	put_number_field(p, KF_AGENT, (uint64_t)n);
}

/* A field by its name, if it is one that is read. value: a message with the
 * value; text: the value itself. */
static bool
put_arg(struct pftrace *p, const struct pf_seq *q, struct mview name,
    struct mview value, bool text)
{
	int f = kineto_event_arg(&p->l->ev, name);
	bool ok = true;

	if (f == KF_N)
		return true;
	buf_clear(&p->text);
	if (text)
		pftrace_put_text(&p->text, value);
	else
		ok = put_value(p, q, value, 0);
	value = made(p);
	if (f == KF_AGENT)
		put_agent(p, value);
	else
		put_field(p, f, value);
	p->shapes |= f == KF_DIMS;
	return ok;
}

/* An annotation, or an argument of a launch. */
static bool
put_annotation(struct pftrace *p, const struct pf_seq *q, struct mview v,
    enum pf_table names, unsigned by_name)
{
	struct proto m = proto_of(v);
	struct mview name = { "", 0 };

	while (proto_next(&m)) {
		if (m.no == 1 && m.wire == PROTO_VARINT)
			name = pftrace_word(p, q, names, m.v);
		else if (m.no == by_name && m.wire == PROTO_BYTES)
			name = m.s;
	}
	return !m.bad && put_arg(p, q, name, v, false);
}

/* Stages of the GPU that belong to the call: the first one's number. */
static bool
read_links(struct mview v, uint64_t *id)
{
	struct proto m = proto_of(v);
	const char *s;

	while (*id == 0 && proto_next(&m)) {
		if (m.no != 1)
			continue;
		*id = m.v;
		if (m.wire == PROTO_BYTES) { /* packed */
			s = m.s.s;
			*id = 0;
			m.bad = m.s.n > 0 && !proto_number(&s, s + m.s.n, id);
		}
	}
	return !m.bad;
}

bool
pftrace_event(struct pftrace *p, struct pf_seq *q, struct mview v, int64_t ts,
    uint64_t clock)
{
	struct proto m = proto_of(v);
	uint64_t type = 0, track = q->track, link = 0, iid;
	const char *s;
	bool ok = true;

	buf_clear(&p->fields);
	while (ok && proto_next(&m)) {
		if (m.no == 9)
			type = m.v;
		else if (m.no == 11)
			track = m.v;
		else if (m.no == 10)
			put_field(
			    p, KF_NAME, pftrace_word(p, q, PT_EVENT, m.v));
		else if (m.no == 3) {
			iid = m.v;
			s = m.s.s;
			if (m.wire == PROTO_BYTES)
				ok = m.s.n == 0 ||
				     proto_number(&s, s + m.s.n, &iid);
			put_field(
			    p, KF_CAT, pftrace_word(p, q, PT_CATEGORY, iid));
		}
		if (m.wire != PROTO_BYTES)
			continue;
		if (m.no == 23)
			put_text_field(p, KF_NAME, m.s);
		else if (m.no == 22)
			put_text_field(p, KF_CAT, m.s);
		else if (m.no == 4)
			ok = put_annotation(p, q, m.s, PT_ARG, 10);
		else if (m.no == 3000)
			ok = read_links(m.s, &link);
	}
	if (!ok || m.bad)
		return false;
	if (link != 0)
		put_number_field(p, KF_EVENT, link);
	if (type == 1 || type == 2)
		pftrace_take(p, q, type == 1 ? PF_BEGIN : PF_END, track, ts,
		    EV_UNSET, clock);
	else if (type != 3) /* an instant; of counters, or before types */
		p->l->k->other++;
	return true;
}

/* A list of three sizes: {1 x, 2 y, 3 z}. */
static bool
put_sizes3(struct pftrace *p, int f, struct mview v)
{
	struct proto m = proto_of(v);
	uint64_t size[4] = { 0, 1, 1, 1 };
	int i;

	while (proto_next(&m))
		if (m.no < 4)
			size[m.no] = m.v;
	buf_clear(&p->text);
	for (i = 1; i < 4; i++) {
		buf_putc(&p->text, i == 1 ? '[' : ',');
		buf_i64(&p->text, (int64_t)size[i]);
	}
	buf_putc(&p->text, ']');
	put_field(p, f, made(p));
	return !m.bad;
}

static bool
put_launch(struct pftrace *p, const struct pf_seq *q, struct mview v)
{
	struct proto m = proto_of(v);
	bool ok = true;

	put_number_field(p, KF_SMEM, 0); /* written only if there is any */
	while (ok && proto_next(&m)) {
		if (m.wire != PROTO_BYTES)
			continue;
		if (m.no == 1 || m.no == 2)
			ok = put_sizes3(p, m.no == 1 ? KF_GRID : KF_BLOCK, m.s);
		else if (m.no == 3)
			ok = put_annotation(p, q, m.s, PT_LAUNCH_ARG, 2);
	}
	return ok && !m.bad;
}

/* {1 name, 2 value}: values are texts. */
static bool
put_extra(struct pftrace *p, const struct pf_seq *q, struct mview v)
{
	struct proto m = proto_of(v);
	struct mview s[3] = { { "", 0 }, { "", 0 }, { "", 0 } };

	while (proto_next(&m))
		if (m.no < 3 && m.wire == PROTO_BYTES)
			s[m.no] = m.s;
	return !m.bad && put_arg(p, q, s[1], s[2], true);
}

/* The last number in the name of a queue: [07] stream 7. */
static void
put_queue(struct pftrace *p, struct mview v)
{
	const char *e = v.s + v.n, *s;

	while (e > v.s && (e[-1] < '0' || e[-1] > '9'))
		e--;
	for (s = e; s > v.s && s[-1] >= '0' && s[-1] <= '9'; s--)
		;
	if (s < e)
		put_field(p, KF_QUEUE, mv(s, e));
}

bool
pftrace_stage(struct pftrace *p, struct pf_seq *q, struct mview v, int64_t ts,
    uint64_t clock)
{
	struct proto m = proto_of(v);
	struct mview stage = { "", 0 }, name = stage, kernel = stage;
	uint64_t dur = 0;
	const char *kind;
	bool ok = true, named = false;

	buf_clear(&p->fields);
	while (ok && proto_next(&m)) {
		if (m.no == 2)
			dur = m.v;
		else if (m.no == 1 && m.v != 0)
			put_number_field(p, KF_EVENT, m.v);
		else if (m.no == 11)
			put_number_field(p, KF_PID, (uint64_t)(int32_t)m.v);
		else if (m.no == 13)
			put_queue(p, pftrace_word(p, q, PT_SPEC, m.v));
		else if (m.no == 14)
			stage = pftrace_word(p, q, PT_SPEC, m.v);
		else if (m.no == 20)
			name = pftrace_word(p, q, PT_EVENT, m.v);
		else if (m.no == 19)
			kernel = pftrace_word(p, q, PT_KERNEL, m.v);
		if (m.wire != PROTO_BYTES)
			continue;
		if (m.no == 17) {
			put_text_field(p, KF_NAME, m.s);
			named = m.s.n > 0;
		} else if (m.no == 21)
			ok = put_launch(p, q, m.s);
		else if (m.no == 6)
			ok = put_extra(p, q, m.s);
	}
	if (!ok || m.bad)
		return false;
	/* The category of a stage by its name; NULL: none that is work. */
	kind = mv_starts(stage, "Kernel") || mv_eq(stage, "Compute") ? "kernel"
	       : mv_starts(stage, "Memcpy") ? "gpu_memcpy"
	       : mv_starts(stage, "Memset") ? "gpu_memset"
					    : NULL;
	/* others mark spans of work, or events */
	p->l->k->other += stage.n == 0;
	if (kind == NULL)
		return true;
	if (!named)
		put_field(p, KF_NAME,
		    name.n > 0     ? name
		    : kernel.n > 0 ? kernel
				   : stage);
	put_field(p, KF_CAT, mv(kind, kind + strlen(kind)));
	pftrace_take(p, q, PF_STAGE, 0, ts, (int64_t)dur, clock);
	return true;
}
