/* See head.h. */
#include "err.h"
#include "head.h"
#include "unit.h"

const struct head_col head_known[HEAD_KNOWN] = {
	{ "ncu_mma_inst", NULL, "mma_inst" },
	{ "ncu_tensor_flop", NULL, "tensor_flop" },
	{ "ncu_dram_read_bytes", "dram__bytes_read.sum", "dram_read_bytes" },
	{ "ncu_dram_write_bytes", "dram__bytes_write.sum", "dram_write_bytes" },
	{ "ncu_l2_bytes", "lts__t_bytes.sum", "l2_bytes" },
	{ "ncu_dur_ns", "gpu__time_duration.sum", "duration_ns" },
};

static const char pipe_inst[] = "sm__inst_executed_pipe_tensor.sum";
static const char hfma2_inst[] =
    "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum";

int
head_find(const struct csv *c, const char *a, const char *b)
{
	int i = a != NULL ? csv_find(c, a) : -1;

	return i >= 0 || b == NULL ? i : csv_find(c, b);
}

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool
ends(const char *s, const char *with)
{
	size_t n = strlen(s), k = strlen(with);

	return n >= k && strcmp(s + n - k, with) == 0;
}

/* The parts with and without sparsity are in the whole. */
static bool
is_ops(const char *metric)
{
	return starts(metric, "sm__ops_path_tensor_src_") &&
	       ends(metric, ".sum") && strstr(metric, "_sparsity_") == NULL;
}

void
head_read(struct head *h, const struct csv *c)
{
	int i;

	memset(h, 0, sizeof(*h));
	h->name = head_find(c, "Kernel Name", "kernel");
	h->grid = head_find(c, "Grid Size", "grid");
	h->block = head_find(c, "Block Size", "block");
	if (h->grid < 0 || h->block < 0)
		die("%s: no column '%s'", c->in.name,
		    h->grid < 0 ? "Grid Size" : "Block Size");
	h->pipe = head_find(c, pipe_inst, "tensor_pipe_inst");
	h->hfma2 = head_find(c, hfma2_inst, "hfma2_inst");
	h->nfields = c->n;
	h->ops = xcalloc((size_t)c->n, sizeof(*h->ops));
	h->unit = xcalloc((size_t)c->n, sizeof(*h->unit));
	for (i = 0; i < c->n; i++)
		if (is_ops(csv_field(c, i)))
			h->ops[h->nops++] = i;
}

static bool
number(const struct csv *c, int field, double *v)
{
	return field >= 0 && unit_number(csv_field(c, field), v);
}

/* Matrix instructions: those of the tensor pipe but for HFMA2, which runs
 * there too and is none. */
bool
head_mma(const struct head *h, const struct csv *c, int field, double *v)
{
	double pipe, hfma2;

	if (number(c, field, v))
		return true;
	if (!number(c, h->pipe, &pipe) || !number(c, h->hfma2, &hfma2))
		return false;
	*v = pipe - hfma2;
	return true;
}

bool
head_ops(const struct head *h, const struct csv *c, int field, double *v)
{
	bool any = false;
	double x;
	int i;

	if (number(c, field, v))
		return true;
	*v = 0;
	for (i = 0; i < h->nops; i++)
		if (number(c, h->ops[i], &x)) {
			*v += x;
			any = true;
		}
	return any;
}
