# dlp stats on small databases made by hand: the tables are those that Nsight
# Systems 2024.2 prints of them, with the domain before the text of a range as
# 2025.3 has it.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# db: writes the database db of lines, - being NULL:
#	S id text			a string
#	R start end corr name pid tid	a call of the API
#	K start end corr name dev pid [gridX [blockX]]	a kernel
#	C start end corr bytes kind src dst dev pid	a copy
#	M start end corr bytes kind dev pid		a memory set
#	N type start end pid tid endtid domain text	NVTX
#	O start end class name pid tid	a call of the operating system
#	T name prio pid tid		a thread's name
db() {
	rm -f db
	awk '
	function v(s) { return s == "-" ? "NULL" : s }
	function gid(p, t) {
		return p == "-" || t == "-" ? "NULL" : \
		    "281474976710656+16777216*" p "+" t
	}
	function rest(n,  s) {
		s = $n
		while (++n <= NF)
			s = s " " $n
		gsub(/\047/, "\047\047", s)
		return s == "-" ? "NULL" : "\047" s "\047"
	}
	function row(table, values) {
		print "INSERT INTO " table " VALUES(" values ");"
	}
	BEGIN {
		print "BEGIN; CREATE TABLE StringIds(id, value);" \
		    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end," \
		    "correlationId, nameId, globalTid, eventClass," \
		    "returnValue);" \
		    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end," \
		    "correlationId, demangledName, shortName, deviceId," \
		    "globalPid, gridX, gridY, gridZ, blockX, blockY, blockZ," \
		    "contextId, streamId, registersPerThread," \
		    "staticSharedMemory, dynamicSharedMemory);" \
		    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end," \
		    "correlationId, bytes, copyKind, srcKind, dstKind," \
		    "deviceId, globalPid, contextId, streamId);" \
		    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start, end," \
		    "correlationId, bytes, memKind, deviceId, globalPid," \
		    "contextId, streamId, value);" \
		    "CREATE TABLE NVTX_EVENTS(start, end, eventType," \
		    "globalTid, endGlobalTid, domainId, text, textId);" \
		    "CREATE TABLE ThreadNames(nameId, priority, globalTid);" \
		    "CREATE TABLE OSRT_API(start, end, eventClass, nameId," \
		    "globalTid);" \
		    "CREATE TABLE TARGET_INFO_GPU(id, name, cuDevice," \
		    "computeMajor);"
		row("TARGET_INFO_GPU", "0,\047GPU A\047,0,9")
	}
	END { print "COMMIT;" }
	$1 == "S" { row("StringIds", $2 "," rest(3)) }
	$1 == "T" { row("ThreadNames", $2 "," v($3) "," gid($4, $5)) }
	$1 == "R" {
		row("CUPTI_ACTIVITY_KIND_RUNTIME", $2 "," $3 "," v($4) "," \
		    $5 "," gid($6, $7) ",0,0")
	}
	$1 == "K" {
		row("CUPTI_ACTIVITY_KIND_KERNEL", $2 "," $3 "," v($4) "," \
		    $5 "," $5 "," $6 "," gid($7, 0) "," \
		    (NF > 7 ? $8 : 1) ",1,1," (NF > 8 ? $9 : 128) ",1,1," \
		    "1,7,32,1024,0")
	}
	$1 == "C" {
		row("CUPTI_ACTIVITY_KIND_MEMCPY", $2 "," $3 "," v($4) "," $5 \
		    "," $6 "," v($7) "," v($8) "," $9 "," gid($10, 0) ",1,7")
	}
	$1 == "M" {
		row("CUPTI_ACTIVITY_KIND_MEMSET", $2 "," $3 "," v($4) "," $5 \
		    "," v($6) "," $7 "," gid($8, 0) ",1,7,0")
	}
	$1 == "N" {
		row("NVTX_EVENTS", $3 "," v($4) "," $2 "," gid($5, $6) "," \
		    gid($5, $7) "," v($8) "," rest(9) ",NULL")
	}
	$1 == "O" {
		row("OSRT_API", $2 "," $3 "," $4 "," $5 "," gid($6, $7))
	}' | sqlite3 db
}

