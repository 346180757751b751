/*
 * dlp-mcp: the reports for programs that speak the Model Context Protocol: a
 * message of JSON-RPC a line. A tool is a report of dlp, a process of its own;
 * tools.json says which there are and what each argument becomes.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cli.h"
#include "err.h"
#include "json_put.h"
#include "json_tok.h"
#include "lines.h"
#include "shipped.h"
#include "text_out.h"

#define MOST_TOKENS 4096     /* of a request */
#define MOST_BYTES (1 << 20) /* of a request, of the output of a report */
#define MOST_WORDS 64        /* of a command */

struct mcp {
	char folder[PATH_MAX];
	const char *dlp;
	struct buf list; /* tools.json */
	struct json_doc tools, in;
	int id;            /* the request's; 0: it has none */
	struct buf answer; /* a line */
	struct buf said;   /* what is wrong */
};

struct command {
	struct buf text; /* its words, each ended by a NUL */
	size_t at[MOST_WORDS];
	int n;
};

static void
add_word(struct command *c, const char *s, size_t n)
{
	if (c->n + 1 >= MOST_WORDS)
		return;
	c->at[c->n++] = c->text.len;
	buf_put(&c->text, s, n);
	buf_putc(&c->text, '\0');
}

/* A string of the request, in place of the text in b. */
static const char *
take(const struct json_doc *j, int i, struct buf *b)
{
	buf_clear(b);
	json_unescape(j, i, b);
	return buf_str(b);
}

/* A string as JSON writes it, whose beginning is what. */
static void
put_string(struct buf *b, const char *what, struct mview v)
{
	buf_printf(b, "\"%s%.*s\"", what, (int)v.n, v.s);
}

/* The answer up to the value of that member. */
static struct buf *
answer_begin(struct mcp *m, const char *member)
{
	struct mview id = { "null", 4 };
	struct buf *b = &m->answer;

	if (m->id > 0)
		id = json_raw(&m->in, m->id);
	buf_clear(b);
	buf_puts(b, "{\"jsonrpc\": \"2.0\", \"id\": ");
	if (m->id > 0 && json_type(&m->in, m->id) == JSON_STRING)
		put_string(b, "", id);
	else
		buf_put(b, id.s, id.n);
	json_name(b, member);
	buf_putc(b, '{');
	return b;
}

static void
answer_end(struct mcp *m)
{
	buf_puts(&m->answer, "}}\n");
	if (fwrite(m->answer.s, 1, m->answer.len, stdout) != m->answer.len ||
	    fflush(stdout) != 0)
		die_errno("standard output");
}

/* An error with JSON-RPC's number, about a string of the request or none (0).
 */
static void
answer_error(struct mcp *m, int code, const char *what, int i)
{
	struct buf *b = answer_begin(m, "error");

	json_int(b, "code", true, code);
	json_name(b, "message");
	put_string(b, what, i > 0 ? json_raw(&m->in, i) : mv(what, what));
	answer_end(m);
}

static void
put_text(struct buf *b, struct buf *text)
{
	buf_puts(b, "{\"type\": \"text\"");
	json_plain(b, "text", buf_str(text));
	buf_putc(b, '}');
}

/* What a tool wrote, and its messages. */
static void
answer_tool(struct mcp *m, struct buf *out, bool failed)
{
	struct buf *b = answer_begin(m, "result");

	if (failed && out->len == 0 && m->said.len == 0)
		buf_puts(&m->said, "the report ended without a message");
	buf_puts(b, "\"content\": [");
	if (out->len > 0)
		put_text(b, out);
	if (out->len > 0 && m->said.len > 0)
		buf_puts(b, ", ");
	if (m->said.len > 0)
		put_text(b, &m->said);
	buf_putc(b, ']');
	json_bool(b, "isError", failed);
	answer_end(m);
}

static void
do_initialize(struct mcp *m, int params)
{
	int v = params > 0 ? json_get(&m->in, params, "protocolVersion") : -1;
	struct buf *b = answer_begin(m, "result");

	json_word(b, "protocolVersion",
	    v > 0 && json_is(&m->in, v, "2024-11-05") ? "2024-11-05"
						      : "2025-06-18");
	buf_puts(b, ", \"capabilities\": {\"tools\": {}}, "
		    "\"serverInfo\": {\"name\": \"dlp\", \"version\": "
		    "\"" DLP_VERSION "\"}");
	answer_end(m);
}

