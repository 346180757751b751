/*
 * Call stacks of torch.profiler's traces. With with_stack=True a trace has each
 * call of a Python function as an event, and newer versions also write the
 * stack of an op into the op. Both become rows of kineto_code: a span of a
 * thread, and the place in the user's code that it is in; frames of others are
 * left out, so that there are few. They are read in the order of time beside
 * the records, and the innermost one that is open is the place of a call.
 *
 * With --python all frames are ranges. Samples are made of them: the stack of a
 * thread from one change of it to the next.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "kineto.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "usercode.h"

#define MOST_FRAMES 1024 /* of a stack that is written: the innermost */

/* Frames: "train.py(12): step", with a folder in front. */

/* "train.py:12 step"; EV_UNSET if the frame is no such text, or not in the
 * user's own code where that is asked for. */
static int64_t
frame_id(struct kineto *k, struct mview v, bool own)
{
	const char *close = mv_find(v, "): "), *open = close;
	struct buf *b = &k->text;
	struct mview base;

	while (open != NULL && open > v.s && *open != '(')
		open--;
	if (close == NULL || open == v.s ||
	    (own && !usercode_is_own_python(mv(v.s, open))))
		return EV_UNSET;
	base = usercode_base(mv(v.s, open));
	buf_clear(b);
	buf_put(b, base.s, base.n);
	buf_putc(b, ':');
	buf_put(b, open + 1, (size_t)(close - open - 1));
	buf_putc(b, ' ');
	buf_put(b, close + 3, (size_t)(v.s + v.n - close - 3));
	return (int64_t)smap_put(&k->texts, b->s, b->len, NULL);
}

int64_t
kineto_place(struct kineto *k, struct mview frame)
{
	if (frame.n == 0 || frame.s[0] == '<' || mv_starts(frame, "torch/"))
		return EV_UNSET;
	return frame_id(k, frame, true);
}

int64_t
kineto_inner(struct kineto *k, struct mview frames)
{
	const char *p = frames.s, *e = p + frames.n, *q;
	int64_t place = EV_UNSET;

	for (; p < e && place == EV_UNSET; p = q + 1) {
		q = memchr(p, ';', (size_t)(e - p));
		if (q == NULL)
			q = e;
		place = kineto_place(k, mv(p, q));
	}
	return place;
}

/* The open frames of threads. */

static struct kineto_stack *
stack_of(struct kineto_stacks *t, int64_t pid, int64_t tid)
{
	bool is_new;
	uint32_t i = smap_put_pair(&t->at, pid, tid, &is_new);

	if (is_new) {
		ARRAY_GROW(t->v, t->n, t->cap);
		t->v[t->n] = (struct kineto_stack){ .pid = pid, .tid = tid };
		t->at.val[i] = t->n++;
	}
	return &t->v[t->at.val[i]];
}

static void
stack_push(struct kineto_stack *s, int64_t end, int64_t what)
{
	ARRAY_GROW(s->v, s->n, s->cap);
	s->v[s->n++] = (struct kineto_frame){ end, what };
}

static void
stacks_free(struct kineto_stacks *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i].v);
	free(t->v);
	smap_free(&t->at);
	memset(t, 0, sizeof(*t));
}

static int64_t
end_of(int64_t start, int64_t dur)
{
	return dur == EV_UNSET ? INT64_MAX : num_add(start, dur);
}

/* The place of a call. */

static void
close_spans(struct kineto_stack *s, int64_t now)
{
	while (s->n > 0 && s->v[s->n - 1].end <= now)
		s->n--;
}

static void
next_span(struct kineto *k)
{
	sqlite3_stmt *st = k->stack.st;
	struct kineto_span *next = &k->stack.next;
	sqlite3_value *row;

	k->stack.more = db_step(st);
	if (!k->stack.more)
		return;
	row = sqlite3_column_value(st, 2);
	next->start = db_i64(st, 0);
	next->end = end_of(next->start, db_i64(st, 1));
	next->pid = kineto_member(row, 0);
	next->tid = kineto_member(row, 1);
	next->place = kineto_member(row, 2);
}

/* Opens what begins up to then. */
static void
advance(struct kineto *k, int64_t now)
{
	const struct kineto_span *next = &k->stack.next;
	struct kineto_stack *s;

	if (k->stack.st == NULL) {
		k->stack.st =
		    db_prepare(k->db, "SELECT ts, dur, row FROM kineto_code"
				      " ORDER BY ts, dur DESC");
		next_span(k);
	}
	while (k->stack.more && next->start <= now) {
		s = stack_of(&k->stack.open, next->pid, next->tid);
		close_spans(s, next->start);
		stack_push(s, next->end, next->place);
		next_span(k);
	}
}

unsigned
kineto_has_code(void *ctx)
{
	const struct kineto *k = ctx;

	return (k->stack.any ? CODE_CALLS : 0) |
	       (k->wish->python ? CODE_SPANS : 0);
}

/* Events come in the order in which their calls start. */
bool
kineto_code(void *ctx, const struct event *ev, struct buf *out)
{
	struct kineto *k = ctx;
	struct kineto_stack *s;
	int64_t now, place;
	const char *text;
	size_t n;

	if (ev->kind == EV_SAMPLE) {
		place = (int64_t)k->stack.tree.val[ev->stack] - 1;
	} else {
		if (!k->stack.any || ev->pid == EV_UNSET || ev->tid == EV_UNSET)
			return false;
		now = num_add(num_sub(ev->start, k->prof->shift), k->first);
		advance(k, now);
		s = stack_of(&k->stack.open, ev->pid, ev->tid);
		close_spans(s, now);
		place = s->n > 0 ? s->v[s->n - 1].what : -1;
	}
	if (place < 0)
		return false;
	text = smap_str(&k->texts, (uint32_t)place, &n);
	buf_put(out, text, n);
	return true;
}