# table REPORT: the CSV of db must be that on standard input.
table() {
	dlp stats -r "$1" -f csv db >got 2>err || {
		cat err
		return 1
	}
	diff -u - got
}

SUM='Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns)'

@test "equal totals: kernels by instances, name, grid, block as numbers" {
	db <<-EOT
	S 100 kz(int)
	S 110 ka(int)
	S 120 Kup
	S 130 kb(int)
	K 1000 1100 11 100 0 10
	K 1200 1250 12 110 0 10
	K 1200 1250 13 110 0 10
	K 1700 1725 15 130 0 10 99999
	K 1700 1725 15 130 0 10 99999
	K 1700 1725 15 130 0 10 100000
	K 1700 1725 15 130 0 10 100000
	K 1700 1750 15 120 0 10 100000 256
	K 1700 1750 15 120 0 10 100000 32
	C 100 150 21 1000 2 2 0 0 10
	C 100 150 21 1000 2 2 0 0 10
	C 100 200 22 1000 1 0 2 0 10
	C 100 175 22 1000 9 0 2 0 10
	C 100 125 22 1000 9 0 2 0 10
	M 100 200 24 2000 2 0 10
	EOT
	table cuda_gpu_kern_gb_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,GridXYZ,BlockXYZ,Name
	25.0,100,1,100.0,100.0,100,100,0.0,   1    1    1, 128    1    1,kz(int)
	25.0,100,2,50.0,50.0,50,50,0.0,   1    1    1, 128    1    1,ka(int)
	12.5,50,1,50.0,50.0,50,50,0.0,100000    1    1,  32    1    1,Kup
	12.5,50,1,50.0,50.0,50,50,0.0,100000    1    1, 256    1    1,Kup
	12.5,50,2,25.0,25.0,25,25,0.0,99999    1    1, 128    1    1,kb(int)
	12.5,50,2,25.0,25.0,25,25,0.0,100000    1    1, 128    1    1,kb(int)
	EOT
	table cuda_gpu_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Category,Operation
	12.5,100,2,50.0,50.0,50,50,0.0,CUDA_KERNEL,Kup
	12.5,100,2,50.0,50.0,50,50,0.0,MEMORY_OPER,[CUDA memcpy Device-to-Host]
	12.5,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]
	12.5,100,2,50.0,50.0,25,75,35.4,MEMORY_OPER,[CUDA memcpy Host-to-Host]
	12.5,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memset]
	12.5,100,2,50.0,50.0,50,50,0.0,CUDA_KERNEL,ka(int)
	12.5,100,4,25.0,25.0,25,25,0.0,CUDA_KERNEL,kb(int)
	12.5,100,1,100.0,100.0,100,100,0.0,CUDA_KERNEL,kz(int)
	EOT
	table cuda_gpu_mem_size_sum <<-EOT
	Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
	0.002,2,0.001,0.001,0.001,0.001,0.000,[CUDA memcpy Device-to-Host]
	0.002,2,0.001,0.001,0.001,0.001,0.000,[CUDA memcpy Host-to-Host]
	0.002,1,0.002,0.002,0.002,0.002,0.000,[CUDA memset]
	0.001,1,0.001,0.001,0.001,0.001,0.000,[CUDA memcpy Host-to-Device]
	EOT
}

