/*
 * Fuzzing of the readers of PyProf's .dict (make fuzz T=dict-line). A line
 * is read as a line of a .dict; its marker goes through every rule.
 */
#include <stdlib.h>
#include <string.h>

#include "../../cmd/dlp-parse/pydict.h"
#include "../../cmd/dlp-pyprof/pyprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
rules(const struct pyprof_kern *k)
{
	static struct pyprof_marker m;
	static struct pyprof_result r;
	struct pyprof_call c = { &m, buf_str((struct buf *)&k->name), k->bwd,
		k->sub, { k->grid[0], k->grid[1], k->grid[2] }, false, NULL };
	int i;

	if (k->marker.len == 0 ||
	    !pyprof_marker_read(&m, k->marker.s, k->marker.len))
		return;
	for (i = 0; i < 2; i++) {
		c.last = i == 1;
		r.params.len = 0;
		(void)pyprof_rule_apply(&c, m.mod, m.op, &r);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct dict_line line;
	static struct pyrow row;
	static struct pyprof_forward forward;
	static struct pyprof_kern kern;
	char *text = malloc(n > 0 ? n : 1); /* the exact size */

	memcpy(text, data, n);
	(void)dict_line(&line, &row, text, n);
	if (pyprof_kern_read(&kern, text, n)) {
		pyprof_forward_keep(&forward, &kern);
		pyprof_forward_find(&forward, &kern);
		rules(&kern);
	}
	free(text);
	return 0;
}
