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
	const packed = Uint8Array.from(atob(e.textContent), c => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
	return JSON.parse(await new Response(stream).text());
}

function decode(kind, json) {
	if (kind === 's')
		return { d: json.d, v: Int32Array.from(json.v, v => v === null ? -1 : v) };
	const v = new Float64Array(json.length);
	let last = 0;
	for (let i = 0; i < json.length; i++)
		if (json[i] === null)
			v[i] = NaN;
		else
			v[i] = kind === 'd' ? (last += json[i]) : json[i];
	return v;
}

// A column that the profile does not have is unknown in each row.
function absent(n, name) {
	return /^(tag|op|dir|layer|phase|why|short|grid|block|kind|src_mem|dst_mem|dtype|family|tc|tc_eligible|tc_why|lacks|prim|line|code|api|name|mod|by|shapes|args|stack|text|class|before|after|did|what|range|space|at)$/.test(name)
		? { d: [], v: new Int32Array(n).fill(-1) } : new Float64Array(n).fill(NaN);
}

// The table, all columns unpacked at the same time.
function table(name) {
	if (!loaded.has(name))
		loaded.set(name, (async () => {
			await allRead;
			const t = meta.tables[name], own = Object.keys(t.cols);
			const cols = await Promise.all(own.map(c => unpack(name + '.' + c)));
			const known = { n: t.rows };
			own.forEach((c, i) => { known[c] = decode(t.cols[c], cols[i]); });
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

// The rows of a table of the head, as objects.
function rows(name) {
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
const steps = rows('steps').filter(s => isSet(s.iter) && isSet(s.key));
const stable = rows('stable')[0] || null;

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

// dlp REPORT WORDS -i A-B FILE
function report(words) {
	return command(['dlp', ...words, ...rangeWords(), meta.file]);
}

// The time of the devices that are used, by class; as dlp FILE counts it: the time
// after a step, until the next begins, belongs to it.
const classNames = { tc: 'Tensor Core kernels', kern: 'other kernels', graph: 'whole graphs',
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
