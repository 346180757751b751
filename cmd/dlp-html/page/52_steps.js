// Steps: how long each is, and what its time is made of.
function median(list) {
	const s = list.filter(isSet).sort((a, b) => a - b), m = s.length >> 1;
	return s.length === 0 ? null : s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;
}

views.steps = {
	label: 'Steps',
	ofTimes: true,
	show() {
		if (steps.length === 0)
			return [el('p', null, 'The profile has no steps. A range around each step, or a key (dlp html -k KEY), makes them.'),
				command(['dlp', 'iters', ...keyWords(), fileShown()])];
		const own = stepsInRange(), mid = median(own.map(s => s.step_ns));
		const time = (label, get, title, name) => ({ label, name, num: true, unit: 'ns', get, show: ns, title });
		const part = p => time(partNames[p], s => s[partColumn(p)], classNames[p], partColumn(p));
		const off = s => isSet(s.step_ns) && mid > 0 ? 100 * (s.step_ns - mid) / mid : null, isOdd = s => Math.abs(off(s)) > 10;
		const cols = [{ label: 'step', name: 'iter', num: true, get: s => s.iter, show: v => String(v) }, { label: 'key', get: s => s.key },
			time('start', s => s.start_ns, null, 'start_ns'), time('step time', s => s.step_ns, 'from where the step before is over until this one has ended on the CPU and on the GPU', 'step_ns'),
			{ label: 'off the median', num: true, get: off, show: v => isSet(v) ? (v > 0 ? '+' : '') + percent(v) + (Math.abs(v) > 10 ? ' !' : '') : minus },
			time('CPU', s => s.dur_ns, null, 'dur_ns'), time('GPU', s => s.gpu_ns, 'the time in which a GPU works for it', 'gpu_ns'),
			...stripParts.filter(p => p !== 'graph' && p !== 'comm' || steps.some(s => s[partColumn(p)] > 0)).map(part),
			{ label: 'kernels', name: 'n_kern', num: true, get: s => s.n_kern, show: count },
			{ label: 'ops', name: 'n_op', num: true, get: s => s.n_op, show: count }];
		const odd = own.filter(isOdd).length, even = evenSteps(), rest = steps.filter(s => !inRange(s.iter)), slow = rest.filter(isOdd);
		return [el('p', null, own.length + (own.length === 1 ? ' step; it takes ' : ' steps; their median is ') + ns(mid) + (own.length === 1 ? '. ' : ', and ' +
			(odd === 0 ? 'none is more than 10 % off it. ' : odd + (odd === 1 ? ' is' : ' are') + ' more than 10 % off it (!). ')) + (even ? even.from === even.to ? 'The even step is ' + even.from + '. ' : 'The even steps are ' + even.from + ' to ' + even.to + '. ' : '') +
			(rest.length === 1 ? '1 step lies outside of this range, and takes ' + ns(rest[0].step_ns) + '. ' : rest.length > 0 ? rest.length + ' steps lie outside of this range, ' +
			slow.length + ' of them more than 10 % off that median' + (slow.length > 0 ? ': ' + ns(Math.min(...slow.map(s => s.step_ns))) + ' to ' + ns(Math.max(...slow.map(s => s.step_ns))) : '') + '. ' : '') +
			'A row chooses the step for all views.' + (timeByClass().n_dev > 1 ? ' Idle time of several GPUs is added up.' : '')),
			dataTable(cols, own, { caption: 'Steps', onRow: s => setRange(s.iter, s.iter) }),
			report(['iters', ...(rangeWords().length > 0 ? [] : keyWords())])];
	}
};
