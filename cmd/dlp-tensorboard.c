/*
 * dlp-tensorboard: the steps of a stream as an event file, which TensorBoard
 * reads: numbers of each step, and the findings as text.
 *
 * The file is a sequence of framed messages: the length, a checksum of the
 * length, the message, a checksum of it. Messages are Event messages of
 * TensorFlow's event.proto; the few fields that they need are written by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "esc.h"
#include "map.h"
#include "num.h"
#include "stage.h"
#include "utf8.h"

/*
 * The framing
 */

/* The lowest n bytes of v, the lowest first. */
static void
put_bytes(struct buf *b, uint64_t v, int n)
{
	for (; n > 0; n--, v >>= 8)
		buf_putc(b, (char)(v & 0xff));
}

/* CRC-32C of n bytes: the polynomial 0x1edc6f41, bits reversed. It is masked,
 * because a checksum of data that holds its own checksum would be weak. */
static void
put_masked_crc(struct buf *b, const char *s, size_t n)
{
	uint32_t c = 0xffffffff;
	size_t i;
	int bit;

	for (i = 0; i < n; i++) {
		c ^= (unsigned char)s[i];
		for (bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0x82f63b78 : 0);
	}
	c = ~c;
	put_bytes(b, (uint32_t)((c >> 15 | c << 17) + 0xa282ead8), 4);
}

static void
put_frame(const struct buf *message)
{
	struct buf head = { 0 };

	put_bytes(&head, message->len, 8);
	buf_put(&out_buf, head.s, head.len);
	put_masked_crc(&out_buf, head.s, head.len);
	buf_put(&out_buf, message->s, message->len);
	put_masked_crc(&out_buf, message->s, message->len);
	buf_free(&head);
	out_check();
}

/*
 * The fields of messages: a number and a type each
 */

enum { PB_VARINT, PB_FIXED64, PB_BYTES, PB_FIXED32 = 5 };

static void
pb_varint(struct buf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		buf_putc(b, (char)(v | 0x80));
	buf_putc(b, (char)v);
}

static void
pb_key(struct buf *b, int field, int type)
{
	pb_varint(b, (uint64_t)field << 3 | (uint64_t)type);
}

static void
pb_int(struct buf *b, int field, int64_t v)
{
	pb_key(b, field, PB_VARINT);
	pb_varint(b, (uint64_t)v);
}

static void
pb_text(struct buf *b, int field, const char *s, size_t n)
{
	pb_key(b, field, PB_BYTES);
	pb_varint(b, n);
	buf_put(b, s, n);
}

/* A message in a field; it is empty afterwards. */
static void
pb_message(struct buf *b, int field, struct buf *inner)
{
	pb_text(b, field, inner->s, inner->len);
	buf_clear(inner);
}

/*
 * The steps of a section
 */

struct tb_step {
	uint32_t who; /* in tb.steps */
	int64_t iter, start_ns, step_ns;
	bool has_start, has_step;
};

struct tb_sums { /* of the time of a step on the devices that worked in the
		  * profile, as dlp iters has it */
	double tc_ns, kern_ns, busy_ns, all_ns;
	bool unknown;
	bool has_mfu;
	double mfu_pct;
};

struct tb_busy { /* a busy record */
	uint32_t who, dev;
	double ns;
	bool has_ns, is_tc, is_kern, is_idle;
};

struct tb {
	double t0;          /* seconds since 1970; 0: unknown */
	bool headed;        /* the first event is written */
	struct smap steps;  /* "\tsrc\titer", as they stand */
	struct smap devs;   /* "\tsrc\tdev"; val: 1 if it worked */
	struct tb_sums *of; /* by number in steps */
	size_t of_cap;
	struct tb_step *step;
	size_t n_step, step_cap;
	struct tb_busy *row;
	size_t n_row, row_cap;
	struct buf text; /* the findings, in Markdown */
	struct buf key, raw, value, summary, event, inner; /* scratch */
};

