/* The files of a section; see source.h. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "map.h"

#define MAX_TYPES 24 /* of records, more than are asked for */

static struct {
	struct smap names; /* by number: its place in file */
	struct facts **file;
	struct facts info;  /* what ##info lines say of all files */
	struct facts *last; /* of the last record */
	struct facts *head; /* that ##info lines are of; NULL: all */
	struct {
		struct rec_type *type;
		struct rec_col *src;
		fact_fn *fn;
	} on[MAX_TYPES];
	int n_on;
} t;

void
source_open(bool compat)
{
	t.info.compat = compat;
	source_forget();
}

/* What is said of all files is said of a new one. */
static struct facts *
new_file(const char *s, size_t n)
{
	struct facts *f = xcalloc(1, sizeof(*f)), *all = &t.info;

	f->compat = all->compat;
	facts_clear(f);
	buf_put(&f->src, s, n);
	memcpy(f->mode, all->mode, sizeof(f->mode));
	memcpy(f->model, all->model, sizeof(f->model));
	buf_put(&f->key, buf_str(&all->key), all->key.len);
	f->key_found = all->key_found;
	f->kernel_arch = all->kernel_arch;
	f->mem_total = all->mem_total;
	f->mem_used = all->mem_used;
	return f;
}

/* Without a name it is the one file that there is. */
static struct facts *
file_of(const char *s, size_t n)
{
	bool is_new;
	uint32_t i;

	if (s == NULL && t.names.n == 1)
		return t.file[0];
	if (s == NULL) {
		s = "";
		n = 0;
	}
	if (t.last != NULL && t.last->src.len == n &&
	    memcmp(buf_str(&t.last->src), s, n) == 0)
		return t.last;
	i = smap_put(&t.names, s, n, &is_new);
	if (is_new) {
		t.file = xrealloc(t.file, t.names.n, sizeof(struct facts *));
		t.file[i] = new_file(s, n);
	}
	return t.file[i];
}

static void
on_record(struct stage *st, struct rec *r)
{
	size_t n;
	const char *s;
	int i = 0;

	stage_pass(st, r);
	while (t.on[i].type != r->type)
		i++;
	s = rec_raw(r, t.on[i].src, &n);
	t.last = file_of(s, n);
	t.last->any = true;
	t.head = NULL;
	t.on[i].fn(t.last, r);
}

struct rec_type *
source_on(struct stage *st, const char *tag, fact_fn *fn)
{
	struct rec_type *x = stage_on(st, tag, on_record, NULL, NULL);

	if (t.n_on == MAX_TYPES)
		die("internal: too many record types");
	t.on[t.n_on].type = x;
	t.on[t.n_on].src = rec_col(x, "src", REC_OPT);
	t.on[t.n_on++].fn = fn;
	return x;
}

void
source_head(const char *s, size_t n)
{
	t.head = file_of(s, n);
}

void
source_info(bool all,
    void (*fn)(
	struct facts *f, const char *name, size_t len, const char *v, size_t n),
    const char *name, size_t len, const char *v, size_t n)
{
	size_t i;

	if (t.head != NULL && !all) {
		fn(t.head, name, len, v, n);
		return;
	}
	fn(&t.info, name, len, v, n);
	for (i = 0; i < t.names.n; i++)
		fn(t.file[i], name, len, v, n);
}

void
source_each(void (*fn)(struct facts *f))
{
	size_t i;

	if (t.names.n == 0)
		(void)file_of(NULL, 0);
	for (i = 0; i < t.names.n; i++)
		if (t.file[i]->any || t.names.n == 1)
			fn(t.file[i]);
}

void
source_forget(void)
{
	size_t i;

	for (i = 0; i < t.names.n; i++) {
		facts_clear(t.file[i]);
		free(t.file[i]);
	}
	free(t.file);
	smap_free(&t.names);
	facts_clear(&t.info);
	t.file = NULL;
	t.last = t.head = NULL;
}
