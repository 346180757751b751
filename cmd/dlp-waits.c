/*
 * dlp-waits: where threads wait, for the operating system or a GPU, and the
 * range in which they do.
 */
#include <stdlib.h>
#include <string.h>

#include "apicall.h"
#include "array.h"
#include "cli.h"
#include "err.h"
#include "maker.h"
#include "map.h"
#include "namerule.h"
#include "num.h"
#include "openrange.h"
#include "shipped.h"
#include "stage.h"
#include "words.h"

/* A type whose records can be waits. */
struct wait_type {
	bool os, copy, work;
	bool in_api; /* the call of the record waits, not the record itself */
};

struct wait_range { /* open on a thread; numbers in waits.names, or none */
	struct openrange span;
	uint32_t text, layer, phase;
};

struct wait_thread {
	uint32_t name; /* in waits.names, or none */
	bool launches; /* GPU work, so far */
	struct openranges open;
};

/* --launches: a wait record, until it is known which threads launch. */
struct held_wait {
	struct held_wait *next;
	uint32_t thread;
	bool in_range;
	uint32_t len; /* of the fields in text, which end in a NUL */
	uint32_t src; /* where the field src begins; len: there is none */
	char text[];
};

struct waits {
	bool launches;
	const char *warn_as;
	struct wait_thread *thread; /* by number in keys */
	struct smap keys, names;    /* "src\tpid\ttid"; all other texts */
	struct store store;         /* of what is held */
	struct held_wait *held, **held_end;
	struct maker maker;
	bool any_section, any_os; /* of the input */
	struct namerules kinds;   /* of calls of the operating system */
	struct buf key, text;
	struct out_src_type type;
};

/* The record's thread, which is made if it is new; holds until the next
 * call. */
static struct wait_thread *
thread_of_rec(struct waits *w, const struct rec *r)
{
	static const int cols[] = { COL_src, COL_pid, COL_tid };
	struct mview t;
	bool fresh;
	uint32_t no;
	size_t i;

	buf_clear(&w->key);
	for (i = 0; i < ARRAY_LEN(cols); i++) {
		t = rec_get(r, cols[i]);
		buf_putc(&w->key, '\t');
		buf_put(&w->key, t.s, t.n);
	}
	no = smap_put(&w->keys, w->key.s, w->key.len, &fresh);
	if (fresh) {
		w->thread = xrealloc(w->thread, w->keys.n, sizeof(*w->thread));
		w->thread[no].name = SMAP_NONE;
		w->thread[no].launches = false;
		openranges_init(&w->thread[no].open, sizeof(struct wait_range));
	}
	return &w->thread[no];
}

/* The kind of wait; NULL: it is none. */
static const char *
wait_kind(struct waits *w, const struct wait_type *k, const struct rec *r)
{
	struct mview name = rec_get(r, k->os ? COL_name : COL_api);
	const struct namerule *u;

	if (name.s == NULL)
		return NULL;
	if (k->os) {
		buf_clear(&w->text);
		buf_put(&w->text, name.s, name.n);
		buf_putc(&w->text, ';');
		u = namerules_find(&w->kinds, w->text.s, w->text.len);
		return u != NULL ? u->word[0] : "other";
	}
	if (apicall_kind(name.s, name.n) == APICALL_WAITS ||
	    (k->copy && mv_eq(rec_get(r, COL_dst_mem), "pageable")))
		return "cuda";
	return NULL;
}

static void
add_view(struct buf *b, struct mview t)
{
	buf_putc(b, '\t');
	buf_put(b, t.s != NULL ? t.s : "-", t.s != NULL ? t.n : 1);
}

/* Keeps the record, whose fields are w->text[0..src) and the field src. */
static void
hold_wait(struct waits *w, struct wait_thread *th, size_t src)
{
	const struct wait_range *in_range = openranges_top(&th->open);
	struct held_wait *held =
	    store_alloc(&w->store, sizeof(*held) + w->text.len + 1);

	*held = (struct held_wait){ .thread = (uint32_t)(th - w->thread),
		.in_range = in_range != NULL && in_range->text != SMAP_NONE,
		.len = (uint32_t)w->text.len,
		.src = (uint32_t)src };
	memcpy(held->text, buf_str(&w->text), w->text.len + 1);
	*w->held_end = held;
	w->held_end = &held->next;
}

#define WAIT_COLS                                                              \
	"start_ns", "dur_ns", "kind", "name", "pid", "tid", "thread", "range", \
	    "layer", "phase", "iter", "code"

static void
begin_wait(struct waits *w, bool has_src)
{
	static const char *const names[] = { WAIT_COLS, "src" };
	static const char *const held[] = { WAIT_COLS, "launches", "order",
		"src" };

	if (w->launches)
		out_rec_src(&w->type, "wait", held, ARRAY_LEN(held), has_src);
	else
		out_rec_src(&w->type, "wait", names, ARRAY_LEN(names), has_src);
}

