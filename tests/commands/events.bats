load ../lib

bats_require_minimum_version 1.5.0

# dlp events: the Python code that it writes, on real profiles and hostile ones.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

H=$ROOT/tests/data/h200

# calls FILE: the calls in a program, with its tensors as sizes, types, strides
calls() {
	python3 - "$1" <<-'EOT'
	import ast, sys, types
	tree = ast.parse(open(sys.argv[1]).read())
	own = {}
	for part in tree.body:
	    if isinstance(part, ast.FunctionDef) and part.name in ("fit", "stride", "padding"):
	        exec(compile(ast.Module([part], []), "head", "exec"), own)
	for case in tree.body:
	    if not (isinstance(case, ast.FunctionDef) and case.name.startswith("case_")):
	        continue
	    tensors = {}
	    for line in case.body:
	        if isinstance(line, ast.Assign):
	            call = line.value
	            assert call.func.id == "tensor"
	            named = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
	            size = ast.literal_eval(call.args[0])
	            if named.get("channels_last"):
	                n, c, h, w = size
	                named["stride"] = [h * w * c, 1, w * c, c]
	            tensors[line.targets[0].id] = (size, call.args[1].attr, named.get("stride"))
	    call = case.body[-1].value.args[3].body
	    for name, (size, *_) in tensors.items():
	        own[name] = types.SimpleNamespace(shape=size, dim=size.__len__)
	    args = [tensors[a.id] if isinstance(a, ast.Name) else eval(ast.unparse(a), own)
	            for a in call.args[1:] if not isinstance(a, ast.List) or
	            all(isinstance(e, ast.Constant) for e in a.elts)]
	    print(args)
	EOT
}

# bats test_tags=more
@test "cases of a trace have the sizes, types, strides and values of its events" {
	need_data kineto/own
	local op
	for op in conv2d batch_norm max_pool2d; do
		dlp events -n 0 $op "$DATA/kineto/own/resnet50_tf32.json.gz" >out.py
		calls out.py | sort >got
		zcat "$DATA/kineto/own/resnet50_tf32.json.gz" |
		    OP=aten::$op python3 -c '
import ast, json, os, sys
seen = set()
def value(s):
    return None if s == "" else ast.literal_eval(s)
for e in json.load(sys.stdin)["traceEvents"]:
    a = e.get("args", {})
    if e.get("name") == os.environ["OP"] and "Input Dims" in a:
        seen.add(str([(d, "float32", s) if t == "float" else value(v) for d, t, s, v in
            zip(a["Input Dims"], a["Input type"], a["Input Strides"], a["Concrete Inputs"])]))
print("\n".join(seen))' | sort >want
		[ -s want ]
		diff want got
	done
}

# bats test_tags=more
@test "every op with kernels gives Python, or a line that says why not" {
	need_data kineto/own
	local f op n=0 none=0
	for f in "$H"/{lenet_pyprof_train,resnet50_tf32,gpt2_bf16}.sqlite.xz \
	    "$DATA"/kineto/own/{gpt2_bf16,lenet_stack}.json.gz; do
		dlp-parse --inputs "$f" | dlp-correlate | dlp-flops -q >s.dlp
		for op in $(dlp ops --tsv s.dlp 2>/dev/null |
		    awk -F'\t' 'NR > 1 && $4 > 0 { sub(".*/", "", $1); print $1 }' |
		    grep -v '[^a-z0-9_]' | sort -u); do
			if dlp-events -e "$op" s.dlp >"$op.py" 2>err; then
				n=$((n + 1))
			else
				none=$((none + 1))
				grep -q "cannot be run again: [a-z]" err
				[ ! -s "$op.py" ]
				rm "$op.py"
			fi
		done
		python3 -m py_compile -- *.py
		rm -- *.py
	done
	echo "$n ops, $none not"
	[ "$n" -gt 50 ]
}

# bats test_tags=more
@test "sizes alone: a convolution's stride and padding follow from its result" {
	[ -e "$H/resnet50_tf32.sqlite.xz" ] || skip "no tests/data/h200"
	need_data kineto/own
	dlp events -n 0 conv2d "$H/resnet50_tf32.sqlite.xz" >nsys.py
	dlp events -n 0 conv2d "$DATA/kineto/own/resnet50_tf32.json.gz" >kineto.py
	# the same program: the trace has the values
	diff <(calls kineto.py | sort) <(calls nsys.py | sort)
}

