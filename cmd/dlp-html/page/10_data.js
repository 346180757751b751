// The data: the head of the page, and tables whose columns are unpacked when a
// view first asks for them. A column of numbers is a typed array, with NaN for an unknown
// value; one of texts is the numbers of texts, -1 for unknown, and the texts.
const meta = JSON.parse(byId('dlp-meta').textContent);
const loaded = new Map();
const allRead = new Promise(done => {
	if (document.readyState === 'loading')
		document.addEventListener('DOMContentLoaded', done);
	else
		done();
});

function bytesOf(base64) {
	if (Uint8Array.fromBase64)	// newer browsers
		return Uint8Array.fromBase64(base64);
	const raw = atob(base64), out = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		out[i] = raw.charCodeAt(i);
	return out;
}

// Between two pieces of long work that no view waits for the browser draws and answers;
// and the work waits while another view than the timeline, which asks for it, is shown.
let drewAt = 0;
const isLate = () => (state.v !== 'timeline' || !byId('main').hasAttribute('aria-busy')) && performance.now() - drewAt > 12;
const viewWaits = () => state.v !== 'timeline' || byId('main').hasAttribute('aria-busy');

async function breathe(work = { wanted: false }) {
	do
		await new Promise(done => setTimeout(done, work.wanted || state.v === 'timeline' ? 0 : 20));
	while (!work.wanted && state.v !== 'timeline');
	drewAt = performance.now();
}

async function write(to, bytes) {
	for (let at = 0; at < bytes.length; at += 65536) {
		await to.ready;
		to.write(bytes.subarray(at, at + 65536)).catch(() => null);	// the reader fails, too, and says so
	}
	to.close().catch(() => null);
}

// Written and read by hand: streams of a Blob and a Response take twice as long.
async function inflate(bytes, job) {
	const stream = new DecompressionStream('gzip'), from = stream.readable.getReader(), parts = [];
	let n = 0, at = 0;
	write(stream.writable.getWriter(), bytes).catch(() => null);
	for (let r = await from.read(); !r.done; r = await from.read()) {
		n += parts[parts.push(r.value) - 1].length;
		if (!job.wanted && isLate())
			await breathe(job);
	}
	const all = new Uint8Array(n);
	for (const p of parts) {
		all.set(p, at);
		at += p.length;
	}
	return all;
}

async function unpack(name, job) {
	const e = document.querySelector('script.dlp-col[data-c="' + name + '"]');
	if (!e)
		throw new Error('this copy of the page has no column ' + name);
	const bytes = bytesOf(e.textContent);
	if (bytes.length > 5e5)
		e.remove();	// a column is unpacked once, and its text is larger than it
	return inflate(bytes, job);
}

// What holds the values of a column, by the second letter of how it is coded. Of more than
// four kinds of arrays at the same place in the code each access would take several times
// as long.
const rooms = { 1: Int8Array, 4: Int32Array, 8: Float64Array, f: Float32Array };

// The smallest of them for numbers of n texts, -1 among them.
const roomFor = n => n < 128 ? Int8Array : Int32Array;

// Where values are decoded, whole numbers apart: the browser copies these faster.
const decoded = { whole: new Int32Array(0), any: new Float64Array(0) };

function roomToDecode(n, room) {
	const kind = room === '1' || room === '4' ? 'whole' : 'any';
	if (decoded[kind].length < n)
		decoded[kind] = new decoded[kind].constructor(n);
	return decoded[kind];
}

// m numbers of so many bytes, from place at on: bytes of the same place lie side by side.
function join(bytes, p, m, wide, least, v, at) {
	const b = bytes.subarray(p, p + m * wide);
	if (wide === 0)
		v.fill(least, at, at + m);
	else if (wide === 1)
		for (let i = 0; i < m; i++)
			v[at + i] = least + b[i];
	else if (wide === 2)
		for (let i = 0; i < m; i++)
			v[at + i] = least + (b[i] | b[m + i] << 8);
	else
		for (let i = 0; i < m; i++) {
			let x = b[i] | b[m + i] << 8 | b[2 * m + i] << 16;
			for (let k = 3, scale = 2 ** 24; k < wide; k++, scale *= 256)
				x += b[k * m + i] * scale;
			v[at + i] = least + x;
		}
}

