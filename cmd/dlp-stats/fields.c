/* Which columns of which type; see fields.h. */
#include "fields.h"

static const char *const tags[T_N] = { "kern", "copy", "set", "sync", "graph",
	"call", "range", "os", "str", "dev", "thread" };

static const char *const names[C_N] = { "id", "start_ns", "dur_ns", "pid",
	"tid", "dev", "ctx", "stream", "corr", "api", "api_start_ns",
	"api_dur_ns", "short", "name_id", "grid", "block", "regs", "smem_bytes",
	"dynsmem_bytes", "kind", "bytes", "src_mem", "dst_mem", "mem", "n_gpu",
	"end_tid", "domain", "mode", "text", "name", "base", "mangled", "src",
	"idx", "name_no", "call_idx", "call_ret", "ret", "prio" };

static struct {
	struct rec_type *type;
	struct rec_col *c[C_N];
} ty[T_N];

struct text
field_text(const struct rec *r, enum type t, enum col c)
{
	struct text x = { 0 };

	x.s = rec_raw(r, ty[t].c[c], &x.n);
	return x;
}

bool
field_i64(const struct rec *r, enum type t, enum col c, int64_t *v)
{
	return rec_i64(r, ty[t].c[c], v);
}

int64_t
field_num(const struct rec *r, enum type t, enum col c, int64_t unset)
{
	int64_t v;

	return rec_i64(r, ty[t].c[c], &v) ? v : unset;
}

enum type
fields_type(const struct rec *r)
{
	enum type t;

	for (t = 0; ty[t].type != r->type; t++)
		;
	return t;
}

static void
bind(struct stage *st, enum type t, stage_fn *fn)
{
	struct rec_type *x = stage_on(st, tags[t], fn, NULL, NULL);
	int i;

	ty[t].type = x;
	for (i = 0; i < C_N; i++)
		ty[t].c[i] = rec_col(
		    x, names[i], i == C_DUR && t < T_STR ? REC_NEED : REC_OPT);
}

void
fields_open(struct stage *st, stage_fn *fn)
{
	enum type t;

	for (t = 0; t < T_N; t++)
		bind(st, t, fn);
}
