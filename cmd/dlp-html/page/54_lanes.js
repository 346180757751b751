// The lanes of the timeline. A lane has pieces sorted by their start, as typed arrays, so
// that drawing looks only at what a pixel shows: { label, kind, n, start, end, name(i),
// at (numbers of rows, or null), shade(i), sums (by shade: sums of lengths) }.
const laneShades = ['tc', 'kern', 'graph', 'comm', 'mem', 'idle', 'call', 'wait'];

// Numbers of rows by start; they mostly are in that order already.
function byStart(list, start, end) {
	let sorted = true;
	for (let k = 1; k < list.length && sorted; k++)
		sorted = start[list[k - 1]] <= start[list[k]];
	return sorted ? list : list.sort((a, b) => start[a] - start[b] || end(b) - end(a));
}

function makeLane(label, kind, t, list, start, length, name, shade, only = 6) {
	const at = byStart(list, start, i => start[i] + length[i]), n = at.length;
	const lane = { label, kind, t, n, at, start: new Float64Array(n), end: new Float64Array(n),
		shades: shade ? new Uint8Array(n) : null, sums: null, name: k => name(at[k]) };
	for (let k = 0; k < n; k++) {
		lane.start[k] = start[at[k]];
		lane.end[k] = start[at[k]] + (length[at[k]] || 0);
		if (shade)
			lane.shades[k] = shade(at[k]);
	}
	const used = shade ? [...new Set(lane.shades)] : [only];
	lane.sums = used.map(s => {
		const sum = new Float64Array(n + 1);
		for (let k = 0; k < n; k++)
			sum[k + 1] = sum[k] + (!shade || lane.shades[k] === s ? lane.end[k] - lane.start[k] : 0);
		return { shade: s, sum };
	});
	return lane;
}

// Rows by the value of a key, those without a start left out.
function rowsBy(t, start, key) {
	const by = new Map();
	for (let i = 0; i < t.n; i++) {
		if (Number.isNaN(start[i]))
			continue;
		const k = key(i);
		if (!by.has(k))
			by.set(k, []);
		by.get(k).push(i);
	}
	return new Map([...by].map(([k, list]) => [k, Int32Array.from(list)]));
}

function shadeOfWork(t) {
	const tag = t.tag.d, comm = t.dir.d.indexOf('comm'), tc = t.tc.d.indexOf('yes');
	const of = { copy: 4, set: 4, graph: 2 };
	return i => comm >= 0 && t.dir.v[i] === comm ? 3 : tag[t.tag.v[i]] in of ? of[tag[t.tag.v[i]]] : tc >= 0 && t.tc.v[i] === tc ? 0 : 1;
}

const workName = (t, i) => text(t.short, i) || (text(t.tag, i) === 'copy' ? 'Memcpy ' + (text(t.kind, i) || '') : text(t.tag, i) === 'set' ? 'Memset' : 'graph');

function gpuLanes(t) {
	const key = i => t.dev[i] + '\n' + t.stream[i] + (Number.isNaN(t.pid[i]) ? '' : '\n' + t.pid[i]);
	const by = rowsBy(t, t.start_ns, key), procs = new Set([...t.pid].filter(x => !Number.isNaN(x)));
	const lanes = [...by].map(([k, list]) => {
		const [dev, stream, pid] = k.split('\n');
		return { dev: Number(dev), stream: Number(stream), ...makeLane('GPU ' + dev + ' stream ' + stream + (procs.size > 1 ? ' of ' + pid : ''),
			'work', t, list, t.start_ns, t.dur_ns, i => workName(t, i), shadeOfWork(t)) };
	});
	return lanes.sort((a, b) => a.dev - b.dev || b.n - a.n);
}

// Pieces that lie inside one another stand in rows below one another. A piece is a row
// of one of the sources, whose rows are merged by their start.
function nestedLanes(label, sources) {
	const lists = sources.map(([t, list]) => byStart(list, t.start_ns, i => t.start_ns[i] + t.dur_ns[i])), next = lists.map(() => 0);
	const open = [], rowsOf = [], endOf = (s, i) => sources[s][0].start_ns[i] + (sources[s][0].dur_ns[i] || 0);
	for (;;) {
		let s = -1, start = Infinity, end = 0;
		for (let k = 0; k < lists.length; k++) {
			if (next[k] >= lists[k].length)
				continue;
			const i = lists[k][next[k]], from = sources[k][0].start_ns[i];
			if (from < start || (from === start && endOf(k, i) > end)) {
				s = k;
				start = from;
				end = endOf(k, i);
			}
		}
		if (s < 0)
			break;
		while (open.length > 0 && open[open.length - 1] <= start)
			open.pop();
		const row = Math.min(open.length, 7);
		open.push(end);
		if (!rowsOf[row])
			rowsOf[row] = { from: [], at: [] };
		rowsOf[row].from.push(s);
		rowsOf[row].at.push(lists[s][next[s]++]);
	}
	return rowsOf.map((r, row) => nestedLane(row === 0 ? label : '', sources, Uint8Array.from(r.from), Int32Array.from(r.at)));
}

