/*
 * The profile on one screen: what was recorded, the steps, where their time
 * goes, what is not known, and what to do next. Lists show the first few.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "esc.h"
#include "num.h"
#include "out.h"
#include "overview.h"
#include "utf8.h"
#include "words.h"

/* Lines. Widths are in bytes, as names are: a character of several bytes that
 * is cut shows as \xHH. */

#define LONG_HEAD 12 /* one that is longer is no column of its own */
#define BAR_MAX 30

static void
put_line(const struct page *p, const char *s, size_t n)
{
	size_t wide = (size_t)p->width;

	size_t from = out_buf.len;

	utf8_show(&out_buf, s, n < wide ? n : wide);
	buf_putc(&out_buf, '\n');
	if (p->amd)
		out_buf.len =
		    from + words_amd(out_buf.s + from, out_buf.len - from);
}

static void
page_line(const struct page *p, const char *s)
{
	put_line(p, s, strlen(s));
}

/* The blank between a number and its unit: no line ends there. */
static bool
is_before_unit(const char *s, size_t n)
{
	if (n > 1 && s[1] == '%')
		return true;
	return n >= 3 && memcmp(s, " ms", 3) == 0 && (n == 3 || s[3] == ' ');
}

static bool
is_between_words(const char *s, size_t n)
{
	return *s == '\t' || *s == '\n' || (*s == ' ' && !is_before_unit(s, n));
}

/* The next word of s[0..n), which begins at *at; its length, 0 at the end. */
static size_t
next_word(const char *s, size_t n, size_t *at)
{
	size_t i = *at;

	while (i < n && is_between_words(s + i, n - i))
		i++;
	*at = i;
	while (i < n && !is_between_words(s + i, n - i))
		i++;
	return i - *at;
}

/* Writes what is wider than the page in several lines; the last stays. */
static void
break_line(const struct page *p, struct buf *line, size_t pad)
{
	size_t wide = (size_t)p->width;

	if (pad >= wide) /* or there would be no end */
		pad = wide - 1;
	while (line->len > wide) {
		put_line(p, line->s, wide);
		memmove(line->s + pad, line->s + wide, line->len - wide);
		memset(line->s, ' ', pad);
		line->len -= wide - pad;
	}
}

static void
put_blanks(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_putc(b, ' ');
}

static void
fill(const struct page *p, const char *head, size_t pad, const char *s)
{
	size_t at = 0, n = strlen(s), len;
	struct buf line = { 0 };
	bool first = true;

	buf_puts(&line, head);
	for (; (len = next_word(s, n, &at)) > 0; at += len, first = false) {
		if (!first && line.len + 1 + len > (size_t)p->width) {
			put_line(p, line.s, line.len);
			buf_clear(&line);
			put_blanks(&line, pad);
		} else if (!first) {
			buf_putc(&line, ' ');
		}
		buf_put(&line, s + at, len);
		break_line(p, &line, pad);
	}
	put_line(p, line.s, line.len);
	buf_free(&line);
}

/* Words after a head, in lines that begin below its end; a head that is longer
 * than 12 bytes is part of the words. */
