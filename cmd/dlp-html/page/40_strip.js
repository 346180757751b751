// The strip of steps, on top of every view: a bar for each step, and the range.
// Also what pictures share: canvases, colors, texts.
const stripParts = ['tc', 'kern', 'graph', 'comm', 'mem', 'idle'];

// Short names, for headings and for the key under the bars.
const partNames = { tc: tensorCores('Tensor Cores'), kern: 'other kernels', graph: 'graphs', comm: 'communication', mem: 'copies', idle: 'idle' };

// The column of dlp iters with the time of a part.
const partColumn = p => p === 'kern' ? 'other_kern_ns' : p + '_ns';

function median(list) {
	const s = list.filter(isSet).sort((a, b) => a - b), m = s.length >> 1;
	return s.length === 0 ? null : s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;
}

let barsMade = { of: null, bars: [] };

function barsOfSteps() {
	if (barsMade.of === steps)
		return barsMade.bars;
	const bars = steps.map(s => ({ iter: s.iter, idles: [], total: stripParts.reduce((sum, p) => sum + (s[partColumn(p)] || 0), 0),
		...Object.fromEntries(stripParts.map(p => [p, s[partColumn(p)] || 0])) }));
	const at = new Map(bars.map(b => [b.iter, b]));
	for (const r of [...rows('idle')].sort((a, b) => b.ns - a.ns))
		if (at.has(r.iter))
			at.get(r.iter).idles.push([r.class, r.ns]);
	barsMade = { of: steps, bars };
	return bars;
}

// Colors of the style, until the theme changes: pictures ask for them for each piece.
const colorsRead = new Map();

function color(name) {
	if (!colorsRead.has(name))
		colorsRead.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
	return colorsRead.get(name);
}

// Pictures are drawn for the screen, except while the page is printed: for the width of
// paper (A4 and Letter have about this many pixels between their margins), and finer.
const paper = { wide: 700, fine: 3, on: false };
const widthOf = canvas => paper.on ? paper.wide : canvas.clientWidth;

// A canvas of the size that it has there.
function canvasOf(canvas) {
	const scale = paper.on ? paper.fine : window.devicePixelRatio || 1, w = widthOf(canvas);
	if (!paper.on)
		canvas.tall = canvas.clientHeight;
	const h = paper.on && parseFloat(canvas.style.height) || canvas.tall;
	canvas.width = Math.round(w * scale);
	canvas.height = Math.round(h * scale);
	const g = canvas.getContext('2d');
	g.scale(scale, scale);
	g.clearRect(0, 0, w, h);
	g.font = '12px system-ui, sans-serif';
	return { g, w, h };
}

function line(g, x0, y0, x1, y1) {
	g.beginPath();
	g.moveTo(x0, y0);
	g.lineTo(x1, y1);
	g.stroke();
}

// Text that ends where the room ends; ends: with the end of the text behind a gap.
function clipText(g, s, x, y, room, ends) {
	const cut = n => n >= s.length ? s : ends ? s.slice(0, Math.ceil(n / 2)) + '…' + s.slice(s.length - Math.floor(n / 2)) : s.slice(0, n) + '…';
	let n = s.length;
	if (g.measureText(s).width > room) {
		n = Math.min(n - 1, Math.floor(n * room / g.measureText(s).width));
		while (n > 0 && g.measureText(cut(n)).width > room)
			n--;
	}
	g.fillStyle = color('text');
	if (n > 0)
		g.fillText(cut(n), x, y);
}

// Idle time recedes: greys, the darker the more of it can be gained, and some hatched.
const gapColors = ['gap-launch-bound', 'gap-dataloader', 'gap-sync', 'gap-host-only', 'gap-comm-wait', 'gap-allocation'];

// The color of a class of gaps; most have none of their own.
function gapColor(name) {
	const c = 'gap-' + (name === 'after-sync' ? 'sync' : name);
	return gapColors.includes(c) ? c : 'idle';
}

const idleName = c => idleSaid[c] || 'idle, ' + c;
const idleWord = c => idleName(c).replace('idle, ', '');
const isHatched = c => c === 'gap-dataloader' || c === 'gap-comm-wait' || c === 'gap-sync';

// How a color of the style fills: the hatched ones with lines across.
const patternsMade = new Map();

function fillOf(g, name) {
	if (!isHatched(name))
		return color(name);
	const key = name + paper.on + color(name);
	if (!patternsMade.has(key)) {
		const tile = el('canvas', { width: 6, height: 6 }), t = tile.getContext('2d');
		t.fillStyle = color(name);
		t.fillRect(0, 0, 6, 6);
		t.strokeStyle = color('back');
		t.globalAlpha = 0.75;
		for (const x of [-6, 0, 6])
			line(t, x, name === 'gap-sync' ? 0 : 6, x + 6, name === 'gap-sync' ? 6 : 0);
		patternsMade.set(key, g.createPattern(tile, 'repeat'));
	}
	return patternsMade.get(key);
}

