/* The stream reader; see rec.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cols.h"
#include "array.h"
#include "err.h"
#include "esc.h"
#include "magic.h"
#include "num.h"
#include "out.h"
#include "rec.h"

#define REC_TAG_SLOTS 64

struct rec_reader {
	const char *name;
	int fd;
	char *buf;
	size_t pos, len, cap; /* pos: first byte after the current line */
	bool eof;
	uint64_t lineno;
	uint64_t n_rec;      /* of the section so far */
	uint64_t lost, more; /* than ##end says */
	bool in_section, complete, fragment, quiet;
	struct rec_type **types;
	int ntypes;
	struct rec_type *slot[REC_TAG_SLOTS];
	struct rec_fields fields;
	int field_cap;
};

/* Record types, their legends and columns. */

const char *
rec_type_tag(const struct rec_type *t)
{
	return t->tag;
}

void
rec_want_id(struct rec_type *t, enum rec_need need, int id)
{
	int i;

	if (id >= t->n_at) {
		t->at = xrealloc(t->at, (size_t)id + 1, sizeof(*t->at));
		while (t->n_at <= id)
			t->at[t->n_at++] = REC_UNWANTED;
	}
	t->at[id] = REC_MISSING; /* until find_fields() */
	for (i = 0; i < t->n_need && t->need[i] != id; i++)
		;
	if (need == REC_NEED && i == t->n_need) {
		t->need =
		    xrealloc(t->need, (size_t)t->n_need + 1, sizeof(*t->need));
		t->need[t->n_need++] = id;
	}
	t->checked = false;
}

int
rec_want_col(struct rec_type *t, const char *name)
{
	int id = col_id(name);

	rec_want_id(t, REC_OPT, id);
	return id;
}

void
rec_add_raw(struct buf *b, const struct rec *r, int col)
{
	struct mview v = rec_get_raw(r, col);

	buf_putc(b, '\t');
	buf_put(b, v.s, v.n);
}

void
rec_want(struct rec_type *t, enum rec_need need, const char *names)
{
	char name[64];
	size_t n;

	for (; names != NULL && *names != '\0'; names += n) {
		n = strspn(names, " ");
		names += n;
		n = strcspn(names, " ");
		if (n == 0)
			break;
		if (n >= sizeof(name))
			die("rec_want: a column is too long: %s", names);
		memcpy(name, names, n);
		name[n] = '\0';
		rec_want_id(t, need, col_id(name));
	}
}

/* Finds the fields of the requested columns in a new legend; of several with
 * one name the first. */
static void
find_fields(struct rec_type *t)
{
	int i, id;

	for (i = 0; i < t->n_at; i++)
		if (t->at[i] >= 0)
			t->at[i] = REC_MISSING;
	for (i = 0; t->n_at > 0 && i < t->nnames; i++) {
		id = col_known(t->names[i]);
		if (id >= 0 && id < t->n_at && t->at[id] == REC_MISSING)
			t->at[id] = i;
	}
}

int
rec_ncols(const struct rec_type *t)
{
	return t->nnames;
}

const char *
rec_colname(const struct rec_type *t, int i)
{
	return t->names[i];
}

void
rec_type_legend(struct rec_type *t, const char *s, size_t n)
{
	const char *end = s + n;
	int i;

	for (i = 0; i < t->nnames; i++)
		free(t->names[i]);
	t->nnames = 0;
	while (s < end) { /* s is at a TAB */
		const char *tab = memchr(s + 1, '\t', (size_t)(end - s - 1));

		if (tab == NULL)
			tab = end;
		ARRAY_GROW(t->names, t->nnames, t->names_cap);
		t->names[t->nnames++] = xmemdup(s + 1, (size_t)(tab - s - 1));
		s = tab;
	}
	find_fields(t);
	t->has_legend = true;
	t->checked = false;
}

/* The fields of records. */

const char *const *
rec_split(const struct rec *r)
{
	struct rec_fields *f = r->fields;
	struct rec_reader *rd = r->rd;
	int want = r->type->nnames, n;

	if (f->n >= 0)
		return f->at;
	/* more room than fields, so that tabs_find() need not check it */
	if (rd->field_cap < want + 65) {
		rd->field_cap = want + 128;
		f->at = xrealloc(f->at, (size_t)rd->field_cap, sizeof(*f->at));
	}
	n = tabs_find(r->line, r->len, f->at, rd->field_cap);
	if (n != want)
		rec_die(r, "%s record has %d fields, its legend %d",
		    r->type->tag, n, want);
	f->at[want] = r->line + r->len + 1;
	f->n = want;
	return f->at;
}

