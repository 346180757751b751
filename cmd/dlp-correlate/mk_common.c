/* What the parsers of marker texts share; see mk.h. */
#include "mk.h"
#include "shipped.h"

#define JSON_TOKENS 2048 /* the most JSON tokens in a marker */
#define JSON_BYTES 1000000

const struct json_doc *
mk_json(struct markers *ms, struct mview text)
{
	struct json_doc *j = &ms->json;

	if (text.n > JSON_BYTES ||
	    !json_parse(j, text.s, text.n, JSON_TOKENS) || !json_is_strict(j) ||
	    json_type(j, 0) != JSON_OBJECT)
		return NULL;
	return j;
}

bool
mk_group(struct marker *m, enum marker_by by)
{
	m->kind = MK_USER;
	m->by = by;
	m->flags |= MK_GROUP;
	return true;
}

bool
mk_is(unsigned classes, struct mview v)
{
	static const char *const names[] = { "telling", "word", "space",
		"product", "tensor-core", "forward", "backward", "optimizer",
		"dataload", "layer", NULL };
	static struct shipped_words words = { "op_words.tab", names, { 0 } };

	return (shipped_class(&words, v) & classes) != 0;
}
