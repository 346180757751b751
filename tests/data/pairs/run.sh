#!/bin/sh
# Runs every program plain, in each of its variants, and records the first one, with dlp-record
# --markers and with torch.profiler, all or those in ONLY, and those of two ranks where there are two
# GPUs: run.sh OUT [DLP_RECORD]; OUT/plain.txt
# has the times, OUT/NAME.* the recordings. Plain runs come three times, because those of a program
# that waits for its CPU differ.
out=${1:?usage: run.sh OUT [DLP_RECORD]} rec=${2-}
here=$(cd "$(dirname "$0")" && pwd) || exit
mkdir -p "$out" || exit
run() { timeout 60 python3 "$here/$1.py" "${2-}" "${3-60}" </dev/null 2>>"$out/errors.txt" | tee -a "$out/plain.txt"; }
while read -r name steps variants; do
	case " ${ONLY-$name} " in *" $name "*) ;; *) continue ;; esac
	for _ in 1 2 3; do
		for v in '' $variants; do
			run "$name" "$v" "$steps"
		done
	done
	[ -n "$rec" ] || continue
	timeout 90 "$rec" --markers -o "$out/$name.markers.sqlite" -- python3 "$here/$name.py" '' "$steps" </dev/null \
	    2>>"$out/errors.txt" | sed 's/$/ recorded markers/' | tee -a "$out/plain.txt"
	TRACE=$out/$name.trace.json timeout 90 python3 "$here/$name.py" '' "$steps" </dev/null \
	    2>>"$out/errors.txt" | sed 's/$/ recorded trace/' | tee -a "$out/plain.txt"
done <<-LIST
	resnet 40 tf32 amp
	gpt 40 tf32 amp
	segment 40 tf32 amp
	mixer 40 tf32 amp
	loader 40 workers
	few_workers 60 workers
	audio 40 workers
	words 40 workers
	graphs 50 workers
	small 60 graph fused
	adam 40 fused
	cells 40 graph fused
	tables 40 fused
	agents 40 noitem fused
	item 30 noitem
	watched 60 noitem
	copies 40 pinned
	frames 40 pinned
	padded 40
	generate 60 static nocudnn
	trainer 40 tf32 amp fused
	lit 60 tf32 amp
	bert 40 tf32 amp fused
	gin 60 workers
	photos 60 workers
	nano 60 graph fused
	metrics 60 noitem
LIST
[ "$(nvidia-smi -L | wc -l)" -gt 1 ] || exit 0
while read -r name steps variant; do
	case " ${ONLY-$name} " in *" $name "*) ;; *) continue ;; esac
	for v in base "$variant" base "$variant"; do
		timeout 60 torchrun --nproc-per-node 2 "$here/$name.py" "$v" "$steps" </dev/null \
		    2>>"$out/errors.txt" | tee -a "$out/plain.txt"
	done
	[ -z "$rec" ] || timeout 90 "$rec" --markers -o "$out/$name.sqlite" -- \
	    torchrun --nproc-per-node 2 "$here/$name.py" base "$steps" </dev/null 2>>"$out/errors.txt"
done <<-LIST
	ddp 60 buckets
	late 40 even
	slowcpu 40 even
LIST
