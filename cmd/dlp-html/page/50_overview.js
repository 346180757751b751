// Overview: what to do, and where the time goes.
const views = {};

// The link of a finding: "ops tc_why=fp32", "gaps class=launch-bound".
const viewOfReport = { ops: 'ops', top: 'ops', kernels: 'kernels', gaps: 'gaps', mem: 'memory',
	iters: 'steps', roofline: 'roofline', tc: 'kernels', flops: 'roofline' };

function linkOf(where) {
	if (!isSet(where))
		return null;
	const [report, ...terms] = where.split(' '), view = viewOfReport[report];
	if (where === 'ops dir=comm')
		return linkTo({ v: 'communication' }, 'show');
	const reason = view === 'gaps' ? /class=(\S+)/.exec(where) : null;
	if (reason && !rows('idle').some(r => r.class === reason[1]))
		return null;	// time of the CPU, in which no GPU waited
	return view && views[view] ? linkTo({ v: view, f: terms.join(' ') }, 'show') : null;
}

// "NAME: 12, 3.4 ms; ...", of long names both ends.
const evidenceText = s => s.split('; ').map(part => {
	const at = part.lastIndexOf(': '), name = at < 0 ? part : part.slice(0, at);
	return middle(name, 72) + part.slice(name.length);
}).join('; ');

// Milliseconds of a step in three digits: 42.1.
const digitsOf = v => String(Number((v / 1e6).toPrecision(3)));

// "42.1 -> 24 ms": what a step takes, and would take. Without a replay no less than without
// all of the time that the finding is about.
function gainOf(f) {
	const said = (from, to, best) => digitsOf(from) + ' -> ' + digitsOf(to) + ' ms' + best, recorded = ranks.length < 2 && about().info.step_recorded_ns || median(stepsOf(source).map(s => s.step_ns));
	const bare = f.step_ns ?? bareStep(fired());
	if (f.id === 'marker_cost' && isSet(recorded) && isSet(bare))	// the other ones begin without it
		return said(recorded, bare, '');
	if (isSet(f.predicted_step_ns) && isSet(f.step_ns))
		return said(f.step_ns, f.predicted_step_ns, '');
	const step = f.step_ns ?? recorded;
	return !isSet(f.share_pct) ? '' : isSet(step) ? said(step, step * (1 - f.share_pct / 100), ' at best') : percent(f.share_pct) + ' of the time';
}

