# Folded stacks to the profile.proto of pprof, without compression, and without
# the empty string that its table of strings begins with: an awk may not be able
# to write a NUL. -v type=TYPE -v unit=UNIT: of the weights.
function varint(v,    s) {
	for (; v >= 128; v = int(v / 128))
		s = s sprintf("%c", v % 128 + 128)
	return s sprintf("%c", v)
}

# Field number f: a number, or bytes.
function number(f, v) { return varint(8 * f) varint(v) }
function bytes(f, s) { return varint(8 * f + 2) varint(length(s)) s }

function text(s) {
	if (!(s in at)) {
		at[s] = ++n_text
		printf "%s", bytes(6, s)
	}
	return at[s]
}

# The location of a frame, whose function has the same number.
function frame(s,    t) {
	if (s == "")
		s = "(none)"
	if (!(s in place)) {
		place[s] = ++n_place
		t = text(s)
		printf "%s", bytes(5, number(1, n_place) number(2, t))
		printf "%s", bytes(4, number(1, n_place) bytes(4, number(1, n_place)))
	}
	return place[s]
}

BEGIN {
	t = text(type)
	u = text(unit)
	printf "%s", bytes(1, number(1, t) number(2, u))
}
{
	weight = $0
	sub(/.* /, "", weight)
	if (weight !~ /^[0-9]+$/ || weight + 0 == 0)
		next
	stack = substr($0, 1, length($0) - length(weight) - 1)
	n = split(stack, f, ";")
	ids = ""
	for (i = n; i > 0; i--)
		ids = ids varint(frame(f[i]))
	printf "%s", bytes(2, bytes(1, ids) bytes(2, varint(weight + 0)))
}
