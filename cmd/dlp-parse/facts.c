/*
 * What is known of a profile before its events: ##info lines and records of
 * devices, processes and threads.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "emit_field.h"
#include "emit_rows.h"
#include "esc.h"
#include "facts.h"
#include "out.h"
#include "run.h"
#include "select.h"

static struct out_type *dev_type, *proc_type, *thread_type;
static bool with_rank;

static struct out_type *
declare(const char *tag, const char *const *cols, int n, bool with_src)
{
	const char *names[16];
	int i;

	for (i = 0; i < n; i++)
		names[i] = cols[i];
	if (with_src)
		names[n++] = "src";
	if (with_rank)
		names[n++] = "rank";
	return out_type(tag, names, n);
}

void
facts_open(bool with_src, bool rank)
{
	static const char *const dev[] = { "dev", "name", "cc", "n_sm",
		"clock_hz", "mem_bytes", "membw_bytes_s", "uuid" };
	static const char *const proc[] = { "pid", "name" };
	static const char *const thread[] = { "pid", "tid", "name", "prio" };

	with_rank = rank;
	dev_type = declare("dev", dev, 8, with_src);
	proc_type = declare("proc", proc, 2, with_src);
	thread_type = declare("thread", thread, emit_rows ? 4 : 3, with_src);
}

/* A value of several lines is one field: blanks for what ends a line. */
void
fact_info(const char *name, const char *fmt, ...)
{
	struct buf text = { 0 }, field = { 0 };
	va_list ap;
	int n;

	if (with_rank && strncmp(name, "t0_", 3) == 0 && profile_cur()->no > 0)
		return; /* the origin is the first rank's */
	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	buf_reserve(&text, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(text.s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	esc_put(&field, text.s, (size_t)n);
	out_meta("info", "%s\t%s", name, buf_str(&field));
	buf_free(&text);
	buf_free(&field);
}

static void
put_text(const char *s)
{
	out_text(s, s != NULL ? strlen(s) : 0);
}

void
fact_dev(const struct dev_fact *d)
{
	if (!select_device(d->dev) || !select_type("dev"))
		return;
	out_rec(dev_type);
	out_i64(d->dev);
	put_text(d->name);
	if (d->cc_major == EV_UNSET || d->cc_minor == EV_UNSET) {
		out_unset();
	} else if (out_next()) {
		buf_c_i64(&out_buf, '\t', d->cc_major);
		buf_putc(&out_buf, '.');
		buf_i64(&out_buf, d->cc_minor);
	}
	emit_num(d->n_sm);
	emit_num(d->clock_hz);
	emit_num(d->mem_bytes);
	emit_num(d->membw_bytes_s);
	put_text(d->uuid);
	emit_src(profile_cur());
	out_end();
}

void
fact_proc(int64_t pid, const char *name)
{
	if (!select_pid(pid) || !select_type("proc"))
		return;
	out_rec(proc_type);
	out_i64(pid);
	put_text(name);
	emit_src(profile_cur());
	out_end();
}

void
fact_thread(int64_t pid, int64_t tid, const char *name, int64_t prio)
{
	if (!select_pid(pid) || !select_type("thread"))
		return;
	out_rec(thread_type);
	out_i64(pid);
	out_i64(tid);
	put_text(name);
	if (emit_rows)
		emit_num(prio);
	emit_src(profile_cur());
	out_end();
}

bool
pid_used(int64_t pid)
{
	const struct profile *p = profile_cur();

	return p->dialect->pid == NULL ||
	       map_get(&p->keys.pids, (uint64_t)pid) != NULL;
}
