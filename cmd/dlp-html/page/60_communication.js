// Communication: collectives, what hides them, and which rank waits for which.
// As dlp ranks: what is in no step does not count, if there are steps.
const counts = iter => steps.length === 0 || (isSet(iter) && inRange(iter));
const rankRows = name => (meta.other ? rows(name) : wholeRows(name)).filter(r => counts(r.iter));

function sumBy(list, keys, sums) {
	const at = new Map();
	for (const r of list) {
		const k = keys.map(c => r[c]).join('\n');
		if (!at.has(k))
			at.set(k, { key: keys.map(c => r[c]), n: 0, ...Object.fromEntries(sums.map(s => [s, null])), max: {} });
		const g = at.get(k);
		g.n++;
		for (const s of sums)
			if (isSet(r[s])) {
				g[s] = (g[s] || 0) + r[s];
				g.max[s] = Math.max(r[s], isSet(g.max[s]) ? g.max[s] : -Infinity);
			}
	}
	return [...at.values()];
}

// dlp ranks TABLE of all files
const ranksCommand = (name, ...more) => command(['dlp', 'ranks', '-t', name, ...more, ...rangeWords(stepRange()), ...(ranks.length > 0 ? ranks : [fileShown()])]);
const timeOf = (label, get, name, title) => ({ label, name, num: true, unit: 'ns', get, show: ns, title });

// A square for each rank and step: the darker, the longer the rank waited.
function heat(list) {
	const names = [...new Set(list.map(r => r.rank))].sort((a, b) => Number(a) - Number(b)), iters = [...new Set(list.map(r => r.iter).filter(isSet))].sort((a, b) => a - b);
	const at = new Map(list.map(r => [r.rank + '\n' + r.iter, r])), most = Math.max(1, ...list.map(r => r.wait_ns || 0)), tall = 22;
	const label = 'Waiting by rank and step, at most ' + ns(most) + ': ' + names.map(n => 'rank ' + n + ' ' + ns(list.filter(r => r.rank === n).reduce((s, r) => s + (r.wait_ns || 0), 0))).join(', ');
	const canvas = el('canvas', { class: 'large', role: 'img', 'aria-label': label });
	canvas.style.height = names.length * tall + 16 + 'px';
	canvas.draw = () => {
		const { g, w } = canvasOf(canvas), left = 60, wide = (w - left) / iters.length;
		names.forEach((n, row) => {
			clipText(g, 'rank ' + n, 0, row * tall + 15, left - 4);
			iters.forEach((i, k) => {
				const r = at.get(n + '\n' + i), x = left + k * wide, room = Math.max(1, wide - (wide > 4 ? 1 : 0));
				g.fillStyle = color('panel');
				g.fillRect(x, row * tall, room, tall - 1);
				if (!r)
					return;
				g.globalAlpha = 0.75 * (r.wait_ns || 0) / most;
				g.fillStyle = color('comm');
				g.fillRect(x, row * tall, room, tall - 1);
				g.globalAlpha = 1;
				if (wide > 60)
					clipText(g, ns(r.wait_ns), x + 3, row * tall + 15, wide - 6);
			});
		});
		const every = Math.max(1, Math.ceil(40 / wide));
		for (let k = 0; k < iters.length; k += every)
			clipText(g, String(iters[k]), left + k * wide + 2, names.length * tall + 12, 60);
	};
	return [el('h3', null, 'Waiting by rank and step'), canvas];
}

function rankTables() {
	const comm = rankRows('comm'), skew = rankRows('skew'), total = sumBy(comm, ['rank'], ['n_comm', 'comm_ns', 'exposed_ns', 'wait_ns']);
	const col = (label, c, show, unit) => ({ label, name: c, num: true, unit, get: r => r[c], show });
	const most = total.reduce((m, g) => g.wait_ns > m.wait_ns ? g : m, total[0]), least = total.reduce((m, g) => g.wait_ns < m.wait_ns ? g : m, total[0]);
	const out = [];
	if (total.length > 1)
		out.push(el('p', null, most.wait_ns > 0 ? 'Rank ' + most.key[0] + ' waited longest, ' + ns(most.wait_ns) + '; rank ' + least.key[0] + ' waited least, ' + ns(least.wait_ns) + ': look there for what the others wait for.' : 'No rank waited for another.'), ...heat(comm));
	out.push(el('h3', null, 'By rank'), dataTable([{ label: 'rank', get: g => g.key[0] }, { label: 'kernels', name: 'sum_n_comm', num: true, get: g => g.n_comm, show: count },
		timeOf('communication', g => g.comm_ns, 'sum_comm_ns'), timeOf('not hidden', g => g.exposed_ns, 'sum_exposed_ns', 'no other kernel ran meanwhile'), timeOf('waiting', g => g.wait_ns, 'sum_wait_ns', 'longer than on the rank that took least')],
	total, { caption: 'Communication by rank' }), ranksCommand('total'));
	if (total.length > 1)
		out.push(el('h3', null, 'How far apart the ranks are'), dataTable([col('step', 'iter', plain), col('ranks', 'n_rank', count), col('starts', 'start_skew_ns', ns, 'ns'),
			col('ends', 'end_skew_ns', ns, 'ns'), col('lengths', 'len_skew_ns', ns, 'ns'), col('waiting', 'wait_ns', ns, 'ns'), { label: 'slowest', get: r => r.slowest }], skew, { caption: 'Skew of the ranks by step' }), ranksCommand('skew'));
	return out;
}

