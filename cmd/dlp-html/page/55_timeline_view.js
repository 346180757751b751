// Timeline: what people do with it: a tooltip, a chosen piece, a range with its sums, a
// search, and keys that work wherever the focus is.
const timelineKeys = [['w +', 'zoom in'], ['s -', 'zoom out'], ['a d', 'to the left, to the right'], ['f', 'fit: what is chosen, or everything'], ['0', 'everything'], ['n p', 'the next and the previous piece of the lane'],
	['↑ ↓', 'the lane above and below'], ['m', 'measure: the time of what is chosen, or from here to the next m'], ['Enter', 'in the search: the next hit'], ['drag', 'chooses a range: its sums stand beside'], ['Shift drag', 'moves, as two fingers do'], ['wheel', 'zooms at the pointer']];

// What runs in a range, of a lane: each piece, cut to the range.
function eachIn(lane, sel, f) {
	for (let k = after(lane.n, lane.end, sel.from); k < lane.n && lane.start(k) < sel.to; k++)
		if (lane.end(k) > sel.from)
			f(k, Math.min(sel.to, lane.end(k)) - Math.max(sel.from, lane.start(k)));
}

// The time in which at least one of the lanes has a piece.
function unionIn(lanes, sel) {
	const from = [], at = lanes.map(() => null);
	lanes.forEach(lane => eachIn(lane, sel, k => from.push([Math.max(sel.from, lane.start(k)), Math.min(sel.to, lane.end(k))])));
	let sum = 0, over = -Infinity;
	for (const [a, b] of at.length > 1 ? from.sort((x, y) => x[0] - y[0]) : from)
		if (b > over) {
			sum += b - Math.max(a, over);
			over = b;
		}
	return sum;
}

// Sums of a range, as names and values: of each GPU busy and idle time, then ops.
function sumsIn(lanes, sel) {
	const facts = [], ops = new Map(), gpus = new Map();
	for (const l of lanes.filter(l => l.lane === 'gpu' || l.lane === 'idle')) {
		const key = (l.run || '') + l.dev, g = gpus.get(key) || { name: (ranks.length > 1 ? whose(l.run).name : '') + 'GPU ' + l.dev, work: [], idle: new Map() };
		gpus.set(key, g);
		if (l.lane === 'gpu')
			g.work.push(l);
		else
			eachIn(l, sel, (k, d) => g.idle.set(l.name(k), (g.idle.get(l.name(k)) || 0) + d));
	}
	for (const g of gpus.values()) {
		const busy = unionIn(g.work, sel);
		facts.push([g.name + ' busy', ns(busy) + ', ' + percent(share(busy, sel.to - sel.from))], ...[...g.idle].sort((a, b) => b[1] - a[1]).map(([c, v]) => [idleName(c), ns(v)]));
		for (const l of g.work)
			eachIn(l, sel, (k, d) => {
				const i = l.at[k], op = [text(l.t.op, i) || shortName(workName(l.t, i), 40), dirWord(text(l.t.dir, i))].filter(isSet).join(' ');
				ops.set(op, (ops.get(op) || 0) + d);
			});
	}
	return [...facts, ...[...ops].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([op, v], i) => [i === 0 ? 'top ops' : '', op + ': ' + ns(v)])];
}

// The pieces of an op on both sides: its run, its launches and its work.
function sameOp(lanes, lane, k) {
	const p = pieceOf(lane, k), out = [], is = lane.kind === 'work' || lane.kind === 'launch' || p.kind === 'inst';
	const id = is && namesRead.has(lane.run) ? p.t.inst_id[p.i] : NaN;
	for (const l of Number.isNaN(id) ? [] : lanes.filter(l => l.run === lane.run))
		if (l.kind === 'work' || l.kind === 'launch') {
			for (let j = 0; j < l.n; j++)
				if (l.t.inst_id[l.at[j]] === id)
					out.push({ lane: l, k: j });
		} else if (l.kind === 'nested')
			for (let j = Math.max(0, after(l.n, l.start, lane.start(k)) - 4000); j < l.n && out.length < 500 && l.start(j) <= lane.end(k); j++) {
				const q = l.piece(j);
				if (q.kind === 'inst' && q.t.inst_id[q.i] === id)
					out.push({ lane: l, k: j });
			}
	return out;
}

