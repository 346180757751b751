/* needs: */
/*
 * Names as old demanglers read them, numbered by hand: a part that can be
 * referred to gets S_, S0_, S1_, ... in the order of the name, and there a
 * lambda got one of its own besides that of its type.
 */
#include <stdio.h>

#include "demangle.h"

static const struct {
	const char *name, *want;
} cases[] = {
	/* no lambda: as ever. f S_, a S0_ */
	{ "_Z1fI1aEvS0_", "void f<a>(a)" },
	{ "_Z3addii", "add(int, int)" },
	{ "main", "main" },
	{ "", "" },
	/* f S_, the lambda S0_, its type S1_, a S2_ */
	{ "_Z1fIZ1gvEUliE_1aEvS1_S2_",
	    "void f<g()::{lambda(int)#1}, a>(g()::{lambda(int)#1}, a)" },
	/* what stands before a lambda keeps its number: f S_, b S0_ */
	{ "_Z1fI1bZ1gvEUliE_1aEvS0_S3_",
	    "void f<b, g()::{lambda(int)#1}, a>(b, a)" },
	/* two of them: f S_, lambda S0_, type S1_, lambda S2_, type S3_ */
	{ "_Z1fIZ1gvEUliE_Z1hvEUlfE0_EvS1_S3_",
	    "void f<g()::{lambda(int)#1}, h()::{lambda(float)#2}>"
	    "(g()::{lambda(int)#1}, h()::{lambda(float)#2})" },
	/* digits and letters inside names are none of it */
	{ "_Z1fILi12E6S0_E_1Z1gvE", "_Z1fILi12E6S0_E_1Z1gvE" },
	/* no name at all, and unfinished ones */
	{ "_Z", "_Z" },
	{ "_ZUlE", "_ZUlE" },
	{ "_Z1fIZ1gvEUl", "_Z1fIZ1gvEUl" },
	{ "_Z999999999999x", "_Z999999999999x" },
};

int
main(void)
{
	struct buf out = { 0 };
	int failed = 0;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		demangle_old(cases[i].name, &out);
		if (strcmp(buf_str(&out), cases[i].want) == 0)
			continue;
		printf("%s: got %s, want %s\n", cases[i].name, buf_str(&out),
		    cases[i].want);
		failed = 1;
	}
	buf_free(&out);
	return failed;
}
