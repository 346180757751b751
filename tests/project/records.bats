# dlp-records(5) is the registry of common/columns.tab: after a column was added,
# "tests/bin/tables -w" writes the page again.

# bats file_tags=source
load ../lib

PAGE=$ROOT/man/dlp-records.5

registry() {
	awk -v what="$1" -f "$ROOT/tests/bin/registry.awk" "$ROOT/common/columns.tab"
}

@test "the registry does not contradict itself" {
	same '' "$(registry wrong)"
}

@test "every column of the registry stands in dlp-records(5)" {
	diff -u --label common/columns.tab --label man/dlp-records.5 \
	    <(registry mdoc) \
	    <(sed -n '/^\.\\" begin$/,/^\.\\" end$/{//!p}' "$PAGE") || {
		echo "tests/bin/tables -w writes these tables"
		return 1
	}
}

@test "the page has no column twice, and as many as the registry" {
	want=$(registry tsv | grep -vc '^\*') # but that of all records
	# those of a section that is referred to count wherever it is
	got=$(sed -n '/^\.\\" begin$/,/^\.\\" end$/p' "$PAGE" | awk '
	/^\.Ss / { of = substr($0, 5) }
	/^\.It [a-z]/ { n[of]++; if (of !~ / /) sum++ }
	/^\.Sx / { sum += n[substr($0, 5, length($0) - 6)] }
	END { print sum }')
	echo "$want in the registry, $got in the page"
	[ "$want" -eq "$got" ]
}

@test "aliases of dlp-records(5) are those of common/columns.tab" {
	diff -u --label common/columns.tab --label man/dlp-records.5 \
	    <(sed -n 's/^alias	\(.*\)	\(.*\)/\1 \2/p' \
		"$ROOT/common/columns.tab") \
	    <(sed -n '/^\.Ss Aliases/,/^\.El/s/^\.It \([a-z]*\) Ta \(.*\)/\1 \2/p' \
		"$PAGE")
}

@test "what the commands write is declared in the registry" {
	registry tsv | cut -f1,2 | sort -u >"$BATS_TEST_TMPDIR/known"
	p="dlp-parse $LENET"
	for c in correlate "iter --cuts" flops rate busy gaps phases mem \
	    expose waits markers tree ranks advise; do
		p="$p | dlp-$c"
	done
	bash -o pipefail -c "$p" 2>/dev/null |
	    awk -F'\t' '/^#[a-z]/ {
		for (i = 2; i <= NF; i++) print substr($1, 2) "\t" $i
	    }' | sort -u >"$BATS_TEST_TMPDIR/written"
	[ -s "$BATS_TEST_TMPDIR/written" ]
	run comm -13 "$BATS_TEST_TMPDIR/known" "$BATS_TEST_TMPDIR/written"
	echo "$output"
	[ -z "$output" ]
}

