/* See facts.h. */
#include "cli.h"
#include "facts.h"
#include "json.h"
#include "map.h"
#include "num.h"
#include "out.h"

static int section;
static struct smap names; /* val: number in texts, or the count of a note */
static struct smap texts;
static struct buf key;

/* From the second section on, names have its number in front. */
static uint32_t
fact(const char *what, struct mview name)
{
	buf_clear(&key);
	if (section > 1)
		buf_printf(&key, "%d.", section);
	buf_puts(&key, what);
	buf_put(&key, name.s, name.n);
	return smap_put(&names, key.s, key.len, NULL);
}

void
facts_section(void)
{
	section++;
}

void
facts_info(struct mview name, struct mview value)
{
	uint32_t id = fact("info.", name);

	names.val[id] = smap_put(&texts, value.s, value.n, NULL);
}

void
facts_note(struct mview name, struct mview count)
{
	uint64_t n = 0;
	uint32_t id = fact("note.", name);

	(void)num_u64(count.s, count.n, &n);
	names.val[id] += n;
}

static void
put_fact(uint32_t id)
{
	const char *name, *text;
	size_t n, k;

	name = smap_str(&names, id, &n);
	buf_puts(&out_buf, ",\n");
	json_value(name, n);
	buf_putc(&out_buf, ':');
	if (mv_find((struct mview){ name, n }, "info.") != NULL) {
		text = smap_str(&texts, (uint32_t)names.val[id], &k);
		json_value(text, k);
	} else {
		buf_u64(&out_buf, names.val[id]);
	}
}

void
facts_end(void)
{
	uint32_t i;

	buf_puts(&out_buf, ",\"displayTimeUnit\":\"ns\",\"otherData\":{\n"
			   "\"by\":\"dlp-trace " DLP_VERSION "\"");
	for (i = 0; i < names.n; i++)
		put_fact(i);
	buf_puts(&out_buf, "}}\n");
	smap_free(&names);
	smap_free(&texts);
}
