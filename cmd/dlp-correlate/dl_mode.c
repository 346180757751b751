/* DLProf's modes, by the markers of a section; see dl_mode.h. */
#include "dl_mode.h"

#define BIT(x) (1u << (x))

static const struct { /* the first that was seen counts */
	unsigned by;
	const char *word;
} modes[] = {
	{ BIT(BY_DLPROF) | BIT(BY_PYPROF) | BIT(BY_PYTORCH), "pytorch" },
	{ BIT(BY_TENSORFLOW), "tensorflow1" },
	{ BIT(BY_TENSORRT), "tensorrt" },
	{ BIT(BY_XLA), "jax" },
};

/* Only functions, which came with TensorFlow 2, are called so. */
static const char *const tf2_parts[] = { "StatefulPartitionedCall",
	"__inference_" };

void
dl_mode_marker(struct dl_mode *m, const struct marker *mk)
{
	size_t i;

	if (mk->kind == MK_USER || mk->kind == MK_LAYER ||
	    mk->kind == MK_BROKEN)
		return;
	m->by |= BIT(mk->by);
	if (mk->by != BY_TENSORFLOW || m->tf2)
		return;
	for (i = 0; i < sizeof(tf2_parts) / sizeof(tf2_parts[0]); i++)
		if (mv_find(mk->text, tf2_parts[i]) != NULL)
			m->tf2 = true;
}

void
dl_mode_info(struct dl_mode *m, const char *s, size_t n)
{
	struct mview v = { s, n };

	if (mv_starts(v, "mode\t"))
		m->given = true;
	else if (mv_starts(v, "framework\tTensorFlow 1"))
		m->tf1 = true;
	else if (mv_starts(v, "framework\tTensorFlow 2"))
		m->tf2 = true;
}

const char *
dl_mode_word(const struct dl_mode *m)
{
	size_t i;

	if (m->given)
		return NULL;
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if ((m->by & modes[i].by) == 0)
			continue;
		if (modes[i].by == BIT(BY_TENSORFLOW) && m->tf2 && !m->tf1)
			return "tensorflow2";
		return modes[i].word;
	}
	return "simple";
}