/* The path of a file below the folder; a link is followed first. */
static bool
add_file(struct mcp *m, int i, struct command *c)
{
	char real[PATH_MAX];
	const char *wrong = NULL;
	struct buf path = { 0 }, name = { 0 };
	size_t n = strlen(m->folder);
	struct stat st;

	if (*take(&m->in, i, &name) != '/')
		buf_printf(&path, "%s/", m->folder);
	buf_put(&path, name.s, name.len);
	if (realpath(buf_str(&path), real) == NULL)
		wrong = strerror(errno);
	else if (strncmp(real, m->folder, n) != 0 ||
		 (real[n] != '\0' && real[n] != '/' && n > 1))
		wrong = "leads elsewhere";
	else if (stat(real, &st) != 0 || !S_ISREG(st.st_mode))
		wrong = "not a file";
	else
		add_word(c, real, strlen(real));
	if (wrong != NULL)
		buf_printf(&m->said, "'%s': %s; profiles are files below %s",
		    buf_str(&name), wrong, m->folder);
	buf_free(&path);
	buf_free(&name);
	return wrong == NULL;
}

/* The words of an option; false if the value is of another type. */
static bool
add_option(struct mcp *m, int schema, int value, struct command *c)
{
	const struct json_doc *t = &m->tools, *in = &m->in;
	int type = json_get(t, schema, "type");
	struct mview name = json_raw(t, json_get(t, schema, "x-option"));
	bool yes = json_is(in, value, "true");
	struct buf b = { 0 };
	int64_t n;

	if (json_is(t, type, "boolean")) {
		if (yes)
			add_word(c, name.s, name.n);
		return json_type(in, value) == JSON_WORD &&
		       (yes || json_is(in, value, "false"));
	}
	if (json_is(t, type, "integer")
		? !json_i64(in, value, &n)
		: json_type(in, value) != JSON_STRING || json_is(in, value, ""))
		return false;
	buf_put(&b, name.s, name.n);
	buf_puts(&b, name.n > 2 ? "=" : "");
	json_unescape(in, value, &b);
	add_word(c, b.s, b.len);
	buf_free(&b);
	return true;
}

/* False if something is wrong: it has been answered, or is in m->said. */
static bool
make_command(struct mcp *m, int tool, int args, struct command *c)
{
	const struct json_doc *t = &m->tools, *in = &m->in;
	int schema = json_get(t, tool, "inputSchema"), k, p, v;
	int props = json_get(t, schema, "properties");
	int required = json_get(t, schema, "required");
	int run = json_get(t, json_get(t, tool, "_meta"), "run");
	const char *wrong = NULL;
	struct buf key = { 0 };

	add_word(c, "sh", 2);
	add_word(c, m->dlp, strlen(m->dlp));
	for (k = run + 1; k < json_next(t, run); k = json_next(t, k))
		add_word(c, json_raw(t, k).s, json_raw(t, k).n);
	for (k = args + 1; args > 0 && wrong == NULL && k < json_next(in, args);
	     k = json_next(in, k + 1)) {
		p = json_get(t, props, take(in, k, &key));
		if (p < 0)
			wrong = "no such argument: ";
		else if (json_get(t, p, "x-file") < 0 &&
			 !add_option(m, p, k + 1, c))
			wrong = "a value of the wrong type, or empty: ";
		if (wrong != NULL)
			answer_error(m, -32602, wrong, k);
	}
	add_word(c, "--", 2);
	for (k = required + 1; wrong == NULL && k < json_next(t, required);
	     k++) {
		v = args > 0 ? json_get(in, args, take(t, k, &key)) : -1;
		if (v < 0 || json_type(in, v) != JSON_STRING) {
			wrong = "the name of a profile is needed";
			answer_error(m, -32602, wrong, 0);
		} else if (!add_file(m, v, c)) {
			wrong = m->said.s;
		}
	}
	buf_free(&key);
	return wrong == NULL;
}

static void
read_all(int fd, struct buf *b)
{
	ssize_t n = 1;

	for (; n > 0 && b->len <= MOST_BYTES; b->len += n > 0 ? (size_t)n : 0) {
		buf_reserve(b, 65536);
		n = read(fd, b->s + b->len, 65536);
	}
}

