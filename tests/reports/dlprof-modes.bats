# DLProf's modes other than PyTorch, on profiles made by hand: the texts are
# those of the frameworks' markers; what is expected is worked out here.

# bats file_tags=long
load ../lib

T=$((7 * 16777216 + 9)) # thread 9 of process 7

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# profile NAME DOMAIN TYPE: lines of "start|end|GPU time|kernel|text" on
# standard input: a range of the event type (59 push/pop, 60 start/end), in
# which a kernel is launched after 10 ns for 5 ns, that begins after 30 ns; none
# if its time is 0.
profile() {
	{
		cat <<-END
		CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000');
		CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER,
		    eventType INTEGER, rangeId INTEGER, text TEXT,
		    globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
		    domainId INTEGER);
		INSERT INTO NVTX_EVENTS VALUES
		    (0, NULL, 75, NULL, '$2', $T, NULL, NULL, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER,
		    end INTEGER, eventClass INTEGER, globalTid INTEGER,
		    correlationId INTEGER, nameId INTEGER,
		    returnValue INTEGER);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER,
		    end INTEGER, deviceId INTEGER, contextId INTEGER,
		    streamId INTEGER, correlationId INTEGER,
		    globalPid INTEGER, demangledName INTEGER,
		    shortName INTEGER, gridX INTEGER, gridY INTEGER,
		    gridZ INTEGER, blockX INTEGER, blockY INTEGER,
		    blockZ INTEGER);
		CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT,
		    cuDevice INTEGER, smCount INTEGER, totalMemory INTEGER);
		INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 0, 80, 1000);
		END
		sed "s/'/''/g" | awk -F'|' -v tid="$T" -v type="$3" '{
			printf "INSERT INTO NVTX_EVENTS VALUES (%d, %d, %d," \
			    " %s, \047%s\047, %d, NULL, NULL, 1);\n", $1, $2, \
			    type, type == 60 ? NR : "NULL", $5, tid
			if ($3 == 0) next
			printf "INSERT OR IGNORE INTO StringIds VALUES" \
			    " (%d, \047%s\047);\n", NR + 1, $4
			printf "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME" \
			    " VALUES (%d, %d, 0, %d, %d, 1, 0);\n", $1 + 10, \
			    $1 + 15, tid, NR
			printf "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL" \
			    " VALUES (%d, %d, 0, 1, 7, %d, %d, %d, %d," \
			    " 1, 1, 1, 32, 1, 1);\n", $1 + 30, $1 + 30 + $3, \
			    NR, tid - 9, NR + 1, NR + 1
		}'
	} | sqlite3 "$1.sqlite"
}