const titleOf = f => titlesSaid[f.id] || plain(f.problem).split(/[:;,(]/)[0];

// The first thing to do, as the terminal has it; the rest is folded.
const firstAction = s => plain(s).split('; dlp ')[0];

// Findings about a part of the time of another one stand below that.
function findingItem(f) {
	const parts = fired().filter(p => p.part_of === f.id), action = firstAction(f.recommendation), at = action.indexOf('; '), first = at > 0 ? action.slice(0, at) : action;
	return el('li', null, el('h3', null, el('span', null, titleOf(f)), ' ', el('span', { class: 'gain', title: isSet(f.predicted_step_ns) ? 'a step now, and if this is mended (dlp whatif)' : 'a step now, and without all of the time that this is about: an upper bound' }, gainOf(f))),
	    el('p', null, first + ' ', linkOf(f.where)),
	    el('details', null, el('summary', null, 'why, and what else' + (parts.length > 0 ? '; about the same time: ' + parts.map(titleOf).join('; ') : '')),
		el('p', null, plain(f.problem) + '.'), first === f.recommendation ? null : el('p', null, plain(f.recommendation) + '.'),
		isSet(f.evidence) ? el('p', { class: 'quiet', title: f.evidence }, evidenceText(f.evidence)) : null,
		el('p', { class: 'quiet' }, f.id + (isSet(f.share_pct) ? ', ' + percent(f.share_pct) + ' of the time' : '') + (isSet(f.steps) ? ', judged of ' + stepWords(f.steps) : '')),
		parts.length > 0 ? el('ul', { class: 'findings' }, ...parts.map(findingItem)) : null));
}

// A step gains less than 2 %.
const isLittle = f => isSet(f.gain_ns) && 50 * f.gain_ns < f.step_ns;

const fired = () => rows('finding').filter(f => f.judged === 'yes');

// Steps as text: 1, or 1-2.
const stepWords = s => (s.includes('-') ? 'steps ' : 'step ') + s;

// The steps of which the rules were judged, and the command that does so.
const stepsJudged = () => rows('finding').map(f => f.steps).find(isSet) || null;
const areJudged = r => r !== null && stepsJudged() === stepsName(r);
// dlp advise judges the even steps, of several ranks each its own; with -i it cannot
// tell how much longer the others are. Of a .dict the overview has the findings.
const judgedWords = () => stepsJudged() === null || (areJudged(evenSteps()) && (ranks.length > 1 || !madeOfSteps())) ? [] : ['-i', stepsJudged()];
const adviseCommand = (...more) => !hasReport(['dlp', 'advise', '-a']) ? more.length > 0 ? null : command(['dlp', fileShown()]) :
    command(['dlp', 'advise', ...more, ...(ranks.length > 1 ? ['--ranks'] : []), ...keyWords(), ...judgedWords(), ...(ranks.length > 1 ? ranks : [fileShown()])]);

function judgedSentence() {
	const judged = stepsJudged(), even = evenSteps();
	if (judged === null)
		return 'the whole profile.';
	return stepWords(judged) + (areJudged(even) ? evenWords(even) : '') +
	    (range !== null && !areJudged(range) ? ', and not of the steps that are chosen now.' : '.');
}

// Recording takes time, which predictions leave out.
const bareStep = list => (list.find(f => isSet(f.predicted_step_ns)) || {}).step_ns;

function withoutRecording(list) {
	const bare = bareStep(list), t = stepsInRange().map(s => s.step_ns).filter(isSet), mean = t.reduce((a, b) => a + b, 0) / t.length;
	return bare < 0.97 * mean ? ' Without the recording a step takes ' + ns(bare) + '.' : '';
}

function findings() {
	const all = fired().filter(f => !isSet(f.part_of)), list = all.filter(f => !isLittle(f)), little = all.filter(isLittle);
	const fold = (what, from, some) => some.length === 0 ? null : el('details', null, el('summary', null, what), el('ol', { class: 'findings', start: from }, ...some.map(findingItem)));
	return el('section', { class: 'card' }, el('h2', null, 'What to do'),
	    list.length === 0 ? el('p', null, (!hasWork() ? noWork : little.length > 0 ? 'No finding gains 2 % of a step.' : 'No rule found anything to improve.') + ' About names the rules that could not be judged.') :
		el('p', { class: 'quiet' }, 'The largest gain first, of ' + judgedSentence() + withoutRecording(list)),
	    el('ol', { class: 'findings' }, ...list.slice(0, 3).map(findingItem)), fold('the other ' + (list.length - 3), 4, list.slice(3)),
	    fold(little.length + ' that ' + (little.length === 1 ? 'gains' : 'gain') + ' less than 2 %', list.length + 1, little), adviseCommand());
}

function idleByReason() {
	const of = stepRange(), sums = new Map();
	for (const r of rows('idle'))
		if (of === null || (isSet(r.iter) && r.iter >= of.from && r.iter <= of.to))
			sums.set(r.class, (sums.get(r.class) || 0) + r.ns);
	return [...sums].sort((a, b) => b[1] - a[1]);
}

function barLine(name, v, whole, link) {
	return el('tr', null, el('td', null, el('span', { class: 'swatch c-' + (name.startsWith('idle: ') ? gapColor(name.slice(6)) : name) }),
	    link || classNames[name] || name), el('td', { class: 'num', title: v + ' ns' }, ns(v)),
	    el('td', { class: 'num' }, percent(share(v, whole))));
}

const svg = (tag, attrs, ...children) => {
	const e = document.createElementNS(byId('ns').namespaceURI, tag);
	for (const k in attrs)
		e.setAttribute(k, attrs[k]);
	e.append(...children);
	return e;
};

// A ring of parts, the first at the top, and a text in it.
function donut(parts, total, inside, label) {
	const round = 2 * Math.PI * 40, ring = svg('svg', { viewBox: '0 0 110 110', class: 'donut', role: 'img', 'aria-label': label });
	let at = 0;
	for (const [name, v] of parts) {
		ring.append(svg('circle', { cx: 55, cy: 55, r: 40, class: 'c-' + (name.startsWith('idle: ') ? gapColor(name.slice(6)) : name),
			'stroke-dasharray': v / total * round + ' ' + round, 'stroke-dashoffset': -at / total * round, transform: 'rotate(-90 55 55)' },
		    svg('title', {}, (classNames[name] || idleName(name.slice(6))) + ' ' + percent(share(v, total)))));
		at += v;
	}
	ring.append(svg('text', { x: 55, y: 54, 'text-anchor': 'middle' }, inside[0]), svg('text', { x: 55, y: 68, 'text-anchor': 'middle', class: 'small' }, inside[1]));
	return ring;
}

function whereTheTimeGoes() {
	const sums = timeByClass(), parts = [];
	for (const c of ['tc', 'kern', 'graph', 'comm', 'mem'])
		if (sums[c] > 0)
			parts.push([c, sums[c]]);
	const reasons = idleByReason();
	if (reasons.length === 0 && sums.idle > 0)
		parts.push(['idle', sums.idle]);
	for (const [name, v] of reasons)
		parts.push(['idle: ' + name, v]);
	if (sums.total === 0)
		return el('section', { class: 'card' }, el('h2', null, 'Where the time goes'),
		    el('p', null, 'The profile has no GPU work with times.'));
	const partName = n => classNames[n] || idleName(n.slice(6)), label = parts.map(([n, v]) => partName(n) + ' ' + percent(share(v, sums.total))).join(', ');
	return el('section', { class: 'card' }, el('h2', null, 'Where the time goes'),
	    el('p', null, '100 % is ' + ns(sums.total) + ', the time of ' + (steps.length > 0 ? (range === null ? 'all steps' : 'these steps') : 'the GPU from its first work to its last') +
		(sums.n_dev > 1 ? ' on ' + sums.n_dev + ' GPUs' : '') + '.'),
	    el('div', { class: 'ring' }, donut(parts, sums.total, [percent(share(sums.total - sums.idle, sums.total)), 'GPU busy'], label),
	    el('table', { class: 'shares' }, el('caption', { class: 'hidden' }, 'Where the time goes'), el('tbody', null, ...parts.map(([n, v]) => barLine(n, v, sums.total,
		n.startsWith('idle: ') && views.gaps ? linkTo({ v: 'gaps', f: 'class=' + n.slice(6) }, idleName(n.slice(6))) : null))))),
	    command(['dlp', ...rangeWords(stepRange()), fileShown()]));
}

function meanMfu() {
	let part = 0, whole = 0;
	for (const m of rows('mfu'))
		if (isSet(m.mfu_pct) && m.step_ns > 0 && inRange(m.iter)) {
			part += m.mfu_pct * m.step_ns;
			whole += m.step_ns;
		}
	return whole > 0 ? part / whole : null;
}

function tiles(peak) {
	const sums = timeByClass(), t = stepsInRange().map(s => s.step_ns).filter(isSet);
	const mean = t.length > 0 ? t.reduce((a, b) => a + b, 0) / t.length : null;
	const kern = sums.tc + sums.kern;
	return el('div', { class: 'tiles' },
	    steps.length === 0 ? null : tile('mean step', ns(mean), 'from where the step before is over until this one has ended on the CPU and on the GPU'),
	    tile('GPU busy', percent(share(sums.total - sums.idle, sums.total))),
	    tile(tensorCores('Tensor Cores, of kernels'), percent(sums.graph > kern ? null : share(sums.tc, kern)), null, sums.graph > kern ? 'unknown of graphs recorded as a whole' : null),
	    tile('MFU', percent(meanMfu()), 'FLOPs that the model needs, of what the GPUs could do in the time of these steps: the mean of dlp mfu', steps.length === 0 ? 'no steps' : 'FLOPs or peaks unknown'),
	    tile(meta.tables.mem.left > 0 ? 'peak memory of all' : 'peak memory', bytes(peak),
		'it takes a recording with --cuda-memory-usage=true', 'not recorded'),
	    steps.length === 0 ? null : tile('steps', t.length + ' of ' + steps.length));
}

async function topOps() {
	if (!hasDetail() && !hasSums())
		return el('section', { class: 'card' }, el('h2', null, 'Top ops'), el('p', null, 'The page has no ops of the steps that are chosen now.'));
	const t = await workFor(groupings.op.cols), list = rowsInRange(t), n = stepsInRange().length;
	const groups = groupBy(t, list, groupings.op.cols, t.dur_ns).slice(0, 10), sums = timeByClass();
	const cols = [{ label: 'op', get: g => g.key[0] }, { label: 'direction', get: g => g.key[1] },
		{ label: 'time', name: 'sum_dur_ns', num: true, unit: 'ns', get: g => g.sum, show: ns },
		...(range === null ? [] : [{ label: 'per step', num: true, unit: 'ns', get: g => g.sum / n, show: ns }]),
		{ label: 'of the time', num: true, get: g => share(g.sum, sums.total), show: percent, part: true }];
	return el('section', { class: 'card' }, el('h2', null, 'Top ops'),
	    dataTable(cols, groups, { caption: 'The ten ops with the most GPU time', room: 38,
		onRow: t.sums ? null : g => go({ v: 'ops', g: 'op', f: '', r: g.key.join('\n') }) }),
	    report(['top', '-n', '10']));
}

function phases() {
	const at = new Map();
	for (const p of rows('phase')) {
		if (range !== null && !(isSet(p.iter) && inRange(p.iter)))
			continue;
		const key = isSet(p.phase) ? p.phase : minus;
		const s = at.get(key) || { phase: key, gpu: 0, cpu: 0, idle: 0 };
		s.gpu += p.gpu_ns || 0;
		s.cpu += p.cpu_ns || 0;
		s.idle += p.idle_ns || 0;
		at.set(key, s);
	}
	if (at.size === 0)
		return null;
	const cols = [{ label: 'phase', get: s => s.phase, show: p => p === minus ? '(no phase)' : p },
		{ label: 'GPU', name: 'sum_gpu_ns', num: true, unit: 'ns', get: s => s.gpu, show: ns },
		{ label: 'CPU', name: 'sum_cpu_ns', num: true, unit: 'ns', get: s => s.cpu, show: ns },
		{ label: 'GPU idle', name: 'sum_idle_ns', num: true, unit: 'ns', get: s => s.idle, show: ns }];
	return el('section', { class: 'card' }, el('h2', null, 'Phases'),
	    el('p', null, 'Idle time belongs to the phase of the work that follows it in the step; before the first work of a step and after its last, to (no phase).'),
	    dataTable(cols, [...at.values()], { caption: 'Time by phase', sort: 1 }), report(['phases', '-s']));
}

// The kinds of segments of the critical path, as dlp-path(1) has them.
const pathKinds = { cpu: 'a thread works', launch: 'from a launch to its start', kernel: 'a kernel runs', copy: 'a copy runs', set: 'a memset runs', graph: 'a graph runs',
	kernel_to_kernel: 'between two kernels of a stream', stream_wait_or_gap: 'between two, or a wait that is not recorded', cross_stream: 'after a wait for another stream',
	sync_return: 'from the end of work to the return of the call that waited', comm_exposed: 'communication, and nothing else', comm_blocking: 'communication that blocks what follows', unknown: 'work without a call' };

function criticalKinds() {
	const sums = sumBy(rows('critical').filter(r => range === null || (isSet(r.iter) && inRange(r.iter))), ['kind'], ['n', 'dur_ns']);
	const all = sums.reduce((s, g) => s + g.dur_ns, 0);
	if (sums.length === 0)
		return null;
	return el('section', { class: 'card' }, el('h2', null, 'Critical path'), el('p', null, 'What the length of ' + (steps.length > 0 ? 'a step' : 'the profile') + ' consists of: only this makes it longer. ', linkTo({ v: 'timeline' }, 'Timeline'), ' shows it.' + (madeOfSteps() ?
		' The page was made of these steps alone (-i): if their first work waited for a step before, that counts as its launch.' : '')),
	    dataTable([{ label: 'kind', get: g => g.key[0] }, { label: 'time', name: 'sum_dur_ns', num: true, unit: 'ns', get: g => g.dur_ns, show: ns },
		{ label: '% of the path', name: 'dur_pct', num: true, get: g => share(g.dur_ns, all), show: percent, part: true }, { label: 'meaning', wrap: true, get: g => pathKinds[g.key[0]] }],
	    sums, { caption: 'Critical path by kind', sort: 1 }), report(['path', '-g', 'kind']));
}

// Of several ranks: who waits for whom, and how long.
async function whoWaits() {
	const t = await wholeTable('arrive', ['iter', 'rank', 'coll_id', 'wait_ns', 'late_ns', 'start_ns', 'dur_ns']), waits = new Map(), last = new Map(), late = new Map(), colls = new Set();
	const add = (m, k, v) => m.set(k, (m.get(k) || 0) + v), most = m => [...m].sort((a, b) => b[1] - a[1])[0];
	for (const { rank, row } of lateRanks(t))
		if (range === null || inRange(t.iter[row])) {
			add(last, rank, 1);
			add(late, rank, t.late_ns[row]);
			colls.add(t.coll_id[row]);
		}
	for (const i of rowsInRange(t))
		add(waits, text(t.rank, i), t.wait_ns[i] || 0);
	const [who, wait] = most(waits) || [null, 0], [whom, times] = most(last) || [null, 0];
	if (wait === 0)
		return el('p', null, 'No rank waited for another in these steps.');
	const n = Math.max(1, stepsInRange().length);
	return el('p', { class: 'who' }, el('strong', { class: 'gain' }, 'Rank ' + who + ' waits ' + ns(range === null ? wait : wait / n) + (range === null ? '' : ' a step') + ' for ' + (whom === who ? 'others' : 'rank ' + whom) + '.'), ' Rank ' + whom + ' comes last to ' + times + ' of ' + colls.size + ' collectives, on average ' +
	    ns(late.get(whom) / times) + ' late: ', linkTo({ v: 'timeline' }, 'see it in the timeline'), ', ', linkTo({ v: 'communication' }, 'by rank and step'), '.');
}

// Of each collective the rank that came last, and its row of arrive.
function lateRanks(t) {
	const at = new Map();
	for (let i = 0; i < t.n; i++) {
		const was = at.get(t.coll_id[i]);
		if (t.late_ns[i] > 0 && (was === undefined || t.late_ns[i] > t.late_ns[was]))
			at.set(t.coll_id[i], i);
	}
	return [...at.values()].map(row => ({ row, rank: text(t.rank, row) }));
}

views.overview = {
	label: 'Overview',
	detail: 'part',
	missing: () => meta.memdev.rows > 0 && !hasWork() ? 'a snapshot of memory has no GPU work' : null,
	async show(draft) {
		const waits = ranks.length > 1 ? await whoWaits() : views.compare ? el('p', { class: 'who' }, changeSentence(rows('diff').find(r => r.what === 'step')) + ' ', linkTo({ v: 'compare' }, 'What changed')) : null;
		const parts = (ops, peak) => [waits || el('p', null, 'Where the time of a step goes, and what to do about it.'), tiles(peak),
			el('div', { class: 'cards' }, el('div', null, findings()), el('div', null, whereTheTimeGoes(), phases(), ops, criticalKinds()))];
		if (!loaded.has('work'))
			await draft(parts(el('section', { class: 'card soon' }, el('h2', null, 'Top ops')), null));
		return parts(await topOps(), await mostMemory());
	}
};