function nestedLane(label, sources, from, at) {
	const n = at.length, lane = { label, kind: 'nested', n, start: new Float64Array(n), end: new Float64Array(n), shades: new Uint8Array(n),
		name: k => sources[from[k]][3](at[k]), piece: k => ({ t: sources[from[k]][0], i: at[k], kind: sources[from[k]][2] }) };
	const sums = [5, 2].map(shade => ({ shade, sum: new Float64Array(n + 1) }));
	for (let k = 0; k < n; k++) {
		const t = sources[from[k]][0];
		lane.start[k] = t.start_ns[at[k]];
		lane.end[k] = lane.start[k] + (t.dur_ns[at[k]] || 0);
		lane.shades[k] = sources[from[k]][2] === 'range' ? 5 : 2;
		for (const s of sums)
			s.sum[k + 1] = s.sum[k] + (s.shade === lane.shades[k] ? lane.end[k] - lane.start[k] : 0);
	}
	lane.sums = sums;
	return lane;
}

async function threadLanes(work) {
	const [inst, nest, ranges, call, op] = await Promise.all(['inst', 'nest', 'range', 'call', 'op'].map(table));
	const opAt = new Map(), names = new Map(rows('thread').map(x => [x.pid + '\n' + x.tid, x.name])), key = t => i => t.pid[i] + '\n' + t.tid[i];
	for (let i = 0; i < op.n; i++)
		opAt.set(op.op_id[i], i);
	const nameOfRun = i => opAt.has(inst.op_id[i]) ? text(op.name, opAt.get(inst.op_id[i])) : text(inst.op, i);
	const by = [inst, nest, ranges].map(t => rowsBy(t, t.start_ns, key(t)));
	const os = call.tag.d.indexOf('os'), launched = rowsBy(work, work.api_start_ns, key(work));
	const calls = rowsBy(call, call.start_ns, i => (call.tag.v[i] === os ? 'os' : 'api') + '\n' + key(call)(i));
	const threads = new Set([...by.flatMap(m => [...m.keys()]), ...launched.keys(), ...[...calls.keys()].map(k => k.split('\n').slice(1).join('\n'))]), out = [];
	const weight = k => (launched.get(k) || []).length * 10 + by.reduce((s, m) => s + (m.get(k) || []).length, 0);
	for (const k of [...threads].sort((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1))) {
		const who = k.endsWith('NaN') ? 'without a thread' : (names.get(k) || 'thread') + ' ' + k.split('\n')[1];
		const sources = [[inst, by[0].get(k), 'inst', nameOfRun], [nest, by[1].get(k), 'nest', i => text(nest.text, i)], [ranges, by[2].get(k), 'range', i => text(ranges.text, i)]].filter(s => s[1]);
		if (sources.length > 0)
			out.push(...nestedLanes('ranges, ops: ' + who, sources));
		if (launched.has(k))
			out.push(makeLane('launches: ' + who, 'launch', work, launched.get(k), work.api_start_ns, work.api_dur_ns, i => text(work.api, i) || 'launch', null));
		for (const [what, label] of [['api', 'API calls: '], ['os', 'waits of the OS: ']])
			if (calls.has(what + '\n' + k))
				out.push(makeLane(label + who, 'call', call, calls.get(what + '\n' + k), call.start_ns, call.dur_ns, i => text(call.api, i) || text(call.name, i) || text(call.kind, i) || text(call.tag, i), null, what === 'os' ? 7 : 6));
	}
	return out;
}

const gapShade = name => 10 + Math.max(0, Object.keys(gapMeanings).indexOf(name));

// All lanes, made once for a source.
const lanesMade = new Map();

async function allLanes() {
	if (lanesMade.has(source))
		return lanesMade.get(source);
	const work = await workFor([]), gap = await table('gap'), mem = await table('mem'), out = [];
	if (steps.length > 0)
		out.push({ label: 'steps', kind: 'step', n: steps.length, start: Float64Array.from(steps, s => s.start_ns), end: Float64Array.from(steps, s => s.start_ns + (s.step_ns || s.dur_ns || 0)),
			shades: null, sums: null, name: k => String(steps[k].iter) });
	const gpu = gpuLanes(work), idle = rowsBy(gap, gap.start_ns, i => gap.dev[i]), used = rowsBy(mem, mem.start_ns, i => mem.dev[i] + '\n' + text(mem.space, i));
	for (const dev of new Set([...gpu.map(l => l.dev), ...idle.keys()])) {
		out.push(...gpu.filter(l => l.dev === dev));
		if (idle.has(dev))
			out.push(makeLane('GPU ' + dev + ' idle, by reason', 'gap', gap, idle.get(dev), gap.start_ns, gap.dur_ns, i => text(gap.class, i), i => gapShade(text(gap.class, i))));
		for (const [k, list] of used)
			if (k.split('\n')[0] === String(dev) && k.endsWith('\ndevice')) {
				const at = byStart(list, mem.start_ns, i => mem.start_ns[i]).filter(i => !Number.isNaN(mem.used_bytes[i]));
				out.push({ label: 'GPU ' + dev + ' memory', kind: 'memory', n: at.length, at, t: mem, start: Float64Array.from(at, i => mem.start_ns[i]),
					most: at.reduce((m, i) => Math.max(m, mem.used_bytes[i]), 1), name: k => bytes(mem.used_bytes[at[k]]) });
			}
	}
	out.push(...await threadLanes(work));
	lanesMade.set(source, out.filter(l => l.n > 0));
	return lanesMade.get(source);
}

// The first number of a sorted array whose value is more than v, from number i on.
function after(list, v, i = 0) {
	let lo = i, hi = list.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (list[mid] <= v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