@test "equal totals: ranges by name, then style" {
	db <<-EOT
	N 60 100 200 10 11 - 0 zz
	N 59 100 200 10 11 - 0 zz
	N 59 210 310 10 11 - 0 aa
	N 59 320 370 10 11 - 0 mm
	N 59 380 430 10 11 - 0 mm
	N 60 100 200 10 11 - 0 aa
	EOT
	table nvtx_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Style,Range
	20.0,100,1,100.0,100.0,100,100,0.0,PushPop,:aa
	20.0,100,1,100.0,100.0,100,100,0.0,StartEnd,:aa
	20.0,100,2,50.0,50.0,50,50,0.0,PushPop,:mm
	20.0,100,1,100.0,100.0,100,100,0.0,PushPop,:zz
	20.0,100,1,100.0,100.0,100,100,0.0,StartEnd,:zz
	EOT
}

@test "calls of several versions have rows of their own" {
	db <<-EOT
	S 2 cudaMemcpy_v3020
	S 5 cudaMemcpy
	S 6 cudaMallocAsync_v11020
	R 300 500 2 2 10 11
	R 600 700 3 5 10 11
	R 800 890 4 6 10 11
	R 1200 1210 7 12345 10 11
	EOT
	table cuda_api_sum <<-EOT
	Time (%),Total Time (ns),Num Calls,$SUM,Name
	50.0,200,1,200.0,200.0,200,200,0.0,cudaMemcpy
	25.0,100,1,100.0,100.0,100,100,0.0,cudaMemcpy
	22.5,90,1,90.0,90.0,90,90,0.0,cudaMallocAsync_v11020
	2.5,10,1,10.0,10.0,10,10,0.0,
	EOT
}

PROJ='Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances'
PROJ="$PROJ,Proj Avg (ns),Proj Med (ns),Proj Min (ns),Proj Max (ns)"
PROJ="$PROJ,Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,Avg Range Lvl"
PROJ="$PROJ,Avg Num Child"
TRACE='Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns)'
TRACE="$TRACE,Orig Duration (ns),Style,PID,TID,NumGPUOps,Lvl,NumChild,RangeId"
TRACE="$TRACE,ParentId,RangeStack"

# The parent is the shortest range around; ranges of the same times are each
# other's, and have no level, nor has what lies in them.
@test "ranges that overlap, and ranges of the same times" {
	db <<-EOT
	S 1 cudaLaunchKernel_v7000
	S 10 kA
	N 60 0 199 10 11 - 0 Q199
	N 60 5 200 10 11 - 0 P195
	N 59 10 140 10 11 - 0 child
	N 59 300 400 10 11 - 0 same A
	N 59 300 400 10 11 - 0 same B
	N 59 300 400 10 11 - 0 same C
	N 59 310 390 10 11 - 0 within
	N 59 500 600 10 11 - 0 within
	R 100 120 1 1 10 11
	K 210 400 1 10 0 10
	R 320 330 2 1 10 11
	K 410 500 2 10 0 10
	R 520 530 3 1 10 11
	K 540 550 3 10 0 10
	EOT
	table nvtx_gpu_proj_trace <<-EOT
	$TRACE
	:Q199,210,190,0,199,StartEnd,10,11,1,0,0,1,,:1
	:P195,210,190,5,195,StartEnd,10,11,1,0,1,2,,:2
	:child,210,190,10,130,PushPop,10,11,1,1,0,3,2,:2:3
	:same A,410,90,300,100,PushPop,10,11,1,,3,4,,
	:same B,410,90,300,100,PushPop,10,11,1,,1,5,,
	:same C,410,90,300,100,PushPop,10,11,1,,0,6,,
	:within,410,90,310,80,PushPop,10,11,1,,0,7,,
	:within,540,10,500,100,PushPop,10,11,1,0,0,8,,:8
	EOT
	table nvtx_gpu_proj_sum <<-EOT
	$PROJ
	:P195,StartEnd,190,195,1,190.0,190.0,190,190,0.0,1,1.0,0.0,1.0
	:Q199,StartEnd,190,199,1,190.0,190.0,190,190,0.0,1,1.0,0.0,0.0
	:child,PushPop,190,130,1,190.0,190.0,190,190,0.0,1,1.0,1.0,0.0
	:within,PushPop,100,180,2,50.0,50.0,10,90,56.6,2,1.0,0.0,0.0
	:same A,PushPop,90,100,1,90.0,90.0,90,90,0.0,1,1.0,,3.0
	:same B,PushPop,90,100,1,90.0,90.0,90,90,0.0,1,1.0,,1.0
	:same C,PushPop,90,100,1,90.0,90.0,90,90,0.0,1,1.0,,0.0
	EOT
}

