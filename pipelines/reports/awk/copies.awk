# Of dlp copies: the rows.
$1 == "#sum" { for (i = 2; i <= NF; i++) a[$i] = i
	       print $0, "gb_s" }
$1 == "sum" {
	ns = $(a["sum_dur_ns"])
	print $0, (ns > 0 ? \
	    sprintf("%.3f", $(a["sum_bytes"]) / ns) : "-")
}
$1 !~ /^#?sum$/
