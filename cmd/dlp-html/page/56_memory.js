// Memory: how much is in use over time, and what was at the peak, as dlp mem has it.

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
	const begins = stepPieces().filter(s => s.iter >= of.from && s.iter <= of.to);
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
		for (; k > 0 && next < begins.length && begins[next].from <= t.start_ns[i]; next++)
			begin(begins[next].from, begins[next].iter, k);
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
		begin(begins[next].from, begins[next].iter, list.length);
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

// The memory of a device over the time of the range: a curve for each kind, all on one
// axis, and a ring at the peak of each. of: what memoryOf() says of them.
const memoryShades = { device: 'kern', host: 'comm', managed: 'tc', reserved: 'gap-launch-bound' };
const memoryShade = space => memoryShades[space] || 'wait';

// What the allocator has reserved: torch.profiler says it with each event, a snapshot has
// the events of segments.
async function reservedOf(t, dev) {
	const start_ns = [], used_bytes = [], add = (at, v) => { start_ns.push(at); used_bytes.push(v); };
	if (about().info.dialect === 'kineto')
		for (let i = 0; i < t.n; i++)
			if (t.dev[i] === dev && t.pool_bytes[i] > 0)
				add(t.start_ns[i], t.pool_bytes[i]);
	const seg = await table('segmem'), own = allRows(seg.n).filter(i => seg.dev[i] === dev), sign = i => (text(seg.op, i) === 'alloc' ? 1 : -1) * seg.bytes[i];
	let used = own.length > 0 ? rows('memdev').find(d => d.dev === dev).reserved_bytes - own.reduce((s, i) => s + sign(i), 0) : 0;
	for (const i of own)
		add(seg.start_ns[i], used += sign(i));
	return start_ns.length === 0 ? [] : [{ p: { space: 'reserved' }, t: { start_ns, used_bytes }, list: start_ns.map((x, k) => k) }];
}

function memoryCurves(of, label) {
	const canvas = el('canvas', { class: 'large curve', role: 'img', 'aria-label': label });
	const own = piecesInRange(), times = of.flatMap(m => [m.t.start_ns[m.list[0]], m.t.start_ns[m.list[m.list.length - 1]]]);
	// of a snapshot without its first tenth: a program loads and builds for most of the time
	const first = range !== null ? own[0].from : meta.memdev.rows > 0 ? of[0].t.start_ns[of[0].list[Math.floor(of[0].list.length / 10)]] : Math.min(...times, ...own.map(s => s.from));
	const last = range !== null ? own[own.length - 1].to : Math.max(...times, ...own.map(s => s.to));
	const curves = of.map(({ p, t, list }) => {
		const k = after(list.length, j => t.start_ns[list[j]], first), shown = list.slice(k, after(list.length, j => t.start_ns[list[j]], last, k));
		const was = k > 0 ? t.used_bytes[list[k - 1]] : 0;
		return { p, t, was, shown, most: shown.reduce((m, i) => Math.max(m, t.used_bytes[i]), was) };
	});
	const most = Math.max(1, ...curves.map(c => c.most));
	const left = 62, head = 16, foot = 18;
	canvas.draw = () => {
		const { g, w, h } = canvasOf(canvas), low = h - foot, tick = tickOf(most, 4), every = tickOf(Math.max(1, last - first), Math.max(4, (w - left) / 110));
		const x = v => left + (v - first) / Math.max(1, last - first) * (w - left - 8), y = v => low - v / most * (low - head - 4);
		own.forEach((s, n) => {
			const from = x(s.from), to = x(s.to);
			g.fillStyle = color('panel');
			if (n % 2 === 0)
				g.fillRect(from, head, to - from, low - head);
			if (to - from > 20)
				clipText(g, (to - from > 60 ? 'step ' : '') + s.iter, from + 3, 11, to - from - 4);
		});
		g.strokeStyle = color('line');
		g.fillStyle = color('quiet');
		for (let v = 0; v <= most; v += tick) {
			line(g, left, y(v), w - 8, y(v));
			const said = bytes(v);
			g.fillText(said, left - 6 - g.measureText(said).width, y(v) + 4);
		}
		for (let v = Math.ceil(first / every) * every; v <= last; v += every) {
			const said = tickText(v, every), wide = g.measureText(said).width;
			line(g, x(v), low, x(v), low + 4);
			g.fillText(said, Math.min(w - wide, x(v) - wide / 2), h - 2);
		}
		for (const c of curves)
			drawCurve(g, c, x, y, first, last);
	};
	canvas.addEventListener('mousemove', e => {
		const at = first + (e.offsetX - left) / (canvas.clientWidth - left - 8) * (last - first);
		tip(at < first || at > last ? null : e, at < first || at > last ? [] : [clock(at), ...curves.map(c => {
			const k = after(c.shown.length, j => c.t.start_ns[c.shown[j]], at);
			return c.p.space + ' ' + bytes(k > 0 ? c.t.used_bytes[c.shown[k - 1]] : c.was);
		})]);
	});
	canvas.addEventListener('mouseleave', () => tip(null));
	return [canvas, el('p', { class: 'bar quiet' }, ...curves.map(({ p, most }) => el('span', { class: 'key' }, el('span', { class: 'swatch c-' + memoryShade(p.space) }),
	    p.space + ' memory: at most ' + bytes(p.peak_bytes ?? most) + (isSet(p.total_bytes) ? ' of ' + bytes(p.total_bytes) : '') + (isSet(p.start_ns) ? ', ' + clock(p.start_ns, p.iter) : ''))))];
}

