/* The output: the tables as JSON, alone or in a page with the viewer. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "html.h"
#include "num.h"
#include "out.h"
#include "text_out.h"

static void
put_member(struct buf *b, const char *s, size_t n)
{
	if (b->len > 0)
		buf_putc(b, ',');
	json_quote_field(b, s, n, TEXT_JSON);
}

/* Facts that --private leaves out: they name programs, files, the machine. */
static bool
is_private_fact(struct mview name)
{
	static const char *const names[] = { "command", "cmdline", "args",
		"cwd", "host", "hostname", "src", "file", "path", "user", "env",
		"recording", NULL };
	int i;

	for (i = 0; names[i] != NULL; i++)
		if (mv_eq(name, names[i]))
			return true;
	return false;
}

/* A command of the pipeline; with --private its name and version only. */
static void
add_cmd(struct html *h, struct html_about *a, const char *s, size_t n)
{
	size_t i, blanks = 0;

	for (i = 0; h->private && i < n; i++)
		if (s[i] == ' ' && ++blanks == 2)
			n = i;
	put_member(&a->cmds, s, n);
}

/* A fact "diff" of the sections that compare: what dlp-diff said on standard
 * error, which a reader of the page would miss. */
static void
add_said(struct html *h, const char *s, size_t n)
{
	static const char name[] = "diff\t";
	size_t k = sizeof(name) - 1;

	if (n < k || memcmp(s, name, k) != 0)
		return;
	buf_puts(&h->said, h->said.len > 0 ? "," : "");
	json_quote_field(&h->said, s + k, n - k, TEXT_JSON);
}

void
html_meta_read(struct html *h, const struct rec *r)
{
	const char *rest, *word, *v;
	struct html_about *a;
	struct mview name, value;
	size_t wlen, rlen;
	uint64_t n;
	uint32_t id;
	int of = html_profile(h);

	word = rec_meta(r, &wlen, &rest, &rlen);
	if (of < 0) {
		add_said(h, rest, rlen);
		return;
	}
	a = &h->about[of];
	if (mv_eq((struct mview){ word, wlen }, "cmd")) {
		h->came[of] = true;
		add_cmd(h, a, rest, rlen);
	}
	v = memchr(rest, '\t', rlen);
	if (v == NULL)
		return;
	name = mv(rest, v);
	value = mv(v + 1, rest + rlen);
	if (mv_eq((struct mview){ word, wlen }, "info") &&
	    !(h->private && is_private_fact(name))) {
		put_member(&a->info, name.s, name.n);
		buf_putc(&a->info, ':');
		json_quote_field(&a->info, value.s, value.n, TEXT_JSON);
	} else if (mv_eq((struct mview){ word, wlen }, "note") &&
		   num_u64(value.s, value.n, &n)) {
		id = smap_put(&a->note, name.s, name.n, NULL);
		a->note.val[id] += n;
	}
}

static void
put_string(struct buf *b, const char *name, const char *s)
{
	buf_printf(b, ",\"%s\":", name);
	json_quote(b, s, strlen(s), TEXT_JSON);
}

/* A field of a key of h->idle: number i, a number or a text. */
static void
put_json_key(struct buf *b, const char *s, size_t n, int i, bool number)
{
	const char *e = s + n, *end;

	for (s++; i > 0; i--)
		s = (const char *)memchr(s, '\t', (size_t)(e - s)) + 1;
	end = memchr(s, '\t', (size_t)(e - s));
	n = (size_t)((end != NULL ? end : e) - s);
	if (n == 1 && *s == '-')
		buf_puts(b, "null");
	else if (number)
		buf_put(b, s, n);
	else
		json_quote_field(b, s, n, TEXT_JSON);
}

/* The fields of keys, each as an array; number tells which are numbers. */
static void
put_keys(struct buf *b, const struct smap *m, const char *const *names, int n,
    bool (*number)(const char *name))
{
	const char *s;
	uint32_t k;
	size_t len;
	int i;

	buf_printf(b, "{\"rows\":%zu", m->n);
	for (i = 0; i < n; i++) {
		buf_printf(b, ",\"%s\":[", names[i]);
		for (k = 0; k < m->n; k++) {
			s = smap_str(m, k, &len);
			if (k > 0)
				buf_putc(b, ',');
			put_json_key(b, s, len, i, number(names[i]));
		}
		buf_putc(b, ']');
	}
}

static bool
is_number_key(const char *name)
{
	return strcmp(name, "iter") == 0 || strcmp(name, "dev") == 0 ||
	       strcmp(name, "stream") == 0 || strcmp(name, "op_id") == 0;
}

/* Sums with the names of their keys, and of number, sum and maximum; NULL: it
 * is left out. */
