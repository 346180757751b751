# DLProf's eight reports: the original's own where there are some; forms and
# options of all.

# bats file_tags=long
load ../lib

REPORTS='summary detail iteration kernel tensor op_type group_node
expert_systems'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export DLP_REPORTS=$ROOT/pipelines/reports
	W=$DATA/dlprof/w_relu
}

# original REPORT: the name in DLProf's file names
original() {
	case $1 in
	detail) echo detailed ;;
	tensor) echo tensor_core ;;
	group_node) echo group_op ;;
	*) echo "$1" ;;
	esac
}

# stream FILE STAGE...: the finished stream
stream() {
	(
		. "$DLP_REPORTS/dlprof/stream.sh"
		dlprof_stream "$@" 2>err
	)
}

# report NAME OPTION...: from the file s
report() {
	local name=$1

	shift
	sh "$DLP_REPORTS/dlprof/$name" --from s "$@"
}

# bats test_tags=more
@test "the original's reports, byte for byte, each from export and database" {
	need_data dlprof/w_relu
	for f in nsys_profile dlprof_dldb; do
		for r in $REPORTS; do
			echo "$f $r"
			dlp "$r" --dlprof "$W/$f.sqlite" >out
			cmp "$W/dlprof_$(original "$r").csv" out
		done
	done
}

@test "every report in every form; -h shows how it comes about" {
	for r in $REPORTS; do
		for f in --dlprof --csv --tsv --json --jsonl '-w 80' '-w 200'; do
			echo "$r $f"
			# shellcheck disable=SC2086 # words
			dlp "$r" $f "$LENET" >out 2>err
			[ "$r" = expert_systems ] || [ -s out ]
			! grep -v -e ': 93.0 % of the GPU time belongs to ops; ' \
			    -e ': left out for lack of room: ' err || false
		done
		dlp "$r" -h >out
		grep "^usage: dlp $r " out
		grep '^  dlp-parse FILE |' out
	done
	dlp kernel -k iteration -i 1 -h | grep -- '-k iteration'
	dlp kernel -w 80 -n 3 "$LENET" >out
	[ "$(wc -l <out)" -ge 5 ]
	grep ' more)' out
}

@test "-D: only the ops of that domain" {
	for r in detail tensor; do
		dlp $r --tsv "$LENET" >all 2>err
		dlp $r --tsv -D default-domain "$LENET" >same 2>err
		cmp all same
		dlp $r --tsv -D nosuch "$LENET" >none 2>err
		! cmp -s all none || false
		! cut -f 2 none | grep -i aten || false
	done
}

@test "broken input: 2" {
	stream "$LENET" busy tree stat >whole
	head -n -1 whole >s
	for r in $REPORTS; do
		rc=0
		report "$r" --dlprof >out 2>err || rc=$?
		echo "$r: $rc $(<err)"
		[ $rc -eq 2 ]
	done
	grep -v '^#opkern' whole >t
	rc=0
	dlp kernel --from t >out 2>err || rc=$?
	[ $rc -eq 2 ]
}

@test "a stream in the place of the profile, in a file or a pipe" {
	dlp-parse "$LENET" >parsed
	dlp-correlate -D parsed 2>err | dlp-flops | dlp-iter -D >cut
	dlp-correlate parsed >plain 2>err
	dlp-merge parsed parsed >two
	for r in $REPORTS; do
		dlp $r --csv "$LENET" >want 2>err
		for s in parsed cut; do
			dlp $r --csv $s 2>err | cmp want -
			dlp $r --csv - <$s 2>err | cmp want -
		done
		run dlp $r --csv - <plain
		[ "$status" -eq 2 ]
		[[ $output == *'without --dlprof: give the output of dlp-parse' ]]
		for s in two -; do
			run dlp $r $s <two
			[ "$status" -eq 2 ]
			[[ $output == *': a stream of several files: '* ]]
		done
	done
}