static void page_fill(const struct page *p, const char *head, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

static void
page_fill(const struct page *p, const char *head, const char *fmt, ...)
{
	struct buf text = { 0 };
	size_t n = strlen(head);
	va_list ap;
	int len;

	if (n > LONG_HEAD)
		buf_puts(&text, head);
	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	buf_reserve(&text, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(text.s + text.len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	text.len += (size_t)len;
	if (n > LONG_HEAD)
		fill(p, "", 2, buf_str(&text));
	else
		fill(p, head, n, buf_str(&text));
	buf_free(&text);
}

/* At most n bytes of s, from the byte `from` on. */
static void
put_part(struct buf *b, const char *s, int from, int n)
{
	int len = (int)strlen(s);

	if (from < 0)
		from = 0;
	if (n > len - from)
		n = len - from;
	if (n > 0)
		buf_put(b, s + from, (size_t)n);
}

/* The name in n bytes: a longer one without its middle. */
static void
page_fit(struct buf *b, const char *s, int n)
{
	static const char end[] = " (no op)"; /* says more than the name */
	int tail = 0, len = (int)strlen(s), head;

	if (len <= n) {
		buf_puts(b, s);
		return;
	}
	if (len >= (int)sizeof(end) - 1 &&
	    strcmp(s + len - (sizeof(end) - 1), end) == 0)
		tail = (int)sizeof(end) - 1;
	len -= tail;
	n -= tail;
	head = (n - 2) * 2 / 3;
	put_part(b, s, 0, head);
	buf_puts(b, "..");
	put_part(b, s, len - n + head + 2, n - head - 2);
	if (tail > 0)
		buf_puts(b, end);
}

/* A time that would be 0.00 ms keeps its digits in a unit of its own. */
struct ms_text {
	char s[40];
};

static struct ms_text
ms_text(double ns)
{
	struct ms_text t;
	bool none = ns < .5; /* of a ns */

	if (none || ns >= 5e3) /* 0.01 ms */
		(void)snprintf(
		    t.s, sizeof(t.s), "%.2f ms", none ? 0 : ns / 1e6);
	else if (ns >= 1e3)
		(void)snprintf(t.s, sizeof(t.s), "%.1f us", ns / 1e3);
	else
		(void)snprintf(t.s, sizeof(t.s), "%.0f ns", ns);
	return t;
}

/* A label, a time, its share and a bar. */
static void
page_bar(const struct page *p, const char *label, double ns)
{
	int room = p->width >= 48 ? 26 : p->width >= 34 ? p->width - 22 : 12;
	double n = p->width - 50 > BAR_MAX ? BAR_MAX : p->width - 50;
	struct buf line = { 0 };
	char share[64] = "-";
	int marks;
	size_t at;

	buf_puts(&line, "  ");
	page_fit(&line, label, room);
	at = line.len;
	put_blanks(&line, at < (size_t)room + 2 ? (size_t)room + 2 - at : 0);
	if (p->base > 0)
		(void)snprintf(
		    share, sizeof(share), "%.1f %%", 100 * ns / p->base);
	buf_printf(&line, " %11s %7s", ms_text(ns).s, share);
	n = p->base > 0 ? n * ns / p->base : 0;
	marks = n > 0 && n < INT16_MAX ? (int)(n + .5) : 0;
	if (marks > 0)
		buf_puts(&line, "  ");
	for (; marks > 0; marks--)
		buf_putc(&line, '#');
	put_line(p, line.s, line.len);
	buf_free(&line);
}

/* What to do, by the reasons that records give (columns tc_why and why);
 * dlp-tc(1) has more. */

static const struct tip {
	const char *reason, *text;
} tips[] = {
	{ "fp32", "TF32 is off: torch.set_float32_matmul_precision(\"high\"),"
		  " torch.backends.cudnn.allow_tf32 = True, or autocast to"
		  " bf16" },
	{ "unaligned", "a size is no multiple of 16 bytes (8 of fp16, 4 of"
		       " tf32): pad it, a vocabulary of 50257 to 50304" },
	{ "old_kernel", "a kernel of Volta or Turing: other sizes, or a newer"
			" library" },
	{ "fft", "a method without matrix instructions:"
		 " torch.backends.cudnn.benchmark = True, autocast, or"
		 " channels_last" },
	{ "winograd", "a method without matrix instructions:"
		      " torch.backends.cudnn.benchmark = True, autocast, or"
		      " channels_last" },
	{ "type_newer_gpu", "this GPU has none for the type: fp16 by autocast"
			    " works from Volta on" },
	{ "type", "no Tensor Cores take the type: cast it" },
	{ "grouped", "few channels per group: fewer, larger groups" },
	{ "small", "a side below 16 fills no tile: batch products" },
	{ "vector", "a matrix times a vector: a larger batch" },
	{ "depthwise", "one channel per group: its bytes limit it" },
	{ "unknown_kernel", "the name of the kernel does not tell: a rule of"
			    " yours does, see dlp-tc(1)" },
	{ "complex", "the library chose plain pipes: another type, if its"
		     " range allows" },
	{ "fp64", "the library chose plain pipes: another type, if its range"
		  " allows" },
	{ "library", "the own choice of the library: autocast, or other"
		     " sizes" },
	{ "no-range",
	    "record ranges: nsys profile -t cuda,nvtx; " OVERVIEW_EMIT },
	{ "user-range", "the ranges are no ops: " OVERVIEW_EMIT },
	{ "before-window", "the recording begins within ranges: let it begin"
			   " before them" },
	{ "no-api", "calls were not recorded: nsys profile -t cuda" },
	{ "graph", "kernels of graphs: nsys profile --cuda-graph-trace=node" },
	{ "xla-library",
	    "cuBLAS and cuDNN in command buffers do not name their HLO: without"
	    " command buffers their launches have ranges,"
	    " XLA_FLAGS=--xla_gpu_enable_command_buffer=" },
};

/* What to do about kernels that do not use Tensor Cores, and about work of
 * which something is not known, by the reason; NULL if nothing helps. */
static const char *
overview_tip(const char *reason)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(tips); i++)
		if (strcmp(tips[i].reason, reason) == 0)
			return tips[i].text;
	return NULL;
}

/* The parts of the screen. */

#define SEP "\034"   /* between the names of tally why_op */
#define NOTHING 5000 /* ns: less would be shown as 0.00 ms */

struct screen {
	struct overview *o;
	const struct overview_how *how;
	struct page page;
};

static bool
is_unset(const char *s)
{
	return s[0] == '-' && s[1] == '\0';
}

/* A trace of torch.profiler, which does not name its version. */
static bool
is_kineto(const struct overview *o)
{
	return strcmp(overview_fact(o, OV_DIALECT), "kineto") == 0;
}

static bool
is_rocpd(const struct overview *o)
{
	return strcmp(overview_fact(o, OV_DIALECT), "rocpd") == 0;
}

/* What a recording by rocprofv3 needs so that work has ops. */
static const char *
rocprof_tip(const char *why)
{
	if (strcmp(why, "no-api") == 0)
		return "calls were not recorded: rocprofv3 --hip-trace";
	if (strcmp(why, "no-range") == 0 || strcmp(why, "user-range") == 0)
		return "record ranges: rocprofv3 "
		       "--marker-trace; " OVERVIEW_EMIT;
	return overview_tip(why);
}

/* The units for matrix products, as the GPU's maker calls them. */
static const char *
tensor_cores(const struct overview *o)
{
	return o->amd ? "matrix cores" : "Tensor Cores";
}

/* What is not known is said in a word. */
static const char *
known(const char *s)
{
	return is_unset(s) ? "unknown" : s;
}

static void
put_ms(struct buf *b, double ns)
{
	buf_puts(b, ms_text(ns).s);
}

/* A name for a shell to read; one that no terminal should get is `other`. */
static void
put_shell_word(struct buf *b, const char *s, const char *other)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789_./,:@%+=-";

	if (!utf8_shown(s, strlen(s))) {
		buf_puts(b, other);
	} else if (*s != '\0' && *s != '-' && s[strspn(s, plain)] == '\0') {
		buf_puts(b, s);
	} else {
		buf_putc(b, '\'');
		for (; *s != '\0'; s++)
			if (*s == '\'')
				buf_puts(b, "'\\''");
			else
				buf_putc(b, *s);
		buf_putc(b, '\'');
	}
}

