# dlp-advise: rules that fire, that do not, and that cannot tell.

load ../lib

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# findings [OPTION...] <STREAM: "id judged value" of each rule
findings() {
	dlp-advise "$@" | dlp-agg -T finding | dlp-fmt --tsv -T finding \
	    -c id,judged,value
}

one() { # RULE <findings
	awk -F '\t' -v id="$1" '$1 == id { print $2, $3 }'
}

# said RULE COLUMN [OPTION] <STREAM
said() {
	dlp-advise ${3:+"$3"} | dlp-agg -T finding --where judged==yes |
	    dlp-fmt --tsv -T finding -c "id,$2" |
	    awk -F'\t' -v id="$1" '$1 == id { print $2 }'
}

stream() { # of a profile
	dlp-parse "$1" | dlp-correlate | dlp-iter --cuts ${2:+-k "$2"} | dlp-flops |
	    dlp-busy
}

# bats test_tags=more
@test "w_relu: the four findings of DLProf, word for word" {
	need_data dlprof/w_relu
	w=$DATA/dlprof/w_relu
	dlp-parse "$w/nsys_profile.sqlite" | dlp-correlate -D | dlp-iter -D |
	    dlp-flops | dlp-busy -D | dlp-advise -D |
	    dlp-agg -T finding --where judged==yes |
	    dlp-fmt --tsv -T finding -c id,problem,recommendation |
	    sed 1d >"$BATS_TEST_TMPDIR/got"
	sqlite3 -separator "$(printf '\t')" "$w/dlprof_dldb.sqlite" \
	    'SELECT exp_sys_id, problem, recommendation
	     FROM expert_systems_feedback ORDER BY id' |
	    diff - "$BATS_TEST_TMPDIR/got"
}

# bats test_tags=more
@test "h100: a full launch queue is no cost of the profiler, by SQL" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	db=$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite
	# all of it is CUDA's kind 8; the profiler has recorded nothing
	same '8 198 911969806 0' "$(sqlite3 -separator ' ' "$db" "
	SELECT overheadType, count(*), sum(end - start),
	    (SELECT count(*) FROM PROFILER_OVERHEAD)
	FROM CUPTI_ACTIVITY_KIND_OVERHEAD GROUP BY 1")"
	stream "$db" 2>/dev/null >in
	[ "$(findings <in | one profiler_cost)" = "no 0.0" ]
	said underutilized_gpu_detector evidence <in |
	    grep -x 'Command Buffer Full: 198, 912 ms of launches that waited for the GPU'
}

# bats test_tags=more
@test "copies of pageable memory are judged without steps, by SQL" {
	need_data nsys/cutlass-3.1.7.sqlite
	db=$DATA/nsys/cutlass-3.1.7.sqlite
	# memory kind 0 is pageable; what comes before the first kernel loads
	# the program
	want=$(sqlite3 "$db" "SELECT printf('%.1f', 100.0 * (
	    SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY
	    WHERE (srcKind = 0 OR dstKind = 0) AND start >
	    (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL)) / (
	    (SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY) +
	    (SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL)))")
	[ "$(stream "$db" | findings | one pageable_copies)" = "yes $want" ]
}

@test "loader: the data loader is what the GPU waits for" {
	p=$(profile h200/loader.sqlite.xz)
	run stream "$p" iteration
	run findings <<<"$output"
	[[ "$(one dataloader_detector <<<"$output")" == "yes "[78]* ]]
}

@test "every rule is in the manual, and the manual has no other" {
	dlp-advise -l | cut -f1 | sort >"$BATS_TEST_TMPDIR/rules"
	sed -n '/^\.Ss Rules of DLProf/,/^\.Ss Thresholds/s/^\.It Cm \(.*\)/\1/p' \
	    "$ROOT/man/dlp-advise.1" | tr -d , | tr ' ' '\n' | grep . | sort |
	    diff "$BATS_TEST_TMPDIR/rules" -
}

# Of the steps that dlp FILE shows, 1 and 2 of 3, by SQL: kernels launched in
# them, and those with fewer blocks than the GPU has multiprocessors, 132. The
# shares of the time are those of the overview, which has its own SQL.
@test "findings are of the same steps as the overview" {
	f=$(profile h200/resnet50_tf32.sqlite.xz)
	dlp advise --json "$f" >got 2>err
	grep -q ': using steps 1-2 of 3 (steady state' err
	sqlite3 -separator ' ' "$f" "SELECT count(*) / 2 || ' launches per step'
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	    JOIN NVTX_EVENTS s ON r.start >= s.start AND r.start < s.end AND
		s.text IN ('iteration 1', 'iteration 2')" >want
	grep -q "$(cat want)" got
	dlp -v "$f" 2>/dev/null >screen
	grep -q '^What to fix ([0-9]*), the largest known gain first' screen
	# a step, and its prediction, as in the object
	jq -r '[.rules[] | select(.predicted_step_ns and .part_of == null)][0] |
	    .step_ns, .predicted_step_ns' got | awk '{ v[NR] = $1 / 1e6 }
	    END { printf "[%.1f -> %.1f ms if fixed]\n", v[1], v[2] }' >first
	grep -qF "$(cat first)" screen
}

