# AMD's GPUs: which kernels use matrix cores, peaks, and words.

load ../lib

TAB='	'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# bats test_tags=more
@test "no name of the samples is unknown but those that can mean either" {
	need_data kineto/kernels-amd.txt
	same '' "$(dlp-tc "$DATA/kineto/kernels-amd.txt" |
	    awk -F'\t' '$2 == "unknown" { print $1 }')"
	same '' "$(dlp-tc "$DATA/kineto/kernels-nvidia.txt" |
	    awk -F'\t' '$2 == "unknown" { print $1 }' | grep -v '^triton__0d1d')"
}

@test "peaks are CUs times clock times operations per clock" {
	# CDNA 3 at FP16: 2048 per clock and CU; CDNA 4: 4096; CDNA 2: 1024
	awk '$1 ~ /^MI(300X|325X|300A|350X|355X|250|250X|210|100)$/ {
		printf "%s %.1f\n", $1, $6 }' "$ROOT/cmd/dlp-rate/gpus.tab" >got
	while read -r name cu mhz per; do
		awk -v n="$name" -v a="$cu" -v b="$mhz" -v c="$per" 'BEGIN {
			printf "%s %.1f\n", n, a * b * c / 1e6 }'
	done <<-'EOF' >want
	MI355X 256 2400 4096
	MI350X 256 2200 4096
	MI325X 304 2100 2048
	MI300X 304 2100 2048
	MI300A 228 2100 2048
	MI250X 110 1700 1024
	MI250 104 1700 1024
	MI210 104 1700 1024
	MI100 120 1502 1024
	EOF
	diff want got
}

@test "AMD's word is matrix cores: overview, findings, tc, the page" {
	f=$ROOT/tests/data/kineto/gpt2_bf16.json.gz
	zcat "$f" | sed 's/"NVIDIA H200"/"AMD Instinct MI300X"/g' >g.json
	dlp-parse g.json 2>/dev/null | grep -q "^##info${TAB}vendor${TAB}amd\$"
	for r in overview advise tc coverage; do
		dlp $r g.json >out 2>&1
		[ "$(grep -ci 'tensor core' out)" -eq 0 ]
		[ $r != overview ] || grep -q 'matrix core kernels' out
		dlp $r "$f" >out 2>&1
		[ "$(grep -c 'matrix core' out)" -eq 0 ]
	done
	dlp html g.json >p.html 2>/dev/null
	grep -q '"vendor":"amd"' p.html
	# the page's own words go through tensorCores()
	same '' "$(grep -n 'Tensor Core' "$ROOT"/cmd/dlp-html/page/*.js |
	    grep -v ':// \|tensorCores(\|const tensorCores')"
}

@test "calls of HIP that wait, allocate and load are what CUDA's are" {
	hip() { sed 's/	cuda\([A-Z]\)/	hip\1/g; s/	cu\([A-Z]\)/	hip\1/g'; }
	# the same waits and findings, of calls with the other name
	f=$ROOT/tests/data/h200/everything.sqlite.xz
	dlp-parse "$f" | dlp-correlate 2>/dev/null >s
	[ "$(dlp-waits s | grep -c '^wait	.*cuda')" -gt 3 ]
	same "$(hip <s | dlp-waits | dlp-fmt -T wait --tsv)" \
	    "$(dlp-waits s | dlp-fmt -T wait --tsv | hip)"
	dlp-advise --json <s | sed 's/cuda\([DESTMF]\)/hip\1/g' >want
	hip <s | dlp-advise --json | sed 's/cuda\([DESTMF]\)/hip\1/g' >got
	cmp want got
	printf 'call\t%s\n' hipMemcpyWithStream hipMemcpyDtoH_spt hipMemcpyAsync \
	    hipMemcpyDtoHAsync hipStreamQuery cudaMemset cudaMemset2D_ptds cuMemcpy2D_v2 \
	    cudaStreamSynchronize_ptsz_v7000 cudaMemcpyAsync_v3020 xcudaMemcpy cu _v2 |
	    awk -F '\t' -v OFS='\t' 'BEGIN { print "##dlp", 1; print "##cmd", "dlp-parse"
		print "#call", "id", "start_ns", "dur_ns", "pid", "tid", "corr", "api" }
		{ print $1, NR, NR, 1, 1, 1, NR, $2 } END { print "##end", NR }' >s
	same "hipMemcpyWithStream hipMemcpyDtoH_spt cuMemcpy2D_v2 cudaStreamSynchronize_ptsz_v7000" \
	    "$(dlp-waits s | dlp-fmt -T wait --tsv -c name | tail -n +2 | xargs)"
}

# bats test_tags=more
@test "the waits of a trace of an MI300" {
	f=kineto/tracelens/traces__mi300__gaunernst_bert-small-uncased__1016001.json.gz
	need_data "$f"
	# the same from the JSON, in us
	same "$(gzip -dc "$DATA/$f" | python3 -c 'import json, re, sys
for e in sorted((e for e in json.load(sys.stdin)["traceEvents"] if e.get("cat") == "cuda_runtime"
    and re.match("hip(.*Synchronize|Memcpy(?!.*Async))", e["name"])), key=lambda e: e["ts"]):
    print(e["name"], round(e["dur"] * 1000), sep="\t")')" \
	    "$(dlp-parse "$DATA/$f" 2>/dev/null | dlp-waits |
		dlp-fmt -T wait --tsv -c name,dur_ns | tail -n +2)"
}