/* The profile in a command to type; the name of standard input is not known. */
static void
put_profile(struct buf *b, const struct screen *s)
{
	if (s->how->piped)
		buf_puts(b, "FILE");
	else
		put_shell_word(b, s->o->file, "FILE");
}

/* A row, if there is anything to show. */
static void
part(const struct screen *s, const char *label, double ns)
{
	if (ns > 0)
		page_bar(&s->page, label, ns);
}

static void
put_gpus(struct screen *s)
{
	struct overview *o = s->o;
	struct buf gpus = { 0 };
	char used[48] = "";
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < o->dev_name.n; i++)
		n += o->dev_name.val[i];
	if ((uint64_t)o->n_gpu < n)
		(void)snprintf(used, sizeof(used), " (%d used)", o->n_gpu);
	overview_gpus(o, &gpus);
	if (is_unset(buf_str(&gpus)) &&
	    strcmp(overview_fact(o, OV_VENDOR), "nvidia") == 0) {
		buf_clear(&gpus);
		buf_puts(&gpus, "of unknown name, by its calls NVIDIA's");
	}
	if (!is_unset(overview_fact(o, OV_HIP)))
		page_fill(&s->page, "GPU     ", "%s%s; HIP %s",
		    known(buf_str(&gpus)), used, overview_fact(o, OV_HIP));
	else if (o->amd ||
		 (is_kineto(o) && is_unset(overview_fact(o, OV_CUDA))))
		page_fill(
		    &s->page, "GPU     ", "%s%s", known(buf_str(&gpus)), used);
	else if (is_unset(overview_fact(o, OV_DRIVER)) &&
		 !is_unset(overview_fact(o, OV_CUDA)))
		page_fill(&s->page, "GPU     ", "%s%s; CUDA %s",
		    known(buf_str(&gpus)), used, overview_fact(o, OV_CUDA));
	else
		page_fill(&s->page, "GPU     ", "%s%s; driver %s, CUDA %s",
		    known(buf_str(&gpus)), used,
		    known(overview_fact(o, OV_DRIVER)),
		    known(overview_fact(o, OV_CUDA)));
	buf_free(&gpus);
}

static void
put_tool(struct screen *s)
{
	static const char *const tools[][2] = { { "nsys", "Nsight Systems" },
		{ "dldb", "DLProf" }, { "rocpd", "rocprofv3" },
		{ "pyprof-dict", "PyProf (.dict)" } };
	const char *tool = known(overview_fact(s->o, OV_DIALECT));
	const char *version = overview_fact(s->o, OV_RECORDER);
	const char *schema = overview_fact(s->o, OV_SCHEMA);
	const char *options = overview_fact(s->o, OV_OPTIONS);
	size_t i;

	for (i = 0; i < ARRAY_LEN(tools); i++)
		if (strcmp(tool, tools[i][0]) == 0) {
			tool = tools[i][1];
			break;
		}
	if (!is_unset(overview_fact(s->o, OV_PRODUCT)))
		tool = overview_fact(s->o, OV_PRODUCT);
	if (is_unset(version))
		version = overview_fact(s->o, OV_DLPROF);
	if (is_kineto(s->o))
		page_fill(&s->page, "tool    ",
		    is_unset(options) ? "torch.profiler"
				      : "torch.profiler with %s",
		    options);
	else if (!is_unset(version))
		page_fill(&s->page, "tool    ", "%s %s", tool, version);
	else if (is_unset(schema))
		page_fill(&s->page, "tool    ", "%s, version unknown", tool);
	else
		page_fill(&s->page, "tool    ",
		    "%s, version unknown; schema %s", tool, schema);
}

