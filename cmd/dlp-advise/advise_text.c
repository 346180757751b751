/*
 * Rules and their texts, read from advise.tab, which describes its format; and
 * the texts of findings, made of what judges say.
 */
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "err.h"
#include "num.h"
#include "shipped.h"

static struct { /* read once */
	char *file;
	struct advise_line {
		const char *part; /* rule and text begin a block of lines */
		const char *when;
		const char *text;
	} * line;
	size_t n, cap;
} tab;

/* Cuts the first word off *s. */
static char *
next_word(char **s)
{
	char *word = *s;

	*s += strcspn(word, " ");
	if (**s != '\0')
		*(*s)++ = '\0';
	return word;
}

/* A copy, in which lines that go on are joined to the ones above them. */
static char *
copy_file(void)
{
	const char *s = shipped_text("advise.tab");
	char *copy = xmalloc(strlen(s) + 1), *to = copy;

	for (; *s != '\0'; s++)
		if (*s != '\n' || s[1] != ' ')
			*to++ = *s;
	*to = '\0';
	return copy;
}

/* ID VERSION WHOSE [LIMIT WHOSE UNIT] */
static void
read_rule(struct advise_rule *r, char *s)
{
	const char *id = next_word(&s);

	if (strcmp(id, r->id) != 0)
		die("advise.tab: rule %s comes where %s should", id, r->id);
	r->at = tab.n;
	r->version = atoi(next_word(&s));
	r->dlprof = strcmp(next_word(&s), "dlprof") == 0;
	if (*s == '\0')
		return;
	r->limit = atof(next_word(&s));
	r->limit_dlprof = strcmp(next_word(&s), "dlprof") == 0;
	r->unit = s;
}

void
advise_texts_read(struct advise_rule *r, size_t n)
{
	char *s = tab.file = copy_file(), *end;
	struct advise_line *l;
	size_t i = 0;

	for (; *s != '\0'; s = end) {
		end = s + strcspn(s, "\n");
		if (*end != '\0')
			*end++ = '\0';
		if (*s == '\0' || *s == '#')
			continue;
		ARRAY_GROW(tab.line, tab.n, tab.cap);
		l = &tab.line[tab.n];
		*l = (struct advise_line){ next_word(&s), "", s };
		if (*s == '[' && (s = strchr(s, ']')) != NULL) {
			l->when = l->text + 1;
			*s++ = '\0';
			l->text = s + (*s == ' ');
		}
		if (strcmp(l->part, "rule") == 0 && i < n)
			read_rule(&r[i++], s);
		else if (strcmp(l->part, "help") == 0)
			r[i - 1].help = s;
		tab.n++;
	}
}

void
advise_texts_free(void)
{
	free(tab.file);
	free(tab.line);
}

struct buf *
verdict_let(struct advise_verdict *v, const char *name)
{
	if (v->n_let == ARRAY_LEN(v->let))
		die("advise: too many values");
	v->let[v->n_let].name = name;
	return &v->let[v->n_let++].text;
}

/* All known GPUs are Volta or Turing or, if none is known, the kernels were
 * built for those. */
static bool
before_ampere(const struct facts *f)
{
	bool any = f->kernel_arch > 0 && f->kernel_arch < 80;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		if (f->dev[i].cc10 >= 80)
			return false;
		any |= f->dev[i].cc10 > 0;
	}
	return any;
}

