// The lanes of the timeline. A lane has pieces sorted by their start, and looks at the
// tables for each, so that drawing costs only what a pixel shows: { label, kind, n,
// start(k), length(k), end(k), shade(k), name(k), at (numbers of rows, or null), sums }.
const laneShades = ['tc', 'kern', 'graph', 'comm', 'mem', 'idle', 'call', 'wait'];

// Numbers of rows by start; they mostly are in that order already.
function byStart(list, start, length) {
	let was = -Infinity;
	for (let k = 0; k < list.length; k++) {
		const x = start[list[k]];
		if (x < was)
			return list.sort((a, b) => start[a] - start[b] || length[b] - length[a]);
		was = x;
	}
	return list;
}

// Sums of lengths by shade, up to each of these many pieces.
const sumEvery = 1 << 5;

const sumsFor = (of, shade, n) => of[shade] || (of[shade] = new Float64Array(Math.ceil(n / sumEvery) + 1));

// of: by shade, the sums of each of these many pieces.
function finishLane(lane, of, last) {
	lane.end = k => lane.start(k) + lane.length(k);
	lane.last = last;
	lane.sums = Object.keys(of).map(s => ({ shade: Number(s), sum: of[s] }));
	lane.slots = of.map((x, s) => lane.sums.findIndex(y => y.shade === s));
	for (const { sum } of lane.sums)
		for (let b = 1; b < sum.length; b++)
			sum[b] += sum[b - 1];
	return lane;
}

// The sums before piece k.
function sumsTo(lane, k) {
	const block = Math.floor(k / sumEvery), out = lane.sums.map(s => s.sum[block]);
	for (let i = block * sumEvery; i < k; i++)
		out[lane.slots[lane.shade(i)]] += lane.length(i);
	return out;
}

function makeLane(label, kind, t, list, start, length, name, shades, only = 6) {
	const at = byStart(list, start, length);
	const n = at.length, of = [];
	let last = -Infinity;
	for (let k = 0; k < n; k++) {
		const i = at[k], d = length[i] || 0;
		sumsFor(of, shades ? shades[i] : only, n)[(k >> 5) + 1] += d;
		last = Math.max(last, start[i] + d);
	}
	return finishLane({ label, kind, t, n, at, start: k => start[at[k]], length: k => length[at[k]] || 0,
		shade: shades ? k => shades[at[k]] : () => only, name: k => name(at[k]) }, of, last);
}

// Rows by the values of some columns (arrays of numbers), those without a start left
// out: a Map from the values as text to the numbers of the rows.
function rowsBy(n, start, ...keys) {
	const of = new Int32Array(n), groups = new Map(), sizes = [], names = [], [a, b = a, c = a] = keys;
	let u = NaN, v = NaN, w = NaN, is = -1;
	for (let i = 0; i < n; i++) {
		if (start[i] !== start[i]) {	// NaN
			of[i] = -1;
			continue;
		}
		if (a[i] !== u || b[i] !== v || c[i] !== w) {
			u = a[i];
			v = b[i];
			w = c[i];
			const name = keys.length === 1 ? String(u) : keys.length === 2 ? u + '\n' + v : u + '\n' + v + '\n' + w;
			is = groups.get(name);
			if (is === undefined) {
				groups.set(name, is = names.push(name) - 1);
				sizes[is] = 0;
			}
		}
		of[i] = is;
		sizes[is]++;
	}
	const lists = sizes.map(size => new Int32Array(size)), next = sizes.map(() => 0);
	for (let i = 0; i < n; i++)
		if (of[i] >= 0)
			lists[of[i]][next[of[i]]++] = i;
	return new Map(names.map((name, g) => [name, lists[g]]));
}

// The shade of each row of work.
function shadesOfWork(t) {
	const comm = t.dir.d.indexOf('comm'), yes = t.tc.d.indexOf('yes'), of = { copy: 4, set: 4, graph: 2 };
	const dir = t.dir.v, tag = t.tag.v, tc = t.tc.v, byTag = t.tag.d.map(x => of[x] || 0), shades = new Uint8Array(t.n);
	for (let i = 0; i < t.n; i++)
		shades[i] = comm >= 0 && dir[i] === comm ? 3 : byTag[tag[i]] || (yes >= 0 && tc[i] === yes ? 0 : 1);
	return shades;
}

const workName = (t, i) => text(t.short, i) || (text(t.tag, i) === 'copy' ? 'Memcpy ' + (text(t.kind, i) || '') : text(t.tag, i) === 'set' ? 'Memset' : 'graph');

function gpuLanes(t) {
	const by = rowsBy(t.n, t.start_ns, t.dev, t.stream, t.pid), procs = new Set([...by.keys()].map(k => k.split('\n')[2])), shades = shadesOfWork(t);
	const lanes = [...by].map(([k, list]) => {
		const [dev, stream, pid] = k.split('\n');
		return { dev: Number(dev), stream: Number(stream), ...makeLane('GPU ' + dev + ' stream ' + stream + (procs.size > 1 ? ' of ' + pid : ''),
			'work', t, list, t.start_ns, t.dur_ns, i => workName(t, i), shades) };
	});
	return lanes.sort((a, b) => a.dev - b.dev || b.n - a.n);
}

