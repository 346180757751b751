// Roofline: how fast each op computes, and what the GPU could do, as dlp roofline.

// The peaks of the GPUs: the bandwidth, and TFLOP/s by type of numbers; none if they differ.
function peaks() {
	const devs = rows('dev'), d = devs[0];
	if (!d || devs.some(x => x.peaks !== d.peaks || x.peak_gb_s !== d.peak_gb_s))
		return { gb_s: null, of: {} };
	const of = {};
	for (const p of (d.peaks || '').split(',').filter(x => x))
		of[p.split('=')[0]] = Number(p.split('=')[1]);
	return { gb_s: isSet(d.peak_gb_s) ? d.peak_gb_s : null, of };
}

const peakOf = (of, dtype) => dtype === null ? undefined : dtype === 'fp64' ? of.fp64t || of.fp64 :
    dtype === '16bit' ? of.fp16 : dtype.startsWith('fp8') ? of.fp8 : dtype === 'uint8' ? of.int8 : of[dtype];

const quotient = (a, b, scale) => isSet(a) && b > 0 ? a / b * scale : null;

// As dlp-rate rounds: four digits, and whole numbers from 1000 on.
const rate = v => v === null ? null : v >= 1000 ? Math.round(v) : Number(v.toPrecision(4));

// The columns of dlp roofline from the sums of a group.
function rateOf(g, dir, dtype, top) {
	const mem = quotient(g.bytes, top.gb_s, 1), flop = g.exec_flop;
	const peak = isSet(g.peak_ns) ? g.peak_ns : flop === 0 ? 0 : null;
	g.tflops = quotient(flop, g.sum, 1e-3);
	g.gb_s = quotient(g.bytes, g.sum, 1);
	g.ai = quotient(flop, g.bytes, 1);
	g.bound = dir === 'comm' ? null : 'unknown';
	if (g.bound !== null && peak !== null && mem !== null && (peak > 0 || mem > 0) && g.roof_ns !== null)
		g.bound = peak >= mem ? 'compute' : 'memory';
	g.peak_tflops = peak > 0 && flop > 0 ? flop / peak * 1e-3 : peakOf(top.of, dtype) || null;
	g.peak_pct = quotient(peak, g.sum, 100);
	g.bound_pct = quotient(g.roof_ns, g.sum, 100);
	if (g.bound_pct > 100) // as dlp roofline: a bound is not exceeded
		g.bound_pct = 100;
	g.over_ns = g.roof_ns === null || g.bound === null ? null : Math.max(0, g.sum - g.roof_ns);
}

// Numbers of powers of ten, as an axis writes them.
const power = v => v >= 0.01 && v < 1e4 ? String(v) : '1e' + Math.round(Math.log10(v));

// A type of numbers has the same color in each picture.
const typeShades = { bf16: 'tc', fp16: 'mem', '16bit': 'comm', tf32: 'graph', fp32: 'kern', fp64: 'wait', fp8: 'call', int8: 'gap-sync' };

// So many powers of ten below the highest peak are drawn at most.
const roofDeep = 6;