static void
put_sums(struct buf *b, const struct html_sums *m, const char *const *keys,
    int n, const char *const names[3])
{
	const struct html_sum *s;
	size_t k;
	int i;

	put_keys(b, &m->by, keys, n, is_number_key);
	for (i = 0; i < 3; i++) {
		if (names[i] == NULL)
			continue;
		buf_printf(b, ",\"%s\":[", names[i]);
		for (k = 0; k < m->n; k++) {
			s = &m->v[k];
			if (k > 0)
				buf_putc(b, ',');
			if (i > 0 && s->max < 0)
				buf_puts(b, "null");
			else
				buf_i64(b, i == 0   ? (int64_t)s->n
					   : i == 1 ? s->ns
						    : s->max);
		}
		buf_putc(b, ']');
	}
	buf_putc(b, '}');
}

static void
put_small_sums(struct buf *b, const struct html *h)
{
	static const char *const idle_by[] = { "iter", "class", "src" };
	static const char *const path_by[] = { "iter", "kind", "src" };
	static const char *const idle[] = { NULL, "ns", NULL };
	static const char *const path[] = { "n", "dur_ns", "max_dur_ns" };

	buf_puts(b, ",\n\"idle\":");
	put_sums(b, &h->idle, idle_by, 3, idle);
	buf_puts(b, ",\n\"critical\":");
	put_sums(b, &h->critical, path_by, 3, path);
}

/* Which rows are left out, and the sums of all. */
static void
put_cut(struct buf *b, const struct html_cut *cut)
{
	static const char *const names[] = { "pieces", "dur_ns", "max_ns" };

	if (!cut->on)
		return;
	buf_printf(b, ",\n\"cut\":{\"limit\":%lld,\"pieces\":%llu",
	    (long long)cut->limit, (unsigned long long)cut->pieces);
	if (cut->from <= cut->to)
		buf_printf(b, ",\"from\":%lld,\"to\":%lld",
		    (long long)cut->from, (long long)cut->to);
	buf_puts(b, "},\n\"sums\":");
	put_sums(b, &cut->sums, html_sum_by, HTML_SUM_BY, names);
}

static void
put_about(struct buf *b, const struct html_about *a)
{
	const char *s;
	uint32_t k;
	size_t n;

	buf_puts(b, "\"info\":{");
	buf_put(b, a->info.s, a->info.len);
	buf_puts(b, "},\"notes\":{");
	for (k = 0; k < a->note.n; k++) {
		s = smap_str(&a->note, k, &n);
		if (k > 0)
			buf_putc(b, ',');
		json_quote_field(b, s, n, TEXT_JSON);
		buf_putc(b, ':');
		buf_u64(b, a->note.val[k]);
	}
	buf_puts(b, "},\"cmds\":[");
	buf_put(b, a->cmds.s, a->cmds.len);
	buf_putc(b, ']');
}

/* What the page knows about the whole, and its small tables. */
static void
put_head(struct buf *b, const struct html *h)
{
	const struct html_table *t;
	int i, c;

	buf_puts(b, "{\"format\":1,\"by\":\"dlp-html " DLP_VERSION "\"");
	put_string(b, "title", h->title);
	put_string(b, "file", h->file);
	if (h->before != NULL)
		put_string(b, "before", h->before);
	buf_printf(
	    b, ",\"nest_short\":%llu", (unsigned long long)h->nest_short);
	buf_printf(b, ",\"complete\":%s,\"left_out\":%llu,",
	    h->complete ? "true" : "false", (unsigned long long)h->left_out);
	put_about(b, &h->about[0]);
	if (h->both) {
		buf_puts(b, ",\"other\":{");
		put_about(b, &h->about[1]);
		buf_putc(b, '}');
	}
	buf_puts(b, ",\"said\":[");
	buf_put(b, h->said.s, h->said.len);
	buf_putc(b, ']');
	put_small_sums(b, h);
	put_cut(b, &h->cut);
	if (h->density.wide > 0)
		buf_printf(b,
		    ",\n\"density\":{\"from_ns\":%lld,\"wide_ns\":%lld,"
		    "\"pieces\":%d}",
		    (long long)h->density.from, (long long)h->density.wide,
		    HTML_BUCKETS);
	for (i = 0; i < h->ntable; i++) {
		t = &h->table[i];
		if (t->large)
			continue;
		buf_printf(b, ",\n\"%s\":{\"rows\":%llu", t->name,
		    (unsigned long long)t->n);
		for (c = 0; c < t->ncol; c++)
			if (t->col[c].set) {
				buf_printf(b, ",\"%s\":", t->col[c].name);
				buf_put(
				    b, t->col[c].bytes.s, t->col[c].bytes.len);
			}
		buf_putc(b, '}');
	}
}

