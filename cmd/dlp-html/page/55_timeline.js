// Timeline: what ran when, on the GPU and on the CPU.
const laneTall = 17, laneRoom = 22;

function shadeName(s) {
	if (s < 10)
		return laneShades[s] || 'idle';
	return gapColor(Object.keys(gapMeanings)[s - 10]);
}

// Ticks at round distances.
function tickOf(span, n) {
	const raw = span / n, p = 10 ** Math.floor(Math.log10(raw));
	return [1, 2, 5, 10].map(m => m * p).find(v => v >= raw);
}

// Stacks of a pixel's width, from y up; those that are as high as the ones before them
// are drawn with these.
function stacksOf(g, left, y, colors, shades) {
	const runs = shades.map(() => ({ from: 0, to: -1, up: 0, high: 0 }));
	const draw = (r, k) => {
		if (r.high > 0 && r.to > r.from) {
			g.fillStyle = colors(shades[k]);
			g.fillRect(left + r.from, r.up - r.high, r.to - r.from, r.high);
		}
	};
	return {
		add(p, part) {	// part(k): how full the pixel is, of a shade
			let up = y;
			for (let k = 0; k < runs.length; k++) {
				const r = runs[k], full = Math.min(1, part(k)) * (laneTall - 2), high = full > 0 ? Math.max(1.5, Math.round(full * 2) / 2) : 0;
				if (r.to !== p || r.up !== up || r.high !== high) {
					draw(r, k);
					r.from = p;
					r.up = up;
					r.high = high;
				}
				r.to = p + 1;
				up -= full;
			}
		},
		end() {
			runs.forEach(draw);
		}
	};
}

function drawPiece(g, lane, i, y, view, left, w, colors, nameOf) {
	const per = (view.to - view.from) / w, a = Math.max(0, (lane.start(i) - view.from) / per), wide = Math.max(1, Math.min(w, (lane.end(i) - view.from) / per) - a), room = wide > 3 ? wide - 0.5 : wide;
	if (lane.fill) {	// what is drawn there
		g.fillStyle = color('back');
		g.fillRect(left + a, y, room, laneTall - 2);
	}
	g.globalAlpha = 0.5;
	g.fillStyle = colors(lane.shade(i));
	g.fillRect(left + a, y, room, laneTall - 2);
	g.globalAlpha = 1;
	// pieces of a lane can overlap: the next one has its name there
	if (wide > 26 && (i + 1 >= lane.n || (lane.start(i + 1) - view.from) / per >= a + 20))
		clipText(g, nameOf(lane, i), left + a + 2, y + 11, wide - 4);
}

// How full each pixel is, and pieces that are long.
function drawFill(g, lane, y, view, left, w, colors, nameOf) {
	const from = densityFrom(), per = (view.to - view.from) / w, shades = Object.keys(lane.fill).map(Number), last = shades.map(() => 0), stacks = stacksOf(g, left, y + laneTall - 2, colors, shades);
	const upTo = (sum, at) => {
		const b = Math.floor(at);
		return b < 0 ? 0 : b >= densityPieces ? sum[densityPieces] : sum[b] + (at - b) * (sum[b + 1] - sum[b]);
	};
	for (let p = -1; p < w; p++) {
		const at = (view.from + (p + 1) * per - from) / density.wide_ns, part = k => {
			const now = upTo(lane.fill[shades[k]], at), was = last[k];
			last[k] = now;
			return (now - was) / per;
		};
		if (p < 0)
			last.forEach((x, k) => part(k));
		else
			stacks.add(p, part);
	}
	stacks.end();
	for (const i of lane.long || [])
		if (lane.start(i) < view.to && lane.end(i) > view.from && lane.length(i) >= 2 * per)
			drawPiece(g, lane, i, y, view, left, w, colors, nameOf);
}

