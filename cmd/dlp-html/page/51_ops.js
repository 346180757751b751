// Ops and Kernels: sums of GPU work by group, as dlp top prints them.
const groupings = {
	op: { cols: ['op.name', 'dir'], labels: ['op', 'direction'] },
	type: { cols: ['op', 'dir'], labels: ['type', 'direction'] },
	shape: { cols: ['op', 'dir', 'op.shapes'], labels: ['type', 'direction', 'sizes'] },
	layer: { cols: ['layer', 'dir'], labels: ['layer', 'direction'] },
	prim: { cols: ['prim', 'dir'], labels: ['primitive', 'direction'] },
	phase: { cols: ['phase'], labels: ['phase'] },
	stream: { cols: ['dev', 'stream'], labels: ['device', 'stream'] },
	device: { cols: ['dev'], labels: ['device'] },
	kernel: { cols: ['short', 'tc'], labels: ['kernel', tensorCores('Tensor Cores')] },
};

// As dlp-agg --optimizer: the optimizer is a direction of its own, except for its
// communication.
const directionsMade = new WeakMap();

function directions(t) {
	if (directionsMade.has(t))
		return directionsMade.get(t);
	const { d, v } = t.dir, phase = t.phase.v, comm = d.indexOf('comm'), optimizer = t.phase.d.indexOf('optimizer');
	const own = new (roomFor(d.length + 1))(v);
	for (let i = 0; optimizer >= 0 && i < v.length; i++)
		if (phase[i] === optimizer && (comm < 0 || v[i] !== comm))
			own[i] = d.length;
	directionsMade.set(t, { d: [...d, 'optimizer'], v: own });
	return directionsMade.get(t);
}

// The work with the columns that a view reads, and those of ops that a grouping asks for.
async function workFor(cols, ...more) {
	const t = hasSums() ? sumsOfAll() : await table('work', ['tag', 'dur_ns', 'iter', 'op_id', 'dir', 'phase', ...cols, ...more]), own = Object.create(t);
	Object.defineProperty(own, 'dir', { value: directions(t) });
	for (const c of cols)
		if (c.startsWith('op.'))
			Object.defineProperty(own, c, { value: await ofOp(t, c.slice(3)) });
	return own;
}

function kernelsOnly(t, list) {
	return rowsWith(list, t.tag.v, t.tag.d.indexOf('kern'));
}

// For each group: time on Tensor Cores, time of kernels, and the reason why not.
function addTensorCores(t, list, groups) {
	const n = groups.length, words = t.tc_why.d.length + 1, sum = new Float64Array(n), onTc = new Float64Array(n), reasons = new Float64Array(n * words);
	const tag = t.tag.v, kern = t.tag.d.indexOf('kern'), tc = t.tc.v, yes = t.tc.d.indexOf('yes'), why = t.tc_why.v, dur = t.dur_ns, of = groups.of;
	for (let j = 0; j < list.length; j++) {
		const i = list[j], d = dur[i], at = of[j];
		if (tag[i] !== kern || d !== d)	// NaN
			continue;
		sum[at] += d;
		if (yes >= 0 && tc[i] === yes)
			onTc[at] += d;
		reasons[at * words + why[i] + 1] += d;
	}
	groups.made.forEach((g, at) => {
		const mine = t.tc_why.d.map((name, k) => ({ name, ns: reasons[at * words + k + 1] })).filter(w => w.ns > 0);
		Object.assign(g, { kern: sum[at], tc: onTc[at], why: mine.sort((a, b) => b.ns - a.ns).map(w => w.name).join(' ') || null });
	});
}

function sumColumns(labels, total, n) {
	return [...labels.map((label, k) => ({ label, get: g => g.key[k] })),
		{ label: 'time', name: 'sum_dur_ns', num: true, unit: 'ns', get: g => g.sum, show: ns },
		{ label: '% of GPU work', name: 'dur_pct', num: true, get: g => share(g.sum, total), show: percent, part: true },
		{ label: 'count', name: 'n', num: true, get: g => g.n, show: count },
		{ label: 'mean', name: 'mean_dur_ns', num: true, unit: 'ns', get: g => g.sum / g.n, show: ns },
		{ label: 'longest', name: 'max_dur_ns', num: true, unit: 'ns', get: g => Number.isFinite(g.max) ? g.max : null, show: ns },
		...(n > 0 ? [{ label: 'per step', num: true, unit: 'ns', get: g => g.sum / n, show: ns }] : [])];
}

const tcColumns = [
	{ label: tensorCores('% Tensor Cores'), num: true, get: g => share(g.tc, g.kern), show: percent,
		title: 'of the time of its kernels' },
	{ label: 'why not, or slowly', get: g => g.why, title: 'column tc_why, see dlp-tc(1)' }];

