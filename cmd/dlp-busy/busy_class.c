/* The classes, and what belongs to them by its name; see busy.h. */
#include <string.h>

#include "array.h"
#include "busy.h"
#include "mview.h"

static const char *const words[C_N] = { "tc", "kern", "graph", "mem",
	"dataload", "io", "cpu", "other" };

const char *
class_word(enum busy_class c)
{
	return words[c];
}

#define TEXT(s) s, sizeof(s) - 1

/* Data loaders by the whole text, or (begin) by what it begins with. */
static const struct {
	const char *text;
	size_t len;
	bool begin;
} loaders[] = {
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

	for (i = 0; i < ARRAY_LEN(loaders); i++) {
		k = loaders[i].len;
		if (n >= k && s[0] == loaders[i].text[0] &&
		    (n == k || loaders[i].begin) &&
		    memcmp(s, loaders[i].text, k) == 0)
			return true;
	}
	return false;
}

static const char *const io_names[] = {
	"fread",
	"fwrite",
	"fread_unlocked",
	"fwrite_unlocked",
	"read",
	"write",
	"pread",
	"pread64",
	"pwrite",
	"pwrite64",
	"readv",
	"writev",
	"preadv",
	"preadv64",
	"pwritev",
	"pwritev64",
	"fgets",
	"fputs",
	"getline",
	"fflush",
	"fsync",
	"fdatasync",
	"sendfile",
	"sendfile64",
	"copy_file_range",
};

bool
class_is_io(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(io_names); i++)
		if (text_is(s, n, io_names[i]))
			return true;
	return false;
}