function drawPieces(g, lane, y, view, left, w, colors, nameOf) {
	const per = (view.to - view.from) / w;
	if (lane.fill && (!lane.start || per >= density.wide_ns)) {
		drawFill(g, lane, y, view, left, w, colors, nameOf);
		return;
	}
	const stacks = stacksOf(g, left, y + laneTall - 2, colors, lane.sums.map(s => s.shade));
	let i = after(lane.n, lane.end, view.from), sums = null;
	while (i < lane.n) {
		const start = lane.start(i);
		if (start >= view.to)
			break;
		if (lane.length(i) >= 2 * per) {
			drawPiece(g, lane, i, y, view, left, w, colors, nameOf);
			i++;
			sums = null;
			continue;
		}
		// many short pieces in this pixel: how full it is, by class
		const p = Math.max(0, Math.floor((start - view.from) / per)), past = after(lane.n, lane.start, view.from + (p + 1) * per, i);
		const next = nextLong(lane, i + 1, past, 2 * per);
		const most = sumsTo(lane, next), was = sums || sumsTo(lane, i);
		stacks.add(p, k => (most[k] - was[k]) / per);
		i = next;
		sums = most;
	}
	stacks.end();
}

function drawMemory(g, lane, y, view, left, w) {
	const per = (view.to - view.from) / w, tall = laneTall - 2;
	let i = Math.max(0, after(lane.n, lane.start, view.from) - 1), x = 0;
	g.fillStyle = color('mem');
	g.globalAlpha = 0.6;
	while (i < lane.n && x < w) {
		let most = lane.t.used_bytes[lane.at[i]];
		const from = Math.max(0, (lane.start(i) - view.from) / per);
		let next = i + 1;
		for (; next < lane.n && (lane.start(next) - view.from) / per < Math.floor(from) + 1; next++)
			most = Math.max(most, lane.t.used_bytes[lane.at[next]]);
		const to = next < lane.n ? Math.min(w, (lane.start(next) - view.from) / per) : w;
		const high = most / lane.most * tall;
		g.fillRect(left + from, y + tall - high, Math.max(1, to - from), high);
		x = to;
		i = next;
	}
	g.globalAlpha = 1;
}

// Round times since each step began, in the lane of steps. A step has its number there, too.
function drawStepTicks(g, lane, y, view, left, w, tick) {
	const per = (view.to - view.from) / w, x = v => left + (v - view.from) / per;
	g.fillStyle = color('text');
	for (let k = after(lane.n, lane.end, view.from); k < lane.n && lane.start(k) < view.to; k++) {
		const start = lane.start(k), end = lane.end(k), name = 'step ' + lane.name(k);
		let free = Math.max(left, x(start)) + 4;
		if (x(end) - free > 26) {
			clipText(g, name, free, y + 11, x(end) - free - 2);
			free += g.measureText(name).width + 10;
		}
		for (let n = Math.max(1, Math.ceil((view.from - start) / tick)); start + n * tick < Math.min(end, view.to); n++) {
			const at = x(start + n * tick), said = '+' + tickText(n * tick, tick), wide = g.measureText(said).width;
			if (at < free || at + wide + 4 > Math.min(left + w, x(end)))
				continue;
			g.fillRect(at, y, 1, laneTall - 2);
			g.fillText(said, at + 3, y + 11);
			free = at + wide + 10;
		}
	}
}

const factColumns = ['class', 'what', 'what_ns', 'before', 'after', 'op', 'dir', 'phase', 'layer', 'iter', 'api', 'grid', 'block', 'regs', 'bytes', 'flop', 'dtype', 'tc', 'tc_why', 'line', 'code', 'used_bytes', 'gpu_ns', 'overhead_ns', 'idle_ns', 'kind', 'stream', 'tid', 'res', 'n_seg'];
const tableNames = { launch: 'work', memory: 'mem' };

