#include "usercode.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

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

/* Modules of Python's own library, in the order of strcmp(). */
static const char *const modules[] = { "_collections_abc", "_weakrefset", "abc",
	"argparse", "ast", "asyncio", "base64", "bdb", "bisect", "cProfile",
	"codecs", "collections", "concurrent", "contextlib", "copy", "copyreg",
	"ctypes", "dataclasses", "datetime", "decimal", "email", "encodings",
	"enum", "functools", "genericpath", "glob", "gzip", "hashlib", "heapq",
	"http", "importlib", "inspect", "io", "ipaddress", "json", "keyword",
	"linecache", "locale", "logging", "multiprocessing", "numbers",
	"operator", "os", "pathlib", "pdb", "pickle", "pkgutil", "platform",
	"posixpath", "pprint", "queue", "random", "re", "reprlib", "runpy",
	"sched", "selectors", "shutil", "signal", "site", "socket",
	"socketserver", "sqlite3", "ssl", "statistics", "string", "struct",
	"subprocess", "tempfile", "textwrap", "threading", "timeit", "token",
	"tokenize", "traceback", "tracemalloc", "types", "typing",
	"typing_extensions", "unittest", "urllib", "uuid", "warnings",
	"weakref", "zipfile", "zipimport" };

/* Packages that programs are built on. Servers and trainers such as vllm and
 * megatron are missing on purpose: whoever profiles one works on it. */
static const char *const packages[] = { "PIL", "accelerate", "apex",
	"bitsandbytes", "cuda", "cupy", "cutlass", "deepspeed", "diffusers",
	"einops", "flash_attn", "flashinfer", "fsspec", "functorch",
	"huggingface_hub", "jax", "keras", "lightning", "lightning_fabric",
	"matplotlib", "numba", "numpy", "nvtx", "optree", "pandas", "peft",
	"pybind11", "pytorch_lightning", "ray", "safetensors", "scipy",
	"sentencepiece", "sklearn", "sympy", "tensorboard", "tensorflow",
	"timm", "tokenizers", "torch", "torchaudio", "torchdata", "torchtext",
	"torchvision", "tqdm", "transformer_engine", "transformers", "triton",
	"trl", "wandb", "xformers", "zmq" };

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
	struct mview first = path;
	const char *slash;

	if (path.n == 0 || path.s[0] == '<')
		return false;
	if (path.s[0] == '/')
		return usercode_is_own(path);
	slash = memchr(path.s, '/', path.n);
	if (slash != NULL)
		first.n = (size_t)(slash - path.s);
	else if (mv_ends(path, ".py"))
		first.n -= 3;
	if (mv_listed(first, modules, ARRAY_LEN(modules)))
		return false;
	/* a package is a folder; datasets.py is the user's */
	if (slash != NULL && mv_listed(first, packages, ARRAY_LEN(packages)))
		return false;
	return usercode_is_own(path);
}

struct mview
usercode_base(struct mview path)
{
	size_t i = path.n;

	while (i > 0 && path.s[i - 1] != '/')
		i--;
	return (struct mview){ path.s + i, path.n - i };
}