# reports NAME OPTION...: all of them, and the same from the database.
reports() {
	rm -rf o p
	dlprof --database="$1.sqlite" --reports=all "${@:2}" --output_path=o \
	    -v quiet
	dlprof --database=o/dlprof_dldb.sqlite --reports=all --output_path=p \
	    -v quiet
	for f in o/*.csv; do
		cmp "$f" "p/${f#o/}"
	done
}

# cell REPORT COLUMN KEY: of the row whose first field is KEY, without quotes.
cell() {
	awk -v name="$2" -v key="$3" '
	function cells(s, v,    n, c) { # commas in quotes are none
		n = split(s, c, "\"")
		s = ""
		for (i = 1; i <= n; i++) {
			if (i % 2 == 0) gsub(/,/, ";", c[i])
			s = s c[i]
		}
		return split(s, v, ",")
	}
	NR == 2 {
		n = cells($0, h)
		for (i = 1; i <= n; i++) if (h[i] == name) at = i
		if (!at) print "no column " name
	}
	NR > 2 { cells($0, v); if (v[1] == key) print v[at] }' \
	    "o/dlprof_$1.csv"
}

no_pytorch_columns() {
	for r in detailed iteration kernel tensor_core; do
		echo $r
		! sed -n 2p o/dlprof_$r.csv | grep -e Direction -e 'Stack Trace'
	done
	sed -n 2p o/dlprof_detailed.csv | grep 'Data Type,Input Shapes$'
}

found() {
	grep -q "^\"$1" o/dlprof_expert_systems.csv
}

@test "tensorflow1: node names, global_step, detailed texts" {
	profile tf1 tensorflow-core 60 <<-'EOF'
	100|200|0||VariableV2: global_step
	200|300|40|volta_fp16_s884gemm|{"op":"MatMul","name":"tower/dense/MatMul","args":[{"name":"x","shape":[64,512]},{"name":"w","shape":[512,256]}],"attrs":{"T":"float16"}}
	300|400|60|relu_k|{"op":"Relu","name":"tower/dense/Relu","args":[{"name":"y","shape":[64,256]}],"attrs":{"T":"float16"}}
	1100|1200|0||VariableV2: global_step
	1200|1300|50|volta_sgemm|{"op":"MatMul","name":"tower/dense/MatMul","args":[{"name":"x","shape":[64,512]},{"name":"w","shape":[512,256]}],"attrs":{"T":"float16"}}
	1300|1400|70|relu_k|{"op":"Relu","name":"tower/dense/Relu","args":[{"name":"y","shape":[64,256]}],"attrs":{"T":"float16"}}
	EOF
	reports tf1 --mode=tensorflow1
	no_pytorch_columns
	# cut at 200 and 1200, the ends of the key op
	grep -x 'Total Iterations,3' o/dlprof_summary.csv
	grep -x 'Wall Clock Time (ns),1400' o/dlprof_summary.csv
	same 2 "$(cell detailed 'No. Calls' MATMUL_1)"
	same 90 "$(cell detailed 'Total GPU Time (ns)' MATMUL_1)"
	same 95.0 "$(cell detailed 'Avg. CPU Overhead (ns)' MATMUL_1)"
	same 'x: <64; 512>; w: <512; 256>' \
	    "$(cell detailed 'Input Shapes' MATMUL_1)"
	same float16 "$(cell detailed 'Data Type' MATMUL_1)"
	same 'tower/dense/MatMul' "$(cell detailed 'Op Name' MATMUL_1)"
	same MatMul "$(cell detailed 'Op Type' MATMUL_1)"
	same yes "$(cell detailed 'Using TC' MATMUL_1)"
	same 'volta_fp16_s884gemm' \
	    "$(cell tensor_core 'TC Kernel Names' MATMUL_1)"
	same 40 "$(cell tensor_core 'TC GPU Time (ns)' MATMUL_1)"
	same 220 "$(cell group_op 'Total GPU Time (ns)' tower/dense/)"
	same 110.0 "$(cell group_op 'Avg. GPU Time (ns)' tower/dense/)"
	same '2 1|2 2' "$(sed 1,2d o/dlprof_iteration.csv | cut -d, -f1 |
	    sort -n | uniq -c | awk '{ print $1, $2 }' | paste -sd'|')"
	found 'No fused ops detected'
	! found 'No DALI ops'
	! found 'PyTorch'
	# without details
	rm -rf o
	dlprof --database=tf1.sqlite --mode=tensorflow1 --detailed_mode=false \
	    --reports=detail --output_path=o -v quiet
	! sed -n 2p o/dlprof_detailed.csv | grep -e 'Data Type' -e Shapes
	# found out: node names alone are those of TensorFlow 1
	reports tf1
	no_pytorch_columns
}

@test "tensorflow2: functions" {
	profile tf2 tensorflow-core 59 <<-'EOF'
	100|200|20|sgemm|MatMul: model/dense/MatMul
	300|500|0||__inference_train_step_123: StatefulPartitionedCall
	400|450|30|sgemm|MatMul: model/dense/MatMul
	EOF
	reports tf2
	no_pytorch_columns
	same tensorflow2 "$(sqlite3 o/dlprof_dldb.sqlite \
	    'SELECT mode_string FROM read_only_system_config')"
	grep -x 'Total Iterations,1' o/dlprof_summary.csv
	# a range around others is the op, as everywhere
	same 20 "$(cell detailed 'Total GPU Time (ns)' MATMUL_1)"
	! found 'No fused ops detected'
}

@test "tensorrt: layers of an engine, --mode=trtexec" {
	profile trt TensorRT 59 <<-'EOF'
	100|900|0||ExecutionContext::enqueue
	200|300|25|trt_volta_h884cudnn_128x128|conv1 + relu1
	400|500|35|poolk|pool/max
	1100|1900|0||ExecutionContext::enqueue
	1200|1300|27|trt_volta_h884cudnn_128x128|conv1 + relu1
	1400|1500|37|poolk|pool/max
	EOF
	reports trt --mode=trtexec
	no_pytorch_columns
	same tensorrt "$(sqlite3 o/dlprof_dldb.sqlite \
	    'SELECT mode_string FROM read_only_system_config')"
	same '"conv1 + relu1"' "$(sed 1,2d o/dlprof_detailed.csv |
	    cut -d, -f2 | grep conv)"
	# 35 + 37, 25 + 27
	same '72 52' "$(sed 1,2d o/dlprof_kernel.csv | cut -d, -f5 | sort -rn |
	    paste -sd' ')"
	# neither AMP nor data loader are of TensorRT
	same 2 "$(sed 1,2d o/dlprof_expert_systems.csv | wc -l)"
	found 'The GPU is underutilized'
	found 'Unable to split profile into training iterations: key op global_step'
}

@test "jax: thunks of an XLA module" {
	profile jax TSL 59 <<-'EOF'
	100|900|0||XlaModule:#hlo_module=jit_train_step,program_id=74#
	200|300|25|fusion_3|Thunk:#hlo_op=fusion.3#
	400|500|35|gemm_fusion_dot_7|Thunk:#hlo_op=gemm_fusion_dot.7#
	EOF
	reports jax
	same jax "$(sqlite3 o/dlprof_dldb.sqlite \
	    'SELECT mode_string FROM read_only_system_config')"
	same 60 "$(cell group_op 'Total GPU Time (ns)' _CompleteModel_)"
	same "25 35" "$(sed 1,2d o/dlprof_iteration.csv |
	    grep -o ',2[35]0,25,\|,430,35,' | cut -d, -f3 | paste -sd' ')"
}