static void
put_wait(struct waits *w, const struct wait_type *k, const struct rec *r,
    const char *what, int64_t start, int64_t dur)
{
	static const struct wait_range none = {
		.text = SMAP_NONE, .layer = SMAP_NONE, .phase = SMAP_NONE
	};
	struct wait_thread *th = thread_of_rec(w, r);
	const struct wait_range *in;
	struct mview src = rec_get(r, COL_src);
	struct buf *b = &w->text;
	size_t before_src;

	openranges_pop(&th->open, start);
	in = openranges_top(&th->open);
	if (in == NULL)
		in = &none;
	buf_clear(b);
	buf_c_i64(b, '\t', start);
	buf_c_i64(b, '\t', dur);
	buf_putc(b, '\t');
	buf_puts(b, what);
	add_view(b, rec_get(r, k->os ? COL_name : COL_api));
	add_view(b, rec_get(r, COL_pid));
	add_view(b, rec_get(r, COL_tid));
	add_view(b, smap_view(&w->names, th->name));
	/* the innermost range says where; one without a phase leaves that to
	 * the record itself */
	add_view(b, smap_view(&w->names, in->text));
	add_view(b, smap_view(&w->names, in->layer));
	add_view(b, in->phase != SMAP_NONE ? smap_view(&w->names, in->phase)
					   : rec_get(r, COL_phase));
	add_view(b, rec_get(r, COL_iter));
	add_view(b, rec_get(r, COL_code));
	before_src = b->len;
	if (src.s != NULL)
		add_view(b, src);
	if (w->launches) {
		hold_wait(w, th, before_src);
		return;
	}
	begin_wait(w, src.s != NULL);
	out_fields(b->s, b->len);
	out_end();
}

static void
put_held(struct stage *st)
{
	struct waits *w = st->ctx;
	const struct held_wait *held;
	bool launches;

	w->any_section |= st->complete;
	for (held = w->held; held != NULL; held = held->next) {
		launches = w->thread[held->thread].launches;
		begin_wait(w, held->src < held->len);
		out_fields(held->text, held->src);
		out_word(launches ? "yes" : "no");
		/* which waits are worth a look first */
		out_i64(!launches ? 3 : held->in_range ? 1 : 2);
		out_fields(held->text + held->src, held->len - held->src);
		out_end();
	}
}

static void
read_wait(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;
	const struct wait_type *k = rec_arg(r);
	const char *what;
	int64_t start, dur;

	stage_pass(st, r);
	if (k->work && w->launches)
		thread_of_rec(w, r)->launches = true;
	what = wait_kind(w, k, r);
	w->any_os |= k->os && what != NULL;
	if (what != NULL &&
	    rec_num(r, k->in_api ? COL_api_start_ns : COL_start_ns, &start) &&
	    rec_length(r, k->in_api ? COL_api_dur_ns : COL_dur_ns, &dur))
		put_wait(w, k, r, what, start, dur);
}

/* Ranges that another thread can end are not the thread's. */
static void
read_open_range(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;
	struct mview text = rec_get(r, COL_text);
	struct openranges *open;
	struct wait_range *o;
	int64_t start, dur;

	stage_pass(st, r);
	if (mv_eq(rec_get(r, COL_mode), "start") ||
	    !rec_num(r, COL_start_ns, &start) ||
	    !rec_length(r, COL_dur_ns, &dur))
		return;
	if (text.s != NULL)
		text.n = stem_len(text.s, text.n);
	open = &thread_of_rec(w, r)->open;
	openranges_pop(open, start);
	o = openranges_push(open, start, num_add(start, dur));
	o->text = smap_put_view(&w->names, text);
	o->layer = smap_put_view(&w->names, rec_get(r, COL_layer));
	o->phase = smap_put_view(&w->names, rec_get(r, COL_phase));
}

static void
read_thread_name(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;

	thread_of_rec(w, r)->name =
	    smap_put_view(&w->names, rec_get(r, COL_name));
	stage_pass(st, r);
}

#define WHO "pid tid src"

static void
listen_waits(struct stage *st, const struct waits *w)
{
	static const struct {
		const char *tag;
		struct wait_type type;
	} types[] = { { "os", { .os = true } }, { "call", { 0 } },
		{ "sync", { .in_api = true } },
		{ "copy", { .in_api = true, .copy = true, .work = true } },
		{ "set", { .in_api = true, .work = true } },
		{ "kern", { .in_api = true, .work = true } },
		{ "graph", { .in_api = true, .work = true } } };
	size_t i, n = ARRAY_LEN(types) - !w->launches; /* without graph */

	for (i = 0; i < n; i++)
		stage_on(st, types[i].tag, read_wait,
		    .opt = WHO " start_ns dur_ns api_start_ns api_dur_ns name"
			       " api iter layer phase dst_mem code",
		    .arg = (void *)&types[i].type);
	stage_on(st, "range", read_open_range, .need = "start_ns dur_ns",
	    .opt = WHO " text mode layer phase");
	stage_on(st, "thread", read_thread_name, .opt = WHO " name");
}

static void
begin_waits(struct stage *st)
{
	struct waits *w = st->ctx;
	size_t i;

	for (i = 0; i < w->keys.n; i++)
		openranges_free(&w->thread[i].open);
	free(w->thread);
	w->thread = NULL;
	smap_free(&w->keys);
	smap_free(&w->names);
	store_free(&w->store);
	w->held = NULL;
	w->held_end = &w->held;
}

static void
waits_info(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;

	maker_read(&w->maker, r);
}

int
main(int argc, char **argv)
{
	static const char *const words[] = { "KIND" };
	static struct waits w;
	const struct cli_opt opts[] = {
		{ 0, "launches", .flag = &w.launches },
		{ 0, "warn-as", .arg = &w.warn_as },
		SPILL_OPTION,
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-waits", opts, argc, argv);
	st.ctx = &w;
	st.section = begin_waits;
	st.meta = waits_info;
	st.end = put_held;
	namerules_parse(&w.kinds, "waits.rules", shipped_text("waits.rules"),
	    words, ARRAY_LEN(words));
	listen_waits(&st, &w);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	if (w.warn_as != NULL && w.any_section && !w.any_os) {
		err_prog(w.warn_as);
		warn("no calls of the operating system: %s",
		    maker_text(&w.maker, "nsys records them with --trace=osrt",
			"torch.profiler does not record them",
			"rocprofv3 does not record them"));
		err_prog("dlp-waits");
	}
	begin_waits(&st);
	return out_finish(rc);
}
