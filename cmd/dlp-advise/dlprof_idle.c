/* What a GPU waits for while it runs no kernels; see dlprof.h. */
#include "dlprof.h"

/* What the CPU did meanwhile: the largest kind of API calls, if it is the main
 * part of that time. */
static const char *
cpu_part(const struct facts *f)
{
	static const char *const say[N_CPU] = {
		[C_LAUNCH] = ", mostly launches: launch less, by torch.compile"
			     " or CUDA graphs",
		[C_FIRST] = ", mostly first calls, which start CUDA and load"
			    " modules: profile later steps",
		[C_MODULE] = ", mostly loading of modules, of start-up: profile"
			     " later steps",
		[C_ALLOC] = ", mostly allocation of memory: allocate once",
		[C_SYNC] = ", mostly waiting for the GPU: synchronize less",
		[C_COPY] = ", mostly calls that copy: copy less, or from pinned"
			   " memory",
	};
	int i, best = 0;

	for (i = 1; i < N_CPU; i++)
		if (f->cpu_ns[i] > f->cpu_ns[best])
			best = i;
	if (2 * share_pct(f, f->cpu_ns[best]) < busy_pct(f, 1U << B_CPU))
		return ", mostly the program itself, between its CUDA calls: "
		       "dlp"
		       " gaps FILE tells where";
	return say[best];
}

struct part {
	int class;
	const char *name, *advice, *own; /* own NULL: cpu_part */
};

static const struct part parts[] = {
	{ B_CPU, "CPU",
	    "Consider swapping ops that are running on the CPU for equivalent"
	    " GPU ops",
	    NULL },
	{ B_LOAD, "Dataloader",
	    "Consider more workers for the dataloader, or a faster one",
	    ": more workers, or less to do for them" },
	{ B_IO, "I/O", "Consider reading the data ahead of their use",
	    ": read the data ahead of their use" },
	{ B_OTHER, "Other",
	    "Consider looking at what the program does while no op runs",
	    ": nothing that was recorded runs then: start-up, or code without"
	    " ranges and CUDA calls" },
	{ B_MEM, "Copying", NULL,
	    ": dlp copies FILE tells what is copied, and from which memory" },
};
#define N_DLPROF_PART 4 /* DLProf knew no copies */

/* What a class of dlp-gaps is, and what to do. */
static const char *
gap_part(int class)
{
	static const char *const say[N_GAP] = {
		[G_LAUNCH] = "launch-bound: launch less, by torch.compile or"
			     " CUDA graphs",
		[G_STARTUP] = "first calls, which start CUDA and load"
			      " modules: profile later steps",
		[G_SYNC] = "waiting for the GPU: synchronize less",
		[G_DATA] = "loading of data: more workers, or less to do for"
			   " them",
		[G_COMM] = "communication on the CPU",
		[G_ALLOC] = "allocation of memory: allocate once",
		[G_MODULE] = "loading of modules, of start-up: profile later"
			     " steps",
		[G_OS] = "calls of the operating system: dlp waits FILE tells"
			 " which",
		[G_PROFILER] = "the profiler itself: record less",
		[G_QUEUED] = "short gaps between works that were launched in"
			     " time",
		[G_UNKNOWN] = "nothing that was recorded: code without ranges"
			      " and CUDA calls",
	};

	return say[class];
}

/* What idles or copies most; false if dlp-gaps has not told. */
static bool
say_gaps(const struct facts *f, struct verdict *v)
{
	int c = gap_most(f);
	double pct = c >= 0 ? share_pct(f, f->gap_ns[c]) : 0;

	if (f->compat || !f->has_gaps || pct <= busy_pct(f, 1U << B_MEM))
		return false;
	v->share = pct;
	v->within = c == G_LAUNCH ? "launch_bound"
		    : c == G_DATA ? "dataloader_detector"
				  : NULL;
	buf_printf(&v->advice,
	    "It idles for %.1f %% of the time for one reason: %s; dlp gaps FILE"
	    " tells when",
	    pct, gap_part(c));
	return true;
}

void
say_largest(const struct facts *f, struct verdict *v)
{
	size_t n = f->compat ? N_DLPROF_PART : sizeof(parts) / sizeof(parts[0]);
	const struct part *best = parts, *p;
	double pct;

	if (say_gaps(f, v))
		return;
	for (p = parts; p < parts + n; p++)
		if (busy_pct(f, 1U << p->class) >
		    busy_pct(f, 1U << best->class))
			best = p;
	pct = busy_pct(f, 1U << best->class);
	if (f->compat)
		buf_printf(&v->advice,
		    "%s has the highest (non-GPU) usage at %.1f%%."
		    " %s",
		    best->name, pct, best->advice);
	else
		buf_printf(&v->advice,
		    "%s takes %.1f %% of the time meanwhile%s", best->name, pct,
		    best->own != NULL ? best->own : cpu_part(f));
	v->share = pct;
	v->within = best->class == B_LOAD ? "dataloader_detector" : NULL;
}