const char *
rec_text(const struct rec *r, int col, struct buf *tmp, size_t *n)
{
	struct mview v = rec_get(r, col);

	*n = 0;
	if (v.s == NULL)
		return NULL;
	buf_clear(tmp);
	if (esc_has(v.s, v.n))
		esc_undo(tmp, v.s, v.n);
	else
		buf_put(tmp, v.s, v.n);
	*n = tmp->len;
	return buf_str(tmp);
}

static void
no_number(const struct rec *r, int col, struct mview v, const char *what)
{
	rec_die(r, "%s: %s is not %s: '%.*s'", r->type->tag, col_name(col),
	    what, (int)(v.n < 40 ? v.n : 40), v.s);
}

bool
rec_num(const struct rec *r, int col, int64_t *v)
{
	struct mview s = rec_get(r, col);

	if (s.s == NULL)
		return false;
	if (!num_i64(s.s, s.n, v))
		no_number(r, col, s, "an integer");
	return true;
}

bool
rec_real(const struct rec *r, int col, double *v)
{
	struct mview s = rec_get(r, col);

	if (s.s == NULL)
		return false;
	if (!num_f64(s.s, s.n, v))
		no_number(r, col, s, "a number");
	return true;
}

bool
rec_length(const struct rec *r, int col, int64_t *v)
{
	if (rec_num(r, col, v) && *v >= 0)
		return true;
	*v = 0;
	return false;
}

bool
rec_total(const struct rec *r, int col, int64_t *v)
{
	struct mview s = rec_get(r, col);
	size_t sign = s.s != NULL && s.s[0] == '-';

	if (s.s == NULL || s.n < 19 + sign || s.n > 40 ||
	    strspn(s.s + sign, "0123456789") != s.n - sign ||
	    num_i64(s.s, s.n, v))
		return rec_num(r, col, v);
	*v = num_limit(sign ? -1 : 1, 0);
	return true;
}

/* The rules that a stream must follow (sections, counts, legends), and the
 * messages if it does not; violations are fatal. */

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

/* Fatal if the input begins like another kind of file. */
static void
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

