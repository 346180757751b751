// Memory: how much is in use over time, and what was at the peak.
function stepLines(g, h, x) {
	g.strokeStyle = color('line');
	for (const s of steps) {
		g.beginPath();
		g.moveTo(x(s.start_ns), 0);
		g.lineTo(x(s.start_ns), h);
		g.stroke();
	}
}

// The memory in use after each event, of a device and a kind.
function memoryCurve(t, list, label) {
	const canvas = el('canvas', { class: 'large curve', role: 'img', 'aria-label': label });
	canvas.draw = () => {
		const { g, w, h } = canvasOf(canvas), room = 70;
		const first = Math.min(t.start_ns[list[0]], steps.length > 0 ? steps[0].start_ns : Infinity);
		const ends = steps.map(s => s.start_ns + s.step_ns).filter(isSet);
		const last = Math.max(t.start_ns[list[list.length - 1]], ...ends);
		let most = 1;
		for (const i of list)
			most = Math.max(most, t.used_bytes[i]);
		const x = v => room + (v - first) / Math.max(1, last - first) * (w - room - 4), y = v => h - 4 - v / most * (h - 18);
		stepLines(g, h, x);
		g.strokeStyle = color('kern');
		g.lineWidth = 1.5;
		g.beginPath();
		g.moveTo(x(first), y(t.used_bytes[list[0]]));
		let was = t.used_bytes[list[0]];
		for (const i of list) {
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
		const t = await table('mem'), live = await table('live'), out = [];
		const size = (label, c) => ({ label, name: c, num: true, unit: 'bytes', get: p => p[c], show: bytes });
		if (t.n === 0)
			return [el('p', null, 'The profile does not know about memory: nsys profile --cuda-memory-usage=true, torch.profiler.profile(profile_memory=True) or rocprofv3 --memory-allocation-trace records it.'),
				command(['dlp', 'mem', fileShown()])];
		out.push(el('p', null, 'Memory in use, of the whole profile: allocations from the driver, of a framework that keeps memory (PyTorch) its blocks and not its tensors. Vertical lines are the beginnings of steps.'));
		for (const p of rows('peak')) {
			const list = [];
			for (let i = 0; i < t.n; i++)
				if (t.dev[i] === p.dev && text(t.space, i) === p.space && !Number.isNaN(t.used_bytes[i]))
					list.push(i);
			const label = p.space + ' memory of device ' + p.dev + ': at most ' + bytes(p.peak_bytes);
			out.push(el('h3', null, label));
			if (list.length > 1)
				out.push(memoryCurve(t, list, label));
		}
		const cols = [{ label: 'device', name: 'dev', num: true, get: p => p.dev, show: plain }, { label: 'space', get: p => p.space }, size('peak', 'peak_bytes'),
			size('of', 'total_bytes'), { label: 'at', name: 'start_ns', num: true, unit: 'ns', get: p => p.start_ns, show: ns }, { label: 'step', name: 'iter', num: true, get: p => p.iter, show: plain },
			{ label: 'phase', get: p => p.phase }, { label: 'layer', get: p => p.layer }, { label: 'op', name: 'at', get: p => p.at },
			size('before recording', 'before_bytes'), size('at the end', 'end_bytes'), { label: 'allocations', name: 'n_alloc', num: true, get: p => p.n_alloc, show: count }];
		out.push(el('h3', null, 'Peaks'), dataTable(cols, rows('peak'), { caption: 'Peaks of memory' }), command(['dlp', 'mem', fileShown()]));
		const all = Int32Array.from({ length: live.n }, (v, i) => i);
		const names = ['dev', 'space', 'kind', 'iter', 'phase', 'layer', 'at', 'api'], groups = groupBy(live, all, names, live.bytes);
		const labels = ['device', 'space', 'kind', 'step', 'phase', 'layer', 'op', 'API call'];
		out.push(el('h3', null, 'In use at the peak, by where it was allocated'),
		    dataTable([...labels.map((label, k) => ({ label, name: names[k], get: g => g.key[k] })), { label: 'bytes', name: 'sum_bytes', num: true, unit: 'bytes', get: g => g.sum, show: bytes },
			{ label: 'blocks', name: 'n', num: true, get: g => g.n, show: count }, { label: 'largest', name: 'max_bytes', num: true, unit: 'bytes', get: g => g.max, show: bytes }],
			groups, { caption: 'Memory in use at the peak' }), command(['dlp', 'mem', '-l', '-n', '0', fileShown()]));
		return out;
	}
};
