/*
 * The loader of torch.profiler's traces: a file, its header, and the trace that
 * --capture names. kineto_rows.c takes the events.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "err.h"
#include "json_tok.h"
#include "kineto.h"
#include "num.h"
#include "pftrace.h"
#include "schema.h"
#include "sqldb.h"

#define HEAD_TOKENS (1u << 17) /* those of 4000 devices */

static void
load_devices(struct kineto *k, const char *s, size_t n)
{
	struct json_doc doc = { 0 };
	int t;

	smap_free(&k->devs);
	if (!json_parse(&doc, s, n, HEAD_TOKENS))
		warn("%s: deviceProperties has more than %u values: the"
		     " devices are unknown",
		    db_path(), HEAD_TOKENS);
	for (t = 1; t < doc.n; t = json_next(&doc, t))
		smap_put(
		    &k->devs, json_raw(&doc, t).s, json_raw(&doc, t).n, NULL);
	json_free(&doc);
}

/* Other files in JSON that PyTorch writes, by a key of theirs. */
static const char *const lookalikes[][2] = {
	{ "device_traces", "a snapshot of PyTorch's memory" },
	{ "pg_config", "a flight record of NCCL" },
	{ "nodes", "an execution trace (ExecutionTraceObserver)" },
};

/* A key that is there twice counts as it is the last time. */
static void
load_head(void *ctx, struct mview key, struct mview value)
{
	static const char *const heads[KH_N] = {
		[KH_SCHEMA] = "schemaVersion",
		[KH_CUDA] = "cuda_driver_version",
		[KH_HIP] = "hip_runtime_version",
		[KH_HIP_DRIVER] = "hip_driver_version",
		[KH_RANK] = "distributedInfo",
		[KH_SHAPES] = "record_shapes",
		[KH_MEMORY] = "profile_memory",
		[KH_STACK] = "with_stack",
	};
	struct kineto_loader *l = ctx;
	struct kineto *k = l->k;
	int i;

	if (l->capture != EV_UNSET)
		return;
	if (mv_eq(key, "baseTimeNanoseconds") &&
	    !num_i64(value.s, value.n, &k->base))
		k->base = EV_UNSET;
	else if (mv_eq(key, "deviceProperties"))
		load_devices(k, value.s, value.n);
	for (i = 0; i < (int)ARRAY_LEN(lookalikes); i++)
		if (mv_eq(key, lookalikes[i][0]))
			k->looks = lookalikes[i][1];
	for (i = 0; i < KH_N; i++)
		if (mv_eq(key, heads[i])) {
			buf_clear(&k->head[i]);
			buf_put(&k->head[i], value.s, value.n);
		}
}

/* Says what was left out that a reader would miss. */
static void
warn_left_out(const struct kineto *k, const char *name)
{
	if (k->foreign > 0)
		warn("%s: events of accelerators other than CUDA's and ROCm's"
		     " are left out, such as %s: %llu",
		    name, k->foreign_cat, (unsigned long long)k->foreign);
	if (k->odd_pid[0] != '\0')
		warn("%s: events are left out whose process is not a number, "
		     "such"
		     " as %s: of several traces that were put together, give"
		     " each alone",
		    name, k->odd_pid);
}

/* Fatal if there are events, but none that is read. */
static void
refuse_others(const struct kineto *k, const char *name, bool proto)
{
	if (k->first != EV_UNSET || k->breaks > 0)
		return;
	if (k->bad > 0 && k->other == 0)
		die("%s: JSON, but not a trace of torch.profiler: none of its"
		    " %llu elements is an event with a time",
		    name, (unsigned long long)k->bad);
	if (k->other > 0 || proto)
		die("%s: a trace in %s format, but not torch.profiler's%s:"
		    " none of its %llu events is one of GPU work, calls or"
		    " ops; record the program with torch.profiler, nsys"
		    " profile -t cuda,nvtx or dlp-record",
		    name, proto ? "Perfetto's" : "Chrome's",
		    proto ? " or rocprofv3's" : "",
		    (unsigned long long)k->other);
}