/* Samples: a stack is a node of a tree, which names the node of the stack
 * around it and the text of its innermost frame. */

struct sampler {
	struct kineto *k;
	sqlite3_stmt *in, *out;
	struct kineto_stacks stacks;
};

/* The text of a frame, without addresses, which are others in each run. It is
 * made once for each name. */
static int64_t
frame_text(struct kineto *k, int64_t name)
{
	struct mview v;
	const char *at;
	int64_t id = EV_UNSET;

	if (k->texts.val[name] == 0) {
		v.s = smap_str(&k->texts, (uint32_t)name, &v.n);
		at = mv_find(v, " at 0x");
		if (!mv_starts(v, "<built-in"))
			id = frame_id(k, v, false);
		if (id == EV_UNSET && at != NULL) {
			buf_clear(&k->text);
			buf_put(&k->text, v.s, (size_t)(at - v.s));
			buf_putc(&k->text, '>');
			id = (int64_t)smap_put(
			    &k->texts, k->text.s, k->text.len, NULL);
		}
		k->texts.val[name] = (uint64_t)(id != EV_UNSET ? id : name) + 1;
	}
	return (int64_t)k->texts.val[name] - 1;
}

/* A node's value is the place in the user's code + 1. */
static int64_t
tree_node(struct kineto *k, int64_t up, int64_t name)
{
	struct smap *tree = &k->stack.tree;
	struct mview v;
	int64_t place;
	bool is_new;
	uint32_t i = smap_put_pair(tree, up, frame_text(k, name), &is_new);

	if (is_new) {
		v.s = smap_str(&k->texts, (uint32_t)name, &v.n);
		place = kineto_place(k, v);
		if (place != EV_UNSET)
			tree->val[i] = (uint64_t)place + 1;
		else if (up >= 0)
			tree->val[i] = tree->val[up];
	}
	return i;
}

static void
put_sample(struct sampler *m, struct kineto_stack *s, int64_t until)
{
	if (s->n > 0 && until > s->since)
		kineto_insert(m->k, m->out,
		    (int64_t[]){ s->since, num_sub(until, s->since) }, 2,
		    (int64_t[]){
			s->pid, s->tid > 0 ? s->tid : 0, s->v[s->n - 1].what },
		    3);
	s->since = until;
}

static void
close_frames(struct sampler *m, struct kineto_stack *s, int64_t now)
{
	while (s->n > 0 && s->v[s->n - 1].end <= now) {
		put_sample(m, s, s->v[s->n - 1].end);
		s->n--;
	}
}

/* A range that begins. Threads that PyTorch does not know have the number 0;
 * then Python's own number tells them apart. */
static void
take_frame(struct sampler *m, int64_t start, int64_t dur, sqlite3_value *row)
{
	int64_t tid = kineto_member(row, OP_TID), end = end_of(start, dur);
	int64_t name = kineto_member(row, OP_NAME);
	int64_t no = kineto_member(row, OP_THREAD);
	struct mview domain = kineto_text(m->k, kineto_member(row, OP_DOMAIN));
	struct kineto_stack *s;

	if (start == EV_UNSET || name == EV_UNSET || dur == EV_UNSET ||
	    (!mv_eq(domain, "python_function") && !mv_eq(domain, "nn.Module")))
		return;
	s = stack_of(&m->stacks, kineto_member(row, OP_PID),
	    tid != 0 || no < 0 ? tid : -no);
	close_frames(m, s, start);
	put_sample(m, s, start);
	if (s->n > 0 && s->v[s->n - 1].end < end)
		end = s->v[s->n - 1].end;
	stack_push(
	    s, end, tree_node(m->k, s->n > 0 ? s->v[s->n - 1].what : -1, name));
}

void
kineto_make_samples(struct kineto *k)
{
	struct sampler m = { .k = k };
	size_t i;

	m.in = db_prepare(
	    k->db, "SELECT ts, dur, row FROM kineto_op ORDER BY ts, dur DESC");
	m.out = kineto_inserter(k, T_SAMPLE);
	kineto_sql(k, "BEGIN");
	while (db_next(&m.in))
		take_frame(&m, db_i64(m.in, 0), db_i64(m.in, 1),
		    sqlite3_column_value(m.in, 2));
	for (i = 0; i < m.stacks.n; i++)
		close_frames(&m, &m.stacks.v[i], INT64_MAX);
	sqlite3_finalize(m.out);
	kineto_sql(k, "COMMIT");
	stacks_free(&m.stacks);
}

bool
kineto_frames(void *ctx, const struct event *ev, struct buf *out)
{
	const struct kineto *k = ctx;
	int64_t node[2], text[MOST_FRAMES], at = ev->stack;
	struct mview v;
	int n = 0;
	size_t i;

	while (at >= 0 && n < MOST_FRAMES) {
		memcpy(node, smap_str(&k->stack.tree, (uint32_t)at, NULL),
		    sizeof(node)); /* that around it, and its text */
		at = node[0];
		text[n++] = node[1];
	}
	buf_clear(out);
	while (n > 0) { /* a semicolon separates frames */
		v = kineto_text(k, text[--n]);
		if (out->len > 0)
			buf_putc(out, ';');
		for (i = 0; i < v.n; i++)
			buf_putc(out, v.s[i] == ';' ? ':' : v.s[i]);
	}
	return out->len > 0;
}

void
kineto_stack_free(struct kineto *k)
{
	sqlite3_finalize(k->stack.st);
	stacks_free(&k->stack.open);
	smap_free(&k->stack.tree);
}
