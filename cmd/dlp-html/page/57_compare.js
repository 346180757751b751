// Compare: what became slower or faster since another run, as dlp diff matches it.
// dlp-html numbers the sections, of which the first is the profile.
const compareBy = ['op', 'type', 'layer', 'kernel', 'phase'], compareLabels = { op: 'op and sizes' };
const totalNames = ['step', 'busy', 'idle', 'work', 'tc'];

// Other steps than those of dlp diff A B are compared here, from the times of each step,
// as dlp-diff does it (diff_compare.c).
const leastChange = 0.01, quantiles = [12.706, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
	2.131, 2.120, 2.110, 2.101, 2.093, 2.086];	// of Student's t, 97.5 %
const rounded = (v, digits) => Math.round(v * 10 ** digits) / 10 ** digits;

// The cells of one grouping: steps of both sides, and cells by what they are and by row.
async function cellsOf(tag) {
	const t = await table('diffcell'), cells = { steps: [new Map(), new Map()], totals: { step: [], busy: [], work: [], tc: [] }, rows: new Map() };
	for (let i = 0; i < t.n; i++) {
		if (text(t.tag, i) !== tag)
			continue;
		const c = { side: text(t.side, i) === 'A' ? 0 : 1, at: t.run[i] + ' ' + t.iter[i], ns: t.dur_ns[i], calls: t.calls[i], tc: t.tc[i] }, what = text(t.what, i);
		if (what === 'step')
			cells.steps[c.side].set(c.at, { iter: t.iter[i], even: t.even[i] === 1 });
		if (what !== 'row')
			cells.totals[what].push(c);
		else if (cells.rows.has(t.row[i]))
			cells.rows.get(t.row[i]).cells.push(c);
		else
			cells.rows.set(t.row[i], { cells: [c], name: text(t.name, i), dir: text(t.dir, i), shapes: text(t.shapes, i), type: text(t.type, i) });
	}
	return cells;
}

// Mean and variance of the steps used, of a side's cells; of: what a step's value is.
function sumOfSide(list, side, used, total) {
	const v = new Float64Array(used[side].size), s = { any: total, n: v.length, calls: 0, tc: 0 };
	for (const c of list) {
		const at = c.side === side ? used[side].get(c.at) : undefined;
		if (at === undefined)
			continue;
		s.any = true;
		v[at] += c.ns;
		s.calls += c.calls;
		s.tc |= c.tc;
	}
	s.calls /= s.n;
	s.mean = v.reduce((a, b) => a + b, 0) / s.n;
	s.var = s.n > 1 ? v.reduce((a, x) => a + (x - s.mean) ** 2, 0) / (s.n - 1) : 0;
	return s;
}

const tcWord = tc => tc & 1 ? 'yes' : tc & 4 ? 'unknown' : tc & 2 ? 'no' : null;

// A row of the table from the sums of both sides.
function changeOf(facts, a, b, time) {
	const d = b.mean - a.mean, va = a.var / a.n, vb = b.var / b.n, df = (va + vb) ** 2 / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
	let noise = a.n < 2 || b.n < 2 ? null : va + vb <= 0 ? 0 : (df < quantiles.length ? quantiles[Math.floor(df)] : 1.96 + 2.5 / df) * Math.sqrt(va + vb);
	const floor = leastChange * Math.max(a.mean, b.mean), usual = Math.max(floor, noise === null ? 0 : 1.96 * Math.sqrt(va + vb));
	noise = noise === null ? null : Math.max(noise, floor);
	const change = !a.any ? 'new' : !b.any ? 'gone' : d === 0 ? 'same' : Math.abs(d) <= Math.max(floor, noise || 0) ? Math.abs(d) > usual ? 'few-steps' : 'noise' :
		d > 0 ? time ? 'slower' : 'more' : time ? 'faster' : 'less';
	const [x, y] = [tcWord(a.tc), tcWord(b.tc)];
	return { ...facts, a_ns: a.any ? rounded(a.mean, 1) : null, b_ns: b.any ? rounded(b.mean, 1) : null, diff_ns: rounded(d, 1), diff_pct: a.any && a.mean > 0 ? rounded(100 * d / a.mean, 2) : null,
		noise_ns: noise === null ? null : rounded(noise, 1), change, tc: x !== null && y !== null && x !== y ? x + '->' + y : x !== null ? x : y, a_n: a.any ? rounded(a.calls, 2) : null, b_n: b.any ? rounded(b.calls, 2) : null };
}

