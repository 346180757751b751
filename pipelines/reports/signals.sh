# Read by start.sh and dlp-batch.mk: a signal to the script alone, as make and
# batch systems send it, ends all that the script has started.
# shellcheck shell=sh

# catch_signals: from here on. A shell sees a signal when its foreground
# command has ended, so what takes long runs behind & and is waited for.
catch_signals() {
	for signal in HUP INT QUIT TERM; do
		# shellcheck disable=SC2064 # the signal's name as it is now
		trap "end_by $signal" $signal
	done
}

# What is to be removed then; who has something says what.
clean_up() {
	:
}

# The script ends as if it had not caught the signal.
end_by() {
	trap '' HUP INT QUIT TERM
	unset IFS
	set +f
	end_all
	clean_up
	trap - "$1" EXIT
	kill -s "$1" "$$"
}

# Sets $all to PROCESS:PARENT of all processes that have not ended. By the shell
# alone where there is /proc: bash that was interrupted while it waited can wait for
# ever for what it starts then.
processes() {
	all=
	if [ ! -r /proc/self/stat ]; then
		all=$(ps -A -o pid= -o ppid= -o stat= |
		    awk '$3 !~ /^[ZX]/ { print $1 ":" $2 }')
		return
	fi
	for pid in /proc/[0-9]*/stat; do
		{ read -r line <"$pid"; } 2>/dev/null || continue
		parent=${line##*) } # behind the name: state, parent
		case $parent in [ZX]*) continue ;; esac
		parent=${parent#* }
		all="$all ${line%% *}:${parent%% *}"
	done
}

# Sets $below to all processes that come from this shell, at any depth.
descendants() {
	processes
	below=" $$ "
	new=1
	while [ -n "$new" ]; do
		new=
		for pid in $all; do
			case $below in *" ${pid#*:} "*) ;; *) continue ;; esac
			case $below in *" ${pid%:*} "*) continue ;; esac
			below="$below${pid%:*} " new=1
		done
	done
	below=${below#" $$ "}
}

# They are stopped first, until there is none that has not been seen: what is
# stopped starts no others, and each gets its signal before it can tell of the
# end of another.
end_all() {
	seen=
	more=1
	while [ -n "$more" ]; do
		more=
		descendants
		for pid in $below; do
			case " $seen " in
			*" $pid "*) ;;
			*)
				kill -s STOP "$pid" 2>/dev/null || continue
				seen="$seen $pid"
				more=1
				;;
			esac
		done
	done
	for signal in TERM CONT; do
		# shellcheck disable=SC2086 # a list
		[ -z "$seen" ] || kill -s $signal $seen 2>/dev/null
	done
	# those with files to remove are not at once gone
	left=$seen
	while [ -n "$left" ]; do
		processes
		left=
		for pid in $all; do
			case " $seen " in *" ${pid%:*} "*) left=1 ;; esac
		done
		[ -z "$left" ] || sleep 0.1 2>/dev/null || sleep 1
	done
}
