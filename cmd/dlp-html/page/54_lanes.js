// The lanes of the timeline: { kind, n }, and what tells them apart: src, dev, stream, pid,
// tid, row. Those of several ranks are on one clock; a rank's own is shift behind it. A lane with rows has pieces sorted by their start, and looks at the tables for
// each, so that drawing costs only what a pixel shows: start(k), length(k), end(k),
// shade(k), name(k), at (numbers of rows, or null), sums. A lane of many pieces has fill:
// how full it is, by shade, in equal parts of its time.
const laneShades = ['tc', 'kern', 'graph', 'comm', 'mem', 'idle', 'call', 'wait'];

// Ops of threads have the color of what they do, ranges that of their layer.
const opClasses = [['product', 'products', /linear|mm$|matmul|conv|gemm|einsum/], ['attention', 'attention', /attention|sdpa|flash/], ['norm', 'norms', /norm/], ['loss', 'loss, reductions', /loss|softmax|^sum|mean|max|argm/],
	['update', 'optimizer', /adam|sgd|optim|foreach|clip_grad/], ['data', 'data in other places', /copy|^to$|cat|clone|contiguous|index|embedding|gather|scatter|transpose|permute|fill|zero|empty/], ['other', 'other ops', /./]];
const opShade = s => 40 + (s === null ? opClasses.length - 1 : opClasses.findIndex(c => c[2].test(s.toLowerCase())));
const rangeTints = 5;

function rangeShade(s) {
	let h = 7;
	for (const c of (s || '').replace(/^nn\.Module: /, '').replace(/[_ .]*\d+$/, ''))
		h = (h * 31 + c.charCodeAt(0)) % 9973;
	return 60 + h % rangeTints;
}

const moved = (start, shift) => shift ? Float64Array.from(start, v => v + shift) : start;

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

// Sums of lengths by shade, up to each of these many pieces; and the longest of each.
const sumEvery = 1 << 5;

const sumsFor = (of, shade, n) => of[shade] || (of[shade] = new Float64Array(Math.ceil(n / sumEvery) + 1));

// of: by shade, the sums of each of these many pieces, and top, the longest of them.
function finishLane(lane, of, top, last) {
	lane.end = k => lane.start(k) + lane.length(k);
	lane.top = top;
	lane.last = last;
	lane.sums = Object.keys(of).map(s => ({ shade: Number(s), sum: of[s] }));
	lane.slots = of.map((x, s) => lane.sums.findIndex(y => y.shade === s));
	for (const { sum } of lane.sums)
		for (let b = 1; b < sum.length; b++)
			sum[b] += sum[b - 1];
	if (lane.n > 20000)
		fillLane(lane);
	return lane;
}

// A picture of all asks for no piece: the time of each shade up to each part, and pieces
// that are longer than two of these.
const fillParts = 4096;

function fillLane(lane) {
	const { from, wide } = Object.assign(lane, { from: lane.start(0), wide: (lane.last - lane.start(0)) / fillParts + 1, fill: [], long: [] });
	for (let k = 0; k < lane.n; k++) {
		const shade = lane.shade(k), sum = lane.fill[shade] || (lane.fill[shade] = new Float64Array(fillParts + 1));
		let at = (lane.start(k) - from) / wide, left = lane.length(k);
		if (left > 2 * wide)
			lane.long.push(k);
		for (let part; left > 0; left -= part, at = Math.floor(at) + 1) {
			part = Math.min(left, (Math.floor(at) + 1 - at) * wide);
			sum[Math.min(fillParts - 1, Math.floor(at)) + 1] += part;
		}
	}
	for (const sum of lane.fill.filter(s => s))
		for (let k = 0; k < fillParts; k++)
			sum[k + 1] += sum[k];
}

// The sums before piece k.
function sumsTo(lane, k) {
	const block = Math.floor(k / sumEvery), out = lane.sums.map(s => s.sum[block]);
	for (let i = block * sumEvery; i < k; i++)
		out[lane.slots[lane.shade(i)]] += lane.length(i);
	return out;
}

// The first piece from k on, before end, that is this long; or end.
function nextLong(lane, k, end, least) {
	while (k < end)
		if ((k & (sumEvery - 1)) === 0 && lane.top[k >> 5] < least)
			k += sumEvery;
		else if (lane.length(k) >= least)
			return k;
		else
			k++;
	return end;
}

