// Memory: how much is in use over time, and what was at the peak, as dlp mem has it.

// When each step of the range begins for the GPU, as cut records of dlp-iter have it.
function beginsOf(of) {
	const out = [];
	let over = -Infinity;
	for (const s of steps) {
		if (s.iter >= of.from && s.iter <= of.to)
			out.push({ iter: s.iter, at: Math.max(s.start_ns, over) });
		over = Math.max(over, s.start_ns + (s.step_ns || 0));
	}
	return out;
}

// The rows of a device and a kind of memory.
function rowsOfMemory(t, p) {
	const dev = t.dev, space = t.space.d.indexOf(p.space), list = [];
	for (let i = 0; i < t.n; i++)
		if (dev[i] === p.dev && t.space.v[i] === space && !Number.isNaN(t.used_bytes[i]))
			list.push(i);
	return list;
}

// The peak of some steps: of what is in use when each begins, and after its events.
// upto: the rows up to the peak.
function peakIn(t, list, p, of) {
	const out = { dev: p.dev, space: p.space, total_bytes: p.total_bytes, peak_bytes: null, n_alloc: 0, n_free: 0, upto: 0 };
	const begins = beginsOf(of);
	let used = 0, next = 0;
	const moment = (start_ns, iter, row, upto) => {
		if (out.peak_bytes === null || used > out.peak_bytes)
			Object.assign(out, { peak_bytes: used, start_ns, iter, upto, phase: row === null ? null : text(t.phase, row),
				layer: row === null ? null : text(t.layer, row), at: row === null ? null : text(t.at, row) });
	};
	const begin = (at, iter, k) => {
		if (out.peak_bytes === null)
			out.before_bytes = used;
		out.end_bytes = used;
		moment(at, iter, null, k);
	};
	list.forEach((i, k) => {
		const counts = t.iter[i] >= of.from && t.iter[i] <= of.to, frees = text(t.op, i) === 'free';
		for (; k > 0 && next < begins.length && begins[next].at <= t.start_ns[i]; next++)
			begin(begins[next].at, begins[next].iter, k);
		if (counts && out.peak_bytes === null)
			begin(t.start_ns[i], t.iter[i], k);
		used = t.used_bytes[i];
		if (!counts)
			return;
		out.n_alloc += !frees;
		out.n_free += frees;
		out.end_bytes = used;
		if (!frees)
			moment(t.start_ns[i], t.iter[i], i, k + 1);
	});
	for (; next < begins.length; next++)
		begin(begins[next].at, begins[next].iter, list.length);
	return out;
}

// The same of the whole profile, as dlp-mem found it.
function peakOfAll(t, list, p) {
	const k = list.findIndex(i => t.used_bytes[i] === p.peak_bytes && t.start_ns[i] === p.start_ns && text(t.op, i) === 'alloc');
	return { ...p, upto: k + 1 };
}

// What lives after the first rows of a list.
function liveAfter(t, list, n) {
	const at = new Map();
	for (const i of list.slice(0, n)) {
		const key = t.pid[i] + '\n' + t.addr[i];
		if (Number.isNaN(t.addr[i]))
			continue;
		if (text(t.op, i) === 'alloc')
			at.set(key, i);
		else
			at.delete(key);
	}
	return [...at.values()];
}

// { p: its peak, list: its rows } for each device and kind of memory.
async function memoryOf(of = range) {
	const t = await table('mem');
	return rows('peak').map(p => {
		const list = rowsOfMemory(t, p);
		return { list, p: of === null || list.length === 0 ? peakOfAll(t, list, p) : peakIn(t, list, p, of) };
	});
}

// The most that a device had in use; null: unknown.
async function mostMemory() {
	const all = (await memoryOf()).filter(m => m.p.space === 'device' && isSet(m.p.peak_bytes)).map(m => m.p.peak_bytes);
	return all.length > 0 ? Math.max(...all) : null;
}