# bats test_tags=more
@test "why a GPU idles is told by the gaps; nccl's program starts up" {
	need_data nvprof/nccl-8gpu-v16.sqlite
	dlp advise --tsv "$DATA/nvprof/nccl-8gpu-v16.sqlite" 2>/dev/null >got
	sed -n 2p got | grep '^underutilized_gpu_detector.*first calls'
	grep '^unused_gpus.*: 4, 5, 6, 7' got
}

@test "dlp advise of two files says of which file a finding is" {
	cp "$LENET" "$BATS_TEST_TMPDIR/b.sqlite"
	run dlp advise --tsv "$LENET" "$BATS_TEST_TMPDIR/b.sqlite"
	[ "$status" -eq 0 ]
	output=$(grep -v '^dlp-iter: ' <<<"$output")
	[ "$(cut -f1 <<<"$output" | sort -u | wc -l)" -eq 3 ]
}

# bats test_tags=more
@test "dlp advise: that no finding is shown is said, with what to type" {
	need_data nsys/no-events.sqlite
	dlp advise --tsv "$DATA/nsys/no-events.sqlite" >got 2>err
	[ "$(wc -l <got)" -eq 1 ]
	grep -qx '.*no-events.sqlite: no finding gains 2 % of a step; -a shows all checks, and what they lack' err
	# only where it is so, and of several files together
	dlp advise --tsv "$DATA/nsys/no-events.sqlite" "$LENET" >got 2>err
	[ "$(wc -l <got)" -gt 1 ]
	! grep 'no finding gains' err
}

