/* The output: the tables as JSON, alone or in a page with the viewer. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
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
	static const char *const names[] = { "args", "cmdline", "command",
		"cwd", "env", "file", "host", "hostname", "path", "recording",
		"src", "user" };

	return name.s != NULL && mv_listed(name, names, ARRAY_LEN(names));
}

void
html_meta_read(struct stage *st, struct rec *r)
{
	struct html *h = st->ctx;
	const char *rest, *word, *tab;
	struct html_about *a;
	struct mview name = { 0 }, value = { 0 };
	size_t wlen, rlen, i, blanks = 0;
	uint64_t n;
	uint32_t id;
	int of = html_profile(h);

	word = rec_meta(r, &wlen, &rest, &rlen);
	tab = memchr(rest, '\t', rlen);
	if (tab != NULL) {
		name = mv(rest, tab);
		value = mv(tab + 1, rest + rlen);
	}
	/* A fact "diff" of the sections that compare: what dlp-diff said on
	 * standard error, which a reader of the page would miss. */
	if (of < 0) {
		if (tab != NULL && mv_eq(name, "diff"))
			put_member(&h->said, value.s, value.n);
		return;
	}
	a = &h->about[of];
	if (text_is(word, wlen, "cmd")) {
		h->came[of] = true;
		/* with --private a command's name and version only */
		for (i = 0; h->private && i < rlen; i++)
			if (rest[i] == ' ' && ++blanks == 2)
				break;
		put_member(&a->cmds, rest, h->private ? i : rlen);
	}
	if (tab == NULL)
		return;
	if (text_is(word, wlen, "info") &&
	    !(h->private && is_private_fact(name))) {
		put_member(&a->info, name.s, name.n);
		buf_putc(&a->info, ':');
		json_quote_field(&a->info, value.s, value.n, TEXT_JSON);
	} else if (text_is(word, wlen, "note") &&
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

/* Field number i of a key, a number or a text. */
static void
put_json_key(struct buf *b, const char *s, size_t n, int i, const char *name)
{
	static const char *const numbers[] = { "iter", "dev", "stream",
		"op_id" };
	const char *e = s + n, *end;
	bool number = false;
	size_t k;

	for (s++; i > 0; i--)
		s = (const char *)memchr(s, '\t', (size_t)(e - s)) + 1;
	end = memchr(s, '\t', (size_t)(e - s));
	n = (size_t)((end != NULL ? end : e) - s);
	for (k = 0; k < ARRAY_LEN(numbers); k++)
		number |= strcmp(name, numbers[k]) == 0;
	if (n == 1 && *s == '-')
		buf_puts(b, "null");
	else if (number)
		buf_put(b, s, n);
	else
		json_quote_field(b, s, n, TEXT_JSON);
}

/* Sums with the names of their keys, each an array, and of number, sum and
 * maximum; NULL: it is left out. */
static void
put_sums(struct buf *b, const struct html_sums *m, const char *const *keys,
    int n, const char *const names[3])
{
	const struct html_sum *sum;
	const char *s;
	uint32_t k;
	size_t len;
	int i;

	buf_printf(b, "{\"rows\":%zu", m->by.n);
	for (i = 0; i < n; i++) {
		buf_printf(b, ",\"%s\":", keys[i]);
		for (k = 0; k < m->by.n; k++) {
			s = smap_str(&m->by, k, &len);
			buf_putc(b, k > 0 ? ',' : '[');
			put_json_key(b, s, len, i, keys[i]);
		}
		buf_puts(b, k > 0 ? "]" : "[]");
	}
	for (i = 0; i < 3; i++) {
		if (names[i] == NULL)
			continue;
		buf_printf(b, ",\"%s\":", names[i]);
		for (k = 0; k < m->n; k++) {
			sum = &m->v[k];
			buf_putc(b, k > 0 ? ',' : '[');
			if (i > 0 && sum->max < 0)
				buf_puts(b, "null");
			else
				buf_i64(b, i == 0   ? (int64_t)sum->n
					   : i == 1 ? sum->ns
						    : sum->max);
		}
		buf_puts(b, k > 0 ? "]" : "[]");
	}
	buf_putc(b, '}');
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
	static const char *const idle_by[] = { "iter", "class", "src" };
	static const char *const path_by[] = { "iter", "kind", "src" };
	static const char *const idle[] = { NULL, "ns", NULL };
	static const char *const path[] = { "n", "dur_ns", "max_dur_ns" };
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
	buf_puts(b, ",\n\"idle\":");
	put_sums(b, &h->idle, idle_by, 3, idle);
	buf_puts(b, ",\n\"critical\":");
	put_sums(b, &h->critical, path_by, 3, path);
	put_cut(b, &h->cut);
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

void
html_table_end(struct html_table *t)
{
	int i;

	for (i = 0; i < t->ncol; i++)
		if (t->col[i].set)
			html_col_end(&t->col[i]);
}

/* The beginning of a large table. */
static void
put_table(struct buf *b, const struct html_table *t)
{
	buf_printf(
	    b, "\"%s\":{\"rows\":%llu", t->name, (unsigned long long)t->n);
	if (t->left > 0)
		buf_printf(b, ",\"left\":%llu", (unsigned long long)t->left);
}

void
html_data(struct html *h)
{
	const struct html_table *t;
	bool first = true;
	int i, c;

	for (i = 0; i < h->ntable; i++)
		html_table_end(&h->table[i]);
	put_head(&out_buf, h);
	buf_puts(&out_buf, ",\n\"tables\":{");
	for (i = 0; i < h->ntable; i++) {
		t = &h->table[i];
		if (!t->large)
			continue;
		buf_puts(&out_buf, first ? "\n" : ",\n");
		first = false;
		put_table(&out_buf, t);
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
		buf_puts(b, first ? "" : ",");
		put_table(b, t);
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

/* A text in which no < and no & is more than a character, as JSON or HTML. */
static void
print_plain(const char *s, size_t n, bool json)
{
	for (; n > 0; n--, s++)
		if (*s == '<')
			buf_puts(&out_buf, json ? "\\u003c" : "&lt;");
		else if (*s == '&' && !json)
			buf_puts(&out_buf, "&amp;");
		else if (*s == '>' && !json)
			buf_puts(&out_buf, "&gt;");
		else
			buf_putc(&out_buf, *s);
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

/* The script comes before the columns, so that the first view is drawn while
 * the browser still reads them. */
void
html_page(struct html *h)
{
	struct buf script = { 0 }, style = { 0 }, head = { 0 }, body = { 0 };
	struct buf begin = { 0 };
	struct html_col packed = { 0 };
	int i;

	for (i = 0; i < h->ntable; i++)
		html_table_end(&h->table[i]);
	buf_puts(&script, "(function () {\n'use strict';\n");
	join_files(&script, ".js");
	buf_puts(&script, "}());\n");
	join_files(&begin, "begin.js");
	/* the viewer is half of a small page */
	packed.large = packed.code = true;
	buf_put(&packed.bytes, script.s, script.len);
	html_col_end(&packed);
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
	print_plain(h->title, strlen(h->title), false);
	buf_puts(&out_buf, "</title>\n<style>");
	buf_put(&out_buf, style.s, style.len);
	buf_puts(&out_buf, "</style>\n</head>\n<body>\n");
	buf_put(&out_buf, body.s, body.len);
	buf_puts(
	    &out_buf, "<script type=\"application/json\" id=\"dlp-meta\">");
	print_plain(head.s, head.len, true);
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