// What is known of a piece, as names and values.
async function factsOf(lane, k) {
	const p = lane.piece ? lane.piece(k) : { t: lane.t, i: lane.at ? lane.at[k] : k };
	const name = lane.piece ? p.kind : tableNames[lane.kind] || lane.kind;
	if (p.t)
		await table(name, factColumns);
	// both clocks, and the exact time
	const iter = p.t ? p.t.iter[p.i] : null, time = (label, at) => [label, ns(at) + (stepOf(at, iter) ? ', ' + clock(at, iter) : ''), at + ' ns'];
	const facts = [time('start', lane.start(k))];
	if (lane.end)
		facts.push(['time', ns(lane.end(k) - lane.start(k))]);
	if (lane.kind === 'work' || lane.kind === 'launch') {
		const { t, i } = p, done = t.api_start_ns[i] + t.api_dur_ns[i];
		facts.push(['kernel', workName(t, i)], ['on the GPU', ns(t.dur_ns[i])], time('launched', t.api_start_ns[i]), ['waited in the queue', ns(t.start_ns[i] - done)]);
	}
	for (const c of p.t ? factColumns : []) {
		if (!(c in (meta.tables[name] || { cols: {} }).cols))
			continue;
		const col = p.t[c], v = col.d ? text(col, p.i) : col[p.i];
		if (isSet(v))
			facts.push([inWords(c), c.endsWith('_ns') ? ns(v) : c.endsWith('bytes') ? bytes(v) : String(v)]);
	}
	return facts;
}

const laneKey = (lane, k) => lane.kind === 'work' && namesRead.has(source) ? String(lane.t.id[lane.at[k]]) : null;

// The lane and number of the piece that the address names.
function chosenPiece(lanes) {
	if (state.t)
		for (const lane of lanes.filter(l => l.kind === 'work'))
			for (let k = 0; k < lane.n; k++)
				if (lane.t.id[lane.at[k]] === Number(state.t))
					return { lane, k };
	if (state.at)
		for (const lane of lanes.filter(l => l.kind === 'gap')) {
			const k = after(lane.n, lane.start, Number(state.at)) - 1;
			if (k >= 0 && lane.start(k) === Number(state.at))
				return { lane, k };
		}
	return null;
}

function spanOf(lanes) {
	const known = lanes.filter(l => l.end), of = density ? [densityFrom()] : [];
	return { from: Math.min(...known.map(l => l.start(0)), ...of), to: Math.max(...known.map(l => l.last), ...of.map(v => v + densityPieces * density.wide_ns)) };
}

// At first the chosen steps, or what a link names.
function firstWindow(lanes, whole, chosen) {
	const m = /^(-?\d+)-(\d+)$/.exec(state.w || '');
	if (m && Number(m[2]) > Number(m[1]))
		return { from: Number(m[1]), to: Number(m[2]) };
	if (chosen) {
		const from = chosen.lane.start(chosen.k), d = Math.max(2000, chosen.lane.end(chosen.k) - from);
		// what is long is a third of the picture: its neighbours matter less
		const room = d > 1e6 ? d : 8 * d;
		return { from: Math.max(Math.min(whole.from, from), from - room), to: from + d + room };
	}
	const list = range === null ? [] : piecesInRange();
	if (list.length === 0)
		return { ...whole };
	return { from: stepsInRange()[0].start_ns, to: list[list.length - 1].to };
}

