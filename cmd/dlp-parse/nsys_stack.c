/*
 * The call stacks of Nsight Systems: of CUDA calls (--cudabacktrace), of calls
 * of the operating system, and of samples of the CPU; and those of Python,
 * which are the JSON payload of NVTX marks in two domains of its own.
 *
 * A stack is read when its record is written, so that none is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "json_tok.h"
#include "nsys.h"
#include "profile.h"
#include "schema.h"
#include "usercode.h"

#define CLASS_TWIN 67    /* a call's second row, which has the stack */
#define MOST_TOKENS 8192 /* of a stack in JSON */
#define MOST_FRAMES 256

static const char *const tables[STACK_TABLES] = {
	[STACK_CUDA] = "CUDA_CALLCHAINS",
	[STACK_OS] = "OSRT_CALLCHAINS",
	[STACK_SAMPLE] = "SAMPLING_CALLCHAINS",
};

/* The frames of a stack, innermost first. */
static sqlite3_stmt *
frames_of(struct nsys *ns, enum stack_table t, int64_t id)
{
	sqlite3_stmt **st = &ns->stack.frames[t];

	if (*st == NULL)
		*st = db_prepare(ns->db,
		    "SELECT s.value, m.value FROM %s AS c"
		    " LEFT JOIN StringIds AS s ON s.id = c.symbol"
		    " LEFT JOIN StringIds AS m ON m.id = c.module"
		    " WHERE c.id = ?1 ORDER BY c.stackDepth LIMIT %d",
		    tables[t], MOST_FRAMES);
	sqlite3_bind_int64(*st, 1, id + ns->stack.shift[t]);
	return *st;
}

static bool
has_stacks(struct nsys *ns, enum stack_table t)
{
	static const char *const need[] = { "id", "symbol", "module",
		"stackDepth", NULL };

	return db_has_columns(ns->db, tables[t], need) && ns->string != NULL;
}

static struct mview
text_col(sqlite3_stmt *st, int i)
{
	uint32_t n = 0;
	const char *s = db_text(sqlite3_column_value(st, i), &n);

	return (struct mview){ s, n };
}

/* "step (train.so)", the innermost frame that is not CUDA's: functions of it
 * that the compiler puts into the user's own program are the runtime library,
 * wrappers in its headers and stubs of kernels. A native frame has no line. */
static bool
native_code(struct nsys *ns, enum stack_table t, int64_t id, struct buf *out)
{
	static const char *const cudas[] = { "cuda", "__cuda",
		"__device_stub__", "0x" };
	sqlite3_stmt *st;
	struct mview symbol, module;
	bool found = false;
	size_t i;

	if (!has_stacks(ns, t))
		return false;
	st = frames_of(ns, t, id);
	while (!found && db_step(st)) {
		symbol = text_col(st, 0);
		module = text_col(st, 1);
		found = symbol.s != NULL && module.s != NULL;
		for (i = 0; found && i < ARRAY_LEN(cudas); i++)
			found = !mv_starts(symbol, cudas[i]);
		found = found && usercode_is_own(module);
	}
	if (found) {
		module = usercode_base(module);
		buf_put(out, symbol.s, symbol.n);
		buf_puts(out, " (");
		buf_put(out, module.s, module.n);
		buf_putc(out, ')');
	}
	sqlite3_reset(st);
	return found;
}

/*
 * Python: {"Python Backtrace on CUDA": {"Frames": [{"Function": 55, "File": 56,
 * "Line": 7}, ...]}}, innermost first. Numbers of texts are ids of strings,
 * whose < and > are written as in HTML; older exports have the texts, and no
 * object around.
 */

struct nsys_frame { /* tokens; 0 or less: not there */
	int function, file, line;
};

