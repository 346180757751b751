/*
 * Records a program's CUDA and NVTX events without Nsight Systems: runs it with
 * a library that the driver and NVTX load into it, and writes what the library
 * recorded as the SQLite database that `nsys export` would have written.
 */
#define _GNU_SOURCE /* setenv() */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-record/record.h"
#include "err.h"
#include "num.h"

static int64_t
seconds(const char *opt, const char *arg)
{
	double v;

	if (!num_f64(arg, strlen(arg), &v) || v < 0 || v > 1e9)
		die("%s: bad number of seconds '%s'", opt, arg);
	return (int64_t)(v * 1e9);
}

static void
set_traces(void *to, const char *arg)
{
	struct record *r = to;
	char **item;
	int n, i;

	r->cuda = r->nvtx = false;
	item = cli_list(arg, &n);
	for (i = 0; i < n; i++)
		if (strcmp(item[i], "cuda") == 0)
			r->cuda = true;
		else if (strcmp(item[i], "nvtx") == 0)
			r->nvtx = true;
		else
			die("-t: '%s' is not one of cuda, nvtx", item[i]);
	free(item);
}

static void
set_graphs(void *to, const char *arg)
{
	struct record *r = to;

	r->graph_level = strcmp(arg, "graph") == 0;
	if (!r->graph_level && strcmp(arg, "node") != 0)
		die("-g: '%s' is not one of node, graph", arg);
}

static void
set_capture(void *to, const char *arg)
{
	struct record *r = to;
	const char *at;

	if (strncmp(arg, "nvtx:", 5) == 0) {
		/* nvtx:TEXT[@DOMAIN]; the text itself can have an @ if it ends
		 * with one */
		arg += 5;
		at = strrchr(arg, '@');
		r->capture = "nvtx";
		r->text = at != NULL ? xmemdup(arg, (size_t)(at - arg))
				     : xstrdup(arg);
		r->domain = at != NULL ? xstrdup(at + 1) : NULL;
		if (*r->text == '\0')
			die("-c: nvtx: needs the text of a range");
	} else if (strcmp(arg, "cudaProfilerApi") == 0)
		r->capture = "cudaProfilerApi";
	else if (strcmp(arg, "none") == 0)
		r->capture = "none";
	else
		die("-c: '%s' is not one of cudaProfilerApi, "
		    "nvtx:TEXT[@DOMAIN], none",
		    arg);
}

static void
set_steps(void *to, const char *arg)
{
	struct record *r = to;
	const char *dash = strchr(arg, '-');

	if (dash == NULL && num_i64(arg, strlen(arg), &r->steps) &&
	    r->steps > 0 && r->steps <= 1000000)
		return; /* of --trigger */
	if (dash == NULL || !num_i64(arg, (size_t)(dash - arg), &r->first) ||
	    !num_i64(dash + 1, strlen(dash + 1), &r->last) || r->first < 0 ||
	    r->last < r->first)
		die("--steps: '%s' is not A-B, two numbers of steps, nor a "
		    "number for --trigger",
		    arg);
	r->capture = "steps";
}

static void
set_flush(void *to, const char *arg)
{
	((struct record *)to)->flush = seconds("--flush", arg);
	if (((struct record *)to)->flush < 1000000)
		die("--flush: bad number of seconds '%s'", arg);
}

static void
set_markers(void *to, const char *arg)
{
	const char *how = arg != NULL ? arg : "alternate";

	if (strcmp(how, "alternate") != 0 && strcmp(how, "ops") != 0 &&
	    strcmp(how, "layers") != 0)
		die("--markers: '%s' is not one of alternate, ops, layers",
		    how);
	((struct record *)to)->markers = how;
}

