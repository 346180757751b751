# Communication: which kernels it is, which collective, and where its time is
# shown. Every number is checked against SQL on real profiles of two GPUs:
# DistributedDataParallel (h200/ddp2_rank0), a step of FSDP2, and each kind of
# collective once per step (colls).

load ../lib

TAB='	'
PROFILES='h200/ddp2_rank0 comm/fsdp2 comm/colls'

setup_file() {
	command -v sqlite3 >/dev/null || return 0
	cd "$BATS_FILE_TMPDIR" || return
	for p in $PROFILES; do
		f=${p##*/}
		xz -dc "$ROOT/tests/data/$p.sqlite.xz" >"$f.db"
		dlp-parse "$f.db" | dlp-correlate >"$f.dlp" 2>/dev/null
		# the same kernels by names that tell nothing
		cp "$f.db" "$f.no.db"
		sqlite3 "$f.no.db" "UPDATE StringIds
		    SET value = replace(value, 'nccl', 'quux')
		    WHERE value LIKE 'ncclDev%'"
		dlp-parse "$f.no.db" | dlp-correlate >"$f.no.dlp" 2>/dev/null
	done
}

setup() {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	cd "$BATS_FILE_TMPDIR" || return
}

sql() {
	sqlite3 -readonly -separator "$TAB" "file:$1.db?immutable=1" "$2"
}

# kerns FILE COLUMN,...: of the kernels, in the order of the database.
kerns() {
	dlp-fmt -T kern --tsv -H -c "idx,$2" "$1.dlp" | sort -n
}

# The kernels of NCCL by SQL: place in the table, duration.
nccl_kernels() {
	sql "$1" "SELECT k.rowid, k.end - k.start
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s
	    ON s.id = k.shortName WHERE s.value LIKE 'nccl%' ORDER BY 1"
}

@test "a kernel is communication if and only if its name says so" {
	for p in $PROFILES; do
		f=${p##*/}
		nccl_kernels "$f" >want
		[ -s want ]
		kerns "$f" dir,dur_ns | awk -F'\t' -v OFS='\t' \
		    '$2 == "comm" { print $1, $3 }' >got
		diff want got
		# and no other name has an op of communication
		[ -z "$(kerns "$f" dir,short | awk -F'\t' \
		    '($2 == "comm") != ($3 ~ /^nccl/)')" ]
	done
}

@test "for_op is what op would be; layer, phase and why are the same" {
	for p in $PROFILES; do
		f=${p##*/}
		kerns "$f" dir,for_mod,for_op,for_dir,mod,op,layer,phase,why |
		    awk -F'\t' -v OFS='\t' '{
			if ($2 == "comm")
				print $1, $3, $4, $5, $8, $9, $10
			else
				print $1, $6, $7, $2, $8, $9, $10
		}' >got
		kerns "$f.no" mod,op,dir,layer,phase,why >want
		diff want got
	done
	# hooks of FSDP2 and DDP launched it
	[ "$(kerns fsdp2 dir,for_op | grep -c "comm${TAB}RegisterPost")" -eq 4 ]
	[ "$(kerns ddp2_rank0 dir,for_op | grep -c "comm${TAB}conv2d")" -eq 6 ]
}

@test "a copy or another kernel in a collective's range keeps its op" {
	for p in $PROFILES; do
		f=${p##*/}
		for type in copy set; do
			dlp-fmt -T $type --tsv -H -c id,op,dir "$f.dlp" >got
			dlp-fmt -T $type --tsv -H -c id,op,dir "$f.no.dlp" \
			    >want
			diff want got
		done
	done
	dlp-fmt -T copy --tsv -H -c op,dir colls.dlp | grep -q "${TAB}fprop"
	[ -z "$(dlp-fmt -T copy --tsv -H -c dir colls.dlp | grep comm)" ]
}

@test "runs of ops hold no communication, and its own runs hold all of it" {
	for p in $PROFILES; do
		f=${p##*/}
		want=$(nccl_kernels "$f" | awk -F'\t' '{ s += $2 } END { print s }')
		got=$(dlp-agg -T inst -g dir -a sum -f gpu_ns "$f.dlp" |
		    dlp-fmt -T agg --tsv -H | sed -n "s/^comm$TAB//p")
		[ "$got" = "$want" ]
		# with the time that others have without the rule, it is all
		all=$(dlp-fmt -T inst --tsv -H -c gpu_ns "$f.no.dlp" |
		    awk '{ s += $1 } END { print s }')
		now=$(dlp-fmt -T inst --tsv -H -c gpu_ns "$f.dlp" |
		    awk '{ s += $1 } END { print s }')
		# (a run's gpu_ns is a union: alone, both parts are as long)
		[ "$now" -ge "$all" ]
	done
}