@test "a device without a name; nothing of a report" {
	db <<-EOT
	S 10 kA
	K 210 400 1 10 0 10
	K 210 400 - 10 3 10
	EOT
	table cuda_gpu_trace <<-EOT
	Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
	210,190,1,1,1,1,128,1,1,32,0.001,0.000,,,,,GPU A (0),1,,7,kA
	210,190,,1,1,1,128,1,1,32,0.001,0.000,,,,, (3),1,,7,kA
	EOT
	for f in csv tsv column; do
		dlp stats -r osrt_sum,cuda_gpu_kern_sum,nvtx_sum -f $f db \
		    >both 2>err
		dlp stats -r cuda_gpu_kern_sum -f $f db 2>/dev/null >one
		cmp one both
		[ "$(grep -c 'nothing of this' err)" -eq 2 ]
	done
	same '[]' "$(dlp stats -r nvtx_sum -f json db 2>/dev/null | jq -c .)"
}

# In sums until the last time in NVTX_EVENTS, else until the last of ranges.
@test "ranges that never end" {
	db <<-EOT
	S 1 cudaLaunchKernel_v7000
	S 10 kA
	N 59 50 1500 10 11 - 0 outer
	N 59 60 - 10 11 - 0 open
	N 60 70 - 10 11 - 0 open
	N 59 2000 2100 20 21 - 0 later
	N 34 7000 - 10 12 - 0 mark
	R 100 200 1 1 10 11
	K 210 400 1 10 0 10
	R 5000 5500 2 1 10 11
	K 5600 9000 2 10 0 10
	EOT
	table nvtx_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Style,Range
	45.0,6940,1,6940.0,6940.0,6940,6940,0.0,PushPop,:open
	44.9,6930,1,6930.0,6930.0,6930,6930,0.0,StartEnd,:open
	9.4,1450,1,1450.0,1450.0,1450,1450,0.0,PushPop,:outer
	0.6,100,1,100.0,100.0,100,100,0.0,PushPop,:later
	EOT
	table nvtx_startend_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Range
	100.0,6930,1,6930.0,6930.0,6930,6930,0.0,:open
	EOT
	table nvtx_gpu_proj_trace <<-EOT
	$TRACE
	:outer,210,190,50,1450,PushPop,10,11,1,0,0,1,,:1
	:open,210,190,60,2040,PushPop,10,11,1,0,1,2,,:2
	:open,210,190,70,2030,StartEnd,10,11,1,1,0,3,2,:2:3
	EOT
	table nvtx_kern_sum <<-EOT
	NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),$SUM,Kernel Name
	,,10,11,0,1,3400,3400.0,3400.0,3400,3400,0.0,kA
	:open,PushPop,10,11,1,1,190,190.0,190.0,190,190,0.0,kA
	:open,StartEnd,10,11,1,1,190,190.0,190.0,190,190,0.0,kA
	:outer,PushPop,10,11,1,1,190,190.0,190.0,190,190,0.0,kA
	EOT
}

# Those of the class OSRT runtime; equal rows by the number of the name.
@test "calls of the operating system: calls only" {
	db <<-EOT
	S 8 [Unknown]
	S 1 zeta
	S 2 alpha
	O 10 20 27 2 10 11
	O 20 30 27 1 10 11
	O 10 10 31 8 10 11
	O 30 30 27 8 10 11
	O 30 40 32 2 10 11
	EOT
	table osrt_sum <<-EOT
	Time (%),Total Time (ns),Num Calls,$SUM,Name
	50.0,10,1,10.0,10.0,10,10,0.0,zeta
	50.0,10,1,10.0,10.0,10,10,0.0,alpha
	0.0,0,1,0.0,0.0,0,0,0.0,[Unknown]
	EOT
	dlp-parse db | grep '^##note	os_other_rows	2$'
}