function filterField(what) {
	return el('p', { class: 'bar' }, el('label', null, 'filter ', el('input', { type: 'search', id: 'filter', value: state.f || '',
		size: 30, onchange: e => go({ f: e.target.value, r: '' }) })), el('span', { class: 'quiet' }, what));
}

const picker = (list, by) => el('p', { class: 'bar' }, el('label', null, 'group by ',
    el('select', { id: 'by', onchange: e => go({ g: e.target.value, r: '' }) },
	...list.map(g => el('option', { value: g, selected: g === by }, g)))));

// One group: its kernels, and its runs.
async function detail(t, list, name) {
	name = bare(name);
	await table('work', ['short', 'kind', 'tc', 'id', 'start_ns', 'stream', 'grid', 'block', 'regs', 'api_start_ns', 'layer', 'line']);
	const kernels = groupBy(t, list, ['short', 'kind', 'tc'], t.dur_ns);
	for (const g of kernels)
		g.key[0] = g.key[0] || (text(t.tag, g.first) === 'copy' ? 'Memcpy ' + g.key[1] : 'Memset');
	const cols = [{ label: 'kernel', get: g => g.key[0] }, { label: tensorCores('Tensor Cores'), get: g => g.key[2] },
		...sumColumns([], kernels.reduce((s, g) => s + g.sum, 0), 0)];
	const runs = [...list].map(i => ({ i }));
	const col = (label, c, show, unit) => ({ label, name: c, num: !t[c].d, unit,
		get: r => t[c].d ? text(t[c], r.i) : (Number.isNaN(t[c][r.i]) ? null : t[c][r.i]), show });
	const time = (v, r) => clock(v, t.iter[r.i]);
	const at = (...args) => timed() ? [col(...args)] : [];
	const runCols = [col('kernel', 'short'), col('step', 'iter'), ...at('start', 'start_ns', time, 'ns'),
		col('time', 'dur_ns', ns, 'ns'), col('stream', 'stream'), col('grid', 'grid'), col('block', 'block'),
		col('registers', 'regs'), ...at('launched', 'api_start_ns', time, 'ns'), col('layer', 'layer'), col('line', 'line')];
	return el('section', { id: 'detail' }, el('h2', { tabindex: -1 }, name),
	    el('p', null, el('button', { type: 'button', onclick: () => go({ r: '' }) }, 'close')),
	    dataTable(cols, kernels, { caption: 'Kernels of ' + name, room: 28 }), el('h3', null, 'Runs'),
	    dataTable(runCols, runs, { caption: 'Runs of ' + name, room: 28, sort: timed() ? 3 : 2, onRow: timed() ?
		r => go({ v: 'timeline', t: String(t.id[r.i]) }) : null }));
}

// Runs of ops as dlp ops has them: DLProf's times. Work of no run is a run itself.
async function runsOfOps(t, list, f) {
	const inst = Object.create(await table('inst', ['op_id', 'dir', 'phase', 'iter', 'n_gpu', 'gpu_ns', 'dur_ns', 'overhead_ns', 'idle_ns'])), name = await ofOp(inst, 'name'), at = new Map(), out = [];
	Object.defineProperty(inst, 'dir', { value: directions(Object.getPrototypeOf(inst)) });
	// runs and work have the same names by number, but not the same directions
	const of = [...new Set([null, ...inst.dir.d, ...t.dir.d])];
	const group = (name, dir, i) => {
		const op = name.v[i], key = dir.v[i] < 0 ? null : dir.d[dir.v[i]], k = op * 64 + of.indexOf(key);
		if (!at.has(k))
			out.push(at.set(k, { op: text(name, i), dir: key, n: 0, n_gpu: 0, gpu: 0, cpu: null, overhead: null, idle: null }).get(k));
		return at.get(k);
	};
	const add = (g, c, v) => { if (!Number.isNaN(v)) g[c] = (g[c] || 0) + v; };
	for (const i of rowsInRange(inst)) {
		const g = group(name, inst.dir, i);
		g.n++;
		g.n_gpu += inst.n_gpu[i] > 0;
		add(g, 'gpu', inst.gpu_ns[i]);
		add(g, 'cpu', inst.dur_ns[i]);
		add(g, 'overhead', inst.overhead_ns[i]);
		add(g, 'idle', inst.idle_ns[i]);
	}
	for (const i of list)
		if (Number.isNaN(t.inst_id[i])) {
			const g = group(t['op.name'], t.dir, i);
			g.n++;
			g.n_gpu++;
			add(g, 'gpu', t.dur_ns[i]);
		}
	// runs have no other columns
	const own = { ...f, where: f.where.filter(w => w[0] === 'dir') }, other = f.where.filter(w => w[0] !== 'dir').map(w => w[0]);
	const shown = out.filter(g => g.gpu >= f.more && own.where.every(w => plain(g.dir).toLowerCase() === w[1]) &&
	    f.words.every(w => (plain(g.op) + ' ' + plain(g.dir)).toLowerCase().includes(w)));
	const time = (label, c, name, title) => ({ label, name, num: true, unit: 'ns', get: g => g[c], show: ns, title });
	return [el('h3', null, 'Runs on the CPU and the GPU'), el('p', { class: 'quiet' }, 'The four times of DLProf: GPU, CPU, overhead (CPU time outside of API calls), and idle time of the GPU inside a run.' +
	    (other.length > 0 ? ' These are not filtered by ' + other.join(', ') + ', which a run does not have.' : '')),
		dataTable([{ label: 'op', get: g => g.op }, { label: 'direction', name: 'dir', get: g => g.dir }, { label: 'runs', name: 'n_run', num: true, get: g => g.n, show: count },
			{ label: 'with GPU work', name: 'n_gpu_run', num: true, get: g => g.n_gpu, show: count }, time('GPU', 'gpu', 'gpu_ns'),
			{ label: 'mean GPU', name: 'mean_gpu_ns', num: true, unit: 'ns', get: g => g.n_gpu > 0 ? g.gpu / g.n_gpu : null, show: ns }, time('CPU', 'cpu', 'cpu_ns'), time('overhead', 'overhead', 'overhead_ns'), time('idle', 'idle', 'idle_ns')],
		shown, { caption: 'Runs of ops', sort: 4 }), report(['ops', '-n', '0'], awkFilter(own, ['op', 'dir'], 'gpu_ns'))];
}

