#!/bin/sh
# Runs every program plain, in each of its variants, and records the first one with dlp-record, all
# or those in ONLY: run.sh OUT [DLP_RECORD]; OUT/plain.txt has the times, OUT/NAME.*.sqlite the
# recordings.
out=${1:?usage: run.sh OUT [DLP_RECORD]} rec=${2-}
here=$(cd "$(dirname "$0")" && pwd) || exit
mkdir -p "$out" || exit
run() { timeout 60 python3 "$here/$1.py" "${2-}" "${3-60}" </dev/null 2>>"$out/errors.txt" | tee -a "$out/plain.txt"; }
while read -r name steps layers variants; do
	case " ${ONLY-$name} " in *" $name "*) ;; *) continue ;; esac
	for v in '' $variants; do
		run "$name" "$v" "$steps"
	done
	# the first again, for the spread between runs
	run "$name" '' "$steps"
	[ -n "$rec" ] || continue
	for m in markers $layers; do
		[ $m != - ] || continue
		how=--markers
		[ $m = markers ] || how=--markers=layers
		timeout 90 "$rec" $how -o "$out/$name.$m.sqlite" -- python3 "$here/$name.py" '' "$steps" </dev/null \
		    2>>"$out/errors.txt" | sed "s/\$/ recorded $m/" | tee -a "$out/plain.txt"
	done
done <<-LIST
	resnet 40 - tf32 amp amp,channels_last
	gpt 40 layers tf32 amp amp,sdpa amp,sdpa,fused amp,pad
	loader 40 - workers workers,amp
	few_workers 60 - workers
	small 60 layers graph fused batch compile
	item 30 layers noitem
	adam 40 - foreach fused
	copies 40 - pinned
	padded 40 - trim
	generate 60 layers static
	graphs 50 layers workers
	segment 40 - tf32 amp
	agents 40 - noitem foreach
	audio 40 - workers
	mixer 40 - tf32 amp
	words 40 - workers
	cells 40 - graph fused
	tables 40 - foreach fused
	watched 60 - noitem
	frames 40 - pinned
LIST
