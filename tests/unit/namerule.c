/* needs: */
/* Ordered rules about names: the language of their patterns, and which
 * rule decides. */
#include <stdio.h>
#include <string.h>

#include "namerule.h"
#include "pat.h"

static int failed;

static const struct {
	const char *pat, *name;
	bool want;
} pats[] = {
	{ "gemm", "sgemm_nn", true },
	{ "gemm", "sgem", false },
	{ "gemm _nn", "sgemm_nn", true },
	{ "gemm _nt", "sgemm_nn", false },
	{ "conv|gemm", "sgemm_nn", true },
	{ "gemm !_nn", "sgemm_nn", false },
	{ "gemm !_nt|_tn", "sgemm_nn", true },
	{ "^gemm", "sgemm", false },
	{ "^sgemm", "sgemm", true },
	{ "sm#_mma", "sm90_mma", true },
	{ "sm#_mma", "sm_mma", false },
	{ "m#n#k#", "xm16n8k16y", true },
	{ "m#n#k#", "m16n8k", false },
	{ "@add", "void f<add>(int)", false },
	{ "@add", "void add<f>(int)", true },
	{ "@f_kernel", "void (anonymous namespace)::f_kernel<x>(y)", true },
	{ "add", "void f<add>(int)", true },
	{ "#g", "x3g", true },
	{ "#g", "xg", false },
	{ "a", "", false },
	{ "^", "", true },
};

static const char text[] = "# comment\n"
			   "LIST = x1|\n"
			   "\tx2\n"
			   "\n"
			   "one  yes fp16 8.0  $LIST !no\n"
			   "two  no - -  X|y\n"
			   "\tand\n"
			   "three unknown - - and";

static const struct {
	const char *name, *id;
	enum ynu verdict;
} names[] = {
	{ "x1", "one", YNU_YES },
	{ "x2", "one", YNU_YES },
	{ "x1and no", "two", YNU_NO }, /* the rule is in lower case */
	{ "yand", "two", YNU_NO },
	{ "and", "three", YNU_UNKNOWN },
	{ "y", NULL, YNU_UNKNOWN },
};

static void
check_rules(void)
{
	static const char *const words[] = { "id", "verdict", "type", "since" };
	struct namerules r;
	const struct namerule *u;
	size_t i;

	namerules_parse(&r, "text", text, words, JUDGE_WORDS);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		u = namerules_find(&r, names[i].name, strlen(names[i].name));
		if (judge_verdict(u) != names[i].verdict ||
		    (u == NULL) != (names[i].id == NULL) ||
		    (u != NULL && strcmp(u->word[0], names[i].id) != 0)) {
			printf("%s: %s\n", names[i].name,
			    u == NULL ? "none" : u->word[0]);
			failed = 1;
		}
	}
	namerules_free(&r);
}

/* Whether the pattern matches if it was taken apart before. */
static bool
code_match(const char *pat, const char *name)
{
	struct pat_code code;
	struct pat_name p;
	bool found;

	pat_compile(&code, pat);
	pat_name_set(&p, name, strlen(name));
	found = pat_find_code(&code, &p);
	pat_free(&code);
	return found;
}

int
main(void)
{
	size_t i;

	for (i = 0; i < sizeof(pats) / sizeof(pats[0]); i++)
		if (pat_match(pats[i].pat, pats[i].name,
			strlen(pats[i].name)) != pats[i].want ||
		    code_match(pats[i].pat, pats[i].name) != pats[i].want) {
			printf("'%s' in '%s'\n", pats[i].pat, pats[i].name);
			failed = 1;
		}
	check_rules();
	return failed;
}