static void
end_columns(struct html *h)
{
	int i, c;

	for (i = 0; i < h->ntable; i++)
		for (c = 0; c < h->table[i].ncol; c++)
			if (h->table[i].col[c].set)
				html_col_end(&h->table[i].col[c]);
}

static void
put_left(struct buf *b, const struct html_table *t)
{
	if (t->left > 0)
		buf_printf(b, ",\"left\":%llu", (unsigned long long)t->left);
}

void
html_data(struct html *h)
{
	const struct html_table *t;
	bool first = true;
	int i, c;

	end_columns(h);
	put_head(&out_buf, h);
	buf_puts(&out_buf, ",\n\"tables\":{");
	for (i = 0; i < h->ntable; i++) {
		t = &h->table[i];
		if (!t->large)
			continue;
		buf_printf(&out_buf, "%s\n\"%s\":{\"rows\":%llu",
		    first ? "" : ",", t->name, (unsigned long long)t->n);
		first = false;
		put_left(&out_buf, t);
		for (c = 0; c < t->ncol; c++)
			if (t->col[c].set) {
				buf_printf(
				    &out_buf, ",\n\"%s\":", t->col[c].name);
				html_col_print(&t->col[c]);
			}
		buf_putc(&out_buf, '}');
	}
	buf_puts(&out_buf, "}}\n");
}

/* The tables that are blocks: how many rows, and how each column is coded. */
static void
put_blocks_head(struct buf *b, const struct html *h)
{
	static const char *const kinds[] = { [HTML_PLAIN] = "n",
		[HTML_STEPS] = "d",
		[HTML_BASED] = "r",
		[HTML_TEXTS] = "s",
		[HTML_NUMBERS] = "f" };
	const struct html_table *t;
	bool first = true, first_col;
	int i, c;

	buf_puts(b, ",\n\"tables\":{");
	for (i = 0; i < h->ntable; i++) {
		t = &h->table[i];
		if (!t->large)
			continue;
		buf_printf(b, "%s\"%s\":{\"rows\":%llu", first ? "" : ",",
		    t->name, (unsigned long long)t->n);
		put_left(b, t);
		buf_puts(b, ",\"cols\":{");
		first = false;
		first_col = true;
		for (c = 0; c < t->ncol; c++)
			if (t->col[c].set) {
				buf_printf(b, "%s\"%s\":\"%s%c\"",
				    first_col ? "" : ",", t->col[c].name,
				    kinds[t->col[c].kind],
				    html_col_room(&t->col[c]));
				first_col = false;
			}
		buf_puts(b, "}}");
	}
	buf_puts(b, "}}");
}

/* JSON inside a script element: no text can end the element. */
static void
print_json(const struct buf *b)
{
	size_t i;

	for (i = 0; i < b->len; i++)
		if (b->s[i] == '<')
			buf_puts(&out_buf, "\\u003c");
		else
			buf_putc(&out_buf, b->s[i]);
}

/* Text as HTML. */
static void
print_escaped(const char *s)
{
	for (; *s != '\0'; s++)
		switch (*s) {
		case '&':
			buf_puts(&out_buf, "&amp;");
			break;
		case '<':
			buf_puts(&out_buf, "&lt;");
			break;
		case '>':
			buf_puts(&out_buf, "&gt;");
			break;
		default:
			buf_putc(&out_buf, *s);
		}
}

/* A line without the blanks that separate no words. Lines in which a quote
 * could be hard to follow (regular expressions, comments) stay as they are. */
static void
add_line(struct buf *b, const char *s, const char *e)
{
	static const char around[] = "=,;:?{}()[]&|<>*!";
	bool quoted = false;
	const char *c;

	for (c = s; c < e; c++)
		if (strchr("/\\\"`", *c) != NULL)
			break;
	if (c < e) {
		buf_put(b, s, (size_t)(e - s));
		return;
	}
	for (c = s; c < e; c++) {
		quoted ^= *c == '\'';
		if (!quoted && *c == ' ' && c > s && c + 1 < e &&
		    (strchr(around, c[-1]) != NULL ||
			strchr(around, c[1]) != NULL))
			continue;
		buf_putc(b, *c);
	}
}

/* A script without its indentation and its comments: a fifth of it. */
static void
add_script(struct buf *b, const char *s)
{
	const char *e;

	for (; *s != '\0'; s = e) {
		s += strspn(s, "\t\n");
		e = s + strcspn(s, "\n");
		e += *e == '\n';
		if (strncmp(s, "//", 2) != 0)
			add_line(b, s, e);
	}
}