// Pieces that lie inside one another stand in rows below one another. A piece is a row
// of one of the sources, whose rows are merged by their start.
function nestedLanes(label, sources) {
	const lists = sources.map(([t, list]) => byStart(list, t.start_ns, t.dur_ns)), n = lists.reduce((sum, l) => sum + l.length, 0);
	const starts = sources.map(s => s[0].start_ns), durs = sources.map(s => s[0].dur_ns), next = lists.map(() => 0);
	const from = new Uint8Array(n), at = new Int32Array(n), rows = new Uint8Array(n), sizes = [], open = [];
	const heads = lists.map((l, s) => starts[s][l[0]]), endOf = s => heads[s] + (durs[s][lists[s][next[s]]] || 0);
	for (let j = 0; j < n; j++) {
		let s = 0;
		for (let k = 1; k < lists.length; k++)
			if (heads[k] < heads[s] || (heads[k] === heads[s] && endOf(k) > endOf(s)))
				s = k;
		while (open.length > 0 && open[open.length - 1] <= heads[s])
			open.pop();
		const row = Math.min(open.length, 7);
		open.push(endOf(s));
		from[j] = s;
		at[j] = lists[s][next[s]++];
		rows[j] = row;
		sizes[row] = (sizes[row] || 0) + 1;
		heads[s] = next[s] < lists[s].length ? starts[s][lists[s][next[s]]] : Infinity;
	}
	const made = sizes.map(size => ({ from: new Uint8Array(size), at: new Int32Array(size) })), end = sizes.map(() => 0);
	for (let j = 0; j < n; j++) {
		const k = end[rows[j]]++, row = made[rows[j]];
		row.from[k] = from[j];
		row.at[k] = at[j];
	}
	return made.map((row, r) => nestedLane(r === 0 ? label : '', sources, row.from, row.at));
}

function nestedLane(label, sources, from, at) {
	const starts = sources.map(s => s[0].start_ns), durs = sources.map(s => s[0].dur_ns), shades = sources.map(s => s[2] === 'range' ? 5 : 2);
	const n = at.length, of = [];
	let last = -Infinity;
	for (let k = 0; k < n; k++) {
		const s = from[k], d = durs[s][at[k]] || 0;
		sumsFor(of, shades[s], n)[(k >> 5) + 1] += d;
		last = Math.max(last, starts[s][at[k]] + d);
	}
	return finishLane({ label, kind: 'nested', n, start: k => starts[from[k]][at[k]], length: k => durs[from[k]][at[k]] || 0, shade: k => shades[from[k]],
		name: k => sources[from[k]][3](at[k]), piece: k => ({ t: sources[from[k]][0], i: at[k], kind: sources[from[k]][2] }) }, of, last);
}

async function threadLanes(work) {
	const span = ['start_ns', 'dur_ns', 'pid', 'tid'];
	const [inst, nest, ranges, call, op] = await Promise.all([table('inst', span), table('nest', span), table('range', span),
		table('call', [...span, 'tag']), table('op', ['op_id', 'name'])]);
	const opAt = new Map(), names = new Map(rows('thread').map(x => [x.pid + '\n' + x.tid, x.name]));
	for (let i = 0; i < op.n; i++)
		opAt.set(op.op_id[i], i);
	const nameOfRun = i => opAt.has(inst.op_id[i]) ? text(op.name, opAt.get(inst.op_id[i])) : text(inst.op, i);
	const by = [inst, nest, ranges].map(t => rowsBy(t.n, t.start_ns, t.pid, t.tid));
	const os = call.tag.d.indexOf('os'), launched = rowsBy(work.n, work.api_start_ns, work.pid, work.tid);
	const calls = rowsBy(call.n, call.start_ns, call.tag.v.map(x => x === os ? 1 : 0), call.pid, call.tid);
	const threads = new Set([...by.flatMap(m => [...m.keys()]), ...launched.keys(), ...[...calls.keys()].map(k => k.split('\n').slice(1).join('\n'))]), out = [];
	const weight = k => (launched.get(k) || []).length * 10 + by.reduce((s, m) => s + (m.get(k) || []).length, 0);
	for (const k of [...threads].sort((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1))) {
		const who = k.endsWith('NaN') ? 'without a thread' : (names.get(k) || 'thread') + ' ' + k.split('\n')[1];
		const sources = [[inst, by[0].get(k), 'inst', nameOfRun], [nest, by[1].get(k), 'nest', i => text(nest.text, i)], [ranges, by[2].get(k), 'range', i => text(ranges.text, i)]].filter(s => s[1]);
		if (sources.length > 0)
			out.push(...nestedLanes('ranges, ops: ' + who, sources));
		if (launched.has(k))
			out.push(makeLane('launches: ' + who, 'launch', work, launched.get(k), work.api_start_ns, work.api_dur_ns, i => text(work.api, i) || 'launch', null));
		for (const [what, label] of [['0', 'API calls: '], ['1', 'waits of the OS: ']])
			if (calls.has(what + '\n' + k))
				out.push(makeLane(label + who, 'call', call, calls.get(what + '\n' + k), call.start_ns, call.dur_ns, i => text(call.api, i) || text(call.name, i) || text(call.kind, i) || text(call.tag, i), null, what === '1' ? 7 : 6));
	}
	return out;
}

