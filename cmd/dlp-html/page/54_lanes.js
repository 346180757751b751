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
		shades: shade ? new Uint8Array(n) : null, sums: null, last: 0, name: k => name(at[k]) };
	for (let k = 0; k < n; k++) {
		lane.start[k] = start[at[k]];
		lane.end[k] = start[at[k]] + (length[at[k]] || 0);
		lane.last = Math.max(lane.last, lane.end[k]);
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

// Rows by the values of some columns (arrays of numbers), those without a start left
// out: a Map from the values as text to the numbers of the rows.
function rowsBy(n, start, ...keys) {
	const of = new Int32Array(n), first = [], sizes = [], root = new Map();
	let was = -1;
	const place = i => {
		let at = root;
		keys.forEach((k, depth) => {
			let next = at.get(k[i]);
			if (next === undefined) {
				next = depth < keys.length - 1 ? new Map() : first.push(i) - 1;
				at.set(k[i], next);
			}
			at = next;
		});
		return at;
	};
	const same = (i, j) => keys.every(k => k[i] === k[j]);
	for (let i = 0; i < n; i++) {
		of[i] = start[i] !== start[i] ? -1 : was >= 0 && same(i, first[was]) ? was : place(i);
		if (of[i] >= 0) {
			was = of[i];
			sizes[was] = (sizes[was] || 0) + 1;
		}
	}
	const lists = sizes.map(size => new Int32Array(size)), next = sizes.map(() => 0);
	for (let i = 0; i < n; i++)
		if (of[i] >= 0)
			lists[of[i]][next[of[i]]++] = i;
	return new Map(lists.map((list, g) => [keys.map(k => k[first[g]]).join('\n'), list]));
}

function shadeOfWork(t) {
	const comm = t.dir.d.indexOf('comm'), yes = t.tc.d.indexOf('yes'), of = { copy: 4, set: 4, graph: 2 };
	const dir = t.dir.v, tag = t.tag.v, tc = t.tc.v, byTag = t.tag.d.map(x => of[x] || 0);
	return i => comm >= 0 && dir[i] === comm ? 3 : byTag[tag[i]] || (yes >= 0 && tc[i] === yes ? 0 : 1);
}

const workName = (t, i) => text(t.short, i) || (text(t.tag, i) === 'copy' ? 'Memcpy ' + (text(t.kind, i) || '') : text(t.tag, i) === 'set' ? 'Memset' : 'graph');

function gpuLanes(t) {
	const by = rowsBy(t.n, t.start_ns, t.dev, t.stream, t.pid), procs = new Set([...by.keys()].map(k => k.split('\n')[2]));
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
	const lists = sources.map(([t, list]) => {
		const start = t.start_ns, dur = t.dur_ns;
		return byStart(list, start, i => start[i] + dur[i]);
	}), starts = sources.map(s => s[0].start_ns), durs = sources.map(s => s[0].dur_ns), next = lists.map(() => 0);
	const open = [], rowsOf = [], endOf = (s, i) => starts[s][i] + (durs[s][i] || 0);
	for (;;) {
		let s = -1, start = Infinity, end = 0;
		for (let k = 0; k < lists.length; k++) {
			if (next[k] >= lists[k].length)
				continue;
			const i = lists[k][next[k]], from = starts[k][i];
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
	const starts = sources.map(s => s[0].start_ns), durs = sources.map(s => s[0].dur_ns), shades = sources.map(s => s[2] === 'range' ? 5 : 2);
	for (let k = 0; k < n; k++) {
		lane.start[k] = starts[from[k]][at[k]];
		lane.end[k] = lane.start[k] + (durs[from[k]][at[k]] || 0);
		lane.shades[k] = shades[from[k]];
		for (const s of sums)
			s.sum[k + 1] = s.sum[k] + (s.shade === lane.shades[k] ? lane.end[k] - lane.start[k] : 0);
	}
	lane.sums = sums;
	return lane;
}

async function threadLanes(work) {
	const span = ['start_ns', 'dur_ns', 'pid', 'tid'];
	const [inst, nest, ranges, call, op] = await Promise.all([table('inst', [...span, 'op_id', 'op']), table('nest', [...span, 'text']), table('range', [...span, 'text']),
		table('call', [...span, 'tag', 'api', 'name', 'kind']), table('op', ['op_id', 'name'])]);
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

function shadeOfGap(col) {
	const shades = col.d.map(name => 10 + Math.max(0, Object.keys(gapMeanings).indexOf(name)));
	return i => shades[col.v[i]] || 10;
}

// All lanes, made once for a source.
const lanesMade = new Map();

// soon: called with the lanes of the GPUs, while those of threads are made.
async function allLanes(soon) {
	if (lanesMade.has(source))
		return lanesMade.get(source);
	const work = await workFor(['dev', 'stream', 'pid', 'tid', 'start_ns', 'id', 'short', 'kind', 'tc', 'api', 'api_start_ns', 'api_dur_ns']);
	const gap = await table('gap', ['dev', 'class', 'start_ns', 'dur_ns']), mem = await table('mem'), out = [];
	if (steps.length > 0)
		out.push({ label: 'steps', kind: 'step', n: steps.length, start: Float64Array.from(steps, s => s.start_ns), end: Float64Array.from(steps, s => s.start_ns + (s.step_ns || s.dur_ns || 0)),
			shades: null, sums: null, name: k => String(steps[k].iter) });
	const gpu = gpuLanes(work), idle = rowsBy(gap.n, gap.start_ns, gap.dev), used = rowsBy(mem.n, mem.start_ns, mem.dev, mem.space.v);
	for (const dev of new Set([...gpu.map(l => l.dev), ...[...idle.keys()].map(Number)])) {
		out.push(...gpu.filter(l => l.dev === dev));
		if (idle.has(String(dev)))
			out.push(makeLane('GPU ' + dev + ' idle, by reason', 'gap', gap, idle.get(String(dev)), gap.start_ns, gap.dur_ns, i => text(gap.class, i), shadeOfGap(gap.class)));
		for (const [k, list] of used)
			if (k.split('\n')[0] === String(dev) && mem.space.d[k.split('\n')[1]] === 'device') {
				const at = byStart(list, mem.start_ns, i => mem.start_ns[i]).filter(i => !Number.isNaN(mem.used_bytes[i]));
				out.push({ label: 'GPU ' + dev + ' memory', kind: 'memory', n: at.length, at, t: mem, start: Float64Array.from(at, i => mem.start_ns[i]),
					most: at.reduce((m, i) => Math.max(m, mem.used_bytes[i]), 1), name: k => bytes(mem.used_bytes[at[k]]) });
			}
	}
	await soon(out.filter(l => l.n > 0));
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
