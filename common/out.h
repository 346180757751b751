/*
 * Standard output: buffered, checked, in the record format.
 *
 *	out_open(false);
 *	t = out_type("kern", names, n);	 legend is written before the first use
 *	out_rec(t);  out_i64(v);  out_text(s, n);  out_unset();  out_end();
 *
 * Fields are given in the order of the columns. A write error is fatal
 * (exit 2) except a closed pipe, where SIGPIPE ends the process.
 */
#pragma once

#include <string.h>

#include "buf.h"
#include "mview.h"

struct rec;
struct out_type;

extern struct buf out_buf; /* the pending output: for the appenders below */

void out_open(bool unbuffered); /* -u: flush after each record */
int out_finish(int status);     /* flush and close; the exit status to return */
/* Calls f(arg) in out_finish(), the last one first; at most 8. For freeing
 * memory. */
void out_at_finish(void (*f)(void *), void *arg);
/* n bytes of the input were read, or will be. The command ends if its output
 * exceeds both 64 MiB and 64 times the input, because texts that are long and
 * in each record could fill a disk. No call: there is no limit. */
void out_read(uint64_t n);
void out_check(void); /* flush if enough is pending */
/* Past the buffer, to any file; false with errno if it fails. */
bool write_all(int fd, const void *bytes, size_t n);

/* Declares a record type with these columns (names are kept, not copied). The
 * registry (cols.h) must have the type and the columns; otherwise the command
 * ends here, with a message that names what is missing there. */
struct out_type *out_type(const char *tag, const char *const *names, int n);

/* As out_type, with the registry's columns of that type that the command
 * `by` writes (all of them if by is NULL), in the registry's order. */
struct out_type *out_type_reg(const char *tag, const char *by);

/* Fatal if the registry does not have the type or one of the columns. */
void out_declared(const char *tag, const char *const *names, int n);
int out_tabs(const char *s, size_t n); /* TABs in a line: its fields */

/* Writes the legend now, if it is due: for a filter whose input had nothing to
 * make records of, so that dlp-fmt knows the columns. */
void out_legend(struct out_type *t);

void out_legends_again(void); /* a section begins: legends are due again */
uint64_t out_count(void);     /* data records since out_legends_again */
void out_counted(uint64_t n); /* n more records were written directly to
			       * out_buf */

/* Begins a record, preceded by its legend if that is due; out_end() ends it.
 * The first record under each legend must have as many fields as the legend
 * (with sanitizers every record): otherwise the command ends, because a stream
 * with a wrong number of fields cannot be read. */
void out_rec(struct out_type *t);

/* A record type whose last column, src, exists only in records of a stream that
 * has several files. Zeroed at first; it lives as long as the program. */
struct out_src_type {
	struct out_type *with, *without;
};

/* Begins a record like out_rec(): names are all columns, src the last of the n;
 * has_src: this record has it. */
void out_rec_src(struct out_src_type *t, const char *tag,
    const char *const *names, size_t n, bool has_src);

/* As out_legend(), without src: for a section without such a record. */
void out_src_legend(struct out_src_type *t, const char *tag,
    const char *const *names, size_t n);

void out_end(void);

/* Before a record that has no field of --drop, up to out_end(): it is not
 * looked at again. For out_ext.c. */
void out_own(void);

/* --drop (drop.h): the following fields that are not written, a bit each, the
 * next field the lowest. */
extern uint64_t out_skip;

/* Goes to the next field; false if it is not written. For callers that append a
 * field to out_buf piece by piece, after the TAB. */
static inline bool
out_next(void)
{
	bool skip;

	if (out_skip == 0)
		return true;
	skip = out_skip & 1;
	out_skip >>= 1;
	return !skip;
}

/* Fields; each function writes the TAB first. */
static inline void
out_i64(int64_t v)
{
	if (out_next())
		buf_c_i64(&out_buf, '\t', v);
}

static inline void
out_unset(void)
{
	if (out_next())
		buf_put(&out_buf, "\t-", 2);
}

void out_unsets(int n); /* n fields */

/* Fields in the form of the stream, each with the TAB before it. */
void out_fields(const char *s, size_t n);

/* v, or unset if has is false */
static inline void
out_opt(bool has, int64_t v)
{
	if (has)
		out_i64(v);
	else
		out_unset();
}

static inline void
out_f64(bool has, double v, int decimals)
{
	if (!has) {
		out_unset();
	} else if (out_next()) {
		buf_putc(&out_buf, '\t');
		buf_f64(&out_buf, v, decimals);
	}
}

/* text that is escaped here; NULL is unset */
void out_text(const char *s, size_t n);

/* text that is escaped already, or needs no escape; NULL is unset */
static inline void
out_raw(const char *s, size_t n)
{
	if (s == NULL) {
		out_unset();
		return;
	}
	if (!out_next())
		return;
	buf_putc(&out_buf, '\t');
	buf_put(&out_buf, s, n);
}

static inline void
out_view(struct mview v)
{
	out_raw(v.s, v.n);
}

/* The same for a string that ends in NUL. */
static inline void
out_word(const char *s)
{
	out_raw(s, s != NULL ? strlen(s) : 0);
}

/* A whole line, unchanged (metadata, a record that is passed on). */
void out_line(const char *s, size_t n);
void out_meta(const char *word, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Passing a record on with columns added. The columns are given once; if
 * the input's legend has one already, its value is replaced in place. As with
 * out_type(), the registry must have the columns, and the first record under
 * each legend must add as many fields as the legend.
 *
 *	x = out_ext(names, n);
 *	on a legend:	out_ext_legend(x, r);
 *	on a record:	out_ext_begin(x, r); out_..() for each of the n columns;
 *			out_ext_end(x, r);
 */
struct out_ext;
struct out_ext *out_ext(const char *const *names, int n);
/* As out_ext(), for columns that the user names, which are in no registry. */
struct out_ext *out_ext_named(const char *const *names, int n);
void out_ext_legend(struct out_ext *x, const struct rec *r);
void out_ext_begin(struct out_ext *x, const struct rec *r);
void out_ext_end(struct out_ext *x, const struct rec *r);
