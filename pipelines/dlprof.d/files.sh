# Read by dlprof: the files that a run writes. Nothing is overwritten without
# --force=true, which is checked before anything is done. Sets $out, the
# output folder, $base, $reports and $formats (lists).
# shellcheck shell=sh disable=SC2154,SC3013 # opt_*: options.sh

all_reports='summary detail iteration kernel tensor op_type group_node'
all_reports="$all_reports expert_systems"

# file_word REPORT: what DLProf calls it in file names.
file_word() {
	case $1 in
	detail) echo detailed ;;
	tensor) echo tensor_core ;;
	group_node) echo group_op ;;
	*) echo "$1" ;;
	esac
}

# target REPORT FORMAT DOMAIN: the report's file name.
target() {
	domain_part "$3"
	printf '%s/%s_%s%s.%s' "$out" "$base" "$(file_word "$1")" \
	    "$domain_word" "$2"
}

# domain_part DOMAIN: sets domain_word, which stands for it in file names.
domain_part() {
	domain_word=$1
	case $1 in
	'') ;;
	*[!A-Za-z0-9._-]*)
		domain_word=_$(printf '%s' "$1" | tr -c 'A-Za-z0-9._-' _)
		;;
	*) domain_word=_$1 ;;
	esac
}

# unused FILE: dies if it is there and must not be overwritten.
unused() {
	if [ -d "$1" ]; then
		die "$1: is a directory"
	fi
	[ "$opt_force" = true ] || [ ! -e "$1" ] ||
	    die "$1: is there already; --force=true overwrites it"
}

# each_domain FUNCTION: calls it with each domain, or with ''.
each_domain() {
	list=$opt_domains,
	while [ -n "$list" ]; do
		domain=${list%%,*}
		list=${list#*,}
		"$1" "$domain"
	done
}

check_targets() {
	for report in $reports; do
		for format in $formats; do
			unused "$(target "$report" "$format" "$1")"
		done
	done
	[ "$opt_dump" = false ] || unused "$(target model_data json "$1")"
}

# database_name DOMAIN: sets database, the file for DLProf's database: one of
# the input's name gets a number, so does one that is there already.
database_name() {
	domain_part "$1"
	stem=$out/${base}_dldb$domain_word
	database=$stem.sqlite
	number=0
	while { [ "$opt_force" != true ] && [ -e "$database" ]; } ||
	    [ "$database" -ef "$opt_database" ] || [ -d "$database" ]; do
		number=$((number + 1))
		database=${stem}_$number.sqlite
	done
}

case $opt_base in
'') die "--base_name: empty name" ;;
*/*) die "--base_name: '$opt_base': a folder is given with --output_path" ;;
esac
base=$(printf '%s.' "$opt_base" | tr ' \t\n' ___)
base=${base%.}
case $opt_nsys_base in
'') die "--nsys_base_name: empty name" ;;
esac

case $opt_output_path in
'') die "--output_path: empty name" ;;
/ | /* | ./* | . | ../*) out=$opt_output_path ;;
*) out=./$opt_output_path ;;
esac
while [ "$out" != / ] && [ "${out%/}" != "$out" ]; do
	out=${out%/}
done

formats=$opt_formats
reports=$opt_reports
case " $reports " in
*' all '*)
	reports=$all_reports
	[ "$opt_mode" != simple ] || reports='summary kernel'
	;;
esac
if [ "$opt_mode" = simple ]; then
	for report in $reports; do
		case $report in
		summary | kernel) ;;
		*) die "--reports: no $report with --mode=simple:" \
			"it has kernel and summary" ;;
		esac
	done
	for name in key iter_start iter_stop domains; do
		eval "[ -z \"\$opt_$name\" ]" ||
		    note "--mode=simple has no iterations, ops and domains:" \
			"the options that choose them do nothing"
	done
	opt_domains=
fi

if [ -n "$opt_database" ]; then
	case $opt_database in
	-*) opt_database=./$opt_database ;;
	esac
	[ -e "$opt_database" ] ||
	    die "$opt_database: No such file or directory"
	[ ! -d "$opt_database" ] || die "$opt_database: is a directory"
	[ -r "$opt_database" ] || die "$opt_database: Permission denied"
fi
each_domain check_targets
case $opt_html in
-*) opt_html=./$opt_html ;;
esac
[ -z "$opt_html" ] || unused "$opt_html"
case $opt_tb_dir in
-*) opt_tb_dir=./$opt_tb_dir ;;
esac
# DLProf's default when it records a program; a second run gets a file of its own.
tb_default=
if [ -z "$opt_tb_dir$opt_database" ] && [ "$opt_mode" != simple ]; then
	opt_tb_dir=event_files tb_default=1
fi
[ "$opt_tb_files" = false ] || opt_tb_dir=
# TensorBoard reads files whose names hold tfevents. The number is that of a time
# in the files of others; the bytes of this one depend on the profile only.
tb_file=$opt_tb_dir/events.out.tfevents.0000000000.$base
number=0
while [ -n "$tb_default" ] && [ "$opt_force" != true ] && [ -e "$tb_file" ]; do
	number=$((number + 1))
	tb_file=$opt_tb_dir/events.out.tfevents.0000000000.${base}_$number
done
if [ -n "$opt_tb_dir" ]; then
	unused "$tb_file"
	[ -d "$opt_tb_dir" ] || mkdir -p -- "$opt_tb_dir" 2>/dev/null ||
	    die "--tb_dir: cannot make the folder '$opt_tb_dir'"
fi
if [ ! -d "$out" ]; then
	mkdir -p -- "$out" 2>/dev/null ||
	    die "--output_path: cannot make the folder '$out'"
fi
[ -w "$out" ] || die "$out: cannot write there"

# What is being written lies in a folder of its own, and gets its name when it
# is whole.
tmp=
clean_up() {
	[ -z "$tmp" ] || rm -rf "$tmp"
}
trap clean_up EXIT
catch_signals
tmp=$(mktemp -d "$out/.dlprof.XXXXXX") || exit 2