/* What dlp-record --markers added to the program. */
static void
put_marker_cost(struct screen *s)
{
	const char *ns = overview_fact(s->o, OV_MARKER_NS);
	double v;

	if (!is_unset(ns) && num_f64(ns, strlen(ns), &v))
		page_fill(&s->page, "        ",
		    "with markers (--markers), which made the program about "
		    "%.0f ms longer (a guess)",
		    v / 1e6);
}

/* Without steps: the time before the GPU works, and after it. */
static void
put_edges(struct screen *s)
{
	struct overview *o = s->o;

	if (o->before > .02 * s->page.base) {
		if (o->edge_api == NULL)
			page_fill(&s->page, "        ",
			    "before the first GPU work: %s",
			    ms_text(o->before).s);
		else
			page_fill(&s->page, "        ",
			    "before the first GPU work: %s, the longest"
			    " call in it %s, %s",
			    ms_text(o->before).s, o->edge_api,
			    ms_text(o->edge_api_ns).s);
	}
	if (o->behind > .02 * s->page.base)
		page_fill(&s->page, "        ", "after the last GPU work: %s",
		    ms_text(o->behind).s);
}

/* How steps can be named. */
static void
put_try(struct screen *s)
{
	struct buf cmd = { 0 };

	if (s->o->try_key != NULL) {
		buf_puts(&cmd, "try: dlp -k ");
		put_shell_word(&cmd, s->o->try_key, "FILE");
		buf_putc(&cmd, ' ');
		put_profile(&cmd, s);
	} else {
		buf_puts(&cmd,
		    "dlp-parse FILE | dlp-correlate | dlp-iter --list"
		    " | dlp-fmt -T cand proposes some");
	}
	page_fill(&s->page, "steps   ",
	    "none found: all is of the whole profile; -k names what a step is"
	    " (%s)",
	    buf_str(&cmd));
	buf_free(&cmd);
}

static void
put_no_steps(struct screen *s)
{
	struct overview *o = s->o;
	struct ms_text time = ms_text(s->page.base);

	if (o->info[OV_TIMES] != NULL)
		page_fill(&s->page, "steps   ",
		    "none: this file has no times; all is of the whole of it");
	else
		put_try(s);
	if (!o->timed)
		page_fill(&s->page, "100 %   ", "%s: all GPU work", time.s);
	else if (o->n_gpu > 1)
		page_fill(&s->page, "100 %   ",
		    "%s: from the first GPU work to the last, the sum"
		    " over %d GPUs",
		    time.s, o->n_gpu);
	else
		page_fill(&s->page, "100 %   ",
		    "%s: from the first GPU work to the last", time.s);
	if (o->timed)
		put_edges(s);
}

/* " in 2 files, number 3 to 5" */
static void
put_numbers(struct buf *b, const struct overview *o)
{
	if (o->n_stable > 1)
		buf_printf(b, " in %d files", o->n_stable);
	if (o->differ)
		return;
	buf_printf(b, ", number %s", o->first);
	if (strcmp(o->first, o->last) != 0)
		buf_printf(b, " to %s", o->last);
}

static void
put_left_out(struct buf *b, const struct overview *o)
{
	if (o->n_all <= o->n_used) {
		buf_puts(b, "none left out");
		return;
	}
	buf_printf(b, "%.0f uneven left out", o->n_all - o->n_used);
	if (o->n_once > 0)
		buf_printf(b, ", of which %.0f load%s code or allocate%s",
		    o->n_once, o->n_once > 1 ? "" : "s",
		    o->n_once > 1 ? "" : "s");
	buf_puts(b, " (-i chooses others)");
}

static void
put_which_steps(struct screen *s)
{
	struct overview *o = s->o;
	struct buf b = { 0 };

	buf_printf(&b, "%.0f of ", o->n_used);
	if (s->how->iters != NULL) {
		buf_printf(&b, "%.0f", o->n_cut);
		put_numbers(&b, o);
		buf_puts(&b, ": as -i asks for; ");
		if (o->n_cut > o->n_used)
			buf_printf(&b, "%.0f left out", o->n_cut - o->n_used);
		else
			buf_puts(&b, "none left out");
	} else if (!o->differ && is_unset(o->first)) {
		buf_printf(&b, "%.0f", o->n_all);
		if (o->n_stable > 1)
			buf_printf(&b, " in %d files", o->n_stable);
		buf_printf(&b,
		    ": no two are within %s %% of the median, all count",
		    o->within);
	} else {
		buf_printf(&b, "%.0f", o->n_all);
		put_numbers(&b, o);
		if (o->n_all == 1) {
			page_fill(&s->page, "steps   ", "%s", buf_str(&b));
			buf_free(&b);
			return;
		}
		if (strcmp(o->agree, "none") == 0)
			buf_printf(&b,
			    ": no two steps in a row agree within %s %%; ",
			    o->within);
		else
			buf_printf(&b,
			    ": the most consecutive steps within %s %% of %s;"
			    " ",
			    o->within,
			    strcmp(o->agree, "each other") == 0 ? "each other"
								: "the median");
		put_left_out(&b, o);
	}
	page_fill(&s->page, "steps   ", "%s", buf_str(&b));
	buf_free(&b);
}

