# Splits a stream by process: reads it twice, and writes what belongs to a process
# that runs kernels to the file dir/gpuN, N its first device, and what belongs to
# none to all.
BEGIN { FS = "\t" }
FNR == 1 { pass++ }
/^#[^#]/ {
	type = substr($1, 2)
	pid[type] = dev[type] = 0
	for (i = 2; i <= NF; i++)
		if ($i == "pid")
			pid[type] = i
		else if ($i == "dev")
			dev[type] = i
}
pass == 1 {
	if ($1 == "kern" && pid["kern"] && !($(pid["kern"]) in file)) {
		gpu = dev["kern"] ? $(dev["kern"]) : 0
		file[$(pid["kern"])] = dir "/gpu" gpu (n[gpu]++ ? "." $(pid["kern"]) : "")
	}
	next
}
/^##end/ { next }
{
	own = !/^#/ && pid[$1] ? $(pid[$1]) : "-"
	for (p in file)
		if (own == "-" || own == p) {
			print >file[p]
			count[p] += !/^#/
		}
}
END {
	for (p in file)
		printf "##end\t%d\n", count[p] >file[p]
}