/* The first line of an input, which may make it a fragment. */
static void
rec_first_line(struct rec_reader *rd, const struct rec *r)
{
	size_t n = 0;

	rec_check_magic(rd, r->line, r->len);
	if (r->len > 0 && r->line[r->len - 1] == '\r')
		rec_die(r, "line ends in CR LF: not a dlp stream");
	if (r->len > 5 && memcmp(r->line, "##dlp", 5) == 0 &&
	    r->line[5] == '\t')
		return;
	/* a record has a tag of lower-case letters, a TAB */
	while (n < r->len && r->line[n] >= 'a' && r->line[n] <= 'z')
		n++;
	if (n > 0 && n < r->len && r->line[n] == '\t')
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

/* A ##word line: a section begins or ends, or r->kind is REC_META. */
static void
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

/* At the first record after a legend: fatal if a needed column is missing; the
 * message names the command that writes it. Types that the registry does not
 * have are named by dlp-agg --as. */
static void
rec_check_legend(struct rec_type *t, const struct rec *r)
{
	const char *missing, *by = NULL;
	const struct col_def *d;
	int i = 0;

	if (!t->has_legend)
		rec_die(
		    r, "record '%s' before its legend '#%s'", t->tag, t->tag);
	find_fields(t); /* also of columns that were requested after it */
	while (i < t->n_need && t->at[t->need[i]] >= 0)
		i++;
	if (i < t->n_need) {
		missing = col_name(t->need[i]);
		d = col_find(t->tag, missing);
		if (d != NULL)
			by = d->by;
		else if (type_find(t->tag) == NULL)
			by = "dlp-agg (-g, -a and -f)";
		rec_die(r, "%s records have no column '%s'%s%s", t->tag,
		    missing, by != NULL ? ": it is written by " : "",
		    by != NULL ? by : "");
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

/* Lines and their kinds. */

#define BUF_SIZE (256 * 1024)

struct rec_reader *
rec_open(const char *path)
{
	struct rec_reader *rd = xcalloc(1, sizeof(*rd));
	struct stat st;

	rd->name = "standard input";
	rd->fd = STDIN_FILENO;
	if (path != NULL && strcmp(path, "-") != 0) {
		rd->name = path;
		rd->fd = open(path, O_RDONLY);
		if (rd->fd < 0)
			die_errno("%s", path);
	}
	if (fstat(rd->fd, &st) == 0 && S_ISDIR(st.st_mode))
		die("%s: is a directory", rd->name);
	rd->cap = BUF_SIZE;
	rd->buf = xmalloc(rd->cap);
	rd->complete = true;
	return rd;
}

void
rec_close(struct rec_reader *rd)
{
	struct rec_type *t;
	int i, k;

	for (i = 0; i < rd->ntypes; i++) {
		t = rd->types[i];
		for (k = 0; k < t->nnames; k++)
			free(t->names[k]);
		free(t->at);
		free(t->need);
		free(t->names);
		free(t->tag);
		free(t);
	}
	free(rd->types);
	free(rd->fields.at);
	free(rd->buf);
	if (rd->fd != STDIN_FILENO)
		close(rd->fd);
	free(rd);
}

static unsigned
tag_slot(const char *s, size_t n)
{
	return ((unsigned char)s[0] * 7u + (unsigned char)s[n - 1] * 31u +
		   (unsigned)n) %
	       REC_TAG_SLOTS;
}

static struct rec_type *
find_type(const struct rec_reader *rd, const char *s, size_t n)
{
	struct rec_type *t;

	if (n == 0)
		return NULL;
	for (t = rd->slot[tag_slot(s, n)]; t != NULL; t = t->next)
		if (t->taglen == n && memcmp(t->tag, s, n) == 0)
			return t;
	return NULL;
}

struct rec_type *
rec_type(struct rec_reader *rd, const char *tag)
{
	size_t n = strlen(tag);
	struct rec_type *t = find_type(rd, tag, n);
	unsigned k;

	if (t != NULL)
		return t;
	t = xcalloc(1, sizeof(*t));
	t->tag = xmemdup(tag, n);
	t->taglen = n;
	k = tag_slot(tag, n);
	t->next = rd->slot[k];
	rd->slot[k] = t;
	rd->types = xrealloc(
	    rd->types, (size_t)rd->ntypes + 1, sizeof(struct rec_type *));
	rd->types[rd->ntypes++] = t;
	return t;
}

/* Reads more after the unfinished line, which moves to the front of the buffer;
 * false at the end of the input. */
static bool
fill(struct rec_reader *rd)
{
	ssize_t n;

	if (rd->eof)
		return false;
	memmove(rd->buf, rd->buf + rd->pos, rd->len - rd->pos);
	rd->len -= rd->pos;
	rd->pos = 0;
	if (rd->len == rd->cap) {
		rd->buf = xrealloc(rd->buf, rd->cap, 2);
		rd->cap *= 2;
	}
	do
		n = read(rd->fd, rd->buf + rd->len, rd->cap - rd->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		die_errno("%s", rd->name);
	rd->eof = n == 0;
	if (memchr(rd->buf + rd->len, '\0', (size_t)n) != NULL) {
		if (rd->lineno == 0)
			rec_check_magic(rd, rd->buf, rd->len + (size_t)n);
		die("%s: NUL byte after line %llu: not a dlp stream", rd->name,
		    (unsigned long long)rd->lineno);
	}
	rd->len += (size_t)n;
	out_read((uint64_t)n);
	return n > 0;
}

static bool
next_line(struct rec_reader *rd, struct rec *r)
{
	size_t from = 0;
	char *s, *nl;

	for (;;) {
		s = rd->buf + rd->pos;
		nl = memchr(s + from, '\n', rd->len - rd->pos - from);
		if (nl != NULL)
			break;
		from = rd->len - rd->pos;
		if (fill(rd))
			continue;
		s = rd->buf + rd->pos;
		if (rd->len == rd->pos)
			return false;
		nl = s + (rd->len - rd->pos);
		break;
	}
	rd->lineno++;
	r->line = s;
	r->len = (size_t)(nl - s);
	rd->pos = (size_t)(nl - rd->buf) + (nl < rd->buf + rd->len);
	return true;
}

bool
rec_next(struct rec_reader *rd, struct rec *r)
{
	const char *tab;
	size_t n;
	size_t head;

	if (!next_line(rd, r)) {
		if (rd->in_section)
			rd->complete = false;
		return false;
	}
	r->rd = rd;
	r->type = NULL;
	rd->fields.n = -1;
	r->fields = &rd->fields;
	if (rd->lineno == 1)
		rec_first_line(rd, r);
	if (r->len >= 2 && r->line[0] == '#' && r->line[1] == '#') {
		rec_meta_line(rd, r);
		return true;
	}
	if (!rd->in_section && !rd->fragment)
		rec_die(r, "line outside of a section");
	r->kind = r->len > 0 && r->line[0] == '#' ? REC_LEGEND : REC_DATA;
	rd->n_rec += r->kind == REC_DATA;
	tab = memchr(r->line, '\t', r->len);
	n = tab != NULL ? (size_t)(tab - r->line) : r->len;
	if (r->kind == REC_LEGEND)
		r->type = find_type(rd, r->line + 1, n - 1);
	else
		r->type = find_type(rd, r->line, n);
	if (r->type != NULL) {
		if (r->kind == REC_LEGEND) {
			head = 1 + r->type->taglen; /* #tag */
			rec_type_legend(r->type, r->line + head, r->len - head);
		} else if (!r->type->checked) {
			rec_check_legend(r->type, r);
		}
	} else if (r->len == 0) {
		rec_die(r, "empty line");
	}
	return true;
}