// n values from bytes: see THE DATA in dlp-html(1).
function decode([kind, room], bytes, n, base) {
	const v = roomToDecode(n, room), head = new DataView(bytes.buffer);
	let p = 0, last = 0;
	for (let at = 0; at < n; at += 4096) {
		const m = Math.min(4096, n - at), odd = bytes[p] & 16, wide = bytes[p] & 15;
		const least = head.getInt32(p + 6, true) * 2 ** 32 + head.getUint32(p + 2, true);
		p += 10;
		const is = odd ? bytes.subarray(p, p += m) : null;
		join(bytes, p, m, wide, least, v, at);
		p += m * wide;
		for (let i = 0; odd && i < m; i++)
			if (is[i] === 1)
				v[at + i] = NaN;
			else if (is[i] === 2)
				v[at + i] = base[at + i];
		if (kind === 'd')
			for (let i = at; i < at + m; i++)
				if (v[i] === v[i])	// not NaN
					v[i] = last += v[i];
	}
	const d = kind === 's' || kind === 'f' ? JSON.parse(new TextDecoder().decode(bytes.subarray(p))) : null;
	if (kind === 'f') {
		const of = Float64Array.from([NaN].concat(d));
		for (let i = 0; i < n; i++)
			v[i] = of[v[i] + 1];
	}
	const values = new rooms[room](v.subarray(0, n));
	return kind === 's' ? { d, v: values } : values;
}

// A column that the profile does not have is unknown in each row; all of numbers share one.
const unknowns = new Map();

function absent(n, name) {
	return /^(tag|op|dir|layer|phase|why|short|grid|block|kind|src_mem|dst_mem|dtype|family|tc|tc_eligible|tc_why|lacks|prim|line|code|api|name|mod|by|shapes|args|stack|text|severity|src|first|last|rank|class|before|after|did|what|range|space|at|res|type|what|side)$/.test(name)
		? { d: [], v: new Int8Array(n).fill(-1) } : unknowns.get(n) || unknowns.set(n, new Float64Array(n).fill(NaN)).get(n);
}

// Of several ranks, or two profiles, one is shown: src of its rows.
const ranks = meta.other ? [] : [...new Set((meta.rank.src || []).filter(s => s !== null))];
const sources = meta.other ? [meta.file, meta.before] : ranks;
let source = sources.length > 1 ? sources[0] : null;

// A table is an object with its columns. One that it does not have yet is made when it
// is first read: by its prototype, because a proxy is too slow for every row.
const tableOf = (n, make) => Object.assign(Object.create(new Proxy({}, {
	get(to, c, of) {
		if (typeof c !== 'string' || c === 'then')
			return undefined;
		const col = make(c);
		Object.defineProperty(of, c, { value: col, enumerable: true });
		return col;
	}
})), { n, sums: false });

// Times of ranks are on the clock of the first one, but a rank's reports have its own.
const shiftOf = file => ranks.length === 0 ? 0 : meta.rank.shift_ns[meta.rank.src.indexOf(file)] || 0;

// The rows of a table with the source that is shown.
function ofSource(t, of) {
	const at = t.src.d.indexOf(of), rank = t.src.v, keep = [], shift = shiftOf(of);
	for (let i = 0; i < t.n; i++)
		if (rank[i] === at)
			keep.push(i);
	return tableOf(keep.length, c => {
		const col = t[c];
		if (shift !== 0 && c.endsWith('start_ns'))
			return Float64Array.from(keep, i => col[i] - shift);
		return col.d ? { d: col.d, v: col.v.constructor.from(keep, i => col.v[i]) } : col.constructor.from(keep, i => col[i]);
	});
}

// The table, of the rank that is shown. wanted: the columns that will be read, all if
// there is no list.
async function table(name, wanted, of = source) {
	const own = of !== null && meta.tables[name].cols.src;
	const all = await wholeTable(name, own && wanted ? [...wanted, 'src'] : wanted);
	if (!own)
		return all;
	if (!loaded.has(name + of))
		loaded.set(name + of, ofSource(all, of));
	return loaded.get(name + of);
}

// The table of all ranks. Columns are unpacked once, those of a call at the same time.
async function wholeTable(name, wanted) {
	const t = meta.tables[name];
	await allRead;
	if (!loaded.has(name))
		loaded.set(name, { jobs: {}, table: tableOf(t.rows, c => {
			if (c in t.cols)
				throw new Error('the column ' + name + '.' + c + ' is not unpacked');
			return absent(t.rows, c);
		}) });
	const { jobs, table: known } = loaded.get(name), urgent = viewWaits();
	const load = c => {
		const job = jobs[c] = jobs[c] || { wanted: urgent };
		job.wanted |= urgent;
		job.done = job.done || (async () => {
			const base = t.cols[c][0] === 'r' ? await load('dur_ns') : null, bytes = await unpack(name + '.' + c, job);
			Object.defineProperty(known, c, { value: decode(t.cols[c], bytes, t.rows, base), enumerable: true });
			return known[c];
		})();
		return job.done;
	};
	await Promise.all((wanted || Object.keys(t.cols)).filter(c => c in t.cols).map(load));
	return known;
}

