# shellcheck shell=bash disable=SC2034,SC2012
# GNU parallel over ssh: three namespaces, each with an sshd of its own.

start_host() {
	local h=$N-$1 ip=10.213.$1

	ip netns add "$h" && hosts+=("$h") &&
	    ip link add "$h" type veth peer name e0 netns "$h" &&
	    ip addr add "$ip.1/24" dev "$h" && ip link set "$h" up &&
	    ip -n "$h" addr add "$ip.2/24" dev e0 &&
	    ip -n "$h" link set e0 up && ip -n "$h" link set lo up || return
	ip netns exec "$h" /usr/sbin/sshd -D -e -f "$W/sshd_config" \
	    2>>"$W/sshd.log" &
	pids+=($!)
}

start_hosts() {
	local i

	[ -d /run/sshd ] || { mkdir /run/sshd && made_run=1; }
	ssh-keygen -q -t ed25519 -N '' -f "$W/host" &&
	    ssh-keygen -q -t ed25519 -N '' -f "$W/key" || return
	cp "$W/key.pub" "$W/authorized"
	printf '%s\n' "HostKey $W/host" "AuthorizedKeysFile $W/authorized" \
	    "PidFile none" "UsePAM no" "StrictModes no" "MaxStartups 100" \
	    "PermitRootLogin prohibit-password" "UseDNS no" >"$W/sshd_config"
	printf '%s\n' "#!/bin/sh" "exec ssh -i $W/key -o BatchMode=yes \\" \
	    "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \\" \
	    "-o LogLevel=ERROR -o ConnectTimeout=5 \"\$@\"" >"$W/ssh"
	chmod +x "$W/ssh"
	for i in 1 2 3; do start_host $i || return; done
	for i in 1 2 3; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			"$W/ssh" "10.213.$i.2" true 2>/dev/null && continue 2
			sleep 0.5
		done
		return 1
	done
}

test_hosts() {
	local i

	start_hosts || { bad "hosts do not start"; tail -n 3 "$W/sshd.log"; return; }
	PARALLEL_SSH=$W/ssh HOSTS=10.213.1.2,10.213.2.2,10.213.3.2 JOBS=1 \
	    DLP_BIN=$PWD/${B:-build}/bin:$PWD/pipelines \
	    sh pipelines/batch/parallel.sh top "$W/par" "$W"/in/*.sqlite ||
	    { bad "parallel over ssh"; return; }
	dlp top --csv "$W/in/run 1.sqlite" >"$W/want"
	for i in 1 2 3 4; do
		cmp "$W/want" "$W/par/run $i.top.csv" ||
		    { bad "parallel over ssh: report $i"; return; }
	done
	# the hosts share this file system: the profiles must still be there
	[ "$(ls "$W/in" | wc -l)" -eq 4 ] || { bad "profiles lost"; return; }
	i=$(awk -F'\t' 'NR > 1 { print $2 }' "$W/par/joblog" | sort -u | wc -l)
	[ "$i" -eq 3 ] || { bad "parallel used $i hosts of 3"; return; }
	ok "parallel over ssh to 3 hosts"
}
