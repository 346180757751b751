/* DLProf's model configuration: {"model_config": {"num_workers": 4, ...}}. */
#include "mk_json.h"
#include "mk_parsers.h"

bool
mk_config(struct marker *m)
{
	struct json j;

	if (!mv_starts(m->text, "{\"model_config\""))
		return false;
	m->by = BY_DLPROF;
	m->kind = json_parse(&j, m->text) ? MK_CONFIG : MK_BROKEN;
	return true;
}

bool
marker_config(
    const struct marker *m, size_t *at, struct mview *key, struct mview *value)
{
	struct json j;
	int obj, i, end;
	size_t k;

	if (m->kind != MK_CONFIG || !json_parse(&j, m->text))
		return false;
	obj = json_get(&j, 0, "model_config");
	if (obj < 0 || j.tok[obj].type != JSMN_OBJECT)
		return false;
	end = json_next(&j, obj);
	i = obj + 1;
	for (k = 0; k < *at && i + 1 < end; k++)
		i = json_next(&j, i + 1);
	if (i + 1 >= end)
		return false;
	*key = json_text(&j, i);
	*value = json_text(&j, i + 1);
	++*at;
	return true;
}