// What names of pieces are made of is unpacked when they are first asked for.
const nameColumns = { work: ['short', 'kind', 'api', 'id'], inst: ['op_id', 'op'], nest: ['text'], range: ['text'], call: ['api', 'name', 'kind'] };
const namesRead = new Set();	// of these sources

async function readNames() {
	await Promise.all(Object.keys(nameColumns).map(t => table(t, nameColumns[t])));
	namesRead.add(source);
}

function shadesOfGaps(col) {
	const shades = col.d.map(name => 10 + Math.max(0, Object.keys(gapMeanings).indexOf(name)));
	const v = col.v, of = new Uint8Array(v.length);
	for (let i = 0; i < v.length; i++)
		of[i] = v[i] < 0 ? 10 : shades[v[i]];
	return of;
}

// The critical path. A row without a start begins where the one before ends.
async function criticalPath() {
	const t = await table('path', ['start_ns', 'dur_ns', 'iter', 'kind', 'op', 'n_seg']), dur = t.dur_ns;
	const start = t.start_ns instanceof Float64Array ? t.start_ns : Float64Array.from(t.start_ns);
	for (let i = 1; i < t.n; i++)
		if (start[i] !== start[i])	// NaN
			start[i] = start[i - 1] + dur[i - 1];
	return Object.create(t, { start_ns: { value: start } });
}

const pathShades = { cpu: 6, launch: 7, kernel: 1, copy: 4, set: 4, graph: 2, comm_exposed: 3, comm_blocking: 3 };

function pathLane(t) {
	const of = t.kind.d.map(k => pathShades[k] || 5), kind = t.kind.v, all = new Int32Array(t.n), shades = new Uint8Array(t.n);
	for (let i = 0; i < t.n; i++) {
		all[i] = i;
		shades[i] = of[kind[i]];
	}
	return makeLane('critical path', 'path', t, all, t.start_ns, t.dur_ns, i => [text(t.op, i), text(t.kind, i)].filter(isSet).join(' '), shades);
}

// All lanes, made once for a source.
const lanesMade = new Map();

// soon: called with the lanes of the GPUs, while those of threads are made.
async function allLanes(soon) {
	if (lanesMade.has(source))
		return lanesMade.get(source);
	const work = await workFor(['dev', 'stream', 'pid', 'tid', 'start_ns', 'tc', 'api_start_ns', 'api_dur_ns']);
	const gap = await table('gap', ['dev', 'class', 'start_ns', 'dur_ns']), mem = await table('mem', ['dev', 'space', 'start_ns', 'used_bytes']), out = [];
	if (steps.length > 0)
		out.push(makeLane('steps', 'step', null, steps.map((s, i) => i), steps.map(s => s.start_ns), steps.map(s => s.step_ns || s.dur_ns || 0), i => String(steps[i].iter), null, 5));
	const gpu = gpuLanes(work), idle = rowsBy(gap.n, gap.start_ns, gap.dev), used = rowsBy(mem.n, mem.start_ns, mem.dev, mem.space.v);
	for (const dev of new Set([...gpu.map(l => l.dev), ...[...idle.keys()].map(Number)])) {
		out.push(...gpu.filter(l => l.dev === dev));
		if (idle.has(String(dev)))
			out.push(makeLane('GPU ' + dev + ' idle, by reason', 'gap', gap, idle.get(String(dev)), gap.start_ns, gap.dur_ns, i => text(gap.class, i), shadesOfGaps(gap.class)));
		for (const [k, list] of used)
			if (k.split('\n')[0] === String(dev) && mem.space.d[k.split('\n')[1]] === 'device') {
				const at = byStart(list, mem.start_ns, mem.start_ns).filter(i => !Number.isNaN(mem.used_bytes[i]));
				out.push({ label: 'GPU ' + dev + ' memory', kind: 'memory', n: at.length, at, t: mem, start: k => mem.start_ns[at[k]],
					most: at.reduce((m, i) => Math.max(m, mem.used_bytes[i]), 1), name: k => bytes(mem.used_bytes[at[k]]) });
			}
	}
	await soon(out.filter(l => l.n > 0));
	const path = await criticalPath();
	if (path.n > 0)
		out.splice(steps.length > 0 ? 1 : 0, 0, pathLane(path));
	out.push(...await threadLanes(work));
	lanesMade.set(source, out.filter(l => l.n > 0));
	return lanesMade.get(source);
}

// The first of n numbers from i on, rising, that is more than v.
function after(n, number, v, i = 0) {
	let lo = i, hi = n;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (number(mid) <= v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
