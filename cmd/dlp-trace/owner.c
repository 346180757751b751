/* See owner.h. */
#include "owner.h"
#include "json.h"
#include "map.h"
#include "num.h"

#define OWN_IDS ((int64_t)1 << 30) /* ours; those of systems are smaller */

static int64_t next_own = OWN_IDS;
static struct map used_pid;             /* in the whole trace */
static struct smap procs, names, texts; /* of the section */
static struct buf label, key;

int64_t
owner_take(struct map *used, int64_t want)
{
	bool is_new;

	if (want >= 0 && want < OWN_IDS) {
		(void)map_put(used, (uint64_t)want, &is_new);
		if (is_new)
			return want;
	}
	return next_own++;
}

int64_t
owner_number(struct mview v)
{
	int64_t n;

	return v.s != NULL && num_i64(v.s, v.n, &n) ? n : -1;
}

static void
add_key(struct mview v)
{
	buf_putc(&key, '\t');
	if (v.s != NULL)
		buf_put(&key, v.s, v.n);
}

static void
begin_key(char what, const struct owner *o)
{
	buf_clear(&key);
	buf_putc(&key, what);
	add_key(o->src);
}

void
owner_section(void)
{
	smap_clear(&procs);
	smap_clear(&names);
	smap_clear(&texts);
	buf_clear(&label);
}

void
owner_label(const char *s, size_t n)
{
	buf_clear(&label);
	buf_put(&label, s, n);
}

static void
name_key(struct mview name)
{
	uint32_t id = smap_put(&names, key.s, key.len, NULL);

	names.val[id] = smap_put(&texts, name.s, name.n, NULL);
}

void
owner_name_proc(const struct owner *o, struct mview name)
{
	begin_key('p', o);
	add_key(o->pid);
	name_key(name);
}

void
owner_name_thread(const struct owner *o, struct mview name)
{
	begin_key('t', o);
	add_key(o->pid);
	add_key(o->tid);
	name_key(name);
}

void
owner_name_dev(const struct owner *o, struct mview name)
{
	begin_key('d', o);
	add_key(o->dev);
	name_key(name);
}

/* The name that key has; empty if none. */
static struct mview
known_name(void)
{
	uint32_t id = smap_find(&names, key.s, key.len);
	struct mview v = { "", 0 };

	if (id != SMAP_NONE)
		v.s = smap_str(&texts, (uint32_t)names.val[id], &v.n);
	return v;
}

static void
put_view(struct buf *b, const char *before, struct mview v)
{
	if (v.s == NULL || v.n == 0)
		return;
	buf_puts(b, before);
	buf_put(b, v.s, v.n);
}

static void
put_labels(struct buf *b, const struct owner *o)
{
	struct mview file = { label.s, label.len };

	put_view(b, ", ", o->src.s != NULL ? o->src : file);
}

/* A GPU is a process of the viewer too, one for each process that uses it. */
int64_t
owner_gpu(const struct owner *o)
{
	struct buf name = { 0 };
	struct place at = { 0, 0 };
	struct mview dev;
	uint32_t id;
	bool is_new;

	begin_key('g', o);
	add_key(o->pid);
	add_key(o->dev);
	id = smap_put(&procs, key.s, key.len, &is_new);
	if (!is_new)
		return (int64_t)procs.val[id];
	at.pid = owner_take(&used_pid, -1);
	procs.val[id] = (uint64_t)at.pid;
	begin_key('d', o);
	add_key(o->dev);
	dev = known_name();
	buf_puts(&name, "GPU");
	put_view(&name, " ", o->dev);
	put_view(&name, " ", dev);
	put_view(&name, ", process ", o->pid);
	put_labels(&name, o);
	ev_name(
	    "process", &at, name.s, name.len, 1000 + (int)owner_number(o->dev));
	buf_free(&name);
	return at.pid;
}

int64_t
owner_cpu(const struct owner *o)
{
	struct buf name = { 0 };
	struct place at = { 0, 0 };
	struct mview known;
	uint32_t id;
	bool is_new;

	begin_key('p', o);
	add_key(o->pid);
	id = smap_put(&procs, key.s, key.len, &is_new);
	if (!is_new)
		return (int64_t)procs.val[id];
	at.pid = owner_take(&used_pid, owner_number(o->pid));
	procs.val[id] = (uint64_t)at.pid;
	known = known_name();
	if (!mv_eq(known, "process")) /* the profiler did not know */
		put_view(&name, "", known);
	put_view(&name, name.len > 0 ? ", process " : "process ", o->pid);
	if (name.len == 0)
		buf_puts(&name, o->pid.s == NULL ? "profile" : "process");
	put_labels(&name, o);
	ev_name("process", &at, name.s, name.len, o->pid.s == NULL ? 0 : 1);
	buf_free(&name);
	return at.pid;
}

void
owner_thread(const struct owner *o, struct buf *out)
{
	begin_key('t', o);
	add_key(o->pid);
	add_key(o->tid);
	put_view(out, "", known_name());
	put_view(out, out->len > 0 ? " " : "thread ", o->tid);
}
