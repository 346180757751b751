# Needs LC_ALL=C: what controls a terminal, turns the direction of text or is
# no UTF-8 becomes \xHH, as in the tables of dlp-fmt (utf8_hidden() in
# common/utf8.c has the same list).
function plain(s,    out, hex, i, n) {
	if (s !~ /[^ -~\n]/)
		return s
	for (i = 1; i < 256; i++)
		hex[sprintf("%c", i)] = sprintf("\\x%02x", i)
	for (; s != ""; s = substr(s, n + 1)) {
		n = 1
		if (match(s, /^[ -~\n]+/) || match(s, \
		    /^(\302[\240-\277]|[\303-\337][\200-\277])/) || \
		    match(s, /^[\340-\357][\200-\277][\200-\277]/) || \
		    match(s, /^[\360-\363][\200-\277][\200-\277][\200-\277]/)) {
			n = RLENGTH
			i = substr(s, 1, n)
			if (i !~ /^\302\255|^\330\234|^\342\200[\213-\217\250-\256]/ && \
			    i !~ /^\342\201[\240-\257]|^\357\273\277|^\357\277[\271-\273]/ && \
			    i !~ /^\363[\240-\277]|^\315\217|^\341\205[\237\240]/ && \
			    i !~ /^\341\236[\264\265]|^\341\240[\213-\217]/ && \
			    i !~ /^\343\205\244|^\357\276\240/ && \
			    i !~ /^\340[\200-\237]|^\355[\240-\277]|^\360[\200-\217]/) {
				out = out i
				continue
			}
			n = 1
		}
		out = out hex[substr(s, 1, 1)]
	}
	return out
}
