# dlp-agg against SQL over the same profile, and at its limits.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	command -v sqlite3 >/dev/null || skip "no sqlite3"
}

# The rows of a stream's agg records.
rows() {
	sed -n 's/^agg	//p'
}

K='CUPTI_ACTIVITY_KIND_KERNEL'

sql() {
	sqlite3 -tabs "$LENET" "$1"
}

@test "two profiles in one stream: kernels by name add up, ids do not meet" {
	dlp-parse "$LENET" >a
	# the second one has its strings in another order
	awk -F'\t' -v OFS='\t' '
	/^#/ { if (/^#(str|kern)/) for (i = 2; i <= NF; i++) at[substr($1, 2), $i] = i }
	$1 == "str" { $at["str", "id"] = 1000 - $at["str", "id"] }
	$1 == "kern" { $at["kern", "name_id"] = 1000 - $at["kern", "name_id"] }
	{ print }' a >b
	cat a b | dlp-agg -g name -a count,sum | rows | sort >two
	dlp-agg -g name -a count,sum a | rows |
	    awk -F'\t' -v OFS='\t' '{ print $1, 2 * $2, 2 * $3 }' |
	    sort >want
	cmp want two
	# as a section of its own
	cat a b | dlp-agg -g name | tail -n 1 | grep -q '^##end'
	[ "$(cat a b | dlp-agg -g name | grep -c '^##dlp')" -eq 1 ]
}

@test "a limit counts what it leaves out" {
	n=$(dlp-parse "$LENET" | dlp-agg -g name | rows | wc -l)
	dlp-parse "$LENET" | dlp-agg -g name --sort -sum -n 3 >got
	[ "$(rows <got | wc -l)" -eq 3 ]
	grep -q "^##note	agg_over_limit	$((n - 3))\$" got
	dlp-parse "$LENET" | dlp-agg -g name --sort -sum -n 3 --rest |
	    dlp-agg -T agg -a sum -f n,sum_dur_ns | rows >got
	sql "SELECT count(*), sum(end - start) FROM $K" >want
	cmp want got
}

@test "100,000 groups" {
	awk 'BEGIN {
		printf "#kern\tg\tdur_ns\n"
		for (i = 0; i < 300000; i++)
			printf "kern\tg%d\t%d\n", i % 100000, i
	}' | dlp-agg -g g -a count,sum,p50 --sort -sum -n 2 | rows >got
	printf 'g99999\t3\t599997\t199999\ng99998\t3\t599994\t199998\n' |
	    cmp - got
}

@test "more records than are kept in memory: sorted all the same" {
	command -v sort >/dev/null
	pad=$(printf '%0200d' 7)
	awk -v pad="$pad" 'BEGIN {
		printf "#kern\tid\tx\tpad\n"
		for (i = 0; i < 400000; i++)
			printf "kern\t%d\tk%d\t%s\n", i, i * 7919 % 1000, pad
	}' >in
	mkdir tmp
	TMPDIR=tmp dlp-agg --sort x in >out
	[ -z "$(ls tmp)" ]
	[ "$(grep -c '^#' out)" -eq 1 ]
	dlp-fmt -c id,x out | tail -n +2 >got
	sort -k2,2 -k1,1n got | cmp - got
	[ "$(wc -l <got)" -eq 400000 ]
	rc=0
	TMPDIR=./none dlp-agg --sort x in >out 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	[ "$(wc -l <err)" -eq 1 ]
	rm in out
}

# Three sections of random kernels: groups that come and go, texts, numbers
# with and without fractions, unset values, times out of order, two files.
random_kernels() {
	awk -v seed="$1" -v n="$2" 'BEGIN {
		srand(seed)
		for (s = 0; s < 3; s++) {
			print "##dlp\t1\n##cmd\tmade " s
			print "#kern\tid\tstart_ns\tdur_ns\tg\th\tx\tt\tsrc"
			for (i = 0; i < n; i++) {
				time += int(rand() * 2000)
				at = time - (rand() < .3 ? int(rand() * 9000) : 0)
				g = int(rand() * rand() * n / 4)
				x = int(rand() * 100) - 50
				if (rand() < .1) x = "-"
				else if (rand() < .5 && g % 3 == 0)
					x = sprintf("%.6f", rand() * 1e6)
				printf "kern\t%d\t%d\t%d\tg%d\t%s\t%s\tt%d\t%s\n", \
				    i, at, int(rand() * 1000), g, \
				    (rand() < .2 ? "-" : int(rand() * 4)), x, \
				    rand() * 90, (s == 1 ? "-" : "f" int(rand() * 2))
			}
			print "##end\t" n
		}
	}'
}

@test "-S: the result is the same in any memory" {
	random_kernels 7 6000 >in
	mkdir tmp
	while read -r options; do
		# shellcheck disable=SC2086 # words
		dlp-agg $options in | grep -v '^##cmd' >want
		for size in 4K 40K; do
			# shellcheck disable=SC2086
			TMPDIR=tmp dlp-agg -S $size $options in | grep -v '^##cmd' |
			    diff want - >difference || {
				echo "-S $size $options"
				head difference
				return 1
			}
			[ -z "$(ls tmp)" ]
		done
	done <<-'END'
	-g g,h -a count,sum,mean,min,max,pct,std,nset -f dur_ns,x
	-g g,h -a count,sum,p50,p99,p1 -f dur_ns,x
	-g g -a count,median:x,p90:dur_ns,union --sort -p90_dur_ns,g
	-g g,t -a first:x,last:t,union,pct:x --sort -union_ns,last_t -n 40 --rest
	-g g,h -a count,p50,p99,sum,pct,std -f dur_ns,x --sort -sum_x -n 10 --rest
	-g g,h,t -a count,union,p50,sum,mean,std -f dur_ns,x --partial
	-a count,p50,union,std,pct,last -f dur_ns,x
	-g g -a count,p75:x,union --as a --and -T kern -g h,t -a sum,p10 --as b
	--keep kern -g g,t -a count,p75:x,union,first:id --sort -n
	--sort t,-g
	--sort -x,h -n 30 -c g,x,t
	END
}

@test "-S: a full disk, or no folder, is one line, exit 2" {
	random_kernels 9 20000 >in
	rc=0
	TMPDIR=./none dlp-agg -S 8K -g g,h in >out 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	[ "$(wc -l <err)" -eq 1 ]
	(
		ulimit -f 64
		trap '' XFSZ
		rc=0
		dlp-agg -S 300K -g id,h -a count,p50 in 2>err | cat >out
		rc=${PIPESTATUS[0]}
		[ "$rc" -eq 2 ]
	)
	cat err
	[ "$(wc -l <err)" -eq 1 ]
	grep -q TMPDIR err
}