@test "equal rows in the order of the file" {
	db <<-EOT
	S 100 zeta
	S 101 alpha
	S 102 mid
	S 10 kA
	R 100 200 1 101 10 11
	R 500 550 3 102 10 11
	R 600 650 4 102 10 11
	R 800 900 5 100 10 11
	M 5000 5300 10 1500 2 0 10
	C 5000 5001 11 4194304 1 0 2 0 10
	C 5000 5000 11 4194304 9 0 1 0 10
	C 5000 5200 11 4194304 10 2 2 0 10
	K 5000 5001 12 10 0 10
	K 5000 5300 12 10 0 10
	EOT
	table cuda_api_sum <<-EOT
	Time (%),Total Time (ns),Num Calls,$SUM,Name
	33.3,100,1,100.0,100.0,100,100,0.0,zeta
	33.3,100,1,100.0,100.0,100,100,0.0,alpha
	33.3,100,2,50.0,50.0,50,50,0.0,mid
	EOT
	table cuda_gpu_trace <<-EOT
	Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
	5000,1,12,1,1,1,128,1,1,32,0.001,0.000,,,,,GPU A (0),1,,7,kA
	5000,300,12,1,1,1,128,1,1,32,0.001,0.000,,,,,GPU A (0),1,,7,kA
	5000,1,11,,,,,,,,,,4.194,4194304000.000,Pageable,Device,GPU A (0),1,,7,[CUDA memcpy Host-to-Device]
	5000,0,11,,,,,,,,,,4.194,,Pageable,Pinned,GPU A (0),1,,7,[CUDA memcpy Host-to-Host]
	5000,200,11,,,,,,,,,,4.194,20971520.000,Device,Device,GPU A (0),1,,7,[CUDA memcpy Peer-to-Peer]
	5000,300,10,,,,,,,,,,0.002,4999.999,Device,,GPU A (0),1,,7,[CUDA memset]
	EOT
}

@test "reports of NVTX without its table, and without ranges" {
	db <<-EOT
	S 1 cudaLaunchKernel_v7000
	S 10 kA
	R 100 200 1 1 10 11
	K 210 400 1 10 0 10
	EOT
	table nvtx_kern_sum <<-EOT
	NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),$SUM,Kernel Name
	,,10,11,0,1,190,190.0,190.0,190,190,0.0,kA
	EOT
	table cuda_gpu_kern_sum:nvtx-name <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Name
	100.0,190,1,190.0,190.0,190,190,0.0,kA
	EOT
	cp db whole
	for t in NVTX_EVENTS CUPTI_ACTIVITY_KIND_RUNTIME; do
		cp whole db
		sqlite3 db "DROP TABLE $t"
		for r in nvtx_kern_sum cuda_gpu_kern_sum:nvtx-name \
		    nvtx_gpu_proj_sum; do
			table "$r" </dev/null
		done
	done
}

