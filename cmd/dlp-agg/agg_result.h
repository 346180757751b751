/*
 * The results: the groups as records, in order, up to the limit; or the records
 * themselves, if no statistics were requested; or merged partial results.
 */
#ifndef AGG_RESULT_H
#define AGG_RESULT_H

#include "agg_group.h"
#include "map.h"
#include "rec.h"

/*
 * Metadata of the input, used unless the input is passed on. The results make
 * one section whatever the number of sections read, and a fragment if the input
 * was one. ##cmd and ##info lines of the input are then written once, notes
 * each time.
 */
struct agg_metas {
	struct smap seen;
	struct buf cmds, infos, notes;
};

/* Stores a line of metadata. */
void meta_keep(struct agg_metas *m, const struct rec *r);

/* Begins a section of our own; argv is for our ##cmd. */
void meta_head(
    const struct agg_metas *m, bool whole, int argc, char *const *argv);

/* Writes the legend and the groups, from memory or from disk. */
void result_put(struct agg_groups *a);

/* Notes about results that are left out; the second function also writes the
 * input's notes. */
void result_notes(const struct agg_groups *a);
void result_all_notes(const struct agg_groups *a);

/* The steps of result_put(), for groups that are on disk. All groups must be
 * added to the totals before the first row is written, because a share needs
 * them. */
struct agg_state;
void print_total_begin(struct agg_groups *a);
void print_total(struct agg_groups *a, const struct agg_group *g);
void print_total_end(struct agg_groups *a);
void print_legend(const struct agg_groups *a);
void print_row(const struct agg_groups *a, const struct agg_group *g,
    const char *key, size_t n);
void print_rest(struct agg_groups *a, const struct agg_group *g);

/* Appends the values that --sort compares, as sort_pack() writes them. */
void print_keys(struct agg_groups *a, struct agg_state *s, struct buf *b);

/* Appends the state that --merge reads. */
void print_state(
    const struct agg_groups *a, struct buf *b, const struct agg_group *g);

/*
 * Without statistics: writes the records of -T for which --where holds, in the
 * order of --sort, with the columns of -c. bytes: memory for records and keys.
 * t: the number of the record's type.
 */
struct agg_pass;
struct stage;
struct agg_pass *pass_open(struct agg_spec *spec, size_t bytes);
void pass_legend(struct agg_pass *p, struct stage *st, struct rec *r, int t);
void pass_record(struct agg_pass *p, struct stage *st, struct rec *r, int t);
void pass_section_end(struct agg_pass *p);

/* --merge: reads the files (NULL: standard input) to their ends and writes the
 * results; argv is for our ##cmd. Returns the exit status. */
int merge_run(
    struct agg_plan *plan, char **paths, int n, int argc, char *const *argv);

#endif
