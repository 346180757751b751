/*
 * Stacks of allocations: the place in the user's own code, and what the memory
 * is for, by memkinds.tab. Of C++ frames only what tells the kind is kept, so
 * that the stacks of millions of events are few.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "out.h"
#include "shipped.h"
#include "snapshot.h"
#include "usercode.h"

enum { WEIGHTS, GRADIENTS, OPTIMIZER, ACTIVATIONS, WORKSPACES, OTHER };
static const char *const kinds[] = { "weights", "gradients", "optimizer state",
	"activations", "workspaces", "other" };

#define RULES_MAX 31
#define STACK_TEXT_MAX 16384       /* bytes of a stack that are shown */
#define BACKWARD (1u << RULES_MAX) /* a thread of C++ alone */

struct stack_frame {
	uint32_t file, name;
	int64_t line;
	uint32_t rules; /* a bit for each that it matches */
	bool python;
};

/* How a stack is kept: the bits of its frames, a frame of C++ that names what
 * runs, then Python's frames, innermost first. */
enum { S_RULES, S_NODE, S_FRAMES };

static struct mview
word_of(const char **s)
{
	const char *b = *s, *e = b + strcspn(b, " \n");

	*s = e + strspn(e, " ");
	return mv(b, e);
}

static struct mview
text_of(const struct stacks *k, uint32_t id)
{
	return smap_view(k->texts, id);
}

/* A part of a rule: * is any. */
static bool
holds(struct mview text, struct mview part)
{
	size_t i;

	if (mv_eq(part, "*"))
		return true;
	for (i = 0; i + part.n <= text.n; i++)
		if (memcmp(text.s + i, part.s, part.n) == 0)
			return true;
	return false;
}

uint32_t
stacks_frame(struct stacks *k, uint32_t file, uint32_t name, int64_t line)
{
	struct stack_frame f = { .file = file, .name = name, .line = line };
	struct mview path = text_of(k, file), func = text_of(k, name);
	uint32_t key[4] = { file, name, (uint32_t)line,
		(uint32_t)((uint64_t)line >> 32) };
	bool fresh;
	uint32_t no = smap_put(&k->frames, (char *)key, sizeof(key), &fresh);
	size_t i;
	const char *s;
	struct stack_rule r;
	struct mview kind;

	if (!fresh)
		return no;
	if (k->n_rule == 0) {
		s = shipped_text("memkinds.tab");
		for (; *s != '\0'; s += strcspn(s, "\n"), s += *s == '\n') {
			if (*s == '#' || *s == '\n' || k->n_rule == RULES_MAX)
				continue;
			kind = word_of(&s);
			for (r.kind = 0; r.kind < OTHER; r.kind++)
				if (strncmp(kinds[r.kind], kind.s, kind.n) == 0)
					break;
			r.file = word_of(&s);
			r.name = word_of(&s);
			ARRAY_GROW(k->rule, k->n_rule, k->rule_cap);
			k->rule[k->n_rule++] = r;
		}
	}
	f.python = mv_ends(path, ".py") || (path.n > 0 && path.s[0] == '<');
	for (i = 0; i < k->n_rule; i++)
		if (holds(path, k->rule[i].file) &&
		    holds(func, k->rule[i].name))
			f.rules |= 1u << i;
	ARRAY_GROW(k->frame, k->n_frame, k->frame_cap);
	k->frame[k->n_frame++] = f;
	return no;
}

/* The node of the graph that the backward pass runs, without its namespaces:
 * AddmmBackward0. */
static struct mview
node_of(const struct stacks *k, uint32_t frame)
{
	static const char before[] = "torch::autograd::generated::";
	struct mview none = { NULL, 0 }, v;
	size_t n = sizeof(before) - 1, i;

	if (frame == STACK_NONE)
		return none;
	v = text_of(k, k->frame[frame].name);
	if (v.n <= n || memcmp(v.s, before, n) != 0)
		return none;
	v.s += n;
	v.n -= n;
	for (i = 0; i + 8 <= v.n && v.s[i] != ':' && v.s[i] != '('; i++)
		if (memcmp(v.s + i, "Backward", 8) == 0) {
			for (i += 8; i < v.n && v.s[i] >= '0' && v.s[i] <= '9';)
				i++;
			return mv(v.s, v.s + i);
		}
	return none;
}

