/*
 * The options, from the session file that dlp-record wrote into the folder of
 * the spool. Lines are key=value.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inj.h"

static void
set_capture(struct inj_options *o, const char *v)
{
	if (strcmp(v, "cudaProfilerApi") == 0)
		o->capture = CAPTURE_PROFILER;
	else if (strcmp(v, "nvtx") == 0)
		o->capture = CAPTURE_NVTX;
	else if (strcmp(v, "steps") == 0)
		o->capture = CAPTURE_STEPS;
	else
		o->capture = CAPTURE_ALL;
}

static void
set_text(char *to, size_t size, const char *v)
{
	snprintf(to, size, "%s", v);
}

/* Options that are numbers; unknown keys are facts of the session. */
static void
set_number(struct inj_options *o, const char *key, int64_t n)
{
	if (strcmp(key, "nvtx") == 0)
		o->nvtx = n != 0;
	else if (strcmp(key, "cuda") == 0)
		o->cuda = n != 0;
	else if (strcmp(key, "graph_level") == 0)
		o->graph_level = n != 0;
	else if (strcmp(key, "memory") == 0)
		o->memory = n != 0;
	else if (strcmp(key, "sync") == 0)
		o->sync = n != 0;
	else if (strcmp(key, "all_calls") == 0)
		o->all_calls = n != 0;
	else if (strcmp(key, "fork") == 0)
		o->fork = n != 0;
	else if (strcmp(key, "first") == 0)
		o->first = n;
	else if (strcmp(key, "last") == 0)
		o->last = n;
	else if (strcmp(key, "begin_at") == 0)
		o->begin_at = n;
	else if (strcmp(key, "duration") == 0)
		o->duration = n;
	else if (strcmp(key, "flush_ns") == 0)
		o->flush_ns = n;
	else if (strcmp(key, "max_bytes") == 0)
		o->max_bytes = (uint64_t)n;
}

static void
set_option(struct inj_options *o, const char *key, const char *v)
{
	if (strcmp(key, "capture") == 0)
		set_capture(o, v);
	else if (strcmp(key, "capture_text") == 0)
		set_text(o->text, sizeof(o->text), v);
	else if (strcmp(key, "capture_domain") == 0)
		set_text(o->domain, sizeof(o->domain), v);
	else if (strcmp(key, "cupti") == 0)
		set_text(o->cupti, sizeof(o->cupti), v);
	else
		set_number(o, key, strtoll(v, NULL, 10));
}

bool
inj_config(struct inj_options *o, const char *dir)
{
	char path[1100], line[2048], *eq;
	FILE *f;

	memset(o, 0, sizeof(*o));
	snprintf(path, sizeof(path), "%s/" RSPOOL_SESSION, dir);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		eq = strchr(line, '=');
		if (eq == NULL)
			continue;
		*eq = '\0';
		set_option(o, line, eq + 1);
	}
	fclose(f);
	return true;
}
