/* Names compared as people do; see words.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "words.h"

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compares two sequences of digits; moves the pointers past them. */
static int
number_cmp(const char **a, const char **b)
{
	size_t n, m;
	int x;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	n = strspn(*a, "0123456789");
	m = strspn(*b, "0123456789");
	if (n != m)
		return n < m ? -1 : 1;
	x = memcmp(*a, *b, n);
	*a += n;
	*b += m;
	return x;
}

int
natural_cmp(const char *a, const char *b)
{
	const char *s = a, *t = b;
	int x;

	while (*s != '\0' && *t != '\0') {
		if (digit(*s) && digit(*t)) {
			x = number_cmp(&s, &t);
			if (x != 0)
				return x;
			continue;
		}
		if (*s != *t)
			return (unsigned char)*s < (unsigned char)*t ? -1 : 1;
		s++;
		t++;
	}
	if (*s != '\0' || *t != '\0')
		return *s != '\0' ? 1 : -1;
	return strcmp(a, b);
}

static int
by_natural(const void *va, const void *vb)
{
	char *const *a = va, *const *b = vb;

	return natural_cmp(*a, *b);
}

void
natural_sort(char **v, int n)
{
	if (n > 1)
		qsort(v, (size_t)n, sizeof(*v), by_natural);
}

size_t
near_distance(const char *a, const char *b)
{
	size_t row[NEAR_LONGEST + 1], n = strlen(b), i, j, diag, was;

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 0; a[i] != '\0'; i++) {
		diag = row[0];
		row[0] = i + 1;
		for (j = 1; j <= n; j++) {
			was = row[j];
			if (a[i] != b[j - 1])
				diag++;
			if (was + 1 < diag)
				diag = was + 1;
			if (row[j - 1] + 1 < diag)
				diag = row[j - 1] + 1;
			row[j] = diag;
			diag = was;
		}
	}
	return row[n];
}

size_t
stem_len(const char *s, size_t n)
{
	const char *comma = memchr(s, ',', n);
	size_t all = comma != NULL ? (size_t)(comma - s) : n, k = all;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	if (k < all && k > 0 && (s[k - 1] == ' ' || s[k - 1] == '#'))
		all = k - 1;
	return all > 0 ? all : n;
}

size_t
words_amd(char *s, size_t n)
{
	static const char *const words[][2] = {
		{ "Tensor Core", "matrix core" },
		{ "CUDA calls", "HIP calls" },
		{ "CUDA graph", "HIP graph" },
		{ "CUDA loaded", "HIP loaded" },
		{ "start CUDA", "start HIP" },
		{ "nothing of CUDA", "nothing of HIP" },
		{ "PYTORCH_CUDA_ALLOC", "PYTORCH_HIP_ALLOC" },
		{ "cudaMallocAsync", "hipMallocAsync" },
	};
	size_t i, k, len, w = 0;

	for (i = 0; i < n; i += len) {
		for (k = 0, len = 0; k < ARRAY_LEN(words); k++) {
			len = strlen(words[k][0]);
			if (i + len <= n &&
			    strncasecmp(s + i, words[k][0], len) == 0)
				break;
		}
		if (k < ARRAY_LEN(words)) {
			memcpy(s + w, words[k][1], strlen(words[k][1]));
			w += strlen(words[k][1]);
		} else {
			len = 1;
			s[w++] = s[i];
		}
	}
	return w;
}

bool
is_layer_end(const char *s, size_t n, size_t i)
{
	size_t k = i;

	if (s[i] != '/' || i + 1 >= n || s[i + 1] < '0' || s[i + 1] > '9')
		return s[i] == '/';
	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	if (k == i || k < 2)
		return true;
	k -= s[k - 1] == '!'; /* of compiled autograd */
	return k < 2 || s[k - 1] != ' ' || s[k - 2] != ':';
}
