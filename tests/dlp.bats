# The dispatcher and its reports.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "dlp alone lists the reports, each with a line" {
	run dlp
	echo "$output"
	[ "$status" -eq 0 ]
	for r in "$ROOT"/pipelines/reports/*; do
		r=${r##*/}
		[ "$r" = lib.sh ] || grep -q "^  $r  *[a-z]" <<<"$output"
	done
}

@test "dlp REPORT -h shows the pipeline, with its values" {
	for r in "$ROOT"/pipelines/reports/*; do
		r=${r##*/}
		[ "$r" != lib.sh ] || continue
		run dlp "$r" -h
		echo "$output"
		[ "$status" -eq 0 ]
		grep -q "^usage: dlp $r " <<<"$output"
		grep -q '^  dlp-parse -- FILE' <<<"$output"
	done
	run dlp top -g layer -n 7 -h
	grep -q -- '-g layer ' <<<"$output"
	grep -q -- '-n 7 ' <<<"$output"
}

@test "wrong usage: one line, 2" {
	for args in nosuch ../x lib.sh top 'top -Z f' 'top --nope f' 'top -n' \
	    -x 'top ./none'; do
		rc=0
		# shellcheck disable=SC2086 # words
		dlp $args >out 2>err </dev/null || rc=$?
		echo "$args: $rc: $(<err)"
		[ $rc -eq 2 ]
		[ ! -s out ]
		[ "$(wc -l <err)" -eq 1 ]
		[[ $(<err) == dlp* ]]
	done
}

@test "every report on the shipped profile, in every format" {
	for r in "$ROOT"/pipelines/reports/*; do
		r=${r##*/}
		[ "$r" != lib.sh ] || continue
		[ "$r" != info ] || continue
		for f in '' --csv --tsv --json --jsonl '-w 80'; do
			echo "dlp $r $f"
			# shellcheck disable=SC2086 # words
			dlp "$r" $f "$LENET" >out 2>err
			cat err
			[ -s out ]
		done
	done
	dlp info "$LENET" | grep '^dev .*name=NVIDIA H200'
}

@test "file names with blanks, quotes, newlines, a leading dash" {
	dlp top --csv "$LENET" >want
	for n in 'a b' "q'\"q" $'n\nl' '-n' '--csv' '$(id)' '*'; do
		cp "$LENET" "./$n"
		dlp top --csv -- "$n" >got
		cmp want got
		dlp top --csv "./$n" >got
		cmp want got
	done
}

@test "from any folder, through a link, without the filters on PATH" {
	dlp top --csv "$LENET" >want
	mkdir -p x
	ln -s "$ROOT/pipelines/dlp" x/dlp
	[ "${B:-build}" = build ] || skip "looks in build/bin"
	PATH=/usr/bin:/bin
	x/dlp top --csv "$LENET" >got
	cmp want got
	cd /
	"$ROOT/pipelines/dlp" top --csv "$LENET" >"$OLDPWD/got"
	cd "$OLDPWD"
	cmp want got
}

# 208 kernels, 8 copies, 16 sets: sums by sqlite3.
@test "top: times and counts are those of SQL, however it is grouped" {
	want=$(sqlite3 "$LENET" '
	SELECT sum(n), sum(t) FROM (
	SELECT count(*) n, sum(end - start) t FROM CUPTI_ACTIVITY_KIND_KERNEL
	UNION ALL
	SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY
	UNION ALL
	SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMSET)')
	for g in op layer type phase stream device; do
		got=$(dlp top -g $g -n 0 --tsv "$LENET" | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n += $at["n"]; t += $at["sum_dur_ns"] }
		END { printf "%d|%d\n", n, t }')
		echo "$g"
		same "$want" "$got"
	done
}

@test "a broken profile: 2, and no table" {
	head -c 5000 "$LENET" >broken
	rc=0
	dlp top broken >out 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	grep -q '^dlp-parse: broken: ' err
}