# As they are in the file; also what a value that is not there is in JSON.
@test "times before 0 and ends before starts" {
	db <<-EOT
	S 1 cudaLaunchKernel_v7000
	S 10 kA
	R -1000 -900 1 1 10 11
	K -800 -700 1 10 0 10
	R 100 200 2 1 10 11
	K 300 250 2 10 0 10
	R 500 400 3 1 10 11
	K 600 700 3 10 0 10
	C 100 50 21 100 1 0 2 0 10
	N 59 -2000 100 10 11 - 0 neg
	N 59 600 500 10 11 - 0 back
	EOT
	table cuda_api_sum <<-EOT
	Time (%),Total Time (ns),Num Calls,$SUM,Name
	100.0,100,3,33.3,100.0,-100,100,115.5,cudaLaunchKernel
	EOT
	table cuda_gpu_kern_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Name
	100.0,150,3,50.0,100.0,-50,100,86.6,kA
	EOT
	table nvtx_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Style,Range
	105.0,2100,1,2100.0,2100.0,2100,2100,0.0,PushPop,:neg
	-5.0,-100,1,-100.0,-100.0,-100,-100,0.0,PushPop,:back
	EOT
	table cuda_kern_exec_trace <<-EOT
	API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name
	-1000,100,-900,100,-800,100,300,10,11,0,cudaLaunchKernel,   1    1    1, 128    1    1,kA
	100,100,200,100,300,-50,150,10,11,0,cudaLaunchKernel,   1    1    1, 128    1    1,kA
	500,-100,400,200,600,100,200,10,11,0,cudaLaunchKernel,   1    1    1, 128    1    1,kA
	EOT
	dlp stats -r cuda_gpu_trace -f json db >got
	[ "$(grep -c '"Throughput (MB/s)": -2000.000,' got)" -eq 1 ]
	[ "$(grep -c '"GreenCtx": "",' got)" -eq 4 ]
}

@test "cuda_api_trace: a row for each name of the thread" {
	db <<-EOT
	S 1 cudaLaunchKernel_v7000
	S 2 alpha
	S 10 kA
	S 200 name A
	S 201 name B
	S 202 name C
	T 202 5 10 13
	T 201 -5 10 13
	T 200 - 10 12
	R 100 200 1 1 10 11
	R 100 150 2 2 10 12
	R 100 300 3 1 10 13
	R 50 300 - 12345 10 13
	K 120 130 3 10 0 10
	EOT
	table cuda_api_trace <<-EOT
	Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name
	50,250,,0,,10,13,-5,name B
	50,250,,0,,10,13,5,name C
	100,100,cudaLaunchKernel,0,1,10,11,,
	100,50,alpha,0,2,10,12,,name A
	100,200,cudaLaunchKernel,0,3,10,13,-5,name B
	100,200,cudaLaunchKernel,0,3,10,13,5,name C
	EOT
	sqlite3 db "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = start"
	table cuda_api_trace <<-EOT
	Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name
	50,250,,50,,10,13,-5,name B
	50,250,,50,,10,13,5,name C
	100,100,cudaLaunchKernel,100,1,10,11,,
	100,50,alpha,100,2,10,12,,name A
	100,200,cudaLaunchKernel,100,3,10,13,-5,name B
	100,200,cudaLaunchKernel,100,3,10,13,5,name C
	EOT
}

@test "cuda_api_gpu_sum: calls by the name as shown, equal rows by name" {
	db <<-EOT
	S 2 cudaMemcpy_v3020
	S 5 cudaMemcpy
	S 6 zeta
	S 10 Kup
	S 20 ka
	R 300 400 2 2 10 11
	R 600 700 3 5 10 11
	R 800 900 4 6 10 11
	K 320 420 2 10 0 10
	K 620 720 3 20 0 10
	C 820 920 4 1000 1 0 2 0 10
	M 900 1000 5 100 2 0 10
	EOT
	table cuda_api_gpu_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Category,Operation
	28.6,200,2,100.0,100.0,100,100,0.0,CUDA_API,cudaMemcpy
	14.3,100,1,100.0,100.0,100,100,0.0,CUDA_KERNEL,Kup
	14.3,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]
	14.3,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memset]
	14.3,100,1,100.0,100.0,100,100,0.0,CUDA_KERNEL,ka
	14.3,100,1,100.0,100.0,100,100,0.0,CUDA_API,zeta
	EOT
}