function drawCurve(g, { p, t, was, shown }, x, y, first, last) {
	g.strokeStyle = color(memoryShade(p.space));
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
	g.lineWidth = 1;
	if (isSet(p.start_ns) && isSet(p.peak_bytes)) {
		const at = Math.max(x(first), x(p.start_ns)), said = bytes(p.peak_bytes) + ' ' + [p.at, p.layer && bare(p.layer).replace(/.*\//, ''), ...heldRows().filter(h => h.dev === p.dev).slice(0, 1).map(placeOf)].filter(isSet).join(', '), wide = g.measureText(said).width;
		g.strokeStyle = color('accent');
		g.lineWidth = 2;
		g.beginPath();
		g.arc(at, y(p.peak_bytes), 4, 0, 7);
		g.stroke();
		g.lineWidth = 1;
		const full = widthOf(g.canvas), right = at + 8 + wide < full || at < full / 2;
		g.fillStyle = color('back');
		g.globalAlpha = 0.8;
		g.fillRect(right ? at + 7 : at - 9 - wide, y(p.peak_bytes), wide + 2, 16);
		g.globalAlpha = 1;
		clipText(g, said, right ? at + 8 : Math.max(64, at - 8 - wide), y(p.peak_bytes) + 12, right ? full - at - 10 : at - 72);
	}
}

// A snapshot of PyTorch's memory: what held the peak, and what grew, as dlp mem has it.
const placeOf = r => [r.kind, isSet(r.file) ? 'of ' + r.file.replace(/.*\//, '') + (isSet(r.line) ? ':' + r.line : '') : null, r.function].filter(isSet).join(' ');
const sizeOf = (label, c) => ({ label, name: c, num: true, unit: 'bytes', get: p => p[c], show: bytes });

// A line once, not by stack.
const heldRows = () => sumBy(rows('held'), ['dev', 'kind', 'file', 'line', 'function'], ['bytes', 'count']).map(g => Object.assign(g, Object.fromEntries(['dev', 'kind', 'file', 'line', 'function'].map((c, k) => [c, g.key[k]])))).sort((a, b) => b.bytes - a.bytes);

function snapshotTables() {
	const num = (label, name) => ({ label, name, num: true, get: r => r[name], show: plain }), word = (label, name) => ({ label, name, get: r => r[name] }), devs = rows('memdev'), held = heldRows(), grown = rows('grown'), some = rows('memstep');
	const place = [word('file', 'file'), num('line', 'line'), word('function', 'function')], by = (...words) => command(['dlp', 'mem', ...words, fileShown()]), said = [];
	for (const d of devs) {
		const top = held.find(h => h.dev === d.dev), own = some.filter(s => s.dev === d.dev), more = grown.filter(r => r.dev === d.dev), whole = d.peak_bytes ?? d.before_bytes;
		said.push((devs.length > 1 ? 'Device ' + d.dev + ': ' : '') + bytes(d.reserved_bytes) + ' are reserved at the end; ' + bytes(d.allocated_bytes) + ' of them are allocated, and ' + bytes(d.split_bytes) + ' lie free beside memory in use (fragmented). ' +
		    (top ? (isSet(d.peak_bytes) ? 'The largest part of the peak of ' + bytes(whole) : 'Without a history there is no peak. The largest part of what is in use') + ' is ' + placeOf(top) + ': ' + bytes(top.bytes) + ', ' + percent(share(top.bytes, whole)) + '. ' : '') +
		    (own.length > 2 ? 'From step 1 to step ' + (own.length - 1) + ' of the history memory changes by ' + bytes(own[own.length - 1].end_bytes - own[1].end_bytes) + (more.length > 0 ? '; most of all grows ' + placeOf(more[0]) + ', by ' + bytes(more[0].bytes) + ' in ' + more[0].count + ' of ' + more[0].of + ' steps.' : '; nothing grows.') : '') +
		    (d.n_oom > 0 ? ' ' + count(d.n_oom) + ' allocations failed.' : ''));
	}
	return [...said.map(s => el('p', null, s)), dataTable([num('device', 'dev'), sizeOf('reserved', 'reserved_bytes'), sizeOf('allocated', 'allocated_bytes'), sizeOf('requested', 'requested_bytes'), sizeOf('fragmented', 'split_bytes'), sizeOf('peak', 'peak_bytes'),
		num('allocations', 'n_alloc'), num('releases', 'n_free'), num('out of memory', 'n_oom')], devs, { caption: 'Memory at the end' }), by(),
	el('h3', null, 'In use at the peak, by line'), dataTable([num('device', 'dev'), word('kind', 'kind'), ...place, sizeOf('bytes', 'bytes'), num('blocks', 'count')], held, { caption: 'Memory in use at the peak' }), by('-g', 'line', '-n', '0'),
	...(some.length === 0 ? [] : [el('h3', null, 'By step'), dataTable([num('step', 'step'), num('device', 'dev'), word('name', 'name'), sizeOf('peak', 'peak_bytes'), sizeOf('at the end', 'end_bytes'), sizeOf('grew by', 'grew_bytes'), ...place], some, { caption: 'Memory by step' }), by('-g', 'step')])];
}

views.memory = {
	label: 'Memory',
	missing: () => meta.tables.mem.rows === 0 && !meta.tables.mem.left && meta.memdev.rows === 0 ? 'memory was not recorded' : null,
	async show() {
		const t = await table('mem'), out = [];
		const size = sizeOf, snapshot = meta.memdev.rows > 0;
		if (t.n === 0 && !snapshot && !meta.tables.mem.left)
			return [el('p', null, 'The profile does not know about memory: nsys profile --cuda-memory-usage=true, torch.profiler.profile(profile_memory=True) or rocprofv3 --memory-allocation-trace records it.'),
				command(['dlp', 'mem', fileShown()])];
		const cols = [{ label: 'device', name: 'dev', num: true, get: p => p.dev, show: plain }, { label: 'space', get: p => p.space }, size('peak', 'peak_bytes'),
			size('of', 'total_bytes'), { label: 'at', name: 'start_ns', num: true, unit: 'ns', get: p => p.start_ns, show: (v, p) => clock(v, p.iter) }, { label: 'step', name: 'iter', num: true, get: p => p.iter, show: plain },
			{ label: 'phase', get: p => p.phase }, { label: 'layer', get: p => p.layer }, { label: 'op', name: 'at', get: p => p.at },
			size('before', 'before_bytes'), size('at the end', 'end_bytes'), { label: 'allocations', name: 'n_alloc', num: true, get: p => p.n_alloc, show: count },
			{ label: 'releases', name: 'n_free', num: true, get: p => p.n_free, show: count }];
		if (t.n === 0 && !snapshot)
			return [el('p', null, 'The profile has ' + count(meta.tables.mem.left) + ' events of memory, more than this page was made for (--max-pieces), so it has none of them. These are the peaks of the whole profile:'),
				dataTable(cols, rows('peak'), { caption: 'Peaks of memory' }), command(['dlp', 'mem', fileShown()])];
		const all = await memoryOf(), live = [];
		out.push(el('p', null, snapshot ? 'A snapshot of PyTorch\'s memory: what the program asked for, and what the allocator has reserved for it.' : 'Memory in use ' + (range === null ? 'in the whole profile' : 'in these steps: when each begins, and after its own events') +
			(about().info.dialect === 'kineto' ? ': tensors, and what the allocator has reserved for them' : '. The driver allocates it; of a framework that keeps memory (PyTorch) these are its blocks and not its tensors') + '. A ring is at a peak.'));
		for (const dev of new Set(all.map(m => m.p.dev))) {
			const own = all.filter(m => m.p.dev === dev && m.list.length > 1).map(m => ({ ...m, t })), most = own.map(m => m.p.space + ' memory at most ' + bytes(m.p.peak_bytes)).join(', ');
			if (own.length > 0)
				out.push(el('h3', null, 'Device ' + dev), ...memoryCurves([...own, ...await reservedOf(t, dev)], 'Memory in use of device ' + dev + ' over time: ' + most));
		}
		if (snapshot)
			return [...out, ...snapshotTables()];
		for (const { p, list } of all)
			for (const i of liveAfter(t, list, p.upto))
				live.push(i);
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
