# Read by top: --follow, a stream that grows.
# shellcheck shell=sh disable=SC2154 # fmt, width, opt_*: lib.sh

# A line about a section: its steps, how busy the GPU is in them, their MFU.
section_line() {
	sh "$DLP_REPORTS/mfu" --tsv ${opt_k:+-k "$opt_k"} "$1" 2>/dev/null |
	    LC_ALL=C awk -F '\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{
		n++
		wall += $c["step_ns"]
		busy += $c["gpu_ns"]
		if ($c["n_dev"] > 1)
			many = 1
		if ($c["mfu_pct"] != "-")
			mfu += $c["mfu_pct"] * $c["step_ns"]
		else
			unknown = 1
	}
	END {
		if (n == 0 || wall == 0)
			exit
		printf("%d step%s of %.2f ms", n, (n > 1 ? "s" : ""), wall / n / 1e6)
		if (!many)
			printf(", GPU busy %.1f %%, idle %.1f %%",
			    100 * busy / wall, 100 - 100 * busy / wall)
		if (!unknown)
			printf ", MFU %.1f %%", mfu / wall
		print ""
	}'
}

# follow COMMAND...: the command for each section of standard input as soon as
# it is complete, with a file that holds the section. A terminal is cleared
# before each.
follow() (
	parts=$(mktemp -d) || exit 2
	trap 'rm -rf "$parts"' EXIT
	trap 'exit 2' INT TERM
	dlp-merge --split "$parts" |
	    while IFS= read -r part; do
		line=$(section_line "$part")
		text=$("$@" "$part") || exit 2
		rm -f "$part"
		[ ! -t 1 ] || printf '\033[H\033[2J'
		printf '%s%s\n\n' "${line:+$line
}" "$text"
	    done
)