@test "nvtx_pushpop_trace" {
	db <<-EOT
	N 59 10 145 10 11 - 0 X
	N 59 20 125 10 11 - 0 Y
	N 60 15 126 10 11 - 0 no push
	N 59 126 144 10 11 - 0 Y, again
	N 59 300 1000 10 11 - 0 tail
	N 59 300 310 10 11 - 0 exact
	N 59 400 500 10 11 - 0 graph
	N 59 400 499 10 11 - 0 cut
	N 59 401 500 10 11 - 0 cut
	N 59 2000 2100 10 11 - 0 same A
	N 59 2000 2100 10 11 - 0 same B
	N 59 2010 2020 10 11 - 0 in them
	N 59 769 781 10 11 - 0 wrong thread
	N 59 769 781 10 12 - 0 thread 12
	N 59 2050 - 10 13 - 0 open
	N 59 2060 2070 10 13 - 0 in open
	N 59 2060 2090 10 14 - 0 outer
	N 59 2065 2090 10 14 - 0 inner A
	N 59 2065 2090 10 14 - 0 inner B
	N 34 7000 - 10 12 - 0 mark
	N 60 7000 8000 10 12 - 0 no push either
	EOT
	table nvtx_pushpop_trace <<-EOT
	Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree
	10,145,135,123,12,:X,10,11,0,2,1,,:1,:X
	20,125,105,0,105,:Y,10,11,1,0,2,1,:1:2,--:Y
	126,144,18,0,18,":Y, again",10,11,1,0,4,1,:1:4,"--:Y, again"
	300,310,10,0,10,:exact,10,11,1,0,6,5,:5:6,--:exact
	300,1000,700,122,578,:tail,10,11,0,3,5,,:5,:tail
	400,499,99,0,99,:cut,10,11,2,0,8,7,:5:7:8,----:cut
	400,500,100,198,-98,:graph,10,11,1,2,7,5,:5:7,--:graph
	401,500,99,0,99,:cut,10,11,2,0,9,7,:5:7:9,----:cut
	769,781,12,0,12,:thread 12,10,12,0,0,14,,:14,:thread 12
	769,781,12,0,12,:wrong thread,10,11,1,0,13,5,:5:13,--:wrong thread
	2050,2100,50,10,40,:open,10,13,0,1,15,,:15,:open
	2060,2070,10,0,10,:in open,10,13,1,0,16,15,:15:16,--:in open
	2060,2090,30,0,30,:outer,10,14,0,0,17,,:17,:outer
	EOT
}

@test "a share of nothing is unset" {
	db <<-EOT
	S 8 os16
	O 10 10 27 8 10 11
	N 59 10 10 10 11 - 0 zero
	EOT
	table osrt_sum <<-EOT
	Time (%),Total Time (ns),Num Calls,$SUM,Name
	,0,1,0.0,0.0,0,0,0.0,os16
	EOT
	table nvtx_sum <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Style,Range
	,0,1,0.0,0.0,0,0,0.0,PushPop,:zero
	EOT
}

@test "the innermost range is the last that began, of several the first" {
	db <<-EOT
	S 1 cudaLaunchKernel_v7000
	S 10 kA
	N 59 50 900 10 11 - 0 outer
	N 60 90 280 10 11 - 0 Y
	N 59 90 250 10 11 - 0 X
	N 59 300 350 10 11 - 0 short
	N 60 300 400 10 11 - 0 long
	R 120 130 1 1 10 11
	K 140 150 1 10 0 10
	R 320 330 2 1 10 11
	K 340 360 2 10 0 10
	R 340 360 3 1 10 11
	K 370 400 3 10 0 10
	EOT
	table cuda_gpu_kern_sum:nvtx-name <<-EOT
	Time (%),Total Time (ns),Instances,$SUM,Name
	50.0,30,1,30.0,30.0,30,30,0.0,long/kA
	33.3,20,1,20.0,20.0,20,20,0.0,short/kA
	16.7,10,1,10.0,10.0,10,10,0.0,Y/kA
	EOT
}