async function sumsView(by, only, intro, pick) {
	const how = groupings[by], f = parseFilter(state.f || ''), t = await workFor(how.cols, 'tc', 'tc_why', 'inst_id', ...f.where.map(w => w[0]));
	const all = only(t, rowsInRange(t)), list = filterRows(t, all, f), dur = t.dur_ns;
	const total = all.reduce((s, i) => s + (Number.isNaN(dur[i]) ? 0 : dur[i]), 0);
	const groups = groupBy(t, list, how.cols, t.dur_ns);
	addTensorCores(t, list, groups);
	const shown = filterGroups(groups, f);
	const open = g => go({ r: g === opened ? '' : of(g) });
	const of = g => g.key.map(k => k === null ? '' : k).join('\n'), opened = state.r && !t.sums ? groups.find(x => of(x) === state.r) : null;
	const unknown = t.sums ? f.where.map(w => w[0]).filter(c => !(c in meta.sums)) : [];
	if (unknown.length > 0)
		return [el('p', null, 'The sums of all are not by ' + unknown.join(', ') + '. Choose a step with details to filter by that.'), pick, filterField('')];
	const sums = [dataTable([...sumColumns(how.labels, total, range === null ? 0 : stepsInRange().length),
		...(by === 'kernel' ? [] : tcColumns)], shown, { caption: 'GPU work by ' + by, onRow: t.sums ? null : open, sort: how.cols.length, few: opened ? how.cols.length + 2 : undefined, room: opened ? 34 : 60, look: g => g === opened ? 'chosen' : null }),
	...filteredReport('top', by, f, 'sum_dur_ns')];
	const out = [el('p', null, intro + ' 100 % is ' + ns(total) + ' of GPU work.'),
		el('div', { class: 'bar' }, pick, filterField('words, or tc=no, dir=backward, why=fp32, phase=forward, >1ms')),
		...(opened ? [el('div', { class: 'pair' }, el('div', null, ...sums), await detail(t, list.filter((i, j) => groups.at(j) === opened), opened.key.filter(isSet).map(dirWord).join(', ')))] : sums)];
	if (state.r && !t.sums && !opened)
		out.push(el('p', null, 'The chosen row has no work in these steps.'));
	if (by === 'op' && !t.sums && timed())
		out.push(...await runsOfOps(t, all, f));
	return out;
}

views.ops = {
	label: 'Ops',
	ofWork: true,
	detail: 'sums',
	show() {
		const by = groupings[state.g] && state.g !== 'kernel' ? state.g : 'op';
		return sumsView(by, (t, list) => list, 'GPU work of ops: kernels, copies, memory sets and whole graphs. A row opens its kernels and runs.',
		    picker(Object.keys(groupings).filter(g => g !== 'kernel'), by));
	}
};

views.kernels = {
	label: 'Kernels',
	ofWork: true,
	detail: 'sums',
	show: () => sumsView('kernel', kernelsOnly, tensorCores('Kernels by name, and whether they use Tensor Cores. A row opens its runs.'), null)
};
