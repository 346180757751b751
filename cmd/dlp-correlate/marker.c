/* The words for what marker.h tells apart. */
#include "marker.h"

static const char *const by_words[BY_NWORDS] = {
	[BY_USER] = "user",
	[BY_PYTORCH] = "pytorch",
	[BY_PYPROF] = "pyprof",
	[BY_DLPROF] = "dlprof",
	[BY_TENSORFLOW] = "tensorflow",
	[BY_TENSORRT] = "tensorrt",
	[BY_XLA] = "xla",
	[BY_NCCL] = "nccl",
};

static const char *const kind_words[MK_NKINDS] = {
	[MK_USER] = "user",
	[MK_LAYER] = "layer",
	[MK_OP] = "op",
	[MK_BWD_FRAME] = "frame",
	[MK_BWD] = "bwd",
	[MK_ARGS] = "args",
	[MK_TRACE] = "trace",
	[MK_REPR] = "repr",
	[MK_CONFIG] = "config",
	[MK_BROKEN] = "broken",
};

const char *
marker_by_word(enum marker_by by)
{
	return by_words[by];
}

const char *
marker_kind_word(enum marker_kind kind)
{
	return kind_words[kind];
}
