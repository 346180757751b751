/*
 * Writes broken copies of a database, the same ones for the same seeds.
 *
 * usage: corrupt DATABASE FIRST LAST DIR	the files are DIR/SEED.db
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tables.h"

static uint64_t state;

static uint8_t
random_byte(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint8_t)(state >> 56);
}

int
main(int argc, char **argv)
{
	uint8_t program[256];
	long seed, last;
	char path[4096];
	unsigned char *s;
	size_t i, n;
	FILE *f;

	if (argc != 5 || !tables_base(argv[1]))
		return 2;
	last = strtol(argv[3], NULL, 10);
	for (seed = strtol(argv[2], NULL, 10); seed <= last; seed++) {
		state = (uint64_t)seed * 0x9e3779b97f4a7c15u;
		for (i = 0; i < sizeof(program); i++)
			program[i] = random_byte();
		s = tables_break(program, sizeof(program), &n);
		snprintf(path, sizeof(path), "%s/%ld.db", argv[4], seed);
		f = fopen(path, "wb");
		if (f == NULL || fwrite(s, 1, n, f) != n || fclose(f) != 0)
			return 2;
		sqlite3_free(s);
	}
	return 0;
}