// A bar for each step, the slowest of a pixel's where there are more; what is longer than
// three usual ones is cut off, with a gap near its top.
const stripRoom = { left: 52, foot: 15, widest: 30 };

function stripScale(bars, w) {
	const most = Math.max(1, ...bars.map(b => b.total)), usual = median(bars.map(b => b.total)) || most;
	return { most: most > 3 * usual ? 2 * usual : most, wide: Math.min(stripRoom.widest, (w - stripRoom.left) / bars.length) };
}

function drawBar(g, bar, left, width, low, most) {
	let y = low;
	// idle time by reason, and what of it has none
	const reasons = bar.idles.map(([name, v]) => [gapColor(name), v]), known = reasons.reduce((s, r) => s + r[1], 0), scale = Math.min(1, most / bar.total) / most * (low - 3);
	for (const [p, v] of [...stripParts.slice(0, -1).map(p => [p, bar[p]]), ...reasons, ['idle', Math.max(0, bar.idle - known)]]) {
		const tall = v * scale;
		g.fillStyle = fillOf(g, p);
		g.fillRect(left, y - tall, width, tall);
		y -= tall;
	}
	g.fillStyle = color('panel');
	if (bar.total > most)
		g.fillRect(left, 8, width, 2);
}

function drawStrip(canvas, bars) {
	const { g, w, h } = canvasOf(canvas), n = bars.length, low = h - stripRoom.foot, { most, wide } = stripScale(bars, w), left = stripRoom.left;
	g.strokeStyle = color('line');
	g.fillStyle = color('quiet');
	const tick = tickOf(most, 3);
	for (let v = 0; v <= most; v += tick) {
		const y = low - v / most * (low - 3), said = v === 0 ? '0' : shortTime(v);
		line(g, left, y, w, y);
		g.fillText(said, left - 4 - g.measureText(said).width, Math.max(9, y + 4));
	}
	for (let x = 0; x < Math.min(n, w - left); x++) {
		const one = wide >= 1, from = one ? x : Math.floor(x * n / (w - left)), to = one ? x + 1 : Math.floor((x + 1) * n / (w - left));
		let bar = bars[from];
		for (let i = from; i < to; i++)
			if (bars[i].total > bar.total)
				bar = bars[i];
		const at = left + (one ? x * wide : x), width = one ? Math.max(1, wide - (wide > 3 ? 1 : 0)) : 1;
		drawBar(g, bar, at, width, low, most);
		g.fillStyle = color(range !== null && (bar.iter < range.from || bar.iter > range.to) ? 'veil' : 'accent');
		if (range !== null)
			g.fillRect(at, g.fillStyle === color('accent') || inRange(bar.iter) ? low + 1 : 0, width, inRange(bar.iter) ? 2 : low);
	}
	const every = Math.max(1, Math.ceil(n * 26 / Math.max(1, n * wide)));
	for (let i = 0; i < n; i += every)
		clipText(g, String(bars[i].iter), left + i * wide + 1, h - 1, 40);
}

const stepTitle = i => 'step ' + steps[i].iter + ': ' + ns(steps[i].step_ns);

// Steps as pieces of the profile's time, as dlp-iter cuts them: one begins when the GPU is
// done with those before it.
const piecesMade = new Map();	// by source

function stepPieces(of = source) {
	if (!piecesMade.has(of)) {
		let over = -Infinity;
		piecesMade.set(of, stepsOf(of).map(s => {
			const from = Math.max(s.start_ns, over);
			over = Math.max(over, s.gpu_end_ns || 0);
			return { iter: s.iter, from, to: from + (s.step_ns || s.dur_ns || 0) };
		}));
	}
	return piecesMade.get(of);
}

const piecesInRange = () => stepPieces().filter(s => inRange(s.iter));

// A time of the profile's clock as people read it: since its step began, if it lies in
// one. iter: the step, where a row knows it.
function stepOf(at, iter, of = source) {
	const s = stepPieces(of).find(s => isSet(iter) ? s.iter === iter : s.from <= at && at < s.to);
	return s && at >= s.from ? s : null;
}

function clock(at, iter, of = source) {
	const s = isSet(at) ? stepOf(at, iter, of) : null;
	return s ? 'step ' + s.iter + ' + ' + (at === s.from ? '0 us' : ns(at - s.from)) : ns(at);
}

// What the colors of the bars mean.
function stripKey(bars = barsOfSteps()) {
	const parts = stripParts.slice(0, -1).filter(p => bars.some(b => b[p] > 0)), classes = [...new Set(bars.flatMap(b => b.idles.map(i => i[0])))];
	const shades = new Map([...parts.map(p => ['c-' + p, partNames[p]]), ...classes.filter(c => gapColor(c) !== 'idle').map(c => ['c-' + gapColor(c), idleName(c)]), ['c-idle', 'idle, otherwise']]);
	return el('p', { class: 'bar quiet small' }, ...[...shades].map(([c, name]) => el('span', { class: 'key' }, el('span', { class: 'swatch ' + c }), name)));
}

