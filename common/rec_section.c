/* The rules that a stream must follow (sections, counts, legends) and the
 * messages if it does not. See rec.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cols.h"
#include "err.h"
#include "magic.h"
#include "num.h"
#include "rec_impl.h"

const char *
rec_input_name(const struct rec_reader *rd)
{
	return rd->name;
}

const char *
rec_where(const struct rec_reader *rd)
{
	static char where[512];

	snprintf(where, sizeof(where), "%.400s:%llu", rd->name,
	    (unsigned long long)rd->lineno);
	return where;
}

void
rec_die(const struct rec *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die("%s: %s", rec_where(r->rd), text);
}

void
rec_check_magic(const struct rec_reader *rd, const char *s, size_t n)
{
	const char *what =
	    magic_what(rd->fd == STDIN_FILENO ? NULL : rd->name, s, n);

	if (what != NULL)
		die("%s: %s", rd->name, what);
}

static void
begin_section(struct rec_reader *rd, const struct rec *r)
{
	size_t wlen, n;
	const char *rest;
	uint64_t v;
	int i;

	rec_meta(r, &wlen, &rest, &n);
	if (!num_u64(rest, n, &v))
		rec_die(r, "bad format number '%.*s' in ##dlp",
		    (int)(n < 40 ? n : 40), rest);
	if (v > REC_FORMAT)
		rec_die(r,
		    "stream has format %llu, this command reads up to %d: "
		    "use a newer dlp",
		    (unsigned long long)v, REC_FORMAT);
	if (rd->in_section)
		rd->complete = false;
	rd->in_section = true;
	rd->n_rec = 0;
	for (i = 0; i < rd->ntypes; i++)
		rd->types[i]->has_legend = rd->types[i]->checked = false;
}

/* True if a line looks like a record: a tag of lower-case letters, a TAB. */
static bool
like_record(const struct rec *r, size_t *n)
{
	*n = 0;
	while (*n < r->len && r->line[*n] >= 'a' && r->line[*n] <= 'z')
		++*n;
	return *n > 0 && *n < r->len && r->line[*n] == '\t';
}

void
rec_first_line(struct rec_reader *rd, const struct rec *r)
{
	size_t n;

	rec_check_magic(rd, r->line, r->len);
	if (r->len > 0 && r->line[r->len - 1] == '\r')
		rec_die(r, "line ends in CR LF: not a dlp stream");
	if (r->len > 5 && memcmp(r->line, "##dlp", 5) == 0 &&
	    r->line[5] == '\t')
		return;
	if (like_record(r, &n))
		rec_die(r,
		    "a record without its legend: the line '#%.*s' must stand"
		    " before it",
		    (int)(n < 40 ? n : 40), r->line);
	if (r->len < 2 || r->line[0] != '#' || r->line[1] == '\t' ||
	    r->line[1] == ' ')
		rec_die(r, "not a dlp stream");
	rd->fragment = true;
}

/* ##end has the number of records that its writer wrote. */
static void
end_section(struct rec_reader *rd, const struct rec *r)
{
	size_t wlen, n;
	const char *rest;
	uint64_t v;

	rd->in_section = false;
	rec_meta(r, &wlen, &rest, &n);
	if (!num_u64(rest, n, &v))
		rec_die(r, "bad count '%.*s' in ##end", (int)(n < 40 ? n : 40),
		    rest);
	if (rd->fragment)
		return;
	rd->lost = v > rd->n_rec ? v - rd->n_rec : 0;
	rd->more = v < rd->n_rec ? rd->n_rec - v : 0;
	if (v == rd->n_rec || rd->quiet)
		return;
	rd->quiet = true;
	warn("%s: ##end counts %llu records, %llu came: some were %s on the"
	     " way",
	    rec_where(rd), (unsigned long long)v, (unsigned long long)rd->n_rec,
	    rd->lost > 0 ? "lost or left out" : "added");
}

void
rec_meta_line(struct rec_reader *rd, struct rec *r)
{
	size_t wlen, n;
	const char *rest, *w = rec_meta(r, &wlen, &rest, &n);

	r->kind = REC_META;
	if (wlen == 3 && memcmp(w, "dlp", 3) == 0) {
		r->kind = REC_SECTION;
		begin_section(rd, r);
	} else if (wlen == 3 && memcmp(w, "end", 3) == 0) {
		r->kind = REC_END;
		if (!rd->in_section && !rd->fragment)
			rec_die(r, "##end without ##dlp");
		end_section(rd, r);
	}
}

void
rec_check_legend(struct rec_type *t, const struct rec *r)
{
	const struct rec_col *c;
	const struct col_def *d;

	if (!t->has_legend)
		rec_die(
		    r, "record '%s' before its legend '#%s'", t->tag, t->tag);
	c = rec_type_lacks(t);
	if (c != NULL) {
		d = col_find(t->tag, c->name);
		rec_die(r, "%s records have no column '%s'%s%s", t->tag,
		    c->name, d != NULL ? ": it is written by " : "",
		    d != NULL ? d->by : "");
	}
	t->checked = true;
}

bool
rec_complete(const struct rec_reader *rd)
{
	return rd->complete;
}

void
rec_quiet(struct rec_reader *rd)
{
	rd->quiet = true;
}

uint64_t
rec_lost(const struct rec_reader *rd)
{
	return rd->lost;
}

uint64_t
rec_surplus(const struct rec_reader *rd)
{
	return rd->more;
}

bool
rec_is_fragment(const struct rec_reader *rd)
{
	return rd->fragment;
}

const char *
rec_meta(const struct rec *r, size_t *wlen, const char **rest, size_t *rlen)
{
	const char *w = r->line + 2, *end = r->line + r->len;
	const char *tab = memchr(w, '\t', (size_t)(end - w));

	*wlen = (size_t)((tab != NULL ? tab : end) - w);
	*rest = tab != NULL ? tab + 1 : end;
	*rlen = (size_t)(end - *rest);
	return w;
}
