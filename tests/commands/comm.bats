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

@test "the ranges around the launch say which collective it is" {
	# the innermost range nccl:... of PyTorch around the call, by SQL
	for p in $PROFILES; do
		f=${p##*/}
		sql "$f" "
		SELECT k.rowid, (SELECT coalesce(n.text, t.value)
		    FROM NVTX_EVENTS n LEFT JOIN StringIds t ON t.id = n.textId
		    WHERE n.globalTid = r.globalTid
		    AND coalesce(n.text, t.value) LIKE 'nccl:%'
		    AND r.start BETWEEN n.start AND n.end
		    ORDER BY n.start DESC LIMIT 1)
		FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s
		ON s.id = k.shortName JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
		ON r.correlationId = k.correlationId
		WHERE s.value LIKE 'nccl%' ORDER BY 1" |
		    sed -e 's/nccl:all_reduce_barrier.*/barrier/' \
			-e 's/nccl:_all_gather_base.*/all_gather/' \
			-e 's/nccl:_reduce_scatter_base.*/reduce_scatter/' \
			-e 's/nccl:\([a-z_]*[a-z]\).*/\1/' >want
		kerns "$f" dir,op | awk -F'\t' -v OFS='\t' \
		    '$2 == "comm" { print $1, $3 }' >got
		diff want got
	done
	# sends by name, five collectives by their ranges
	[ "$(dlp-fmt -T kern --tsv -H -c short,op colls.dlp |
	    sed -n 's/^ncclDevKernel_SendRecv\t//p' | sort -u | tr '\n' ' ')" = \
	    "all_to_all gather scatter send " ]
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

@test "dlp roofline: no bound for communication, as no memory limits it" {
	for f in ddp2_rank0 fsdp2 colls; do
		dlp roofline -g op --tsv "$f.db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["dir"] == "comm" {
			if ($at["bound"] $at["bound_pct"] != "--" || \
			    $at["flop"] != 0 || $at["flop_pct"] != 100)
				exit 1
			n++
		}
		END { exit n == 0 }'
	done
	# rows of several devices or streams, and the row that sums up the others
	dlp roofline -g stream -n 1 --tsv ddp2_rank0.db 2>/dev/null |
	    grep -q '^(rest)'
}

# Elements of all tensors in the sizes of a range.
elements() {
	sed 's/.*sizes = \[\(.*\)\], input_op_ids.*/\1/; s/\], \[/\n/g' |
	    tr -d '[] ' | awk -F, 'NF {
		n = 1
		for (i = 1; i <= NF; i++)
			n *= $i
		sum += n
	} END { print sum }'
}

@test "an op of DTensor counts the sizes of this rank, not of all" {
	# op, PythonSubclass, op: the first has the sizes of all ranks
	sql fsdp2 "SELECT coalesce(n.text, s.value) FROM NVTX_EVENTS n
	    LEFT JOIN StringIds s ON s.id = n.textId
	    WHERE coalesce(n.text, s.value) LIKE 'aten::_foreach_mul_,%'
	    ORDER BY n.start LIMIT 2" >ranges
	all=$(head -n 1 ranges | elements)
	own=$(tail -n 1 ranges | elements)
	[ "$own" -lt "$all" ] && [ $((2 * own)) -ge "$all" ]
	# one multiplication each, read and written in fp32
	dlp-flops -q fsdp2.dlp | dlp-fmt -T kern --tsv -H -c op,flop,bytes |
	    awk '$1 == "_foreach_mul_" && $2 > 0 { print $2, $3 }' |
	    sort -u >got
	[ "$(cat got)" = "$own $((8 * own))" ]
}

@test "copies of FSDP and autocast have no FLOPs, whatever launched them" {
	dlp coverage --tsv fsdp2.db 2>/dev/null | grep "^flop" >got
	[ "$(wc -l <got)" -eq 1 ] # known: all
	dlp-flops -q fsdp2.dlp | dlp-fmt -T kern --tsv -H \
	    -c dir,op,family,flop >got
	[ "$(grep -c 'all_gather_copy_in.copy.0$' got)" -eq 6 ]
	[ "$(grep -c 'split_with_sizes_copy.copy.0$' got)" -eq 5 ]
	# only communication is of the family collective
	[ -z "$(awk -F'\t' '($1 == "comm") != ($3 == "collective")' got)" ]
	# a cast in the backward of a convolution whose sizes are unknown
	cast='void at::native::unrolled_elementwise_kernel<
at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)>()'
	printf '%s\n' '##dlp	1' '#op	op_id	mod	op	dir' \
	    'op	1	aten	conv2d	bprop' '#str	id	text' \
	    "str	1	${cast//$'\n'/}" \
	    '#kern	id	op_id	name_id	dur_ns' 'kern	1	1	1	5' \
	    '##end	3' | dlp-flops | dlp-fmt -T kern --tsv -H \
	    -c family,flop >got
	[ "$(tail -n 1 got)" = "copy${TAB}0" ]
}

