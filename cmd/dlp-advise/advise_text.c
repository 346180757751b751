/* The rules, as advise.tab has them, and the texts of findings. */
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "err.h"
#include "wording.h"

static struct wording wording; /* read once */

void
advise_texts_read(struct advise_rule *r, size_t n)
{
	const struct wording_line *l;
	size_t i = 0, id;
	char *s;

	wording_read(&wording, "advise.tab");
	for (l = wording.line; l < wording.line + wording.n; l++) {
		if (strcmp(l->part, "help") == 0)
			r[i - 1].help = l->text;
		if (strcmp(l->part, "rule") != 0)
			continue;
		id = strcspn(l->text, " ");
		if (i == n || !text_is(l->text, id, r[i].id))
			die("advise.tab: no check of %s", l->text);
		r[i].version = (int)strtol(l->text + id, &s, 10);
		r[i].dlprof = strncmp(s, " dlprof", 7) == 0;
		s = strchr(s + 1, ' ');
		if (s != NULL) {
			r[i].limit = strtod(s, &s);
			r[i].limit_dlprof = strncmp(s, " dlprof", 7) == 0;
			r[i].unit = strchr(s + 1, ' ') + 1;
		}
		i++;
	}
}

void
advise_texts_free(void)
{
	wording_free(&wording);
}

struct buf *
verdict_let(struct advise_verdict *v, const char *name)
{
	return values_let(&v->let, name);
}

/* All known GPUs are Volta or Turing or, if none is known, the kernels were
 * built for those. */
static bool
before_ampere(const struct facts *f)
{
	bool any = f->kernel_arch > 0 && f->kernel_arch < 80;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		if (f->dev[i].cc10 >= 80)
			return false;
		any |= f->dev[i].cc10 > 0;
	}
	return any;
}

void
advise_texts_put(const struct advise_rule *r, const struct facts *f,
    struct advise_verdict *v)
{
	const struct {
		const char *word;
		bool is;
	} facts[] = {
		{ "torch", (f->frameworks & FW_PYTORCH) != 0 },
		{ "tensorflow", (f->frameworks & FW_TENSORFLOW) != 0 },
		{ "mxnet", (f->frameworks & FW_MXNET) != 0 },
		{ "xla", (f->frameworks & FW_XLA) != 0 },
		{ "jax", (f->frameworks & (FW_XLA | FW_TENSORFLOW)) == FW_XLA },
		{ "passes", facts_passes(f) > 1.5 },
		{ "backward", facts_passes(f) > 0 },
		{ "sizes", use_varies(f) == VARY_SIZES },
		{ "flow", use_varies(f) == VARY_KERNELS },
		{ "serving", f->serving },
		{ "cache",
		    f->n_pass == 0 && facts_kern_pct(f, f->kind[K_CAT].ns) >
					  advise_rule("kv_cache")->limit },
		{ "by_torch", f->maker.torch },
		{ "by_ops", f->maker.ops },
		{ "by_rocprof", f->maker.rocprof },
		{ "amd", f->maker.amd },
		{ "old", before_ampere(f) },
		{ "compiled", use_of(f, USE_COMPILED) == USE_YES },
		{ "graphs", use_of(f, USE_GRAPHS) == USE_YES },
		{ "sdpa", use_of(f, USE_SDPA) == USE_YES },
		{ "tf32", use_of(f, USE_TF32) == USE_YES },
		{ "scaler", f->scaler },
		{ "ranked", f->ranked },
		{ "steps", facts_has_steps(f) },
		{ "mode", f->mode[0] != '\0' },
		{ "dlprof", f->all_devices },
		{ "dlp_record", f->maker.ours },
		/* kernels without ops: nodes of graphs, without calls */
		{ "of_graphs", f->kind[K_GRAPH].ns > f->no_op_ns / 2 },
		{ "no_calls", f->no_call_ns > f->no_op_ns / 2 &&
				  f->no_call_ns < f->kern_ns },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(facts); i++)
		values_if(&v->let, facts[i].word, facts[i].is);
	buf_put(verdict_let(v, "value"), v->value.s, v->value.len);
	wording_put(&wording, r->id, "problem", &v->let, &v->problem);
	wording_put(&wording, r->id, "evidence", &v->let, &v->evidence);
	wording_put(&wording, r->id, "advice", &v->let, &v->advice);
	wording_put(&wording, r->id, "where", &v->let, &v->where);
	wording_put(&wording, r->id, "within", &v->let, &v->within);
	wording_put(&wording, r->id, "fix", &v->let, &v->fix);
}