/* Runs it, and answers with its output. */
static void
do_command(struct mcp *m, const struct command *c)
{
	struct buf out = { 0 };
	FILE *err = tmpfile();
	int to[2], status = -1, i, none;
	pid_t pid;
	char *argv[MOST_WORDS];

	if (err == NULL || pipe(to) != 0 || (pid = fork()) < 0)
		die_errno("a report cannot be started");
	if (pid == 0) {
		/* In the new process. */
		none = open("/dev/null", O_RDONLY);
		for (i = 0; i < c->n; i++)
			argv[i] = c->text.s + c->at[i];
		argv[i] = NULL;
		if (none >= 0 && dup2(none, 0) == 0 && dup2(to[1], 1) == 1 &&
		    dup2(fileno(err), 2) == 2)
			execv("/bin/sh", argv);
		_exit(127);
	}
	close(to[1]);
	read_all(to[0], &out);
	close(to[0]); /* a report that goes on ends by that */
	if (out.len > MOST_BYTES) {
		buf_clear(&out);
		buf_puts(&m->said, "more than 1 MiB: ask for fewer rows");
	}
	waitpid(pid, &status, 0); /* no signal is caught */
	rewind(err);
	if (m->said.len == 0)
		read_all(fileno(err), &m->said);
	fclose(err);
	answer_tool(
	    m, &out, !WIFEXITED(status) || WEXITSTATUS(status) > EXIT_GATE);
	buf_free(&out);
}

static void
do_call(struct mcp *m, int params)
{
	const struct json_doc *t = &m->tools, *in = &m->in;
	int name = params > 0 ? json_get(in, params, "name") : -1, i = 1;
	int args = params > 0 ? json_get(in, params, "arguments") : -1;
	struct command c = { 0 };
	struct buf word = { 0 };

	if (name > 0 && json_type(in, name) == JSON_STRING)
		take(in, name, &word);
	else
		name = 0;
	while (i < t->n && !json_is(t, json_get(t, i, "name"), buf_str(&word)))
		i = json_next(t, i);
	buf_clear(&m->said);
	if (i >= t->n)
		answer_error(m, -32602,
		    name > 0 ? "no such tool: " : "which tool? tools/list",
		    name);
	else if (args > 0 && json_type(in, args) != JSON_OBJECT)
		answer_error(m, -32602, "arguments is not an object", 0);
	else if (make_command(m, i, args, &c))
		do_command(m, &c);
	else if (m->said.len > 0)
		answer_tool(m, &(struct buf){ 0 }, true);
	buf_free(&word);
	buf_free(&c.text);
}

static void
do_request(struct mcp *m, const char *s, size_t n)
{
	struct json_doc *in = &m->in;
	int method, version, params;

	m->id = 0;
	if (n > MOST_BYTES || !json_valid(s, n) ||
	    !json_parse(in, s, n, MOST_TOKENS)) {
		answer_error(m, -32700, "not JSON, or too much of it", 0);
		return;
	}
	m->id = json_get(in, 0, "id");
	if (m->id > 0 && json_type(in, m->id) != JSON_STRING &&
	    !json_is_num(json_raw(in, m->id).s, json_raw(in, m->id).n))
		m->id = 0;
	version = json_get(in, 0, "jsonrpc");
	method = json_get(in, 0, "method");
	params = json_get(in, 0, "params");
	if (version < 0 || !json_is(in, version, "2.0") || method < 0 ||
	    json_type(in, method) != JSON_STRING)
		answer_error(m, -32600, "not a request of JSON-RPC", 0);
	else if (m->id <= 0)
		return; /* notifications get no answer */
	else if (json_is(in, method, "initialize"))
		do_initialize(m, params);
	else if (json_is(in, method, "tools/call"))
		do_call(m, params);
	else if (json_is(in, method, "tools/list")) {
		json_name(answer_begin(m, "result"), "tools");
		buf_put(&m->answer, m->list.s, m->list.len);
		answer_end(m);
	} else if (json_is(in, method, "ping")) {
		answer_begin(m, "result");
		answer_end(m);
	} else {
		answer_error(m, -32601, "no such method: ", method);
	}
}

int
main(int argc, char **argv)
{
	static struct mcp m;
	struct lines in = { 0 };
	const char *s;
	size_t n;

	cli_init("dlp-mcp");
	cli_options(argc, argv, NULL);
	if (argc - optind < 2 || argc - optind > 3)
		cli_usage();
	m.dlp = argv[optind];
	if (realpath(argv[optind + 1], m.folder) == NULL)
		die_errno("%s", argv[optind + 1]);
	for (s = shipped_text("tools.json"); *s != '\0'; s++)
		if (*s != '\n') /* it becomes part of a line */
			buf_putc(&m.list, *s);
	if (!json_parse(&m.tools, m.list.s, m.list.len, MOST_TOKENS))
		die("tools.json: not JSON");
	lines_open(&in, argv[optind + 2]);
	while (lines_next(&in, &s, &n))
		if (n > 0)
			do_request(&m, s, n);
	return EXIT_OK;
}
