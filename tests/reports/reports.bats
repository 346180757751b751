# What all reports have in common: the form of their output on a terminal and
# in a pipe, the rows that they show without -n, the letters of their options.

# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	R=$PIPES/reports
}

# reports_with LETTER: those that have that option.
reports_with() {
	local r

	for r in $(all_reports); do
		dlp "$r" -h | sed '/^the pipeline/,$d' |
		    grep -q "^#\{0,1\}  -$1 " && echo "$r"
	done
	true
}

# on_terminal COMMAND...: its output there, without colours.
on_terminal() {
	script -qec "stty cols 150; $*" /dev/null </dev/null 2>&1 |
	    sed 's/\x1b\[[0-9;]*m//g; s/\r$//'
}

@test "in a pipe each report prints rows with TABs under a line of names" {
	local n=0 r

	for r in $(all_reports); do
		# formats of their own, in dlp(1)
		! grep -q '^no_table=1' "$R/$r" || continue
		[[ ! $r =~ ^(html|stats|overview)$ ]] || continue
		for o in '' -l '-g iter' '-g range' '-g time' -s -a; do
			files_for "$r"
			# shellcheck disable=SC2086 # words
			dlp "$r" $o "${files[@]}" >out 2>err || continue
			echo "dlp $r $o"
			head -n 3 out
			# no memory is recorded there, and no engine's steps, so
			# these have no columns
			[ "$r $o" = "mem -g range" ] || [ "$r $o" = "mem -g time" ] ||
			    [ "$r" = serve ] || [ -s out ]
			awk -F'\t' 'NR == 1 {
				n = NF
				for (i = 1; i <= NF; i++)
					if ($i !~ /^[a-z][a-zA-Z0-9_.]*$/)
						exit 1
			}
			NF != n { exit 1 }' out
			n=$((n + 1))
		done
	done
	[ "$n" -gt 30 ]
	dlp "$LENET" "$LENET" 2>err | awk -F'\t' 'NF != 1 && NR == 1 { n = NF }
	    NF != n { bad = 1 } END { exit bad || NR != 3 }'
}

@test "-n: 20 rows on a terminal, all in a pipe" {
	local r long=0 some

	# dlp path: with -n it shows segments instead of sums; dlp events writes
	# Python, of five cases; a page has details of so many pieces of work
	reports_with n | grep -vx -e path -e events -e html -e view >with
	same "collectives copies coverage diff energy gaps join kernels launches layers mem ops ranks roofline tc \
top waits" "$(tr '\n' ' ' <with | sed 's/ $//')"
	while read -r r; do
		dlp "$r" -h >text
		tr '\n#' '  ' <text | tr -s ' ' |
		    grep -Eq -- '-n N .*0: all \(default 20 on a terminal, else 0\)'
		files_for "$r"
		dlp "$r" -n 0 "${files[@]}" >all 2>err
		dlp "$r" "${files[@]}" 2>err | cmp all -
		[ "$(wc -l <all)" -gt 30 ] || continue
		some=$(on_terminal dlp $r "${files[@]}")
		long=$((long + 1))
		same "$(on_terminal dlp $r -n 20 "${files[@]}")" "$some"
		[ "$(wc -l <<<"$some")" -lt 40 ]
	done <with
	[ "$long" -ge 3 ]
}

@test "a letter has one meaning in all reports" {
	# dlp(1) says which; -X ARGUMENT is it for those that take one
	local r

	for r in $(all_reports); do
		dlp "$r" -h | sed '/^the pipeline/,$d' |
		    sed -n "s/^  \(-[a-z]\) \([A-Za-z]*\)  *[^ ].*/\1 \2/p
			s/^  \(-[a-z]\)  .*/\1/p" | sed "s|\$| $r|"
	done | awk '{ print $1, NF == 3 ? $2 : "" }' | sort -u | sed 's/ $//' >got
	same "-a
-f FORMAT
-g BY
-i N
-j N
-k KEY
-l
-m N
-n N
-o OUT
-p PEAKS
-r LIST
-s
-t T
-v
-v VALUE" "$(sed 's/^-v cpu$/-v VALUE/' got | sort -u)"
	# and the manual has each
	while read -r letter _; do
		grep -q "^\.It Fl ${letter#-} Ta" "$ROOT/man/dlp.1"
	done <got
}

@test "completion of -g: the words that the report takes" {
	. "$ROOT/pipelines/dlp.bash-completion"
	for r in copies kernels mem join diff top roofline folded; do
		for w in $(_dlp_groups "$r"); do
			files_for "$r"
			echo "dlp $r -g $w"
			# that profile has no memory, which mem -g time refuses
			[ "$r $w" != "mem time" ] || continue
			dlp "$r" -g "$w" "${files[@]}" >out 2>err
		done
	done
}