// The line of a program that launched a piece, before its name; '' if it is not known.
function lineOf(lane, k) {
	const { t, kind } = lane, i = kind === 'work' || kind === 'launch' ? lane.at[k] : -1, said = i < 0 ? null : text(t.code, i) || text(t.line, i);
	return said === null ? '' : said + ' ';
}

// Collectives to which a rank came last: { lane, at, late }.
async function lateMarks(lanes) {
	if (ranks.length < 2)
		return [];
	const t = await wholeTable('arrive', ['rank', 'coll_id', 'late_ns', 'start_ns', 'src']), out = [];
	for (const { row } of lateRanks(t)) {
		const at = t.start_ns[row], own = lanes.filter(l => l.lane === 'gpu' && text(t.src, row) === l.run);
		const lane = own.find(l => l.start(Math.max(0, after(l.n, l.start, at) - 1)) === at) || own[0];
		if (lane)
			out.push({ lane, at, late: t.late_ns[row] });
	}
	return out;
}

function timelineOf(lanes, marks) {
	let chosen = chosenPiece(lanes), found = [], nth = -1, later = null, asked = false, naming = null, known = null, address = location.hash, sel = null, anchor = null, lit = [], over = null, mouse = null;
	const whole = spanOf(lanes), view = firstWindow(lanes, whole, chosen), tall = () => lanes.length * laneTall + laneRoom;
	const canvas = el('canvas', { class: 'large timeline', tabindex: 0, role: 'application', 'aria-label': lanes.length +
		' lanes of GPU streams and threads. The question mark lists the keys. What is chosen is said beside it.' });
	const names = el('ol', { class: 'names' }), facts = el('dl', { class: 'facts' }), label = () => widthOf(canvas) < 600 ? 112 : 205;
	const box = el('div', { class: 'lanes' }, canvas, names), dock = el('div', { class: 'dock', tabindex: 0, role: 'region', 'aria-label': 'What is chosen' }, facts);

	function fit() {
		canvas.style.height = tall() + 'px';
		names.replaceChildren(...lanes.map(l => el('li', { title: l.label || null }, l.label === l.rank ? el('b', null, l.label) : l.label)));
	}

	// The rows of the lanes, of a large page after the first picture.
	function withRows() {
		known = known || allLanes().then(async list => {
			lanes = list;
			Object.assign(whole, spanOf(lanes));
			marks = await lateMarks(lanes);
			fit();
			redraw();
		});
		return known;
	}
	if (lanes.partial)
		setTimeout(withRows, 300);
	fit();

	const yOf = lane => laneRoom + lanes.indexOf(lane) * laneTall, perPixel = () => (view.to - view.from) / (canvas.clientWidth - label());

	function arrow(g, left, w) {
		if (!chosen || (chosen.lane.kind !== 'work' && chosen.lane.kind !== 'launch'))
			return;
		const { t, at } = chosen.lane, i = at[chosen.k], other = chosen.lane.kind === 'work' ? 'launch' : 'work', shift = chosen.lane.shift;
		const peer = lanes.find(l => l.kind === other && l.run === chosen.lane.run && (other === 'work' ? l.dev === t.dev[i] && l.stream === t.stream[i] : l.at.length > 0 && t.tid[l.at[0]] === t.tid[i] && t.pid[l.at[0]] === t.pid[i]));
		if (!peer || Number.isNaN(t.api_start_ns[i]) || Number.isNaN(t.start_ns[i]))
			return;
		const x = v => left + (v + shift - view.from) / (view.to - view.from) * w, [from, to] = other === 'launch' ? [peer, chosen.lane] : [chosen.lane, peer];
		const x1 = x(t.start_ns[i]), y1 = yOf(to) + laneTall / 2, x0 = x(t.api_start_ns[i]), y0 = yOf(from) + laneTall / 2, turn = Math.atan2(y1 - y0, x1 - x0);
		g.strokeStyle = color('accent');
		g.lineWidth = 2;
		line(g, x0, y0, x1, y1);
		line(g, x1, y1, x1 - 9 * Math.cos(turn - 0.4), y1 - 9 * Math.sin(turn - 0.4));
		line(g, x1, y1, x1 - 9 * Math.cos(turn + 0.4), y1 - 9 * Math.sin(turn + 0.4));
	}

	// The frame of a piece.
	function frame(g, { lane, k }, x, wide) {
		const a = x(lane.start(k)), b = x(lane.end ? lane.end(k) : lane.start(k) + 1);
		g.strokeStyle = color('accent');
		g.lineWidth = wide;
		g.strokeRect(a - 1, yOf(lane) - 1, Math.max(3, b - a + 2), laneTall);
	}

	// Hits of the search: a line below each, once a pixel, and in the ruler.
	function drawHits(g, x, top) {
		const done = new Set();
		g.fillStyle = color('accent');
		for (const { lane, k } of found) {
			const a = lane.start(k), b = lane.end ? lane.end(k) : a;
			if (b < view.from || a > view.to)
				continue;
			const at = Math.round(x(a)), key = at * 4096 + lanes.indexOf(lane);
			if (done.has(key))
				continue;
			done.add(key);
			g.fillRect(at, yOf(lane) + laneTall - 5, Math.max(2, x(b) - at), 3);
			g.fillRect(at, top + laneRoom - 6, 2, 6);
		}
	}

	function drawRange(g, x, h, top) {
		const now = sel || (anchor !== null && mouse ? { from: Math.min(anchor, mouse.at), to: Math.max(anchor, mouse.at) } : null);
		if (!now)
			return;
		g.globalAlpha = 0.14;
		g.fillStyle = color('accent');
		g.fillRect(x(now.from), 0, x(now.to) - x(now.from), h);
		g.globalAlpha = 1;
		g.strokeStyle = color('accent');
		line(g, x(now.from), 0, x(now.from), h);
		line(g, x(now.to), 0, x(now.to), h);
		const said = ns(now.to - now.from), wide = g.measureText(said).width, at = Math.max(label() + 4, (Math.max(label(), x(now.from)) + Math.min(widthOf(canvas), x(now.to)) - wide) / 2);
		g.fillStyle = color('back');
		g.fillRect(at - 4, top, wide + 8, laneRoom - 4);
		g.fillStyle = color('gain');
		g.fillText(said, at, top + 12);
	}

	function drawRuler(g, x, full, top, tick) {
		g.fillStyle = color('back');
		g.fillRect(0, top, full, laneRoom - 2);
		g.fillStyle = color('quiet');
		for (let v = Math.ceil(view.from / tick) * tick; v <= view.to; v += tick) {
			const said = tickText(v, tick);
			if (x(v) + 2 + g.measureText(said).width <= full)
				g.fillText(said, x(v) + 2, top + 12);
		}
	}

	canvas.draw = () => {
		const { g, w: full, h } = canvasOf(canvas), left = label(), w = full - left, cache = new Map(), top = paper.on ? 0 : box.scrollTop, high = paper.on ? h : box.clientHeight;
		const colors = s => cache.get(s) || cache.set(s, fillOf(g, shadeName(s))).get(s);
		const tick = tickOf(view.to - view.from, Math.max(4, w / 110)), x = v => left + (v - view.from) / (view.to - view.from) * w;
		names.style.width = left + 'px';
		g.strokeStyle = color('line');
		for (let v = Math.ceil(view.from / tick) * tick; v <= view.to; v += tick)
			line(g, x(v), 14, x(v), h);
		lanes.forEach((lane, n) => {
			const y = laneRoom + n * laneTall;
			if (paper.on)
				clipText(g, lane.label, 2, y + 12, left - 6, true);
			if (y + laneTall < top || y > top + high)
				return;
			if (lane.kind === 'memory')
				drawMemory(g, lane, y, view, left, w);
			else if (lane.kind === 'step') {
				drawPieces(g, lane, y, view, left, w, colors, () => '');
				drawStepTicks(g, lane, y, view, left, w, tick);
			} else
				drawPieces(g, lane, y, view, left, w, colors, shortOf);
		});
		g.save();
		g.beginPath();
		g.rect(left, 0, w, h);
		g.clip();
		g.font = '12px system-ui, sans-serif';
		for (const m of marks) {
			const y = yOf(m.lane), at = x(m.at), said = 'late ' + ns(m.late), wide = g.measureText(said).width;
			if (at < left || at > full)
				continue;
			g.fillStyle = color('accent');
			g.beginPath();
			g.moveTo(at, y + 7);
			g.lineTo(at - 5, y - 2);
			g.lineTo(at + 5, y - 2);
			g.fill();
			if (at - wide - 10 > left && marks.every(o => o === m || o.lane !== m.lane || x(o.at) > at + 2 || x(o.at) < at - wide - 14)) {
				g.fillStyle = color('back');
				g.fillRect(at - wide - 10, y, wide + 4, laneTall - 3);
				g.fillStyle = color('gain');
				g.fillText(said, at - wide - 8, y + 11);
			}
		}
		drawRuler(g, x, full, top, tick);
		drawHits(g, x, top);
		lit.forEach(p => frame(g, p, x, 1));
		if (chosen)
			frame(g, chosen, x, 2);
		arrow(g, left, w);
		drawRange(g, x, h, top);
		g.restore();
	};

	// '' until it is unpacked
	function nameOf(lane, k) {
		if (namesRead.has(lane.run) || !['work', 'launch', 'call', 'nested'].includes(lane.kind))
			return lane.name(k) || '';
		if (!naming)
			naming = readNames().then(redraw);
		return '';
	}

	// Of an op its own name, without its layer.
	const shortOf = (lane, k) => lane.kind === 'gap' ? idleWord(lane.name(k)) : lane.kind !== 'nested' || lane.piece(k).kind !== 'inst' ? nameOf(lane, k) : nameOf(lane, k).replace(/.*\//, '');

	const redraw = () => {
		if (!asked)
			requestAnimationFrame(() => { asked = false; canvas.draw(); });
		asked = true;
		clearTimeout(later);
		later = setTimeout(() => {
			if (location.hash !== address)
				return;		// another view was asked for meanwhile
			if (!chosen && !sel)
				showFacts();
			state = { ...state, w: Math.round(view.from) + '-' + Math.round(view.to), t: chosen ? laneKey(chosen.lane, chosen.k) : null, at: chosen && chosen.lane.kind === 'gap' ? String(chosen.lane.start(chosen.k) - chosen.lane.shift) : null };
			history.replaceState(null, '', hashOf(state));
			address = location.hash;
		}, 400);
	};

	// A window of this length at least, that ends where the data do.
	function show(from, to) {
		tip(null);
		const room = Math.min(Math.max(to - from, 200), whole.to - whole.from);
		view.from = Math.min(Math.max((from + to - room) / 2, whole.from), whole.to - room);
		view.to = view.from + room;
		redraw();
	}

	const move = by => show(view.from + (view.to - view.from) * by, view.to + (view.to - view.from) * by);

	function zoom(factor, at = mouse ? mouse.at : (view.from + view.to) / 2) {
		const room = Math.min(Math.max((view.to - view.from) * factor, 200), whole.to - whole.from), part = (at - view.from) / (view.to - view.from);
		show(at - part * room, at + (1 - part) * room);
	}

	const all = () => show(whole.from, whole.to);

	// What is chosen, with as much around it.
	function fitChosen() {
		const of = sel || (chosen ? { from: chosen.lane.start(chosen.k), to: chosen.lane.end ? chosen.lane.end(chosen.k) : chosen.lane.start(chosen.k) } : null);
		if (of)
			show(of.from - (of.to - of.from), of.to + (of.to - of.from));
		else
			all();
	}

	function choose(lane, k, near = false) {
		chosen = lane && k >= 0 && k < lane.n ? { lane, k } : chosen;
		if (!chosen)
			return;
		sel = null;
		const from = chosen.lane.start(chosen.k), to = chosen.lane.end ? chosen.lane.end(chosen.k) : from, room = view.to - view.from, y = yOf(chosen.lane);
		if (near && (to - from < room / 200 || to - from > room))
			show(from - 10 * Math.max(to - from, 100), to + 10 * Math.max(to - from, 100));
		else if (to < view.from || from > view.to)
			show(from - room / 2, from + room / 2);
		if (y - laneRoom < box.scrollTop || y + 2 * laneTall > box.scrollTop + box.clientHeight)
			box.scrollTop = y - box.clientHeight / 2;
		showFacts();
		redraw();
	}

	// Sums of what is shown cost little.
	const few = () => lanes.every(l => l.n < 50000);
	const say2 = list => facts.replaceChildren(...list.map(([k, v, title]) => el('div', null, el('dt', null, k), el('dd', { title }, v))));

	async function showFacts() {
		const of = chosen, known = of ? (await readNames(), await factsOf(of.lane, of.k)) : [];
		if (of !== chosen || sel)
			return;		// another one was chosen meanwhile
		if (!of && few())
			await readNames();
		const name = chosen ? nameOf(chosen.lane, chosen.k) : '';
		lit = chosen ? sameOp(lanes, chosen.lane, chosen.k) : [];
		facts.classList.toggle('hint', !chosen);
		say2(chosen ? [[chosen.lane.kind === 'nested' ? chosen.lane.piece(chosen.k).kind.replace('inst', 'op').replace('nest', 'inside an op') : chosen.lane.label, name], ...known,
			...(lit.length > 1 ? [['of the same op', count(lit.length) + ' pieces, framed']] : [])] :
			[['chosen', 'nothing: click a piece, or press n; ? lists the keys'], ...(few() ? [['shown', ns(view.to - view.from)], ...sumsIn(lanes, view)] : [])]);
		if (!chosen)
			return;
		say(name + ', ' + known.slice(0, 2).map(f => f.join(' ')).join(', '));
		redraw();
	}

	async function showSums() {
		const of = sel;
		await withRows();
		await readNames();
		if (of !== sel || !sel)
			return;
		facts.classList.remove('hint');
		say2([['range', ns(sel.to - sel.from), sel.to - sel.from + ' ns'], ['from', clock(sel.from - (ranks.length > 1 ? shiftOf(source) : 0)), sel.from + ' ns'], ...sumsIn(lanes, sel), ['', 'Esc ends it, f fits it']]);
		say('range of ' + ns(sel.to - sel.from));
	}

	function select(from, to) {
		sel = to > from ? { from, to } : null;
		anchor = null;
		lit = [];
		if (sel)
			showSums();
		else
			showFacts();
		redraw();
	}

	function hit(e) {
		const lane = lanes[Math.floor((e.offsetY - laneRoom) / laneTall)], left = label();
		if (!lane || e.offsetX < left || e.offsetY < box.scrollTop + laneRoom)
			return null;
		const per = perPixel(), at = view.from + (e.offsetX - left) * per, k = after(lane.n, lane.start, at) - 1;
		if (lane.kind === 'memory' || (k >= 0 && lane.end(k) >= at - 3 * per))
			return k < 0 ? null : { lane, k };
		return k + 1 < lane.n && lane.start(k + 1) <= at + 3 * per ? { lane, k: k + 1 } : null;
	}

	async function search(words) {
		found = [];
		nth = -1;
		state.f = words;
		await readNames();
		await withRows();
		const want = words.toLowerCase().split(/\s+/).filter(x => x), fits = new Map();
		if (want.length > 0)
			for (const lane of lanes.filter(l => l.kind !== 'memory' && l.kind !== 'path'))
				for (let k = 0; k < lane.n; k++) {
					const s = lineOf(lane, k) + (lane.name(k) || '');
					if (!fits.has(s))
						fits.set(s, want.every(x => s.toLowerCase().includes(x)));
					if (fits.get(s))
						found.push({ lane, k });
				}
		found.sort((a, b) => a.lane.start(a.k) - b.lane.start(b.k));
		const mid = chosen ? chosen.lane.start(chosen.k) : (view.from + view.to) / 2, far = f => Math.abs(f.lane.start(f.k) - mid);
		nth = found.reduce((best, f, i) => best < 0 || far(f) < far(found[best]) ? i : best, -1);
		next(0);
	}

	function next(by) {
		hits.textContent = found.length > 0 ? '' : state.f ? 'nothing has this name' : '';
		redraw();
		if (found.length === 0)
			return;
		nth = (nth + by + found.length) % found.length;
		hits.textContent = count(nth + 1) + ' of ' + count(found.length);
		choose(found[nth].lane, found[nth].k, true);
	}

	// Pointers that are down: one chooses a range, with Shift or two it moves the picture.
	const down = new Map();
	let drag = null;
	const timeAt = e => view.from + (e.offsetX - label()) * perPixel();
	canvas.addEventListener('pointerdown', e => {
		down.set(e.pointerId, e.offsetX);
		drag = { x: e.offsetX, at: timeAt(e), moved: false, pans: e.shiftKey || e.button === 1 || down.size > 1 };
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener('pointermove', e => {
		const lane = lanes[Math.floor((e.offsetY - laneRoom) / laneTall)], was = mouse;
		mouse = e.offsetX >= label() ? { at: timeAt(e) } : null;
		if (anchor !== null && was !== mouse)
			redraw();
		if (!drag) {
			over = hit(e);
			if (over && !namesRead.has(over.lane.run))
				readNames().then(() => over && tip(e, tipOf(over.lane, over.k, nameOf(over.lane, over.k))));
			tip(over ? e : null, over ? tipOf(over.lane, over.k, over.lane.kind === 'step' ? stepTitle(Math.max(0, stepPieces().findIndex(s => String(s.iter) === over.lane.name(over.k)))) : nameOf(over.lane, over.k)) : e.offsetX < label() && lane ? [lane.label] : []);
			return;
		}
		tip(null);
		if (!drag.moved && Math.abs(e.offsetX - drag.x) < 4)
			return;
		const by = down.size > 1 ? (e.offsetX - down.get(e.pointerId)) / down.size : e.offsetX - drag.x;
		down.set(e.pointerId, e.offsetX);
		drag.moved = true;
		if (drag.pans) {
			move(-by / (canvas.clientWidth - label()));
			drag.x = e.offsetX;
		} else {
			const at = Math.min(Math.max(timeAt(e), view.from), view.to);
			sel = { from: Math.min(drag.at, at), to: Math.max(drag.at, at) };
			redraw();
		}
	});
	const up = e => {
		const end = drag, piece = end && !end.moved && e.type === 'pointerup' ? hit(e) : null;
		down.delete(e.pointerId);
		drag = null;
		if (end && end.moved && !end.pans && sel)
			select(sel.from, sel.to);
		else if (piece)
			choose(piece.lane, piece.k);
	};
	canvas.addEventListener('pointerup', up);
	canvas.addEventListener('pointercancel', up);
	canvas.addEventListener('pointerleave', () => { mouse = over = null; tip(null); });
	box.addEventListener('scroll', () => canvas.draw());
	canvas.addEventListener('wheel', e => {
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			move((e.deltaX || e.deltaY) / canvas.clientWidth);
		else
			zoom(Math.exp(Math.sign(e.deltaY) * Math.min(0.25, Math.abs(e.deltaY) / 400)), timeAt(e));
	}, { passive: false });

	function measure() {
		if (chosen && anchor === null)
			select(chosen.lane.start(chosen.k), chosen.lane.end ? chosen.lane.end(chosen.k) : chosen.lane.start(chosen.k));
		else if (anchor === null)
			anchor = mouse ? mouse.at : (view.from + view.to) / 2;
		else
			select(Math.min(anchor, mouse ? mouse.at : anchor), Math.max(anchor, mouse ? mouse.at : anchor));
		redraw();
	}

	function escape() {
		if (sel || anchor !== null)
			select(0, 0);
		else {
			chosen = null;
			showFacts();
		}
	}

	const lane = () => chosen ? chosen.lane : lanes[0], step = by => withRows().then(() => choose(lane(), chosen ? chosen.k + by : after(lane().n, lane().end || lane().start, view.from)));
	const other = by => withRows().then(() => {
		const l = lanes[Math.min(Math.max(lanes.indexOf(lane()) + by, 0), lanes.length - 1)];
		choose(l, Math.max(0, after(l.n, l.start, chosen ? chosen.lane.start(chosen.k) : view.from) - 1));
	});
	const everywhere = { a: () => move(-0.2), d: () => move(0.2), '+': () => zoom(0.6), '=': () => zoom(0.6), w: () => zoom(0.6), '-': () => zoom(1.6), s: () => zoom(1.6), 0: all, f: fitChosen, m: measure, n: () => step(1), p: () => step(-1), Escape: escape };
	const here = { ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), ArrowDown: () => other(1), ArrowUp: () => other(-1) };
	keysOfView = e => {
		const todo = everywhere[e.key] || (e.target === canvas ? here[e.key] : null);
		if (todo)
			todo();
		return Boolean(todo);
	};
	const button = (name, f) => el('button', { type: 'button', onclick: f }, name), hits = el('span', { class: 'quiet' });
	const field = el('input', { type: 'search', id: 'filter', value: state.f || '', size: 22, placeholder: 'a name, or train.py:99', onkeydown: e => {
		if (e.key !== 'Enter')
			return;
		if (state.f === field.value && found.length > 0)
			next(e.shiftKey ? -1 : 1);
		else
			search(field.value);
	}, onsearch: e => e.target.value === '' && search('') });
	const bar = el('p', { class: 'bar' }, button('zoom in', () => zoom(0.5, (view.from + view.to) / 2)), button('zoom out', () => zoom(2, (view.from + view.to) / 2)), button('all', all), button('fit', fitChosen), el('label', null, 'find ', field), button('previous', () => next(-1)), button('next', () => next(1)), hits, laneKeys(lanes));
	showFacts();
	if (state.f)
		search(state.f);
	return [bar, el('div', { class: 'work' }, box, dock)];
}

// What the colors of the lanes mean, of those that are there.
function laneKeys(lanes) {
	const shades = new Set(lanes.flatMap(l => (l.sums || []).map(s => s.shade)).filter(s => s < 5 || s >= 40 && s < 60));
	const named = s => s < 5 ? ['c-' + laneShades[s], partNames[laneShades[s]]] : ['c-op-' + opClasses[s - 40][0], opClasses[s - 40][1]];
	return el('span', { class: 'bar quiet small' }, ...[...shades].sort((a, b) => a - b).map(named).map(([c, name]) => el('span', { class: 'key' }, el('span', { class: 'swatch ' + c }), name)));
}

// As dlp path adds it up: without a range also what lies outside of steps.
async function pathTable() {
	const t = await table('path', ['dur_ns', 'iter', 'kind', 'op', 'n_seg']), list = rowsInRange(t), groups = groupBy(t, list, ['kind', 'op'], t.dur_ns), all = groups.reduce((s, g) => s + g.sum, 0);
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

// A large one is added up when the lanes are there.
async function pathBelow() {
	if (meta.tables.path.rows < 1e5)
		return pathTable();
	const box = el('div', null);
	setTimeout(async () => box.replaceChildren(...await pathTable()), 300);
	return [box];
}

views.timeline = {
	label: 'Timeline',
	ofTimes: true,
	detail: 'all',
	missing: () => Object.keys(meta.tables).every(t => meta.tables[t].rows === 0) ? 'the profile has no events with times' : null,
	async show() {
		if (state.t || state.f)
			await readNames();
		const lanes = state.t || state.at ? await allLanes() : await firstLanes();
		if (lanes.length === 0)
			return [el('p', null, 'The profile has no events with times, so there is no timeline: record with nsys, nvprof, torch.profiler or dlp-record.'), report(['info'])];
		const marks = await lateMarks(lanes), left = [[meta.tables.nest.left, ', are left out'], [meta.nest_short, ' that are shorter than 3 us are left out']].filter(x => x[0] > 0);
		return [...timelineOf(lanes, marks), el('p', { class: 'quiet' }, count(lanes.reduce((s, l) => s + l.n, 0)) + ' pieces in ' + lanes.length + ' lanes. Where many share a pixel, the height is how full it is.' +
			(marks.length > 0 ? ' A pink triangle is where the last rank comes to a collective. All ranks are on the clock of the first.' : '') +
			left.map(([n, what]) => ' Of ranges inside ops ' + count(n) + what + '.').join('') + ' For ui.perfetto.dev:'), report(['trace']), ...await pathBelow()];
	}
};