uint32_t
stacks_add(struct stacks *k, uint32_t stack, const uint32_t *frames, size_t n)
{
	uint32_t head[S_FRAMES] = { 0, STACK_NONE };
	const struct stack_frame *f;
	const char *old;
	size_t i, len;

	buf_clear(&k->key);
	buf_put(&k->key, (char *)head, sizeof(head));
	if (stack != STACK_NONE) {
		old = smap_str(&k->stacks, stack, &len);
		memcpy(head, old, sizeof(head));
		buf_clear(&k->key);
		buf_put(&k->key, old, len);
	}
	for (i = 0; i < n; i++) {
		f = &k->frame[frames[i]];
		head[S_RULES] |= f->rules;
		if (f->python)
			buf_put(&k->key, (char *)&frames[i], sizeof(*frames));
		else if (head[S_NODE] == STACK_NONE &&
			 node_of(k, frames[i]).s != NULL)
			head[S_NODE] = frames[i];
	}
	memcpy(k->key.s, head, sizeof(head));
	return smap_put(&k->stacks, k->key.s, k->key.len, NULL);
}

uint32_t
stacks_empty(struct stacks *k, bool backward)
{
	uint32_t head[S_FRAMES] = { backward ? BACKWARD : 0, STACK_NONE };

	return smap_put(&k->stacks, (char *)head, sizeof(head), NULL);
}

/* Appends a frame as flame graphs show it: function (file:line). */
static void
put_frame(struct stacks *k, const struct stack_frame *f)
{
	struct mview v = text_of(k, f->name);

	if (k->text.len > 0)
		buf_putc(&k->text, ';');
	if (v.n > 0)
		buf_put(&k->text, v.s, v.n);
	buf_puts(&k->text, " (");
	v = usercode_base(text_of(k, f->file));
	if (v.n > 0)
		buf_put(&k->text, v.s, v.n);
	buf_c_i64(&k->text, ':', f->line);
	buf_putc(&k->text, ')');
}

void
stacks_put(struct stacks *k, uint32_t stack)
{
	size_t len, n, i;
	const char *s = smap_str(&k->stacks, stack, &len);
	const struct stack_frame *f, *own = NULL, *inner = NULL;
	struct mview node, v;
	uint32_t head[S_FRAMES], no;
	int kind;

	memcpy(head, s, sizeof(head));
	n = len / sizeof(no);
	buf_clear(&k->text);
	for (i = n; i-- > S_FRAMES;) {
		memcpy(&no, s + i * sizeof(no), sizeof(no));
		f = inner = &k->frame[no];
		if (k->text.len < STACK_TEXT_MAX)
			put_frame(k, f);
		if (usercode_is_own_python(text_of(k, f->file)))
			own = f;
	}
	node = node_of(k, head[S_NODE]);
	if (own == NULL)
		own = inner;
	if (own != NULL) {
		v = text_of(k, own->file);
		out_text(v.s, v.n);
		out_opt(own->line > 0, own->line);
		v = text_of(k, own->name);
		out_text(v.s, v.n);
	} else {
		out_unsets(2);
		out_text(node.s, node.n);
	}
	kind = (head[S_RULES] & BACKWARD) != 0 ? GRADIENTS : OTHER;
	for (i = k->n_rule; i-- > 0;) /* the first rule of all counts */
		if ((head[S_RULES] & 1u << i) != 0)
			kind = k->rule[i].kind;
	out_word(kinds[kind]);
	if (node.s != NULL) {
		if (k->text.len > 0)
			buf_putc(&k->text, ';');
		buf_put(&k->text, node.s, node.n);
	}
	out_text(k->text.len > 0 ? k->text.s : NULL, k->text.len);
}
