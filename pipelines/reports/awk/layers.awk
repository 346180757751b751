# Of dlp top -g layer: passes the groups on, and says where one is nearly all.
$1 == "#agg" {
	for (i = 2; i <= NF; i++)
		a[$i] = i
}
$1 == "agg" {
	t[$(a["layer"])] += $(a["sum_dur_ns"])
	all += $(a["sum_dur_ns"])
}
{ print }
END {
	for (k in t)
		if (k != "(rest)" && t[k] > .9 * all)
			printf "dlp top: %s of %.1f %% of the time: the" \
			    " program has no ranges around its modules; -g" \
			    " %s\n", (k == "-" ? "no layer is known" : \
			    "\047" plain(k) "\047 is the layer"), \
			    100 * t[k] / all, (k == "-" ? \
			    "shape or -g kernel tells more" : \
			    "shape tells ops apart by the sizes of inputs") \
			    >"/dev/stderr"
}