# called DIR: for each program OP.N.py there, the sizes with which PyTorch's own
# profiler sees the op called, in OP.N.got
called() {
	/usr/bin/python3 - "$1"/*.py <<-'EOT'
	import runpy, sys
	from torch.autograd.profiler import profile
	programs = sys.argv[1:]
	sys.argv[1:] = []
	for program in programs:
	    op = "aten::" + program.split("/")[-1].split(".")[0]
	    with profile(record_shapes=True) as p:
	        runpy.run_path(program)
	    with open(program[:-2] + "got", "w") as out:
	        for s in sorted({str(e.input_shapes) for e in p.function_events if e.name == op}):
	            print(s, file=out)
	EOT
}

@test "PyTorch runs the cases, and calls the op with the recorded sizes" {
	/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no python3-torch"
	local f op n=0
	mkdir p
	for f in alternate h200/lenet_emitnvtx_train; do
		xz -dc "$ROOT/tests/data/$f.sqlite.xz" >db
		for op in linear layer_norm gelu conv2d relu max_pool2d cross_entropy_loss; do
			sqlite3 db "SELECT DISTINCT text FROM (SELECT coalesce(text, value) AS text
			    FROM NVTX_EVENTS LEFT JOIN StringIds s ON s.id = textId)
			    WHERE text LIKE 'aten::$op,%'" |
			    sed 's/.*sizes = \(\[.*\]\),* *input_op_ids.*/\1/; s/.*sizes = //' |
			    sed 's/, *$//' | sort -u >want
			[ -s want ] || continue
			n=$((n + 1))
			mv want p/$op.$n.want
			dlp events -n 0 "$op" db >p/$op.$n.py
		done
	done
	[ "$n" -eq 8 ]
	called p
	for f in p/*.want; do
		grep -Fxf "$f" "${f%want}got" | sort -u | diff "$f" -
	done
}

@test "what was cast by autocast, and lists of tensors, are in the call" {
	cd "$ROOT/tests/data" || return
	run -0 --separate-stderr dlp events linear advise/amp_scaler.sqlite.xz
	# its kernels: 2 casts of float32 a run, and a product of fp16
	[[ $output == *"t0 = tensor([32, 512], torch.float16, grad=True)"* ]]
	[[ $output == *"t1 = tensor([1000, 512], torch.float32, grad=True)"* ]]
	[[ $output == *"autocast=torch.float16)"* ]]
	# Adam adds eps to a list; the names of its kernels say so: BinaryOpScalarFunctor
	run -0 --separate-stderr dlp events _foreach_add_ alternate.sqlite.xz
	[[ $output == *"t63], 2),"* ]]
	run -0 --separate-stderr dlp events _foreach_addcdiv_ alternate.sqlite.xz
	[[ $output == *"t63], [t64, "*"t127], [t128, "*"t191], 1),"* ]]
}

trace() { # OP, VALUE
	cat <<-EOT
	{"schemaVersion":1,"deviceProperties":[],"traceEvents":[
	{"ph":"X","cat":"cpu_op","name":"aten::$1","pid":1,"tid":1,"ts":10,"dur":50,
	 "args":{"External id":1,"Input Dims":[[4,4],[]],"Input type":["float","Scalar"],
	 "Input Strides":[[4,1],[]],"Concrete Inputs":["","$2"]}},
	{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,
	 "dur":5,"args":{"correlation":7}},
	{"ph":"X","cat":"kernel","name":"k$2","pid":0,"tid":7,"ts":40,"dur":10,
	 "args":{"device":0,"stream":7,"correlation":7}}]}
	EOT
}

@test "hostile names and values stay in their strings and comments" {
	local v op n=0
	for v in '__import__(\"os\").system(\"touch pwned\")' '\"+exit(3)+\"' '\\' '\"\"\"' \
	    '\n    exit(3)' '\r    exit(3)' '[1, exit(3)]' '[[[[[[[[[[1]]]]]]]]]]' '007' '1)' \
	    '[1' '1, 2' '[,]' ', types = [x]' '\u2028exit(3)' '\u0000'; do
		n=$((n + 1))
		trace mul "$v" >t.json
		dlp events mul t.json >out.$n.py 2>err || {
			cat err
			grep -q 'cannot be run again' err
			rm out.$n.py
		}
	done
	op='m\",exit(3))#'
	trace "$op" 1 >t.json
	dlp events 'm",exit(3))#' t.json >out.op.py
	grep -qF 'aten("m\",exit(3))#", t0, 1)' out.op.py
	[ $n -eq 16 ]
	python3 - out.*.py <<-'EOT'
	import ast, sys
	for name in sys.argv[1:]:
	    tree = ast.parse(open(name).read())
	    compile(tree, name, "exec")
	    if name != "out.op.py":
	        for n in ast.walk(tree):
	            assert not (isinstance(n, ast.Name) and n.id in ("exit", "os", "__import__")), n
	EOT
	[ ! -e pwned ]
}