// Pairs of rows: by key, then those without a partner by name, then by type.
function pairsOf(cells, used, by) {
	const pairs = [], sidesOf = r => r.cells.reduce((m, c) => used[c.side].has(c.at) ? m | 1 << c.side : m, 0);
	let left = [];
	for (const r of cells.rows.values()) {
		const is = sidesOf(r);
		if (is === 3)
			pairs.push({ by: 'key', rows: [r] });
		else if (is !== 0)
			left.push(r);
	}
	for (const how of by === 'op' ? ['name', 'type'] : []) {
		const at = new Map();
		for (const r of left.filter(x => x[how] !== null)) {
			const key = r[how] + '\n' + r.dir;
			at.set(key, [...(at.get(key) || []), r]);
		}
		for (const rows of at.values())
			if (rows.reduce((m, r) => m | sidesOf(r), 0) === 3) {
				pairs.push({ by: how, rows });
				left = left.filter(r => !rows.includes(r));
			}
	}
	return [...pairs, ...left.map(r => ({ by: null, rows: [r] }))];
}

// The rows of dlp diff, of steps that use() chooses; null: a side has no such steps.
async function changesOf(tag, by, use) {
	const cells = await cellsOf(tag), used = cells.steps.map(m => new Map([...m].filter(([, s]) => use(s)).map(([at], k) => [at, k]))), out = [];
	if (used.some(u => u.size === 0))
		return null;
	const both = (list, total) => [0, 1].map(k => sumOfSide(list, k, used, total)), busy = new Map(cells.totals.busy.map(c => [c.side + c.at, c.ns]));
	const idle = cells.totals.step.map(c => ({ ...c, ns: Math.max(c.ns - (busy.get(c.side + c.at) || 0), 0) }));
	for (const [what, name, list] of [['step', 'step', cells.totals.step], ['busy', 'GPU busy', cells.totals.busy], ['idle', 'GPU idle', idle], ['work', 'GPU work', cells.totals.work], ['tc', 'TC work', cells.totals.tc]]) {
		const sums = both(list, true), steps = ['step', 'busy', 'idle'].includes(what);
		for (const s of steps ? sums : [])
			s.calls = s.n;
		if (what !== 'tc' || sums.some(s => s.mean > 0))
			out.push(changeOf({ tag, what, name }, ...sums, what === 'step'));
	}
	for (const p of pairsOf(cells, used, by)) {
		const r = p.rows[0], own = p.by === 'name' || p.by === 'type';
		out.push(changeOf({ tag, what: 'row', by: p.by, name: p.by === 'type' ? r.type : r.name, dir: r.dir, shapes: own ? null : r.shapes, type: r.type }, ...both(p.rows.flatMap(x => x.cells), false), true));
	}
	return out;
}

// Whose numbers: { words for dlp diff, use(step), text }; words null: those of the diff
// records, of the steady steps of each run.
async function stepsCompared() {
	const cells = await cellsOf('2'), inside = s => range === null || inRange(s.iter);
	const even = cells.steps.every(m => [...m.values()].every(s => s.even === inside(s)));
	if (cells.steps.some(m => m.size === 0) || (steps.length === 0 || (!even && evenSteps() && range !== null && rangeName(range) === rangeName(evenSteps()))))
		return { words: null, text: 'of the steady steps of each run.' };
	if (range === null)
		return { words: [...keyWords(), '-a'], use: () => true, text: 'of all steps of each run.' };
	return { words: rangeWords(), use: inside, text: 'of ' + stepsInWords(range) + ' of each run.' };
}

function changeColumns(labels, list = []) {
	const most = list.reduce((m, r) => Math.max(m, r.a_ns || 0, r.b_ns || 0), 0), bar = name => list.length > 0 ? { part: r => share(r[name], most) } : {};
	const times = v => Number.isInteger(v) ? plain(v) : number(v);
	const time = (label, name) => ({ label, name, num: true, unit: 'ns', get: r => r[name], show: ns, like: { get: r => r.a_ns } });
	return [...labels.map(name => ({ label: name === 'dir' ? 'direction' : name === 'shapes' ? 'sizes' : name, name, get: r => r[name] })),
		{ ...time('before', 'a_ns'), ...bar('a_ns') }, { ...time('after', 'b_ns'), ...bar('b_ns') }, { ...time('difference', 'diff_ns'), sign: true },
		{ label: '%', name: 'diff_pct', num: true, get: r => r.diff_pct, show: percent, sign: true },
		{ label: 'change', get: r => r.change }, time('noise', 'noise_ns'), { label: tensorCores('Tensor Cores'), name: 'tc', get: r => r.tc },
		{ label: 'count before', name: 'a_n', num: true, get: r => r.a_n, show: times },
		{ label: 'count after', name: 'b_n', num: true, get: r => r.b_n, show: times }];
}