static void
read_options(struct record *r, int argc, char **argv)
{
	const char *delay = NULL, *duration = NULL, *max = NULL,
		   *op_steps = NULL;
	const struct cli_opt opts[] = {
		{ 'o', "output", .arg = &r->out },
		{ 0, "force", .flag = &r->force },
		{ 0, "stream", .flag = &r->stream },
		{ 0, "live", .flag = &r->live },
		{ 0, "stdout", .arg = &r->program_out },
		{ 0, "convert", .arg = &r->convert },
		{ 't', "trace", .set = set_traces, .to = r },
		{ 'c', "capture-range", .set = set_capture, .to = r },
		{ 0, "delay", .arg = &delay },
		{ 0, "duration", .arg = &duration },
		{ 0, "kill", .flag = &r->kill },
		{ 0, "steps", .set = set_steps, .to = r },
		{ 0, "max", .arg = &max },
		{ 'g', "graphs", .set = set_graphs, .to = r },
		{ 'm', "cuda-memory", .flag = &r->memory },
		{ 0, "sync", .flag = &r->sync },
		{ 0, "power", .flag = &r->power },
		{ 0, "all-calls", .flag = &r->all_calls },
		{ 0, "fork", .flag = &r->fork },
		{ 0, "flush", .set = set_flush, .to = r },
		{ 0, "cupti", .arg = &r->cupti },
		{ 0, "markers", .set = set_markers, .to = r, .optional = true },
		{ 0, "op-steps", .arg = &op_steps },
		{ 0, "arm", .flag = &r->arm },
		{ 0, "trigger", .arg = &r->trigger },
		{ .name = NULL },
	};
	bool posix = getenv("POSIXLY_CORRECT") != NULL;

	/* the command's own options are not ours */
	setenv("POSIXLY_CORRECT", "1", 1);
	(void)cli_options(argc, argv, opts);
	if (delay != NULL)
		r->delay = seconds("--delay", delay);
	if (duration != NULL)
		r->duration = seconds("--duration", duration);
	if (max != NULL)
		r->max = cli_size("--max", max);
	if (op_steps != NULL)
		r->op_steps = cli_i64("--op-steps", op_steps, 1, 1000000);
	if (!posix)
		unsetenv("POSIXLY_CORRECT");
}

/* What excludes what; and what --arm brings. */
static void
check_options(struct record *r)
{
	if (r->steps > 0 && r->trigger == NULL)
		die("--steps: A-B; a number alone is for --trigger");
	if (r->op_steps > 0 && r->markers == NULL && !r->arm)
		die("--op-steps needs --markers");
	if (r->op_steps == 0)
		r->op_steps = 3;
	/* the ops of a section would be in another one */
	if (r->live && r->markers != NULL &&
	    strcmp(r->markers, "alternate") == 0)
		r->markers = "ops";
	if (!r->arm)
		return;
	if (r->stream || r->live || r->power || r->delay > 0 ||
	    r->duration > 0 || strcmp(r->capture, "none") != 0)
		die("--arm excludes --stream, --live, --power, -c, --steps, "
		    "--delay and --duration");
	if (r->out == NULL || strstr(r->out, "%n") == NULL)
		die("--arm: -o FILE with %%n in its name, which is the number "
		    "of the recording");
	if (r->markers == NULL)
		r->markers = "alternate";
}

int
main(int argc, char **argv)
{
	static struct record r = { .cuda = true,
		.nvtx = true,
		.capture = "none",
		.flush = 1000000000 };

	cli_init("dlp-record");
	read_options(&r, argc, argv);
	if (r.trigger != NULL) {
		if (r.out != NULL || optind < argc)
			cli_usage();
		return record_trigger(&r);
	}
	check_options(&r);
	if (r.convert != NULL) {
		if ((r.out == NULL) != r.stream || r.live || optind < argc)
			cli_usage();
		return record_convert(&r);
	}
	if (optind == argc)
		cli_usage();
	if (r.kill && r.duration == 0)
		die("--kill needs --duration");
	if (r.stream && r.live)
		die("--stream and --live exclude each other");
	if (r.out == NULL && !r.stream && !r.live)
		die("where to? -o FILE, --stream, or --live");
	return record_run(&r, argv + optind);
}
