/*
 * dlp-folded: the way out to flame graphs: stacks of frames with a weight,
 * one per line, as flamegraph.pl, speedscope and others read them.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cols.h"
#include "err.h"
#include "esc.h"
#include "join.h"
#include "mview.h"
#include "num.h"
#include "stage.h"
#include "utf8.h"
#include "words.h"

/* What work is called; kernels have a name of their own. */
static const struct work_word {
	const char *tag, *before, *column;
} work_words[] = {
	{ "kern", "", "short" },
	{ "copy", "Memcpy ", "kind" },
	{ "set", "Memset", NULL },
	{ "graph", "Graph ", "graph" },
	{ "sync", "Wait ", "kind" },
	{ "call", "", "api" },
	{ "inst", "", "op" },
	{ NULL, NULL, NULL },
};

struct folded_type {
	struct join_col **frame;      /* NULL: a word that needs no column */
	struct join_col *value;       /* NULL: each record counts 1 */
	struct join_col *phase;       /* with --optimizer */
	const struct work_word *work; /* NULL: it has none */
};

struct folded {
	char **types, **frames;
	int ntypes, nframes;
	char *value;    /* a column, or count */
	bool or_count;  /* a record without the value counts 1 */
	bool iter_only; /* nothing outside of iterations */
	bool optimizer; /* is a direction */

	struct folded_type *type; /* ntypes */
	struct join join;
	struct smap stacks; /* val: the sum */
	uint64_t no_value;
	struct buf stack, name, text, fixed;
};

/* ; separates frames, a line feed stacks; no terminal needs the others. */
static char
safe_char(char c)
{
	if (c == ';')
		return ':';
	if (c == '\t' || c == '\n' || c == '\r')
		return ' ';
	return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
}

static void
add_frame(struct buf *stack, const char *s, size_t n)
{
	size_t i;

	if (n == 0)
		return;
	if (stack->len > 0)
		buf_putc(stack, ';');
	for (i = 0; i < n; i++)
		buf_putc(stack, safe_char(s[i]));
}

/* Adds f->name, as records hold it; its parts between separators are frames. */
static void
add_frames(struct folded *f, char separator)
{
	struct buf *b = &f->fixed;
	size_t i, from = 0;

	buf_clear(&f->text);
	buf_clear(b);
	esc_undo(&f->text, f->name.s, f->name.len);
	utf8_fix(b, f->text.s, f->text.len);
	for (i = 0; separator != '\0' && i < b->len; i++)
		if (separator == '/' ? is_layer_end(b->s, b->len, i)
				     : b->s[i] == separator) {
			add_frame(&f->stack, b->s + from, i - from);
			from = i + 1;
		}
	add_frame(&f->stack, b->s + from, b->len - from);
}

/* A number at the end would be read as a first weight: it is joined to the
 * word before. */
static void
join_number(struct buf *stack)
{
	size_t i = stack->len;

	while (i > 0 && stack->s[i - 1] == ' ')
		stack->s[--i] = '_';
	while (i > 0 && ((stack->s[i - 1] >= '0' && stack->s[i - 1] <= '9') ||
			    stack->s[i - 1] == '.'))
		i--;
	while (i > 0 && i < stack->len && stack->s[i - 1] == ' ')
		stack->s[--i] = '_';
}

/* What separates the frames in a column; 0: it is one frame. */
static char
separator_in(const char *column)
{
	if (strcmp(column, "stack") == 0)
		return ';';
	return strcmp(column, "layer") == 0 ||
		       strcmp(column, "op.layer") == 0 ||
		       strcmp(column, "op.name") == 0
		   ? '/'
		   : '\0';
}

/* Appends the frame of a column, if it has a text. */
static void
put_frame(struct folded *f, const struct rec *r, struct folded_type *t, int i)
{
	const char *s = NULL, *phase = NULL;
	size_t n = 0, k = 0;

	if (t->frame[i] != NULL)
		s = join_raw(&f->join, r, t->frame[i], &n);
	/* No forward or backward pass launches work of the optimizer.
	 * Communication stays a class of its own, whichever phase it is in. */
	if (t->phase != NULL && t->frame[i] != NULL &&
	    strcmp(f->frames[i], "dir") == 0)
		phase = join_raw(&f->join, r, t->phase, &k);
	if (text_is(phase, k, "optimizer") && !text_is(s, n, "comm")) {
		s = phase;
		n = k;
	}
	buf_clear(&f->name);
	if (strcmp(f->frames[i], "work") == 0 && t->work != NULL)
		buf_puts(&f->name, t->work->before);
	if (s != NULL)
		buf_put(&f->name, s, n);
	if (f->name.len > 0)
		add_frames(f, separator_in(f->frames[i]));
}