// Of each step its time by class, as the strip has it; with several GPUs of all of them.
async function changesByClass(use) {
	const { steps: of } = await cellsOf('2'), used = of.map(m => new Map([...m].filter(([, s]) => use(s)).map(([at], k) => [at, k]))), classes = new Map();
	of.forEach((m, side) => {
		const run = side === 0 ? meta.before : meta.file, at = new Map([...m].map(([k, s]) => [s.iter, k])), left = new Map();
		const add = (name, shade, iter, v) => v > 0 && (classes.get(name) || classes.set(name, { shade, list: [] }).get(name)).list.push({ side, at: at.get(iter), ns: v, calls: 0, tc: 0 });
		for (const s of stepsOf(run)) {
			stripParts.slice(0, -1).forEach(p => add(classNames[p], p, s.iter, s[partColumn(p)]));
			left.set(s.iter, s.idle_ns || 0);
		}
		for (const r of rows('idle', run).filter(r => left.has(r.iter))) {
			add(idleName(r.class), gapColor(r.class), r.iter, r.ns);
			left.set(r.iter, left.get(r.iter) - r.ns);
		}
		left.forEach((v, iter) => add('idle, otherwise', 'idle', iter, v > 1000 ? v : 0));
	});
	return [...classes].map(([name, { shade, list }]) => changeOf({ name, shade }, ...[0, 1].map(k => sumOfSide(list, k, used, true)), true));
}

function changeSentence(step) {
	if (!step || !isSet(step.a_ns) || !isSet(step.b_ns))
		return 'How long a step takes is not known of both runs.';
	return 'A ' + (step.name || 'step') + ' took ' + ns(step.a_ns) + ' before and takes ' + ns(step.b_ns) + ' now: ' +
	    ({ noise: 'the difference can be chance', 'few-steps': 'there are too few steps to tell whether this is chance',
		same: 'no difference' }[step.change] || step.change) + '.';
}

// What can be chance is grey.
const look = r => ['noise', 'few-steps', 'same'].includes(r.change) ? 'quiet' : null;

// From A to B: a bar for each of the largest changes, from where the one before ends.
function waterfall(list, what) {
	const known = list.filter(r => isSet(r.diff_ns) && r.diff_ns !== 0).sort((a, b) => Math.abs(b.diff_ns) - Math.abs(a.diff_ns)), shown = known.slice(0, 8), rest = known.slice(8).reduce((s, r) => s + r.diff_ns, 0);
	if (known.length === 0)
		return [];
	const all = [...shown, ...(rest !== 0 ? [{ name: 'the other ' + (known.length - 8), diff_ns: rest, change: 'noise', rest: true }] : [])], base = list.reduce((s, r) => s + (r.a_ns || 0), 0), end = list.reduce((s, r) => s + (r.b_ns || 0), 0);
	const tall = 20, canvas = el('canvas', { class: 'large fall', role: 'img', 'aria-label': what + ', from ' + ns(base) + ' before to ' + ns(end) + ' now: ' + all.map(r => r.name + ' ' + (r.diff_ns > 0 ? '+' : '') + ns(r.diff_ns)).join(', ') + '. The table has the same numbers.' });
	canvas.style.height = (all.length + 2) * tall + 4 + 'px';
	const lines = [{ name: 'before', a: 0, b: base, ends: 'a_ns' }];
	let at = base;
	for (const r of all)
		lines.push({ name: [r.name, dirWord(r.dir)].filter(isSet).join(' '), a: at, b: at += r.diff_ns, r });
	lines.push({ name: 'now', a: 0, b: end, ends: 'b_ns' });
	const low = Math.min(...lines.map(l => l.ends ? l.b : Math.min(l.a, l.b))), high = Math.max(...lines.map(l => Math.max(l.a, l.b))), from = low > 0.5 * high ? low - 0.3 * (high - low) - 0.02 * high : 0;
	canvas.draw = () => {
		const { g, w } = canvasOf(canvas), left = w < 600 ? 120 : 240, x = v => left + Math.max(0, v - from) / (high - from) * (w - left - 90);
		lines.forEach((l, i) => {
			const y = i * tall + 2, a = x(Math.min(l.a, l.b)), b = x(Math.max(l.a, l.b)), sure = l.r && look(l.r) === null;
			clipText(g, bare(l.name), 0, y + 13, left - 8, true);
			g.fillStyle = color(l.ends ? 'kern' : !sure ? 'gap-sync' : l.r.diff_ns > 0 ? 'accent' : 'call');
			g.fillRect(a, y, Math.max(1, b - a), tall - 4);
			let upTo = 0;	// the whole steps by class, if that is what changes
			for (const r of l.ends ? list.filter(r => r.shade && r[l.ends] > 0) : []) {
				g.fillStyle = fillOf(g, r.shade);
				g.fillRect(x(upTo), y, x(upTo + r[l.ends]) - x(upTo), tall - 4);
				upTo += r[l.ends];
			}
			g.fillStyle = color('text');
			g.fillText(l.ends ? ns(l.b) : (l.r.diff_ns > 0 ? '+' : '') + ns(l.r.diff_ns), b + 5, y + 13);
		});
		if (from > 0)
			clipText(g, 'bars begin at ' + ns(from), left, (lines.length) * tall + 2, 300);
	};
	canvas.addEventListener('mousemove', e => {
		const l = lines[Math.floor(e.offsetY / tall)];
		tip(l ? e : null, l ? [bare(l.name), ...(l.r && !l.r.rest ? ['before ' + ns(l.r.a_ns), 'now ' + ns(l.r.b_ns), l.r.change + (isSet(l.r.noise_ns) ? ', noise ' + ns(l.r.noise_ns) : '')] : [])] : []);
	});
	canvas.addEventListener('mouseleave', () => tip(null));
	return [el('h3', null, what), canvas, el('p', { class: 'bar quiet small' }, ...[['c-accent', 'more time'], ['c-call', 'less time'], ['c-gap-after-sync', 'can be chance, or is the rest']].map(([c, name]) => el('span', { class: 'key' }, el('span', { class: 'swatch ' + c }), name)))];
}