# shipped PATH: prints the name of that profile of tests/data, unpacked
shipped() {
	local out=$BATS_TEST_TMPDIR/${1##*/}.sqlite

	if [ -e "$ROOT/tests/data/$1.json.gz" ]; then
		echo "$ROOT/tests/data/$1.json.gz"
		return
	fi
	case $1 in
	h200/*) profile "$1.sqlite.xz" ;;
	*)
		[ -s "$out" ] || xz -dc "$ROOT/tests/data/$1.sqlite.xz" >"$out"
		echo "$out"
		;;
	esac
}

# changed FILE CHANGE: writes the file as a row of rules.tab wants it.
changed() {
	local sql=$2 text

	case $1 in *.gz) zcat "$1" | sed "$2"; return ;; esac
	while [[ $sql =~ @([a-z]+)(\(([^()]*)\))? ]]; do
		text=$(<"$ROOT/tests/data/advise/${BASH_REMATCH[1]}.sql")
		sql=${sql/"${BASH_REMATCH[0]}"/"${text//'$1'/"${BASH_REMATCH[3]}"}"}
	done
	rm -f changed.db
	cp "$1" changed.db
	chmod u+w changed.db
	sqlite3 -bail changed.db <<<"$sql"
	cat changed.db
}

# advice FILE KEY [OPTION...]
advice() {
	if [ -z "$2" ]; then
		dlp advise --json "${@:3}" "$1"
		return
	fi
	dlp-parse "$1" | dlp-correlate -D | dlp-iter --dlprof -k "$2" |
	    dlp-flops | dlp-busy | dlp-gaps | dlp-advise --json
}

# bats test_tags=long
@test "every rule fires on a profile, real or changed, and does not on another" {
	local bad=0 id want p change key f out
	while IFS='|' read -r id want p change key; do
		out=$(cksum <<<"$p|$change|$key").json # many rows are of one profile
		if [ ! -s "$out" ]; then
			set -- $p
			f=$(shipped "$1")
			if [ -n "$change" ]; then
				changed "$f" "$change" >changed.sqlite
				f=changed.sqlite
			fi
			advice "$f" "$key" "${@:2}" >"$out" 2>/dev/null
		fi
		got=$(jq -r --arg id "$id" '.rules[] | select(.id == $id).verdict' "$out")
		[ "$got" = "$want" ] ||
		    { echo "$id: $got, not $want: $p: $change"; bad=1; }
	done < <(grep -v '^#' "$ROOT/tests/data/advise/rules.tab" | tee table)
	[ $bad = 0 ]
	# each rule fires on a profile, and is clear or not judged on another
	dlp-advise -l | cut -f1 | sort >all
	awk -F'|' '$2 == "found" { print $1 }' table | sort -u | diff all -
	awk -F'|' '$2 != "found" { print $1 }' table | sort -u | diff all -
}

# A finding's where is a filter that finds records; a remedy is not in use.
@test "where finds records, and what is in use is not recommended" {
	for p in h200/gpt2_bf16 h200/ddp2_rank0 h200/compile_train \
	    advise/amp_scaler advise/gpt_nosdpa advise/compile_ro; do
		f=$(shipped $p)
		dlp advise --json "$f" >got 2>/dev/null
		dlp-parse "$f" 2>/dev/null | dlp-correlate 2>/dev/null |
		    dlp-iter --cuts --even 2>/dev/null | dlp-flops 2>/dev/null |
		    dlp-busy | dlp-gaps >stream
		jq -r '.rules[] | select(.where != null) | .where' got | sort -u >where
		[ -s where ]
		while read -r view filter; do
			case $view in
			ops | kernels) tag=kern ;;
			gaps) tag=gap ;;
			copies) tag=copy ;;
			mem) tag=mem ;;
			iters) tag=iter ;;
			devices) tag=dev ;;
			esac
			n=$(awk -F'\t' -v tag=$tag -v want="$filter" '
			BEGIN { k = split(want, w, " ") }
			$1 == "#" tag { for (i = 1; i <= NF; i++) c[$i] = i }
			$1 == tag {
				for (i = 1; i <= k; i++) {
					at = index(w[i], "=")
					v = substr(w[i], at + 1)
					gsub(/%20/, " ", v)
					if (!(substr(w[i], 1, at - 1) in c) ||
					    $c[substr(w[i], 1, at - 1)] != v) next
				}
				n++
			} END { print n + 0 }' stream)
			[ "$n" -gt 0 ] || { echo "$p: $view $filter: none"; return 1; }
		done <where
		# what is in use
		jq -e '. as $a | [.rules[] | select(.verdict == "found") |
		    (.recommendation, .id)] | join(" ") as $s |
		    ($a.in_use.compiled and ($s | test("pointwise_chain")) | not) and
		    ($a.in_use.graphs and ($s | test("reduce-overhead")) | not) and
		    ($a.in_use.fused and ($s | test("fused_optimizer")) | not) and
		    ($a.in_use.channels_last and ($s | test("torch.channels_last")) | not)
		    ' got >/dev/null || { jq -c .in_use got; return 1; }
	done
}

@test "--json: one object with version, steps, in_use, notes and all rules" {
	f=$(profile h200/gpt2_bf16.sqlite.xz)
	dlp advise -a --json "$f" >a 2>/dev/null
	dlp advise --json "$f" 2>/dev/null | diff a -
	same "$(dlp-advise -l | cut -f1 | sort)" "$(jq -r '.rules[].id' a | sort)"
	jq -e '.version == 1 and .steps.from == 0 and .steps.to == 2 and
	    .steps.n == 3 and .steps.key == "iteration" and
	    .in_use.fused and .in_use.sdpa and (.in_use.compiled | not) and
	    (.notes | type) == "array"' a
	# members of a rule; a verdict decides which are set
	jq -e '[.rules[] | (.verdict == "found") == (.recommendation != null) and
	    (.verdict == "not_judged") == (.missing != null) and
	    (.ceiling_ns == null or .ceiling_ns >= 0) and
	    (.value == null or (.value | type) == "number") and
	    has("id") and has("threshold") and has("where") and has("evidence")] |
	    all' a
	jq -e '.rules[] | select(.id == "tc_unaligned") |
	    .recommendation | test("50257 to 50304")' a
	# the ceiling is the time of the kernels, by SQL
	same "$(sqlite3 "$f" "SELECT sum(k.end - k.start)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s
	    ON s.id = k.demangledName WHERE s.value LIKE '%\_align1%' ESCAPE '\'")" \
	    "$(jq '.rules[] | select(.id == "tc_unaligned").ceiling_ns' a)"
	# two files: an object for each
	cp "$LENET" b.sqlite
	dlp advise --json "$LENET" b.sqlite 2>/dev/null >two
	jq -e '.version == 1 and (.files | length) == 2 and
	    ([.files[].src] | unique | length) == 2' two
}

@test "batch_size_detector promises nothing from a part of the memory" {
	dlp advise -a --json "$(shipped h200/gpt2_bf16)" 2>/dev/null >one.json
	jq -e '.rules[] | select(.id == "batch_size_detector") |
	    (.recommendation | test("before the recording are unknown")) and
	    (.recommendation | test("x larger") | not)' one.json
}

@test "findings come by what they gain; those of less than 2 % with -a" {
	for p in h200/loader h200/everything advise/gpt_nosdpa; do
		f=$ROOT/tests/data/$p.sqlite.xz
		dlp advise --tsv "$f" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
		$a["gain_ns"] != "-" { print $a["gain_ns"], $a["step_ns"],
		    $a["predicted_step_ns"] }' >got
		sort -c -k 1,1gr got
		awk '50 * $1 < $2 || ($3 != "-" && $1 != $2 - $3) { exit 1 }' got
	done
	[ -s got ]
	# as in the object, and on the screen
	f=$ROOT/tests/data/h200/everything.sqlite.xz
	dlp advise --json "$f" 2>/dev/null | jq -r '.rules[] |
	    select(.verdict == "found" and .part_of == null).gain_ns // -1' |
	    sort -c -gr
	dlp -v -w 200 "$f" 2>/dev/null |
	    sed -n 's/^  [123] \[\([0-9.]*\) -> \([0-9.]*\) ms.*/\1 \2/p' >shown
	awk '{ print $1 - $2 }' shown | sort -c -gr
	[ -s shown ]
	# without replays by the ceiling
	dlp-parse "$f" 2>/dev/null | dlp-correlate 2>/dev/null | dlp-iter --cuts --stable --even 2>/dev/null |
	    dlp-flops 2>/dev/null | dlp-busy | dlp-gaps | dlp-advise --even 2>/dev/null |
	    dlp-agg -T finding --where judged==yes | dlp-fmt --tsv -T finding -c gain_ns | grep -q '^-$'
}

# Six steps with launches to save. Each change of the recording is a program that
# CUDA graphs do not suit: the sizes of kernels, or their number, differ from step
# to step; a step has two forward passes.
@test "launch_bound advises CUDA graphs with what the program needs for them" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	local step="(start - (SELECT min(start) FROM NVTX_EVENTS
	    WHERE text LIKE 'iteration %')) / 15000000"
	advice_of() {
		cp "$(shipped advise/gpt_plain)" changed.sqlite
		chmod u+w changed.sqlite
		sqlite3 changed.sqlite "$1"
		dlp advise --json changed.sqlite 2>/dev/null | jq -r '.rules[] |
		    select(.id == "launch_bound").recommendation'
	}

	[[ $(advice_of '') == 'Launch fewer kernels: torch.compile(model, mode="reduce-overhead"), or'* ]]
	[[ $(advice_of "UPDATE CUPTI_ACTIVITY_KIND_KERNEL
	    SET gridX = gridX + $step") == *'Sizes differ from step to step'* ]]
	[[ $(advice_of "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL
	    WHERE rowid % 50 < $step") == *'Other kernels run in each step'* ]]
	[[ $(advice_of "UPDATE NVTX_EVENTS AS a SET end = (SELECT b.end
	    FROM NVTX_EVENTS b WHERE b.text = 'iteration ' ||
	    (substr(a.text, 11) + 1)) WHERE text IN ('iteration 0',
	    'iteration 2', 'iteration 4'); DELETE FROM NVTX_EVENTS
	    WHERE text IN ('iteration 1', 'iteration 3', 'iteration 5')") == \
	    *'before each of the 2 forward passes'* ]]
}

@test "advice is in the words of the recorder and of the framework" {
	dlp-parse "$(shipped h200/everything)" 2>/dev/null >a
	words() { dlp advise --json "$1" 2>/dev/null |
	    jq -r --arg id "$2" '.rules[] | select(.id == $id).recommendation'; }
	[[ $(words a no_op) == *'emit_nvtx(record_shapes=True)'* ]]
	sed '/^##info	dialect/a ##info	product	dlp-record' a >b
	[[ $(words b no_op) == 'Record with dlp-record --markers'* ]]
}

@test "dlp advise -a: people get a text for each rule" {
	f=$ROOT/tests/data/resnet-before.sqlite.xz
	dlp advise -a --csv "$f" >rows
	dlp advise -a -w 80 "$f" >text
	for w in 'yes:Found' 'not judged:Lack data' 'no:Not found'; do
		n=$(awk -F, -v w="${w%:*}" '$3 == w' rows | wc -l)
		grep -qx "${w#*:} ($n)" text
	done
	same "$(($(wc -l <rows) - 1))" "$(grep -c '^  [a-z]' text)"
	! awk 'length > 80' text | grep . || false
	rc=0
	dlp advise -a -w 80 --fail-on any "$f" >text || rc=$?
	[ $rc -eq 1 ]
}