const text = (col, i) => col.v[i] < 0 ? null : col.d[col.v[i]];

// A .dict of PyProf has durations of kernels; its other times are made up, and so is what
// follows from them.
const timed = () => !isSet(about().info.times);
const ofTimes = ['busy', 'phase', 'critical'];

function rows(name, of = source) {
	if (ofTimes.includes(name) && !timed())
		return [];
	const shift = shiftOf(of), own = (r, ...cols) => Object.assign({}, r, ...cols.map(c => isSet(r[c]) ? { [c]: r[c] - shift } : {}));
	const list = of === null ? wholeRows(name) : wholeRows(name).filter(r => !isSet(r.src) || of === r.src);
	return shift === 0 || !(name in { steps: 1, peak: 1 }) ? list : list.map(r => own(r, 'start_ns', 'gpu_start_ns', 'gpu_end_ns'));
}

// The rows of a table of the head, as objects, made once: a list to read only.
const rowsMade = new Map();

function wholeRows(name) {
	const t = meta[name], list = [];
	if (rowsMade.has(name))
		return rowsMade.get(name);
	rowsMade.set(name, list);
	for (let i = 0; i < t.rows; i++) {
		const r = {};
		for (const c in t)
			if (c !== 'rows')
				r[c] = t[c][i];
		list.push(r);
	}
	return list;
}

// A profile without steps is one iteration without a key, which no report takes as one.
let steps, stable, sourceTurn = 0;
const stepsOf = of => rows('steps', of).filter(s => isSet(s.iter) && isSet(s.key));

function chooseSource(s) {
	sourceTurn += s !== source;
	source = s;
	steps = stepsOf(s);
	stable = rows('stable')[0] || null;
}
chooseSource(source);

// The range of steps that every view counts; null: the whole profile.
let range = null;

function evenSteps() {
	return stable && isSet(stable.from) ? { from: stable.from, to: stable.to } : null;
}

// What makes them the even ones; as dlp FILE says it.
const evenWords = of => stable.agree === 'none' && steps.length > 1 ? ', the only one after warm-up' :
    of.from === of.to ? ', the steady one' : ', the steady ones';

const inRange = iter => range === null || (iter >= range.from && iter <= range.to);
const stepsInWords = of => of.from === of.to ? 'step ' + of.from : 'steps ' + of.from + ' to ' + of.to;
const stepsName = of => of.from === of.to ? String(of.from) : rangeName(of);
const allSteps = () => ({ from: steps[0].iter, to: steps[steps.length - 1].iter });
// A page that was made of some steps (-i) has no others.
const rangeWords = (of = range) => of === null && steps.length > 0 && madeOfSteps() ? rangeWords(allSteps()) : of === null ? [] :
    [...keyWords(), '-i', stepsName(of)];
// Times by class are those of steps: of the whole profile, of all steps.
const stepRange = () => range !== null || steps.length === 0 ? range : allSteps();
const stepsInRange = () => steps.filter(s => inRange(s.iter));

// Facts of the profile that is shown.
const about = () => meta.other && source === meta.before ? meta.other : meta;

const madeOfSteps = () => about().cmds.some(c => /^dlp-iter .*--iter-start/.test(c));

// -k KEY, if the page was made with it: steps have their numbers by that key.
function keyWords() {
	const said = about().cmds.map(c => /^dlp-iter .*? -k(.*?)(?: --(?:iter-st|strict).*)?$/.exec(c)).find(m => m !== null);
	return said ? ['-k', said[1]] : [];
}

const fileShown = () => source === null ? meta.file : source;

// Of a .dict, which has kernels alone, the other reports print nothing.
const reportsOfDict = ['top', 'kernels', 'flops', 'layers', 'roofline', 'tc', 'coverage', 'folded', 'info', 'html'];
const hasReport = words => about().info.dialect !== 'pyprof-dict' || words.length === 2 || reportsOfDict.includes(words[1]);

// dlp REPORT WORDS -i A-B FILE
function report(words, after) {
	return command(['dlp', ...words, ...rangeWords(), fileShown()], after);
}

