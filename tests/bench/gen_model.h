/* The model whose training gen.c plays: its programs, shapes and texts. */
#ifndef DLP_GEN_MODEL_H
#define DLP_GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define N_LAYERS 17

enum step_kind {
	OP = 1, /* opens a framework range */
	TEXT,   /* opens a user range */
	POP,    /* closes the `seq` last ones (0: one) */
	KERNEL, /* launches a kernel */
	COPY_IN,
	COPY_OUT, /* copies `cost` bytes */
	ZERO,     /* a memory set */
	WAIT,     /* waits for the stream */
	SEQ,      /* moves the sequence number by `seq` */
};

struct step {
	enum step_kind kind;
	const char *text;  /* OP: name; KERNEL: base name of its strings */
	int seq;           /* OP: added to the sequence number; NO_SEQ: none */
	const char *sizes; /* x w y c n - : one letter per argument */
	int cost;          /* KERNEL: time unit of the layer; copies: bytes */
	int stream;
	int calls; /* API calls before the launch */
};

#define NO_SEQ (-1000)

struct layer {
	int index;
	bool first; /* the head: a linear layer */
	int in, out, side;
};

/* API names are the first strings. */
enum {
	API_LAUNCH = 1,
	API_COPY,
	API_SYNC,
	API_RECORD,
	API_WAIT,
	API_SET,
	API_ASK,
};

extern const char *const strings[]; /* StringIds from 1 */
extern const int n_strings;
extern const char schema[];

extern const struct step program_load[], program_block[], program_head[],
    program_loss[], program_loss_back[], program_block_back[],
    program_head_back[], program_update[], program_item[];

void layer_get(struct layer *l, int i);
int64_t layer_time(const struct layer *l, int cost); /* ns */
int64_t layer_grid(const struct layer *l);
int64_t layer_weights(const struct layer *l); /* bytes */

extern int batch; /* of the step's sizes */

/* The id of the kernel's long name; short and mangled follow. */
int kernel_string(const struct step *s, const struct layer *l);

/* The NVTX text of a step, as PyTorch 2 writes it. */
void step_text(char *buf, size_t size, const struct step *s,
    const struct layer *l, int64_t seq, int64_t op_id);

#endif
