/* The classes and what is of them, by name; see class.h. */
#include "class.h"

#include <string.h>

static const char *const words[C_N] = { "tc", "kern", "graph", "mem",
	"dataload", "io", "cpu", "other" };

const char *class_word(enum class c)
{
	return words[c];
}

#define TEXT(s) s, sizeof(s) - 1

/* Data loaders: begin: what the text begins with; else the whole of it. */
static const struct {
	const char *text;
	size_t len;
	bool begin;
} data[] = {
	/* PyTorch, its markers and those of PyProf, Lightning, DALI */
	{ TEXT("enumerate(DataLoader)#"), true },
	{ TEXT("DataLoader__next__"), false },
	{ TEXT("DataLoader"), false },
	{ TEXT("dataloader"), false },
	{ TEXT("[pl][profile][_TrainingEpochLoop].train_dataloader_next"),
	    false },
	{ TEXT("[pl][profile][_EvaluationLoop].val_next"), false },
	{ TEXT("[DALI]"), true },
	{ TEXT("DALIGenericIterator"), true },
	/* TensorFlow: ops that wait for the next element, and the data sets
	 * that make it */
	{ TEXT("IteratorGetNext"), true },
	{ TEXT("OptionalGetValue"), false },
	{ TEXT("OneShotIterator"), false },
	{ TEXT("MakeIterator"), false },
	{ TEXT("ReduceDataset"), false },
	{ TEXT("Dali"), false },
	{ TEXT("Iterator::"), true },
	{ TEXT("MultiDeviceIteratorGetNextFromShard"), false },
};

bool
class_is_data(const char *s, size_t n)
{
	size_t i, k;

	for (i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
		k = data[i].len;
		if (n >= k && s[0] == data[i].text[0] &&
		    (n == k || data[i].begin) &&
		    memcmp(s, data[i].text, k) == 0)
			return true;
	}
	return false;
}

static const struct {
	const char *name;
	bool dlprof;
} io[] = {
	{ "fread", true },
	{ "fwrite", true },
	{ "fread_unlocked", false },
	{ "fwrite_unlocked", false },
	{ "read", false },
	{ "write", false },
	{ "pread", false },
	{ "pread64", false },
	{ "pwrite", false },
	{ "pwrite64", false },
	{ "readv", false },
	{ "writev", false },
	{ "preadv", false },
	{ "preadv64", false },
	{ "pwritev", false },
	{ "pwritev64", false },
	{ "fgets", false },
	{ "fputs", false },
	{ "getline", false },
	{ "fflush", false },
	{ "fsync", false },
	{ "fdatasync", false },
	{ "sendfile", false },
	{ "sendfile64", false },
	{ "copy_file_range", false },
};

bool
class_is_io(const char *s, size_t n, bool dlprof)
{
	size_t i;

	for (i = 0; i < sizeof(io) / sizeof(io[0]); i++)
		if ((io[i].dlprof || !dlprof) && strlen(io[i].name) == n &&
		    memcmp(io[i].name, s, n) == 0)
			return true;
	return false;
}
