/*
 * Writes a profile of a made-up training run in the schema of Nsight Systems
 * 3.20: a convolutional network under emit_nvtx with shapes, forward and
 * optimizer on the main thread, backward on the autograd thread, kernels that
 * queue on two streams, copies, memory sets, events and a synchronization
 * per step. The same arguments give the same events.
 *
 * usage: gen ROWS FILE [FORM]	about ROWS event rows
 *
 * FORM is what a program may do to those who read its profile:
 *	ops	each step has another batch size: all its ops are new
 *	texts	each step is in a range of its own name: all its layers are new
 *	late	nothing waits for the GPU, which is ever further behind
 *	deep	each step is in a hundred ranges
 *	lost	the calls of every third launch were not recorded
 */
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_model.h"

enum { NVTX, KERN, CALL, COPY, SET, SYNC, N_TABLES };

struct row {
	int64_t start, end;
	int64_t a, b, c, d; /* what the table needs: see put_row */
	char *text;         /* NVTX: at most TEXT_MAX */
};

struct table {
	const char *insert;
	sqlite3_stmt *st;
	struct row *v;
	size_t n, cap;
	int64_t total;
};

#define TEXT_MAX 400
#define PID 4242
#define GLOBAL ((int64_t)1 << 48 | (int64_t)PID << 24)
#define MAIN_TID (GLOBAL | PID)
#define AUTO_TID (GLOBAL | (PID + 37))
#define DEPTH 128

static struct table tables[N_TABLES] = {
	[NVTX] = { .insert = "INSERT INTO NVTX_EVENTS (start, end, eventType,"
			     " text, globalTid, domainId) VALUES"
			     " (?1, ?2, 59, ?7, ?3, 0)" },
	[KERN] = { .insert =
		       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		       " (?1, ?2, 0, 1, 0, ?3, ?4, 281546145660928, ?5,"
		       " ?5 + 1, ?5 + 2, 1, 3, 96, ?6, 1, 1, 128, 1, 1, 0,"
		       " 16896, 0, 250871808, ?4, 135168, NULL, 0)" },
	[CALL] = { .insert = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
			     " (?1, ?2, 0, ?3, ?4, ?5, 0, NULL)" },
	[COPY] = { .insert = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start,"
			     " end, deviceId, contextId, streamId,"
			     " correlationId, globalPid, bytes, copyKind,"
			     " srcKind, dstKind) VALUES (?1, ?2, 0, 1, ?3, ?4,"
			     " 281546145660928, ?5, ?6, 2 * (?6 - 1),"
			     " 4 - 2 * ?6)" },
	[SET] = { .insert = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start,"
			    " end, deviceId, contextId, streamId,"
			    " correlationId, globalPid, value, bytes, memKind)"
			    " VALUES (?1, ?2, 0, 1, ?3, ?4, 281546145660928,"
			    " 0, ?5, 2)" },
	[SYNC] = { .insert = "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
			     " (start, end, deviceId, contextId, streamId,"
			     " correlationId, globalPid, syncType, eventId)"
			     " VALUES (?1, ?2, 0, 1, ?3, ?4, 281546145660928,"
			     " 3, 4294967295)" },
};

static const char *const forms[] = { "plain", "ops", "texts", "late", "deep",
	"lost" };
static enum { PLAIN, OPS, TEXTS, LATE, DEEP, LOST, N_FORMS } form;

static struct {
	int64_t t; /* CPU time */
	int64_t tid;
	int64_t busy[32]; /* by stream: free from then on */
	int64_t corr, op_id, seq;
	uint64_t random;
	size_t open[DEPTH]; /* rows of the open ranges */
	int depth;
} run = { .t = 1200000000, .tid = MAIN_TID, .corr = 400, .op_id = 1 };

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "gen: %s: %s\n", what, why);
	exit(2);
}

/* [0, n) */
static int64_t
dice(int64_t n)
{
	run.random = run.random * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(run.random >> 33) % n;
}

static struct row *
add(int table, int64_t start, int64_t end)
{
	struct table *t = &tables[table];
	struct row *r;

	if (t->n == t->cap) {
		size_t cap = t->cap > 0 ? t->cap * 2 : 1024;

		t->v = realloc(t->v, cap * sizeof(*t->v));
		if (t->v == NULL)
			fail("memory", "none left");
		memset(t->v + t->cap, 0, (cap - t->cap) * sizeof(*t->v));
		t->cap = cap;
	}
	r = &t->v[t->n++];
	r->start = start;
	r->end = end;
	return r;
}

static char *
row_text(struct row *r)
{
	if (r->text == NULL)
		r->text = malloc(TEXT_MAX);
	if (r->text == NULL)
		fail("memory", "none left");
	return r->text;
}