/* Facts that texts ask for. */
static bool
is_fact(const struct facts *f, const char *word, size_t n)
{
	const struct {
		const char *word;
		bool is;
	} facts[] = {
		{ "torch", (f->frameworks & FW_PYTORCH) != 0 },
		{ "tensorflow", (f->frameworks & FW_TENSORFLOW) != 0 },
		{ "mxnet", (f->frameworks & FW_MXNET) != 0 },
		{ "xla", (f->frameworks & FW_XLA) != 0 },
		{ "by_torch", f->maker.torch },
		{ "by_ops", f->maker.ops },
		{ "by_rocprof", f->maker.rocprof },
		{ "amd", f->maker.amd },
		{ "old", before_ampere(f) },
		{ "compiled", use_of(f, USE_COMPILED) == USE_YES },
		{ "graphs", use_of(f, USE_GRAPHS) == USE_YES },
		{ "sdpa", use_of(f, USE_SDPA) == USE_YES },
		{ "tf32", use_of(f, USE_TF32) == USE_YES },
		{ "scaler", f->scaler },
		{ "ranked", f->ranked },
		{ "steps", facts_has_steps(f) },
		{ "mode", f->mode[0] != '\0' },
		{ "dlprof", f->all_devices },
		{ "dlp_record", f->marker_ns > 0 },
		/* kernels without ops: nodes of graphs, without calls */
		{ "of_graphs", f->kind[K_GRAPH].ns > f->no_op_ns / 2 },
		{ "no_calls", f->no_call_ns > f->no_op_ns / 2 &&
				  f->no_call_ns < f->kern_ns },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (text_is(word, n, facts[i].word))
			return facts[i].is;
	return false;
}

static const struct buf *
value_of(const struct advise_verdict *v, const char *word, size_t n)
{
	size_t i;

	if (text_is(word, n, "value"))
		return &v->value;
	for (i = 0; i < v->n_let; i++)
		if (text_is(word, n, v->let[i].name))
			return &v->let[i].text;
	return NULL;
}

static bool
all_hold(
    const struct facts *f, const struct advise_verdict *v, const char *when)
{
	size_t n;
	bool deny;

	for (; *when != '\0'; when += n + (when[n] == ' ')) {
		deny = *when == '!';
		when += deny;
		n = strcspn(when, " ");
		if ((value_of(v, when, n) != NULL || is_fact(f, when, n)) ==
		    deny)
			return false;
	}
	return true;
}

/* In a filter a value has no blank, so that blanks separate the pairs. */
static void
put_value(struct buf *b, const struct buf *value, bool filter)
{
	size_t i;

	for (i = 0; i < value->len; i++) {
		unsigned char c = (unsigned char)value->s[i];

		if (filter && (c <= ' ' || c == '%' || c == 0x7f))
			buf_printf(b, "%%%02X", c);
		else
			buf_putc(b, (char)c);
	}
}

static void put_part(struct buf *b, const struct facts *f,
    const struct advise_verdict *v, size_t at, const char *part);

/* Puts a text, with what {WORD}s stand for. */
static void
put_text(struct buf *b, const struct facts *f, const struct advise_verdict *v,
    const char *s, bool filter)
{
	const struct buf *value;
	struct buf part = { 0 };
	size_t n, i;

	for (; *s != '\0'; s += n + 1) {
		n = strcspn(s, "{");
		buf_put(b, s, n);
		s += n;
		if (*s == '\0')
			break;
		n = strcspn(++s, "}");
		if ((value = value_of(v, s, n)) != NULL) {
			put_value(b, value, filter);
			continue;
		}
		for (i = 0; i < tab.n; i++)
			if (strcmp(tab.line[i].part, "text") == 0 &&
			    text_is(s, n, tab.line[i].text))
				put_part(&part, f, v, i, "say");
		buf_put(b, part.s, part.len);
		buf_clear(&part);
	}
	buf_free(&part);
}

/* Puts the part of the rule or text that begins at this line. */
static void
put_part(struct buf *b, const struct facts *f, const struct advise_verdict *v,
    size_t at, const char *part)
{
	const struct advise_line *l = &tab.line[at + 1];
	bool in = false, put = false;
	struct buf text = { 0 };

	for (; l < tab.line + tab.n && strcmp(l->part, "rule") != 0 &&
	       strcmp(l->part, "text") != 0;
	     l++) {
		if (strcmp(l->part, "or") != 0) {
			in = strcmp(l->part, part) == 0;
			put = false;
		}
		if (!in || put || !all_hold(f, v, l->when))
			continue;
		put = true;
		buf_clear(&text);
		put_text(&text, f, v, l->text, strcmp(part, "where") == 0);
		if (b->len > 0 && text.len > 0 &&
		    strchr(",;:.", text.s[0]) == NULL)
			buf_putc(b, ' ');
		buf_put(b, text.s, text.len);
	}
	buf_free(&text);
}

void
advise_texts_put(const struct advise_rule *r, const struct facts *f,
    struct advise_verdict *v)
{
	put_part(&v->problem, f, v, r->at, "problem");
	put_part(&v->evidence, f, v, r->at, "evidence");
	put_part(&v->advice, f, v, r->at, "advice");
	put_part(&v->where, f, v, r->at, "where");
	put_part(&v->within, f, v, r->at, "within");
}