static void
put_base(struct screen *s)
{
	struct overview *o = s->o;
	char gpus[48] = "";

	if (o->n_gpu > 1)
		(void)snprintf(gpus, sizeof(gpus),
		    o->n_src > 1 ? ", the sum over %d GPUs" : ", times %d GPUs",
		    o->n_gpu);
	if (!o->timed)
		page_fill(&s->page, "100 %   ", "%s: their GPU work",
		    ms_text(s->page.base).s);
	else
		page_fill(&s->page, "100 %   ",
		    "%s: from the start of the first of these steps to"
		    " the end of the last and its work%s",
		    ms_text(s->page.base).s, gpus);
}

static void
put_steps(struct screen *s)
{
	struct overview *o = s->o;
	double std;

	if (o->n_all == 0) {
		put_no_steps(s);
		return;
	}
	put_which_steps(s);
	if (!overview_std(o, &std))
		page_fill(&s->page, "        ",
		    "mean %s, standard deviation unknown", ms_text(o->mean).s);
	else
		page_fill(&s->page, "        ",
		    "mean %s, standard deviation %s (%.1f %%)",
		    ms_text(o->mean).s, ms_text(std).s,
		    o->mean > 0 ? 100 * std / o->mean : 0);
	put_base(s);
}

/* Idle time by the classes of dlp-gaps. The time that no gap of the steps has
 * lies before work between two steps. */
static void
put_why_idle(struct screen *s)
{
	double rest = s->o->ns[OV_IDLE], ns;
	struct buf label = { 0 };
	const char *class;
	int i;

	for (i = 0; i < 5; i++) {
		class = tally_best(&s->o->gap, &ns);
		if (class == NULL || ns < NOTHING)
			break;
		tally_take(&s->o->gap, &ns);
		buf_clear(&label);
		buf_puts(&label, "  ");
		buf_puts(&label, class);
		part(s, buf_str(&label), ns);
		rest -= ns;
	}
	if (rest >= NOTHING)
		part(s, "  (rest)", rest);
	buf_free(&label);
}

static void
put_gpu_time(struct screen *s)
{
	const struct overview *o = s->o;

	buf_puts(&out_buf, "\nGPU time\n");
	page_bar(&s->page,
	    o->amd ? "matrix core kernels" : "Tensor Core kernels",
	    o->ns[OV_TC]);
	part(s, "communication only", o->ns[OV_COMM]);
	page_bar(&s->page, "other kernels", o->ns[OV_KERN]);
	part(s, "graphs", o->ns[OV_GRAPH]);
	page_bar(&s->page, "copies and sets", o->ns[OV_MEM]);
	page_bar(&s->page, "idle", o->ns[OV_IDLE]);
	put_why_idle(s);
	if (o->n_all > 0 && o->between_idle >= .02 * s->page.base)
		part(s, "  of it between two steps", o->between_idle);
}

static void
put_phases(struct screen *s)
{
	const char *name;
	double ns;
	int i;

	page_line(&s->page, "");
	page_line(&s->page, "phases: GPU work launched in them");
	for (i = 0; i < 6; i++) {
		name = tally_take(&s->o->phase, &ns);
		if (name != NULL)
			part(s, is_unset(name) ? "(none)" : name, ns);
	}
}

static void
put_ops(struct screen *s)
{
	struct overview *o = s->o;
	const struct overview_op *op;
	struct buf line = { 0 };
	const char *name;
	double ns;
	int i;

	page_line(&s->page, "");
	page_line(&s->page, "top ops, each with its longest kernel");
	for (i = 0; i < 5 && (name = tally_take(&o->op, &ns)) != NULL; i++) {
		page_bar(&s->page, name, ns);
		op = &o->ops[smap_find(&o->op.name, name, strlen(name))];
		buf_clear(&line);
		buf_puts(&line, "    ");
		page_fit(&line, op->kernel != NULL ? op->kernel : "",
		    s->page.width - 20);
		if (op->tc)
			buf_printf(&line, ", %s", tensor_cores(s->o));
		page_line(&s->page, buf_str(&line));
	}
	buf_free(&line);
}

/* The op that a reason takes the most time of. */
static const char *
op_of_reason(const struct overview *o, const char *why)
{
	size_t n = strlen(why), len;
	const char *both, *best = "";
	double most = -1;
	uint32_t i;

	for (i = 0; i < o->why_op.name.n; i++) {
		both = smap_str(&o->why_op.name, i, &len);
		if (len <= n || memcmp(both, why, n) != 0 ||
		    both[n] != SEP[0] || o->why_op.sum[i].ns <= most)
			continue;
		most = o->why_op.sum[i].ns;
		best = both + n + 1;
	}
	return best;
}

