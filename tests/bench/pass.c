/*
 * A filter that knows nothing: every line passes through the shared loop
 * untouched. It measures what reading and writing a stream costs alone.
 */
#include "out.h"
#include "stage.h"

int
main(int argc, char **argv)
{
	struct stage st;

	stage_start(&st, "dlp-pass", NULL, argc, argv);
	return out_finish(stage_run(&st));
}
