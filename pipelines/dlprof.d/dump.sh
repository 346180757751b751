# Read by dlprof for --dump_model_data: the stream's ops and what belongs to
# them as one JSON object. dlprof(1) has its schema.
# shellcheck shell=sh disable=SC2154 # tmp, domain: analyse.sh

dump_types='dev op inst kern copy set sync iter'

# dump_name TYPE: the key of the records of that type.
dump_name() {
	case $1 in
	dev) echo devices ;;
	op) echo ops ;;
	inst) echo instances ;;
	kern) echo kernels ;;
	copy) echo memcpys ;;
	set) echo memsets ;;
	sync) echo syncs ;;
	iter) echo iterations ;;
	esac
}

# dump_split: a filter that writes the stream's records into a file per type.
dump_split() {
	DUMP=$tmp/dump awk -F '\t' -v types="$dump_types str" '
	BEGIN {
		n = split(types, type, " ")
		for (i = 1; i <= n; i++) {
			file[type[i]] = ENVIRON["DUMP"] "." type[i]
			printf "" >file[type[i]]
		}
		info = ENVIRON["DUMP"] ".info"
		print "#info\tname\tvalue" >info
	}
	$1 == "##info" { print "info\t" $2 "\t" $3 >info; next }
	/^#[a-z]/ { $1 = substr($1, 2); legend = 1 }
	($1 in file) {
		if (legend)
			print substr($0, 1, 0) "#" $0 >file[$1]
		else
			print >file[$1]
	}
	{ legend = 0 }' OFS='\t'
}

# dump_rows TYPE: its records, an array.
dump_rows() {
	if grep -q "^$1	" "$tmp/dump.$1"; then
		dlp-fmt -T "$1" --json "$tmp/dump.$1"
	else
		echo '[]'
	fi
}

# Two columns of records as the members of an object; all values are strings:
# a number of info can be a version, or have more digits than a double.
dump_object() {
	dump_rows "$1" | sed -n '
	s/^{"[a-z_]*":\([^,]*\),"[a-z_]*":\(.*\)}\(,\{0,1\}\)$/\1:\2\3/
	s/^\([0-9][0-9]*\):/"\1":/
	s/^\("[^"]*":\)\([^",][^,]*\)/\1"\2"/
	/^"/p'
}

dump_write() {
	target=$(target model_data json "$domain")
	say "Writing model data to ($target)"
	{
		printf '{"schema":"dlprof-model-data-1",\n"info":{\n'
		dump_object info
		printf '},\n"kernel_names":{\n'
		dump_object str
		printf '}'
		for type in $dump_types; do
			printf ',\n"%s":' "$(dump_name "$type")"
			dump_rows "$type"
		done
		printf '}\n'
	} >"$tmp/dump.json" || die "$target: not written"
	place "$tmp/dump.json" "$target"
}