/* The longest reasons, each with the op that it is the most of. */
static void
put_reasons(struct screen *s, struct tally *reasons)
{
	struct buf label = { 0 };
	const char *why, *tip, *op;
	double ns;
	int i;

	for (i = 0; i < 3 && (why = tally_take(reasons, &ns)) != NULL; i++) {
		buf_clear(&label);
		buf_puts(&label, "  ");
		buf_puts(&label, why);
		page_bar(&s->page, buf_str(&label), ns);
		tip = overview_tip(why);
		if (s->o->no_tf32 && strcmp(why, "fp32") == 0)
			tip = "autocast to fp16; this GPU has no TF32";
		else if (s->o->tf32 && strcmp(why, "fp32") == 0)
			tip = "others use TF32, the library chose FP32 for"
			      " these: other sizes, autocast to bf16, or"
			      " torch.backends.cudnn.benchmark = True";
		op = op_of_reason(s->o, why);
		if (strncmp(op, "conv", 4) == 0 &&
		    strcmp(why, "unaligned") == 0)
			tip = "a number of channels is no multiple of 16 bytes"
			      " (8 of fp16, 4 of tf32): pad it, 3 channels to 4"
			      " or 8";
		page_fill(&s->page, "    ", "most: %s%s%s", op,
		    tip != NULL ? "; " : "", tip != NULL ? tip : "");
	}
	buf_free(&label);
}

static void
put_tensor_cores(struct screen *s)
{
	struct overview *o = s->o;
	struct buf label = { 0 };
	double dark = o->tc_dark;

	page_line(&s->page, "");
	if (o->n_kern > 0 && o->n_judged == 0)
		dark = o->kern_ns;
	if (dark < NOTHING)
		dark = 0;
	buf_printf(&label, "could use %s", tensor_cores(o));
	if (o->eligible > 0 || dark == 0)
		page_bar(&s->page, buf_str(&label), o->eligible);
	buf_free(&label);
	put_reasons(s, &o->why);
	part(s, "could use them: unknown", dark);
	part(s, "uses them, slowly", o->slow);
	put_reasons(s, &o->slow_why);
}

struct lack { /* something that is not known of a part of the time */
	const char *label, *hint;
	double ns, of;
};

/* The account, and what to do about all that is not known of much time; the
 * same advice is given once. */
static void
put_lacks(struct screen *s, const struct lack *v, int n)
{
	struct buf head = { 0 }, text = { 0 };
	int i, k;

	for (i = 0; i < n; i++) {
		buf_printf(&text, "%s%s ", i > 0 ? ", " : "", v[i].label);
		put_ms(&text, v[i].ns);
		if (s->page.base > 0)
			buf_printf(
			    &text, " %.1f %%", 100 * v[i].ns / s->page.base);
		else
			buf_puts(&text, " -");
	}
	page_line(&s->page, "");
	buf_printf(&head, "not known, of %s of GPU work and %s of kernels%s: ",
	    ms_text(s->o->work).s, ms_text(s->o->kern_ns).s,
	    s->o->graph_ns > 0 ? " and graphs" : "");
	page_fill(&s->page, buf_str(&head), "%s", buf_str(&text));
	for (i = 0; i < n; i++) {
		for (k = 0; strcmp(v[k].hint, v[i].hint) != 0; k++)
			;
		if (k == i && v[i].of > 0 && v[i].ns > .1 * v[i].of)
			page_fill(
			    &s->page, "  > ", "%s: %s", v[i].label, v[i].hint);
	}
	buf_free(&head);
	buf_free(&text);
}

/* How the program's framework writes ranges of ops, and what has their sizes;
 * column: place in the table. PyTorch is the default: it has the most programs,
 * and its kernels need not be known by name. */
static const char *
framework_tip(const struct overview *o, int column)
{
	static const char *const tips_of[][3] = {
		{ "xla",
		    "XLA's own ranges: nsys profile -t cuda,nvtx; names in"
		    " them: jax.named_scope",
		    "run it with XLA_FLAGS=--xla_dump_to=DIR, then dlp FILE"
		    " --hlo DIR" },
		{ "tensorflow",
		    "ranges of ops: NVIDIA's build of TensorFlow, or its"
		    " nvtx-plugins; nsys profile -t cuda,nvtx",
		    "TensorFlow records none: --hlo DIR for what XLA "
		    "compiles" },
		{ "mxnet",
		    "ranges of ops: MXNet built with USE_NVTX=1; nsys profile"
		    " -t cuda,nvtx",
		    "MXNet records none; dlp-flops -f takes rules of yours" },
	};
	const char *name = overview_fact(o, OV_FRAMEWORK);
	size_t i;

	for (i = 0; i < ARRAY_LEN(tips_of); i++)
		if (strcmp(tips_of[i][0], name) == 0)
			return tips_of[i][column];
	return NULL;
}

/* The hints that are of PyTorch, for a program of another framework. */
static void
word_by_framework(const struct overview *o, struct lack *v)
{
	const char *op = framework_tip(o, 1);

	if (op == NULL)
		return;
	if (strstr(v[0].hint, OVERVIEW_EMIT) != NULL)
		v[0].hint = op;
	v[1].hint = framework_tip(o, 2);
}