static void
load_json(struct kineto_loader *l, const char *name, int fd,
    const unsigned char *head, size_t n)
{
	struct kineto *k = l->k;
	struct kineto_scan scan = {
		.name = name,
		.ev = &l->ev,
		.event = kineto_rows_take,
		.head = load_head,
		.ctx = l,
		.resync = k->wish->resync,
	};
	bool whole = unpack_to(zip_kind(head, n), name, fd, head, n,
	    k->wish->resync, kineto_scan_feed, &scan);

	kineto_scan_end(&scan);
	if (!whole && scan.breaks == 0)
		scan.breaks++;
	if (scan.events_depth == 0 && k->looks != NULL)
		die("%s: %s, not a trace of torch.profiler: give the file that"
		    " export_chrome_trace() wrote",
		    name, k->looks);
	if (scan.events_depth == 0)
		die("%s: JSON, but not a trace of torch.profiler: it has no"
		    " traceEvents",
		    name);
	k->lost += scan.lost;
	k->breaks += scan.breaks;
	if (l->capture == EV_UNSET)
		k->bad += scan.odd;
	refuse_others(k, name, false);
}

static void
load_pftrace(struct kineto_loader *l, const char *name, int fd,
    const unsigned char *head, size_t n)
{
	struct kineto *k = l->k;
	struct pftrace *p = xcalloc(1, sizeof(*p));
	bool whole;

	p->name = name;
	p->l = l;
	p->tape = TAPE_NEW;
	whole = unpack_to(zip_kind(head, n), name, fd, head, n, k->wish->resync,
	    pftrace_feed, p);
	whole = pftrace_end(p) && whole;
	k->breaks += !whole;
	refuse_others(k, name, true);
	free(p);
}

enum trace_kind { TRACE_NONE, TRACE_JSON, TRACE_PROTO };

static enum trace_kind
trace_kind(const char *name, const unsigned char *head, size_t n)
{
	unsigned char s[4096];
	enum zip zip = zip_kind(head, n);

	if (zip != ZIP_NONE) {
		n = zip_peek(zip, head, n, s, sizeof(s));
		head = s;
	}
	if (head_is_json(head, n)) {
		refuse_known(name, "", head, n); /* JSON of others */
		return TRACE_JSON;
	}
	return head_is_pftrace(head, n) ? TRACE_PROTO : TRACE_NONE;
}

/* Loads the events of a file. capture: as in struct kineto_loader. */
static void
load_file(struct kineto *k, const char *name, int fd, const unsigned char *head,
    size_t n, int64_t capture)
{
	struct kineto_loader *l = xcalloc(1, sizeof(*l));

	l->k = k;
	l->capture = capture;
	kineto_rows_open(l);
	if (trace_kind(name, head, n) == TRACE_JSON)
		load_json(l, name, fd, head, n);
	else
		load_pftrace(l, name, fd, head, n);
	warn_left_out(k, name);
	kineto_rows_close(l);
	free(l);
}

/* Loads a trace in which graphs were captured, as if it came right before all
 * that was loaded. */
static void
load_captures(struct kineto *k, struct infile *in, const char *path)
{
	static const char next[] = "SELECT ifnull(max(rowid), 0) + 1 FROM %s";
	int64_t op = db_number(k->db, next, "kineto_op");
	int64_t call = db_number(k->db, next, "kineto_call");
	int64_t pid = kineto_launcher(k);
	unsigned char head[HEAD_SIZE];
	size_t n;
	int fd;

	if (pid == EV_UNSET)
		die("--capture: %s launches no CUDA graph", db_path());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno("%s", path);
	n = head_read(in, path, fd, head, sizeof(head));
	if (trace_kind(path, head, n) == TRACE_NONE)
		die("--capture: %s is not a trace of torch.profiler", path);
	k->begin = k->first;
	load_file(k, path, fd, head, n, pid);
	close(fd);
	kineto_move_before(k, op, call);
}