# NCCL's names have a type only where a kernel adds up. FSDP copies parameters
# into a buffer in a range, and the gather's range names that range as the
# producer of its input (input_op_ids).
@test "bytes of a gather: its elements, in the type of the copy before it" {
	sql fsdp2 "SELECT coalesce(n.text, s.value) FROM NVTX_EVENTS n
	    LEFT JOIN StringIds s ON s.id = n.textId
	    WHERE coalesce(n.text, s.value) LIKE 'c10d::_allgather_base_,%'
	    ORDER BY n.start" >gathers
	[ -s gathers ]
	# the kernels launched in the producer's range copy bfloat16
	made=$(sed -n '1s/.*input_op_ids = \[(\([0-9]*\),1).*/\1/p' gathers)
	sql fsdp2 "SELECT DISTINCT k.value FROM NVTX_EVENTS n
	    LEFT JOIN StringIds t ON t.id = n.textId
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.globalTid = n.globalTid
	    AND r.start BETWEEN n.start AND n.end
	    JOIN CUPTI_ACTIVITY_KIND_KERNEL g
	    ON g.correlationId = r.correlationId
	    JOIN StringIds k ON k.id = g.demangledName
	    WHERE coalesce(n.text, t.value) LIKE '%, op_id = $made,%'" \
	    >copies
	grep -q 'Copy<c10::BFloat16, c10::BFloat16>' copies
	# the larger side, of 2 bytes each
	sed 's/.*sizes = \[\[\([0-9]*\)\].*/\1/' gathers |
	    awk '{ print 2 * $1 }' >want
	dlp-flops -q fsdp2.dlp | dlp-fmt -T kern --tsv -H \
	    -c api_start_ns,op,bytes,dtype >all
	grep "${TAB}all_gather$TAB" all | sort -n | cut -f 3 | diff want -
	[ "$(grep "${TAB}all_gather$TAB" all | cut -f 4 | sort -u)" = bf16 ]
	# without a producer, and without a type in the name: unset
	dlp-flops -q colls.dlp | dlp-fmt -T kern --tsv -H -c op,bytes |
	    sort -u >got
	grep -q "^broadcast$TAB-\$" got
	grep -q "^send$TAB-\$" got
	grep -q "^reduce${TAB}4194304\$" got
}

# Ranges of torch.profiler have the types of the inputs. These events are those of
# a trace of FSDP2, without what is not needed here.
@test "bytes of a gather in a trace of torch.profiler" {
	at() { # CAT NAME TS DUR TID ARGS
		printf '{"ph": "X", "cat": "%s", "name": "%s", "pid": 5,' \
		    "$1" "$2"
		printf ' "tid": %d, "ts": %d, "dur": %d, "args": {%s}}%s' \
		    "$5" "$3" "$4" "$6" "${7-,}"
	}
	{
		echo '{"schemaVersion": 1, "traceEvents": ['
		at cpu_op c10d::_allgather_base_ 10 90 5 '"External id": 7,
		    "Ev Idx": 3, "Input type": ["c10::BFloat16",
		    "c10::BFloat16", "", "Scalar", "Scalar"], "Input Dims":
		    [[3152384], [1576192], [], [], []]'
		at cuda_runtime cudaLaunchKernelExC 20 5 5 '"correlation": 1'
		at kernel ncclDevKernel_AllGather_RING_LL 30 900 22 \
		    '"device": 0, "stream": 22, "correlation": 1,
		    "External id": 7' ''
		echo ']}'
	} >gather.json
	dlp-parse gather.json | dlp-correlate | dlp-flops -q |
	    dlp-fmt -T kern --tsv -H -c op,bytes,dtype >got
	[ "$(tail -n 1 got)" = "all_gather${TAB}6304768${TAB}bf16" ]
}