static void
put_unknown(struct screen *s)
{
	const struct overview *o = s->o;
	const char *graph = overview_tip("graph"), *tip = NULL, *why;
	double ns;
	struct lack v[] = {
		{ "op", OVERVIEW_EMIT, o->no_op, o->work },
		{ "sizes", OVERVIEW_EMIT, o->no_shapes, o->kern_ns },
		{ "FLOPs",
		    "dlp coverage names the ops; dlp-flops -f takes"
		    " rules of yours",
		    o->no_flop, o->kern_ns },
		{ "Tensor Cores or not",
		    "dlp coverage names the kernels; dlp-tc(1) how to write"
		    " rules",
		    o->no_verdict, o->kern_ns },
	};
	int i;

	why = tally_best(&o->no_op_why, &ns);
	if (why != NULL)
		tip = overview_tip(why);
	if (tip != NULL)
		v[0].hint = tip;
	word_by_framework(o, v);
	if (is_kineto(o)) {
		if (tip == NULL || strstr(tip, OVERVIEW_EMIT) != NULL)
			v[0].hint = "record them: torch.profiler.profile("
				    "activities=[ProfilerActivity.CPU, ...])";
		if (why != NULL && strstr(why, "-range") != NULL &&
		    strncmp(overview_fact(o, OV_ACTIVITIES), "CPU", 3) == 0)
			v[0].hint = "they were launched outside of ops, as"
				    " kernels of Triton that the program calls"
				    " itself: torch.library.triton_op makes"
				    " them ops";
		if (o->replays)
			v[0].hint = "a graph replays these kernels: the trace"
				    " of its capture has them, dlp-parse"
				    " --capture CAPTURE FILE";
		if (why != NULL && (strcmp(why, "no-api") == 0 ||
				       strcmp(why, "before-window") == 0))
			v[0].hint = "their calls are not in the trace: they"
				    " were made before the recording began, or"
				    " by another thread or process";
		v[1].hint = o->opless > .5 * o->no_shapes &&
				    (o->kern_ns > o->no_shapes ||
					strstr(overview_fact(o, OV_OPTIONS),
					    "record_shapes") != NULL)
				? "they come with the op"
				: "torch.profiler.profile(record_shapes=True)";
	}
	if (is_rocpd(o) && why != NULL && rocprof_tip(why) != NULL)
		v[0].hint = rocprof_tip(why);
	if (o->no_shapes > .5 * o->no_flop)
		v[2].hint = "dlp coverage names the ops; most lack sizes";
	if (o->no_capture > .5 * o->no_flop)
		v[2].hint = OVERVIEW_CAPTURE;
	for (i = 1; i < (int)ARRAY_LEN(v); i++)
		if (o->graph_ns > .5 * v[i].ns && !is_kineto(o))
			v[i].hint = graph;
	put_lacks(s, v, (int)ARRAY_LEN(v));
}

/* The finding's text, and the file where it is the most, of several. */
static void
put_problem(struct screen *s, int nth, const struct overview_finding *f)
{
	struct buf head = { 0 }, text = { 0 };

	buf_printf(&head, "  %d ", nth);
	if (!is_unset(f->share))
		buf_printf(&text, "[%s %%] ", f->share);
	if (s->o->n_src > 1 && !is_unset(f->src)) {
		buf_puts(&text, f->src);
		if (f->n_file > 1)
			buf_printf(&text, " (and %d more)", f->n_file - 1);
		buf_puts(&text, ": ");
	}
	buf_puts(&text, f->problem);
	page_fill(&s->page, buf_str(&head), "%s", buf_str(&text));
	buf_free(&head);
	buf_free(&text);
}

/* The rules that were judged in no file. */
static void
put_unjudged(struct screen *s)
{
	struct overview *o = s->o;
	struct buf why = { 0 };
	const char *id;
	size_t len;
	uint32_t i;
	int n = 0;

	for (i = 0; i < o->unjudged.n; i++) {
		id = smap_str(&o->unjudged, i, &len);
		n += smap_find(&o->fired, id, len) == SMAP_NONE;
	}
	if (n == 0)
		return;
	if (o->info[OV_TIMES] != NULL) {
		buf_puts(&why, "this file has no times");
	} else {
		buf_puts(&why, "dlp advise -a ");
		put_profile(&why, s);
		buf_puts(&why, " names what the profile lacks for them");
	}
	page_fill(&s->page, "  ", "%d %s could not be judged: %s", n,
	    n > 1 ? "rules" : "rule", buf_str(&why));
	buf_free(&why);
}

/* It would be shown as 0.0 %; such findings come last. */
static bool
is_nothing(const struct overview_finding *f)
{
	return strcmp(f->share, "0.0") == 0;
}

static void
put_findings(struct screen *s)
{
	const struct overview *o = s->o;
	struct buf file = { 0 };
	int i, n = o->n_found;

	while (n > 0 && is_nothing(&o->found[n - 1]))
		n--;
	page_line(&s->page, "");
	page_fill(&s->page, "",
	    "findings, of %s, with their share of the time: %s%d",
	    o->n_all > 0 ? "these steps" : "the whole profile",
	    n > 3 ? "the first 3 of " : "", n);
	for (i = 0; i < n && i < 3; i++) {
		put_problem(s, i + 1, &o->found[i]);
		if (!is_unset(o->found[i].evidence))
			page_fill(
			    &s->page, "    = ", "%s", o->found[i].evidence);
		page_fill(&s->page, "    > ", "%s", o->found[i].advice);
	}
	if (n < o->n_found) {
		put_profile(&file, s);
		page_fill(&s->page, "  ",
		    "%d more of less than 0.1 %% of the time: dlp advise %s",
		    o->n_found - n, buf_str(&file));
	}
	buf_free(&file);
	put_unjudged(s);
}

