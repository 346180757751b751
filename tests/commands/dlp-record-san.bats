# The library of dlp-record under sanitizers: it and what it is loaded into are
# built with AddressSanitizer and UndefinedBehaviorSanitizer, and with
# ThreadSanitizer. They are loaded by hand, because a preloaded library would
# come before the sanitizer's.

# bats file_tags=all
load ../lib

build() {
	local f=(-std=gnu11 -g -O1 "-fsanitize=$1" -fno-omit-frame-pointer)
	local so=("${f[@]}" -fPIC -fvisibility=hidden -shared)

	cd "$BATS_TEST_TMPDIR" || return
	echo 'int main(void) { return 0; }' >try.c
	gcc "${f[@]}" -o try try.c 2>/dev/null && ./try || skip "no sanitizer"
	gcc "${so[@]}" -o rec.so "$ROOT"/cmd/dlp-record/lib/inj_*.c -ldl -lpthread
	gcc "${so[@]}" -Wl,-soname,libcupti.so.13 -o libcupti.so.13 \
	    "$ROOT/tests/record/fakecupti.c" -lpthread
	gcc "${so[@]}" -Wl,-soname,libcuda.so.1 -o libcuda.so.1 \
	    "$ROOT/tests/record/fakedriver.c"
	gcc "${f[@]}" -o fakecuda "$ROOT/tests/record/fakecuda.c" -ldl -lpthread
	gcc "${f[@]}" -o nvtxext "$ROOT/tests/record/nvtxext.c" -ldl
}

# under STATUS OPTIONS COMMAND...: nothing on standard error; what was recorded
# can be converted.
under() {
	local want=$1 opts=$2 rc=0

	shift 2
	rm -rf sp
	mkdir sp
	printf 'nvtx=1\ncuda=1\nmemory=1\nsync=1\nflush_ns=20000000\n%b\n' \
	    "cupti=$PWD/libcupti.so.13\n$opts" >sp/session
	ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$PWD DLP_RECORD=$PWD/sp \
	    NVTX_INJECTION64_PATH=$PWD/rec.so CUDA_INJECTION64_PATH=$PWD/rec.so \
	    "$@" >out 2>err </dev/null || rc=$?
	echo "$*: exit status $rc"
	cat err
	[ "$rc" -eq "$want" ]
	[ ! -s err ]
	dlp-record --force --convert sp -o a.sqlite
}

all_of_it() {
	under 0 capture=none ./fakecuda nvtx loop=2000
	under 0 capture=none ./fakecuda nvtx threads
	under 0 'capture=none\nfork=1' ./fakecuda nvtx loop=100 fork
	under 0 capture=none ./nvtxext
	under 3 capture=none ./fakecuda init push=a 1000 pop sleep=60 1000 exit=3
	[ "$(sqlite3 a.sqlite 'SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL')" -eq 6000 ]
	FAKE=thread under 0 capture=none ./fakecuda init push=a 1000 pop
	under 0 capture=cudaProfilerApi ./fakecuda init 200 start 1000 \
	    sleep=50 stop 30
	under 0 'capture=nvtx\ncapture_text=a' ./fakecuda init 20 push=a 1000 \
	    pop 30
	under 0 'capture=none\nduration=30000000' ./fakecuda init 1000 \
	    sleep=60 push=a pop 20
	under 143 capture=none sh -c 'exec ./fakecuda init 1000 kill=15'
}

@test "the library of dlp-record under AddressSanitizer" {
	build address,undefined
	all_of_it
}

@test "the library of dlp-record under ThreadSanitizer" {
	build thread
	all_of_it
}