static int
py_frames(struct nsys *ns, const char *s, size_t n, struct nsys_frame *v)
{
	struct json_doc *j = &ns->stack.json;
	int i, k, count = 0;

	if (!json_parse(j, s, n, MOST_TOKENS))
		return 0;
	i = json_get(j, 0, "Frames");
	if (i <= 0 && j->n > 2 && json_type(j, 0) == JSON_OBJECT)
		i = json_get(j, 2, "Frames"); /* of the first value */
	if (i <= 0 || json_type(j, i) != JSON_ARRAY)
		return 0;
	for (k = i + 1; k < json_next(j, i) && count < MOST_FRAMES;
	     k = json_next(j, k)) {
		if (json_type(j, k) != JSON_OBJECT)
			continue;
		v[count].function = json_get(j, k, "Function");
		v[count].file = json_get(j, k, "File");
		v[count++].line = json_get(j, k, "Line");
	}
	return count;
}

/* The text of a token; valid until the next call. */
static struct mview
py_text(struct nsys *ns, int token)
{
	static const struct {
		const char *from;
		char to;
	} html[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' },
		{ "&amp;", '&' } };
	struct buf *b = &ns->stack.text;
	size_t i, k, to = 0;
	int64_t id;

	buf_clear(b);
	if (token <= 0)
		return (struct mview){ b->s, 0 };
	if (!json_i64(&ns->stack.json, token, &id)) {
		json_unescape(&ns->stack.json, token, b);
		return (struct mview){ b->s, b->len };
	}
	nsys_string(ns, id, b);
	for (i = 0; i < b->len; b->s[to++] = b->s[i++])
		for (k = 0; b->s[i] == '&' && k < ARRAY_LEN(html); k++)
			if (text_starts(b->s + i, b->len - i, html[k].from)) {
				i += strlen(html[k].from) - 1;
				b->s[i] = html[k].to;
				break;
			}
	b->len = to;
	return (struct mview){ b->s, b->len };
}

/* "train.py:123 step" */
static void
put_py(struct nsys *ns, struct buf *out, const struct nsys_frame *f)
{
	struct mview part = usercode_base(py_text(ns, f->file));

	buf_put(out, part.s, part.n);
	buf_putc(out, ':');
	if (f->line > 0) {
		part = json_raw(&ns->stack.json, f->line);
		buf_put(out, part.s, part.n);
	}
	buf_putc(out, ' ');
	part = py_text(ns, f->function);
	buf_put(out, part.s, part.n);
}

/* Calls to their stacks: by the key of the call, or by its thread and start. */

/* Of 24 and 32 bits. */
static uint64_t
call_key(int64_t pid, int64_t corr)
{
	return (uint64_t)pid << 40 ^ (uint64_t)corr;
}

struct call_start { /* the key of a map */
	int64_t gid, start;
};

static void
read_calls(struct nsys *ns, struct smap *starts)
{
	static const char table[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
	static const char *const names[] = { "globalTid", "correlationId",
		"callchainId", "start", NULL };
	sqlite3_stmt *st;
	struct call_start at;
	uint64_t key;
	uint32_t i;

	if (!db_has_columns(ns->db, table, names))
		return;
	/* exports of 2022 count the stacks of calls from 0 where they are used,
	 * and from 1 in their own table */
	if (db_number(ns->db, "SELECT min(id) FROM %s", tables[STACK_CUDA]) ==
		1 &&
	    db_number(ns->db, "SELECT min(callchainId) FROM %s", table) == 0)
		ns->stack.shift[STACK_CUDA] = 1;
	st = db_rows(
	    ns->db, table, "start", names, "WHERE callchainId IS NOT NULL");
	while (db_next(&st)) {
		at = (struct call_start){ db_i64(st, 0), db_i64(st, 3) };
		if (at.gid == EV_UNSET || db_i64(st, 1) == EV_UNSET)
			continue;
		key = call_key(gid_pid(at.gid), db_i64(st, 1));
		*map_put(&ns->stack.of_call, key, NULL) =
		    (uint64_t)db_i64(st, 2);
		i = smap_put(starts, (const char *)&at, sizeof(at), NULL);
		starts->val[i] = key;
	}
}

/* Which column has the stacks of Python; NULL: none was exported. */
static const char *
json_column(struct nsys *ns)
{
	static const char *const cols[] = { "jsonTextId", "jsonText" };
	char *name = nsys_value(ns, "NVTX_PAYLOAD_SCHEMAS",
	    "SELECT name FROM NVTX_PAYLOAD_SCHEMAS WHERE name LIKE ?1",
	    "Python %");
	size_t i;

	if (name == NULL)
		return NULL;
	free(name);
	for (i = 0; i < ARRAY_LEN(cols); i++)
		if (db_has_column(ns->db, "NVTX_EVENTS", cols[i]) &&
		    db_number(ns->db,
			"SELECT 1 FROM NVTX_EVENTS WHERE eventType = 34 AND"
			" %s IS NOT NULL",
			cols[i]) == 1)
			return cols[i];
	ns->stack.py_lost = true;
	return NULL;
}

static bool
py_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!source_row(ctx, s, col, ev))
		return false;
	ev->end = EV_UNSET;
	return true;
}

