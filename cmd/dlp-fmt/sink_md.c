/*
 * A table in Markdown, as GitHub and GitLab have them, for comments and
 * notes. With -H numbers have a unit per column, as in a table on a terminal:
 * the first rows are kept to choose it.
 */
#include <ctype.h>
#include <stdlib.h>

#include "err.h"
#include "fmt.h"
#include "human.h"
#include "num.h"
#include "text_out.h"

#define KEPT 2000 /* rows that decide the units */

struct unit {
	bool right, scaled;
	struct human h;
	double largest;
};

#define LONGEST 80 /* text for people */

static struct unit *units;
static struct buf kept; /* escaped values, a LF behind each; unset: NUL */
static int nkept;
static bool headed;

static bool
is_number(const struct column *c)
{
	return c->kind == COL_INT || c->kind == COL_NUM;
}

static void
md_begin(struct fmt *f)
{
	int i;

	units = xcalloc((size_t)f->ncol, sizeof(*units));
	for (i = 0; i < f->ncol; i++)
		units[i].right = is_number(&f->col[i]);
}

/* Cut inside, as in a table. */
static void
shorten(struct buf *b)
{
	struct buf s = *b;
	int used;
	size_t head = text_head(s.s, s.len, LONGEST / 2, &used);
	size_t tail = text_tail(s.s, s.len, LONGEST / 2 - 2, &used);

	*b = (struct buf){ 0 };
	buf_put(b, s.s, head);
	buf_puts(b, "..");
	buf_put(b, s.s + s.len - tail, tail);
	buf_free(&s);
}

/* Whatever the code of Markdown cannot hold: HTML's code, each character that
 * is no letter by its number. */
static void
put_entities(const char *s, size_t n)
{
	buf_puts(&out_buf, "<code>");
	for (; n > 0; s++, n--) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x80 && c != ' ' && !isalnum(c))
			buf_printf(&out_buf, "&#%d;", c);
		else
			buf_putc(&out_buf, *s);
	}
	buf_puts(&out_buf, "</code>");
}

/* Whether Markdown reads a character; a _ within a word is one of its own. */
static bool
is_markup(const char *s, size_t n, size_t i)
{
	if (s[i] == '_')
		return i == 0 || i + 1 == n ||
		       !isalnum((unsigned char)s[i - 1]) ||
		       !isalnum((unsigned char)s[i + 1]);
	return strchr("*{}[]<>|~&#!$:@", s[i]) != NULL;
}

/* Text with characters that Markdown reads is put as code, where only the bar
 * between cells has to be escaped. */
static void
put_text(struct fmt *f, const char *s, size_t n)
{
	const char *tick = "";
	size_t i;

	buf_clear(&f->tmp);
	if (text_show(&f->tmp, s, n) > LONGEST && f->human)
		shorten(&f->tmp);
	n = f->tmp.len;
	s = buf_str(&f->tmp);
	if (n > 0 &&
	    (memchr(s, '`', n) != NULL || memchr(s, '\\', n) != NULL)) {
		put_entities(s, n);
		return;
	}
	for (i = 0; i < n; i++)
		if (is_markup(s, n, i))
			tick = "`";
	buf_puts(&out_buf, tick);
	for (i = 0; i < n; i++) {
		if (s[i] == '|')
			buf_putc(&out_buf, '\\');
		buf_putc(&out_buf, s[i]);
	}
	buf_puts(&out_buf, tick);
}

static void
put_row(struct fmt *f, const struct writer_cell *v)
{
	double x;
	int i;

	for (i = 0; i < f->ncol; i++) {
		buf_puts(&out_buf, "| ");
		if (v[i].s == NULL)
			buf_putc(&out_buf, '-');
		else if (units[i].right && !num_f64(v[i].s, v[i].n, &x))
			put_text(f, v[i].s, v[i].n);
		else if (units[i].scaled)
			human_put(&units[i].h, &out_buf, v[i].s, v[i].n);
		else if (units[i].right)
			buf_put(&out_buf, v[i].s, v[i].n);
		else
			put_text(f, v[i].s, v[i].n);
		buf_putc(&out_buf, ' ');
	}
	buf_puts(&out_buf, "|\n");
	out_check();
}

static bool
choose_unit(const struct fmt *f, int i)
{
	const char *name = f->col[i].from->canon;
	double most = units[i].largest;
	int k;

	if (!f->human || !units[i].right)
		return false;
	if (!f->shared)
		return human_unit(&units[i].h, name, most);
	for (k = 0; k < f->ncol; k++)
		if (units[k].largest > most &&
		    human_same_unit(name, f->col[k].from->canon))
			most = units[k].largest;
	return human_unit_shared(&units[i].h, name, most);
}

static void
put_head(struct fmt *f)
{
	int i;

	headed = true;
	if (f->title != NULL) {
		buf_puts(&out_buf, "### ");
		buf_puts(&out_buf, f->title);
		buf_puts(&out_buf, "\n\n");
	}
	for (i = 0; i < f->ncol; i++) {
		struct unit *u = &units[i];
		const char *head = f->col[i].head;

		u->scaled = choose_unit(f, i);
		buf_puts(&out_buf, "| ");
		if (u->scaled)
			human_head(&u->h, &out_buf, head);
		else
			put_text(f, head, strlen(head));
		buf_putc(&out_buf, ' ');
	}
	buf_puts(&out_buf, "|\n");
	for (i = 0; i < f->ncol; i++)
		buf_puts(&out_buf, units[i].right ? "|---:" : "|---");
	buf_puts(&out_buf, "|\n");
}

static void
keep(struct fmt *f, const struct writer_cell *v)
{
	double x;
	int i;

	for (i = 0; i < f->ncol; i++) {
		if (v[i].s == NULL)
			buf_putc(&kept, '\0');
		else
			buf_put(&kept, v[i].s, v[i].n);
		buf_putc(&kept, '\n');
		if (v[i].s == NULL || !num_f64(v[i].s, v[i].n, &x))
			continue;
		x = x < 0 ? -x : x;
		units[i].largest = x > units[i].largest ? x : units[i].largest;
	}
	nkept++;
}

static void
put_kept(struct fmt *f)
{
	struct writer_cell *v = xcalloc((size_t)f->ncol, sizeof(*v));
	const char *s = kept.s, *end;
	int i, k;

	put_head(f);
	for (k = 0; k < nkept; k++) {
		for (i = 0; i < f->ncol; i++) {
			end = strchr(s + (*s == '\0'), '\n');
			v[i].s = *s == '\0' ? NULL : s;
			v[i].n = (size_t)(end - s);
			s = end + 1;
		}
		put_row(f, v);
	}
	free(v);
	buf_free(&kept);
}

static void
md_row(struct fmt *f, const struct writer_cell *v)
{
	if (!headed && f->human && nkept < KEPT) {
		keep(f, v);
		return;
	}
	if (!headed)
		put_kept(f);
	put_row(f, v);
}

static void
md_end(struct fmt *f)
{
	if (f->begun && !headed)
		put_kept(f);
}

const struct sink sink_md = { "md", md_begin, md_row, md_end };
