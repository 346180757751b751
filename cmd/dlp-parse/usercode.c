#include "usercode.h"

#include <string.h>

#include "array.h"
#include "shipped.h"

/* Modules and files that are no code of the user's: by a part of the path. */
static const char *const foreign[] = {
	"/site-packages/", "/dist-packages/", "/lib/python", "/bin/python",
	"/usr/lib/", "/usr/lib64/", "/lib/x86_64", "/lib/aarch64", "/lib64/",
	"/usr/local/cuda", "/usr/local/nvidia", "/nsight-", "libc.so",
	"libcuda", "libcu", "libnv", "libtorch", "libc10", "libnccl",
	"libstdc++", "libgcc", "libpython", "ld-linux", "libToolsInjection",
	"vmlinux", "<frozen", "<string>",
	"/torchinductor_", /* written by a compiler */
};

bool
usercode_is_own(struct mview path)
{
	size_t i;

	if (path.n == 0 || path.s[0] == '[' || path.s[0] == '<')
		return false;
	for (i = 0; i < ARRAY_LEN(foreign); i++)
		if (mv_find(path, foreign[i]) != NULL)
			return false;
	return true;
}

bool
usercode_is_own_python(struct mview path)
{
	static const char *const classes[] = { "module", "package", NULL };
	static struct shipped_words words = { "usercode.tab", classes, { 0 } };
	struct mview first = path;
	const char *slash;
	unsigned of;

	if (path.n == 0 || path.s[0] == '<')
		return false;
	if (path.s[0] == '/')
		return usercode_is_own(path);
	slash = memchr(path.s, '/', path.n);
	if (slash != NULL)
		first.n = (size_t)(slash - path.s);
	else if (mv_ends(path, ".py"))
		first.n -= 3;
	/* a package is a folder; datasets.py is the user's */
	of = shipped_class(&words, first);
	return (of & 1) == 0 && (slash == NULL || of == 0) &&
	       usercode_is_own(path);
}

struct mview
usercode_base(struct mview path)
{
	size_t i = path.n;

	while (i > 0 && path.s[i - 1] != '/')
		i--;
	return (struct mview){ path.s + i, path.n - i };
}
