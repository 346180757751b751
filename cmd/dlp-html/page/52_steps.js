// Steps: how long each is, what its time is made of, and which are odd.
const offMedian = (s, mid) => isSet(s.step_ns) && mid > 0 ? 100 * (s.step_ns - mid) / mid : null;
const isOdd = (s, mid) => Math.abs(offMedian(s, mid)) > 10;

// What the odd steps have in common, in words: the first ones, every n-th, single ones.
function patternOf(mid) {
	const slow = steps.map((s, i) => offMedian(s, mid) > 10 ? i : -1).filter(i => i >= 0), said = [];
	let first = 0;
	while (slow[first] === first)
		first++;
	if (first > 0)
		said.push(first === 1 ? 'The first step is ' + percent(offMedian(steps[0], mid)) + ' longer (warm-up).' : 'The first ' + first + ' steps are longer (warm-up).');
	const rest = slow.slice(first), apart = rest.slice(1).map((v, i) => v - rest[i]);
	if (apart.length > 1 && apart.every(d => d === apart[0]) && apart[0] > 1)
		said.push('Every ' + apart[0] + 'th step is longer, from step ' + steps[rest[0]].iter + ' on: look for what runs so often (logging, evaluation, saving).');
	else if (rest.length > 0)
		said.push((rest.length === 1 ? 'Step ' : 'Steps ') + rest.slice(0, 6).map(i => steps[i].iter + ' (+' + percent(offMedian(steps[i], mid)) + ')').join(', ') + (rest.length > 6 ? ' and ' + (rest.length - 6) + ' more' : '') + (rest.length === 1 ? ' is' : ' are') + ' longer than the others.');
	return said;
}

// A bar for each step with an axis of time, the median as a line; what is chosen is marked.
function stepChart(mid) {
	const bars = barsOfSteps(), canvas = el('canvas', { class: 'large steps', role: 'img', 'aria-label': 'Length of ' + bars.length + ' steps, their median ' + ns(mid) + '. The table has the same numbers.' });
	const left = 56, foot = 20, place = w => Math.min(48, (w - left) / bars.length);
	canvas.draw = () => {
		const { g, w, h } = canvasOf(canvas), low = h - foot, wide = place(w), most = Math.max(1, ...bars.map(b => b.total)), tick = tickOf(most, 4);
		g.strokeStyle = color('line');
		g.fillStyle = color('quiet');
		for (let v = 0; v <= most; v += tick) {
			const y = low - v / most * (low - 16), said = v === 0 ? '0' : shortTime(v);
			line(g, left, y, w, y);
			g.fillText(said, left - 6 - g.measureText(said).width, y + 4);
		}
		bars.forEach((b, i) => {
			const x = left + i * wide, room = Math.max(1, wide - (wide > 3 ? 2 : 0)), top = low - b.total / most * (low - 16);
			g.save();
			g.translate(0, 13);
			drawBar(g, b, x, room, low - 13, most);
			g.restore();
			if (range === null || inRange(b.iter)) {
				g.fillStyle = color('accent');
				g.fillRect(x, low + 1, room, 3);
			}
			g.fillStyle = color('text');
			if (isOdd(steps[i], mid) && wide > 8)
				g.fillText('!', x + room / 2 - 2, Math.max(11, top - 3));
		});
		const every = Math.max(1, Math.ceil(30 / wide));
		for (let i = 0; i < bars.length; i += every)
			clipText(g, String(bars[i].iter), left + i * wide + 1, h - 2, 40);
		g.strokeStyle = color('text');
		g.setLineDash([4, 4]);
		line(g, left, low - mid / most * (low - 16), left + Math.min(w - left, bars.length * wide), low - mid / most * (low - 16));
		g.setLineDash([]);
	};
	const at = e => Math.floor((e.offsetX - left) / place(canvas.clientWidth));
	canvas.addEventListener('pointermove', e => {
		const b = bars[at(e)];
		tip(b ? e : null, b && [stepTitle(at(e)), ...stripParts.filter(p => b[p] > 0).map(p => partNames[p] + ' ' + ns(b[p])), ...b.idles.slice(0, 3).map(([c, v]) => idleName(c) + ' ' + ns(v))]);
	});
	canvas.addEventListener('pointerleave', () => tip(null));
	canvas.addEventListener('click', e => bars[at(e)] && setRange(bars[at(e)].iter, bars[at(e)].iter));
	return [canvas, stripKey(bars)];
}

views.steps = {
	label: 'Steps',
	ofTimes: true,
	missing: () => steps.length === 0 ? 'the profile has no steps' : null,
	show() {
		if (steps.length === 0)
			return [el('p', null, 'The profile has no steps. A range around each step, or a key (dlp html -k KEY), makes them.'),
				command(['dlp', 'iters', ...keyWords(), fileShown()])];
		const own = stepsInRange(), mid = median(own.map(s => s.step_ns));
		const time = (label, get, title, name) => ({ label, name, num: true, unit: 'ns', get, show: ns, title });
		const part = p => time(partNames[p], s => s[partColumn(p)], classNames[p], partColumn(p));
		const cols = [{ label: 'step', name: 'iter', num: true, get: s => s.iter, show: v => String(v) }, { label: 'key', get: s => s.key },
			time('start', s => s.start_ns, null, 'start_ns'), time('step time', s => s.step_ns, 'from where the step before is over until this one has ended on the CPU and on the GPU', 'step_ns'),
			{ label: '% off the median', num: true, get: s => offMedian(s, mid), show: v => isSet(v) ? (v > 0 ? '+' : '') + v.toFixed(1) + (Math.abs(v) > 10 ? ' !' : '') : minus },
			time('CPU', s => s.dur_ns, null, 'dur_ns'), time('GPU', s => s.gpu_ns, 'the time in which a GPU works for it', 'gpu_ns'),
			...stripParts.filter(p => p !== 'graph' && p !== 'comm' || steps.some(s => s[partColumn(p)] > 0)).map(part),
			{ label: 'kernels', name: 'n_kern', num: true, get: s => s.n_kern, show: count },
			{ label: 'ops', name: 'n_op', num: true, get: s => s.n_op, show: count }];
		const even = evenSteps(), all = madeOfSteps() ? rangeWords(allSteps()) : keyWords();
		return [el('p', null, own.length + ' of ' + steps.length + (own.length === 1 ? ' steps is chosen; it takes ' : ' steps are chosen; their median is ') + ns(mid) + '. ' + (even ? even.from === even.to ? 'The steady step is ' + even.from + '. ' : 'The steady steps are ' + even.from + ' to ' + even.to + '. ' : '') +
			patternOf(mid).join(' ') + ' A bar or a row chooses the step for all views.' + (timeByClass().n_dev > 1 ? ' Idle time of several GPUs is added up.' : '')),
			...stepChart(mid), dataTable(cols, steps, { caption: 'Steps', onRow: s => setRange(s.iter, s.iter), look: s => range !== null && inRange(s.iter) ? 'chosen' : null }),
			command(['dlp', 'iters', ...all, fileShown()])];
	}
};