/* Opens a range; the step says what its text is made of. */
static void
range_begin(const struct step *s, const struct layer *l)
{
	struct row *r;

	run.t += 1100 + dice(1000);
	r = add(NVTX, run.t, 0);
	r->a = run.tid;
	step_text(row_text(r), TEXT_MAX, s, l, run.seq + s->seq, run.op_id);
	if (s->kind == OP)
		run.op_id++;
	run.open[run.depth++ % DEPTH] = tables[NVTX].n - 1;
}

static void
range_end(void)
{
	run.t += 400 + dice(300);
	tables[NVTX].v[run.open[--run.depth % DEPTH]].end = run.t;
}

static int64_t
api(int name, int64_t dur)
{
	struct row *r;

	run.t += 300 + dice(400);
	r = add(CALL, run.t, run.t + dur);
	r->a = run.tid;
	r->b = ++run.corr;
	r->c = name;
	run.t = r->end + 100;
	return r->end;
}

/* GPU work begins when its stream is free and the launch has arrived. */
static struct row *
gpu(int table, int stream, int64_t launched, int64_t dur)
{
	int64_t *busy = &run.busy[stream];
	int64_t start = launched + 1500 + dice(500);
	struct row *r;

	if (start < *busy + 700)
		start = *busy + 700;
	*busy = start + dur + dice(dur / 8 + 1);
	r = add(table, start, *busy);
	r->a = stream;
	r->b = run.corr;
	return r;
}

static void
launch(const struct step *s, const struct layer *l)
{
	int stream = s->stream != 0 ? s->stream : 7;
	int64_t end;
	struct row *r;

	if (s->calls > 0) { /* what libraries ask before they launch */
		int i;

		for (i = 0; i < s->calls; i++)
			api(API_ASK, 400);
	}
	if (stream != 7 && run.busy[7] > run.busy[stream])
		run.busy[stream] = run.busy[7];
	end = api(API_LAUNCH, 3500 + dice(1500));
	if (form == LOST && run.corr % 3 == 0)
		tables[CALL].n--;
	r = gpu(
	    KERN, stream, end, layer_time(l, s->cost) * (form == LATE ? 3 : 1));
	r->c = kernel_string(s, l);
	r->d = layer_grid(l);
	if (stream != 7) {
		api(API_RECORD, 700);
		api(API_WAIT, 600);
	}
}

static void
step(const struct step *s, const struct layer *l)
{
	struct row *r;
	int64_t end, b;

	switch (s->kind) {
	case OP:
	case TEXT:
		range_begin(s, l);
		break;
	case POP:
		for (b = s->seq > 0 ? s->seq : 1; b > 0; b--)
			range_end();
		break;
	case KERNEL:
		launch(s, l);
		break;
	case COPY_IN:
	case COPY_OUT:
		end = api(API_COPY, 6000);
		r = gpu(COPY, s->kind == COPY_IN ? 14 : 7, end, s->cost / 12);
		r->c = s->cost;
		r->d = s->kind == COPY_IN ? 1 : 2;
		break;
	case ZERO:
		end = api(API_SET, 3000);
		gpu(SET, 7, end, 1200)->c = layer_weights(l);
		break;
	case WAIT:
		b = run.t + 300;
		end = api(API_SYNC, 1000);
		if (end < run.busy[7] && form != LATE)
			end = run.busy[7] + 2000;
		tables[CALL].v[tables[CALL].n - 1].end = end;
		r = add(SYNC, b, end - 200);
		r->a = 7;
		r->b = run.corr;
		run.t = end + 300;
		break;
	case SEQ:
		run.seq += s->seq;
		break;
	}
}

static void
program(const struct step *s, const struct layer *l)
{
	for (; s->kind != 0 || s->text != NULL; s++)
		step(s, l);
}

/* The ranges around a step that its form asks for. */
static void
around(int64_t number)
{
	struct step s = { .kind = TEXT, .seq = NO_SEQ };
	char text[32];
	int i;

	if (form == OPS)
		batch = 32 + (int)(number % 1000000);
	for (i = 0; i < (form == DEEP ? 100 : form == TEXTS); i++) {
		snprintf(text, sizeof(text), "%s%lld",
		    form == DEEP ? "level " : "sample ",
		    form == DEEP ? (long long)i : (long long)number);
		for (char *p = text; form == TEXTS && *p != '\0'; p++)
			if (*p >= '0' && *p <= '9') /* a number is dropped */
				*p += 'a' - '0';
		s.text = text;
		range_begin(&s, NULL);
	}
}

/* One training step. The sequence numbers of a layer's backward are those
 * of its forward, in reverse. */
