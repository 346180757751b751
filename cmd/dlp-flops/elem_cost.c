/* What the functions of element-wise kernels compute; see elem.h. */
#include "elem.h"
#include "pat.h"

/* Operations per element, a function (exp, tanh, erf, sqrt, pow) being one:
 * those of the formula in PyTorch's documentation. First match. */
static const struct {
	const char *pat;
	int flop;
	int full; /* so many inputs have all elements, the others are smaller;
		     0: all have */
} costs[] = {
	{ "fillfunctor|fill_kernel|_copy_kernel|copy_device_to_device|"
	  "where_kernel|masked_fill|arange|triu|tril|"
	  "flip|index_|real_kernel|imag_kernel|conj",
	    0, 0 },
	{ "gelubackward|gelu_backward", 11, 0 }, /* Phi(x) 4, phi(x) 4, 3 */
	{ "gelucuda|gelu_kernel", 5, 0 },        /* x / 2 (1 + erf(x / c)) */
	{ "silu_backward", 9, 0 },
	{ "silu_kernel", 4, 0 }, /* x / (1 + exp(-x)) */
	{ "log_sigmoid_backward|softplus_backward|mish_backward", 5, 0 },
	{ "log_sigmoid|softplus|mish", 4, 0 },
	{ "hardswish_backward", 4, 0 },   /* within [-3, 3]: g (x / 3 + .5) */
	{ "hardsigmoid_backward", 2, 0 }, /* within [-3, 3]: g / 6 */
	{ "hardswish", 4, 0 },            /* x clamp(x + 3, 0, 6) / 6 */
	{ "hardsigmoid", 3, 0 },          /* the same without x */
	{ "tanh_backward|sigmoid_backward", 3, 0 }, /* g y (1 - y) */
	{ "sigmoid_kernel", 3, 0 },                 /* 1 / (1 + exp(-x)) */
	{ "elu_backward|leaky_relu_backward|prelu_backward", 2, 0 },
	{ "elu_kernel|leaky_relu|prelu", 2, 0 },
	{ "hardtanh_backward|threshold|clamp|hardshrink|softshrink", 1, 0 },
	{ "binary_cross_entropy_backward", 5, 0 },
	{ "binary_cross_entropy", 7, 0 },
	{ "smooth_l1_backward|huber_backward", 3, 0 },
	{ "smooth_l1|huber", 4, 0 },
	{ "mse_backward", 3, 0 }, /* 2 (x - y) g, the factor 2/n at once */
	{ "mse_kernel", 2, 0 },
	{ "masked_scale", 2, 0 },
	{ "groupnormbackward", 5, 2 }, /* a x + b g + c, and the sum before */
	{ "groupnorm", 2, 1 },
	{ "addcmul|addcdiv|lerp", 3, 0 },
	{ "addr_kernel", 3, 0 },
	{ "rsub|cudafunctoronself_add|cudafunctor_add|cudafunctoronother_add",
	    1, 0 },
	{ "mulfunctor|divfunctor|divtrunc|divfloor|addfunctor|subfunctor|"
	  "multiplies|divides|plus|minus|mul_kernel|div_kernel|add_kernel|"
	  "sub_kernel|div_true_kernel|div_trunc_kernel|div_floor_kernel",
	    1, 0 },
	{ "compare|logical_|bitwise_|isnan|isinf|isneginf|isposinf|isfinite", 1,
	    0 },
	{ "abs_kernel|absfunctor|neg_kernel|sign_kernel|sgn|ceil|floor|round|"
	  "trunc|frac|maximum|minimum|fmax|fmin|max_elementwise|"
	  "min_elementwise|reciprocal|remainder|fmod|heaviside|invstd",
	    1, 0 },
	{ "exp_kernel|exp2|expm1|log_kernel|log2|log10|log1p|sqrt|pow_|"
	  "sin_kernel|cos_kernel|tan_kernel|sinh|cosh|tanh_kernel|asin|acos|"
	  "atan|erf|digamma|lgamma",
	    1, 0 },
};

int
elem_cost(const char *s, size_t n, int *full)
{
	size_t i;

	*full = 0;
	for (i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (pat_match(costs[i].pat, s, n)) {
			*full = costs[i].full;
			return costs[i].flop;
		}
	return -1;
}
