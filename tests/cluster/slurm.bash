# A one-node Slurm with munge, all its files in $W.

start_slurm() {
	local host

	host=$(hostname -s)
	mkdir "$W/m" "$W/state" "$W/spool" && chmod 755 "$W/m" &&
	    dd if=/dev/urandom of="$W/key.munge" bs=128 count=1 2>/dev/null &&
	    chmod 400 "$W/key.munge" || return
	munged -F -f --key-file="$W/key.munge" --socket="$W/m/s" \
	    --pid-file="$W/m/pid" --log-file="$W/m/log" \
	    --seed-file="$W/m/seed" >/dev/null 2>&1 &
	pids+=($!)
	cat >"$W/slurm.conf" <<-END
	ClusterName=dlptest
	SlurmctldHost=$host(127.0.0.1)
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$W/m/s
	CredType=cred/munge
	StateSaveLocation=$W/state
	SlurmdSpoolDir=$W/spool
	SlurmctldPidFile=$W/ctld.pid
	SlurmdPidFile=$W/slurmd.pid
	SlurmctldPort=16817
	SlurmdPort=16818
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	MpiDefault=none
	ReturnToService=2
	NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
	PartitionName=batch Nodes=$host Default=YES State=UP
	END
	export SLURM_CONF=$W/slurm.conf
	slurmctld -D >"$W/ctld.log" 2>&1 &
	pids+=($!)
	slurmd -D >"$W/slurmd.log" 2>&1 &
	pids+=($!)
	for _ in $(seq 40); do
		sinfo -h -o %t 2>/dev/null | grep -q idle && return
		sleep 0.5
	done
	return 1
}

# ended FILE: waits until the file is there, or no job is left.
ended() {
	for _ in $(seq 120); do
		[ ! -e "$1" ] || return 0
		[ -n "$(squeue -h)" ] || break
		sleep 0.5
	done
	sleep 1
	[ -e "$1" ]
}

test_slurm() {
	local i

	start_slurm || {
		bad "Slurm does not start"
		tail -n 3 "$W/ctld.log" "$W/slurmd.log"
		return
	}
	sh pipelines/batch/slurm.sh "$W/sl" "$W"/in/*.sqlite >/dev/null &&
	    ended "$W/sl/total.tsv" || {
		bad "Slurm: no total"
		tail -n 3 "$W"/sl/log.* "$W/ctld.log"
		return
	}
	dlp-parse --src "$W"/in/*.sqlite | dlp-correlate | dlp-flops |
	    dlp-agg -T kern -g op,short -a count,sum,max -f dur_ns --sort -sum |
	    dlp-fmt --tsv >"$W/want"
	cmp "$W/want" "$W/sl/total.tsv" || { bad "Slurm: the total"; return; }
	ok "Slurm: job array and reduce"
	cp tests/data/ddp?.sqlite.xz "$W" || return
	FAN=1 RANKS='-k iteration' sh pipelines/batch/slurm.sh "$W/tree" \
	    "$W"/ddp?.sqlite.xz >/dev/null && ended "$W/tree/total.tsv" &&
	    dlp ranks -t coll --tsv "$W/tree/ranks.dlp" >"$W/got" &&
	    dlp ranks -t coll --tsv -k iteration "$W"/ddp?.sqlite.xz >"$W/want" &&
	    cmp "$W/want" "$W/got" || {
		bad "Slurm: ranks by a tree of reduces"
		tail -n 3 "$W"/tree/log.* "$W/ctld.log"
		return
	}
	ok "Slurm: ranks by a tree of reduces"
}
