/* Tensor Core use by kernel name; see tcrules.h. */
#include <string.h>

#include "err.h"
#include "tcrules.h"

static struct namerules rules;

void
tc_open(const char *path)
{
	const char *t;
	size_t i;

	judge_open(&rules, path, "tc.rules");
	for (i = 0; i < rules.n; i++) {
		t = rules.v[i].word[JUDGE_TYPE];
		if (strcmp(t, "-") != 0 && dt_named(t, strlen(t)) == DT_NONE)
			die("%s:%u: no such type '%s'", rules.file,
			    rules.v[i].line, t);
	}
}

struct tc_rule
tc_decide(const char *name, size_t n)
{
	const struct namerule *u = namerules_find(&rules, name, n);
	struct tc_rule r = { NULL, (enum tc)judge_verdict(u), DT_NONE };
	const char *t;

	if (u == NULL)
		return r;
	t = u->word[JUDGE_TYPE];
	r.id = u->word[JUDGE_ID];
	r.dt = dt_named(t, strlen(t));
	return r;
}
