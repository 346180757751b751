# What the tests of dlp-record share: programs that are recorded, and what their
# databases say. A golden case begins with this file, and is $C then: it goes on in
# a folder of its own.

R=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)/${B:-build}/record
SCRIPTS=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/python
MARKERS=$(dirname "$(command -v dlp-record)")/../lib/dlp/python
PATH=$PATH:$R
unset FAKE

if [ -z "${BATS_VERSION-}" ]; then
	C=$PWD
	cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT || exit
	export TMPDIR=$PWD
fi

# record OPTIONS... -- COMMAND...: sets $status; writes out, err and a.sqlite. CUPTI
# is another libcupti, or empty if the option is to be left out.
record() {
	local cupti=${CUPTI-$R/libcupti.so.13}

	status=0
	rm -f a.sqlite
	timeout 60 dlp-record ${cupti:+--cupti "$cupti"} -o a.sqlite "$@" \
	    >out 2>err </dev/null || status=$?
}

# marked OPTIONS... -- COMMAND...: the same of a script with a torch that computes
# nothing.
marked() {
	FAKE_NVTX=$R/nvtxlib.so PYTHONPATH=$SCRIPTS record -t nvtx "$@"
}

sql() {
	sqlite3 a.sqlite "$@"
}

kernels() {
	sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL" 2>/dev/null || echo none
}

# The texts of push/pop ranges, and how many are in a row.
ranges() {
	sql "SELECT text FROM NVTX_EVENTS WHERE eventType = 59 AND
	    length(text) < 100 ORDER BY start" 2>/dev/null | uniq -c |
	    awk '{ n = $1; sub(/^ *[0-9]+ /, ""); printf "%s%s", s, $0
		if (n > 1) printf " x %d", n
		s = ", " }'
}

# nested: all ranges in the order of their start, start/end ranges in brackets, and
# those inside of each in parentheses.
nested() {
	sql "SELECT start, coalesce(end, 1e18), iif(eventType = 60,
	    '[' || text || ']', text) FROM NVTX_EVENTS
	    WHERE eventType IN (59, 60) ORDER BY start" 2>/dev/null | awk -F '|' '
	{
		for (ended = 0; n > 0 && $1 > end[n]; n--)
			if (ended++)
				printf ")"
		printf "%s%s", NR == 1 ? "" : ended ? ", " : "(", $3
		end[++n] = $2
	}
	END { while (n-- > 1) printf ")"; print "" }'
}

# came: how it ended, and how much of it there is.
came() {
	printf '%s' "status $status"
	[ -e a.sqlite ] || { echo; return; }
	echo ", $(sql "SELECT count(*) FROM PROCESSES") processes," \
	    "$(kernels) kernels; $(ranges)"
	sql "SELECT text FROM DIAGNOSTIC_EVENT" 2>/dev/null || true
}

# each COMMAND: for each line of the input, which records something, what was said,
# and what the command says of it.
each() {
	local line

	while IFS= read -r line; do
		eval "$line"
		printf '\n%s\n' "$line"
		sed 's/^/  /; s/process [0-9]*:/process PID:/' out err
		eval "$1"
	done
}
