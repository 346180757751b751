// The data: the head of the page, and tables whose columns are unpacked when a
// view first asks for them. A column of numbers is a Float64Array with NaN for an
// unknown value; one of texts is the numbers of texts, -1 for unknown, and the texts.
const meta = JSON.parse(byId('dlp-meta').textContent);
const loaded = new Map();
const allRead = new Promise(done => {
	if (document.readyState === 'loading')
		document.addEventListener('DOMContentLoaded', done);
	else
		done();
});

async function unpack(name) {
	const e = document.querySelector('script.dlp-col[data-c="' + name + '"]');
	const raw = atob(e.textContent), packed = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		packed[i] = raw.charCodeAt(i);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
	return JSON.parse(await new Response(stream).text());
}

// An array for numbers of texts, -1 among them, and room for a text more.
const numbersOf = n => n < 100 ? Int8Array : n < 30000 ? Int16Array : Int32Array;

// n values; "7" is the value before, seven times more.
function decode(kind, json, n, base) {
	const texts = kind === 's', v = texts ? new (numbersOf(json.d.length))(n) : new Float64Array(n);
	let at = 0, last = 0, x = null;
	for (const next of texts ? json.v : json) {
		const again = typeof next === 'string';
		x = again ? x : next;
		for (let k = again ? Number(next) : 1; k > 0; k--, at++)
			if (x === null)
				v[at] = texts ? -1 : NaN;
			else
				v[at] = kind === 'd' ? (last += x) : x === true ? base[at] : x;
	}
	return texts ? { d: json.d, v } : v;
}

// A column that the profile does not have is unknown in each row.
function absent(n, name) {
	return /^(tag|op|dir|layer|phase|why|short|grid|block|kind|src_mem|dst_mem|dtype|family|tc|tc_eligible|tc_why|lacks|prim|line|code|api|name|mod|by|shapes|args|stack|text|severity|src|first|last|rank|class|before|after|did|what|range|space|at)$/.test(name)
		? { d: [], v: new Int8Array(n).fill(-1) } : new Float64Array(n).fill(NaN);
}

// Of several ranks one is shown: src of its rows.
const sources = [...new Set((meta.rank.src || []).filter(s => s !== null))];
let source = sources.length > 1 ? sources[0] : null;

// The rows of a table with the source that is shown.
function ofSource(t) {
	const at = t.src.d.indexOf(source), keep = [];
	for (let i = 0; i < t.n; i++)
		if (t.src.v[i] === at)
			keep.push(i);
	const own = { n: keep.length };
	return new Proxy(own, {
		get(to, c) {
			if (!(c in to) && typeof c === 'string' && c !== 'then')
				to[c] = t[c].d ? { d: t[c].d, v: Int32Array.from(keep, i => t[c].v[i]) } : Float64Array.from(keep, i => t[c][i]);
			return to[c];
		}
	});
}

// The table, of the rank that is shown.
async function table(name) {
	const all = await wholeTable(name);
	if (source === null || !meta.tables[name].cols.src)
		return all;
	if (!loaded.has(name + source))
		loaded.set(name + source, ofSource(all));
	return loaded.get(name + source);
}

// The table of all ranks, all columns unpacked at the same time.
function wholeTable(name) {
	if (!loaded.has(name))
		loaded.set(name, (async () => {
			await allRead;
			const t = meta.tables[name], own = Object.keys(t.cols);
			const cols = await Promise.all(own.map(c => unpack(name + '.' + c)));
			const known = { n: t.rows };
			own.forEach((c, i) => { known[c] = decode(t.cols[c], cols[i], t.rows, known.dur_ns); });
			return new Proxy(known, {
				get(to, c) {
					if (!(c in to) && typeof c === 'string' && c !== 'then')
						to[c] = absent(t.rows, c);
					return to[c];
				}
			});
		})());
	return loaded.get(name);
}

const text = (col, i) => col.v[i] < 0 ? null : col.d[col.v[i]];

const rows = name => source === null ? wholeRows(name) : wholeRows(name).filter(r => !isSet(r.src) || source === r.src);

// The rows of a table of the head, as objects.
function wholeRows(name) {
	const t = meta[name], list = [];
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
let steps, stable;

function chooseSource(s) {
	source = s;
	steps = rows('steps').filter(s => isSet(s.iter) && isSet(s.key));
	stable = rows('stable')[0] || null;
}
chooseSource(source);

// The range of steps that every view counts; null: the whole profile.
let range = null;

function evenSteps() {
	return stable && isSet(stable.from) ? { from: stable.from, to: stable.to } : null;
}

const inRange = iter => range === null || (iter >= range.from && iter <= range.to);
const rangeWords = (of = range) => of === null ? [] :
    ['-i', of.from === of.to ? String(of.from) : of.from + '-' + of.to];
// Times by class are those of steps: of the whole profile, of all steps.
const stepRange = () => range !== null || steps.length === 0 ? range :
    { from: steps[0].iter, to: steps[steps.length - 1].iter };
const stepsInRange = () => steps.filter(s => inRange(s.iter));

const fileShown = () => source === null ? meta.file : source;

// dlp REPORT WORDS -i A-B FILE
function report(words, after) {
	return command(['dlp', ...words, ...rangeWords(), fileShown()], after);
}

// The time of the devices that are used, by class; as dlp FILE counts it: the time
// after a step, until the next begins, belongs to it.
const tensorCores = s => meta.info.vendor === 'amd' ? s.replace('Tensor Core', 'matrix core') : s;
const classNames = { tc: tensorCores('Tensor Core kernels'), kern: 'other kernels', graph: 'whole graphs',
	comm: 'communication that no kernel hides', mem: 'copies and sets', idle: 'idle' };

function timeByClass() {
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

// Numbers of the rows in which iter lies in the range; null: all rows.
function rowsInRange(t, of = range) {
	const list = new Int32Array(t.n);
	let n = 0;
	for (let i = 0; i < t.n; i++)
		if (of === null || (t.iter[i] >= of.from && t.iter[i] <= of.to))
			list[n++] = i;
	return list.subarray(0, n);
}