/* The steps that the screen is of, as options for another report. */
static void
put_same_steps(struct buf *b, const struct screen *s)
{
	const struct overview *o = s->o;
	bool key = s->how->key != NULL && *s->how->key != '\0';

	if (o->n_all == 0 || o->differ)
		return;
	if (key) {
		buf_puts(b, " -k ");
		put_shell_word(b, s->how->key, "KEY");
	}
	if (!is_unset(o->first)) {
		buf_printf(b, " -i %s", o->first);
		if (strcmp(o->first, o->last) != 0)
			buf_printf(b, "-%s", o->last);
	} else if (!key && o->n_stable <= 1) {
		buf_puts(b, " -i 0");
		if (o->n_all > 1)
			buf_printf(b, "-%.0f", o->n_all - 1);
	}
}

struct proposal { /* a report, and the part of the time that it is about */
	const char *report, *what;
	double ns;
};

/* The longest that is left, by name among equals; NULL: none is worth it. */
static struct proposal *
longest(struct proposal *v, size_t n, double least)
{
	struct proposal *best = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].ns > least && (best == NULL || v[i].ns > best->ns))
			best = &v[i];
	return best;
}

static void
put_next(struct screen *s)
{
	const struct overview *o = s->o;
	const char *world = overview_fact(o, OV_WORLD);
	bool ranks =
	    o->ns[OV_COMM] > 0 && !is_unset(world) && strcmp(world, "1") != 0;
	struct proposal v[] = {
		/* by name */
		{ "copies", "which copies take the time", o->ns[OV_MEM] },
		{ "coverage", "what is not known, and why", o->no_op },
		{ "gaps", "when the GPU idles, and why",
		    o->timed ? o->ns[OV_IDLE] : 0 },
		{ "ranks",
		    "which rank the others wait for; give the files of"
		    " all ranks",
		    o->ns[OV_COMM] + (ranks ? .11 * s->page.base : 0) },
		{ "serve", "prefill and decode: tokens, time per token",
		    is_unset(overview_fact(o, OV_SERVING)) ? 0
							   : 2 * s->page.base },
		{ "tc", "what does not use Tensor Cores, or slowly",
		    o->eligible + o->slow },
		{ "top", "all ops; -g kernel, layer, shape", o->work },
	};
	struct proposal *p;
	char what[80];
	int i;

	for (i = 0; i < 3 && s->page.base > 0; i++) {
		p = longest(v, ARRAY_LEN(v), .1 * s->page.base);
		if (p == NULL)
			break;
		buf_puts(&out_buf, i > 0 ? "      " : "\nnext: ");
		buf_printf(&out_buf, "dlp %s", p->report);
		if (strcmp(p->report, "serve") != 0) /* it has no -i */
			put_same_steps(&out_buf, s);
		buf_putc(&out_buf, ' ');
		if (strcmp(p->report, "ranks") == 0 && o->n_src <= 1)
			buf_puts(&out_buf, "FILE...");
		else
			put_profile(&out_buf, s);
		buf_putc(&out_buf, '\n');
		(void)snprintf(what, sizeof(what), "        %s", p->what);
		page_line(&s->page, what);
		p->ns = 0;
	}
}

static void
put_no_work(struct screen *s)
{
	page_fill(&s->page, "        ",
	    "no GPU work in this profile: record it with %s",
	    is_kineto(s->o)  ? "torch.profiler.profile(activities="
			       "[ProfilerActivity.CPU, ProfilerActivity.CUDA])"
	    : is_rocpd(s->o) ? "rocprofv3 --hip-trace --marker-trace"
			       " --kernel-trace --memory-copy-trace"
			     : "nsys profile -t cuda,nvtx");
	put_findings(s);
	buf_puts(&out_buf, "\nnext: dlp info ");
	put_profile(&out_buf, s);
	buf_putc(&out_buf, '\n');
}

void
overview_screen(struct overview *o, const struct overview_how *how)
{
	struct screen s = { o, how, { how->width, 0, o->amd } };
	struct buf file = { 0 };

	s.page.base = o->timed ? o->wall : o->work;
	esc_put(&file, o->file, strlen(o->file));
	page_fill(&s.page, "", "%s", buf_str(&file));
	buf_free(&file);
	put_gpus(&s);
	put_tool(&s);
	put_marker_cost(&s);
	if (!o->any_work) {
		put_no_work(&s);
		return;
	}
	put_steps(&s);
	if (o->timed)
		put_gpu_time(&s);
	else
		page_fill(&s.page, "        ",
		    "durations only, no times: when the GPU idles is not"
		    " known");
	put_phases(&s);
	put_ops(&s);
	put_tensor_cores(&s);
	put_unknown(&s);
	put_findings(&s);
	put_next(&s);
}
