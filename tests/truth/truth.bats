# The whole pipeline on the shipped and on all real profiles: nothing is lost on
# its way, and ids are those of records.

# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

setup_file() {
	export STREAMS=$BATS_FILE_TMPDIR
	whole "$LENET" >"$STREAMS/lenet.dlp"
	printf '%s\n' "$LENET" >"$STREAMS/lenet.db"
	all_profiles | while IFS= read -r f; do
		name=$(basename "${f%.xz}" .sqlite)
		profile "$f" >"$STREAMS/$name.db"
		whole "$(cat "$STREAMS/$name.db")" >"$STREAMS/$name.dlp" &&
		    continue
		# only what dlp-parse refuses may fail
		! dlp-parse "$DATA/$f" >/dev/null 2>&1 || exit 1
		rm "$STREAMS/$name.db" "$STREAMS/$name.dlp"
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# whole FILE: the pipeline's stream; no stage may fail but for a file without
# anything in it.
whole() {
	bash -o pipefail -c 'dlp-parse "$1" | dlp-correlate --ranges |
	    dlp-iter | dlp-flops' - "$1" 2>/dev/null
}

# each FUNCTION: calls it with name, stream and database of each profile.
each() {
	local f name

	command -v sqlite3 >/dev/null || skip "no sqlite3"
	for f in "$STREAMS"/*.dlp; do
		name=$(basename "$f" .dlp)
		"$1" "$name" "$f" "$(cat "$STREAMS/$name.db")" || {
			echo "profile $name"
			return 1
		}
	done
}

# What dlp-parse writes is all there behind the last stage.
nothing_lost() {
	# the texts that dlp-correlate keeps out of layer paths have ids from 2^62 on
	local count='/^#/ || $1 == "str" && $2 >= 2^62 { next } { n[$1]++ }
	    END { for (t in n) if (t !~ /^(op|prim|result|inst|proj|rangekern|iter)$/)
		print t, n[t] }'

	dlp-parse "$3" 2>/dev/null | awk -F'\t' "$count" | sort >parsed
	awk -F'\t' "$count" "$2" | sort >passed
	diff parsed passed
}

@test "every record of dlp-parse comes out at the end" {
	each nothing_lost
}

@test "no id is used before its record; ids are unique" {
	ids() {
		awk -F'\t' -v name="$1" '
		/^#[a-z]/ { t = substr($1, 2); for (i = 2; i <= NF; i++) {
			p[t, $i] = i; if ($i ~ /_id$/) last[t] = last[t] " " i
			col[t, i] = $i } next }
		/^#/ { next }
		$1 == "op" { if (op[$p["op", "op_id"]]++) exit 1 }
		$1 == "inst" { if (inst[$p["inst", "inst_id"]]++) exit 1 }
		$1 == "str" { if (str[$p["str", "id"]]++) exit 1 }
		p[$1, "id"] && $1 != "str" { if (id[$p[$1, "id"]]++) exit 1 }
		{ n = split(last[$1], k, " ")
		  for (i = 1; i <= n; i++) {
			c = col[$1, k[i]]; v = $k[i]
			if (v == "-") continue
			if (c == "op_id" && !op[v]) exit 1
			if (c == "name_id" && !str[v]) exit 1 } }' "$2"
	}
	each ids
}

# bats test_tags=more
