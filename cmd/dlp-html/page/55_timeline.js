// Timeline: how its lanes are drawn, and what is known of a piece. 55_timeline_view.js has
// what people do with it.
const laneTall = 17, laneRoom = 22;

function shadeName(s) {
	if (s < 10)
		return laneShades[s] || 'idle';
	if (s >= 60)
		return 'range-' + (s - 60);
	if (s >= 40)
		return 'op-' + opClasses[s - 40][0];
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
	if (lane.fill && (view.to - view.from) / w >= lane.wide) {	// what is drawn there
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
	const { from, wide } = lane, per = (view.to - view.from) / w, shades = Object.keys(lane.fill).map(Number), last = shades.map(() => 0), stacks = stacksOf(g, left, y + laneTall - 2, colors, shades);
	const upTo = (sum, at) => {
		const b = Math.floor(at);
		return b < 0 ? 0 : b >= fillParts ? sum[fillParts] : sum[b] + (at - b) * (sum[b + 1] - sum[b]);
	};
	for (let p = -1; p < w; p++) {
		const at = (view.from + (p + 1) * per - from) / wide, part = k => {
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
	for (const i of lane.long)
		if (lane.start(i) < view.to && lane.end(i) > view.from && lane.length(i) >= 2 * per)
			drawPiece(g, lane, i, y, view, left, w, colors, nameOf);
}

function drawPieces(g, lane, y, view, left, w, colors, nameOf) {
	const per = (view.to - view.from) / w;
	if (lane.fill && per >= lane.wide) {
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

const factColumns = ['op', 'dir', 'layer', 'phase', 'iter', 'class', 'what', 'what_ns', 'before', 'after', 'api', 'grid', 'block', 'regs', 'bytes', 'flop', 'dtype', 'tc', 'tc_why', 'line', 'code', 'used_bytes', 'gpu_ns', 'overhead_ns', 'idle_ns', 'kind', 'stream', 'tid', 'res', 'n_seg'];
const tableNames = { launch: 'work', memory: 'mem' };

const pieceOf = (lane, k) => lane.piece ? lane.piece(k) : { t: lane.t, i: lane.at ? lane.at[k] : k, kind: lane.kind };

// What is known of a piece, as names and values.
async function factsOf(lane, k) {
	const p = pieceOf(lane, k), name = lane.piece ? p.kind : tableNames[lane.kind] || lane.kind;
	if (p.t)
		await table(name, factColumns, lane.run);
	// both clocks, and the exact time
	const iter = p.t ? p.t.iter[p.i] : null, time = (label, at) => [label, ns(at) + (stepOf(at, iter, lane.run) ? ', ' + clock(at, iter, lane.run) : ''), at + ' ns'];
	const facts = [time('start', lane.start(k) - lane.shift)];
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
			facts.push([inWords(c), c.endsWith('_ns') ? ns(v) : c.endsWith('bytes') ? bytes(v) : c === 'layer' ? bare(v) : c === 'class' ? idleWord(v) : String(dirWord(v))]);
	}
	return facts;
}

// The same in a few lines, of columns that are unpacked with the names.
function tipOf(lane, k, name) {
	const p = pieceOf(lane, k), from = lane.start(k) - lane.shift, read = namesRead.has(lane.run), of = c => {
		const col = read && p.t && p.t[c];
		return !col ? null : col.d ? text(col, p.i) : Number.isNaN(col[p.i]) ? null : col[p.i];
	}, known = (c, t = p.kind) => (tableColumns[t] || []).includes(c) ? of(c) : null;
	const work = lane.kind === 'work' || lane.kind === 'launch', t = work ? 'work' : p.kind, iter = known('iter', t), wait = work && p.t.start_ns[p.i] - p.t.api_start_ns[p.i];
	return [name || lane.label, lane.kind === 'gap' ? idleName(name) + (gapMeanings[name] ? ': ' + gapMeanings[name] : '') : null, lane.end ? ns(lane.end(k) - lane.start(k)) : null, clock(from, iter, lane.run),
		isSet(known('op', t)) && known('op', t) !== name ? 'op ' + [known('op', t), dirWord(known('dir', t))].filter(isSet).join(' ') : null, isSet(known('layer', t)) ? 'layer ' + bare(known('layer', t)) : null, isSet(known('code', t)) ? known('code', t) : known('line', t),
		work && wait >= 0 ? 'launched ' + ns(wait) + ' before it starts' : null, work && isSet(p.t.stream[p.i]) && !Number.isNaN(p.t.stream[p.i]) ? 'stream ' + p.t.stream[p.i] : null];
}

const tableColumns = { work: ['op', 'dir', 'layer', 'iter', 'line', 'code'], inst: ['op', 'layer', 'iter'], range: ['iter'], call: ['iter'] };

const laneKey = (lane, k) => lane.kind === 'work' && namesRead.has(lane.run) ? String(lane.t.id[lane.at[k]]) : null;

// The lane and number of the piece that the address names.
function chosenPiece(lanes) {
	if (state.t)
		for (const lane of lanes.filter(l => l.kind === 'work' && l.run === source))
			for (let k = 0; k < lane.n; k++)
				if (lane.t.id[lane.at[k]] === Number(state.t))
					return { lane, k };
	if (state.at)
		for (const lane of lanes.filter(l => l.kind === 'gap' && l.run === source)) {
			const k = after(lane.n, lane.start, Number(state.at) + lane.shift) - 1;
			if (k >= 0 && lane.start(k) === Number(state.at) + lane.shift)
				return { lane, k };
		}
	return null;
}

function spanOf(lanes) {
	const known = lanes.filter(l => l.end);
	return { from: Math.min(...known.map(l => l.start(0))), to: Math.max(...known.map(l => l.last)) };
}

// At first the chosen steps, or what a link names.
function firstWindow(lanes, whole, chosen) {
	const m = /^(-?\d+)-(\d+)$/.exec(state.w || '');
	if (m && Number(m[2]) > Number(m[1]))
		return { from: Number(m[1]), to: Number(m[2]) };
	if (chosen) {
		const from = chosen.lane.start(chosen.k), d = Math.max(2000, chosen.lane.end(chosen.k) - from);
		// what is long is a fifth of the picture: its neighbours matter less
		const room = d > 1e6 ? 2 * d : 8 * d;
		return { from: Math.max(Math.min(whole.from, from), from - room), to: from + d + room };
	}
	const list = range === null ? [] : piecesInRange();
	if (list.length === 0)
		return { ...whole };
	const shift = ranks.length > 1 ? shiftOf(source) : 0;
	return { from: stepsInRange()[0].start_ns + shift, to: list[list.length - 1].to + shift };
}

const tickText = (v, tick) => tick >= 1e9 ? (v / 1e9).toFixed(0) + ' s' : tick >= 1e6 ? (v / 1e6).toFixed(0) + ' ms' : tick >= 1e3 ? (v / 1e6).toFixed(3) + ' ms' : (v / 1e3).toFixed(3) + ' us';