async function collectives() {
	const t = await (meta.other ? table('coll') : wholeTable('coll')), list = [];
	for (const i of rowsInRange(t)) {
		const r = {};
		for (const c of ['kind', 'first', 'last'])
			r[c] = text(t[c], i);
		for (const c of ['id', 'iter', 'n_rank', 'bytes', 'comm_ns', 'algbw_gb_s', 'busbw_gb_s', 'wait_ns', 'spread_ns'])
			r[c] = Number.isNaN(t[c][i]) ? null : t[c][i];
		if (counts(r.iter))
			list.push(r);
	}
	const kinds = sumBy(list, ['kind'], ['comm_ns', 'wait_ns', 'spread_ns']), num = (label, c, show, unit, title) => ({ label, name: c, num: true, get: r => r[c], show, unit, title });
	if (list.length === 0)
		return [];
	return [el('h3', null, 'Collectives by kind'), dataTable([{ label: 'kind', get: g => g.key[0] }, { label: 'count', name: 'n', num: true, get: g => g.n, show: count }, timeOf('communication', g => g.comm_ns, 'sum_comm_ns', 'without waiting: on the rank that took least'),
		timeOf('waiting', g => g.wait_ns, 'sum_wait_ns'), timeOf('longest wait', g => isSet(g.max.wait_ns) ? g.max.wait_ns : null, 'max_wait_ns'), timeOf('most apart', g => isSet(g.max.spread_ns) ? g.max.spread_ns : null, 'max_spread_ns')],
	kinds, { caption: 'Collectives by kind', sort: 2 }), ranksCommand('kind'),
	el('h3', null, 'Each collective'), dataTable([{ label: 'kind', get: r => r.kind }, num('step', 'iter', plain), num('ranks', 'n_rank', count), num('bytes', 'bytes', bytes, 'bytes'), num('communication', 'comm_ns', ns, 'ns'),
		num('algorithm GB/s', 'algbw_gb_s', number, null, 'bytes over the time, as nccl-tests'), num('bus GB/s', 'busbw_gb_s', number, null, 'what goes over the link of each GPU'), num('waiting', 'wait_ns', ns, 'ns'), num('apart', 'spread_ns', ns, 'ns'),
		{ label: 'first', get: r => r.first }, { label: 'last', get: r => r.last }], list, { caption: 'Collectives', sort: 7 }), ranksCommand('coll', '-n', '0')];
}

views.communication = {
	label: 'Communication',
	missing: () => rows('comm').every(r => !(r.n_comm > 0)) ? 'no communication between GPUs was recorded' : null,
	detail: 'all',
	async show() {
		const t = await workFor(['op'], 'bytes', 'bus_bytes'), dur = t.dur_ns, list = rowsInRange(t).filter(i => text(t.dir, i) === 'comm'), sums = timeByClass();
		const groups = groupBy(t, list, ['op', 'dir'], t.dur_ns), all = groups.reduce((s, g) => s + g.sum, 0), work = rowsInRange(t).reduce((s, i) => s + (dur[i] || 0), 0);
		if (rows('comm').every(r => !(r.n_comm > 0)))
			return [el('p', null, 'The profile has no communication between GPUs, as NCCL\'s kernels are: it is of one GPU, or was recorded without them. dlp html --ranks shows the ranks of a run together, each with a profile of its own.'),
				ranksCommand('total')];
		for (const c of ['bus_bytes', 'bytes'])
			groups.add(c, t[c]);
		const hidden = ranks.length < 2 && wholeRows('comm').length > 0 ? '' : ' Of several ranks this table is of the rank that is chosen on top.';
		return [el('p', null, 'Kernels that move data between GPUs took ' + ns(all) + '; for ' + ns(sums.comm) + ', ' + percent(share(sums.comm, sums.total)) + ' of the time, no other kernel hid them.' +
			(ranks.length < 2 ? ' Only several ranks together tell who waits for whom: ' : ''), ranks.length < 2 ? el('code', { class: 'whole' }, 'dlp html --ranks') : null),
		el('h3', null, 'By operation'), el('p', { class: 'quiet' }, 'Waiting for other ranks is part of the time.' + hidden),
		dataTable([{ label: 'operation', name: 'op', get: g => g.key[0] }, { label: 'direction', name: 'dir', get: g => g.key[1] }, ...sumColumns([], work, range === null ? 0 : stepsInRange().length),
			{ label: 'bytes', name: 'sum_bytes', num: true, unit: 'bytes', get: g => g.bus_bytes === null ? g.bytes : g.bus_bytes, show: bytes }], groups, { caption: 'Communication by operation', sort: 2 }),
		report(['top', '-g', 'type', '-n', '0'], ' | grep -w -e dir -e comm'), ...rankTables(), ...await collectives()];
	}
};
