# Writes the SQL of a small random profile, for tests/truth/property.bats: two
# processes with two threads each, whose ranges nest, launch kernels, copies
# and sets, and call what launches nothing.
#
# usage: awk -v seed=N -f random.awk | sqlite3 FILE

function random(n) { # 0 .. n - 1
	x = (x * 16807) % 2147483647
	return int(x / 2147483647 * n)
}

function range(lo, hi, text, tid) {
	printf "INSERT INTO NVTX_EVENTS VALUES (%d,%d,59,'%s',%.0f,NULL,NULL,0);\n",
	    lo, hi, text, tid
}

function call(name, tid,    lo) {
	lo = now
	now += 1 + random(30)
	printf "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES" \
	    " (%d,%d,1,%.0f,%d,%d,0);\n", lo, now, tid, ++corr[tid], name
	return lo
}

function gpu(table, rest, tid, pid, lo,    start) {
	start = lo + 1 + random(200)
	printf "INSERT INTO CUPTI_ACTIVITY_KIND_%s VALUES" \
	    " (%d,%d,%d,%d,%d,%.0f,%s);\n", table, start,
	    start + 1 + random(150), pid - 1, 7 + random(3), corr[tid],
	    pid * 16777216, rest
}

# What a range holds; user ranges only outside of ops.
function body(depth, in_op, tid, pid,    k, n, lo) {
	for (n = random(6); n > 0; n--) {
		now += random(20)
		k = random(100)
		if (k < 35) {
			lo = call(1, tid)
			gpu("KERNEL", (2 + random(3)) ",5", tid, pid, lo)
		} else if (k < 43) {
			lo = call(6, tid)
			gpu("MEMCPY", random(4096) ",1", tid, pid, lo)
		} else if (k < 48) {
			lo = call(7, tid)
			gpu("MEMSET", "0," random(4096), tid, pid, lo)
		} else if (k < 58) {
			call(8, tid)
		} else if (depth < 6) {
			nested(depth, in_op, tid, pid)
		}
	}
}

function nested(depth, in_op, tid, pid,    lo, text, op) {
	op = in_op || random(3) > 0
	if (op)
		text = "aten::op" random(5) ", seq = " ++seq[pid]
	else
		text = "layer " substr("abcde", 1 + random(5), 1)
	lo = now++
	body(depth + 1, op, tid, pid)
	now += 1 + random(9)
	range(lo, now, text, tid)
}

function thread(pid, t,    tid, i, lo) {
	tid = pid * 16777216 + t
	corr[tid] = t * 100000
	now = 1000 + random(100)
	for (i = 0; i < 5; i++) {
		body(1, 0, tid, pid)
		lo = now++
		while (now < lo + 500)
			body(1, 0, tid, pid)
		if (t == 1)
			range(lo, ++now, "step " i, tid)
	}
}

BEGIN {
	x = seed * 7919 + 1
	random(2)
	random(2)
	print "BEGIN;"
	print "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
	print "INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000')," \
	    "(2,'void ka<float>(int)'),(3,'kb'),(4,'kc(int)'),(5,'k')," \
	    "(6,'cudaMemcpyAsync_v3020'),(7,'cudaMemsetAsync_v3020')," \
	    "(8,'cudaEventRecord_v3020');"
	print "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER," \
	    " eventType INTEGER, text TEXT, globalTid INTEGER," \
	    " endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"
	print "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER," \
	    " end INTEGER, eventClass INTEGER, globalTid INTEGER," \
	    " correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
	gpucols = "(start INTEGER, end INTEGER, deviceId INTEGER," \
	    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
	print "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL " gpucols \
	    " demangledName INTEGER, shortName INTEGER);"
	print "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY " gpucols \
	    " bytes INTEGER, copyKind INTEGER);"
	print "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET " gpucols \
	    " value INTEGER, bytes INTEGER);"
	for (p = 1; p <= 2; p++)
		for (th = 1; th <= 2; th++)
			thread(p, th)
	# tables stand in the order of their starts, as recorders write them
	n = split("NVTX_EVENTS CUPTI_ACTIVITY_KIND_RUNTIME" \
	    " CUPTI_ACTIVITY_KIND_KERNEL CUPTI_ACTIVITY_KIND_MEMCPY" \
	    " CUPTI_ACTIVITY_KIND_MEMSET", name, " ")
	for (i = 1; i <= n; i++) {
		print "CREATE TABLE tmp AS SELECT * FROM " name[i] \
		    " ORDER BY start, -end, rowid;"
		print "DELETE FROM " name[i] ";"
		print "INSERT INTO " name[i] " SELECT * FROM tmp;"
		print "DROP TABLE tmp;"
	}
	print "COMMIT;"
}
