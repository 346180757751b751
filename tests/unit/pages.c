/* needs: cmd/dlp-dldb/pages_join.o cmd/dlp-dldb/pages.o */
/*
 * Numbers of pages in SQLite's file format: the page at byte 2^30, where its
 * locks are, is never used. With pages of 4096 bytes that is number 262145.
 */
#include <stdio.h>

#include "../../cmd/dlp-dldb/pages.h"

static const struct {
	uint32_t base, n, want;
} cases[] = {
	{ 2, 0, 2 },
	{ 2, 262142, 262144 },
	{ 2, 262143, 262146 },
	{ 2, 262144, 262147 },
	{ 262144, 0, 262144 },
	{ 262144, 1, 262146 },
	{ 262145, 0, 262146 },
	{ 262145, 9, 262155 },
	{ 262146, 0, 262146 },
	{ 262146, 9, 262155 },
};

int
main(void)
{
	size_t i;
	int failed = 0;
	uint32_t got;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = page_number(cases[i].base, cases[i].n);
		if (got != cases[i].want) {
			printf("page %u from %u: %u, not %u\n",
			    (unsigned)cases[i].n, (unsigned)cases[i].base,
			    (unsigned)got, (unsigned)cases[i].want);
			failed = 1;
		}
	}
	return failed;
}