/* The number of what src and a column of the record name. */
static uint32_t
number_of(struct tb *tb, struct smap *map, const struct rec *r, int col)
{
	struct mview s = rec_get(r, COL_src), v = rec_get(r, col);

	buf_clear(&tb->key);
	buf_putc(&tb->key, '\t');
	buf_put(&tb->key, s.s, s.n);
	buf_putc(&tb->key, '\t');
	buf_put(&tb->key, v.s, v.n);
	return smap_put(map, tb->key.s, tb->key.len, NULL);
}

static uint32_t
tb_step_of(struct tb *tb, const struct rec *r, int iter)
{
	uint32_t n = tb->steps.n, who = number_of(tb, &tb->steps, r, iter);

	if (tb->steps.n > n) {
		ARRAY_GROW(tb->of, who, tb->of_cap);
		tb->of[who] = (struct tb_sums){ 0 };
	}
	return who;
}

/* An iteration without a key is the whole profile, which is no step. */
static void
read_tb_step(struct stage *st, struct rec *r)
{
	struct tb *tb = st->ctx;
	struct tb_step *s;
	int64_t iter;

	if (!rec_num(r, COL_iter, &iter) ||
	    (rec_has(r->type, COL_key) && rec_get(r, COL_key).s == NULL))
		return;
	ARRAY_GROW(tb->step, tb->n_step, tb->step_cap);
	s = &tb->step[tb->n_step++];
	s->who = tb_step_of(tb, r, COL_iter);
	s->iter = iter;
	s->has_start = rec_num(r, COL_start_ns, &s->start_ns);
	s->has_step = rec_num(r, COL_step_ns, &s->step_ns);
}

static void
read_busy(struct stage *st, struct rec *r)
{
	/* the classes in which no GPU works, see dlp-busy(1) */
	static const char *const idle[] = { "cpu", "dataload", "idle", "io",
		"other" };
	struct tb *tb = st->ctx;
	struct mview class = rec_get(r, COL_class);
	struct tb_busy *row;
	int64_t ns = 0;

	ARRAY_GROW(tb->row, tb->n_row, tb->row_cap);
	row = &tb->row[tb->n_row++];
	row->who = tb_step_of(
	    tb, r, rec_get(r, COL_iter).s != NULL ? COL_iter : COL_after);
	row->dev = number_of(tb, &tb->devs, r, COL_dev);
	row->has_ns = rec_num(r, COL_dur_ns, &ns);
	row->ns = (double)ns;
	row->is_tc = mv_eq(class, "tc");
	row->is_kern =
	    row->is_tc || mv_eq(class, "kern") || mv_eq(class, "comm");
	row->is_idle =
	    class.s != NULL && mv_listed(class, idle, ARRAY_LEN(idle));
	if (!row->is_idle && ns > 0)
		tb->devs.val[row->dev] = 1;
}

static void
read_mfu(struct stage *st, struct rec *r)
{
	struct tb *tb = st->ctx;
	uint32_t who = tb_step_of(tb, r, COL_iter);

	tb->of[who].has_mfu = rec_real(r, COL_mfu_pct, &tb->of[who].mfu_pct);
}

/*
 * Findings, as a list in Markdown
 */

/* Names from the profile are shown as they are: TensorBoard renders the text,
 * and a * in it must not make the rest of the line slanted. */
static void
put_markdown(struct tb *tb, const struct rec *r, int col)
{
	struct mview v = rec_get(r, col);
	struct buf fixed = { 0 };
	size_t i;
	char c;

	buf_clear(&tb->raw);
	esc_undo(&tb->raw, v.s, v.n);
	utf8_fix(&fixed, tb->raw.s, tb->raw.len);
	for (i = 0; i < fixed.len; i++) {
		c = fixed.s[i];
		if (c == '<' || c == '&') {
			buf_puts(&tb->text, c == '<' ? "&lt;" : "&amp;");
			continue;
		}
		if ((unsigned char)c < 0x20 || c == 0x7f)
			c = ' ';
		else if (strchr("\\`*_{}[]#|", c) != NULL)
			buf_putc(&tb->text, '\\');
		buf_putc(&tb->text, c);
	}
	buf_free(&fixed);
}

