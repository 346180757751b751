# Random small profiles (tests/harness/random_profile.py): what is true of the filters whatever
# the profile is. SEEDS="4 5" tries others; a failure names its seed. Whether the
# numbers are right is the oracle's affair (tests/harness).

# bats file_tags=long
load ../lib

SEEDS=${SEEDS:-1 2 3 4 5}
setup_file() {
	command -v sqlite3 >/dev/null || return 0
	for seed in ${SEEDS:-1 2 3 4 5}; do
		python3 "$ROOT/tests/harness/random_profile.py" "$seed" \
		    "$BATS_FILE_TMPDIR/$seed.db" >/dev/null
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate --ranges 2>/dev/null |
		    dlp-iter -k step >"$BATS_FILE_TMPDIR/$seed.dlp"
	done
}

setup() {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "iterations while streaming and of the spooled stream: the same" {
	local n=0

	for seed in $SEEDS; do
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate --ranges 2>/dev/null | dlp-iter >own 2>err
		[ ! -s err ] || continue # its steps cover too little
		n=$((n + 1))
		grep -v '^##cmd\|^#*iter	' own >got
		grep -v '^##cmd\|^#*iter	' "$BATS_FILE_TMPDIR/$seed.dlp" >want
		cmp want got
		diff <(grep '^iter	' own) \
		    <(grep '^iter	' "$BATS_FILE_TMPDIR/$seed.dlp")
	done
	[ $n -gt 0 ]
}

@test "a stage again, behind all others: nothing is there twice" {
	for seed in $SEEDS; do
		dlp-flops "$BATS_FILE_TMPDIR/$seed.dlp" | dlp-iter --cuts -k step |
		    dlp-busy | dlp-gaps | dlp-phases | dlp-expose |
		    dlp-waits | dlp-mem | dlp-tree | dlp-ranks |
		    dlp-advise | grep -v '^##cmd' >once
		for c in flops busy gaps phases expose waits mem tree ranks \
		    advise 'iter --cuts -k step'; do
			# what ends a section comes in the order of the stages
			dlp-$c once | grep -v '^##cmd' | sort >twice
			sort once | cmp - twice ||
			    { echo "seed $seed: $c"; return 1; }
		done
	done
}

@test "two sections in one pipe: each as alone" {
	local a b
	# shellcheck disable=SC2086 # a list of numbers
	set -- $SEEDS
	a=$BATS_FILE_TMPDIR/$1 b=$BATS_FILE_TMPDIR/${2:-$1}
	{ dlp-parse "$a.db"; dlp-parse "$b.db"; } 2>/dev/null |
	    dlp-correlate --ranges 2>/dev/null | dlp-iter -k step |
	    grep -v '^##cmd' >together
	cat "$a.dlp" "$b.dlp" | grep -v '^##cmd' | cmp - together
	# and groups are those of all records
	dlp-agg -g dev -a count,sum <together | sed -n 's/^agg	//p' |
	    sort -n >got
	cat "$a.dlp" "$b.dlp" | awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) p[$i] = i }
	$1 == "kern" { n[$p["dev"]]++; s[$p["dev"]] += $p["dur_ns"] }
	END { for (d in n) print d "\t" n[d] "\t" s[d] }' | sort -n >want
	diff want got
}

# keeps SEED FILTERS: GPU work and calls with their columns, and their order,
# behind the filters as before them.
keeps() {
	local type cols

	dlp-parse "$BATS_FILE_TMPDIR/$1.db" 2>/dev/null >in
	bash -o pipefail -c "$2" <in >out 2>err || { cat err; return 1; }
	for type in kern copy set call; do
		cols=$(sed -n "s/^#$type	//p" in)
		diff <(fields in $type $cols) <(fields out $type $cols) >d ||
		    { head d; echo "seed $1: $2: $type"; return 1; }
	done
	[ "$(grep -vc '^#' out)" -eq "$(sed -n 's/^##end	//p' out)" ]
}

# fields FILE TYPE NAME...: these columns of a type, as they stand.
fields() {
	awk -F'\t' -v OFS='\t' -v t="$2" -v names="${*:3}" '
	BEGIN { n = split(names, name, " ") }
	$1 == "#" t { for (i = 2; i <= NF; i++) p[$i] = i }
	$1 == t {
		line = ""
		for (i = 1; i <= n; i++)
			line = line OFS (name[i] in p ? $p[name[i]] : "-")
		print line
	}' "$1"
}

@test "no filter loses or changes GPU work or a call, nor their order" {
	for seed in $SEEDS; do
		keeps "$seed" 'dlp-correlate | dlp-iter'
		keeps "$seed" 'dlp-correlate --ranges | dlp-iter -k step'
		keeps "$seed" 'dlp-correlate -D | dlp-iter -D | dlp-flops'
		keeps "$seed" 'dlp-correlate | dlp-iter --cuts --stable |
		    dlp-flops | dlp-rate -T kern | dlp-busy | dlp-phases |
		    dlp-gaps | dlp-expose | dlp-waits | dlp-mem | dlp-tree |
		    dlp-ranks | dlp-advise | dlp-markers'
	done
}

# Apart by process, by thread, at random; what has no time is in both parts.
@test "dlp-merge of a stream in parts: the stream" {
	local cols='idx start_ns dur_ns pid tid dev stream short api api_start_ns'

	for seed in $SEEDS; do
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null >in
		for by in pid tid random; do
			awk -F'\t' -v by=$by -v seed="$seed" '
			BEGIN { srand(seed) }
			/^#[a-z]/ { for (i = 2; i <= NF; i++)
				at[substr($1, 2), $i] = i }
			/^##end/ {
				for (i = 0; i < 2; i++)
					print $1 "\t" n[i] + 0 >("part" i)
				next
			}
			/^#/ || !(($1, "start_ns") in at) {
				for (i = 0; i < 2; i++) {
					print >("part" i)
					n[i] += !/^#/
				}
				next
			}
			{
				i = by == "random" ? int(rand() * 2) : \
				    $at[$1, by] % 2
				print >("part" i)
				n[i]++
			}' in
			dlp-merge part0 part1 >whole 2>err
			for type in kern copy set call range; do
				for f in in whole; do
					fields $f $type $cols | sort >$f.rows
				done
				diff in.rows whole.rows >d ||
				    { head d; echo "seed $seed by $by: $type"; return 1; }
			done
			# in launch order
			awk -F'\t' '
			/^#[a-z]/ { for (i = 2; i <= NF; i++)
				at[substr($1, 2), $i] = i }
			!/^#/ && (($1, "start_ns") in at) {
				t = $at[$1, "start_ns"]
				if (($1, "api_start_ns") in at &&
				    $at[$1, "api_start_ns"] != "-")
					t = $at[$1, "api_start_ns"]
				if (t + 0 < last + 0)
					exit bad = 1
				last = t
			}
			END { exit bad }' whole
			rm part0 part1
		done
	done
}

@test "dlp-agg in a memory of 4 KB and of 64 MB: the same bytes" {
	for seed in $SEEDS; do
		for options in '-g short,iter -a count,sum,p50,p99,std' \
		    '-g op,dir,dev -a union,max,first:short' \
		    '--sort -dur_ns,idx' '--sort short -n 7 --rest -g short'; do
			for size in 4K 64M; do
				# shellcheck disable=SC2086 # words
				dlp-agg -T kern -S $size $options \
				    "$BATS_FILE_TMPDIR/$seed.dlp" |
				    grep -v '^##cmd' >$size
			done
			cmp 4K 64M || { echo "seed $seed: $options"; return 1; }
		done
	done
}
