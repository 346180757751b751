# Read by dlp, top, roofline and dlprof: how like two words are, for "did you mean".
# near_awk goes before an awk program, which calls distance(a, b).
# shellcheck shell=sh disable=SC2034 # near_awk: whoever reads this

near_awk='
# the edits that make one of the other; two letters that changed places are one
function distance(a, b,    i, j, d, c) {
	for (j = 0; j <= length(b); j++)
		d[0, j] = j
	for (i = 1; i <= length(a); i++) {
		d[i, 0] = i
		for (j = 1; j <= length(b); j++) {
			c = d[i-1, j-1] + \
			    (substr(a, i, 1) != substr(b, j, 1))
			if (d[i-1, j] + 1 < c) c = d[i-1, j] + 1
			if (d[i, j-1] + 1 < c) c = d[i, j-1] + 1
			if (i > 1 && j > 1 && d[i-2, j-2] + 1 < c && \
			    substr(a, i - 1, 2) == substr(b, j, 1) \
			    substr(b, j - 1, 1))
				c = d[i-2, j-2] + 1
			d[i, j] = c
		}
	}
	return d[length(a), length(b)]
}
'
