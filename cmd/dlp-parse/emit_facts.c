/*
 * The facts of a profile before its events: ##info lines, and records of
 * devices, processes and threads.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "esc.h"
#include "out.h"
#include "profile.h"
#include "scan.h"
#include "selection.h"

static struct out_type *
declare_fact(
    const struct emit *o, const char *tag, const char *const *cols, int n)
{
	const char *names[16];
	int i;

	for (i = 0; i < n; i++)
		names[i] = cols[i];
	if (o->with_src)
		names[n++] = "src";
	if (o->with_rank)
		names[n++] = "rank";
	return out_type(tag, names, n);
}

void
facts_open(struct emit *o)
{
	static const char *const dev[] = { "dev", "name", "cc", "n_sm",
		"clock_hz", "mem_bytes", "membw_bytes_s", "uuid" };
	static const char *const proc[] = { "pid", "name" };
	static const char *const thread[] = { "pid", "tid", "name", "prio" };

	o->dev_type = declare_fact(o, "dev", dev, 8);
	o->proc_type = declare_fact(o, "proc", proc, 2);
	o->thread_type = declare_fact(o, "thread", thread, o->rows ? 4 : 3);
}

/* A value of several lines is one field: line ends become blanks. */
void
fact_info(const struct profile *p, const char *name, const char *fmt, ...)
{
	struct buf text = { 0 }, field = { 0 };
	va_list ap;
	int n;

	if (p->run->out.with_rank && strncmp(name, "t0_", 3) == 0 && p->no > 0)
		return; /* the first rank's origin applies */
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

void
fact_dev(const struct profile *p, const struct dev_fact *d)
{
	if (!select_device(&p->run->sel, d->dev) ||
	    !select_type(&p->run->sel, "dev"))
		return;
	out_rec(p->run->out.dev_type);
	out_i64(d->dev);
	emit_opt_text(d->name);
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
	emit_opt_text(d->uuid);
	emit_src(p);
	out_end();
}

void
fact_proc(const struct profile *p, int64_t pid, const char *name)
{
	if (!select_pid(&p->run->sel, pid) ||
	    !select_type(&p->run->sel, "proc"))
		return;
	out_rec(p->run->out.proc_type);
	out_i64(pid);
	emit_opt_text(name);
	emit_src(p);
	out_end();
}

void
fact_thread(const struct profile *p, int64_t pid, int64_t tid, const char *name,
    int64_t prio)
{
	if (!select_pid(&p->run->sel, pid) ||
	    !select_type(&p->run->sel, "thread"))
		return;
	out_rec(p->run->out.thread_type);
	out_i64(pid);
	out_i64(tid);
	emit_opt_text(name);
	if (p->run->out.rows)
		emit_num(prio);
	emit_src(p);
	out_end();
}

bool
pid_used(const struct profile *p, int64_t pid)
{
	return p->dialect->pid == NULL ||
	       map_get(&p->keys.pids, (uint64_t)pid) != NULL;
}
