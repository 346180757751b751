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
	end_all
	clean_up
	trap - "$1" EXIT
	kill -s "$1" "$$"
}

# Lines of process and parent, without those that have ended.
processes() {
	if command -v ps >/dev/null; then
		ps -A -o pid= -o ppid= -o stat=
	else
		cat /proc/[0-9]*/status 2>/dev/null | awk '
		$1 == "Pid:" { pid = $2 }
		$1 == "State:" { state = $2 }
		$1 == "PPid:" { print pid, $2, state }'
	fi | awk '$3 !~ /^[ZX]/ { print $1, $2 }'
}

# All that come from this shell, at any depth.
descendants() {
	processes | awk -v top="$$" '
	{ parent[$1] = $2 }
	END {
		for (pid in parent) {
			n = 0
			for (p = parent[pid]; p != top && p in parent && n < 99; n++)
				p = parent[p]
			if (p == top)
				print pid
		}
	}'
}

# They are stopped first, until there is none that has not been seen: what is
# stopped starts no others, and each gets its signal before it can tell of the
# end of another. Those of descendants itself are gone by then.
end_all() {
	seen=
	more=1
	while [ -n "$more" ]; do
		more=
		for pid in $(descendants); do
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
	while processes | awk -v seen="$seen" '
	BEGIN { n = split(seen, pid); for (i = 1; i <= n; i++) is[pid[i]] = 1 }
	$1 in is { found = 1 }
	END { exit !found }'; do
		sleep 0.1 2>/dev/null || sleep 1
	done
}