static const struct ev_table native_samples = { EV_SAMPLE, "COMPOSITE_EVENTS",
	source_row, "cpu",
	{ C_TO("id", AS_NUM, stack), C_SPAN, C_AS("globalTid", AS_THREAD) } };
static const struct ev_table py_samples = { EV_SAMPLE, "NVTX_EVENTS", py_row,
	"python",
	{ C_NONE("domainId"), C_SPAN, C_AS("globalTid", AS_THREAD),
	    C_TO("rowid", AS_NUM, stack) } };

static void
add_py_samples(struct nsys *ns)
{
	struct ev_source *s = nsys_source(ns, &py_samples);

	if (s == NULL)
		return;
	s->cols = "domainId, start, end, globalTid, rowid";
	s->where = source_sql(s->of,
	    "eventType = 34 AND %s IS NOT NULL AND domainId IN (SELECT domainId"
	    " FROM NVTX_PAYLOAD_SCHEMAS WHERE name LIKE 'Python%%Sampling')",
	    ns->stack.json_col);
}

void
nsys_add_stacks(struct nsys *ns)
{
	struct smap starts = { 0 };
	sqlite3_stmt *st;
	struct call_start at;
	uint32_t i;

	if (ns->prof->run->no_code)
		return;
	ns->stack.json_col = json_column(ns);
	if (has_stacks(ns, STACK_CUDA))
		read_calls(ns, &starts);
	if (ns->stack.json_col != NULL) {
		/* What begins when the call does, on its thread, is the call's.
		 */
		st = db_prepare(ns->db,
		    "SELECT rowid, globalTid, start FROM NVTX_EVENTS"
		    " WHERE eventType = 34 AND %s IS NOT NULL",
		    ns->stack.json_col);
		while (db_next(&st)) {
			at =
			    (struct call_start){ db_i64(st, 1), db_i64(st, 2) };
			i = smap_find(&starts, (const char *)&at, sizeof(at));
			if (i < starts.n)
				*map_put(&ns->stack.py_call, starts.val[i],
				    NULL) = (uint64_t)db_i64(st, 0);
		}
		add_py_samples(ns);
	}
	smap_free(&starts);
	if (has_stacks(ns, STACK_SAMPLE))
		nsys_source(ns, &native_samples);
}

/* The JSON of a row of NVTX_EVENTS; valid until the statement is reset. */
static struct mview
json_of(struct nsys *ns, int64_t row)
{
	sqlite3_stmt **st = &ns->stack.payload;
	struct mview none = { NULL, 0 };

	if (*st == NULL)
		*st = db_prepare(ns->db,
		    strcmp(ns->stack.json_col, "jsonText") == 0
			? "SELECT jsonText FROM NVTX_EVENTS WHERE rowid = ?1"
			: "SELECT (SELECT value FROM StringIds WHERE id ="
			  " n.jsonTextId) FROM NVTX_EVENTS AS n"
			  " WHERE rowid = ?1");
	sqlite3_bind_int64(*st, 1, row);
	return db_step(*st) ? text_col(*st, 0) : none;
}

/* The first frame that is the user's own. */
static bool
py_code_of(struct nsys *ns, int64_t row, struct buf *out)
{
	struct nsys_frame v[MOST_FRAMES];
	struct mview s = json_of(ns, row);
	int i, n = s.s != NULL ? py_frames(ns, s.s, s.n, v) : 0;

	for (i = 0; i < n && !usercode_is_own(py_text(ns, v[i].file)); i++)
		;
	if (i < n)
		put_py(ns, out, &v[i]);
	sqlite3_reset(ns->stack.payload);
	return i < n;
}

