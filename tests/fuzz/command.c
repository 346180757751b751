/*
 * Fuzzing of a whole command within one process. tests/fuzz/run links the
 * objects of a command into one, in which main is dlp_main, the functions
 * that end a process or take memory are those below, and the writable data
 * have sections of their own. So after each input everything is as it was:
 * data restored, memory and files given back.
 *
 * FUZZ_ARGS: the command's arguments, one per line; @ is the input's path.
 * The input is standard input too.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define RAW __attribute__((no_sanitize("address", "undefined", "coverage")))
#define MAX_ARGS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int dlp_main(int argc, char **argv);
extern int optind;

/* What the linker knows of the command's data. */
#define SECTION(name)                                                          \
	extern char __start_##name[] __attribute__((weak));                    \
	extern char __stop_##name[] __attribute__((weak))
SECTION(dlp_data);
SECTION(dlp_rel);
SECTION(dlp_bss);

static struct part {
	char *from, *to, *copy;
} parts[] = {
	{ __start_dlp_data, __stop_dlp_data, NULL },
	{ __start_dlp_rel, __stop_dlp_rel, NULL },
	{ __start_dlp_bss, __stop_dlp_bss, NULL },
};
#define NPARTS (sizeof(parts) / sizeof(parts[0]))

static char path[256];
static char *args[MAX_ARGS + 1];
static int nargs;

/* Byte by byte: what lies between the variables is poisoned. */
RAW static void
copy(char *to, const char *from, size_t n)
{
	volatile char *t = to;
	size_t i;

	for (i = 0; i < n; i++)
		t[i] = from[i];
}

RAW static bool
same(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 8)
		if (*(const uint64_t *)(a + i) != *(const uint64_t *)(b + i))
			return false;
	return true;
}

static void
save(void)
{
	struct part *p;

	for (p = parts; p < parts + NPARTS; p++) {
		size_t n = (size_t)(p->to - p->from);

		p->copy = malloc(n + 8);
		copy(p->copy, p->from, n);
	}
}

#define BLOCK 256

/* Only blocks that changed: most have not. */
RAW static void
restore(void)
{
	struct part *p;
	size_t i, n, m;

	for (p = parts; p < parts + NPARTS; p++) {
		n = (size_t)(p->to - p->from);
		for (i = 0; i < n; i += BLOCK) {
			m = n - i < BLOCK ? n - i : BLOCK;
			if (m < BLOCK || !same(p->from + i, p->copy + i, BLOCK))
				copy(p->from + i, p->copy + i, m);
		}
	}
}

static jmp_buf back;
static void (*at_exit[8])(void);
static int n_at_exit;

int
dlp_atexit(void (*f)(void))
{
	if (n_at_exit < 8)
		at_exit[n_at_exit++] = f;
	return 0;
}

void
dlp_exit(int status)
{
	while (n_at_exit > 0)
		at_exit[--n_at_exit]();
	longjmp(back, status + 1);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char *words; /* args point into it */
	const char *list = getenv("FUZZ_ARGS"), *dir = getenv("FUZZ_DIR");
	char *p;

	(void)argc;
	(void)argv;
	if (list == NULL || dir == NULL)
		_exit(2);
	words = strdup(list);
	if (words == NULL)
		_exit(2);
	snprintf(path, sizeof(path), "%s/in.%ld", dir, (long)getpid());
	setenv("TMPDIR", dir, 1);
	args[nargs++] = strdup("dlp-fuzz");
	for (p = strtok(words, "\n"); p != NULL && nargs < MAX_ARGS;
	     p = strtok(NULL, "\n"))
		args[nargs++] = strcmp(p, "@") == 0 ? path : p;
	save();
	return 0;
}

/* The command closes its output; what it opened is closed for it. */
static void
standard_files(void)
{
	int in = open(path, O_RDONLY), null = open("/dev/null", O_RDWR);

	dup2(in, 0);
	dup2(null, 1);
	if (getenv("FUZZ_STDERR") == NULL)
		dup2(null, 2);
	if (in > 2)
		close(in);
	if (null > 2)
		close(null);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *argv[MAX_ARGS + 1];
	static int first; /* kept over the jump */
	int fd;

	first = fcntl(2, F_DUPFD, 3);
	close(first);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fuzz_input(fd, data, n);
	close(fd);
	standard_files();
	memcpy(argv, args, sizeof(argv));
	optind = 0;
	if (setjmp(back) == 0)
		dlp_exit(dlp_main(nargs, argv));
	for (fd = first; first > 2 && fd < first + 16; fd++)
		close(fd);
	memory_free_all();
	restore();
	unlink(path);
	return 0;
}