// The memory in use after each event, in the time of the range.
function memoryCurve(t, list, label) {
	const canvas = el('canvas', { class: 'large curve', role: 'img', 'aria-label': label });
	const own = stepsInRange(), ends = own.map(s => s.start_ns + (s.step_ns || s.dur_ns || 0));
	const first = range !== null ? own[0].start_ns : Math.min(t.start_ns[list[0]], steps.length > 0 ? steps[0].start_ns : Infinity);
	const last = range !== null ? Math.max(...ends) : ends.reduce((a, b) => Math.max(a, b), t.start_ns[list[list.length - 1]]);
	canvas.draw = () => {
		const { g, w, h } = canvasOf(canvas), room = 70;
		let was = 0, most = 1, k = 0;
		for (; k < list.length && t.start_ns[list[k]] <= first; k++)
			was = t.used_bytes[list[k]];
		const shown = list.slice(k).filter(i => t.start_ns[i] <= last);
		most = shown.reduce((m, i) => Math.max(m, t.used_bytes[i]), Math.max(1, was));
		const x = v => room + (v - first) / Math.max(1, last - first) * (w - room - 4), y = v => h - 4 - v / most * (h - 18);
		g.strokeStyle = color('line');
		for (const s of own)
			line(g, x(s.start_ns), 0, x(s.start_ns), h);
		g.strokeStyle = color('kern');
		g.lineWidth = 1.5;
		g.beginPath();
		g.moveTo(x(first), y(was));
		for (const i of shown) {
			g.lineTo(x(t.start_ns[i]), y(was));
			was = t.used_bytes[i];
			g.lineTo(x(t.start_ns[i]), y(was));
		}
		g.lineTo(x(last), y(was));
		g.stroke();
		g.fillStyle = color('text');
		g.fillText(bytes(most), 2, y(most) + 8);
		g.fillText('0', 2, h - 4);
	};
	return canvas;
}

views.memory = {
	label: 'Memory',
	async show() {
		const t = await table('mem'), out = [];
		const size = (label, c) => ({ label, name: c, num: true, unit: 'bytes', get: p => p[c], show: bytes });
		if (t.n === 0 && !meta.tables.mem.left)
			return [el('p', null, 'The profile does not know about memory: nsys profile --cuda-memory-usage=true, torch.profiler.profile(profile_memory=True) or rocprofv3 --memory-allocation-trace records it.'),
				command(['dlp', 'mem', fileShown()])];
		const cols = [{ label: 'device', name: 'dev', num: true, get: p => p.dev, show: plain }, { label: 'space', get: p => p.space }, size('peak', 'peak_bytes'),
			size('of', 'total_bytes'), { label: 'at', name: 'start_ns', num: true, unit: 'ns', get: p => p.start_ns, show: ns }, { label: 'step', name: 'iter', num: true, get: p => p.iter, show: plain },
			{ label: 'phase', get: p => p.phase }, { label: 'layer', get: p => p.layer }, { label: 'op', name: 'at', get: p => p.at },
			size('before', 'before_bytes'), size('at the end', 'end_bytes'), { label: 'allocations', name: 'n_alloc', num: true, get: p => p.n_alloc, show: count },
			{ label: 'releases', name: 'n_free', num: true, get: p => p.n_free, show: count }];
		if (t.n === 0)
			return [el('p', null, 'The profile has ' + count(meta.tables.mem.left) + ' events of memory, more than this page was made for (--max-pieces), so it has none of them. These are the peaks of the whole profile:'),
				dataTable(cols, rows('peak'), { caption: 'Peaks of memory' }), command(['dlp', 'mem', fileShown()])];
		const all = await memoryOf(), live = [];
		out.push(el('p', null, 'Memory in use ' + (range === null ? 'in the whole profile' : 'in these steps: when each begins, and after its own events') +
			'. The driver allocates it; of a framework that keeps memory (PyTorch) these are its blocks and not its tensors. Vertical lines are the beginnings of steps.'));
		for (const { p, list } of all) {
			const label = p.space + ' memory of device ' + p.dev + ': at most ' + bytes(p.peak_bytes);
			out.push(el('h3', null, label));
			if (list.length > 1)
				out.push(memoryCurve(t, list, label));
			for (const i of liveAfter(t, list, p.upto))
				live.push(i);
		}
		out.push(el('h3', null, 'Peaks'), dataTable(cols, all.map(m => m.p), { caption: 'Peaks of memory' }), report(['mem']));
		const names = ['dev', 'space', 'kind', 'iter', 'phase', 'layer', 'at', 'api'], groups = groupBy(t, live, names, t.bytes);
		const labels = ['device', 'space', 'kind', 'step', 'phase', 'layer', 'op', 'API call'];
		out.push(el('h3', null, 'In use at the peak, by where it was allocated'),
		    dataTable([...labels.map((label, k) => ({ label, name: names[k], get: g => g.key[k] })), { label: 'bytes', name: 'sum_bytes', num: true, unit: 'bytes', get: g => g.sum, show: bytes },
			{ label: 'blocks', name: 'n', num: true, get: g => g.n, show: count }, { label: 'largest', name: 'max_bytes', num: true, unit: 'bytes', get: g => g.max, show: bytes }],
			groups, { caption: 'Memory in use at the peak' }), report(['mem', '-l', '-n', '0']));
		return out;
	}
};