/* Those that dlp advise shows. */
static void
read_finding(struct stage *st, struct rec *r)
{
	struct tb *tb = st->ctx;

	if (!mv_eq(rec_get(r, COL_judged), "yes") ||
	    rec_get(r, COL_part_of).s != NULL)
		return;
	buf_puts(&tb->text, "- **");
	put_markdown(tb, r, COL_id);
	buf_puts(&tb->text, "**");
	if (rec_get(r, COL_share_pct).s != NULL) {
		buf_puts(&tb->text, " (");
		put_markdown(tb, r, COL_share_pct);
		buf_puts(&tb->text, " %)");
	}
	buf_puts(&tb->text, ": ");
	put_markdown(tb, r, COL_problem);
	buf_putc(&tb->text, ' ');
	put_markdown(tb, r, COL_recommendation);
	if (rec_get(r, COL_evidence).s != NULL) {
		buf_puts(&tb->text, " Evidence: ");
		put_markdown(tb, r, COL_evidence);
	}
	buf_putc(&tb->text, '\n');
}

/*
 * Events
 */

static void
begin_event(struct tb *tb, double wall_time, int64_t step)
{
	uint64_t bits;

	buf_clear(&tb->event);
	memcpy(&bits, &wall_time, sizeof(bits));
	pb_key(&tb->event, 1, PB_FIXED64);
	put_bytes(&tb->event, bits, 8);
	if (step != 0) /* 0 is what a reader takes where it is missing */
		pb_int(&tb->event, 2, step);
}

/* The name of a value; that of a profile among several ends in its file. */
static void
put_tag(struct tb *tb, const char *name, uint32_t who)
{
	size_t n;
	const char *s = smap_str(&tb->steps, who, &n);
	const char *end = memchr(s + 1, '\t', n - 1);

	buf_clear(&tb->key);
	buf_puts(&tb->key, name);
	if (end > s + 1) {
		buf_clear(&tb->raw);
		esc_undo(&tb->raw, s + 1, (size_t)(end - s) - 1);
		buf_putc(&tb->key, '/');
		utf8_fix(&tb->key, tb->raw.s, tb->raw.len);
	}
	pb_text(&tb->value, 1, tb->key.s, tb->key.len);
}

static void
put_number(struct tb *tb, const struct tb_step *s, const char *name, double v)
{
	float value = (float)v;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_tag(tb, name, s->who);
	pb_key(&tb->value, 2, PB_FIXED32);
	put_bytes(&tb->value, bits, 4);
	pb_message(&tb->summary, 1, &tb->value);
}

static void
put_step(struct tb *tb, const struct tb_step *s)
{
	const struct tb_sums *of = &tb->of[s->who];

	if (s->has_step)
		put_number(tb, s, "step_time_ms", (double)s->step_ns / 1e6);
	if (!of->unknown && of->all_ns > 0)
		put_number(
		    tb, s, "gpu_busy_pct", 100 * of->busy_ns / of->all_ns);
	if (!of->unknown && of->kern_ns > 0)
		put_number(
		    tb, s, "tensor_core_pct", 100 * of->tc_ns / of->kern_ns);
	if (of->has_mfu)
		put_number(tb, s, "mfu_pct", of->mfu_pct);
	if (tb->summary.len == 0)
		return;
	begin_event(tb, tb->t0 + (s->has_start ? (double)s->start_ns / 1e9 : 0),
	    s->iter);
	pb_message(&tb->event, 5, &tb->summary);
	put_frame(&tb->event);
}