# With out_type_reg() the names are not in the code.
@test "the code of a command names each column that it writes" {
	cd "$ROOT"
	bad=0
	registry tsv | cut -f 1,2,5 | sort -u >"$BATS_TEST_TMPDIR/columns"
	for c in $(cut -f 3 "$BATS_TEST_TMPDIR/columns" | sort -u); do
		find "cmd/$c.c" "cmd/$c" common -name '*.[ch]' \
		    -exec cat {} + 2>/dev/null >"$BATS_TEST_TMPDIR/code" || :
		awk -F'\t' -v by="$c" '
		NR == FNR {
			if (/out_type_reg\(/) reg = reg $0
			gsub(/[^A-Za-z0-9_]+/, " ")
			n = split($0, w, " ")
			for (i = 1; i <= n; i++) named[w[i]] = 1
			next
		}
		$3 == by && !($2 in named) && index(reg, "\"" $1 "\"") == 0 {
			print "common/columns.tab: " by " does not write " $2 " of " $1
			bad = 1
		}
		END { exit bad }' "$BATS_TEST_TMPDIR/code" "$BATS_TEST_TMPDIR/columns" || bad=1
	done
	[ $bad -eq 0 ]
}

# Of the columns of a type that one command writes. A column that several types
# share stands in the order of each type's own rows.
@test "legends have their columns in the registry's order" {
	p="dlp-parse $LENET"
	for c in correlate "iter --cuts --stable" flops rate busy gaps phases mem \
	    expose waits markers tree ranks advise; do
		p="$p | dlp-$c"
	done
	registry tsv >"$BATS_TEST_TMPDIR/registry"
	bash -c "$p" 2>/dev/null | grep '^#[a-z]' | sort -u \
	    >"$BATS_TEST_TMPDIR/legends"
	run awk -F'\t' 'NR == FNR { at[$1, $2] = NR; by[$1, $2] = $5; next }
	{
		split("", last)
		t = substr($1, 2)
		for (i = 2; i <= NF; i++)
			if ((t, $i) in at) {
				b = by[t, $i]
				if (at[t, $i] < last[b])
					print t, $i, "is out of order"
				last[b] = at[t, $i]
				n++
			}
	}
	END { print (n > 200 ? "many" : "few") }' \
	    "$BATS_TEST_TMPDIR/registry" "$BATS_TEST_TMPDIR/legends"
	echo "$output"
	[ "$output" = many ]
}

@test "what the reports do not read is what their commands say" {
	tests/bin/needs | diff -u pipelines/reports/awk/unread.tab - ||
	    { echo "tests/bin/needs -w writes the table"; false; }
}

@test "-h of a report shows the columns that it prints, and their headings" {
	bash tests/bin/tables columns | diff -u pipelines/reports/awk/columns.tab - ||
	    { echo "tests/bin/tables -w writes the list"; false; }
	dlp top -h | grep -qF ' dur_pct (time %), sum_dur_ns (total),'
}

# Fields that a filter writes are left out as it writes, the others are cut out
# of lines; -r and a second run go the other ways through the writer.
@test "--drop leaves out types and columns, and nothing else" {
	local in=$BATS_TEST_TMPDIR/in full=$BATS_TEST_TMPDIR/full
	cp "$LENET" "$in.dlp-parse"
	dlp-parse "$LENET" >"$in.dlp-correlate"
	dlp-correlate "$in.dlp-correlate" >"$in.dlp-flops"
	cp "$in.dlp-flops" "$in.dlp-gaps"
	cp "$in.dlp-flops" "$in.dlp-iter"
	dlp-flops "$in.dlp-flops" >"$in.dlp-rate" 2>/dev/null
	for cmd in dlp-parse dlp-correlate dlp-iter dlp-flops dlp-gaps dlp-rate; do
		$cmd "$in.$cmd" 2>/dev/null >"$full"
		$cmd --drop kern:corr,grid,why,api,api_start_ns,ai,bound --drop prim \
		    --drop inst:launch_id,inst_id --drop call --drop mem \
		    --drop dev:cc --drop op:key --drop gap:dev,what \
		    "$in.$cmd" 2>/dev/null >"$full.less"
		awk -F '\t' -v OFS='\t' '
		BEGIN {
			n = split("corr grid why api api_start_ns ai bound", k, " ")
			for (i = 1; i <= n; i++) gone["kern", k[i]] = 1
			gone["inst", "launch_id"] = gone["inst", "inst_id"] = 1
			gone["dev", "cc"] = gone["op", "key"] = 1
			gone["gap", "dev"] = gone["gap", "what"] = 1
		}
		$1 ~ /^#?(call|prim)$/ { if ($1 !~ /^#/) less++; next }
		$1 == "##cmd" { next }
		$1 == "##end" { print $1, $2 - less; next }
		/^#(kern|inst|dev|op|gap)\t/ {
			type = substr($1, 2)
			for (i = 2; i <= NF; i++) out[type, i] = (type, $i) in gone
		}
		/^#?(kern|inst|dev|op|gap)\t/ {
			type = $1
			sub(/#/, "", type)
			line = $1
			for (i = 2; i <= NF; i++)
				if (!out[type, i]) line = line OFS $i
			print line
			next
		}
		{ print }' "$full" | diff - <(grep -v '^##cmd' "$full.less")
		[ "$(grep -c '^kern' "$full.less")" -gt 100 ]
	done
	run dlp-flops --drop kern:nonesuch "$in.dlp-flops"
	[ "$status" = 2 ]
	[ "$output" = "dlp-flops: --drop: kern records have no column 'nonesuch'" ]
	run dlp-flops --drop prim --drop prim "$in.dlp-flops"
	[ "$status" = 2 ]
	[ "$output" = "dlp-flops: --drop: prim is given twice" ]
}

# bats test_tags=long
@test "reports are the same if nothing is left unwritten" {
	cd "$BATS_TEST_TMPDIR"
	cp -r "$PIPES" whole
	: >whole/reports/awk/unread.tab
	for f in "$ROOT/tests/data/alternate.sqlite.xz" h200/gpt2_bf16.sqlite.xz; do
		f=$(profile "$f")
		while read -r report; do
			# shellcheck disable=SC2086 # words
			whole/dlp $report --tsv "$f" >want 2>&1
			# shellcheck disable=SC2086
			dlp $report --tsv "$f" >got 2>&1
			cmp want got || { echo "dlp $report ${f##*/}"; return 1; }
		done <<-'END'
			overview
			advise -a
			top -g op.name,dir,tc
			top -g stream,family
			top --drift
			roofline -g op.name,dir,tc
			roofline -g grid,block
			roofline -p fp32=60
			kernels -i 1
			kernels -g prim
			tc -a
			coverage -i 1
			ops -i 1
			layers -i 1
			iters
			devices
			detail
		END
	done
}
