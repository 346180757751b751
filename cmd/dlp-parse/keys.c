/* The pass over calls and GPU work; see keys.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "keys.h"

struct key_slot {
	int64_t pid;
	int64_t page;                /* corr >> 6 */
	uint64_t used;               /* any bit set: the slot is in use */
	uint64_t first, twin;        /* calls */
	uint64_t one[KEY_GPU_KINDS]; /* at least one activity */
	uint64_t many;               /* more than one of some kind */
};

static size_t
slot_hash(int64_t pid, int64_t page)
{
	return hash_mix((uint64_t)page ^ ((uint64_t)pid << 40));
}

static struct key_slot *
slot_at(struct key_slot *slot, size_t cap, int64_t pid, int64_t page)
{
	size_t i;

	i = slot_hash(pid, page) & (cap - 1);
	while (
	    slot[i].used != 0 && (slot[i].page != page || slot[i].pid != pid))
		i = (i + 1) & (cap - 1);
	return &slot[i];
}

static void
grow(struct keys *k)
{
	struct key_slot *old = k->slot;
	size_t i, old_cap = k->cap;

	k->cap = old_cap ? old_cap * 2 : 64;
	k->slot = xcalloc(k->cap, sizeof(*k->slot));
	for (i = 0; i < old_cap; i++)
		if (old[i].used != 0)
			*slot_at(k->slot, k->cap, old[i].pid, old[i].page) =
			    old[i];
	free(old);
}

static struct key_slot *
slot_put(struct keys *k, int64_t pid, int64_t corr)
{
	struct key_slot *s;
	int64_t page = corr >> 6;

	if (k->n * 4 >= k->cap * 3)
		grow(k);
	s = slot_at(k->slot, k->cap, pid, page);
	if (s->used == 0) {
		s->pid = pid;
		s->page = page;
		k->n++;
	}
	return s;
}

static const struct key_slot *
slot_get(const struct keys *k, int64_t pid, int64_t corr)
{
	const struct key_slot *s;

	if (k->cap == 0)
		return NULL;
	s = slot_at(k->slot, k->cap, pid, corr >> 6);
	return s->used != 0 ? s : NULL;
}

static uint64_t
bit_of(int64_t corr)
{
	return (uint64_t)1 << (corr & 63);
}

/* A number for (key, kind) in the map of counts above 1: the slots do not
 * move once the counting is over, but they do while it lasts, so the key
 * itself is hashed; two keys of 64 bits that collide are beyond chance. */
static uint64_t
many_key(int64_t pid, int64_t corr, int kind)
{
	return hash_mix(
	    hash_mix((uint64_t)pid * 8 + (uint64_t)kind) + (uint64_t)corr);
}

void
keys_call(struct keys *k, int64_t pid, int64_t corr, bool twin)
{
	struct key_slot *s = slot_put(k, pid, corr);
	uint64_t bit = bit_of(corr);

	s->used |= bit;
	if (twin) {
		s->twin |= bit;
		return;
	}
	if (s->first & bit)
		k->dup_calls++;
	s->first |= bit;
}

bool
keys_gpu(struct keys *k, int64_t pid, int64_t corr, enum ev_kind kind)
{
	struct key_slot *s = slot_put(k, pid, corr);
	uint64_t bit = bit_of(corr), *n;
	int i = (int)kind - EV_KERN;

	s->used |= bit;
	if (s->one[i] & bit) {
		s->many |= bit;
		n = map_put(&k->many, many_key(pid, corr, i), NULL);
		*n = *n == 0 ? 2 : *n + 1;
	}
	s->one[i] |= bit;
	return ((s->first | s->twin) & bit) != 0;
}

bool
keys_has_first(const struct keys *k, int64_t pid, int64_t corr)
{
	const struct key_slot *s = slot_get(k, pid, corr);

	return s != NULL && (s->first & bit_of(corr)) != 0;
}

bool
keys_has_call(const struct keys *k, int64_t pid, int64_t corr)
{
	const struct key_slot *s = slot_get(k, pid, corr);

	return s != NULL && ((s->first | s->twin) & bit_of(corr)) != 0;
}

static uint64_t
count_of(const struct keys *k, const struct key_slot *s, int64_t corr, int kind)
{
	const uint64_t *n;

	if ((s->one[kind] & bit_of(corr)) == 0)
		return 0;
	if ((s->many & bit_of(corr)) == 0)
		return 1;
	n = map_get(&k->many, many_key(s->pid, corr, kind));
	return n != NULL ? *n : 1;
}

uint64_t
keys_take(struct keys *k, int64_t pid, int64_t corr, uint64_t n[KEY_GPU_KINDS])
{
	struct key_slot *s;
	uint64_t sum = 0;
	int i;

	memset(n, 0, KEY_GPU_KINDS * sizeof(*n));
	s = (struct key_slot *)slot_get(k, pid, corr);
	if (s == NULL)
		return 0;
	for (i = 0; i < KEY_GPU_KINDS; i++) {
		n[i] = count_of(k, s, corr, i);
		sum += n[i];
		s->one[i] &= ~bit_of(corr);
	}
	return sum;
}

void
keys_free(struct keys *k)
{
	free(k->slot);
	map_free(&k->many);
	map_free(&k->pids);
	map_free(&k->hosts);
	memset(k, 0, sizeof(*k));
}
