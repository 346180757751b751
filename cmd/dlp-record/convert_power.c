/*
 * The samples of --power as rows of a table of our own, DLP_SERIES: those of
 * the GPUs that the program knows, under the program's numbers for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "convert.h"
#include "num.h"

/* The program's number of a GPU; -1 if it does not know it. */
static int
gpu_of(struct conv *c, const char *uuid)
{
	const char *s;
	int gpu;

	if (strncmp(uuid, "GPU-", 4) == 0)
		uuid += 4;
	for (gpu = 0; gpu < CONV_GPUS; gpu++) {
		s = conv_gpu_text(c, gpu, "uuid");
		if (s != NULL && strcasecmp(s, uuid) == 0)
			return gpu;
	}
	return -1;
}

static void
put_sample(struct conv *c, int64_t t, int gpu, int64_t mj)
{
	struct dbw *db = &c->db;

	dbw_begin(db, RT_SERIES);
	DBW_INTS(db, t - c->t0, gpu);
	dbw_str(db, "energy");
	DBW_INTS(db, mj);
	dbw_str(db, "mJ");
	dbw_end(db);
}

/* Takes "time uuid millijoules\n" apart. False if it is something else, as the
 * last line can be. */
static bool
read_sample(char *line, int64_t *t, const char **uuid, int64_t *mj)
{
	char *name = strchr(line, ' ');
	char *sum = name != NULL ? strchr(name + 1, ' ') : NULL;
	char *end = sum != NULL ? strchr(sum, '\n') : NULL;

	if (end == NULL)
		return false;
	*name++ = *sum++ = '\0';
	*uuid = name;
	return num_i64(line, (size_t)(name - 1 - line), t) && *t > 0 &&
	       num_i64(sum, (size_t)(end - sum), mj) && *mj >= 0;
}

/* Of the samples before the recording only the last one of a GPU is of use. */
void
conv_power(struct conv *c)
{
	struct {
		int64_t t, mj;
		bool any;
	} before[CONV_GPUS] = { 0 };
	char line[256];
	const char *uuid;
	int64_t t, mj;
	FILE *f;
	int gpu;

	buf_clear(&c->buf);
	buf_printf(&c->buf, "%s/" RSPOOL_POWER, c->dir.path);
	f = fopen(buf_str(&c->buf), "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (!read_sample(line, &t, &uuid, &mj))
			continue;
		gpu = gpu_of(c, uuid);
		if (gpu < 0)
			continue;
		if (t < c->t0) {
			before[gpu].t = t;
			before[gpu].mj = mj;
			before[gpu].any = true;
			continue;
		}
		if (before[gpu].any)
			put_sample(c, before[gpu].t, gpu, before[gpu].mj);
		before[gpu].any = false;
		put_sample(c, t, gpu, mj);
	}
	if (f != NULL)
		(void)fclose(f);
}