function timelineOf(lanes) {
	let chosen = chosenPiece(lanes), found = [], later = null, asked = false, naming = null, known = null, address = location.hash;
	const whole = spanOf(lanes), view = firstWindow(lanes, whole, chosen);
	const canvas = el('canvas', { class: 'large timeline', tabindex: 0, role: 'application', 'aria-label': lanes.length +
		' lanes of GPU streams and threads. Left and right move, plus and minus zoom, 0 shows all, n and p choose the next and the previous piece of a lane, up and down another lane. What is chosen is said below.' });
	canvas.style.height = lanes.length * laneTall + laneRoom + 'px';
	const facts = el('dl', { class: 'facts' }), label = () => widthOf(canvas) < 600 ? 112 : 205;

	// The rows of the lanes, of a large page after the first picture.
	function withRows() {
		known = known || allLanes().then(list => {
			lanes = list;
			canvas.style.height = lanes.length * laneTall + laneRoom + 'px';
			redraw();
		});
		return known;
	}
	if (lanes.some(l => !l.start))
		setTimeout(withRows, 300);

	function arrow(g, left, w) {
		if (!chosen || (chosen.lane.kind !== 'work' && chosen.lane.kind !== 'launch'))
			return;
		const { t, at } = chosen.lane, i = at[chosen.k], other = chosen.lane.kind === 'work' ? 'launch' : 'work';
		const k = lanes.findIndex(l => l.kind === other && (other === 'work' ? l.dev === t.dev[i] && l.stream === t.stream[i] : l.at.length > 0 && t.tid[l.at[0]] === t.tid[i] && t.pid[l.at[0]] === t.pid[i]));
		if (k < 0 || Number.isNaN(t.api_start_ns[i]) || Number.isNaN(t.start_ns[i]))
			return;
		const y = n => laneRoom + n * laneTall + laneTall / 2, x = v => left + (v - view.from) / (view.to - view.from) * w, mine = lanes.indexOf(chosen.lane);
		const [from, to] = other === 'launch' ? [k, mine] : [mine, k], x1 = x(t.start_ns[i]), y1 = y(to), x0 = x(t.api_start_ns[i]), y0 = y(from), turn = Math.atan2(y1 - y0, x1 - x0);
		g.save();
		g.beginPath();
		g.rect(left, laneRoom, w, lanes.length * laneTall);
		g.clip();
		g.strokeStyle = color('bad');
		g.lineWidth = 2;
		line(g, x0, y0, x1, y1);
		line(g, x1, y1, x1 - 9 * Math.cos(turn - 0.4), y1 - 9 * Math.sin(turn - 0.4));
		line(g, x1, y1, x1 - 9 * Math.cos(turn + 0.4), y1 - 9 * Math.sin(turn + 0.4));
		g.restore();
	}

	canvas.draw = () => {
		const { g, w: full, h } = canvasOf(canvas), left = label(), w = full - left, cache = new Map();
		const colors = s => cache.get(s) || cache.set(s, color(shadeName(s))).get(s);
		const tick = tickOf(view.to - view.from, Math.max(4, w / 110)), x = v => left + (v - view.from) / (view.to - view.from) * w;
		for (let v = Math.ceil(view.from / tick) * tick; v <= view.to; v += tick) {
			g.strokeStyle = color('line');
			line(g, x(v), 14, x(v), h);
			const said = tickText(v, tick);
			g.fillStyle = color('quiet');
			if (x(v) + 2 + g.measureText(said).width <= full)
				g.fillText(said, x(v) + 2, 12);
		}
		lanes.forEach((lane, n) => {
			const y = laneRoom + n * laneTall;
			clipText(g, lane.label, 2, y + 12, left - 6, true);
			if (lane.kind === 'memory')
				drawMemory(g, lane, y, view, left, w);
			else if (lane.kind === 'step') {
				drawPieces(g, lane, y, view, left, w, colors, () => '');
				drawStepTicks(g, lane, y, view, left, w, tick);
			} else
				drawPieces(g, lane, y, view, left, w, colors, nameOf);
			if (chosen && chosen.lane === lane) {
				g.strokeStyle = color('text');
				g.lineWidth = 2;
				const a = Math.max(left, x(lane.start(chosen.k))), b = Math.min(full, x(lane.end ? lane.end(chosen.k) : lane.start(chosen.k) + 1));
				if (b >= left && a <= full)
					g.strokeRect(a - 1, y - 1, Math.max(3, b - a + 2), laneTall);
				g.lineWidth = 1;
			}
		});
		arrow(g, left, w);
	};

	// '' until it is unpacked
	function nameOf(lane, k) {
		if (namesRead.has(source) || !['work', 'launch', 'call', 'nested'].includes(lane.kind))
			return lane.name(k) || '';
		if (!naming)
			naming = readNames().then(redraw);
		return '';
	}

	const redraw = () => {
		if (!asked)
			requestAnimationFrame(() => { asked = false; canvas.draw(); });
		asked = true;
		clearTimeout(later);
		later = setTimeout(() => {
			if (location.hash !== address)
				return;		// another view was asked for meanwhile
			state = { ...state, w: Math.round(view.from) + '-' + Math.round(view.to), t: chosen ? laneKey(chosen.lane, chosen.k) : null, at: chosen && chosen.lane.kind === 'gap' ? String(chosen.lane.start(chosen.k)) : null };
			history.replaceState(null, '', hashOf(state));
			address = location.hash;
		}, 400);
	};

	function move(by) {
		const d = (view.to - view.from) * by, room = view.to - view.from;
		const at = Math.min(Math.max(view.from + d, whole.from - room / 2), whole.to - room / 2);
		view.from = at;
		view.to = at + room;
		redraw();
	}

	function zoom(factor, at = (view.from + view.to) / 2) {
		const room = Math.min(Math.max((view.to - view.from) * factor, 200), 1.1 * (whole.to - whole.from));
		const part = (at - view.from) / (view.to - view.from);
		view.from = at - part * room;
		view.to = view.from + room;
		redraw();
	}

	function all() {
		Object.assign(view, whole);
		redraw();
	}

	function choose(lane, k) {
		chosen = lane && k >= 0 && k < lane.n ? { lane, k } : chosen;
		if (!chosen)
			return;
		const from = chosen.lane.start(chosen.k), to = chosen.lane.end ? chosen.lane.end(chosen.k) : from, room = view.to - view.from;
		if (to < view.from || from > view.to)
			Object.assign(view, { from: from - room / 2, to: from + room / 2 });
		showFacts();
		redraw();
	}

	async function showFacts() {
		const of = chosen, known = of ? (await readNames(), await factsOf(of.lane, of.k)) : [];
		if (of !== chosen)
			return;		// another one was chosen meanwhile
		const name = chosen ? nameOf(chosen.lane, chosen.k) : '';
		facts.classList.toggle('hint', !chosen);
		facts.replaceChildren(...(chosen ? [[chosen.lane.kind === 'nested' ? chosen.lane.piece(chosen.k).kind.replace('inst', 'op').replace('nest', 'inside an op') : chosen.lane.label, name], ...known] :
			[['chosen', 'nothing (click, or press n or p)']]).map(([k, v, title]) => el('div', null, el('dt', null, k), el('dd', { title }, v))));
		if (chosen)
			say(name + ', ' + known.slice(0, 2).map(f => f.join(' ')).join(', '));
	}

	function hit(e) {
		const lane = lanes[Math.floor((e.offsetY - laneRoom) / laneTall)], left = label(), w = canvas.clientWidth - left;
		if (!lane || !lane.start || e.offsetX < left)
			return null;
		const per = (view.to - view.from) / w, at = view.from + (e.offsetX - left) * per, k = after(lane.n, lane.start, at) - 1;
		if (lane.kind === 'memory' || (k >= 0 && lane.end(k) >= at - 3 * per))
			return k < 0 ? null : { lane, k };
		return k + 1 < lane.n && lane.start(k + 1) <= at + 3 * per ? { lane, k: k + 1 } : null;
	}

	async function search(words) {
		found = [];
		await readNames();
		await withRows();
		const want = words.toLowerCase().split(/\s+/).filter(x => x);
		if (want.length > 0)
			for (const lane of lanes.filter(l => l.kind !== 'memory' && l.kind !== 'path'))
				for (let k = 0; k < lane.n; k++) {
					const s = (lane.name(k) || '').toLowerCase();
					if (want.every(x => s.includes(x)))
						found.push({ lane, k });
				}
		found.sort((a, b) => a.lane.start(a.k) - b.lane.start(b.k));
		state.f = words;
		next(1, true);
	}

	function next(by, from) {
		if (found.length === 0) {
			hits.textContent = state.f ? 'nothing has this name' : '';
			return;
		}
		let at = from ? found.findIndex(x => x.lane.start(x.k) >= view.from) : found.findIndex(x => chosen && x.lane === chosen.lane && x.k === chosen.k) + by;
		at = (Math.max(at, from ? 0 : -1) + found.length) % found.length;
		hits.textContent = count(at + 1) + ' of ' + count(found.length);
		choose(found[at].lane, found[at].k);
	}

	let drag = null;
	canvas.addEventListener('pointerdown', e => { drag = { x: e.offsetX, moved: false }; canvas.setPointerCapture(e.pointerId); });
	canvas.addEventListener('pointermove', e => {
		const over = drag ? null : hit(e), lane = lanes[Math.floor((e.offsetY - laneRoom) / laneTall)];
		canvas.title = e.offsetX < label() && lane ? lane.label : over ? [nameOf(over.lane, over.k), over.lane.end ? ns(over.lane.end(over.k) - over.lane.start(over.k)) : null, clock(over.lane.start(over.k)), over.lane.start(over.k) + ' ns'].filter(isSet).join(', ') : '';
		if (!drag || (!drag.moved && Math.abs(e.offsetX - drag.x) < 4))
			return;
		move((drag.x - e.offsetX) / (canvas.clientWidth - label()));
		drag = { x: e.offsetX, moved: true };
	});
	canvas.addEventListener('pointerup', e => {
		const found = drag && !drag.moved ? hit(e) : null;
		drag = null;
		if (found)
			choose(found.lane, found.k);
	});
	canvas.addEventListener('wheel', e => {
		if (!e.ctrlKey && !e.metaKey && Math.abs(e.deltaX) <= Math.abs(e.deltaY))
			return;		// the page scrolls
		e.preventDefault();
		if (e.ctrlKey || e.metaKey)
			zoom(e.deltaY > 0 ? 1.25 : 0.8, view.from + (e.offsetX - label()) / (canvas.clientWidth - label()) * (view.to - view.from));
		else
			move(e.deltaX / canvas.clientWidth);
	}, { passive: false });
	canvas.addEventListener('keydown', e => {
		const moves = ['ArrowLeft', 'ArrowRight', ...'adws+-=0'].includes(e.key), lane = () => chosen ? chosen.lane : lanes[0], other = by => {
			const l = lanes[Math.min(Math.max(lanes.indexOf(lane()) + by, 0), lanes.length - 1)];
			choose(l, Math.max(0, after(l.n, l.start, chosen ? chosen.lane.start(chosen.k) : view.from) - 1));
		};
		const todo = { ArrowLeft: () => move(-0.2), a: () => move(-0.2), ArrowRight: () => move(0.2), d: () => move(0.2), '+': () => zoom(0.6), '=': () => zoom(0.6), w: () => zoom(0.6), '-': () => zoom(1.6), s: () => zoom(1.6),
			0: all, n: () => choose(lane(), chosen ? chosen.k + 1 : after(lane().n, lane().start, view.from)), p: () => choose(lane(), chosen ? chosen.k - 1 : after(lane().n, lane().start, view.from)), ArrowDown: () => other(1), ArrowUp: () => other(-1) }[e.key];
		if (!todo || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		if (moves || lanes.every(l => l.start))
			todo();
		else
			withRows().then(todo);
	});
	const button = (name, f) => el('button', { type: 'button', onclick: f }, name), hits = el('span', { class: 'quiet' });
	const field = el('input', { type: 'search', id: 'filter', value: state.f || '', size: 22, onchange: e => search(e.target.value) });
	const bar = el('p', { class: 'bar' }, button('zoom in', () => zoom(0.5)), button('zoom out', () => zoom(2)), button('all', all), el('label', null, 'find ', field), button('previous', () => next(-1)), button('next', () => next(1)), hits);
	showFacts();
	return [bar, canvas, facts];
}

const tickText = (v, tick) => tick >= 1e9 ? (v / 1e9).toFixed(0) + ' s' : tick >= 1e6 ? (v / 1e6).toFixed(0) + ' ms' : tick >= 1e3 ? (v / 1e6).toFixed(3) + ' ms' : (v / 1e3).toFixed(3) + ' us';

// As dlp path adds it up: without a range also what lies outside of steps.
async function pathTable() {
	const t = await table(density ? 'pathsum' : 'path', ['dur_ns', 'iter', 'kind', 'op', 'n_seg']), list = rowsInRange(t), groups = groupBy(t, list, ['kind', 'op'], t.dur_ns), all = groups.reduce((s, g) => s + g.sum, 0);
	if (t.n === 0)
		return [];
	for (const g of groups)
		g.n = 0;
	list.forEach((i, j) => { groups.at(j).n += t.n_seg[i]; });
	const unknown = about().notes.path_waits_unknown;
	return [el('h3', null, 'Critical path'), el('p', null, 'What the length of ' + (steps.length > 0 ? 'these steps consists of, going back from the end of each' : 'the profile consists of, going back from its end') + ' to what arrived last: ' + ns(all) + ' in all. Only what lies on it makes ' + (steps.length > 0 ? 'a step' : 'it') + ' longer.' +
		(unknown > 0 ? ' ' + count(unknown) + ' waits of streams are for events that are not recorded: what these streams waited for is a guess.' : '')),
	dataTable([{ label: 'kind', get: g => g.key[0] }, { label: 'op', get: g => g.key[1] }, { label: 'time', name: 'sum_dur_ns', num: true, unit: 'ns', get: g => g.sum, show: ns },
		{ label: '% of the path', name: 'dur_pct', num: true, get: g => share(g.sum, all), show: percent, part: true }, { label: 'segments', name: 'n', num: true, get: g => g.n, show: count }],
	groups, { caption: 'Critical path', sort: 2 }), report(['path'])];
}

views.timeline = {
	label: 'Timeline',
	ofTimes: true,
	detail: 'all',
	async show() {
		if (state.t || state.f)
			await readNames();
		const lanes = state.t || state.at ? await allLanes() : await firstLanes(), trace = el('p', null);
		if (lanes.length === 0)
			return [el('p', null, 'The profile has no events with times, so there is no timeline: record with nsys, nvprof, torch.profiler or dlp-record.'), report(['info'])];
		trace.append('Times are those of the reports; in the lane of steps they count from the beginning of each. Drag, or the arrow keys, move; Ctrl and the wheel, or + and -, zoom; n and p choose the next piece of a lane. Where many pieces share a pixel, the height is how full it is. For more, this writes a trace for ui.perfetto.dev:');
		return [el('p', null, count(lanes.reduce((s, l) => s + l.n, 0)) + ' pieces in ' + lanes.length + ' lanes: the critical path, GPU streams, idle time by reason, memory, and for each thread ranges with their ops, launches, API calls and waits. A chosen kernel has an arrow from its launch.' +
			(meta.tables.nest.left > 0 ? ' Ranges inside ops, ' + count(meta.tables.nest.left) + ', are left out.' : '') +
			(meta.nest_short > 0 ? ' ' + count(meta.nest_short) + ' ranges inside ops that are shorter than 3 us are left out.' : '')),
			...timelineOf(lanes), trace, report(['trace']), ...await pathTable()];
	}
};
