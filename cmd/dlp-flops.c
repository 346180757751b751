/*
 * dlp-flops: adds to each kernel the work that it did. It reads op records
 * (their type, shapes and arguments), applies the rules in cmd/dlp-flops, and
 * adds to each kern record PyProf's params, FLOPs, bytes, number type, and
 * Tensor Core use by the kernel's name. Everything else passes through.
 */
#include "cli.h"
#include "dlp-flops/flops.h"
#include "drop.h"

static void
set_ranks(void *ranks, const char *arg)
{
	*(int64_t *)ranks = cli_i64("--ranks", arg, 1, 1 << 24);
}

static void
on_flops_section(struct stage *st)
{
	struct flops *fl = st->ctx;

	fl->names.tc.without = NULL;
	facts_forget(fl);
	answer_forget(fl);
	hold_forget(fl);
	fl->nseen = 0;
	memset(&fl->counts, 0, sizeof(fl->counts));
}

static void
on_flops_end(struct stage *st)
{
	hold_drain(st);
	write_notes(st->ctx);
}

int
main(int argc, char **argv)
{
	/* static because it is large; one per process */
	static struct flops flops = { .ranks = -1 };
	static const char *tc_rules;
	static const struct cli_opt opts[] = {
		{ 'f', "rules", .set = rows_load, .to = &flops.rules },
		{ 'q', "quiet", .flag = &flops.quiet },
		{ 0, "ranks", .set = set_ranks, .to = &flops.ranks },
		SPILL_OPTION,
		{ 0, "hlo", .set = side_hlo, .to = &flops.side },
		{ 0, "inductor", .set = side_inductor, .to = &flops.side },
		{ 0, "tc-rules", .arg = &tc_rules },
		DROP_OPTION,
		{ 0 },
	};
	static const char *const notes[] = { "n_kern", "n_kern_op",
		"n_kern_shapes", "n_kern_flop", "n_kern_tc", "kern_ns",
		"kern_op_ns", "kern_shapes_ns", "kern_flop_ns", "kern_tc_ns",
		"kernel_arch", "flop_unknown", "flop_overflow", "bad_args",
		"tc_unknown", NULL };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-flops", opts, argc, argv);
	kname_open(&flops.names, tc_rules);
	read_attach(&st, &flops);
	st.section = on_flops_section;
	st.end = on_flops_end;
	stage_anew(&st, notes);
	rc = stage_run(&st);
	if (!flops.quiet)
		write_summary(&flops);
	write_graphs(&flops);
	return out_finish(rc);
}
