/*
 * The cells LSTMCell, GRUCell and RNNCell: PyProf's params, and the work of
 * their products. Params forward: the
 * kernels come in threes, the product with the input, the product with the
 * hidden state, the element-wise rest. Backward: PyProf takes the size of a
 * product from the tile size in the kernel's name times the grid.
 */
#include <string.h>

#include "cell.h"
#include "map.h"
#include "num.h"
#include "params.h"
#include "rnn.h"
#include "size.h"

struct cell {
	int64_t x, h, b; /* input and hidden size, batch */
	int64_t mult;    /* gates: rows of the weight per hidden unit */
};

static struct map by_seq; /* which + 1 */

void
cell_note(int64_t seq, int64_t which)
{
	if (which <= 1)
		*map_put(&by_seq, (uint64_t)seq, NULL) = (uint64_t)which + 1;
}

int64_t
cell_which(int64_t seq)
{
	const uint64_t *v = map_get(&by_seq, (uint64_t)seq);

	return v == NULL ? 2 : (int64_t)*v - 1;
}

void
cell_forget(void)
{
	map_clear(&by_seq);
}

static bool
cell_dims(const struct work *w, struct cell *c)
{
	const struct arg *x = arg_named(w->a, "input", 0);
	const struct arg *h = arg_named(w->a, "hx", 1);

	if (x == NULL || x->nd < 1 || x->nd > 2)
		return false;
	c->b = x->nd == 2 ? arg_dim(w->a, x, 0) : 1;
	c->x = arg_dim(w->a, x, -1);
	c->h = h != NULL && h->type == ARG_TENSOR ? arg_dim(w->a, h, -1)
						  : repr_size(w, 1);
	if (c->h <= 0)
		return false;
	c->mult = w->mod[0] == 'L' ? 4 : w->mod[0] == 'G' ? 3 : 1;
	return true;
}

static void
put_gemm(struct buf *b, const char *what, int64_t m, int64_t n, int64_t k)
{
	buf_printf(b, "gemm=%s,M=%lld,N=%lld,K=%lld,", what, (long long)m,
	    (long long)n, (long long)k);
}

/* The tile size, WxH, is the one part of the name between underscores that
 * holds an x, but for slicedAxB. */
static bool
tile(const char *name, int64_t *w, int64_t *h)
{
	const char *p = name, *x;
	size_t n;
	int found = 0;

	for (;; p += n + 1) {
		n = strcspn(p, "_");
		x = memchr(p, 'x', n);
		if (x != NULL && strncmp(p, "slice", 5) != 0) {
			if (!num_i64(p, (size_t)(x - p), w) ||
			    !num_i64(x + 1, n - (size_t)(x - p) - 1, h))
				return false;
			found++;
		}
		if (p[n] == '\0')
			return found == 1;
	}
}

static bool
grid_xy(const char *grid, int64_t *x, int64_t *y)
{
	const char *comma, *end;

	if (grid == NULL || (comma = strchr(grid, ',')) == NULL)
		return false;
	end = comma + 1 + strcspn(comma + 1, ",");
	return num_i64(grid, (size_t)(comma - grid), x) &&
	       num_i64(comma + 1, (size_t)(end - comma - 1), y);
}

static bool
bprop_gemm(const struct work *w, const struct cell *c, struct buf *b)
{
	int64_t tx, ty, gx, gy, m;
	const char *s = w->brief, *what;
	size_t n = s == NULL ? 0 : strlen(s);

	if (n < 3 ||
	    (strstr(s, "sgemm") == NULL && strstr(s, "884gemm") == NULL &&
		strstr(s, "hgemm") == NULL) ||
	    !tile(s, &tx, &ty) || !grid_xy(w->grid, &gx, &gy))
		return false;
	m = size_mul(tx, gx);
	if (m != c->h && m != c->x)
		return false;
	what = m == c->h ? "recur" : "layer";
	if (strcmp(s + n - 3, "_nt") == 0)
		put_gemm(b, what, m, size_mul(ty, gy), c->b);
	else if (strcmp(s + n - 3, "_nn") == 0)
		put_gemm(b, what, m, m == c->h ? c->b : size_mul(ty, gy),
		    size_mul(c->mult, c->h));
	else
		return false;
	return true;
}

bool
cell_params(const struct work *w, struct buf *b)
{
	struct cell c;
	int64_t step = w->sub % 3;

	if (!cell_dims(w, &c))
		return false;
	if (!w->bprop && step == 0) {
		put_gemm(b, "layer", size_mul(c.mult, c.h), c.b, c.x);
	} else if (!w->bprop && step == 1) {
		put_gemm(b, "recur", size_mul(c.mult, c.h), c.b, c.h);
	} else if (!w->bprop || !bprop_gemm(w, &c, b)) {
		buf_puts(b, "cell=");
		buf_put(b, w->mod, w->mod_len);
		buf_printf(b, ",X=%lld,H=%lld,B=%lld,", (long long)c.x,
		    (long long)c.h, (long long)c.b);
	}
	params_dtype(b, w, arg_at(w->a, 0));
	return true;
}

/* The sizes of a cell in emit_nvtx: input, hidden state (LSTM: two), the two
 * weights (gates x hidden, input or hidden). */
static bool
cell_sizes(const struct work *w, int weight, struct cell *c)
{
	const struct args *a = w->a;
	const struct arg *x = arg_tensor(a, 0);
	const struct arg *wi = arg_tensor(a, (size_t)weight);
	const struct arg *wh = arg_tensor(a, (size_t)weight + 1);

	if (a->typed || x == NULL || wi == NULL || wh == NULL || x->nd > 2 ||
	    wi->nd != 2 || wh->nd != 2)
		return false;
	c->b = x->nd == 2 ? arg_dim(a, x, 0) : 1;
	c->x = arg_dim(a, x, -1);
	c->h = arg_dim(a, wh, 1);
	if (arg_dim(a, wi, 1) != c->x || c->h <= 0)
		return false;
	c->mult = arg_dim(a, wh, 0) / c->h;
	return true;
}

/* Each product with one of the two weights is a kernel and is counted, 2 b
 * (gates h) x or h: which of the two is told by order, and of a
 * backward by its sequence id.
 * The element-wise rest is not counted. */
void
cell_count(const struct work *w, struct answer *r, int weight)
{
	struct cell c;
	int64_t k;

	if (w->k->part != KP_MAIN) {
		r->family = FAM_RNN;
		return;
	}
	r->eligible = true;
	r->each = true;
	r->role = ROLE_MAIN;
	if (weight > 0 ? !cell_sizes(w, weight, &c) : !cell_dims(w, &c))
		return;
	if (c.x != c.h && w->sub > 1)
		return;
	k = w->sub == 0 ? c.x : c.h;
	r->flop =
	    size_mul(size_mul(2, c.b), size_mul(size_mul(c.mult, c.h), k));
}
