/* Verdicts about names; see judge.h. */
#include <string.h>

#include "err.h"
#include "judge.h"
#include "shipped.h"

static const char *const names[JUDGE_WORDS] = { "id", "verdict", "type",
	"version that it begins with" };
static const char *const words[] = { "unknown", "no", "yes" };

static int
word_of(const char *s)
{
	int i;

	for (i = 0; i < 3; i++)
		if (strcmp(s, words[i]) == 0)
			return i;
	return -1;
}

void
judge_open(struct namerules *r, const char *path, const char *shipped)
{
	size_t i;

	if (path != NULL)
		namerules_load(r, path, names, JUDGE_WORDS);
	else
		namerules_parse(
		    r, shipped, shipped_text(shipped), names, JUDGE_WORDS);
	for (i = 0; i < r->n; i++)
		if (word_of(r->v[i].word[JUDGE_VERDICT]) < 0)
			die("%s:%u: verdict is yes, no or unknown, not '%s'",
			    r->file, r->v[i].line, r->v[i].word[JUDGE_VERDICT]);
}

enum ynu
judge_verdict(const struct namerule *u)
{
	return u == NULL ? YNU_UNKNOWN
			 : (enum ynu)word_of(u->word[JUDGE_VERDICT]);
}

const char *
ynu_name(enum ynu v)
{
	return words[v];
}
