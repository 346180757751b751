/*
 * All commands in one executable, for the builds that "make static" and "make
 * wheel" write: it is called by the name of a command (a link), or has that
 * name as its first argument.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

#define COMMAND(name, function) int function(int argc, char **argv);
#include "commands.h"
#undef COMMAND

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, function) { name, function },
#include "commands.h"
#undef COMMAND
};

/*
 * A static executable cannot load a library of the machine, whose own libc
 * would be a second one. SQLite could, for extensions, which dlp never asks
 * for: the linker has it call these (--wrap), and leaves out what loads
 * libraries.
 */
void *__wrap_dlopen(const char *path, int flags);
char *__wrap_dlerror(void);

void *
__wrap_dlopen(const char *path, int flags)
{
	(void)path;
	(void)flags;
	return NULL;
}

char *
__wrap_dlerror(void)
{
	static char why[] = "a static executable loads no libraries";

	return why;
}

static int
run(const char *name, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].run(argc, argv);
	return -1;
}

int
main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	int status = -1;

	if (argc > 0)
		status = run(slash != NULL ? slash + 1 : argv[0], argc, argv);
	if (status < 0 && argc > 1)
		status = run(argv[1], argc - 1, argv + 1);
	if (status >= 0)
		return status;
	fputs("usage: dlp-filters COMMAND [options]; the commands of dlp "
	      "are links to it\n",
	    stderr);
	return 2;
}