static void
end_tb_section(struct stage *st)
{
	static const char version[] = "brain.Event:2";
	struct tb *tb = st->ctx;
	size_t i;
	static const char tag[] = "findings", plugin[] = "text";
	struct buf *b;
	const struct tb_busy *row;
	struct tb_sums *s;

	if (!st->complete)
		return;
	if (!tb->headed) {
		begin_event(tb, tb->t0, 0);
		pb_text(&tb->event, 3, version, sizeof(version) - 1);
		put_frame(&tb->event);
	}
	tb->headed = true;
	/* Devices on which nothing ran do not count. */
	for (i = 0; i < tb->n_row; i++) {
		row = &tb->row[i];
		s = &tb->of[row->who];
		if (tb->devs.val[row->dev] == 0)
			continue;
		s->unknown |= !row->has_ns;
		s->all_ns += row->ns;
		s->tc_ns += row->is_tc ? row->ns : 0;
		s->kern_ns += row->is_kern ? row->ns : 0;
		s->busy_ns += row->is_idle ? 0 : row->ns;
	}
	for (i = 0; i < tb->n_step; i++)
		put_step(tb, &tb->step[i]);
	/* A value of the text plug-in: a tensor of one string. */
	b = &tb->key;
	if (tb->text.len == 0)
		return;
	pb_text(&tb->value, 1, tag, sizeof(tag) - 1);
	buf_clear(b);
	pb_int(b, 1, 7);          /* DT_STRING */
	pb_int(&tb->inner, 1, 1); /* a dimension, of size 1 */
	buf_clear(&tb->raw);
	pb_message(&tb->raw, 2, &tb->inner);
	pb_message(b, 2, &tb->raw);
	pb_text(b, 8, tb->text.s, tb->text.len);
	pb_message(&tb->value, 8, b);
	pb_text(&tb->raw, 1, plugin, sizeof(plugin) - 1);
	pb_message(b, 1, &tb->raw);
	pb_int(b, 4, 2); /* DATA_CLASS_TENSOR */
	pb_message(&tb->value, 9, b);
	pb_message(&tb->summary, 1, &tb->value);
	begin_event(tb, tb->t0, 0);
	pb_message(&tb->event, 5, &tb->summary);
	put_frame(&tb->event);
}

static void
forget_section(struct stage *st)
{
	struct tb *tb = st->ctx;

	smap_clear(&tb->steps);
	smap_clear(&tb->devs);
	buf_clear(&tb->text);
	tb->n_step = tb->n_row = 0;
	tb->t0 = 0;
}

static void
read_info(struct stage *st, struct rec *r)
{
	static const char t0[] = "t0_ns\t";
	struct tb *tb = st->ctx;
	const char *rest, *word;
	size_t wlen, n, k = sizeof(t0) - 1;
	int64_t ns;

	word = rec_meta(r, &wlen, &rest, &n);
	if (text_is(word, wlen, "info") && text_starts(rest, n, t0) &&
	    num_i64(rest + k, n - k, &ns))
		tb->t0 = (double)ns / 1e9;
}

int
main(int argc, char **argv)
{
	static struct tb tb;
	struct stage st;

	stage_start_sink(&st, "dlp-tensorboard", NULL, argc, argv);
	st.ctx = &tb;
	st.section = forget_section;
	st.end = end_tb_section;
	st.meta = read_info;
	stage_on(&st, "iter", read_tb_step, .need = "iter",
	    .opt = "src key start_ns step_ns");
	stage_on(&st, "busy", read_busy, .need = "iter after dev class dur_ns",
	    .opt = "src");
	stage_on(&st, "mfu", read_mfu, .need = "iter mfu_pct", .opt = "src");
	stage_on(&st, "finding", read_finding,
	    .need = "id judged problem recommendation",
	    .opt = "share_pct part_of evidence");
	return out_finish(stage_run(&st));
}