// The time of the devices that are used, by class; as dlp FILE counts it: the time
// after a step, until the next begins, belongs to it.
const tensorCores = s => meta.info.vendor === 'amd' ? s.replace('Tensor Core', 'matrix core') : s;
const classNames = { tc: tensorCores('Tensor Core kernels'), kern: 'other kernels', graph: 'whole graphs',
	comm: 'communication that no kernel hides', mem: 'copies and sets', idle: 'idle' };

const timesMade = new Map();	// by source and steps: the first view asks three times

function timeByClass() {
	const key = source + rangeName(stepRange());
	if (!timesMade.has(key))
		timesMade.set(key, addTimes());
	return timesMade.get(key);
}

function addTimes() {
	const sums = { tc: 0, kern: 0, graph: 0, comm: 0, mem: 0, idle: 0 }, of = stepRange();
	const busy = rows('busy'), used = new Set();
	for (const b of busy)
		if (b.class in sums && b.dur_ns > 0)
			used.add(b.dev);
	for (const b of busy) {
		if (!used.has(b.dev) || !isSet(b.dur_ns))
			continue;
		const iter = isSet(b.iter) ? b.iter : isSet(b.after) ? b.after : null;
		if (of !== null && (iter === null || iter < of.from || iter > of.to))
			continue;
		sums[b.class in sums ? b.class : 'idle'] += b.dur_ns;
	}
	sums.total = Object.values(sums).reduce((a, b) => a + b, 0);
	sums.n_dev = used.size;
	return sums;
}

// A page of more GPU work than its limit has the rows of some steps, and sums of all.
const detailSteps = meta.cut && isSet(meta.cut.from) ? { from: meta.cut.from, to: meta.cut.to } : null;
const hasDetail = () => !meta.cut || (detailSteps !== null && range !== null && range.from >= detailSteps.from && range.to <= detailSteps.to);
const hasSums = () => meta.cut !== undefined && range === null;

function cutSentence() {
	const { limit, pieces } = meta.cut;
	return 'The profile has ' + count(pieces) + ' pieces of GPU work, more than the ' + count(limit) + ' that this page was made for (--max-pieces): ' +
	    (detailSteps === null ? 'it has sums of all, but no step fits, so it has no details.' :
	    'it has sums of all, and details of ' + stepsInWords(detailSteps) + ' only.');
}

// dlp html of other steps: the chosen ones, if the page has no details of them.
const otherSteps = () => command(['dlp', 'html', ...keyWords(), '-i', range === null || hasDetail() ? 'N-M' : stepsName(range), meta.file], ' >run.html');

function cutNotice(view) {
	if (!meta.cut || !view.detail)
		return [];
	return [el('p', { class: 'bad' }, cutSentence() + (hasDetail() ? '' : hasSums() && view.detail === 'sums' ?
	    ' These are the sums of all; rows can be opened when one of those steps is chosen.' : ' It has none of what is chosen now.') +
	    ' Those of other steps are on a page of theirs:'), otherSteps()];
}

// The sums of all GPU work, as a table whose rows stand for several pieces.
function sumsOfAll() {
	const s = meta.sums, keep = [...Array(s.rows).keys()].filter(k => source === null || s.src[k] === source);
	return Object.assign(tableOf(keep.length, c => {
		if (!(c in s) || absent(0, c).d === undefined)
			return Float64Array.from(keep, k => c in s && isSet(s[c][k]) ? s[c][k] : NaN);
		const d = [...new Set(keep.map(k => s[c][k]).filter(isSet))], at = new Map(d.map((x, i) => [x, i]));
		return { d, v: Int32Array.from(keep, k => isSet(s[c][k]) ? at.get(s[c][k]) : -1) };
	}), { sums: true });
}

const hasWork = () => meta.tables.work.rows > 0 || meta.cut !== undefined;
const noWork = 'The profile has no GPU work: kernels, copies or sets. nsys profile -t cuda, ProfilerActivity.CUDA of torch.profiler, or rocprofv3 --kernel-trace records them.';

// Numbers of the rows in which iter lies in the range; null: all rows.
function rowsInRange(t, of = range) {
	if (of === null)
		return allRows(t.n);
	const list = new Int32Array(t.n), iter = t.iter, { from, to } = of;
	let n = 0;
	for (let i = 0; i < list.length; i++)
		if (iter[i] >= from && iter[i] <= to)
			list[n++] = i;
	return list.subarray(0, n);
}

function allRows(n) {
	const list = new Int32Array(n);
	for (let i = 0; i < list.length; i++)
		list[i] = i;
	return list;
}
