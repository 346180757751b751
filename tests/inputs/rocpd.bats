# Databases of rocprofv3 (rocpd): the rows of others that lie in $DLP_MORE_DATA are
# held to what AMD's own views say of them; golden cases have what was made from
# AMD's documented schema.

load ../lib

TAB='	'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

rows() {
	dlp-fmt -T "$1" --tsv -c "$2" | tail -n +2
}

# bats test_tags=more
@test "rows of others: what AMD's views say" {
	need_data rocpd/mi300_resnet.db.xz
	for n in mi300_resnet mi300_dispatches; do
		xz -dc "$DATA/rocpd/$n.db.xz" >f
		dlp-parse f 2>/dev/null >s
		same "$(sqlite3 -separator "$TAB" f 'SELECT count(*),
		    sum(duration), (SELECT count(*) FROM memory_copies),
		    (SELECT ifnull(sum(duration), 0) FROM memory_copies),
		    (SELECT count(*) FROM regions) FROM kernels')" \
		    "$(awk -F'\t' '
			/^#kern/ { for (i = 2; i <= NF; i++) k[$i] = i }
			/^#copy/ { for (i = 2; i <= NF; i++) c[$i] = i }
			/^#/ { next }
			$1 == "kern" { n++; sum += $(k["dur_ns"])
				r += $(k["api_dur_ns"]) != "-" }
			$1 == "copy" { m++; csum += $(c["dur_ns"])
				r += $(c["api_dur_ns"]) != "-" }
			$1 ~ /^(range|call|mark|lib)$/ { r++ }
			END { printf "%d\t%.0f\t%d\t%.0f\t%d\n", n, sum, m, csum, r }
			' s)"
		same "$(sqlite3 -separator "$TAB" f 'SELECT name, count(*),
		    sum(duration) FROM kernels GROUP BY 1 ORDER BY 1')" \
		    "$(awk -F'\t' '
			/^#kern/ { for (i = 2; i <= NF; i++) k[$i] = i }
			$1 == "str" { name[$2] = $3 }
			$1 == "kern" { x = name[$(k["name_id"])]
				n[x]++; s[x] += $(k["dur_ns"]) }
			END { for (x in n)
				printf "%s\t%d\t%.0f\n", x, n[x], s[x] }' s |
			LC_ALL=C sort -t "$TAB" -k 1,1)"
	done
}

@test "tables and columns that are missing, values of other types" {
	u=_00000001_aaaa_bbbb_cccc_000000000001
	"$ROOT/tests/bin/mkdb" \
	    "$ROOT/tests/cases/dlp-parse/calls-ranges-marks-libraries-kernels-copies/in" >ok
	for t in event string info_process info_thread info_agent info_stream \
	    info_queue info_kernel_symbol metadata info_node memory_copy \
	    memory_allocate region; do
		cp ok f
		sqlite3 f "DROP TABLE rocpd_$t$u"
		dlp-parse f 2>/dev/null >s
		[ "$(grep -c '^kern' s)" -eq 3 ]
	done
	for c in "end NULL" "pid 'x'" "stream_id 99" "agent_id NULL" \
	    "kernel_id NULL" "event_id 1e300" "workgroup_size_x 0" \
	    "grid_size_x -1" "group_segment_size x''"; do
		cp ok f
		sqlite3 f "UPDATE rocpd_kernel_dispatch$u SET ${c% *} = ${c#* }"
		dlp-parse f 2>/dev/null >s
		[ "$(grep -c '^kern' s)" -eq 3 ]
	done
	cp ok f
	sqlite3 f "UPDATE rocpd_kernel_dispatch$u SET start = 'x' WHERE id = 2;
	    UPDATE rocpd_event$u SET extdata = '{\"message' WHERE id = 1"
	dlp-parse f 2>/dev/null >s
	[ "$(grep -c '^kern' s)" -eq 2 ]
	grep -q "^##note${TAB}bad_rows${TAB}1\$" s
	grep -q "^##note${TAB}roctx_other_calls${TAB}2\$" s
	cp ok f
	sqlite3 f "ALTER TABLE rocpd_region$u RENAME COLUMN tid TO thread"
	[ "$(dlp-parse f 2>/dev/null | rows call tid | sort -u)" = - ]
}
