/*
 * What both screens of dlp-overview write with: the short one
 * (overview_short.c) and the long one (overview_screen.c).
 */
#pragma once

#include "overview.h"
#include "wording.h"

#define PAGE_NOTHING 5000 /* ns: less would be shown as 0.00 ms */

struct screen {
	struct overview *o;
	const struct overview_how *how;
	double base;  /* what is 100 % */
	int room;     /* for a name */
	bool at_once; /* base is all work, which is longer than the time */
	double parts; /* how many steps of a GPU the sums are of */
	struct wording wording;
	struct values values;
};

enum page_style {
	PAGE_PLAIN,
	PAGE_BOLD,
	PAGE_COLOR,
};

/* A line, cut to the width of the page; how it is styled if there are colors.
 */
void page_put(const struct screen *s, const char *text, size_t n);
void page_line(const struct screen *s, const char *text);
void page_styled(
    const struct screen *s, enum page_style style, const char *text, size_t n);

/* Words after a head, in lines that begin at column pad. */
void page_fill(
    const struct screen *s, const char *head, size_t pad, struct buf *text);
void page_fill_text(const struct screen *s, const char *head, const char *text);

/* A part of the screen, if there is anything to say. */
void page_say(const struct screen *s, const char *head, const char *part);

/* Appends blanks, the name in n bytes, a time with its unit, a name for a shell
 * to read (`other` if no terminal should get it), the profile in a command. */
void page_blanks(struct buf *b, size_t n);
void page_fit(struct buf *b, const char *s, int n);
void page_ms(struct buf *b, double ns);

/* A time with three digits: 42.1 ms; two of them: 42.1 -> 22.5 ms. */
void page_time(struct buf *b, double ns);
void page_times(struct buf *b, double from, double to);

/* How many lines a text of n bytes takes from column pad on. */
int page_lines(const struct screen *s, size_t pad, const char *text, size_t n);
void page_shell_word(struct buf *b, const char *s, const char *other);
void page_profile(struct buf *b, const struct screen *s);

/* The value of that name for the caller to write, and a number of things, if
 * there are any. */
struct buf *page_let(struct screen *s, const char *name);
void page_let_count(struct screen *s, const char *name, double n);

/* "-" */
bool page_unset(const char *s);

/* The reports that are worth a look, the best first; NULL after the last. */
#define PAGE_NEXT 3
void page_next(const struct screen *s, const char *next[PAGE_NEXT]);

/* overview_screen.c: something that is not known of a part of the time, and a
 * hint, which the caller frees; the op that a reason takes the most time of. */
#define PAGE_UNKNOWN 4
struct page_unknown {
	const char *label, *part;
	double ns, of;
	struct buf hint;
};
void page_unknown(struct screen *s, struct page_unknown v[PAGE_UNKNOWN]);
const char *page_reason_op(const struct overview *o, const char *why);

/* overview_screen.c: how many checks no file could make. */
int page_unjudged(const struct overview *o);

/* overview_screen.c: what 100 % is for parts of all work. */
void page_base(struct screen *s);

/* overview_short.c: the head of a table, that of the classes, and a row with a
 * bar; a class. */
void page_classes(struct screen *s);
const char *page_class(const struct screen *s, enum overview_class c);
void page_table(const struct screen *s, const char *title);
void page_row(const struct screen *s, const char *label, double ns);

/* overview_short.c: at most 30 lines; the values for these, and for the
 * headline: the step, how busy the GPU is, and what else there is to say of the
 * steps; "conv2d backward" for "conv2d bprop". */
void page_let_which(struct screen *s);
void page_short(struct screen *s);
void page_headline(struct screen *s);
void page_dir(struct buf *op);

/* overview_json.c: all of it as an object of JSON. */
void page_json(struct screen *s);