/* The page's own files with that end, joined; begin.js stands alone. */
static void
join_files(struct buf *b, const char *end)
{
	static const char begin[] = "begin.js";
	bool alone = strcmp(end, begin) == 0;

	const struct shipped *f;
	size_t n, k = strlen(end);

	for (f = html_page_files; f->name != NULL; f++) {
		n = strlen(f->name);
		if (n < k || strcmp(f->name + n - k, end) != 0 ||
		    (!alone && strcmp(f->name, begin) == 0))
			continue;
		if (strcmp(f->name + n - 3, ".js") == 0)
			add_script(b, f->text);
		else
			buf_puts(b, f->text);
	}
}

static void
print_hash(const struct buf *b)
{
	unsigned char sum[32];

	html_sha256(b->s, b->len, sum);
	buf_puts(&out_buf, " 'sha256-");
	html_base64(&out_buf, sum, sizeof(sum));
	buf_putc(&out_buf, '\'');
}

/* The browser runs these scripts and this style and nothing else, and asks
 * nobody for anything. */
static void
print_policy(
    const struct buf *begin, const struct buf *code, const struct buf *style)
{
	buf_puts(&out_buf,
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; script-src");
	print_hash(begin);
	print_hash(code);
	buf_puts(&out_buf, "; style-src");
	print_hash(style);
	buf_puts(&out_buf, "; img-src data:; base-uri 'none'; "
			   "form-action 'none'\">\n");
}

/* What is packed, after the start of its element. */
static void
print_packed(const struct html_col *c)
{
	size_t i, n;

	for (i = 0; i < c->z.len; i += n) {
		/* a multiple of 3, so that no block ends in = */
		n = c->z.len - i < 48 * 1024 ? c->z.len - i : 48 * 1024;
		html_base64(&out_buf, (unsigned char *)c->z.s + i, n);
		out_check();
	}
	buf_puts(&out_buf, "</script>\n");
}

static void
print_columns(const struct html *h)
{
	const struct html_table *t;
	int i, c;

	for (i = 0; i < h->ntable; i++) {
		t = &h->table[i];
		for (c = 0; t->large && c < t->ncol; c++)
			if (t->col[c].set) {
				buf_printf(&out_buf,
				    "<script type=\"text/plain\" "
				    "class=\"dlp-col\" data-c=\"%s.%s\">",
				    t->name, t->col[c].name);
				print_packed(&t->col[c]);
			}
	}
}

/* The viewer as a column: packed, because it is half of a small page. */
static void
pack_code(struct html_col *packed, const struct buf *code)
{
	packed->large = true;
	buf_put(&packed->bytes, code->s, code->len);
	html_col_end(packed);
}

/* The script comes before the columns, so that the first view is drawn while
 * the browser still reads them. */
void
html_page(struct html *h)
{
	struct buf script = { 0 }, style = { 0 }, head = { 0 }, body = { 0 };
	struct buf begin = { 0 };
	struct html_col packed = { 0 };

	end_columns(h);
	html_density(h);
	buf_puts(&script, "(function () {\n'use strict';\n");
	join_files(&script, ".js");
	buf_puts(&script, "}());\n");
	join_files(&begin, "begin.js");
	pack_code(&packed, &script);
	join_files(&style, ".css");
	join_files(&body, ".html");
	put_head(&head, h);
	put_blocks_head(&head, h);
	buf_puts(&out_buf, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
			   "<meta charset=\"utf-8\">\n");
	print_policy(&begin, &script, &style);
	buf_puts(&out_buf, "<meta name=\"viewport\" "
			   "content=\"width=device-width, initial-scale=1\">\n"
			   "<link rel=\"icon\" href=\"data:,\">\n<title>");
	print_escaped(h->title);
	buf_puts(&out_buf, "</title>\n<style>");
	buf_put(&out_buf, style.s, style.len);
	buf_puts(&out_buf, "</style>\n</head>\n<body>\n");
	buf_put(&out_buf, body.s, body.len);
	buf_puts(
	    &out_buf, "<script type=\"application/json\" id=\"dlp-meta\">");
	print_json(&head);
	buf_puts(&out_buf, "</script>\n"
			   "<script type=\"text/plain\" id=\"dlp-code\">");
	print_packed(&packed);
	buf_puts(&out_buf, "<script>");
	buf_put(&out_buf, begin.s, begin.len);
	buf_puts(&out_buf, "</script>\n");
	print_columns(h);
	/* the page sees by it that nothing was cut off */
	buf_puts(&out_buf, "<i id=\"dlp-end\"></i>\n</body>\n</html>\n");
	html_col_free(&packed);
	buf_free(&begin);
	buf_free(&script);
	buf_free(&style);
	buf_free(&head);
	buf_free(&body);
}