static void
iteration(int64_t number)
{
	struct layer l;
	size_t whole;
	int64_t top;
	int i;

	whole = tables[NVTX].n;
	add(NVTX, run.t, 0)->a = MAIN_TID;
	snprintf(row_text(&tables[NVTX].v[whole]), TEXT_MAX, "iteration %lld",
	    (long long)number);
	around(number);
	program(program_load, NULL);
	for (i = 0; i < N_LAYERS; i++) {
		layer_get(&l, i);
		program(l.first ? program_head : program_block, &l);
	}
	program(program_loss, NULL);
	top = run.seq;
	run.tid = AUTO_TID;
	program(program_loss_back, NULL);
	for (i = N_LAYERS - 1; i >= 0; i--) {
		layer_get(&l, i);
		program(l.first ? program_head_back : program_block_back, &l);
	}
	run.tid = MAIN_TID;
	run.seq = top;
	for (i = 0; i < N_LAYERS; i++) {
		layer_get(&l, i);
		program(program_update, &l);
	}
	program(program_item, NULL);
	while (run.depth > 0)
		range_end();
	tables[NVTX].v[whole].end = run.t;
	run.t += 20000;
}

static int
by_start(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void
put_row(struct table *t, const struct row *r)
{
	int64_t v[6] = { r->start, r->end, r->a, r->b, r->c, r->d };
	int i, n = sqlite3_bind_parameter_count(t->st);

	for (i = 0; i < 6 && i < n; i++)
		sqlite3_bind_int64(t->st, i + 1, v[i]);
	if (n >= 7)
		sqlite3_bind_text(t->st, 7, r->text, -1, SQLITE_STATIC);
	if (sqlite3_step(t->st) != SQLITE_DONE)
		fail("insert", sqlite3_errmsg(sqlite3_db_handle(t->st)));
	sqlite3_reset(t->st);
}

/* Every step drains the GPU, so each can be sorted and written alone. */
static int64_t
flush(void)
{
	int64_t total = 0;
	size_t i;
	int k;

	for (k = 0; k < N_TABLES; k++) {
		struct table *t = &tables[k];

		if (k == KERN) /* two streams */
			qsort(t->v, t->n, sizeof(*t->v), by_start);
		for (i = 0; i < t->n; i++)
			put_row(t, &t->v[i]);
		t->total += (int64_t)t->n;
		total += t->total;
		t->n = 0;
	}
	return total;
}

static void
sql(sqlite3 *db, const char *text)
{
	char *why;

	if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
		fail("sql", why);
}

static void
put_strings(sqlite3 *db)
{
	char *text;
	int i;

	for (i = 0; i < n_strings; i++) {
		text = sqlite3_mprintf(
		    "INSERT INTO StringIds VALUES (%d, %Q)", i + 1, strings[i]);
		if (text == NULL)
			fail("memory", "none left");
		sql(db, text);
		sqlite3_free(text);
	}
}

int
main(int argc, char **argv)
{
	int64_t rows, done = 0, n = 0, other;
	sqlite3 *db;
	int k;

	for (k = 0; argc == 4 && k < N_FORMS; k++)
		if (strcmp(argv[3], forms[k]) == 0)
			break;
	if (argc < 3 || argc > 4 || (argc == 4 && k == N_FORMS) ||
	    (rows = strtoll(argv[1], NULL, 10)) <= 0) {
		fprintf(stderr, "usage: gen ROWS FILE [FORM]\n");
		return 2;
	}
	form = argc == 4 ? k : PLAIN;
	remove(argv[2]);
	if (sqlite3_open(argv[2], &db) != SQLITE_OK)
		fail(argv[2], sqlite3_errmsg(db));
	sql(db, schema);
	put_strings(db);
	for (k = 0; k < N_TABLES; k++)
		if (sqlite3_prepare_v2(db, tables[k].insert, -1, &tables[k].st,
			NULL) != SQLITE_OK)
			fail(tables[k].insert, sqlite3_errmsg(db));
	while (done < rows) {
		iteration(n++);
		done = flush();
	}
	for (k = 0; k < N_TABLES; k++)
		sqlite3_finalize(tables[k].st);
	sql(db, "COMMIT");
	other = tables[COPY].total + tables[SET].total + tables[SYNC].total;
	printf("%lld steps, %lld ranges, %lld kernels, %lld calls, %lld other,"
	       " %lld rows\n",
	    (long long)n, (long long)tables[NVTX].total,
	    (long long)tables[KERN].total, (long long)tables[CALL].total,
	    (long long)other, (long long)done);
	return sqlite3_close(db) != SQLITE_OK;
}