function roofChart(groups, top, types, open) {
	const points = groups.filter(g => g.ai > 0 && g.tflops > 0), most = points.reduce((m, g) => Math.max(m, g.sum), 0);
	const label = 'TFLOP/s over FLOPs per byte of ' + points.length + ' groups, and the peaks: ' +
	    [...types].map(([t, p]) => t + ' ' + p + ' TFLOP/s').join(', ') + '. The table has the same numbers.';
	const canvas = el('canvas', { class: 'large roof', role: 'img', 'aria-label': label });
	const names = [...new Set(points.map(g => g.key[g.key.length - 1]))];
	const shade = type => 'c-' + (typeShades[type] || 'idle');
	let spots = [], taken = [];	// circles, and where texts stand
	canvas.draw = () => {
		const { g, w, h } = canvasOf(canvas), left = 46, foot = 30;
		const xs = points.map(p => Math.log10(p.ai)), ys = points.map(p => Math.log10(p.tflops));
		// what takes next to no time, or has no roof, would only stretch the axes
		const all = points.reduce((sum, p) => sum + p.sum, 0), big = points.map((p, i) => i).filter(i => points[i].sum >= all / 200 && types.has(points[i].key[points[i].key.length - 1])), [bx, by] = [big.map(i => xs[i]), big.map(i => ys[i])];
		const peak = Math.log10(Math.max(...types.values())), ridge = top.gb_s ? peak + 3 - Math.log10(top.gb_s) : 1;
		const x0 = Math.floor(Math.min(...bx, ridge - 1)), x1 = Math.ceil(Math.max(...bx, ridge + 0.5));
		const y0 = Math.floor(Math.max(Math.min(...by, peak - 1), peak - roofDeep)), y1 = Math.ceil(Math.max(...by, peak) + 0.1);
		const x = v => left + (v - x0) / (x1 - x0) * (w - left - 8), y = v => h - foot - (v - y0) / (y1 - y0) * (h - foot - 8);
		g.strokeStyle = color('line');
		g.fillStyle = color('quiet');
		for (let v = x0; v <= x1; v++) {
			line(g, x(v), 8, x(v), h - foot);
			g.fillText(power(10 ** v), v === x1 ? w - 4 - g.measureText(power(10 ** v)).width : x(v) - 4, h - foot + 13);
		}
		for (let v = y0; v <= y1; v++) {
			line(g, left, y(v), w - 8, y(v));
			g.fillText(power(10 ** v), 2, y(v) + 4);
		}
		g.fillText('FLOPs per byte', w / 2 - 40, h - 3);
		g.fillText('TFLOP/s', left + 4, 18);
		g.lineWidth = 2;
		const used = [];
		taken = [];
		const lines = [...new Set(types.values())].sort((a, b) => b - a).map(p => [[...types.keys()].filter(n => types.get(n) === p), p]);
		for (const [names, p] of lines) {
			const at = Math.log10(p), bend = top.gb_s ? at + 3 - Math.log10(top.gb_s) : x0;
			const start = Math.max(x0, top.gb_s ? y0 + 3 - Math.log10(top.gb_s) : x0);
			g.strokeStyle = color(shade(names[0]).slice(2));
			g.beginPath();
			if (top.gb_s)
				g.moveTo(x(start), y(start - 3 + Math.log10(top.gb_s)));
			g.lineTo(x(bend), y(at));
			g.lineTo(x(x1), y(at));
			g.stroke();
			let ty = y(at) - 4;
			while (used.some(u => Math.abs(u - ty) < 12))
				ty += 14;
			used.push(ty);
			g.fillStyle = color('text');
			const said = names.join(', ') + ' ' + p + (w < 600 ? '' : ' TFLOP/s');
			const wide = g.measureText(said).width;
			g.fillText(said, w - 12 - wide, ty);
			taken.push({ x: w - 12 - wide, y: ty, w: wide });
		}
		g.lineWidth = 1;
		spots = points.map((p, i) => ({ p, x: x(Math.min(Math.max(xs[i], x0), x1)), y: y(Math.max(ys[i], y0)), r: 3 + 15 * Math.sqrt(p.sum / most), below: ys[i] < y0 || xs[i] < x0 || xs[i] > x1 }));
		for (const s of spots) {
			g.beginPath();
			if (s.below) {
				g.moveTo(s.x - 4, s.y - 8);
				g.lineTo(s.x + 4, s.y - 8);
				g.lineTo(s.x, s.y);
				g.closePath();
			} else
				g.arc(s.x, s.y, s.r, 0, 7);
			g.fillStyle = color(shade(s.p.key[s.p.key.length - 1]).slice(2));
			g.globalAlpha = 0.55;
			g.fill();
			g.globalAlpha = 1;
			g.strokeStyle = color('text');
			g.stroke();
		}
		nameSpots(g);
	};
	// names of the largest, where there is room
	const nameSpots = g => {
		const used = taken;
		for (const s of spots.slice().sort((a, b) => b.r - a.r).slice(0, 8)) {
			const said = bare(plain(s.p.key[0])).replace(/.*\//, '').slice(0, 24), wide = g.measureText(said).width, right = s.x + s.r + 3 + wide < widthOf(canvas) - 8, at = { x: right ? s.x + s.r + 3 : s.x - s.r - 3 - wide, y: s.y + 4, w: wide, said };
			if (s.below || used.some(u => u.said === said && Math.abs(u.y - at.y) < 40 && Math.abs(u.x - at.x) < 40))
				continue;
			if (used.every(u => Math.abs(u.y - at.y) > 12 || u.x > at.x + at.w || u.x + u.w < at.x)) {
				used.push(at);
				g.fillStyle = color('text');
				g.fillText(said, at.x, at.y);
			}
		}
	};
	const hit = e => spots.slice().reverse().sort((a, b) => a.r - b.r).find(s => (s.x - e.offsetX) ** 2 + (s.y - e.offsetY) ** 2 <= s.r * s.r);
	canvas.addEventListener('mousemove', e => {
		const s = hit(e);
		tip(s ? e : null, s ? [bare(s.p.key.filter(isSet).map(dirWord).join(', ')), ns(s.p.sum), number(s.p.tflops) + ' TFLOP/s, ' + number(s.p.ai) + ' FLOPs per byte', isSet(s.p.bound_pct) ? percent(s.p.bound_pct) + ' of the bound' : null] : []);
		canvas.style.cursor = s ? 'pointer' : '';
	});
	canvas.addEventListener('mouseleave', () => tip(null));
	canvas.addEventListener('click', e => {
		const s = hit(e);
		if (s)
			open(s.p);
	});
	const legend = el('p', { class: 'bar quiet' }, ...names.map(n => el('span', { class: 'key' }, el('span', { class: 'swatch ' + shade(n) }), n || 'type unknown')),
	    'A larger circle takes more time; a triangle, little and outside of the picture.');
	return [canvas, legend];
}

views.roofline = {
	label: 'Roofline',
	ofWork: true,
	missing: () => meta.cut || (meta.tables.work.cols.exec_flop && meta.tables.work.cols.bytes) ? null : 'FLOPs and bytes are not known',
	detail: 'all',
	async show() {
		const by = groupings[state.g] && state.g !== 'stream' && state.g !== 'device' && state.g !== 'phase' ? state.g : 'op';
		const how = groupings[by], cols = [...how.cols, 'dtype'], sums = ['bytes', 'peak_ns', 'roof_ns', 'exec_flop'];
		const f = parseFilter(state.f || ''), t = await workFor(cols, ...sums, ...f.where.map(w => w[0]));
		const list = filterRows(t, kernelsOnly(t, rowsInRange(t)), f), top = peaks();
		const all = groupBy(t, list, cols, t.dur_ns), at = how.cols.indexOf('dir');
		for (const c of sums)
			all.add(c, t[c]);
		for (const g of all)
			rateOf(g, at < 0 ? null : g.key[at], g.key[cols.length - 1], top);
		const groups = filterGroups(all, f), types = new Map();
		for (const g of groups) {
			const p = peakOf(top.of, g.key[cols.length - 1]);
			if (p > 0 && g.tflops > 0)
				types.set(g.key[cols.length - 1], p);
		}
		const known = groups.filter(g => g.tflops > 0 && g.ai > 0);
		const select = picker(Object.keys(groupings).filter(g => !['stream', 'device', 'phase'].includes(g)), by);
		const rates = ['ai', 'tflops', 'gb_s', 'peak_tflops', 'peak_pct', 'bound_pct'];
		const num = (label, c, show, title, unit) => ({ label, name: c, num: true, get: g => rates.includes(c) ? rate(g[c]) : g[c], show, title, unit });
		const open = g => go({ v: by === 'kernel' ? 'kernels' : 'ops', g: by, f: '', r: g.key.slice(0, -1).map(k => k === null ? '' : k).join('\n') });
		const table = dataTable([...how.labels.map((label, k) => ({ label, get: g => g.key[k] })), { label: 'numbers', name: 'dtype', get: g => g.key[cols.length - 1] },
			num('count', 'n', count), { ...num('time', 'sum', ns, null, 'ns'), name: 'gpu_ns' },
			{ label: 'bound', get: g => g.bound, title: 'what takes longer at the peaks: the FLOPs or the bytes' },
			num('% of the bound', 'bound_pct', percent, 'the time at the bound, of the time taken'),
			num('could save', 'over_ns', ns, 'the time above the bound', 'ns'), num('FLOPs per byte', 'ai', number), num('TFLOP/s', 'tflops', number),
			num('GB/s', 'gb_s', number), num('peak TFLOP/s', 'peak_tflops', plain), num('% of peak', 'peak_pct', percent), num('FLOPs', 'exec_flop', engineering), num('bytes', 'bytes', bytes, null, 'bytes')],
		groups, { caption: 'Roofline by ' + by, room: 40, onRow: open, sort: cols.length + 1 });
		const said = top.gb_s || types.size > 0 ? 'Memory: ' + number(top.gb_s) + ' GB/s. ' : 'The peaks of this GPU are not known (dlp roofline -p gives them), so there is no roof. ';
		return [el('p', null, (known.length > 0 && types.size > 0 ? 'Each circle is work of one type of numbers. ' : '') + said + (known.length > 0 ? 'On the slope the memory limits it, under the flat line the arithmetic; far below a line it wastes time.' :
			'No kernel in these steps has known FLOPs and bytes: they follow from the sizes of ops, which emit_nvtx(record_shapes=True), torch.profiler(record_shapes=True) or dlp-record --markers record.')),
		el('div', { class: 'bar' }, select, filterField('words, or dtype=bf16, dir=backward, >1ms')),
		...(known.length > 0 && types.size > 0 ? roofChart(known, top, types, open) : []), table,
		...filteredReport('roofline', by, f, 'gpu_ns')];
	}
};