if (isSet(meta.before) && meta.diff.rows > 0)
	views.compare = {
		label: 'Compare',
		async show() {
			const by = compareBy.includes(state.g) ? state.g : 'type', tag = String(2 + compareBy.indexOf(by)), how = await stepsCompared();
			const all = how.words === null ? rows('diff').filter(r => r.tag === tag) : await changesOf(tag, by, how.use), words = how.words || [];
			if (all === null)
				return [el('p', null, meta.before + ' has no such steps, so there is nothing to compare this run with. It has others: choose the whole profile, or steps that both have.'),
					command(['dlp', 'iters', ...keyWords(), meta.before])];
			const totals = all.filter(r => totalNames.includes(r.what)), f = parseFilter(state.f || '');
			const list = all.filter(r => !totals.includes(r) && f.where.every(([c, v]) => String(r[c]).toLowerCase() === v) &&
			    f.words.every(w => [r.name, r.dir, r.shapes].join(' ').toLowerCase().includes(w)));
			const labels = by === 'op' ? ['name', 'dir', 'shapes'] : by === 'kernel' || by === 'phase' ? ['name'] : ['name', 'dir'];
			const select = el('select', { id: 'by', onchange: e => go({ g: e.target.value }) },
			    ...compareBy.map(g => el('option', { value: g, selected: g === by }, compareLabels[g] || g)));
			// which steps the records count does not hold for others
			const said = how.words === null ? meta.said : meta.said.filter(s => !/^[AB], |^ops without a partner|^the \w+ takes .* longer/.test(s));
			return [el('p', null, 'This run against ' + meta.before + '. ' + changeSentence(totals[0]) + ' Times are means of a step, ' + how.text +
				(meta.tables.diffcell.left > 0 ? ' The page has no times of other steps, because they are more than it was made for (--max-pieces).' : '')),
				said.length > 0 ? el('ul', { class: 'quiet' }, ...said.map(s => el('li', null, s))) : '',
				...waterfall(await changesByClass(how.use || (s => s.even)), 'A step from before to now, by what the GPU does'), ...waterfall(all.filter(r => !totals.includes(r)), 'GPU work of a step from before to now, by ' + by), dataTable(changeColumns(['name']), totals, { caption: 'Totals of a step', look }),
				el('div', { class: 'bar' }, el('label', null, 'group by ', select), filterField('words, or change=slower, tc=no->yes')),
				dataTable(changeColumns(labels, list), list, { caption: 'Changes by ' + by, look }),
				command(['dlp', 'diff', ...(by === 'op' ? [] : ['-g', by]), ...(how.words === null ? keyWords() : words), meta.before, meta.file])];
		}
	};
