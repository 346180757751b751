/*
 * A table in Markdown, as GitHub and GitLab use it, for comments and notes.
 * With -H numbers have a unit per column, as in a table on a terminal; the
 * first rows are kept to choose it.
 */
#include <ctype.h>
#include <stdlib.h>

#include "err.h"
#include "fmt.h"
#include "num.h"
#include "text_out.h"

#define KEPT 2000 /* rows that decide the units */

#define LONGEST 80 /* the longest text */

struct md {
	struct md_unit { /* of a column */
		bool right, scaled;
		struct human h;
	} * units;
	double *largest; /* of each column */
	struct buf kept; /* escaped values, a LF after each; NUL if unset */
	int nkept;
	bool headed;
};

static void
md_begin(struct fmt *f)
{
	struct md *md = f->state;
	int i;

	md->units = xcalloc((size_t)f->ncol, sizeof(*md->units));
	md->largest = xcalloc((size_t)f->ncol, sizeof(*md->largest));
	for (i = 0; i < f->ncol; i++)
		md->units[i].right = column_is_num(&f->col[i]);
}

/* HTML for texts that Markdown's code cannot hold, with each character that is
 * not a letter as its number. */
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

/* Text with characters that have a meaning in Markdown is written as code,
 * where only the bar between cells has to be escaped; a _ within a word has no
 * meaning. With -H it is cut inside, as in a table. */
static void
put_text(struct fmt *f, const char *s, size_t n)
{
	struct buf *b = &f->tmp;
	const char *tick = "";
	size_t i, head, tail;
	int used;

	buf_clear(b);
	if (text_show(b, s, n) > LONGEST && f->human) {
		head = text_head(b->s, b->len, LONGEST / 2, &used);
		tail = text_tail(b->s, b->len, LONGEST / 2 - 2, &used);
		buf_reserve(b, 2);
		memmove(b->s + head + 2, b->s + b->len - tail, tail);
		memcpy(b->s + head, "..", 2);
		b->len = head + 2 + tail;
	}
	n = b->len;
	s = buf_str(b);
	if (n > 0 &&
	    (memchr(s, '`', n) != NULL || memchr(s, '\\', n) != NULL)) {
		put_entities(s, n);
		return;
	}
	for (i = 0; i < n; i++)
		if (s[i] == '_' ? i == 0 || i + 1 == n ||
				      !isalnum((unsigned char)s[i - 1]) ||
				      !isalnum((unsigned char)s[i + 1])
				: strchr("*{}[]<>|~&#!$:@", s[i]) != NULL)
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
md_put_row(struct fmt *f, const struct writer_cell *v)
{
	struct md *md = f->state;
	double x;
	int i;

	for (i = 0; i < f->ncol; i++) {
		buf_puts(&out_buf, "| ");
		if (v[i].s == NULL)
			buf_putc(&out_buf, '-');
		else if (md->units[i].right && !num_f64(v[i].s, v[i].n, &x))
			put_text(f, v[i].s, v[i].n);
		else if (md->units[i].scaled)
			human_put(&md->units[i].h, &out_buf, v[i].s, v[i].n);
		else if (md->units[i].right)
			buf_put(&out_buf, v[i].s, v[i].n);
		else
			put_text(f, v[i].s, v[i].n);
		buf_putc(&out_buf, ' ');
	}
	buf_puts(&out_buf, "|\n");
	out_check();
}

static void
put_head(struct fmt *f)
{
	struct md *md = f->state;
	int i;

	md->headed = true;
	if (f->title != NULL) {
		buf_puts(&out_buf, "### ");
		buf_puts(&out_buf, f->title);
		buf_puts(&out_buf, "\n\n");
	}
	for (i = 0; i < f->ncol; i++) {
		struct md_unit *u = &md->units[i];
		const char *head = f->col[i].head;

		u->scaled = f->human && u->right &&
			    human_column(&u->h, f, i, md->largest);
		buf_puts(&out_buf, "| ");
		if (u->scaled)
			human_head(&u->h, &out_buf, head);
		else
			put_text(f, head, strlen(head));
		buf_putc(&out_buf, ' ');
	}
	buf_puts(&out_buf, "|\n");
	for (i = 0; i < f->ncol; i++)
		buf_puts(&out_buf, md->units[i].right ? "|---:" : "|---");
	buf_puts(&out_buf, "|\n");
}

static void
keep(struct fmt *f, const struct writer_cell *v)
{
	struct md *md = f->state;
	double x;
	int i;

	for (i = 0; i < f->ncol; i++) {
		if (v[i].s == NULL)
			buf_putc(&md->kept, '\0');
		else
			buf_put(&md->kept, v[i].s, v[i].n);
		buf_putc(&md->kept, '\n');
		if (v[i].s == NULL || !num_f64(v[i].s, v[i].n, &x))
			continue;
		x = x < 0 ? -x : x;
		if (x > md->largest[i])
			md->largest[i] = x;
	}
	md->nkept++;
}

static void
put_kept(struct fmt *f)
{
	struct md *md = f->state;
	struct writer_cell *v = xcalloc((size_t)f->ncol, sizeof(*v));
	const char *s = md->kept.s, *end;
	int i, k;

	put_head(f);
	for (k = 0; k < md->nkept; k++) {
		for (i = 0; i < f->ncol; i++) {
			end = strchr(s + (*s == '\0'), '\n');
			v[i].s = *s == '\0' ? NULL : s;
			v[i].n = (size_t)(end - s);
			s = end + 1;
		}
		md_put_row(f, v);
	}
	free(v);
	buf_free(&md->kept);
}

static void
md_row(struct fmt *f, const struct writer_cell *v)
{
	struct md *md = f->state;

	if (!md->headed && f->human && md->nkept < KEPT) {
		keep(f, v);
		return;
	}
	if (!md->headed)
		put_kept(f);
	md_put_row(f, v);
}

static void
md_end(struct fmt *f)
{
	struct md *md = f->state;
	if (f->begun && !md->headed)
		put_kept(f);
}

const struct sink sink_md = {
	.option = "--md",
	.state = sizeof(struct md),
	.begin = md_begin,
	.row = md_row,
	.end = md_end,
};