static struct kineto *
kineto_load(struct infile *in, const char *name, int fd,
    const unsigned char *head, size_t n, const struct kineto_wish *wish)
{
	struct kineto *k = xcalloc(1, sizeof(*k));
	int64_t first;
	int i;

	k->base = k->first = k->dev = k->group = EV_UNSET;
	k->wish = wish;
	kineto_ok(k, sqldb_temp(&k->db));
	load_file(k, name, fd, head, n, EV_UNSET);
	kineto_link(k);
	if (wish->python)
		kineto_make_samples(k);
	first = k->first;
	for (i = 0; i < wish->ncapture; i++)
		load_captures(k, in, wish->capture[i]);
	k->begin = first;
	if (kineto_join_graphs(k) > 0 || wish->ncapture == 0) {
		if (k->graph.differs.len > 0)
			warn("%s: some graphs were not captured so: %s", name,
			    buf_str(&k->graph.differs));
		return k;
	}
	if (k->graph.differs.len > 0)
		die("--capture: %s: %s", name, buf_str(&k->graph.differs));
	if (k->graph.several > 0)
		die("--capture: several captures have as much work of each kind"
		    " as a launch in %s, so it is unknown which one it is of",
		    name);
	die("--capture: no launch of a graph in %s has as much work of each"
	    " kind as a capture in %s, so they are not of the same graphs",
	    name, wish->capture[0]);
}

/* The same for a file that was unpacked to look for a .dict. Not inlined, as
 * open_other() in infile.c. */
__attribute__((noinline)) static struct kineto *
begin_unpacked(
    struct infile *in, const char *name, const struct kineto_wish *wish)
{
	unsigned char head[HEAD_SIZE];
	struct kineto *k = NULL;
	size_t n;
	int fd = open(in->unpacked, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL; /* infile_open() reports the error */
	n = head_read(in, name, fd, head, sizeof(head));
	if (trace_kind(name, head, n) != TRACE_NONE) {
		k = kineto_load(in, name, fd, head, n, wish);
		infile_forget(in);
	}
	close(fd);
	return k;
}

/* Not inlined either. */
__attribute__((noinline)) static struct kineto *
begin_file(struct infile *in, const char *path, int fd, const struct stat *st,
    const struct kineto_wish *wish)
{
	const char *name = head_name(path);
	unsigned char head[HEAD_SIZE];
	size_t n = head_read(in, name, fd, head, sizeof(head));
	struct kineto *k;

	if (trace_kind(name, head, n) != TRACE_NONE) {
		k = kineto_load(in, name, fd, head, n, wish);
		head_close(fd);
		return k;
	}
	if (fd == STDIN_FILENO || !S_ISREG(st->st_mode))
		head_push(in, path, fd, head, n);
	else
		head_close(fd);
	return NULL;
}

struct kineto *
kineto_begin(
    struct infile *in, const char *path, const struct kineto_wish *wish)
{
	unsigned char db[DB_HEAD_SIZE];
	struct stat st;
	int fd;

	if (in->unpacked != NULL)
		return begin_unpacked(in, head_name(path), wish);
	fd = head_open(in, path);
	if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode) ||
	    (fd != STDIN_FILENO && head_of_database(fd, &st, db))) {
		head_close(fd);
		return NULL; /* infile_open() reports the error */
	}
	return begin_file(in, path, fd, &st, wish);
}

void
kineto_free(void *ctx)
{
	struct kineto *k = ctx;
	int i;

	smap_free(&k->texts);
	smap_free(&k->devs);
	smap_free(&k->threads);
	map_free(&k->procs);
	smap_free(&k->called);
	smap_free(&k->flows);
	free(k->callers);
	for (i = 0; i < KH_N; i++)
		buf_free(&k->head[i]);
	buf_free(&k->text);
	buf_free(&k->graph.differs);
	kineto_stack_free(k);
	free(k);
}
