/*
 * dlp-markers: adds to each kernel the texts of the ranges around the call
 * that launched it, as PyProf looks for them: on its thread, begun before the
 * call and ended after it.
 */
#include "cli.h"
#include "dlp-markers/capture.h"
#include "dlp-markers/loose.h"
#include "dlp-markers/open.h"
#include "err.h"
#include "esc.h"
#include "json_text.h"
#include "num.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-markers [-ahuV] [file]\n"
    "Adds to each kernel the texts of the ranges around its launch.\n"
    "  -a, --all         with their times, and the ranges around no launch\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static struct open_threads threads;
static struct out_ext *ext;
static struct rec_col *r_start, *r_dur, *r_pid, *r_tid, *r_text, *r_src;
static struct rec_col *k_start, *k_dur, *k_pid, *k_tid, *k_src;
static struct rec_col *k_node;
static uint64_t without_call, never_closed;
static bool all;

static struct open_thread *
thread_at(const struct rec *r, const struct rec_col *src,
    const struct rec_col *pid, const struct rec_col *tid)
{
	int64_t p = 0, t;
	size_t n = 0;
	const char *s = rec_raw(r, src, &n);

	if (!rec_i64(r, tid, &t))
		return NULL;
	(void)rec_i64(r, pid, &p);
	return open_thread(&threads, s, n, p, t);
}

static void
add_loose(const struct rec *r, const struct open_thread *t, int64_t start,
    int64_t end)
{
	struct loose l = { t, 0, 0, start, end, 0, 0 };
	const char *text;
	size_t n;

	(void)rec_i64(r, r_pid, &l.pid);
	(void)rec_i64(r, r_tid, &l.tid);
	text = rec_raw(r, r_text, &n);
	loose_add(&l, text, n);
}

static void
on_range(struct stage *st, struct rec *r)
{
	struct open_thread *t = thread_at(r, r_src, r_pid, r_tid);
	int64_t start, dur;
	const char *text;
	size_t n;

	stage_pass(st, r);
	text = rec_raw(r, r_text, &n);
	if (t == NULL || text == NULL || !rec_i64(r, r_start, &start))
		return;
	if (!rec_i64(r, r_dur, &dur)) {
		never_closed++;
		return;
	}
	open_sweep(t, start);
	open_push(t, start, num_add(start, dur), text, n);
	if (all)
		add_loose(r, t, start, num_add(start, dur));
}

static void
put_text(struct buf *json, const struct open_range *o)
{
	static struct buf raw;

	if (json->len > 1)
		buf_putc(json, ',');
	buf_clear(&raw);
	esc_undo(&raw, o->text.s, o->text.len);
	json_quote(json, raw.s, raw.len, TEXT_JSON_BYTES);
}

static void
put_times(struct buf *json, const struct open_range *o)
{
	if (json->len > 1)
		buf_putc(json, ',');
	buf_i64(json, o->start);
	buf_putc(json, ',');
	buf_i64(json, o->end);
}

static void
put_list(struct open_thread *t, int64_t start, int64_t end,
    void (*put)(struct buf *json, const struct open_range *o))
{
	static struct buf json;
	size_t i;

	buf_clear(&json);
	buf_putc(&json, '[');
	for (i = 0; i < t->n; i++)
		if (t->v[i].start < start && t->v[i].end > end)
			put(&json, &t->v[i]);
	buf_putc(&json, ']');
	out_text(json.s, json.len);
}

static void
put_capture(const struct rec *r)
{
	int64_t pid = 0, node = 0;
	bool has = rec_i64(r, k_node, &node);

	(void)rec_i64(r, k_pid, &pid);
	capture_put(has, pid, node);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	struct open_thread *t = thread_at(r, k_src, k_pid, k_tid);
	int64_t start, dur = 0;

	(void)st;
	out_ext_begin(ext, r);
	if (all)
		put_capture(r);
	if (t == NULL || !rec_i64(r, k_start, &start)) {
		without_call++;
		out_unset();
		if (all)
			out_raw("-\t-", 3);
	} else {
		(void)rec_i64(r, k_dur, &dur);
		open_sweep(t, start);
		put_list(t, start, num_add(start, dur), put_text);
		if (all) {
			put_list(t, start, num_add(start, dur), put_times);
			loose_put(t, start, num_add(start, dur));
		}
	}
	out_ext_end(ext, r);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	(void)st;
	out_ext_legend(ext, r);
}

static void
forget(struct stage *st)
{
	(void)st;
	open_free(&threads);
	loose_forget();
	capture_forget();
	without_call = never_closed = 0;
}

static void
put_notes(struct stage *st)
{
	(void)st;
	stage_note("markers_without_call", without_call);
	stage_note("markers_never_closed", never_closed);
	stage_note("markers_too_many", loose_dropped());
}

static void
bind(struct stage *st)
{
	static const char *const names[] = { "node_from", "markers",
		"marker_ns", "loose_markers" };
	struct rec_type *r = stage_on(st, "range", on_range, NULL, NULL);
	struct rec_type *k = stage_on(st, "kern", on_kern, on_legend, NULL);

	REC_COLS(r, REC_NEED, { &r_start, "start_ns" }, { &r_dur, "dur_ns" },
	    { &r_pid, "pid" }, { &r_tid, "tid" }, { &r_text, "text" });
	r_src = rec_col(r, "src", REC_OPT);
	REC_COLS(k, REC_NEED, { &k_start, "api_start_ns" },
	    { &k_dur, "api_dur_ns" }, { &k_pid, "pid" }, { &k_tid, "tid" });
	REC_COLS(k, REC_OPT, { &k_src, "src" }, { &k_node, "node" });
	ext = out_ext(all ? names : names + 1, all ? 4 : 1);
	if (all)
		capture_bind(st);
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = { { 'a', "all", .flag = &all },
		{ 0 } };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-markers", usage, opts, argc, argv);
	bind(&st);
	st.section = forget;
	st.end = put_notes;
	rc = stage_run(&st);
	open_free(&threads);
	return out_finish(rc);
}