static void
read_weighted(struct stage *st, struct rec *r)
{
	struct folded *f = st->ctx;
	struct folded_type *t = rec_arg(r);
	const char *s = NULL;
	int64_t v = 1;
	uint32_t id;
	size_t n;
	int i;

	if (f->iter_only && rec_get(r, COL_iter).s == NULL)
		return;
	if (t->value != NULL)
		s = join_raw(&f->join, r, t->value, &n);
	if (s != NULL && !num_i64(s, n, &v))
		rec_die(r, "%s: no integer: '%.*s'", f->value, (int)n, s);
	if ((t->value != NULL && s == NULL && !f->or_count) || v < 0) {
		f->no_value++;
		return;
	}
	buf_clear(&f->stack);
	for (i = 0; i < f->nframes; i++)
		put_frame(f, r, t, i);
	if (f->stack.len == 0)
		buf_puts(&f->stack, "(unknown)");
	join_number(&f->stack);
	id = smap_put(&f->stacks, f->stack.s, f->stack.len, NULL);
	f->stacks.val[id] = (uint64_t)num_add((int64_t)f->stacks.val[id], v);
}

static void
read_weighted_legend(struct stage *st, struct rec *r)
{
	const struct folded *f = st->ctx;
	struct folded_type *t = rec_arg(r);
	int i;

	for (i = 0; i < f->nframes; i++)
		if (t->frame[i] != NULL)
			join_legend(t->frame[i]);
	if (t->value != NULL)
		join_legend(t->value);
	if (t->phase != NULL)
		join_legend(t->phase);
}

static void
keep_op(struct stage *st, struct rec *r)
{
	struct folded *f = st->ctx;

	join_op(&f->join, r);
}

static void
keep_str(struct stage *st, struct rec *r)
{
	struct folded *f = st->ctx;

	join_str(&f->join, r);
}

static void
begin_folded(struct stage *st)
{
	struct folded *f = st->ctx;

	join_section(&f->join);
}

static void
listen_type(
    struct stage *st, struct folded *f, const char *tag, struct folded_type *t)
{
	const struct work_word *w = work_words;
	struct rec_type *type;
	int i;

	if (type_find(tag) == NULL)
		type_die("-T", tag);
	type = stage_on(
	    st, tag, read_weighted, .legend = read_weighted_legend, .arg = t);
	while (w->tag != NULL && strcmp(w->tag, tag) != 0)
		w++;
	t->work = w->tag != NULL ? w : NULL;
	t->frame = xcalloc((size_t)f->nframes, sizeof(*t->frame));
	for (i = 0; i < f->nframes; i++) {
		const char *name = f->frames[i];

		if (strcmp(name, "work") == 0) {
			if (t->work == NULL)
				die("-f: records of type %s have no work", tag);
			name = w->column;
		}
		if (name != NULL)
			t->frame[i] = join_col(&f->join, type, name);
	}
	if (strcmp(f->value, "count") != 0) {
		t->value = join_col(&f->join, type, f->value);
		t->value->optional = f->or_count;
	}
	if (f->optimizer)
		t->phase = join_col(&f->join, type, "phase");
	if (f->iter_only)
		rec_want(type, REC_NEED, "iter");
}

static char **
list_of(const char *opt, const char *arg, int *n)
{
	char **v = cli_list(arg, n);
	int i;

	for (i = 0; i < *n; i++)
		if (v[i][0] == '\0')
			die("%s: empty name", opt);
	return v;
}

int
main(int argc, char **argv)
{
	static struct folded f;
	const char *value = "dur_ns", *types = "kern,copy,set,graph",
		   *frames = "layer,op,work";
	const struct cli_opt opts[] = {
		{ 'f', "frames", .arg = &frames },
		{ 'i', "iter", .flag = &f.iter_only },
		{ 0, "optimizer", .flag = &f.optimizer },
		{ 'T', "type", .arg = &types },
		{ 'v', "value", .arg = &value },
		{ 0 },
	};
	struct stage st;
	int rc, i;
	const char *s;
	uint32_t j;
	size_t n;

	stage_start_sink(&st, "dlp-folded", opts, argc, argv);
	st.result = true;
	f.value = xstrdup(value);
	f.or_count = mv_ends((struct mview){ value, strlen(value) }, ",count");
	if (f.or_count)
		*strrchr(f.value, ',') = '\0';
	f.frames = list_of("-f", frames, &f.nframes);
	f.types = list_of("-T", types, &f.ntypes);
	join_init(&f.join, st.rd);
	st.ctx = &f;
	st.section = begin_folded;
	f.type = xcalloc((size_t)f.ntypes + 1, sizeof(*f.type));
	for (i = 0; i < f.ntypes; i++)
		listen_type(&st, &f, f.types[i], &f.type[i]);
	stage_on(&st, "op", keep_op);
	stage_on(&st, "str", keep_str);
	rc = stage_run(&st);
	for (j = 0; j < f.stacks.n; j++) {
		if (f.stacks.val[j] == 0)
			continue; /* no width */
		s = smap_str(&f.stacks, j, &n);
		buf_put(&out_buf, s, n);
		buf_putc(&out_buf, ' ');
		buf_u64(&out_buf, f.stacks.val[j]);
		buf_putc(&out_buf, '\n');
		out_check();
	}
	if (f.no_value > 0)
		warn("records without %s are left out: %llu", f.value,
		    (unsigned long long)f.no_value);
	if (f.stacks.n == 0 && rc == EXIT_OK)
		warn("no records of these types in the input");
	join_warn(&f.join);
	return out_finish(rc);
}