function setRange(from, to) {
	const first = steps[0].iter, last = steps[steps.length - 1].iter;
	const a = Math.min(Math.max(Math.min(from, to), first), last);
	const b = Math.min(Math.max(Math.max(from, to), first), last);
	changed({ range: { from: a, to: b } });
}

function rangeSentence() {
	if (steps.length === 0)
		return 'The profile has no steps: everything counts.';
	if (range === null)
		return 'The whole profile counts, also what lies outside of the ' + steps.length + ' steps.';
	const list = stepsInRange(), even = evenSteps(), t = list.map(s => s.step_ns).filter(isSet);
	const mean = t.reduce((a, b) => a + b, 0) / t.length;
	const dev = t.length > 1 ? Math.sqrt(t.reduce((a, b) => a + (b - mean) ** 2, 0) / (t.length - 1)) : null;
	const is = even && even.from === range.from && even.to === range.to;
	return (range.from === range.to ? 'Step ' + range.from : 'Steps ' + range.from + ' to ' + range.to) +
	    ' of ' + steps.length + (is ? evenWords(range) : '') + ': mean ' + ns(mean) +
	    (dev === null ? '' : ' ± ' + ns(dev));
}

const isEven = () => range !== null && evenSteps() !== null && rangeName(range) === rangeName(evenSteps());

function rankPicker() {
	if (sources.length < 2)
		return null;
	const base = s => s.replace(/.*\//, '').replace(/(\.sqlite|\.db|\.json)?(\.xz|\.gz|\.zst)?$/, ''), bases = new Set(sources.map(base)).size > 1;
	const names = new Map(meta.other ? sources.map((s, k) => [s, ['this run', 'before'][k] + ': ' + shortName(bases ? base(s) : s, 30)]) : wholeRows('rank').map(r => [r.src, r.rank]));
	return el('label', null, meta.other ? 'profile ' : 'rank ', el('select', { onchange: e => go({ s: e.target.value, i: ranks.length > 1 || !isEven() ? rangeName(range) : '', r: '', t: '', at: '', w: '' }) },
	    ...sources.map((s, k) => el('option', { value: k, selected: s === source, title: s }, names.get(s)))));
}

function showStrip() {
	const box = byId('strip'), bars = barsOfSteps();
	const line = el('div', { class: 'bar' }, rankPicker(), el('span', null, rangeSentence()));
	if (steps.length === 0) {
		redraw(box, line);
		return;
	}
	const input = (label, value, set) => el('label', null, label + ' ', el('input', { type: 'number',
		min: steps[0].iter, max: steps[steps.length - 1].iter, value: isSet(value) ? value : '',
		onchange: e => { if (e.target.value !== '') set(Number(e.target.value)); } }));
	const r = range || { from: steps[0].iter, to: steps[steps.length - 1].iter };
	line.append(input('from', range && range.from, v => setRange(v, Math.max(v, r.to))),
	    input('to', range && range.to, v => setRange(Math.min(v, r.from), v)),
	    el('button', { type: 'button', 'aria-pressed': String(range === null),
		onclick: () => changed({ range: null }) }, 'whole profile'));
	if (evenSteps())
		line.append(el('button', { type: 'button', title: 'the steps without warm-up and outliers',
		    onclick: () => changed({ range: evenSteps() }) },
		    'steady steps'));
	const canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-label':
		'Bars of ' + steps.length + ' steps. ' + rangeSentence() +
		'. Arrow keys move the range, with Shift they change its end.' });
	canvas.draw = () => drawStrip(canvas, bars);
	redraw(box, line, canvas);
	const barAt = e => {
		const w = canvas.clientWidth, { wide } = stripScale(bars, w);
		return Math.min(bars.length - 1, Math.max(0, Math.floor((e.offsetX - stripRoom.left) / wide)));
	}, stepAt = e => bars[barAt(e)].iter;
	let begin = null;
	canvas.addEventListener('pointermove', e => {
		const b = bars[barAt(e)];
		tip(e, [stepTitle(barAt(e)), ...stripParts.filter(p => b[p] > 0).map(p => partNames[p] + ' ' + ns(b[p]))]);
	});
	canvas.addEventListener('pointerleave', () => tip(null));
	canvas.addEventListener('pointerdown', e => { begin = stepAt(e); canvas.setPointerCapture(e.pointerId); });
	canvas.addEventListener('pointerup', e => { if (begin !== null) setRange(begin, stepAt(e)); begin = null; });
	canvas.addEventListener('keydown', e => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (!by)
			return;
		e.preventDefault();
		setRange(e.shiftKey ? r.from : r.from + by, r.to + by);
	});
	canvas.draw();
}