unsigned
nsys_has_code(void *ctx)
{
	struct nsys *ns = ctx;
	unsigned of = 0;

	if (ns->stack.of_call.n > 0 || ns->stack.py_call.n > 0)
		of |= CODE_CALLS;
	if (has_stacks(ns, STACK_OS) &&
	    db_has_column(ns->db, "OSRT_API", "callchainId"))
		of |= CODE_OS;
	return of;
}

/* Python's line is where a program in Python is; native frames tell of others.
 */
bool
nsys_code(void *ctx, const struct event *ev, struct buf *out)
{
	struct nsys *ns = ctx;
	const uint64_t *v;
	uint64_t key;

	if (ev->kind == EV_SAMPLE)
		return strcmp(ev->label, "python") == 0
			   ? py_code_of(ns, ev->stack, out)
			   : native_code(ns, STACK_SAMPLE, ev->stack, out);
	if (ev->kind == EV_OS)
		return ev->stack != EV_UNSET &&
		       native_code(ns, STACK_OS, ev->stack, out);
	if (ev->pid == EV_UNSET || ev->corr == EV_UNSET)
		return false;
	key = call_key(ev->pid, ev->corr);
	v = map_get(&ns->stack.py_call, key);
	if (v != NULL && py_code_of(ns, (int64_t)*v, out))
		return true;
	v = map_get(&ns->stack.of_call, key);
	return v != NULL && native_code(ns, STACK_CUDA, (int64_t)*v, out);
}

/* Frames are joined by semicolons, the outermost first; none is in a name. */
bool
nsys_stack(void *ctx, const struct event *ev, struct buf *out)
{
	struct nsys *ns = ctx;
	struct nsys_frame v[MOST_FRAMES];
	size_t from[MOST_FRAMES + 1], k;
	struct buf b = { 0 };
	sqlite3_stmt *st;
	struct mview s, symbol, module;
	int i, n = 0;

	if (strcmp(ev->label, "python") == 0) {
		s = json_of(ns, ev->stack);
		n = s.s != NULL ? py_frames(ns, s.s, s.n, v) : 0;
		for (i = 0; i < n; i++) {
			from[i] = b.len;
			put_py(ns, &b, &v[i]);
		}
		sqlite3_reset(ns->stack.payload);
	} else {
		st = frames_of(ns, STACK_SAMPLE, ev->stack);
		for (; n < MOST_FRAMES && db_step(st); n++) {
			from[n] = b.len;
			/* Appends the frame that a row of frames_of() has. */
			symbol = text_col(st, 0);
			module = usercode_base(text_col(st, 1));
			if (symbol.s != NULL && !mv_starts(symbol, "0x")) {
				buf_put(&b, symbol.s, symbol.n);
			} else if (module.n > 0 && module.s[0] == '[') {
				buf_put(&b, module.s, module.n);
			} else { /* an address says nothing, its module does */
				buf_putc(&b, '[');
				buf_put(&b, module.s, module.n);
				buf_putc(&b, ']');
			}
		}
		sqlite3_reset(st);
	}
	from[n] = b.len;
	for (k = 0; k < b.len; k++)
		if (b.s[k] == ';')
			b.s[k] = ':';
	buf_clear(out);
	for (i = n; i-- > 0;) {
		if (out->len > 0)
			buf_putc(out, ';');
		buf_put(out, b.s + from[i], from[i + 1] - from[i]);
	}
	buf_free(&b);
	return n > 0;
}

void
nsys_close_stacks(struct nsys *ns)
{
	int i;

	for (i = 0; i < STACK_TABLES; i++)
		sqlite3_finalize(ns->stack.frames[i]);
	sqlite3_finalize(ns->stack.payload);
	map_free(&ns->stack.of_call);
	map_free(&ns->stack.py_call);
	json_free(&ns->stack.json);
	buf_free(&ns->stack.text);
}