// of: the members that tell lanes apart.
async function makeLane(of, kind, t, list, own, length, name, shades, only = 6) {
	const start = moved(own, of.shift), at = byStart(list, start, length);
	const n = at.length, sums = [], top = new Float64Array(Math.ceil(n / sumEvery));
	let last = -Infinity;
	await inTurns(n, k => {
		const i = at[k], d = length[i] || 0;
		sumsFor(sums, shades ? shades[i] : only, n)[(k >> 5) + 1] += d;
		if (d > top[k >> 5])
			top[k >> 5] = d;
		last = Math.max(last, start[i] + d);
	});
	return finishLane({ ...of, kind, t, n, at, start: k => start[at[k]], length: k => length[at[k]] || 0,
		shade: shades ? k => shades[at[k]] : () => only, name: k => name(at[k]) }, sums, top, last);
}

// f of each number below n, with pauses.
async function inTurns(n, f) {
	const some = (from, to) => {
		for (let i = from; i < to; i++)
			f(i);
	};
	for (let i = 0; i < n; i += 8192) {
		if (isLate())
			await breathe();
		some(i, Math.min(n, i + 8192));
	}
}

// Rows by the values of some columns (arrays of numbers), those without a start left
// out: a Map from the values as text to the numbers of the rows.
async function rowsBy(n, start, ...keys) {
	const of = new Int32Array(n), groups = new Map(), sizes = [], names = [], [a, b = a, c = a] = keys;
	const near = [], same = (x, y) => x === y || x !== x && y !== y;	// the first groups, which hold most rows
	const look = i => {
		if (start[i] !== start[i]) {	// NaN
			of[i] = -1;
			return;
		}
		const u = a[i], v = b[i], w = c[i];
		let is = 0;
		while (is < near.length && !(same(near[is].u, u) && same(near[is].v, v) && same(near[is].w, w)))
			is++;
		if (is === near.length) {
			const name = keys.length === 1 ? String(u) : keys.length === 2 ? u + '\n' + v : u + '\n' + v + '\n' + w;
			if (!groups.has(name)) {
				groups.set(name, names.push(name) - 1);
				sizes.push(0);
				if (near.length < 8)
					near.push({ u, v, w });
			}
			is = groups.get(name);
		}
		of[i] = is;
		sizes[is]++;
	};
	await inTurns(n, look);
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

async function gpuLanes(t, who) {
	const out = [], shades = shadesOfWork(t);
	for (const [k, list] of await rowsBy(t.n, t.start_ns, t.dev, t.stream, t.pid)) {
		const [dev, stream, pid] = k.split('\n').map(Number);
		out.push(await makeLane({ ...who, lane: 'gpu', dev, stream, pid }, 'work', t, list, t.start_ns, t.dur_ns, i => workName(t, i), shades));
	}
	return out;
}

// Pieces that lie inside one another stand in rows below one another. A piece is a row
// of one of the sources, whose rows are merged by their start.
async function nestedLanes(of, sources) {
	const lists = sources.map(([t, list]) => byStart(list, t.start_ns, t.dur_ns)), n = lists.reduce((sum, l) => sum + l.length, 0);
	const starts = sources.map(s => s[0].start_ns), durs = sources.map(s => s[0].dur_ns), next = lists.map(() => 0);
	const from = new Uint8Array(n), at = new Int32Array(n), rows = new Uint8Array(n), sizes = [], open = [];
	const heads = lists.map((l, s) => starts[s][l[0]]), endOf = s => heads[s] + (durs[s][lists[s][next[s]]] || 0);
	for (let j = 0; j < n; j++) {
		if ((j & 8191) === 0 && isLate())
			await breathe();
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
	const out = [];
	for (const [row, { from, at }] of made.entries())
		out.push(await nestedLane({ ...of, row }, sources, from, at));
	return out;
}

async function nestedLane(lane, sources, from, at) {
	const starts = sources.map(s => moved(s[0].start_ns, lane.shift)), durs = sources.map(s => s[0].dur_ns), shades = sources.map(s => s[4]);
	const n = at.length, of = [], top = new Float64Array(Math.ceil(n / sumEvery));
	let last = -Infinity;
	for (let k = 0; k < n; k++) {
		if ((k & 8191) === 0 && isLate())
			await breathe();
		const s = from[k], d = durs[s][at[k]] || 0;
		sumsFor(of, shades[s](at[k]), n)[(k >> 5) + 1] += d;
		if (d > top[k >> 5])
			top[k >> 5] = d;
		last = Math.max(last, starts[s][at[k]] + d);
	}
	return finishLane({ ...lane, kind: 'nested', n, start: k => starts[from[k]][at[k]], length: k => durs[from[k]][at[k]] || 0, shade: k => shades[from[k]](at[k]),
		name: k => sources[from[k]][3](at[k]), piece: k => ({ t: sources[from[k]][0], i: at[k], kind: sources[from[k]][2] }) }, of, top, last);
}

// A shade for each text of a column, and of rows.
function shadesOfTexts(col, of) {
	const shades = col.d.map(of), none = of(null);
	return i => col.v[i] < 0 ? none : shades[col.v[i]];
}

async function threadLanes(work, who) {
	const span = ['start_ns', 'dur_ns', 'pid', 'tid'], of = who.run;
	const [inst, nest, ranges, call, op] = await Promise.all([table('inst', [...span, 'op'], of), table('nest', [...span, 'text'], of), table('range', [...span, 'text'], of),
		table('call', [...span, 'tag'], of), table('op', ['op_id', 'name'], of)]);
	const opAt = new Map(), out = [];
	for (let i = 0; i < op.n; i++)
		opAt.set(op.op_id[i], i);
	const nameOfRun = i => opAt.has(inst.op_id[i]) ? text(op.name, opAt.get(inst.op_id[i])) : text(inst.op, i);
	const kinds = [[inst, 'inst', nameOfRun, shadesOfTexts(inst.op, opShade)], [nest, 'nest', i => bare(text(nest.text, i)), shadesOfTexts(nest.text, opShade)],
		[ranges, 'range', i => bare(text(ranges.text, i)), shadesOfTexts(ranges.text, rangeShade)]], by = [];
	for (const [t] of kinds)
		by.push(await rowsBy(t.n, t.start_ns, t.pid, t.tid));
	const os = call.tag.d.indexOf('os'), launched = await rowsBy(work.n, work.api_start_ns, work.pid, work.tid), thread = k => ({ ...who, pid: Number(k[0]), tid: Number(k[1]) });
	for (const k of new Set(by.flatMap(m => [...m.keys()])))
		out.push(...await nestedLanes({ lane: 'ranges', ...thread(k.split('\n')) }, kinds.map(([t, kind, name, shade], s) => [t, by[s].get(k), kind, name, shade]).filter(s => s[1])));
	for (const [k, list] of launched)
		out.push(await makeLane({ lane: 'launch', ...thread(k.split('\n')) }, 'launch', work, list, work.api_start_ns, work.api_dur_ns, i => text(work.api, i) || 'launch', null));
	for (const [k, list] of await rowsBy(call.n, call.start_ns, call.tag.v.map(x => x === os ? 1 : 0), call.pid, call.tid))
		out.push(await makeLane({ lane: k[0] === '1' ? 'wait' : 'call', ...thread(k.split('\n').slice(1)) }, 'call', call, list, call.start_ns, call.dur_ns,
			i => text(call.api, i) || text(call.name, i) || text(call.kind, i) || text(call.tag, i), null, k[0] === '1' ? 7 : 6));
	return out;
}

// What names of pieces are made of is unpacked when they are first asked for.
const nameColumns = { work: ['short', 'kind', 'api', 'id', 'op', 'dir', 'layer', 'iter', 'inst_id', 'line', 'code'], inst: ['op_id', 'op', 'inst_id', 'layer', 'iter'], nest: ['text'], range: ['text', 'iter'], call: ['api', 'name', 'kind', 'iter'] };
const namesRead = new Set();	// of these sources

async function readNames() {
	for (const of of shownSources())
		if (!namesRead.has(of)) {
			await Promise.all(Object.keys(nameColumns).map(t => table(t, nameColumns[t], of)));
			namesRead.add(of);
		}
}

// All ranks stand in one timeline; of two profiles one is shown.
const shownSources = () => ranks.length > 1 ? ranks : [source];

function shadesOfGaps(col) {
	const shades = col.d.map(name => 10 + Math.max(0, Object.keys(gapMeanings).indexOf(name)));
	const v = col.v, of = new Uint8Array(v.length);
	for (let i = 0; i < v.length; i++)
		of[i] = v[i] < 0 ? 10 : shades[v[i]];
	return of;
}

// The critical path. A row without a start begins where the one before ends.
async function criticalPath(of) {
	const t = await table('path', ['start_ns', 'dur_ns', 'iter', 'kind', 'op', 'n_seg'], of), dur = t.dur_ns;
	const start = t.start_ns instanceof Float64Array ? t.start_ns : Float64Array.from(t.start_ns);
	for (let i = 1; i < t.n; i++)
		if (start[i] !== start[i])	// NaN
			start[i] = start[i - 1] + dur[i - 1];
	return Object.create(t, { start_ns: { value: start } });
}

const pathShades = { cpu: 6, launch: 7, kernel: 1, copy: 4, set: 4, graph: 2, comm_exposed: 3, comm_blocking: 3 };

function pathLane(t, who) {
	const of = t.kind.d.map(k => pathShades[k] || 5), kind = t.kind.v, all = new Int32Array(t.n), shades = new Uint8Array(t.n);
	for (let i = 0; i < t.n; i++) {
		all[i] = i;
		shades[i] = of[kind[i]];
	}
	return makeLane({ ...who, lane: 'path' }, 'path', t, all, t.start_ns, t.dur_ns, i => [text(t.op, i), text(t.kind, i)].filter(isSet).join(' '), shades);
}

const stepLane = (who, list = stepPieces(who.run)) => makeLane({ ...who, lane: 'step' }, 'step', null, list.map((s, i) => i), list.map(s => s.from), list.map(s => s.to - s.from), i => String(list[i].iter), null, 5);

async function memoryLanes(who) {
	const mem = await table('mem', ['dev', 'space', 'start_ns', 'used_bytes'], who.run), out = [], start = moved(mem.start_ns, who.shift);
	for (const [k, list] of await rowsBy(mem.n, mem.start_ns, mem.dev, mem.space.v)) {
		const [dev, space] = k.split('\n').map(Number);
		if (mem.space.d[space] !== 'device')
			continue;
		const at = byStart(list, mem.start_ns, mem.start_ns).filter(i => !Number.isNaN(mem.used_bytes[i]));
		out.push({ ...who, lane: 'memory', dev, kind: 'memory', n: at.length, at, t: mem, start: k => start[at[k]],
			most: at.reduce((m, i) => Math.max(m, mem.used_bytes[i]), 1), name: k => bytes(mem.used_bytes[at[k]]) });
	}
	return out;
}

const withNumber = (name, tid) => name.split(/\W+/).includes(tid) ? name : name + ' ' + tid;

// The lanes of a source in their order, with labels: threads that launch and do the most
// come first. A rank's begin with its name.
function arranged(list, who) {
	const lanes = list.filter(l => l.n > 0), places = ['step', 'path', 'gpu', 'idle', 'memory', 'ranges', 'launch', 'call', 'wait'], weights = new Map();
	const procs = new Set(lanes.filter(l => l.lane === 'gpu').map(l => l.pid)), names = new Map(rows('thread', who.run).map(x => [x.pid + '\n' + x.tid, x.name]));
	const threadOf = l => l.pid + '\n' + l.tid, place = l => places.indexOf(l.lane), group = l => Math.min(2, place(l)) + (place(l) > 4);
	for (const l of lanes)
		weights.set(threadOf(l), (weights.get(threadOf(l)) || 0) + (l.lane === 'launch' ? 10 * l.n : l.lane === 'ranges' ? l.n : 0));
	const byThread = (a, b) => weights.get(threadOf(b)) - weights.get(threadOf(a)) || (threadOf(a) < threadOf(b) ? -1 : threadOf(a) > threadOf(b) ? 1 : 0);
	lanes.sort((a, b) => group(a) - group(b) || (group(a) === 2 ? a.dev - b.dev : group(a) === 3 ? byThread(a, b) : 0) || place(a) - place(b) ||
		(a.lane === 'gpu' ? b.n - a.n : 0) || (a.row || 0) - (b.row || 0));
	for (const l of lanes) {
		const thread = group(l) < 3 ? '' : Number.isNaN(l.tid) ? 'no thread' : withNumber(names.get(threadOf(l)) || 'thread', String(l.tid)), gpu = 'GPU ' + l.dev;
		l.label = { step: 'steps', path: 'critical path', gpu: gpu + (isSet(l.stream) ? ' stream ' + l.stream : '') + (procs.size > 1 ? ' of ' + l.pid : ''), idle: gpu + ' idle, by reason', memory: gpu + ' memory',
			ranges: l.row > 0 ? '' : thread + ': ranges, ops', launch: thread + ': launches', call: thread + ': API calls', wait: thread + ': waits of the OS' }[l.lane];
		l.rank = who.name;
		l.label = who.name + l.label;
	}
	return lanes;
}

// Who the lanes of a source belong to.
function whose(src) {
	const rank = ranks.length > 1 ? wholeRows('rank').find(r => Object.is(r.src, src)) : null;
	return { run: src, shift: shiftOf(src), name: rank ? 'rank ' + rank.rank + ' ' : '' };
}

// All lanes, made once for a source: those of the GPUs first, which a large page shows
// while the others are made.
const lanesMade = new Map(), gpusMade = new Map(), lanesDone = new Set();
const isLarge = () => Object.values(meta.tables).reduce((n, t) => n + t.rows, 0) > 2e5;

async function firstLanes() {
	const out = [];
	for (const src of shownSources())
		out.push(...lanesDone.has(src) || !isLarge() ? await lanesOf(src) : arranged(await gpuSide(whose(src)), whose(src)));
	return Object.assign(gpusFirst(out), { partial: shownSources().some(s => !lanesDone.has(s)) });
}

async function allLanes() {
	const out = [];
	for (const src of shownSources())
		out.push(...await lanesOf(src));
	return gpusFirst(out);
}

// What threads do stands below the GPUs of all ranks.
const isThread = l => ['ranges', 'launch', 'call', 'wait'].includes(l.lane);
const gpusFirst = list => [...list.filter(l => !isThread(l)), ...list.filter(isThread)];

function lanesOf(src) {
	if (!lanesMade.has(src))
		lanesMade.set(src, makeLanes(whose(src)));
	return lanesMade.get(src);
}

// The lanes that need no other tables than work and memory.
function gpuSide(who) {
	const make = async () => {
		const work = await table('work', ['tag', 'dir', 'dur_ns', 'dev', 'stream', 'pid', 'start_ns', 'tc'], who.run);
		return [await stepLane(who), ...await gpuLanes(work, who), ...await memoryLanes(who)];
	};
	if (!gpusMade.has(who.run))
		gpusMade.set(who.run, make());
	return gpusMade.get(who.run);
}

async function gapLanes(who) {
	const gap = await table('gap', ['dev', 'class', 'start_ns', 'dur_ns'], who.run), out = [];
	for (const [dev, list] of await rowsBy(gap.n, gap.start_ns, gap.dev))
		out.push(await makeLane({ ...who, lane: 'idle', dev: Number(dev) }, 'gap', gap, list, gap.start_ns, gap.dur_ns, i => text(gap.class, i), shadesOfGaps(gap.class)));
	return out;
}

async function makeLanes(who) {
	const of = sourceTurn, gpus = await gpuSide(who);
	const work = await table('work', ['tid', 'api_start_ns', 'api_dur_ns'], who.run), path = await criticalPath(who.run);
	const out = [...gpus, ...await gapLanes(who), await pathLane(path, who), ...await threadLanes(work, who)];
	if (of === sourceTurn || ranks.length > 1)
		lanesDone.add(who.run);
	else	// another one was chosen meanwhile
		lanesMade.delete(who.run);
	return arranged(out, who);
}

// The first of n numbers from i on, rising, that is more than v; it can be near i.
function after(n, number, v, i = 0) {
	let lo = i, hi = n;
	for (let far = 1; i > 0 && lo + far < n; far *= 2) {
		if (number(lo + far) > v) {
			hi = lo + far;
			break;
		}
		lo += far + 1;
	}
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (number(mid) <= v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
